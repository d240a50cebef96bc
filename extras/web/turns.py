"""Scheduling of requests and searches under load.

A search waits until a process is free for it. Priority goes to the address, then to the session,
without running searches and with the least recent process time. A session can have two running
searches, such as an agent's and a solver's of one position.

With two or more processes, the last one is for short searches: a decision may start there, and
moves to the others if it takes longer; the agent's next one then starts at the others. So a fast
opponent answers fast under any load.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import dataclasses
import heapq
import itertools
import time
from collections.abc import AsyncIterator, Callable, Sequence

from ...evaluation.runners.agent_process import AgentProcess
from .errors import Refusal
from .sessions import Asker, Session

SEARCHES_OF_A_SESSION = 4  # running or waiting
SEARCHES_AT_ONCE = 2  # of them running


class RequestGate:
    """Admits requests; priority goes to the address with the least recent time.

    Args:
    room: the number of requests handled at once.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._numbers = itertools.count()
        self._waiting: list[tuple[float, float, int, asyncio.Future[None]]] = []

    @contextlib.asynccontextmanager
    async def place(self, session: Session) -> AsyncIterator[None]:
        """Wait for a place, and keep it until the block ends; its time counts for the session."""
        if self._room:
            self._room -= 1
        else:
            await self._wait(session)
        began = time.monotonic()
        try:
            yield
        finally:
            for asker in (session, session.address):
                asker.spend(time.monotonic() - began)
            self._free()

    async def _wait(self, session: Session) -> None:
        freed = asyncio.get_running_loop().create_future()
        rank = (session.address.spent, session.spent, next(self._numbers))
        heapq.heappush(self._waiting, (*rank, freed))
        try:
            await freed
        except asyncio.CancelledError:
            if not freed.cancelled():
                self._free()  # the place came at the same moment
            raise

    def _free(self) -> None:
        while self._waiting:
            freed = heapq.heappop(self._waiting)[-1]
            if not freed.done():  # its visitor has not left
                freed.set_result(None)
                return
        self._room += 1


# The distance of a process from a search's needs: 0 if it is ready.
Distance = Callable[[AgentProcess], int]


@dataclasses.dataclass(eq=False)
class Turn:
    """A search that waits for a process or has one.

    Attributes:
        session: its session.
        short: whether the process for short searches is suitable.
        distance: the distance of a process from the search's needs.
        process: the assigned process, if any.
        began: when it was assigned.
    """

    session: Session
    short: Callable[[], bool]
    distance: Distance
    process: asyncio.Future[AgentProcess]
    began: float = 0.0

    def askers(self) -> tuple[Asker, Asker]:
        """The address and the session."""
        return self.session.address, self.session

    def rank(self) -> list[tuple[int, float]]:
        """Its priority: the smaller, the sooner."""
        return [(asker.running, asker.spent) for asker in self.askers()]


class SearchTurns:
    """Assigns processes to searches.

    Args:
        processes: the processes.
        room: the number of searches that may wait.
    """

    def __init__(self, processes: Sequence[AgentProcess], room: int) -> None:
        self.free: list[AgentProcess] = list(processes)
        self.for_short: AgentProcess | None = processes[-1] if len(processes) > 1 else None
        self.room = room
        self.waiting: list[Turn] = []
        self.running = 0

    def check_room(self, session: Session) -> None:
        """Refusal if a session has too many searches, or if the queue is full."""
        if session.waiting >= SEARCHES_OF_A_SESSION:
            raise Refusal("busy_session", 429)
        if len(self.waiting) >= self.room and self._loser(session) is None:
            raise Refusal("busy_server", 503)

    def _loser(self, session: Session) -> Turn | None:
        """The search to refuse in favour of one of a session; None if that one is refused.

        It belongs to the address with the most waiting searches; of several, to the one with the
        most recent time, so that heavy users do not keep out others.
        """
        counts = collections.Counter(turn.session.address for turn in self.waiting)
        counts[session.address] += 1

        def weight(each: Session) -> tuple[float, ...]:
            return counts[each.address], each.address.spent, each.spent

        heaviest = max(reversed(self.waiting), key=lambda turn: weight(turn.session), default=None)
        if heaviest is None or weight(session) >= weight(heaviest.session):
            return None
        return heaviest

    async def take(self, session: Session, distance: Distance, short: Callable[[], bool]) -> Turn:
        """A turn with its process, which :meth:`give_back` ends.

        If the queue is full, another search may be refused: see :meth:`_loser`.

        Raises:
            Refusal: too many searches wait.
        """
        if len(self.waiting) >= self.room:
            self.check_room(session)
            last = self._loser(session)
            assert last is not None
            self.waiting.remove(last)
            last.process.set_exception(Refusal("busy_server", 503))
        turn = Turn(session, short, distance, asyncio.get_running_loop().create_future())
        self.waiting.append(turn)
        self._give()
        try:
            await turn.process
        except asyncio.CancelledError:
            if turn in self.waiting:
                self.waiting.remove(turn)
            elif turn.process.done() and not turn.process.cancelled():
                self.give_back(turn)  # the process came at the same moment
            raise
        return turn

    def give_back(self, turn: Turn) -> None:
        """Release the process of a turn."""
        self.running -= 1
        for asker in turn.askers():
            asker.running -= 1
            asker.spend(time.monotonic() - turn.began)
        self.put_back(turn.process.result())

    def put_back(self, process: AgentProcess) -> None:
        """Mark a process as free."""
        self.free.append(process)
        self._give()

    def close(self) -> None:
        """Stop assigning processes."""
        self.room = 0
        for turn in self.waiting:
            turn.process.set_exception(Refusal("stopped", 503))
        self.waiting.clear()

    def _give(self) -> None:
        """Assign free processes by priority."""
        for turn in sorted(self.waiting, key=Turn.rank):
            if turn.session.running >= SEARCHES_AT_ONCE:
                continue
            short = turn.short()
            fitting = [each for each in self.free if short or each is not self.for_short]
            if not fitting:
                continue
            process = min(fitting, key=lambda each: (each is self.for_short, turn.distance(each)))
            self.free.remove(process)
            self.waiting.remove(turn)
            self.running += 1
            for asker in turn.askers():
                asker.running += 1
            turn.began = time.monotonic()
            turn.process.set_result(process)
