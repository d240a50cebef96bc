"""Who plays the chunks of self-play: this process, processes of this machine, a Ray cluster.

A chunk goes on with games from the state in which the last one left them, with one network, for so
many simulations. It depends on nothing else. So it is the same whoever plays it, and can be played
again where a machine was lost.

Source: the Ray documentation, "Tasks" and "Object fault tolerance".
"""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import pickle
import signal
import sys
import time
import traceback
import zlib
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch

from ...envs import __version__
from ...envs.game import Game
from ...envs.loading.cluster import Cluster, difference, first_line, last_line, versions_here
from ...envs.loading.interruption import SIGNALS
from ...envs.registry import import_modules, make_game
from ...envs.specification import SpecificationError
from ..folder import TrainingError
from .self_play import SelfPlayer, SelfPlayResult
from .settings import AlphaZeroSettings

CPU_TIME = "cpu_microseconds"
NETWORK_BYTES = "network_bytes"
LOCAL, PROCESSES, RAY = RUNNERS = ("local", "processes", "ray")

State = dict[str, torch.Tensor]


class Task(NamedTuple):
    """A chunk that is to be played.

    Attributes:
        seed: of its games, if they have not begun.
        state: of its games, as the last chunk left them; empty: they have not begun.
        progress: the share of the run that is done.
        simulations: how many, about.
    """

    seed: int
    state: State
    progress: float
    simulations: int


class Place(NamedTuple):
    """Where self-play takes place.

    Attributes:
        runner: one of :data:`RUNNERS`; None: this process if there is one chunk at a time, or else
            processes.
        address: of the Ray cluster, as :class:`~plyground.envs.loading.cluster.Cluster` has it.
        concurrency: processes, or processors of a cluster that is started on this machine; by
            default one for each chunk.
    """

    runner: str | None = None
    address: str | None = None
    concurrency: int | None = None

    def runner_of(self, settings: AlphaZeroSettings) -> str:
        """The name of the runner for these settings.

        Raises:
            SpecificationError: there is no such runner, or it has no address.
        """
        usual = RAY if self.address else LOCAL if settings.workers == 1 else PROCESSES
        runner = self.runner or usual
        if runner not in RUNNERS:
            raise SpecificationError(f"there is no runner {runner!r} ({', '.join(RUNNERS)})")
        if self.address and runner != RAY:
            raise SpecificationError("only --runner ray has an --address")
        return runner

    def open(self, game: Game, settings: AlphaZeroSettings, device: torch.device) -> Workers:
        """Those who play.

        Raises:
            SpecificationError: as :meth:`runner_of`, or Ray is not installed.
            TrainingError: there is no cluster at this address.
        """
        runner = self.runner_of(settings)
        if runner == LOCAL:
            return LocalWorkers(game, settings, device)
        if runner == PROCESSES:
            count = min(self.concurrency or settings.workers, settings.workers)
            return ProcessWorkers(game, settings, device, count)
        return RayWorkers(game, settings, Cluster(self.address, self.concurrency))


ANYWHERE = Place()


class Workers(Protocol):
    """Plays chunks, all with the same network."""

    def begin(self, weights: State, tasks: list[Task]) -> None:
        """Let these chunks be played with these weights."""

    def finish(self) -> list[SelfPlayResult]:
        """What was played, in the order of the tasks.

        Raises:
            TrainingError: a chunk could not be played.
        """

    def close(self) -> None:
        """End what was started."""


class LocalWorkers:
    """This process plays the chunks one after the other, when their results are asked for."""

    def __init__(self, game: Game, settings: AlphaZeroSettings, device: torch.device) -> None:
        self._player = SelfPlayer(game, settings, device)
        self._weights: State = {}
        self._tasks: list[Task] = []

    def begin(self, weights: State, tasks: list[Task]) -> None:
        # The learner goes on to change the weights.
        self._weights = {name: value.clone() for name, value in weights.items()}
        self._tasks = tasks

    def finish(self) -> list[SelfPlayResult]:
        return [_play(self._player, self._weights, task) for task in self._tasks]

    def close(self) -> None:
        """Nothing was started."""


class ProcessWorkers:
    """Processes of this machine play the chunks."""

    def __init__(
        self, game: Game, settings: AlphaZeroSettings, device: torch.device, count: int
    ) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipes: list[Any] = []
        self._processes: list[Any] = []
        for _ in range(count):
            ours, theirs = context.Pipe()
            arguments = (theirs, game.spec, settings, str(device))
            process = context.Process(target=_serve, args=arguments, daemon=True)
            process.start()
            theirs.close()
            self._pipes.append(ours)
            self._processes.append(process)

    def begin(self, weights: State, tasks: list[Task]) -> None:
        for number, pipe in enumerate(self._pipes):
            pipe.send_bytes(pickle.dumps((weights, tasks[number :: len(self._pipes)])))

    def finish(self) -> list[SelfPlayResult]:
        parts = [_receive(pipe) for pipe in self._pipes]
        rounds = max(map(len, parts))
        return [part[number] for number in range(rounds) for part in parts if number < len(part)]

    def close(self) -> None:
        for pipe in self._pipes:
            pipe.close()
        for process in self._processes:
            process.join(1.0)
            if process.is_alive():
                process.kill()
                process.join()


