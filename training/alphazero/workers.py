"""The chunks of self-play as jobs, for this process, other processes or other machines.

A chunk continues games from the state of the last one, with one network, for a number of
simulations. It depends on nothing else. So it is the same wherever it is played, and can be
repeated if a machine is lost.

If the network is on a GPU, so is the only chunk, see :mod:`.on_device`. Several chunks are played
by threads of this process, each two at once: it continues one while the GPU evaluates the leaves of
the other. The kernels run without the interpreter's lock, and all threads share one copy of the
network.
"""

from __future__ import annotations

import functools
import itertools
import threading
import time
from collections import deque
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple, Protocol

import numpy as np
import torch

from ...envs.compiled.sources import KERNEL_FOLDERS
from ...envs.game import Game
from ...envs.workers.jobs import LOCAL, Answer, JobPlace, Needs, Work
from ...envs.workers.processors import available_processors
from .evaluator import Evaluation, torch_network
from .self_play import SelfPlayer, SelfPlayResult, State
from .settings import CHUNKS_OF_THREAD, AlphaZeroSettings

CPU_TIME = "cpu_microseconds"
NETWORK_BYTES = "network_bytes"
FOLDERS, PACKAGES = (*KERNEL_FOLDERS, "training"), ("numpy", "numba", "torch")


class SelfPlayTask(NamedTuple):
    """A chunk to play.

    Attributes:
        seed: seed of its games, if they have not begun.
        state: state of its games after the last chunk; empty: they have not begun, or a device has
            them.
        progress: the completed share of the run.
        simulations: the approximate number of simulations.
    """

    seed: int
    state: State
    progress: float
    simulations: int


