"""The processes that think, and the queue before them."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from ..agents import Decision
from ..agents.registry import resolve_agent
from ..envs.game import Game
from ..envs.specification import SpecificationError
from ..evaluation.players import CANCELLED, EXITED, HUNG, OUT_OF_MEMORY, Fault, legal_action
from ..evaluation.runners.agent_process import AgentProcess
from .errors import Refused, sentence
from .sessions import Session
from .settings import Settings

SEARCHES_OF_A_SESSION = 4  # under way or waiting
SEEDS = 2**31


class Task(NamedTuple):
    """A decision that is asked for.

    Attributes:
        spec: of the agent, within the limits.
        game: the game.
        actions: the moves that lead to the position, which is not over.
        seed: of the agent's random choices in this game.
    """

    spec: str
    game: Game
    actions: tuple[int, ...]
    seed: int = 0

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that register the game and the agent."""
        return type(self.game.rules).__module__, resolve_agent(self.spec)[0].__module__


class Thinkers:
    """A fixed number of processes. Searches wait for a free one in a queue of bounded length."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._free = [AgentProcess(settings.limits) for _ in range(settings.workers)]
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

    async def think(
        self, session: Session, task: Task, report: Callable[[Decision], None]
    ) -> Decision:
        """The decision of an agent. Cancelling this coroutine ends the search.

        Args:
            session: who asks; its searches take place one after another.
            task: what is asked.
            report: called in the event loop with the decisions of iterations.

        Raises:
            Refused: too many wait, or the agent fails.
        """
        self.check_room(session)
        session.waiting += 1
        self._waiting += 1
        try:
            async with session.thinking, self._slots:
                return await self._search(task, report)
        finally:
            session.waiting -= 1
            self._waiting -= 1

    def check_room(self, session: Session) -> None:
        """Refused if a session asks for too much, or if the queue is full."""
        if session.waiting >= SEARCHES_OF_A_SESSION:
            raise Refused("Your other pages are thinking; wait for them or close them.", 429)
        if self._waiting >= self._settings.waiting + self._settings.workers:
            raise Refused("All processes are busy and the queue is full; try again soon.", 503)

    def warm_up(self, tasks: list[Task]) -> None:
        """Start the processes and let them load the agents of these tasks, one after another.

        Searches that visitors ask for go first.
        """

        async def warm() -> None:
            await asyncio.gather(*(self._warm(task) for task in tasks[:1] * len(self._all)))
            for task in tasks[1:]:
                for _ in self._all:
                    while self._waiting:
                        await asyncio.sleep(0.05)
                    await self._warm(task)

        self._warming = asyncio.ensure_future(warm())

    async def _warm(self, task: Task) -> None:
        with contextlib.suppress(Refused):
            async with self._slots:
                await self._search(task, None, oldest=True)

    async def close(self) -> None:
        """End all processes."""
        if self._warming is not None:
            self._warming.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._warming
        for process in self._all:
            process.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _search(
        self, task: Task, report: Callable[[Decision], None] | None, oldest: bool = False
    ) -> Decision:
        process, loop = self._take(task, oldest), asyncio.get_running_loop()
        cancelled = threading.Event()

        def forward(decision: Decision) -> None:
            if report is not None:
                loop.call_soon_threadsafe(report, decision)

        running = loop.run_in_executor(
            self._threads, self._decide, process, task, forward, cancelled
        )
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            cancelled.set()
            await asyncio.wait([running])  # a second at most: the process is free only then
            running.exception()
            raise
        finally:
            self._free.append(process)

    def _take(self, task: Task, oldest: bool) -> AgentProcess:
        """A free process, one that has played this game if there is one."""

        def distance(process: AgentProcess) -> int:
            seated = process.seated
            if seated == (task.spec, task.game):
                return 0
            return 2 if seated is None else 1

        chosen = self._free[0] if oldest else min(self._free, key=distance)
        self._free.remove(chosen)
        return chosen

    def _decide(
        self,
        process: AgentProcess,
        task: Task,
        report: Callable[[Decision], None],
        cancelled: threading.Event,
    ) -> Decision:
        """Ask a process; a process that has died is started again once."""
        position = task.game.position(task.actions)
        for last_try in (False, True):
            try:
                if process.seated != (task.spec, task.game):
                    process.seat(task.spec, task.game, task.modules)
                process.prepare((task.seed * 1_000_003 + len(task.actions)) % SEEDS)
                seconds = self._settings.move_seconds
                decision = process.decide(position, seconds, report, cancelled)
                legal_action(decision.action, position)
                return decision
            except SpecificationError as error:
                raise Refused(sentence(str(error))) from None
            except Fault as fault:
                if fault.kind == EXITED and not last_try:
                    continue
                raise _refusal(task.spec, fault, self._settings) from None
        raise AssertionError("unreachable")


def _refusal(spec: str, fault: Fault, settings: Settings) -> Refused:
    """The sentence about an agent that failed."""
    if fault.kind == CANCELLED:
        return Refused("The search was stopped.", 409)
    if fault.kind == HUNG:
        return Refused(
            f"{spec} was stopped after {settings.move_seconds:g} seconds; choose another level.",
            503,
        )
    if fault.kind == OUT_OF_MEMORY:
        return Refused(f"{spec} {fault}; choose another level.", 503)
    return Refused(sentence(f"{spec} failed: it {fault}"), 503)
