"""Games on several processes of this machine.

The kernels compiled by one are found on disk by the others.
"""

from __future__ import annotations

import pickle
from multiprocessing.connection import wait
from typing import Any

from ...envs.processors import available_processors
from ...envs.specification import SpecificationError
from .game_worker import Chunk
from .runner import RunnerError
from .worker_pool import (
    Death,
    Event,
    PoolRunner,
    Worker,
)
from .worker_process import WorkerDied, WorkerProcess


class ProcessWorker(Worker):
    """A process that plays games."""

    def __init__(self) -> None:
        super().__init__()
        self._process = WorkerProcess("plyground.evaluation.runners.game_worker")
        self.connection = self._process.connection
        self.death: Death | None = None

    def send(self, message: bytes) -> None:
        """Send a message; if it cannot be delivered, the worker has died."""
        try:
            self._process.send(message)
        except WorkerDied as death:
            self.death = Death(str(death))

    def event(self) -> Event:
        """The next event of the worker; RunnerError if it refuses to play."""
        try:
            event: Event | SpecificationError = pickle.loads(self._process.receive())
        except WorkerDied as death:
            return Death(str(death))
        if isinstance(event, SpecificationError):
            raise RunnerError(str(event))
        return event

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()


class ProcessRunner(PoolRunner[ProcessWorker]):
    """Plays on worker processes.

    Args:
        concurrency: how many; by default as many as there are processors.
    """

    def __init__(self, concurrency: int | None = None) -> None:
        super().__init__()
        if concurrency is not None and concurrency < 1:
            raise SpecificationError(f"games are played 1 or more at a time, not {concurrency}")
        self._concurrency = concurrency

    def _worker_count(self) -> int:
        return self._concurrency or available_processors()

    def _start(self, message: bytes) -> ProcessWorker:
        worker = ProcessWorker()
        worker.send(message)
        return worker

    def _send(self, worker: ProcessWorker, chunk: Chunk) -> None:
        worker.send(pickle.dumps(chunk))

    def _events(
        self, workers: list[ProcessWorker], seconds: float
    ) -> list[tuple[ProcessWorker, Event]]:
        dead: list[tuple[ProcessWorker, Event]] = [
            (worker, worker.death) for worker in workers if worker.death is not None
        ]
        if dead:
            return dead
        by_connection: dict[Any, ProcessWorker] = {worker.connection: worker for worker in workers}
        return [
            (by_connection[connection], by_connection[connection].event())
            for connection in wait(list(by_connection), seconds)
        ]

    def _stop(self, worker: ProcessWorker) -> None:
        worker.end()
