"""Runners with workers: games are handed out in chunks, and again where a worker dies.

When a worker dies, the games of the chunk that it was playing are played again one by one, by
whichever worker is free. After two deaths all agents of a game play from processes of their own, so
that an agent that ends its process is known and forfeits. A game over which too many workers have
died is given up and stays missing in the store.
"""

from __future__ import annotations

import itertools
import time
from abc import abstractmethod
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from ...envs.specification import SpecificationError
from ...envs.workers.cluster import difference
from ...envs.workers.errors import RunnerError
from ..circumstances import Circumstances
from .contest import Contest, ScheduledGame
from .game_worker import Chunk, ChunkResult, pack, versions
from .runner import GivenUp, Results, Runner

# a chunk is to take about as long, so that messages cost little and little is lost with a worker
CHUNK_SECONDS = 0.2
LARGEST_CHUNK = 200  # so that two fit into the buffer of a connection
# chunks that a worker is given at once where they are short, so that it need not wait for the next
QUEUE_LENGTH = 2
MOST_DEATHS = 5  # of workers over one game, or before the first game
START_SECONDS = 600.0
WAIT_SECONDS = 5.0


class Death(NamedTuple):
    """A worker has died, and why."""

    reason: str


Event = dict[str, str] | ChunkResult | Death
Handle = TypeVar("Handle")


class _Worker(Generic[Handle]):
    """A worker as the runner knows it.

    Attributes:
        handle: what the runner reaches it by.
        chunks: the chunks that it was given, the one that it is playing first.
        ready: whether it can play.
    """

    def __init__(self, handle: Handle) -> None:
        self.handle = handle
        self.chunks: deque[Chunk] = deque()
        self.ready = False


class _ChunkQueue:
    """Chunks of games: first those to be played again, then those of the schedule.

    Attributes:
        retries: the chunks to be played again.
        seconds: about how long a game takes, once that is known.
    """

    def __init__(self, games: Iterable[ScheduledGame]) -> None:
        self._games = iter(games)
        self.retries: deque[Chunk] = deque()
        self.seconds: float | None = None

    def update_seconds(self, result: ChunkResult) -> None:
        """Take the time of a chunk into account."""
        seconds = result.seconds / len(result.results)
        self.seconds = seconds if self.seconds is None else 0.7 * self.seconds + 0.3 * seconds

    def pop(self) -> Chunk | None:
        """The next chunk, or None when there is none."""
        if self.retries:
            return self.retries.popleft()
        size = 1
        if self.seconds is not None:
            size = min(max(int(CHUNK_SECONDS / max(self.seconds, 1e-6)), 1), LARGEST_CHUNK)
        games = tuple(itertools.islice(self._games, size))
        return Chunk(games) if games else None


