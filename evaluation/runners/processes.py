"""Games on several processes of this machine.

The kernels compiled by one are found on disk by the others.
"""

from __future__ import annotations

import contextlib
from multiprocessing.connection import wait
from typing import Any

from ...envs.specification import SpecificationError
from ...envs.workers.errors import RunnerError
from ...envs.workers.jobs import PROCESSES
from ...envs.workers.process import WorkerDeath, WorkerProcess
from ...envs.workers.processors import available_processors
from .messages import Failure, Result, call_frame, read_answer
from .worker_pool import Death, Event, PoolRunner


class ProcessRunner(PoolRunner[WorkerProcess]):
    """Plays on worker processes, by default on as many as there are processors."""

    name = PROCESSES

    def _default_concurrency(self) -> int:
        return available_processors()

    def _start(self) -> WorkerProcess:
        return WorkerProcess("plyground.evaluation.runners.game_worker")

    def _call(self, process: WorkerProcess, method: str, argument: Any) -> None:
        with contextlib.suppress(OSError):  # it has died, which the next events tell
            process.connection.send_bytes(call_frame(0, method, argument))

    def _events(
        self, processes: list[WorkerProcess], seconds: float
    ) -> list[tuple[WorkerProcess, Event]]:
        by_connection: dict[Any, WorkerProcess] = {each.connection: each for each in processes}
        return [
            (by_connection[connection], self._event(by_connection[connection]))
            for connection in wait(list(by_connection), seconds)
        ]

    def _event(self, process: WorkerProcess) -> Event:
        try:
            answer = read_answer(process.receive())
        except WorkerDeath as death:
            return Death(str(death))
        if isinstance(answer, Failure):
            error = answer.error
            raise RunnerError(answer.text) if isinstance(error, SpecificationError) else error
        assert isinstance(answer, Result)
        event: Event = answer.value
        return event

    def _stop(self, process: WorkerProcess) -> None:
        process.kill()
