"""Self-play of one process: games in a forest of search trees, a network, and their samples."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Generator
from typing import Any, NamedTuple

import numpy as np
import torch

from ...agents.search import forest_games
from ...agents.search.forest import (
    ENTRY,
    MARK,
    Games,
    SearchSettings,
    new_games,
    search_options,
)
from ...agents.solvers.leaf import new_leaf_solver
from ...agents.solvers.solver import solver_class_of
from ...envs.compiled.kernels import announce_compilation
from ...envs.game import Game
from ...envs.specification import SpecificationError
from ..folder import TrainingError
from .evaluator import Evaluation, Evaluator, TorchNetwork, make_evaluator
from .settings import SHORT_ROUNDS, AlphaZeroSettings
from .window import Canonical, ReplayChunk

# A checkpoint contains the positions of the games in progress, and the data of every fully searched
# ply that becomes a sample when the game ends.
WHOLE = ("positions", "states", "streams", "flags")
OF_PLIES = ("past", "policies", "values")  # of fully searched plies
LEVEL = 1  # zlib level: the fastest
# Share of the game's result in the value's target; the search's is the rest. Prasad, "Lessons from
# AlphaZero: connect four", 2018.
RESULT_SHARE = 0.5
CACHE_BESIDE_GPU, CACHE = 128 * 2**20, 512 * 2**20  # bytes, of each player
LARGE_BOARD = 100  # actions
CPU = torch.device("cpu")
NO_NUMBER = "the network returned NaN or infinity; a lower learning_rate may help"

State = dict[str, torch.Tensor]


class SelfPlayResult(NamedTuple):
    """The result of one stretch of self-play.

    Attributes:
        chunk: the samples.
        counts: simulations, evaluations, games, plies, wins of player 0 and draws, by name.
        state: state of the games, to continue from; where they stay on a device, what returns it
            until they go on.
    """

    chunk: ReplayChunk
    counts: dict[str, int]
    state: State | Callable[[], State]


def check_solved_plies(game: Game, settings: SearchSettings) -> None:
    """Refuse more remaining plies than the game's solver solves at once.

    Raises:
        SpecificationError: there are more, or there is no solver.
    """
    if settings.solved_plies == 0:
        return
    solver_class_of(game)
    most = new_leaf_solver(game).most
    if settings.solved_plies > most:
        raise SpecificationError(
            f"solved_plies={settings.solved_plies} is not possible for {game.spec}: "
            + (f"it is at most {most}" if most else "there is no fast solver for it")
        )


class SelfPlayer:
    """Plays against itself.

    Args:
        game: the game.
        settings: the settings.
        device: the device of the network.
        seed: seed of all random choices.
        network: the network on a GPU, shared by several players; None: a separate one.
    """

    def __init__(
        self,
        game: Game,
        settings: AlphaZeroSettings,
        device: torch.device,
        seed: int = 0,
        network: TorchNetwork | None = None,
    ) -> None:
        self.game: Game = game
        self.settings: AlphaZeroSettings = settings
        search, games = settings.search, settings.games.games
        most = max(search.span)
        simulations = -(-settings.simulations_of_round(SHORT_ROUNDS) // settings.games.workers)
        entries = cache_entries(game, simulations, device.type == "cuda")
        options = search_options(game, search, 0.0)
        with announce_compilation(f"self-play of {game.name}"):
            self._play = forest_games.new_self_play(game, options, games, seed, most, entries)
            _begin(game.rules, self._play)
            # compiles the rest, with a discarded game
            trial = forest_games.new_self_play(game, options, 1, 0, most, 1)
            _begin(game.rules, trial)
            _advance(game.rules, trial, 0, *_nothing(game))
        self.evaluator: Evaluator = make_evaluator(game, settings, device, network)
        self._canonical = Canonical(game, CPU)
        self._nothing = _nothing(game)

    def play(
        self, weights: dict[str, torch.Tensor], progress: float, simulations: int
    ) -> SelfPlayResult:
        """Play with these weights for about this number of simulations.

        Raises:
            TrainingError: the network returned NaN or infinity.
        """
        self.evaluator.load(weights)
        stretch, answer = self.stretch(progress, simulations), None
        while True:
            try:
                count = stretch.send(answer)
            except StopIteration as end:
                result: SelfPlayResult = end.value
                return result
            answer = self.evaluator.evaluate(self.observations, count)

    @property
    def observations(self) -> np.ndarray:
        """The observations of the leaves that wait for the network, in the first rows: int8."""
        observations: np.ndarray = self._play.forest.leaves.observations
        return observations

    def stretch(
        self, progress: float, simulations: int
    ) -> Generator[int, Evaluation | None, SelfPlayResult]:
        """Play for about this number of simulations; yields the number of waiting leaves.

        Searches start anew, so that each uses one network, and games continue from their present
        positions.

        Raises:
            TrainingError: the network returned NaN or infinity.
        """
        self._search_like(progress)
        play = self._play
        play.games.states.goal[:] = 0
        play.generation[0] += 1
        play.tally.view(np.uint8)[...] = 0
        parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        waiting, (logits, values) = 0, self._nothing
        while play.tally[0].simulations < simulations:
            waiting = _advance(self.game.rules, play, waiting, logits, values)
            if play.samples.count[0] > play.samples.marks.size // 2:
                parts.append(self._drain())
            logits, values = self._nothing
            if waiting:
                answer = yield waiting
                assert answer is not None
                logits, values = answer
                if not (np.isfinite(logits).all() and np.isfinite(values).all()):
                    raise TrainingError(NO_NUMBER)
        parts.append(self._drain())
        counts = {name: int(play.tally[0][name]) for name in play.tally.dtype.names}
        return SelfPlayResult(self._chunk(parts), counts, self.state())

    def _search_like(self, progress: float) -> None:
        """Set the search options for this share of the run."""
        play = self._play
        options = search_options(self.game, self.settings.search, progress)
        self._play = play._replace(options=options)
        if options.simulations != play.options.simulations:
            full_table, fast_table = forest_games.tables(self.game, options)
            self._play = self._play._replace(full_table=full_table, fast_table=fast_table)

    def _drain(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Take the samples out: observations, policies and marks."""
        samples = self._play.samples
        count = int(samples.count[0])
        samples.count[0] = 0
        observations, policies, marks = (each[:count].copy() for each in samples[:3])
        return observations, policies, marks

    def _chunk(self, parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> ReplayChunk:
        """The samples as the learner's targets."""
        observations, policies, marks = (np.concatenate(each) for each in zip(*parts))
        tensors = torch.from_numpy(observations), torch.from_numpy(policies)
        return make_chunk(self._canonical, self.settings.discount, *tensors, marks)

    def begin(self, seed: int) -> None:
        """Restart all games, with the random numbers of this seed."""
        games = new_games(self.game, self.settings.games.games, seed)
        for old, new in zip(self._play.games, games):
            old[...] = new
        _begin(self.game.rules, self._play)

    # -- checkpoints --

    def state(self) -> State:
        """The games in progress, in the form of :func:`pack_games`."""
        return pack_games(self._play.games)

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Go on where :meth:`state` was taken.

        Games saved by a version with another format start anew.
        """
        try:
            unpack_games(state, self._play.games)
        except ValueError:
            self.begin(seed_of_state(state))


def seed_of_state(state: State) -> int:
    """The seed of games that start anew because this state has another format."""
    return zlib.crc32(b"".join(each.numpy().tobytes() for each in state.values()))


def make_chunk(
    canonical: Canonical,
    discount: float,
    observations: torch.Tensor,
    policies: torch.Tensor,
    marks: np.ndarray,
) -> ReplayChunk:
    """Samples of games as the learner's targets.

    Args:
        canonical: of the game.
        discount: of the results.
        observations: int8, (N, rows, columns, planes), on any device.
        policies: float32, (N, num_actions), on the same device.
        marks: MARK records, (N,).
    """
    keys, images, image_policies = canonical(observations, policies)
    aims = targets(discount, canonical.game, {name: marks[name] for name in MARK.names or ()})
    place = keys.device
    results, values, nearness = (torch.from_numpy(each).to(place) for each in aims)
    return ReplayChunk(keys, images, image_policies.half(), results, values, nearness)


def targets(
    discount: float, game: Game, samples: dict[str, Any]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The targets of the network: result (N, 3), value (N,) and nearness (N,).

    Where the search proved a value, it is the target, and its sign the result.
    """
    exact = samples["exact"] != 0
    outcomes = np.where(exact, np.sign(samples["root"]), samples["outcome"])
    results = np.stack([outcomes > 0, outcomes == 0, outcomes < 0], axis=1).astype(np.float32)
    left = samples["left"].astype(np.float32)
    if discount < 1.0:
        nearness = discount**left
        final = samples["outcome"] * nearness
        nearness = np.where(exact & (samples["root"] != 0), np.abs(samples["root"]), nearness)
    else:
        nearness = 1.0 - left / game.facts.longest_game
        final = samples["outcome"]
    mixed = RESULT_SHARE * final + (1.0 - RESULT_SHARE) * samples["root"]
    values = np.where(exact, samples["root"], mixed)
    bounded = np.clip(nearness, 0.0, 1.0)
    return results, values.astype(np.float32), bounded.astype(np.float32)


_begin: Any = forest_games.begin_games
_advance: Any = forest_games.advance


def _nothing(game: Game) -> tuple[np.ndarray, np.ndarray]:
    """The network's outputs for no positions."""
    return np.zeros((0, game.facts.num_actions), np.float32), np.zeros(0, np.float32)


def cache_entries(game: Game, simulations: int, on_gpu: bool) -> int:
    """The entries of a player's cache of network evaluations: a power of two.

    They are at least four for each of these simulations of a chunk, or as many as memory holds: 128
    MiB beside a GPU, with its many players; else 512 MiB, twice as much on boards with more than
    100 actions.
    """
    actions = game.facts.num_actions
    memory = CACHE_BESIDE_GPU if on_gpu else CACHE * (2 if actions > LARGE_BOARD else 1)
    most = memory // (ENTRY.itemsize + 4 * actions)
    return min(1 << (4 * simulations - 1).bit_length(), 1 << (most.bit_length() - 1))


# -- the games under way as a checkpoint holds them: a few hundred bytes each --


def pack_games(games: Games) -> dict[str, torch.Tensor]:
    """The games as compressed bytes (uint8) by name.

    Searches are not saved: they start anew. Policies are rounded to 16 bits, as in samples.
    """
    parts = {name: getattr(games, name) for name in WHOLE}
    for name in OF_PLIES:
        values = getattr(games, name)[games.flags != 0]
        parts[name] = values.astype(np.float16) if name == "policies" else values
    return {
        name: torch.frombuffer(
            bytearray(zlib.compress(np.ascontiguousarray(values).tobytes(), LEVEL)),
            dtype=torch.uint8,
        )
        for name, values in parts.items()
    }


def unpack_games(state: dict[str, torch.Tensor], games: Games) -> None:
    """Restore games saved by :func:`pack_games`.

    Raises:
        ValueError: the state has the format of another version.
    """
    if state.keys() != {*WHOLE, *OF_PLIES}:
        raise ValueError("other arrays")
    for name in WHOLE:
        values = getattr(games, name)
        values.reshape(-1)[...] = _read(state[name], values.dtype, values.size)
    searches = games.flags != 0
    for name in OF_PLIES:
        values = getattr(games, name)
        each = int(np.prod(values.shape[2:]))
        dtype = np.dtype(np.float16) if name == "policies" else values.dtype
        content = _read(state[name], dtype, int(searches.sum()) * each)
        values[searches] = content.reshape(-1, *values.shape[2:])


def _read(content: torch.Tensor, dtype: np.dtype, count: int) -> np.ndarray:
    """Decode this number of values of this type; ValueError if there are more or fewer."""
    size = count * dtype.itemsize
    decompressor = zlib.decompressobj()
    try:
        data = decompressor.decompress(content.numpy().tobytes(), size + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if len(data) != size or not decompressor.eof:
        raise ValueError(f"{len(data)} bytes instead of {size}")
    return np.frombuffer(data, dtype)
