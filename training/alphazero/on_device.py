"""Self-play on a GPU: games, trees, network and samples stay in its memory.

A turn of all games is one CUDA graph: a kernel backs up the network's values and descends to the
next leaves, one thread a game (:mod:`plyground.agents.search.device_forest`), and the network
evaluates these. Processors only start it. Without a GPU the code for CUDA runs on a processor, for
tests.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from ...agents.search.device_forest import DeviceForest, bytes_of_game
from ...agents.search.forest import new_games, search_options
from ...envs.compiled.cuda.devices import Device, open_device
from ...envs.game import Game
from ...envs.specification import SpecificationError
from ..folder import TrainingError, begun_settings
from .evaluator import torch_network
from .self_play import (
    NO_NUMBER,
    SelfPlayResult,
    State,
    make_chunk,
    pack_games,
    seed_of_state,
    unpack_games,
)
from .settings import AlphaZeroSettings
from .window import Canonical
from .workers import SelfPlayTask

TURNS_BETWEEN_SAMPLES = 32  # in which no game ends more often than its samples have room
EAGER_TURNS = 3  # before recording a CUDA graph: libraries choose their algorithms first
MEMORY_SHARE = 0.5  # of the free memory, for games and trees; the window has the rest
ROUND_SECONDS, ROUND_STEPS = 2.0, 200  # of self-play and of learning, at most, between two weights
FEWEST_GAMES, TRIAL_SECONDS = 1024, 0.3
ENOUGH = 0.9  # of the best rate


@contextlib.contextmanager
def _refusing() -> Iterator[None]:
    """Convert errors about what does not run on a GPU to a SpecificationError."""
    try:
        yield
    except ValueError as error:
        raise SpecificationError(
            f"{error}; with --workers 2 self-play runs on processors"
        ) from None


def open_trees(name: str) -> Device:
    """The GPU of this name, for games and trees.

    Raises:
        SpecificationError: a package is missing.
    """
    with _refusing():
        return open_device(name)


class DeviceSelfPlayer:
    """Plays against itself on a device.

    Args:
        game: the game.
        settings: the settings.
        device: the device of games, trees and network.
        seed: seed of all random choices.

    Raises:
        SpecificationError: the game cannot be compiled for a GPU.
    """

    def __init__(
        self, game: Game, settings: AlphaZeroSettings, device: Device, seed: int = 0
    ) -> None:
        self.game: Game = game
        self.settings: AlphaZeroSettings = settings
        most = max(settings.search.span)
        self._network = torch_network(game, settings, device.place)
        self._canonical = Canonical(game, device.place)
        options = search_options(game, settings.search, 0.0)
        with _refusing():
            self._forest = DeviceForest(
                game, options, settings.games.games, seed, most, cache_of_game(most), device
            )
        self._graph: torch.cuda.CUDAGraph | None = None

    def play(
        self, weights: dict[str, torch.Tensor], progress: float, simulations: int
    ) -> SelfPlayResult:
        """Play with these weights, so many turns that each game does its share of simulations.

        Those that need no network come on top.

        Raises:
            TrainingError: the network returned NaN or infinity.
        """
        self.begin_round(weights, progress)
        parts = []
        for turn in range(1, -(-simulations // self._forest.count) + 1):
            self.turn()
            if turn % TURNS_BETWEEN_SAMPLES == 0:
                parts.append(self._forest.take_samples())
        parts.append(self._forest.take_samples())
        if not (self._forest.logits.isfinite().all() & self._forest.values.isfinite().all()):
            raise TrainingError(NO_NUMBER)
        observations, policies, marks = zip(*parts)
        chunk = make_chunk(
            self._canonical,
            self.settings.discount,
            torch.cat(observations),
            torch.cat(policies),
            np.concatenate(marks),
        )
        return SelfPlayResult(chunk, self._forest.counts(), self.state)

    def begin_round(self, weights: dict[str, torch.Tensor], progress: float) -> None:
        """Search with these weights, and as this share of the run says."""
        self._network.load(weights)
        options = search_options(self.game, self.settings.search, progress)
        if self._forest.change_options(options):
            self._graph = None
        self._forest.change_network()

    def turn(self) -> None:
        """Descend to the next leaf in every game, and evaluate the leaves."""
        if self._graph is not None:
            self._graph.replay()
        elif self._forest.device.place.type == "cpu":
            self._turn()
        else:
            self._record()

    @torch.inference_mode()
    def _turn(self) -> None:
        forest = self._forest
        forest.advance()
        logits, values = self._network(forest.observations)
        forest.logits.copy_(logits)
        forest.values.copy_(values)

    def _record(self) -> None:
        """Take the first turns, and record the next one as a graph."""
        place = self._forest.device.place
        stream = torch.cuda.Stream(place)  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream(place))
        with torch.cuda.stream(stream):
            for _ in range(EAGER_TURNS):
                self._turn()
        torch.cuda.current_stream(place).wait_stream(stream)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph, stream=stream):
            self._turn()

    # -- checkpoints --

    def begin(self, seed: int) -> None:
        """Restart all games, with the random numbers of this seed."""
        self._forest.begin(seed)

    def state(self) -> State:
        """The games in progress, in the form of :func:`~.self_play.pack_games`."""
        return pack_games(self._forest.games())

    def load_state(self, state: State) -> None:
        """Go on where :meth:`state` was taken.

        Games saved by a version with another format start anew.
        """
        games = new_games(self.game, self._forest.count, 0)
        try:
            unpack_games(state, games)
        except ValueError:
            self.begin(seed_of_state(state))
        else:
            self._forest.load_games(games)

    def rate(self, seconds: float) -> Rate:
        """Measure it for about this time."""
        turns = 0
        for _ in range(EAGER_TURNS + 1):  # the last one by its graph
            self.turn()
        self._forest.device.wait()
        before, began = self._forest.counts()["simulations"], time.perf_counter()
        while time.perf_counter() - began < seconds:
            for _ in range(TURNS_BETWEEN_SAMPLES):
                self.turn()
            self._forest.take_samples()
            turns += TURNS_BETWEEN_SAMPLES
        spent = time.perf_counter() - began
        done = self._forest.counts()["simulations"] - before
        return Rate(self._forest.count, done / spent, turns / spent)


def cache_of_game(most: int) -> int:
    """The entries of a game's cache of evaluations: a power of two, four for each simulation."""
    return 1 << (4 * most - 1).bit_length()