def _receive(pipe: Any) -> list[SelfPlayResult]:
    try:
        answer = pickle.loads(pipe.recv_bytes())
    except (EOFError, OSError):
        raise TrainingError("a process of self-play has ended without an answer") from None
    if isinstance(answer, str):
        raise TrainingError(f"a process of self-play failed: {answer}")
    results: list[SelfPlayResult] = answer
    return results


def _serve(pipe: Any, game: str, settings: AlphaZeroSettings, device: str) -> None:
    """The life of a process: it ends when the other end of the pipe is closed."""
    for number in SIGNALS:  # they are the main process's to handle
        signal.signal(number, lambda *_: None)
    torch.set_num_threads(1)
    with contextlib.suppress(EOFError, OSError, BrokenPipeError):
        try:
            player = SelfPlayer(make_game(game), settings, torch.device(device))
            while True:
                weights, tasks = pickle.loads(pipe.recv_bytes())
                pipe.send_bytes(pickle.dumps([_timed(player, weights, task) for task in tasks]))
        except (EOFError, OSError):
            raise
        except TrainingError as error:
            pipe.send_bytes(pickle.dumps(str(error)))
        except Exception:
            pipe.send_bytes(pickle.dumps(traceback.format_exc(limit=-3)))


def _play(player: SelfPlayer, weights: State, task: Task) -> SelfPlayResult:
    if task.state:
        player.load_state(task.state)
    else:
        player.begin(task.seed)
    return player.play(weights, task.progress, task.simulations)


def _timed(player: SelfPlayer, weights: State, task: Task) -> SelfPlayResult:
    """A chunk, with the processor time that it took another process than the learner's."""
    began = time.process_time()
    result = _play(player, weights, task)
    result.counts[CPU_TIME] = int(1e6 * (time.process_time() - began))
    return result


class RayWorkers:
    """Tasks on a Ray cluster play the chunks; Ray runs those of a lost machine again."""

    def __init__(self, game: Game, settings: AlphaZeroSettings, cluster: Cluster) -> None:
        self._cluster, self._ray = cluster, cluster.ray
        try:
            cluster.connect()
        except ConnectionError as error:
            raise TrainingError(str(error)) from None
        module = type(game.rules).__module__
        self._run: bytes = pickle.dumps((module, str(Path.cwd()), game.spec, settings, _versions()))
        self._answers: list[Any] = []
        self._sent = 0
        # Machine code is compiled on every machine before the time of the run begins.
        self._results([self._remote(node).remote(self._run, b"", b"") for node in self._nodes()])

    def _nodes(self) -> list[str]:
        return [
            node["NodeID"]
            for node in self._ray.nodes()
            if node["Alive"] and node["Resources"].get("CPU", 0) >= 1
        ]

    def _remote(self, node: str | None = None) -> Any:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        strategy = NodeAffinitySchedulingStrategy(node, soft=True) if node else "SPREAD"
        return self._ray.remote(_play_on_cluster).options(
            num_cpus=1, max_retries=-1, scheduling_strategy=strategy
        )

    def begin(self, weights: State, tasks: list[Task]) -> None:
        network = _pack(weights)
        packages = [_pack(task) for task in tasks]
        self._sent = len(tasks) * (len(network) + len(self._run)) + sum(map(len, packages))
        network_reference = self._ray.put(network)
        remote = self._remote()
        self._answers = [remote.remote(self._run, network_reference, each) for each in packages]

    def finish(self) -> list[SelfPlayResult]:
        packages = self._results(self._answers)
        self._answers = []
        results: list[SelfPlayResult] = [_unpack(package) for package in packages]
        results[0].counts[NETWORK_BYTES] = self._sent + sum(map(len, packages))
        return results

    def _results(self, answers: list[Any]) -> list[bytes]:
        try:
            results: list[bytes] = self._ray.get(answers)
        except self._ray.exceptions.RayTaskError as error:
            cause = error.cause
            expected = isinstance(cause, (TrainingError, SpecificationError))
            text = str(cause) if expected else last_line(error)
            raise TrainingError(f"self-play on the Ray cluster failed: {text}") from None
        except self._ray.exceptions.RayError as error:
            raise TrainingError(f"the Ray cluster failed: {first_line(error)}") from None
        return results

    def close(self) -> None:
        for answer in self._answers:
            self._ray.cancel(answer, force=True)
        self._cluster.close()


def _play_on_cluster(run: bytes, network: bytes, task: bytes) -> bytes:
    """Play a chunk of a run; without a task, only get ready for it."""
    player = _player_of(run)
    return _pack(_timed(player, _unpack(network), _unpack(task))) if task else b""


@functools.lru_cache(maxsize=1)
def _player_of(run: bytes) -> SelfPlayer:
    """The player of a run in this process, kept for its later chunks.

    Raises:
        SpecificationError: versions here differ from those where the run was started.
    """
    module, folder, game, settings, versions = pickle.loads(run)
    differs = difference(_versions(), versions)
    if differs:
        raise SpecificationError(differs)
    if folder not in sys.path:
        sys.path.append(folder)
    import_modules([module])
    torch.set_num_threads(1)
    return SelfPlayer(make_game(game), settings, torch.device("cpu"))


def _versions() -> dict[str, str]:
    return {**versions_here(__version__, "envs", "agents", "training"), "torch": torch.__version__}


def _pack(value: Any) -> bytes:
    return zlib.compress(pickle.dumps(value), 1)


def _unpack(package: bytes) -> Any:
    return pickle.loads(zlib.decompress(package))


def seed_of(seed: int, number: int) -> int:
    """The seed of the games of a chunk by its number."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])