class PoolRunner(Runner, Generic[Handle]):
    """The common part of runners with workers.

    The workers of a contest end with the games, or when the runner is closed.

    Attributes:
        name: what the runner is called.

    Args:
        concurrency: how many games are played at once; by default as many as there is room for.
    """

    name: ClassVar[str]

    def __init__(self, concurrency: int | None = None) -> None:
        super().__init__()
        if concurrency is not None and concurrency < 1:
            raise SpecificationError(f"games are played 1 or more at a time, not {concurrency}")
        self._concurrency = concurrency
        self._workers: list[_Worker[Handle]] = []
        self._contest: Contest | None = None
        self._message = b""
        self._failed_starts = 0

    @abstractmethod
    def _default_concurrency(self) -> int:
        """How many workers there is room for."""

    @abstractmethod
    def _start(self) -> Handle:
        """Start a worker."""

    @abstractmethod
    def _call(self, handle: Handle, method: str, argument: Any) -> None:
        """Call a method of a worker's ``GameWorker``; if it has died, the next events report that.

        Calls of one worker are answered in their order.
        """

    @abstractmethod
    def _events(self, handles: list[Handle], seconds: float) -> list[tuple[Handle, Event]]:
        """The next events, after a wait of at most this many seconds.

        A worker is ready and tells its versions, has played a chunk, or has died.

        Raises:
            RunnerError: a worker cannot play, for a reason that holds for all workers.
        """

    @abstractmethod
    def _stop(self, handle: Handle) -> None:
        """End a worker, whatever it is doing."""

    def get_ready(self, contest: Contest) -> None:
        """Start the workers, and wait until one can play."""
        try:
            if contest != self._contest:
                self._stop_all()
                self._message, self._contest = pack(contest, str(Path.cwd())), contest
                self._failed_starts = 0
                count = self._concurrency or self._default_concurrency()
                self._workers = [self._start_worker() for _ in range(count)]
            queue = _ChunkQueue(())
            began = time.monotonic()
            while not any(worker.ready for worker in self._workers):
                if time.monotonic() - began > START_SECONDS:
                    raise RunnerError(f"no worker could be started within {START_SECONDS:.0f} s")
                for _ in self._handle_events(queue, contest):
                    raise AssertionError("a worker that is not ready has finished a game")
        except BaseException:
            self._stop_all()
            raise

    def play(self, contest: Contest, games: Iterable[ScheduledGame]) -> Results:
        queue = _ChunkQueue(games)
        try:
            while True:
                self.get_ready(contest)
                self._hand_out(queue)
                if not any(worker.chunks for worker in self._workers):
                    return
                yield from self._handle_events(queue, contest)
        finally:
            self._stop_all()

    def close(self) -> None:
        self._stop_all()

    def _start_worker(self) -> _Worker[Handle]:
        worker = _Worker(self._start())
        self._call(worker.handle, "get_ready", self._message)
        return worker

    def _hand_out(self, queue: _ChunkQueue) -> None:
        """Give the workers as much as they should have; those that have least come first."""
        short = queue.seconds is not None and queue.seconds < CHUNK_SECONDS
        for length in range(QUEUE_LENGTH if short else 1):
            for worker in self._workers:
                if worker.ready and len(worker.chunks) == length:
                    chunk = queue.pop()
                    if chunk is None:
                        return
                    worker.chunks.append(chunk)
                    self._call(worker.handle, "play", chunk)

    def _handle_events(self, queue: _ChunkQueue, contest: Contest) -> Results:
        """Wait for events and handle them; yields the games that were finished."""
        handles = [worker.handle for worker in self._workers]
        for handle, event in self._events(handles, WAIT_SECONDS):
            worker = next(worker for worker in self._workers if worker.handle is handle)
            if isinstance(event, ChunkResult):
                queue.update_seconds(event)
                count = len(self._workers)
                under = Circumstances(self.name, count, event.isolation, event.machine)
                for game, result in zip(worker.chunks.popleft().games, event.results):
                    yield game, result, under
            elif isinstance(event, Death):
                self._replace(worker, event, queue)
            else:
                differs = difference(event, versions(contest, contest.versions))
                if differs:
                    raise RunnerError(differs)
                worker.ready, self._failed_starts = True, 0

    def _replace(self, dead: _Worker[Handle], death: Death, queue: _ChunkQueue) -> None:
        """Let another worker take the place of one that has died, and its games be played again."""
        self._workers.remove(dead)
        self._stop(dead.handle)
        if not dead.ready:
            self._failed_starts += 1
            if self._failed_starts >= MOST_DEATHS:
                raise RunnerError(f"workers die before they can play; the last one {death.reason}")
        for index, chunk in enumerate(dead.chunks):
            if index > 0:  # it was still waiting
                queue.retries.append(chunk)
            elif chunk.deaths + 1 >= MOST_DEATHS:
                self.given_up += [GivenUp(game, death.reason) for game in chunk.games]
            else:
                for game in chunk.games:
                    queue.retries.append(Chunk((game,), chunk.deaths + 1))
        self._workers.append(self._start_worker())

    def _stop_all(self) -> None:
        for worker in self._workers:
            self._stop(worker.handle)
        self._workers, self._contest = [], None