class DeviceWorkers:
    """Plays the one chunk of a run on a device, like :class:`~.workers.JobWorkers`.

    The learner has the device while it learns.
    """

    def __init__(self, game: Game, settings: AlphaZeroSettings, device: Device) -> None:
        self._player = DeviceSelfPlayer(game, settings, device)
        self._has_begun = False
        self._results: list[SelfPlayResult] = []

    def begin(self, weights: State, tasks: list[SelfPlayTask]) -> None:
        """As :meth:`~.workers.JobWorkers.begin`; the games are at hand after the first time."""
        (task,) = tasks
        if not self._has_begun:
            if task.state:
                self._player.load_state(task.state)
            else:
                self._player.begin(task.seed)
            self._has_begun = True
        self._results = [self._player.play(weights, task.progress, task.simulations)]

    def finish(self) -> list[SelfPlayResult]:
        """As :meth:`~.workers.JobWorkers.finish`."""
        return self._results

    def close(self) -> None:
        """As :meth:`~.workers.JobWorkers.close`: nothing runs."""


# -- the number of games --


class Rate(NamedTuple):
    """The speed of self-play.

    Attributes:
        games: at once.
        simulations: per second.
        turns: per second.
    """

    games: int
    simulations: float
    turns: float


def with_games(
    game: Game,
    settings: AlphaZeroSettings,
    device: Device,
    out: Path,
    on_note: Callable[[str], None],
    fewest: int = FEWEST_GAMES,
) -> AlphaZeroSettings:
    """The settings with the games at once of the run in the folder, or of a trial if it is new.

    The trial decides how long a round is, too.
    """
    if settings.games.games:
        return settings
    begun = begun_settings(out, AlphaZeroSettings)
    if begun.get("games"):
        names = ("games", "simulations_per_update")
        return settings.replace(games=settings.games.replace(**{k: begun[k] for k in names}))
    rates: list[Rate] = []
    best = 0.0
    for rate in trial_of_games(game, settings, device, fewest):
        rates.append(rate)
        before, best = best, max(best, rate.simulations)
        if before >= ENOUGH * best:  # more games gain little
            break
    chosen = next(each for each in rates if each.simulations >= ENOUGH * best)
    on_note(f"{chosen.games:,} games at once, {chosen.simulations:,.0f} simulations/s in a trial")
    return settings.replace(
        games=settings.games.replace(
            games=chosen.games, simulations_per_update=simulations_of_update(settings, chosen)
        )
    )


def trial_of_games(
    game: Game, settings: AlphaZeroSettings, device: Device, fewest: int
) -> Iterator[Rate]:
    """The speed with so many games, twice as many, and so on, as long as there is memory.

    Raises:
        SpecificationError: there is not enough for the first.
    """
    most = max(settings.search.span)
    options = search_options(game, settings.search, 0.0)
    each, free = bytes_of_game(game, options, most, cache_of_game(most)), device.free_bytes()
    room = int(MEMORY_SHARE * free // each)
    if room < fewest:
        raise SpecificationError(
            f"{fewest} games of {game.name} need {fewest * each / 2**20:,.0f} MiB for their search "
            f"trees, and half of the free memory is {MEMORY_SHARE * free / 2**20:,.0f} MiB; "
            f"games={max(room, 1)} would do"
        )
    games = fewest
    while games <= room:
        tried = settings.replace(games=settings.games.replace(games=games))
        player = DeviceSelfPlayer(game, tried, device)
        yield player.rate(TRIAL_SECONDS)
        games *= 2


def simulations_of_update(settings: AlphaZeroSettings, rate: Rate) -> int:
    """The simulations between two updates: new weights come after seconds or some hundred steps."""
    search, full = settings.search, settings.search.span.first
    each = full + (1.0 - search.full_share) / search.full_share * search.fast_simulations
    samples = ROUND_STEPS * settings.learning.batch_size / settings.games.reuse
    in_time = ROUND_SECONDS * rate.turns * rate.games
    most = min(settings.games.simulations_per_update, in_time, samples * each)
    return max(int(most), rate.games * (max(search.span) + 1))
