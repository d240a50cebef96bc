"""The settings of AlphaZero, and its defaults for each game."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, ClassVar

from ...agents.search.forest import SearchSettings
from ...agents.solvers.leaf import new_leaf_solver
from ...agents.solvers.solver import has_solver
from ...envs.game import Game
from ...envs.loading.settings import POSITIVE, Settings, Span, setting
from ...envs.profile import TrainingSettings
from ..settings import OPTIMAL, UNLIMITED, RunSettings

DENSE, CONVOLUTIONS, POOLED = "dense", "convolutions", "pooled"
UNITS_OF_CHANNEL = 8  # of a dense layer: 32 channels are 256 units
AUTO = "auto"
SHORT_ROUNDS = 6  # at the beginning
WINDOW_EXPONENT, WINDOW_SLOPE = 0.75, 0.4  # alpha and beta of [3]
SIMULATIONS_OF_GAME = 700  # between two updates, without a trial
CHUNKS_OF_THREAD = 2  # that it plays at once, where the network is on a GPU


@dataclasses.dataclass(frozen=True)
class NetworkSettings(Settings):
    """The network's shape."""

    trunk: str = setting(
        CONVOLUTIONS,
        "Kind of network; pooled: convolutions, and the heads see only means and maxima, so that "
        "weights fit any board.",
        choices=(DENSE, CONVOLUTIONS, POOLED),
    )
    channels: int = setting(
        32, "Channels of each convolution; a dense layer has eight units for each.", low=1
    )
    blocks: int = setting(2, "Residual blocks of two layers each.", low=0, high=40)
    hidden: int = setting(64, "Width of the heads.", low=1)

    @property
    def units(self) -> int:
        """The units of each dense layer."""
        return UNITS_OF_CHANNEL * self.channels


@dataclasses.dataclass(frozen=True)
class LearningSettings(Settings):
    """The steps of gradient descent."""

    batch_size: int = setting(1024, "Positions in a minibatch.", low=2)
    learning_rate: float = setting(
        2e-3, "Learning rate of AdamW; it falls in the second half.", low=POSITIVE
    )
    gradient_norm: float = setting(1.0, "Gradients are clipped to this norm.", low=POSITIVE)
    value_weight: float = setting(1.0, "Weight of the value's loss.", low=0)

    def rate(self, progress: float) -> float:
        """The learning rate after this share of the run: constant, then half a cosine."""
        falling = max(0.0, min(progress, 1.0) - 0.5) / 0.5
        return self.learning_rate * (0.02 + 0.98 * 0.5 * (1.0 + math.cos(math.pi * falling)))


@dataclasses.dataclass(frozen=True)
class LearnerSettings(RunSettings):
    """How a network learns, from games of self-play or from a dataset."""

    network: NetworkSettings = NetworkSettings()
    learning: LearningSettings = LearningSettings()
    evaluate: str = setting(
        "greedy;alphabeta:depth=2;alphabeta:depth=4",
        "Opponents for evaluations, separated by semicolons, or none; optimal moves: comparison "
        "with perfect play.",
        metavar="AGENT;AGENT",
    )
    precision: str = setting(
        AUTO,
        "Precision of products; auto: bfloat16 if the processor supports it.",
        choices=(AUTO, "float32", "bfloat16"),
    )

    @property
    def discount(self) -> float:
        """The factor for a result one ply earlier."""
        return 1.0

    @property
    def initial(self) -> str:
        """The source of the initial weights; empty: random weights."""
        return ""


@dataclasses.dataclass(frozen=True)
class GamesSettings(Settings):
    """Self-play between two updates, and the window of its samples."""

    workers: int = setting(
        1,
        "Parallel chunks of self-play between two updates. The result depends on their number, "
        "not on where they are played.",
        low=1,
        high=1024,
    )
    games: int = setting(
        512,
        "Games of a chunk, played at once; 0: on a GPU the fewest that a trial finds to be as fast "
        "as more, elsewhere 512.",
        low=0,
    )
    simulations_per_update: int = setting(
        1_500_000,
        "Simulations of self-play between two updates, at least a full search of every game; the "
        "first rounds are shorter. With games=0 the most: a GPU plays no more than in two seconds, "
        "and than 200 steps of learning need.",
        low=1,
    )
    predecessor: str = setting(
        "",
        "A network that plays all games of the run, for a larger one to learn from [3]: zoo:NAME, "
        "a policy file or a run; empty: none.",
    )
    window: str = setting(
        "100000,2000000",
        "Initial and maximum size of the replay window in samples, or one number; it grows with "
        "all samples [3].",
        metavar="N,N",
    )
    reuse: float = setting(4.0, "Mean number of uses of each sample [3].", low=POSITIVE)

    def __post_init__(self) -> None:
        """Convert and check every value."""
        super().__post_init__()
        object.__setattr__(self, "window", str(Span.read("window", self.window, low=1)))

    def as_usual(self) -> GamesSettings:
        """These settings with the usual number of games, where no trial chooses it."""
        games = GamesSettings.games
        most = SIMULATIONS_OF_GAME * self.workers * games
        return self.replace(
            games=games, simulations_per_update=min(self.simulations_per_update, most)
        )

    def window_size(self, samples: int) -> int:
        """The window's size after this total of samples: it grows like a power of the total.

        Source: [3].
        """
        smallest, largest = Span.read("window", self.window, low=1)
        if samples <= smallest:
            return smallest
        growth = ((samples / smallest) ** WINDOW_EXPONENT - 1.0) / WINDOW_EXPONENT
        return int(min(largest, smallest * (1.0 + WINDOW_SLOPE * growth)))


