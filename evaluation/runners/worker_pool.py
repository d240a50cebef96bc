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
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from ..match import GameResult
from .contest import Contest, ScheduledGame
from .game_worker import (
    Chunk,
    Played,
    pack,
    versions,
)
from .runner import (
    GivenUp,
    Results,
    Runner,
    RunnerError,
)

# a chunk is to take about as long, so that messages cost little and little is lost with a worker
CHUNK_SECONDS = 0.2
LARGEST_CHUNK = 200  # so that two fit into the buffer of a connection
# chunks that a worker is given at once where they are short, so that it need not wait for the next
QUEUED = 2
MOST_DEATHS = 5  # of workers over one game, or before the first game
START_SECONDS = 600.0
WAIT_SECONDS = 5.0


class Death(NamedTuple):
    """A worker has died, and why."""

    reason: str


Event = dict[str, str] | Played | Death


class Worker:
    """A worker as the runner knows it.

    Attributes:
        chunks: the chunks that it was given, the one that it is playing first.
        ready: whether it can play.
    """

    def __init__(self) -> None:
        self.chunks: deque[Chunk] = deque()
        self.ready = False


class _Source:
    """Chunks of games: first those to be played again, then those of the schedule."""

    def __init__(self, games: Iterable[ScheduledGame]) -> None:
        self._games = iter(games)
        self._again: deque[Chunk] = deque()
        self._seconds: float | None = None  # for a game

    @property
    def seconds(self) -> float | None:
        """About how long a game takes."""
        return self._seconds

    def learn(self, played: Played) -> None:
        """Take note of how long games take."""
        seconds = played.seconds / len(played.results)
        self._seconds = seconds if self._seconds is None else 0.7 * self._seconds + 0.3 * seconds

    def again(self, chunk: Chunk) -> None:
        """Let a chunk be played again."""
        self._again.append(chunk)

    def take(self) -> Chunk | None:
        """The next chunk, or None when there is none."""
        if self._again:
            return self._again.popleft()
        size = (
            1
            if self._seconds is None
            else min(max(int(CHUNK_SECONDS / max(self._seconds, 1e-6)), 1), LARGEST_CHUNK)
        )
        games = tuple(itertools.islice(self._games, size))
        return Chunk(games) if games else None


W = TypeVar("W", bound=Worker)


class PoolRunner(Runner, Generic[W]):
    """The common part of runners with workers.

    The workers of a contest end with the games, or when the runner is closed.
    """

    def __init__(self) -> None:
        super().__init__()
        self._workers: list[W] = []
        self._contest: Contest | None = None
        self._message = b""
        self._failed_starts = 0

    @abstractmethod
    def _worker_count(self) -> int:
        """How many workers there are to be."""

    @abstractmethod
    def _start(self, message: bytes) -> W:
        """Start a worker with a packed contest."""

    @abstractmethod
    def _send(self, worker: W, chunk: Chunk) -> None:
        """Give a worker a chunk; if it has died, the next events report that."""

    @abstractmethod
    def _events(self, workers: list[W], seconds: float) -> list[tuple[W, Event]]:
        """The next events, after a wait of at most this many seconds.

        A worker is ready and tells its versions, has played a chunk, or has died.

        Raises:
            RunnerError: a worker cannot play, for a reason that holds for all workers.
        """

    @abstractmethod
    def _stop(self, worker: W) -> None:
        """End a worker, whatever it is doing."""

    def get_ready(self, contest: Contest) -> None:
        """Start the workers, and wait until one can play."""
        try:
            if contest != self._contest:
                self._stop_all()
                self._message, self._contest = pack(contest, str(Path.cwd())), contest
                self._failed_starts = 0
                self._workers = [self._start(self._message) for _ in range(self._worker_count())]
            source = _Source(())
            began = time.monotonic()
            while not any(worker.ready for worker in self._workers):
                if time.monotonic() - began > START_SECONDS:
                    raise RunnerError(f"no worker could be started within {START_SECONDS:.0f} s")
                for _ in self._take_events(source, contest):
                    raise AssertionError("a worker that is not ready has finished a game")
        except BaseException:
            self._stop_all()
            raise

    def play(self, contest: Contest, games: Iterable[ScheduledGame]) -> Results:
        source = _Source(games)
        try:
            while True:
                self.get_ready(contest)
                self._hand_out(source)
                if not any(worker.chunks for worker in self._workers):
                    return
                yield from self._take_events(source, contest)
        finally:
            self._stop_all()

    def close(self) -> None:
        self._stop_all()

    def _hand_out(self, source: _Source) -> None:
        """Give the workers as much as they should have; those that have least come first."""
        short = source.seconds is not None and source.seconds < CHUNK_SECONDS
        for queued in range(QUEUED if short else 1):
            for worker in self._workers:
                if worker.ready and len(worker.chunks) == queued:
                    chunk = source.take()
                    if chunk is None:
                        return
                    worker.chunks.append(chunk)
                    self._send(worker, chunk)

    def _take_events(
        self, source: _Source, contest: Contest
    ) -> Iterator[tuple[ScheduledGame, GameResult]]:
        """Wait for events and handle them; yields the games that were finished."""
        for worker, event in self._events(self._workers, WAIT_SECONDS):
            if isinstance(event, Played):
                source.learn(event)
                yield from zip(worker.chunks.popleft().games, event.results)
            elif isinstance(event, Death):
                self._replace(worker, event, source)
            else:
                _compare(versions(contest, contest.versions), event)
                worker.ready, self._failed_starts = True, 0

    def _replace(self, dead: W, death: Death, source: _Source) -> None:
        """Let another worker take the place of one that has died, and its games be played again."""
        self._workers.remove(dead)
        self._stop(dead)
        if not dead.ready:
            self._failed_starts += 1
            if self._failed_starts >= MOST_DEATHS:
                raise RunnerError(f"workers die before they can play; the last one {death.reason}")
        for index, chunk in enumerate(dead.chunks):
            if index > 0:  # it was still waiting
                source.again(chunk)
            elif chunk.deaths + 1 >= MOST_DEATHS:
                self.given_up += [GivenUp(game, death.reason) for game in chunk.games]
            else:
                for game in chunk.games:
                    source.again(Chunk((game,), chunk.deaths + 1))
        self._workers.append(self._start(self._message))

    def _stop_all(self) -> None:
        for worker in self._workers:
            self._stop(worker)
        self._workers, self._contest = [], None


def _compare(here: dict[str, str], there: dict[str, str]) -> None:
    """Refuse a worker that would not play as one here would."""
    for name in here.keys() & there.keys():
        if here[name] != there[name]:
            raise RunnerError(
                f"a worker has another version of {name} ({there[name]}) than the tournament "
                f"({here[name]}); install the same versions everywhere"
            )
