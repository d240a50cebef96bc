"""The processes that think, and the queue before them."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Protocol

from ..agents import Decision
from ..agents.faults import CANCELLED, EXITED, HUNG, OUT_OF_MEMORY, Fault
from ..agents.registry import resolve_agent
from ..envs.game import Game, Position
from ..envs.specification import SpecificationError
from ..evaluation.players import exception_fault, legal_action
from ..evaluation.runners.agent_process import AgentProcess
from .errors import Refusal, sentence
from .sessions import Session
from .settings import Settings

SEARCHES_OF_A_SESSION = 4  # under way or waiting
SEEDS = 2**31


Report = Callable[[Any], None]


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
            modules = type(self.game.rules).__module__, resolve_agent(self.what)[0].__module__
            process.seat(self.what, self.game, modules)
        process.prepare((self.seed * 1_000_003 + self.plies) % SEEDS)
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
        modules = (type(self.game.rules).__module__,)
        return process.call(self.function, self.arguments, self.seconds, modules, report, cancel)


class Thinkers:
    """A fixed number of processes. Searches wait for a free one in a queue of bounded length.

    Args:
        settings: how many, and their limits.
        first: one of them that runs already.
    """

    def __init__(self, settings: Settings, first: AgentProcess | None = None) -> None:
        self._settings = settings
        self._free = [AgentProcess(settings.limits) for _ in range(settings.workers)]
        if first is not None:
            self._free[0] = first
        self._all = tuple(self._free)
        self._threads = ThreadPoolExecutor(settings.workers, "thinking")
        self._slots = asyncio.Semaphore(settings.workers)
        self._waiting = 0
        self._warming: asyncio.Task[None] | None = None

    @property
    def pids(self) -> list[int]:
        """The numbers of the processes that run."""
        return [process.pid for process in self._all if process.pid is not None]

    @property
    def waiting(self) -> int:
        """How many searches are under way or wait."""
        return self._waiting

    async def think(self, session: Session, job: Job, report: Report) -> Any:
        """The result of a job. Cancelling this coroutine ends the search.

        Args:
            session: who asks; its searches take place one after another.
            job: what is asked.
            report: called in the event loop with what is known meanwhile.

        Raises:
            Refusal: too many wait, or the agent fails.
        """
        self.check_room(session)
        session.waiting += 1
        self._waiting += 1
        try:
            async with session.thinking, self._slots:
                return await self._search(job, report)
        finally:
            session.waiting -= 1
            self._waiting -= 1

    def check_room(self, session: Session) -> None:
        """Refusal if a session asks for too much, or if the queue is full."""
        if session.waiting >= SEARCHES_OF_A_SESSION:
            raise Refusal("busy_session", 429)
        if self._waiting >= self._settings.waiting + self._settings.workers:
            raise Refusal("busy_server", 503)

    def warm_up(self, jobs: list[Decide]) -> None:
        """Start the processes and let them load the agents of these decisions, one after another.

        Searches that visitors ask for go first.
        """

        async def warm() -> None:
            # one process is ready soonest while the others wait for the processors
            await self._warm(jobs[0])
            await asyncio.gather(*(self._warm(jobs[0]) for _ in self._all[1:]))
            for job in jobs[1:]:
                for _ in self._all:
                    while self._waiting:
                        await asyncio.sleep(0.05)
                    await self._warm(job)

        self._warming = asyncio.ensure_future(warm())

    async def _warm(self, job: Job) -> None:
        with contextlib.suppress(Refusal):
            async with self._slots:
                await self._search(job, None, oldest=True)

    async def close(self) -> None:
        """End all processes."""
        if self._warming is not None:
            self._warming.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._warming
        for process in self._all:
            process.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _search(self, job: Job, report: Report | None, oldest: bool = False) -> Any:
        process, loop = self._take(job, oldest), asyncio.get_running_loop()
        cancel = threading.Event()

        def forward(content: Any) -> None:
            if report is not None:
                loop.call_soon_threadsafe(report, content)

        running = loop.run_in_executor(self._threads, self._work, process, job, forward, cancel)
        # asyncio complains of an error that nobody has looked at, and nobody does after the end
        running.add_done_callback(lambda future: future.cancelled() or future.exception())
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            cancel.set()
            await asyncio.wait([running])  # a second at most: the process is free only then
            raise
        finally:
            self._free.append(process)

    def _take(self, job: Job, oldest: bool) -> AgentProcess:
        """A free process, one that has played this game if there is one."""

        def distance(process: AgentProcess) -> int:
            seat = process.occupant
            if seat == (job.what, job.game):
                return 0
            return 2 if seat is None else 1

        nearest = self._free[0] if oldest else min(self._free, key=distance)
        self._free.remove(nearest)
        return nearest

    def _work(
        self,
        process: AgentProcess,
        job: Job,
        report: Report,
        cancel: threading.Event,
    ) -> Any:
        """Ask a process; a process that has died is started again once."""
        for last_try in (False, True):
            try:
                return job.run(process, self._settings.move_seconds, report, cancel)
            except SpecificationError as error:
                raise Refusal("agent", reason=sentence(error)) from None
            except Fault as fault:
                if fault.kind == EXITED and not last_try:
                    continue
                raise _refusal(job.what, fault) from None
            except Exception as error:
                raise _refusal(job.what, exception_fault(error)) from error
        raise AssertionError("unreachable")


def _refusal(what: str, fault: Fault) -> Refusal:
    """The sentence about an agent that failed."""
    if fault.kind == CANCELLED:
        return Refusal("stopped", 409)
    if fault.kind == HUNG:
        return Refusal("slow", 503, what=what)
    if fault.kind == OUT_OF_MEMORY:
        return Refusal("memory", 503, what=what, reason=fault)
    return Refusal("failed", 503, what=what, reason=fault)
