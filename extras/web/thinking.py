"""The search processes and their queue."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Protocol

from ...agents import Decision
from ...agents.faults import (
    CANCELLED,
    HUNG,
    OUT_OF_MEMORY,
    RAISED,
    Fault,
    legal_action,
)
from ...agents.registry import modules_of
from ...envs.game import Game, Position
from ...envs.specification import SpecificationError, plain_text
from ...evaluation.runners.agent_process import AgentProcess
from .errors import Refusal, sentence
from .sessions import Session
from .settings import MOST_AFTER_COMPILING, ServerSettings
from .turns import SearchTurns

SEEDS = 2**31
SHORT_SECONDS = 1.1  # limit of a search in the process for short ones
MOST_LONG = 1_000  # agents whose last search was too long for it
STOPPED = "stopped"  # the refusal code of a stopped search
# Faults that a retry would repeat, and faults that are not the agent's.
LIMITS = (CANCELLED, HUNG, OUT_OF_MEMORY)

log: logging.Logger = logging.getLogger(__name__)

Report = Callable[[Any], None]
# Reported besides progress: the process loads and compiles; it is ready.
PREPARING, READY = object(), None


class Job(Protocol):
    """A job for a search process.

    Attributes:
        what: its name in messages about its failure.
        game: its game.
    """

    @property
    def what(self) -> str: ...

    @property
    def game(self) -> Game: ...

    def run(
        self, process: AgentProcess, seconds: float, report: Report, cancel: threading.Event
    ) -> Any:
        """Do it in a process; raises Fault, SpecificationError."""


class Decide(NamedTuple):
    """A decision of an agent.

    Attributes:
        what: the agent's specification, within the limits.
        position: the position, which is not over.
        plies: the number of moves played before.
        seed: the agent's seed in this game.
    """

    what: str
    position: Position
    plies: int = 0
    seed: int = 0

    @property
    def game(self) -> Game:
        """The game of the position."""
        return self.position.game

    def run(
        self, process: AgentProcess, seconds: float, report: Report, cancel: threading.Event
    ) -> Decision:
        """The agent's decision; the process keeps the agent for the next one."""
        if process.occupant != (self.what, self.game):
            report(PREPARING)
            process.make(self.what, self.game, modules_of(self.what, self.game))
        process.get_ready()
        process.reset((self.seed * 1_000_003 + self.plies) % SEEDS)
        report(READY)
        decision = process.decide(self.position, seconds, report, cancel)
        legal_action(decision.action, self.position)
        return decision


class Call(NamedTuple):
    """A function called in a process; see :meth:`AgentProcess.call`.

    Attributes:
        what: its name in messages, or the key of the message that names it.
        game: the game that it is about.
        function: the function, as MODULE:NAME.
        arguments: its arguments.
        seconds: its time limit.
    """

    what: str
    game: Game
    function: str
    arguments: tuple[Any, ...]
    seconds: float

    def run(
        self, process: AgentProcess, seconds: float, report: Report, cancel: threading.Event
    ) -> Any:
        """The function's result."""
        report(PREPARING)
        modules = (type(self.game.rules).__module__,)
        return process.call(self.function, self.arguments, self.seconds, modules, report, cancel)


