"""A process that runs an agent: calls to it, with limits, progress and cancellation.

The other end is :mod:`~plyground.evaluation.runners.agent_worker`. A process can run one agent
after another, for any games: starting it takes a second, another agent milliseconds.
"""

from __future__ import annotations

import contextlib
import math
import pickle
import threading
import time
from collections.abc import Callable
from typing import Any

from ...agents import Decision
from ...agents.faults import CANCELLED, EXITED, HUNG, OUT_OF_MEMORY, Fault
from ...envs.game import Game, Position
from ...envs.workers.error_output import ErrorOutput
from ...envs.workers.process import WorkerDeath, WorkerProcess
from ..conditions import CPU, USUAL, Conditions
from ..fingerprints import Description
from .agent_worker import NUMBER, Answer, Failure, Result

START_SECONDS = 600.0  # for importing, loading and compiling
LONGEST_MOVE_SECONDS = 600.0  # if no limit is set
GRACE_SECONDS = 1.0  # an answer at most this late is still read, and the process kept
WATCH_SECONDS = 0.1  # between two measurements of memory use

Report = Callable[[Any], None]


class AgentProcess:
    """A process that runs one agent at a time. All calls raise Fault if the agent fails.

    Args:
        conditions: the limits of the process.
        pausing: whether the process and its children are stopped between calls.
    """

    def __init__(self, conditions: Conditions = USUAL, pausing: bool = False) -> None:
        self._conditions, self._pausing = conditions, pausing
        self._worker: WorkerProcess | None = None
        self._errors = ErrorOutput()
        self._occupant: tuple[str, Game] | None = None
        self._answering = False
        self._calls = 0
        self._cpu_began = 0.0  # the processor time before the call
        self._looked = 0.0  # when the memory was last measured

    @property
    def pid(self) -> int | None:
        """The process ID, or None without a process."""
        return None if self._worker is None else self._worker.pid

    @property
    def occupant(self) -> tuple[str, Game] | None:
        """The specification and the game of the agent that is ready, if any.

        Also None after an unanswered call, whose answer would be mistaken for the next one's.
        """
        return None if self._worker is None or self._answering else self._occupant

    def start(self, anew: bool = False) -> None:
        """Start a process if there is no usable one, or in any case with ``anew``.

        It loads the agents' dependencies while the caller continues.
        """
        if anew or self._worker is None or self._answering:
            self.close()
            self._worker = WorkerProcess("plyground.evaluation.runners.agent_worker", self._errors)

    def make(
        self, spec: str, game: Game, modules: tuple[str, ...] = (), anew: bool = False
    ) -> Description:
        """Create an agent for a game, in the running process or in a new one.

        Args:
            spec: the agent's specification.
            game: the game it will play.
            modules: user modules that register the game or the agent.
            anew: whether to start a new process in any case.

        Raises:
            SpecificationError: the agent cannot be created.
        """
        self.start(anew)
        self._occupant = None
        description: Description = self._call("make", modules, pickle.dumps(game), spec)
        self._occupant = spec, game
        return description

    def get_ready(self) -> None:
        """Let the agent load and compile for its game."""
        self._call("get_ready")

    def reset(self, seed: int, seconds: float = START_SECONDS) -> None:
        """Reset the agent for a game within this number of seconds."""
        self._call("reset", seed, seconds=seconds)

    def processor_seconds(self) -> float:
        """The CPU time that the process and its children have used."""
        return 0.0 if self._worker is None else self._worker.processor_seconds()

    def tokens(self) -> int:
        """The tokens that a language model has used since its reset; 0 if the process has ended."""
        if self._worker is None:
            return 0
        return int(self._call("tokens"))

    def choose(self, position: Position, seconds: float) -> int:
        """The agent's action, legal or not, within this number of seconds."""
        return int(self._call("choose", *position.history(), seconds=seconds))

    def decide(
        self,
        position: Position,
        seconds: float,
        report: Report | None = None,
        cancel: threading.Event | None = None,
    ) -> Decision:
        """The agent's decision; its action exists but may be illegal.

        Args:
            position: a position of the game that the agent was created for.
            seconds: time limit, after which the process is killed.
            report: called with the decision of each completed iteration of an iterative search.
            cancel: setting it ends the decision with a Fault (``CANCELLED``). If the agent does not
                stop within a second, its process is killed.
        """
        arguments = (*position.history(), report is not None)
        decision: Decision = self._call(
            "decide", *arguments, seconds=seconds, report=report, cancel=cancel
        )
        return decision

    def call(
        self,
        function: str,
        arguments: tuple[Any, ...],
        seconds: float,
        modules: tuple[str, ...] = (),
        report: Report | None = None,
        cancel: threading.Event | None = None,
    ) -> Any:
        """The result of a function that is called in the process.

        Args:
            function: a function of this package, as MODULE:NAME. It is called with the arguments
                and, last, a function that reports intermediate results. It reports None once
                compilation is done: only then does its time start, and only then can it be
                cancelled.
            arguments: picklable arguments.
            seconds: time limit, after which the process is killed.
            modules: user modules that the arguments need.
            report: called with what the function reports, including None.
            cancel: as in :meth:`decide`.

        Raises:
            SpecificationError: raised by the function.
        """
        self.start()
        return self._call(
            *("call", modules, function, pickle.dumps(arguments)),
            report=report,
            cancel=cancel,
            seconds_once_started=seconds,
        )

    def release_compiler(self, most_bytes: int) -> None:
        """Restart if the process has just compiled kernels and uses more memory than this.

        Just: since the last call of this method. The compiler's memory is not freed otherwise. The
        machine code is on disk.
        """
        if self._worker is None or self._answering:
            return
        with contextlib.suppress(Fault):
            compiled = self._call("has_compiled", seconds=GRACE_SECONDS)
            if compiled and self._worker.memory(proportional=True) > most_bytes:
                self.start(anew=True)

    def close(self) -> None:
        """End the process."""
        self._occupant = None
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    def _call(
        self,
        method: str,
        *arguments: Any,
        seconds: float = START_SECONDS,
        report: Report | None = None,
        cancel: threading.Event | None = None,
        seconds_once_started: float | None = None,
    ) -> Any:
        """The result of a method of the worker. Answers to other calls are dropped.

        With ``seconds_once_started`` the time restarts, and cancelling becomes possible, when the
        worker reports that it has started.
        """
        assert self._worker is not None
        worker = self._worker
        self._answering = True
        self._calls += 1
        began = time.perf_counter()
        self._cpu_began = self.processor_seconds() if self._conditions.clock == CPU else 0.0
        try:
            if self._pausing:
                worker.resume()
            worker.send(NUMBER.pack(self._calls) + pickle.dumps((method, arguments)))
            while True:
                stop = cancel if seconds_once_started is None else None
                self._wait(worker, began, min(seconds, START_SECONDS), stop)
                frame = worker.receive()
                if frame[: NUMBER.size] != NUMBER.pack(self._calls):
                    continue  # a process forked by the agent may answer too
                answer = _answer_in(frame)
                if isinstance(answer, (Result, Failure)):
                    break
                if answer.value is None and seconds_once_started is not None:
                    began, seconds = time.perf_counter(), seconds_once_started
                    seconds_once_started = None
                if report is not None:
                    report(answer.value)
        except WorkerDeath as death:
            self.close()
            raise Fault(EXITED, str(death)) from None
        except Fault:
            self.close()
            raise
        self._answering = False
        if self._pausing:
            worker.pause()
        if isinstance(answer, Failure):
            raise answer.error
        return answer.value

    def _wait(
        self,
        worker: WorkerProcess,
        began: float,
        seconds: float,
        cancel: threading.Event | None,
    ) -> None:
        """Wait for the answer; Fault if it is late or the agent uses too much memory."""
        by_cpu = self._conditions.clock == CPU and seconds < LONGEST_MOVE_SECONDS
        deadline = began + (LONGEST_MOVE_SECONDS if by_cpu else seconds) + GRACE_SECONDS
        limit = self._conditions.memory_bytes
        cancelling = False
        while True:
            now = time.perf_counter()
            message_is_there = worker.wait_for_message(min(deadline - now, WATCH_SECONDS))
            now = time.perf_counter()
            if limit < math.inf and now - self._looked >= WATCH_SECONDS:
                self._looked = now
                used = worker.memory()
                if used > limit:
                    used = worker.memory(proportional=True)
                if used > limit:
                    raise Fault(
                        OUT_OF_MEMORY, f"used {_gib(used)} of memory; {_gib(limit)} are allowed"
                    )
            if message_is_there:
                return
            if by_cpu and self.processor_seconds() - self._cpu_began > seconds + GRACE_SECONDS:
                raise Fault(
                    HUNG, f"hung: no answer after {seconds + GRACE_SECONDS:.3g} s of processor time"
                )
            if cancel is not None and cancel.is_set():
                # repeatedly: a signal before the agent has begun is not noticed
                worker.interrupt()
                if not cancelling:
                    cancelling, deadline = True, min(deadline, now + GRACE_SECONDS)
            if now >= deadline:
                if cancelling:
                    raise Fault(CANCELLED, "did not stop when it was told to")
                raise Fault(HUNG, f"hung: no answer after {now - began:.3g} s")


def _answer_in(frame: bytes) -> Answer:
    """The answer in a frame; Fault if it is unreadable, for example written by the agent."""
    with contextlib.suppress(Exception):  # unpickling may raise anything
        answer = pickle.loads(frame[NUMBER.size :])
        if isinstance(answer, Answer):
            return answer
    raise Fault(EXITED, "sent an answer that cannot be read")


def _gib(size: float) -> str:
    return f"{size / 2**30:.3g} GiB"
