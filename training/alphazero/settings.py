"""The settings of AlphaZero, and what each game is trained with by default."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, ClassVar

from ...agents.search.forest import bytes_of_tree
from ...agents.solvers.leaf import new_leaf_solver
from ...envs.game import Game
from ...envs.loading.settings import setting
from ...envs.profile import TrainingSettings
from ...envs.specification import SpecificationError
from ...envs.workers.processors import available_processors
from ..settings import POSITIVE, UNLIMITED, RunSettings

GUMBEL, PUCT = "gumbel", "puct"
DENSE, CONVOLUTIONS = "dense", "convolutions"
SHORT_ROUNDS = 6  # at the beginning
CHUNKS_OF_THREAD = 2  # that it plays at once, where the network is on a GPU
GPU_FOREST_BYTES = 8 * 2**30  # of the search trees of all chunks, by default
SIMULATIONS_OF_GAME = 700  # between two updates, by default where the network is on a GPU


@dataclasses.dataclass(frozen=True)
class LearnerSettings(RunSettings):
    """The network and how it learns, from games of self-play or from a dataset."""

    evaluate: str = setting(
        "greedy;alphabeta:depth=2;alphabeta:depth=4",
        "Opponents that the learner is measured against, separated by semicolons, or none.",
        metavar="AGENT;AGENT",
    )
    evaluation_plies: int = setting(4, "Random moves of each of these openings.", low=0)
    batch_size: int = setting(1024, "Positions in a minibatch.", low=2)
    learning_rate: float = setting(2e-3, "Of AdamW; it falls in the second half.", low=POSITIVE)
    weight_decay: float = setting(1e-4, "Of AdamW.", low=0)
    gradient_norm: float = setting(1.0, "Gradients are clipped to this norm.", low=POSITIVE)
    averaging: float = setting(
        0.99, "Decay of the average of the weights that plays and is kept.", low=0, high=0.99999
    )
    value_weight: float = setting(1.0, "Weight of the value's loss.", low=0)
    trunk: str = setting(CONVOLUTIONS, "Kind of network.", choices=(DENSE, CONVOLUTIONS))
    channels: int = setting(32, "Of each convolution.", low=1)
    blocks: int = setting(2, "Residual blocks of two layers each.", low=0, high=40)
    units: int = setting(256, "Of each dense layer.", low=1)
    hidden: int = setting(64, "Width of the heads.", low=1)
    pooled: bool = setting(
        False, "Whether the heads see only means and maxima, so that weights fit any board."
    )
    precision: str = setting(
        "auto",
        "Of products: bfloat16 where the processor has instructions for it (auto).",
        choices=("auto", "float32", "bfloat16"),
    )

    def rate(self, progress: float) -> float:
        """The learning rate after this share of the run: constant, then half a cosine."""
        falling = max(0.0, min(progress, 1.0) - 0.5) / 0.5
        return self.learning_rate * (0.02 + 0.98 * 0.5 * (1.0 + math.cos(math.pi * falling)))


@dataclasses.dataclass(frozen=True)
class AlphaZeroSettings(LearnerSettings):
    """What a run of AlphaZero does, apart from its game, its seed and the processes it uses.

    Sources: [1] Silver et al., Science 2018; [2] Danihelka et al., ICLR 2022; [3] Wu,
    "Accelerating self-play learning in Go", 2019; [4] Prasad, "Lessons from AlphaZero: connect
    four", 2018; [5] AlphaZero.jl; [6] mctx, ``qtransform_completed_by_mix_value``.
    """

    algorithm: ClassVar[str] = "alphazero"
    budgets: ClassVar[tuple[TrainingSettings, ...]] = (
        # Learning begins early, and every move is searched, shortly, and recorded.
        TrainingSettings(
            {
                "games": 256,
                "simulations_per_update": 400_000,
                "window_smallest": 30_000,
                "full_share": 1.0,
                "first_simulations": 24,
                "simulations": 40,
                "evaluations": 4,
                "judged": 0,
            },
            hours=0.09,
            gpu=False,
        ),
        # A GPU evaluates large networks, and large batches of positions, at little cost.
        TrainingSettings(
            {
                "channels": 128,
                "blocks": 5,
                "hidden": 64,
                "batch_size": 4096,
                "learning_rate": 3e-3,
                "cache": 128,
                "window_smallest": 300_000,
                # of 16 cores and a small game; `defaults` says what others have
                "workers": 30,
                "games": 2048,
                "simulations_per_update": 40_000_000,
            },
            gpu=True,
        ),
    )

    steps: int = setting(UNLIMITED, "Actions of self-play in all.", low=1)
    hours: float = setting(
        3.0, "Hours that the run takes at most; 0: no limit.", low=0, metavar="H"
    )
    workers: int = setting(
        1,
        "Chunks of self-play between two updates, which are played at once. The run depends on it, "
        "not on where they are played.",
        low=1,
        high=1024,
    )
    # Self-play.
    precision: str = setting(
        "auto",
        "Of products: bfloat16 where the processor has instructions for it (auto); int8 is for the "
        "positions of self-play, with the rest as in auto.",
        choices=("auto", "float32", "bfloat16", "int8"),
    )
    games: int = setting(512, "Games of a chunk, played at once.", low=1)
    simulations_per_update: int = setting(
        1_500_000,
        "Simulations of self-play between two updates; the first rounds are shorter.",
        low=1,
    )
    search: str = setting(
        GUMBEL,
        "Search at the root: gumbel (sequential halving, [2]) or puct (Dirichlet noise, [1]).",
        choices=(GUMBEL, PUCT),
    )
    simulations: int = setting(96, "Simulations of a full search at the end of the run.", low=2)
    first_simulations: int = setting(32, "The same at its beginning; they grow evenly.", low=2)
    fast_simulations: int = setting(16, "Simulations of a fast search [3].", low=1)
    full_share: float = setting(
        0.25, "Share of the moves searched in full and recorded [3].", low=POSITIVE, high=1
    )
    considered: int = setting(
        16, "Actions that sequential halving begins with, at most [2].", low=1
    )
    visit_offset: float = setting(50.0, "c_visit of the completed Q values [2].", low=0)
    value_scale: float = setting(
        0.1, "c_scale of the completed Q values at the run's beginning [2, 6].", low=0
    )
    value_scale_growth: float = setting(
        1.0, "How many times as much it is at the end of the run; it grows evenly.", low=POSITIVE
    )
    rescale_values: bool = setting(
        False, "Whether the smallest completed Q value counts 0 and the largest 1 [6]."
    )
    c_puct: float = setting(1.5, "Weight of the priors below the root [1].", low=0)
    noise_share: float = setting(
        0.25, "With puct: share of the Dirichlet noise [1].", low=0, high=1
    )
    noise_alpha: float = setting(
        10.0, "With puct: the noise's parameter, divided by the legal actions [1].", low=POSITIVE
    )
    forced: float = setting(2.0, "With puct: constant of forced visits; 0: none [3].", low=0)
    sampled_plies: int = setting(
        10, "With puct: plies whose moves are drawn by their visits [1].", low=0
    )
    discount: float = setting(
        0.99, "What a result counts one ply earlier; below 1 quick wins are preferred.", 0.5, 1
    )
    opening_plies: int = setting(8, "Plies of a game's opening without search, at most.", low=0)
    random_openings: float = setting(
        0.5, "Share of random openings; the network draws the others [3].", low=0, high=1
    )
    resign_below: float = setting(-2.0, "Value at which a side resigns; -2: never [1].", -2, 0)
    resign_share: float = setting(0.9, "Share of the games in which sides may resign [1].", 0, 1)
    noise_plies: int = setting(
        10_000, "With gumbel: plies of a game after which searches have no noise.", low=0
    )
    fast_noise: bool = setting(True, "With gumbel: whether fast searches have noise too.")
    regret_share: float = setting(
        0.0,
        "Share of games that begin where value and result of the last game disagreed most.",
        low=0,
        high=1,
    )
    solved_plies: int = setting(
        0,
        "Leaves with at most so many plies to go have the exact solver's value; 0: none.",
        low=0,
    )
    cache: int = setting(
        512, "Memory of each process for what the network said of positions, in MiB.", low=0
    )
    # The learner.
    window_smallest: int = setting(100_000, "Samples in the replay window at first [3].", low=1)
    window_largest: int = setting(2_000_000, "Samples in it at most.", low=1)
    window_exponent: float = setting(0.75, "How the window grows [3].", low=POSITIVE, high=1)
    reuse: float = setting(4.0, "How often a sample is learnt from, on average [3].", low=POSITIVE)
    count_exponent: float = setting(
        0.5, "Weight of a position met n times: n to this power [5].", low=0, high=1
    )
    surprise_share: float = setting(
        0.0,
        "Share of a sample's weight that goes by how much its policy surprised the network [3].",
        low=0,
        high=1,
    )
    result_share: float = setting(
        0.5, "Share of the game's result in the value's target; the search's is the rest [4].", 0, 1
    )
    length_weight: float = setting(0.1, "Weight of the loss of plies left.", low=0)
    reply_weight: float = setting(
        0.0, "Weight of the loss of the next action, which a head of its own learns [3].", low=0
    )
    soon_weight: float = setting(
        0.0,
        "Weight of the loss of the searches' values in the next plies, which a head of its own "
        "learns [3].",
        low=0,
    )
    final_weight: float = setting(
        0.0, "Weight of the loss of the board at the game's end, as the last [3].", low=0
    )
    # The network.
    initial: str = setting(
        "",
        "What this run begins with, a smaller network if wanted: zoo:NAME, a policy file or a run; "
        "empty: random weights.",
    )
    predecessor: str = setting(
        "",
        "A network that plays all games of the run, which a larger one learns from [3]: zoo:NAME, "
        "a policy file or a run; empty: none.",
    )
    judged: int = setting(  # type: ignore[misc]  # a field here
        200, "Positions in which its moves are held against perfect play; 0: none.", low=0
    )
    evaluations: int = setting(18, "How many times the learner is measured.", low=1)
    keep: int = setting(
        10, "Snapshots that are kept, evenly over the run's work, and rated; 0: none.", low=0
    )

    def __post_init__(self) -> None:
        """Convert and check every value, and their combinations."""
        super().__post_init__()
        each = self.simulations_per_update / (self.workers * self.games)
        if each < self.simulations:  # every chunk begins searches anew: none would ever end
            games = int(self.simulations_per_update / (self.workers * self.simulations))
            raise SpecificationError(
                f"workers={self.workers} with games={self.games} are not possible: between two "
                f"updates a game would get {each:.0f} simulations, and a full search takes "
                f"{self.simulations}; games={max(games // 4, 1)} or simulations_per_update="
                f"{4 * self.workers * self.games * self.simulations} would do"
            )

    @property
    def processes(self) -> int:
        """Those that play."""
        return self.workers

    def simulations_of_round(self, number: int) -> int:
        """Simulations of self-play before an update: each of the first rounds is twice the last.

        So there is soon something to learn, and a checkpoint.
        """
        return max(self.simulations_per_update >> max(SHORT_ROUNDS - number, 0), 1)

    def full_simulations(self, progress: float) -> int:
        """Simulations of a full search after this share of the run."""
        grown = (self.simulations - self.first_simulations) * min(progress, 1.0)
        return self.first_simulations + round(grown)

    def value_scale_at(self, progress: float) -> float:
        """c_scale after this share of the run."""
        return self.value_scale * (1.0 + (self.value_scale_growth - 1.0) * min(progress, 1.0))

    @classmethod
    def defaults(
        cls,
        game: Game,
        length: Mapping[str, Any] = {},
        begun: Mapping[str, Any] = {},
        gpu: bool = False,
    ) -> dict[str, Any]:
        """As for every run. Moves are judged by perfect play only where the profile says so.

        Leaves are solved on the boards on which the game's solver answers at once. On a GPU there
        are two chunks for each processor but the learner's, of as many games as memory holds.
        """
        settings = {"judged": 0, "solved_plies": 0} | super().defaults(game, length, begun, gpu)
        if gpu and not begun:
            workers = CHUNKS_OF_THREAD * max(available_processors() - 1, 1)
            most = GPU_FOREST_BYTES // (bytes_of_tree(game, cls.simulations) * workers)
            games = min(settings["games"], 1 << max(most.bit_length() - 1, 4))
            simulations = SIMULATIONS_OF_GAME * workers * games
            settings |= {
                "workers": workers, "games": games, "simulations_per_update": simulations
            }  # fmt: skip
        plies = min(settings["solved_plies"], new_leaf_solver(game.rules).most)
        return settings | {"solved_plies": plies}
