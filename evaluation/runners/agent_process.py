"""A process that holds an agent: requests to it, with limits, progress and cancellation.

The other end is :mod:`~plyground.evaluation.runners.agent_worker`. A process can be given one agent
after another, for any games: starting it takes a second, a further agent milliseconds.
"""

from __future__ import annotations

import math
import pickle
import struct
import threading
import time
from collections.abc import Callable
from typing import Any

from ...agents import Decision
from ...envs.game import Game, Position
from ...envs.specification import SpecificationError
from ..match import CPU, NO_LIMITS, Limits
from ..players import CANCELLED, EXITED, HUNG, OUT_OF_MEMORY, Description, Fault
from .worker_process import WorkerDied, WorkerProcess

START_SECONDS = 600.0  # for importing, loading and compiling
LONGEST_MOVE_SECONDS = 600.0  # where no limit is set
GRACE_SECONDS = 1.0  # an answer that is late by no more is still read, and the process kept
WATCH_SECONDS = 0.1  # between two readings of the memory used

# before every request its number, which its answer repeats
NUMBER = struct.Struct("!Q")

Report = Callable[[Any], None]


class AgentProcess:
    """A process that holds an agent at a time. All requests raise Fault if the agent fails.

    Args:
        limits: what the process may use.
        pausing: whether the process, and those it has started, are stopped between requests.
    """

    def __init__(self, limits: Limits = NO_LIMITS, pausing: bool = False) -> None:
        self._limits, self._pausing = limits, pausing
        self._worker: WorkerProcess | None = None
        self._seated: tuple[str, Game] | None = None
        self._answering = False
        self._requests = 0
        self._cpu_began = 0.0  # the processor time before the request
        self._looked = 0.0  # when the memory was last looked at

    @property
    def pid(self) -> int | None:
        """The number of the process, or None if there is none."""
        return None if self._worker is None else self._worker.pid

    @property
    def seated(self) -> tuple[str, Game] | None:
        """The specification and the game of the agent that is ready, if there is one.

        None as well after an unanswered request, whose answer would be taken for that of the next.
        """
        return None if self._worker is None or self._answering else self._seated

    def start(self) -> None:
        """Start the process, if none runs; it loads what agents need while the caller goes on."""
        self._start()

    def seat(
        self, spec: str, game: Game, modules: tuple[str, ...] = (), anew: bool = False
    ) -> Description:
        """Make an agent for a game, in the running process or in a new one.

        Args:
            spec: the agent's specification.
            game: the game it will play.
            modules: modules of the user's own that register the game or the agent.
            anew: whether a new process is started in any case.

        Raises:
            SpecificationError: the agent cannot be made.
        """
        self._start(anew)
        self._seated = None
        message = pickle.dumps((modules, pickle.dumps(game), spec))
        description: Description = self._read(self._request(b"M" + message, START_SECONDS))
        self._seated = spec, game
        return description

    def prepare(self, seed: int) -> None:
        """Let the agent get ready for a game and reset it."""
        self.get_ready()
        self.reset(seed, START_SECONDS)

    def get_ready(self) -> None:
        """Let the agent load and compile for its game."""
        self._request(b"P", START_SECONDS)

    def reset(self, seed: int, allowed: float) -> None:
        """Reset the agent for a game, within ``allowed`` seconds."""
        self._request(b"Z%d" % seed, allowed)

    def processor_seconds(self) -> float:
        """The processor time that the process has used, with those it has started."""
        return 0.0 if self._worker is None else self._worker.processor_seconds()

    def tokens(self) -> int:
        """The tokens that a language model has used since its reset; 0 if the process has ended."""
        if self._worker is None:
            return 0
        return int(self._read(self._request(b"U", START_SECONDS), int))

    def choose(self, position: Position, allowed: float) -> int:
        """The agent's action, legal or not, within ``allowed`` seconds."""
        return int(self._read(self._request(b"A" + _packed(position), allowed), int))

    def decide(
        self,
        position: Position,
        allowed: float,
        report: Report | None = None,
        cancelled: threading.Event | None = None,
    ) -> Decision:
        """The agent's decision, whose action exists but need not be legal.

        Args:
            position: the position, of the game that the agent was made for.
            allowed: seconds after which the process is killed.
            report: called with the decision of each iteration that an iterative search completes.
            cancelled: once it is set, the decision ends with a Fault (``CANCELLED``). An agent that
                does not stop within a second loses its process.
        """
        kind = b"D" if report is None else b"R"
        answer = self._request(kind + _packed(position), allowed, report, cancelled)
        decision: Decision = self._read(answer)
        return decision

    def call(
        self,
        function: str,
        arguments: tuple[Any, ...],
        allowed: float,
        modules: tuple[str, ...] = (),
        report: Report | None = None,
        cancelled: threading.Event | None = None,
    ) -> Any:
        """The result of a function that is called in the process.

        Args:
            function: a function of this package, as MODULE:NAME. It is called with the arguments
                and, as the last one, a function that reports what is known so far. It reports None
                once it has compiled what it needs: only then its time begins to count, and only
                then it can be cancelled.
            arguments: what can be pickled.
            allowed: seconds after which the process is killed.
            modules: modules of the user's own that the arguments need.
            report: called with what the function reports.
            cancelled: as of :meth:`decide`.

        Raises:
            SpecificationError: as the function raises it.
        """
        self._start()
        message = pickle.dumps((modules, function, pickle.dumps(arguments)))
        answer = self._request(b"C" + message, START_SECONDS, report, cancelled, allowed)
        return self._read(answer)

    def _start(self, anew: bool = False) -> None:
        """Start the process, if there is none that can be used."""
        if anew or self._worker is None or self._answering:
            self.close()
            self._worker = WorkerProcess("plyground.evaluation.runners.agent_worker")

    def close(self) -> None:
        """End the process."""
        self._seated = None
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    def _request(
        self,
        message: bytes,
        allowed: float,
        report: Report | None = None,
        cancelled: threading.Event | None = None,
        once_ready: float | None = None,
    ) -> bytes:
        """The content of the answer to a request. Answers to other requests are dropped.

        With ``once_ready`` the time counts anew, and cancelling begins, when the worker is ready.
        """
        assert self._worker is not None
        self._answering = True
        self._requests += 1
        tag = NUMBER.pack(self._requests)
        began = time.perf_counter()
        self._cpu_began = self.processor_seconds() if self._limits.clock == CPU else 0.0
        try:
            if self._pausing:
                self._worker.proceed()
            self._worker.send(tag + message)
            while True:
                heard = cancelled if once_ready is None else None
                self._wait(self._worker, began, min(allowed, START_SECONDS), heard)
                answer = self._worker.receive()
                if answer[: NUMBER.size] != tag:
                    continue  # a process that the agent has forked may answer as well
                answer = answer[NUMBER.size :]
                if answer[:1] == b"T":
                    if once_ready is not None:
                        began, allowed, once_ready = time.perf_counter(), once_ready, None
                    continue
                if answer[:1] != b"R":
                    break
                if report is not None:
                    report(self._read(answer[1:]))
        except WorkerDied as death:
            self.close()
            raise Fault(EXITED, str(death)) from None
        except Fault:
            self.close()
            raise
        self._answering = False
        if self._pausing:
            self._worker.pause()
        kind, content = answer[:1], answer[1:]
        if kind == b"F":
            fault, _, what = content.decode().partition("\0")
            raise Fault(fault, what)
        if kind == b"S":
            raise SpecificationError(content.decode())
        return content

    def _read(self, content: bytes, read: Callable[[bytes], Any] = pickle.loads) -> Any:
        """What an answer says; Fault if it cannot be read, as when an agent has written it."""
        try:
            return read(content)
        except Exception:  # unpickling may raise anything
            self.close()
            raise Fault(EXITED, "sent an answer that cannot be read") from None

    def _wait(
        self,
        worker: WorkerProcess,
        began: float,
        allowed: float,
        cancelled: threading.Event | None,
    ) -> None:
        """Wait for the answer; Fault if it is late or the agent uses too much memory."""
        by_cpu = self._limits.clock == CPU and allowed < LONGEST_MOVE_SECONDS
        deadline = began + (LONGEST_MOVE_SECONDS if by_cpu else allowed) + GRACE_SECONDS
        limit = math.inf if self._limits.memory_bytes is None else self._limits.memory_bytes
        given_up = False
        while True:
            now = time.perf_counter()
            answered = worker.answered(min(deadline - now, WATCH_SECONDS))
            now = time.perf_counter()
            if limit < math.inf and now - self._looked >= WATCH_SECONDS:
                self._looked = now
                used = worker.memory()
                if used > limit:
                    used = worker.memory_in_proportion()
                if used > limit:
                    raise Fault(
                        OUT_OF_MEMORY, f"used {_gib(used)} of memory; {_gib(limit)} are allowed"
                    )
            if answered:
                return
            if by_cpu and self.processor_seconds() - self._cpu_began > allowed + GRACE_SECONDS:
                raise Fault(
                    HUNG, f"hung: no answer after {allowed + GRACE_SECONDS:.3g} s of processor time"
                )
            if cancelled is not None and cancelled.is_set():
                # again and again: a signal before the agent has begun is not noticed
                worker.interrupt()
                if not given_up:
                    given_up, deadline = True, min(deadline, now + GRACE_SECONDS)
            if now >= deadline:
                if given_up:
                    raise Fault(CANCELLED, "did not stop when it was told to")
                raise Fault(HUNG, f"hung: no answer after {now - began:.3g} s")


def _packed(position: Position) -> bytes:
    """A position as it is sent: its record and the moves that led to it."""
    return pickle.dumps(position.history())


def _gib(size: float) -> str:
    return f"{size / 2**30:.3g} GiB"
