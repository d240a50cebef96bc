"""AlphaZero as a training run: self-play, replay window, learner.

With one worker, an update is self-play and then learning. With several, they play while this
process learns from what was played before, is measured or writes checkpoints. Both are exactly
repeatable, wherever the chunks are played.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from ...agents.policies.compiled.tile import FUSES
from ...envs.game import Game
from ...envs.workers.jobs import HERE, JobPlace
from ..folder import TrainingError, begun_settings
from ..run import TrainingRun
from .evaluator import open_predecessor, trial_of_precisions
from .learner import AlphaZeroLearner
from .self_play import SelfPlayResult, State, check_solved_plies
from .settings import AUTO, AlphaZeroSettings
from .window import WindowFolder
from .workers import (
    CPU_TIME,
    NETWORK_BYTES,
    SelfPlayTask,
    Workers,
    on_gpu_of_this_machine,
    open_workers,
    seed_of,
)

if TYPE_CHECKING:
    from ...envs.compiled.cuda.devices import Device

KIND = "alphazero"
FIRST_MINIBATCHES = 4  # of different positions, before the first step
COUNTS = ("simulations", "evaluations", "games", "plies", "wins", "draws")


def train(
    game: Game,
    settings: AlphaZeroSettings,
    seed: int,
    out: Path,
    facts: dict[str, Any],
    device: torch.device,
    place: JobPlace = HERE,
    *,
    trees: Device | None = None,
    on_note: Callable[[str], None] = lambda note: None,
    **options: Any,
) -> TrainingRun:
    """Start or resume an AlphaZero run and finish it.

    The network learns on ``device``; self-play is on ``trees``, by default a GPU that is ``device``
    if there is one worker, or in ``place``. The rest is as for
    :class:`~plyground.training.TrainingRun`. Invalid settings are refused first.
    """
    predecessor = open_predecessor(game, settings)
    check_solved_plies(game, settings.search)
    place.runner_of(settings.games.workers)
    trees = trees or _trees_of(settings, device, place)
    settings = _choose(game, settings, out, device, trees, on_note)
    several = settings.games.workers > 1
    with TrainingRun(game, settings, seed, out, facts, on_note=on_note, **options) as run:
        learner = AlphaZeroLearner(game, settings, seed, device)
        version = predecessor.version if predecessor else ""
        state = AlphaZero(settings, seed, learner, WindowFolder(out / "window", device), version)
        exporter = learner.exporter(KIND)
        with closing(_open_workers(game, settings, device, place, trees)) as workers:
            run.resume(state)
            while run.goes_on():
                began, cpu_began = time.monotonic(), time.process_time()
                # 1. Self-play by the averaged weights.
                if not several:
                    state.progress_of_games = run.progress
                state.begin_self_play(workers)
                losses = state.learn(run.progress) if several else {}
                waits = time.monotonic()
                results = workers.finish()
                ended = time.monotonic()
                times = {"time/playing": ended - state.began, "time/waiting": ended - waits}
                state.take_games(results)
                if several:  # the next chunks, during all of the following
                    state.progress_of_games = run.progress
                    state.begin_self_play(workers)
                # 2. The window and learning from it.
                state.add_samples(results)
                if not several:
                    losses = state.learn(run.progress)
                # 3. Curves, measurements, checkpoints.
                values = state.statistics(results, times["time/playing"], run.progress)
                values |= losses | times
                values["time/update"] = time.monotonic() - began
                cpu_seconds = time.process_time() - cpu_began + values["time/other_cpu_seconds"]
                run.log(values | {"time/cores": cpu_seconds / values["time/update"]})
                run.measure(exporter.write)
                run.save()
    return run


def _trees_of(settings: AlphaZeroSettings, device: torch.device, place: JobPlace) -> Device | None:
    """The GPU on which self-play is, if there is one, and one worker."""
    if settings.games.workers > 1 or not on_gpu_of_this_machine(device, place):
        return None
    from .on_device import open_trees  # only here: on a processor it would lengthen the start

    return open_trees(str(device))


def _open_workers(
    game: Game,
    settings: AlphaZeroSettings,
    device: torch.device,
    place: JobPlace,
    trees: Device | None,
) -> Workers:
    if trees is None:
        return open_workers(game, settings, device, place)
    from .on_device import DeviceWorkers

    return DeviceWorkers(game, settings, trees)


def _choose(
    game: Game,
    settings: AlphaZeroSettings,
    out: Path,
    device: torch.device,
    trees: Device | None,
    on_note: Callable[[str], None],
) -> AlphaZeroSettings:
    """The settings with what trials choose: those of the run in the folder, or of a new run."""
    if trees is not None:
        from .on_device import with_games

        return with_games(game, settings, trees, out, on_note)
    if not settings.games.games:
        settings = settings.replace(games=settings.games.as_usual())
    is_fixed = settings.precision != AUTO or settings.games.predecessor
    if is_fixed or device.type != "cpu" or not FUSES:
        return settings
    precision = begun_settings(out, AlphaZeroSettings).get("precision")
    if precision is None:
        trial = trial_of_precisions(game, settings)
        on_note(f"self-play in {trial}")
        precision = trial.precision
    return settings.replace(precision=precision)


class AlphaZero:
    """The state for a checkpoint: weights, window, games in progress, counts.

    Args:
        settings, seed: settings and seed of the run.
        learner, window: the network, and the replay window with its files.
        predecessor: the version of the network that plays instead; empty: it plays itself.

    Attributes:
        progress_of_games: the completed share of the run when the present playing weights were
            learnt.
        began: when the present chunks were started.
    """

    stage = "itself"

    def __init__(
        self,
        settings: AlphaZeroSettings,
        seed: int,
        learner: AlphaZeroLearner,
        window: WindowFolder,
        predecessor: str = "",
    ) -> None:
        self.settings: AlphaZeroSettings = settings
        self.learner: AlphaZeroLearner = learner
        self.window: WindowFolder = window
        self.progress_of_games: float = 0.0
        self.began: float = 0.0
        self._predecessor = predecessor
        self._is_playing = False
        self._seeds = [seed_of(seed, number) for number in range(settings.games.workers)]
        self._games: list[State | Callable[[], State]] = [{} for _ in self._seeds]
        self._totals = {"plies": 0, "games": 0, "samples": 0, "simulations": 0, "updates": 0}
        self._new_samples = 0

    @property
    def step(self) -> int:
        """Actions of finished games of self-play."""
        return self._totals["plies"]

    @property
    def updates(self) -> int:
        """The number of minibatches so far."""
        return self.learner.updates

    def begin_self_play(self, workers: Workers) -> None:
        """Start chunks with the averaged weights, unless they are running already."""
        if self._is_playing:
            return
        self._is_playing, self.began = True, time.monotonic()
        simulations = self.settings.simulations_of_round(self._totals["updates"])
        share = -(-simulations // len(self._seeds))
        tasks = [
            SelfPlayTask(seed, {} if callable(games) else games, self.progress_of_games, share)
            for seed, games in zip(self._seeds, self._games)
        ]
        workers.begin(self.learner.weights(), tasks)

    def take_games(self, results: list[SelfPlayResult]) -> None:
        """Continue from these games when their chunks are finished."""
        self._is_playing = False
        self._games = [result.state for result in results]
        self._totals["updates"] += 1

    def add_samples(self, results: list[SelfPlayResult]) -> None:
        """Add the new samples to the window."""
        totals = self._totals
        for number, result in enumerate(results):
            for name in ("plies", "games", "simulations"):
                totals[name] += result.counts[name]
            fresh = len(result.chunk.keys)
            totals["samples"] += fresh
            self._new_samples += fresh
            if fresh == 0:
                continue
            most = self.settings.games.window_size(totals["samples"])
            self.window.add(f"{totals['updates']:07d}_{number}.chunk", result.chunk, most)

    def learn(self, progress: float) -> dict[str, float]:
        """Learn from the window, in proportion to its new samples.

        The first steps wait for some minibatches of different positions. The smallest boards have
        fewer; there they wait for more samples.
        """
        if self._new_samples == 0:
            return {}
        positions, learning = self.window.positions(), self.settings.learning
        least = FIRST_MINIBATCHES * learning.batch_size
        if len(positions.counts) < least and self._totals["samples"] < 4 * least:
            return {}
        samples = self.settings.games.reuse * self._new_samples
        batches = max(1, math.ceil(samples / learning.batch_size))
        self._new_samples = 0
        began = time.monotonic()
        losses = self.learner.learn([positions], batches, progress)
        return losses | {
            "learner/positions": float(len(positions.counts)),
            "learner/batches": float(batches),
            "learner/rate": self.learner.rate,
            "learner/seconds": time.monotonic() - began,
        }

    def statistics(
        self, results: list[SelfPlayResult], playing: float, progress: float
    ) -> dict[str, float]:
        """The values to log about self-play, which took this number of seconds."""
        counts = {
            name: sum(result.counts.get(name, 0) for result in results)
            for name in (*COUNTS, CPU_TIME, NETWORK_BYTES)
        }
        games = max(counts["games"], 1)
        network = {"self_play/network_bytes": float(counts[NETWORK_BYTES])}
        rates = ("simulations", "evaluations", "games")
        totals = ("games", "samples", "simulations")
        return (network if counts[NETWORK_BYTES] else {}) | {
            **{f"self_play/{name}_per_second": counts[name] / playing for name in rates},
            "self_play/mean_length": counts["plies"] / games,
            "self_play/first_player_score": (counts["wins"] + counts["draws"] / 2) / games,
            "self_play/draws": counts["draws"] / games,
            "self_play/full_simulations": float(self.settings.search.full_simulations(progress)),
            **{f"total/{name}": float(self._totals[name]) for name in totals},
            "total/window": float(len(self.window)),
            "time/other_cpu_seconds": counts[CPU_TIME] / 1e6,
        }

    def state(self) -> dict[str, Any]:
        """The state for a checkpoint; the window's samples are in separate files."""
        return {
            "learner": self.learner.state(),
            "games": [games() if callable(games) else games for games in self._games],
            "totals": dict(self._totals),
            "new_samples": self._new_samples,
            **self.window.state(),
            "progress_of_games": self.progress_of_games,
            "predecessor": self._predecessor,
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore :meth:`state`.

        Raises:
            TrainingError: a file of the replay window is missing or damaged, or the predecessor has
                changed.
        """
        if state.get("predecessor", "") != self._predecessor:
            raise TrainingError(
                f"predecessor={self.settings.games.predecessor} has changed since the run began"
            )
        self.learner.load_state(state["learner"])
        self._totals, self._new_samples = dict(state["totals"]), state["new_samples"]
        self._games, self.progress_of_games = state["games"], state["progress_of_games"]
        self.window.load_state(state)
