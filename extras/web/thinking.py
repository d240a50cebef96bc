"""The processes that think, and the queue before them."""

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
SHORT_SECONDS = 1.1  # for a search in the process for short ones
MOST_LONG = 1_000  # agents whose last search was too long for it
STOPPED = "stopped"  # the code of the refusal of a search that was ended
# Faults that another try would commit again, and those of nobody.
LIMITS = (CANCELLED, HUNG, OUT_OF_MEMORY)

log: logging.Logger = logging.getLogger(__name__)

Report = Callable[[Any], None]
# Reported beside what is known meanwhile: the process loads and compiles; it is ready.
PREPARING, READY = object(), None


class Job(Protocol):
    """What a process can be asked to do.

    Attributes:
        what: its name in messages about its failure.
        game: the game that it is about.
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
    """A decision that is asked of an agent.

    Attributes:
        what: the agent's specification, within the limits.
        position: the position, which is not over.
        plies: how many moves were played before.
        seed: of the agent's random choices in this game.
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
    """A function that is called in a process; see :meth:`AgentProcess.call`.

    Attributes:
        what: its name in messages, or the key of the message that names it.
        game: the game that it is about.
        function: the function, as MODULE:NAME.
        arguments: what it is called with.
        seconds: after which it is stopped.
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
        settings: how many, and their limits.
        first: one of them that runs already.
    """

    def __init__(self, settings: ServerSettings, first: AgentProcess | None = None) -> None:
        self._settings = settings
        self._all = [AgentProcess(settings.conditions) for _ in range(settings.workers)]
        if first is not None:
            self._all[0] = first
        self.turns: SearchTurns = SearchTurns(self._all, settings.waiting)
        self._threads = ThreadPoolExecutor(settings.workers, "thinking")
        self._long: dict[tuple[str, Game], None] = {}  # the agents that were too long, in order
        self._warming: asyncio.Future[None] | None = None
        self._closing = False

    @property
    def pids(self) -> list[int]:
        """The numbers of the processes that run."""
        return [process.pid for process in self._all if process.pid is not None]

    @property
    def waiting(self) -> int:
        """How many searches are under way or wait."""
        return self.turns.running + len(self.turns.waiting)

    async def think(self, session: Session, job: Job, report: Report) -> Any:
        """The result of a job. Cancelling this coroutine ends the search.

        Args:
            session: who asks.
            job: what is asked.
            report: called in the event loop with what is known meanwhile.

        Raises:
            Refusal: too many wait, or the agent fails.
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
        """Whether a job may begin in the process for short ones."""
        return isinstance(job, Decide) and (job.what, job.game) not in self._long

    def warm_up(self, jobs: list[Decide]) -> None:
        """Start the processes and let them load the agents of these decisions, one after another.

        Searches that visitors ask for go first.
        """

        async def warm() -> None:
            # one process is ready soonest while the others wait for the processors
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
        """End all processes; searches under way or waiting are refused."""
        self._closing = True
        self.turns.close()
        if self._warming is not None:
            self._warming.cancel()
        for number in self.pids:  # threads that wait for them notice it
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
        # asyncio complains of an error that nobody has looked at, and nobody does after the end
        running.add_done_callback(lambda future: future.cancelled() or future.exception())
        alarm = None if most_seconds is None else loop.call_later(most_seconds, cancel.set)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            cancel.set()
            # The process is free only when the search has ended, in a second at most, however often
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
        """The result of a job in a process, which is then rid of what compiling has left."""
        try:
            return self._ask(process, job, report, cancel)
        finally:
            if not self._closing:
                process.release_compiler(MOST_AFTER_COMPILING)

    def _ask(self, process: AgentProcess, job: Job, report: Report, cancel: threading.Event) -> Any:
        """Ask a process; what fails is asked once more, of a process that is started anew."""
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
    """How far a process is from what a job needs: one that has its agent is nearest."""
    seat = process.occupant
    if seat == (job.what, job.game):
        return 0
    return 2 if seat is None else 1


def _refusal(what: str, kind: str, error: Exception) -> Refusal:
    """The sentence about a job that failed. What was raised stands in the log only."""
    if kind == CANCELLED:
        return Refusal(STOPPED, 409)
    if kind == HUNG:
        return Refusal("slow", 503, what=what)
    if kind == OUT_OF_MEMORY:
        return Refusal("memory", 503, what=what, reason=error)
    return Refusal("failed", 503, what=what)