class Thinkers:
    """A fixed number of processes. Searches wait for their turn: see :mod:`.turns`.

    Args:
        settings: their number and limits.
        first: one that runs already.
    """

    def __init__(self, settings: ServerSettings, first: AgentProcess | None = None) -> None:
        self._settings = settings
        self._all = [AgentProcess(settings.conditions) for _ in range(settings.workers)]
        if first is not None:
            self._all[0] = first
        self.turns: SearchTurns = SearchTurns(self._all, settings.waiting)
        self._threads = ThreadPoolExecutor(settings.workers, "thinking")
        self._long: dict[tuple[str, Game], None] = {}  # the agents that took too long, in order
        self._warming: asyncio.Future[None] | None = None
        self._closing = False

    @property
    def pids(self) -> list[int]:
        """The process IDs of the running processes."""
        return [process.pid for process in self._all if process.pid is not None]

    @property
    def waiting(self) -> int:
        """The number of running and waiting searches."""
        return self.turns.running + len(self.turns.waiting)

    async def think(self, session: Session, job: Job, report: Report) -> Any:
        """The result of a job. Cancelling this coroutine ends the search.

        Args:
            session: the session.
            job: the job.
            report: called in the event loop with intermediate results.

        Raises:
            Refusal: too many searches wait, or the agent fails.
        """
        self.turns.check_room(session)
        session.waiting += 1
        try:
            for short in (lambda: self._may_be_short(job), lambda: False):
                turn = await self.turns.take(session, functools.partial(_distance, job), short)
                process = turn.process.result()
                limited = process is self.turns.for_short
                try:
                    result = await self._search(
                        process, job, report, SHORT_SECONDS if limited else None
                    )
                    if time.monotonic() - turn.began < SHORT_SECONDS:
                        self._long.pop((job.what, job.game), None)
                    return result
                except Refusal as refusal:
                    if not limited or refusal.code != STOPPED:
                        raise
                    self._long[job.what, job.game] = None
                    if len(self._long) > MOST_LONG:
                        del self._long[next(iter(self._long))]
                finally:
                    self.turns.give_back(turn)
            raise AssertionError("unreachable")
        finally:
            session.waiting -= 1

    def _may_be_short(self, job: Job) -> bool:
        """Whether a job may start in the process for short ones."""
        return isinstance(job, Decide) and (job.what, job.game) not in self._long

    def warm_up(self, jobs: list[Decide]) -> None:
        """Start the processes and load the agents of these decisions, one after another.

        Searches of visitors have priority.
        """

        async def warm() -> None:
            # the first process is ready sooner if the others do not compete for the processors
            await self._warm(self._all[0], jobs[0])
            await asyncio.gather(*(self._warm(process, jobs[0]) for process in self._all[1:]))
            for job in jobs[1:]:
                for process in self._all:
                    await self._warm(process, job)

        self._warming = asyncio.ensure_future(warm())

    async def _warm(self, process: AgentProcess, job: Job) -> None:
        while self.turns.waiting or process not in self.turns.free:
            await asyncio.sleep(0.05)
        self.turns.free.remove(process)
        with contextlib.suppress(Refusal):
            await self._search(process, job)
        self.turns.put_back(process)

    async def close(self) -> None:
        """End all processes; running and waiting searches are refused."""
        self._closing = True
        self.turns.close()
        if self._warming is not None:
            self._warming.cancel()
        for number in self.pids:  # wakes the threads that wait for them
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(number, signal.SIGKILL)
        await asyncio.to_thread(self._threads.shutdown)
        for process in self._all:
            process.close()

    async def _search(
        self,
        process: AgentProcess,
        job: Job,
        report: Report = lambda content: None,
        most_seconds: float | None = None,
    ) -> Any:
        """The result of a job in a process; Refusal if it takes longer than ``most_seconds``."""
        loop, cancel = asyncio.get_running_loop(), threading.Event()

        def forward(content: Any) -> None:
            loop.call_soon_threadsafe(report, content)

        running = loop.run_in_executor(self._threads, self._work, process, job, forward, cancel)
        # asyncio warns about an unretrieved exception, which is expected after the end
        running.add_done_callback(lambda future: future.cancelled() or future.exception())
        alarm = None if most_seconds is None else loop.call_later(most_seconds, cancel.set)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            cancel.set()
            # The process is free only when the search has ended, within a second, however often
            # this is cancelled meanwhile.
            while not running.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait([running])
            raise
        finally:
            if alarm is not None:
                alarm.cancel()

    def _work(
        self, process: AgentProcess, job: Job, report: Report, cancel: threading.Event
    ) -> Any:
        """The result of a job in a process, which restarts then if compiling left much memory."""
        try:
            return self._ask(process, job, report, cancel)
        finally:
            if not self._closing:
                process.release_compiler(MOST_AFTER_COMPILING)

    def _ask(self, process: AgentProcess, job: Job, report: Report, cancel: threading.Event) -> Any:
        """Run a job in a process; after a failure once more in a new process."""
        for last_try in (False, True):
            if self._closing:
                break
            try:
                return job.run(process, self._settings.move_seconds, report, cancel)
            except SpecificationError as error:
                raise Refusal("agent", reason=sentence(error)) from None
            except Exception as error:
                if self._closing:
                    break
                kind = error.kind if isinstance(error, Fault) else RAISED
                if kind in LIMITS:
                    raise _refusal(job.what, kind, error) from None
                log.warning("%s failed", plain_text(job.what), exc_info=error)
                if last_try or cancel.is_set():
                    raise _refusal(job.what, kind, error) from None
                process.close()
        raise Refusal(STOPPED, 503)


def _distance(job: Job, process: AgentProcess) -> int:
    """The distance of a process from a job's needs: lowest if it has the agent."""
    seat = process.occupant
    if seat == (job.what, job.game):
        return 0
    return 2 if seat is None else 1


def _refusal(what: str, kind: str, error: Exception) -> Refusal:
    """The message about a failed job. The exception is only in the log."""
    if kind == CANCELLED:
        return Refusal(STOPPED, 409)
    if kind == HUNG:
        return Refusal("slow", 503, what=what)
    if kind == OUT_OF_MEMORY:
        return Refusal("memory", 503, what=what, reason=error)
    return Refusal("failed", 503, what=what)