@dataclasses.dataclass(frozen=True)
class AlphaZeroSettings(LearnerSettings):
    """The settings of an AlphaZero run, apart from its game, its seed and its processes.

    Sources: [1] Silver et al., Science 2018; [2] Danihelka et al., ICLR 2022; [3] Wu,
    "Accelerating self-play learning in Go", 2019.
    """

    algorithm: ClassVar[str] = "alphazero"
    budgets: ClassVar[tuple[TrainingSettings, ...]] = (
        # Learning is the limit: many small steps, most of them for the policy.
        TrainingSettings(
            {
                "batch_size": 256,
                "learning_rate": 4e-3,
                "gradient_norm": 10.0,
                "value_weight": 0.5,
            }
        ),
        # Learning begins early and comes in many rounds, and every move is searched, shortly, and
        # recorded.
        TrainingSettings(
            {
                "games": 256,
                "simulations_per_update": 400_000,
                "window": "30000,2000000",
                "full_share": 1.0,
                "simulations": "24,40",
            },
            hours=0.5,
            gpu=False,
        ),
        TrainingSettings({"evaluations": 4}, hours=0.09, gpu=False),
        # A GPU evaluates large networks, and large batches of positions, at little cost.
        TrainingSettings(
            {
                "channels": 128,
                "blocks": 5,
                "hidden": 64,
                "batch_size": 4096,
                "learning_rate": 3e-3,
                "window": "300000,2000000",
                "games": 0,
                "simulations_per_update": 40_000_000,
            },
            gpu=True,
        ),
        # Many small steps learn more from the samples of some minutes.
        TrainingSettings(
            {
                "batch_size": 1024,
                "window": "100000,2000000",
                "full_share": 1.0,
                "simulations": "24,40",
            },
            hours=0.09,
            gpu=True,
        ),
    )

    search: SearchSettings = SearchSettings()  # noqa: RUF009  # frozen
    games: GamesSettings = GamesSettings()
    steps: int = setting(UNLIMITED, "Total actions of self-play.", low=1)
    hours: float = setting(3.0, "Time limit of the run in hours; 0: no limit.", low=0, metavar="H")
    precision: str = setting(
        AUTO,
        "Precision of products; auto: in self-play the fastest in a trial on this processor when "
        "the run begins, in learning bfloat16 if the processor supports it. int8 is for "
        "self-play, with learning as in auto.",
        choices=(AUTO, "float32", "bfloat16", "int8"),
    )
    initial: str = setting(
        "",
        "Initial weights, also of a smaller network: zoo:NAME, a policy file or a run; "
        "empty: random weights.",
    )
    evaluations: int = setting(18, "Number of evaluations of the learner.", low=1)
    keep: int = setting(
        10, "Number of snapshots to keep and rate, evenly over the run; 0: none.", low=0
    )

    def simulations_of_round(self, number: int) -> int:
        """Simulations of self-play before an update: each of the first rounds doubles the last.

        So learning starts early, and there is soon a checkpoint. No round is shorter than one full
        search of every game, since an update ends all searches.
        """
        games = self.games
        least = games.workers * games.games * (self.search.span.last + 1)
        return max(games.simulations_per_update >> max(SHORT_ROUNDS - number, 0), least)

    @property
    def discount(self) -> float:
        """The options of the search."""
        return self.search.discount

    @property
    def processes(self) -> int:
        """The number of workers."""
        return self.games.workers

    @classmethod
    def defaults(
        cls,
        game: Game,
        length: Mapping[str, Any] = {},
        gpu: bool = False,
    ) -> dict[str, Any]:
        """As for every run. Moves are compared with perfect play where a solver takes the board.

        Leaves are solved on the boards on which the game's solver answers at once.
        """
        settings = {"solved_plies": 0} | super().defaults(game, length, gpu)
        plies = min(settings["solved_plies"], new_leaf_solver(game).most)
        names = settings.get("evaluate", cls.evaluate).split(";")
        if OPTIMAL in names and not has_solver(game):
            names.remove(OPTIMAL)
        return settings | {"solved_plies": plies, "evaluate": ";".join(names)}