def open_workers(
    game: Game, settings: AlphaZeroSettings, device: torch.device, place: JobPlace
) -> Workers:
    """Threads if the network is on a GPU of this machine and no runner is set; else jobs.

    Raises:
        SpecificationError, RunnerError: as :meth:`~plyground.envs.workers.jobs.JobPlace.open`.
    """
    if not on_gpu_of_this_machine(device, place):
        return JobWorkers(game, settings, device, place)
    most = max(available_processors() - 1, 1)  # one is for the learner
    count = min(place.concurrency or most, -(-settings.games.workers // CHUNKS_OF_THREAD))
    return ThreadWorkers(game, settings, device, count)


def on_gpu_of_this_machine(device: torch.device, place: JobPlace) -> bool:
    """Whether self-play uses a GPU without a runner of jobs."""
    return device.type == "cuda" and place.runner is None and place.address is None


class Workers(Protocol):
    """What plays the chunks of an update."""

    def begin(self, weights: State, tasks: list[SelfPlayTask]) -> None:
        """Start these chunks with these weights."""

    def finish(self) -> list[SelfPlayResult]:
        """The results, in the order of the tasks.

        Raises:
            TrainingError: the network returned NaN or infinity.
            RunnerError: a chunk could not be played.
        """

    def close(self) -> None:
        """End."""


class JobWorkers:
    """Plays chunks as jobs, all with the same network.

    Args:
        game: the game.
        settings: the settings.
        device: where the network is evaluated.
        place: where the chunks are played.

    Raises:
        SpecificationError, RunnerError: as :meth:`~plyground.envs.workers.jobs.JobPlace.open`.
    """

    def __init__(
        self, game: Game, settings: AlphaZeroSettings, device: torch.device, place: JobPlace
    ) -> None:
        here = place.runner_of(settings.games.workers) == LOCAL
        prepare = functools.partial(_make_player, game, settings, device, None if here else 1)
        on_gpu = device.type == "cuda"
        needs = Needs((type(game.rules).__module__,), FOLDERS, PACKAGES, on_gpu)
        work = Work(_play if here else _play_elsewhere, prepare, needs)
        self._jobs = place.open(work, settings.games.workers)
        self._answers: list[Answer] = []

    def begin(self, weights: State, tasks: list[SelfPlayTask]) -> None:
        """Start these chunks with these weights."""
        # The learner will change them.
        network = self._jobs.share({name: value.cpu().clone() for name, value in weights.items()})
        self._answers = [self._jobs.submit(network, task) for task in tasks]

    def finish(self) -> list[SelfPlayResult]:
        """The results, in the order of the tasks.

        Raises:
            TrainingError: the network returned NaN or infinity.
            RunnerError: a chunk could not be played.
        """
        results: list[SelfPlayResult] = [answer.read() for answer in self._answers]
        self._answers = []
        results[0].counts[NETWORK_BYTES] = self._jobs.network_bytes
        self._jobs.network_bytes = 0
        return results

    def close(self) -> None:
        """Stop the workers."""
        self._jobs.close()


class _Stretch(NamedTuple):
    """A chunk played by a thread.

    Attributes:
        number: of its task.
        player: plays it.
        play: its :meth:`~.self_play.SelfPlayer.stretch`.
    """

    number: int
    player: SelfPlayer
    play: Generator[int, Evaluation | None, SelfPlayResult]


class ThreadWorkers:
    """Plays chunks in threads of this process, like :class:`JobWorkers`.

    Args:
        game: the game.
        settings: the settings.
        device: where the network is evaluated.
        count: of threads.
    """

    def __init__(
        self, game: Game, settings: AlphaZeroSettings, device: torch.device, count: int
    ) -> None:
        shared = torch_network(game, settings, device) if device.type == "cuda" else None
        self._players = [
            [SelfPlayer(game, settings, device, 0, shared) for _ in range(CHUNKS_OF_THREAD)]
            for _ in range(count)
        ]
        players = itertools.chain.from_iterable(self._players)
        self._networks = [shared] if shared else [player.evaluator for player in players]
        self._pool = ThreadPoolExecutor(count)
        self._ends = threading.Event()
        self._futures: list[Future[None]] = []
        self._results: dict[int, SelfPlayResult] = {}

    def begin(self, weights: State, tasks: list[SelfPlayTask]) -> None:
        """As :meth:`JobWorkers.begin`."""
        for network in self._networks:
            network.load(weights)
        self._results = {}
        queue = deque(enumerate(tasks))
        self._futures = [self._pool.submit(self._play, each, queue) for each in self._players]

    def _play(self, players: list[SelfPlayer], queue: deque[tuple[int, SelfPlayTask]]) -> None:
        """Play chunks of the queue until it is empty, as many at once as there are players."""
        idle, stretches = list(players), deque[_Stretch]()
        while not self._ends.is_set():
            if idle and (entry := _next_task(queue)):
                number, task = entry
                player, answer = idle.pop(), None
                _set_up(player, task)
                play = player.stretch(task.progress, task.simulations)
                stretch = _Stretch(number, player, play)
            elif stretches:
                stretch = stretches.popleft()
                answer = stretch.player.evaluator.finish()
            else:
                return
            player = stretch.player
            try:
                player.evaluator.begin(player.observations, stretch.play.send(answer))
                stretches.append(stretch)
            except StopIteration as end:
                self._results[stretch.number] = end.value
                idle.append(player)

    def finish(self) -> list[SelfPlayResult]:
        """As :meth:`JobWorkers.finish`."""
        for future in self._futures:
            future.result()
        return [self._results[number] for number in sorted(self._results)]

    def close(self) -> None:
        """As :meth:`JobWorkers.close`."""
        self._ends.set()
        self._pool.shutdown()


def _next_task(queue: deque[tuple[int, SelfPlayTask]]) -> tuple[int, SelfPlayTask] | None:
    """Take a task, if there is one left."""
    try:
        return queue.popleft()
    except IndexError:
        return None


def _set_up(player: SelfPlayer, task: SelfPlayTask) -> None:
    """Make a player continue the games of a task, or begin them."""
    if task.state:
        player.load_state(task.state)
    else:
        player.begin(task.seed)


def _make_player(
    game: Game, settings: AlphaZeroSettings, device: torch.device, threads: int | None
) -> SelfPlayer:
    if threads is not None:
        torch.set_num_threads(threads)
    if device.type == "cuda" and not torch.cuda.is_available():
        device = torch.device("cpu")  # on another machine, without a GPU
    return SelfPlayer(game, settings, device)


def _play(player: SelfPlayer, weights: State, task: SelfPlayTask) -> SelfPlayResult:
    _set_up(player, task)
    return player.play(weights, task.progress, task.simulations)


def _play_elsewhere(player: SelfPlayer, weights: State, task: SelfPlayTask) -> SelfPlayResult:
    """A chunk, with its CPU time in processes other than the learner's."""
    began = time.process_time()
    result = _play(player, weights, task)
    result.counts[CPU_TIME] = int(1e6 * (time.process_time() - began))
    return result


def seed_of(seed: int, number: int) -> int:
    """The seed of the games of a chunk by its number."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])
