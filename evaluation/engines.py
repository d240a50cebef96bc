"""Engines: where the games of a tournament are played. The same games come out of each, in whatever order they are finished."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable

from .contest import Arena, Contest, ScheduledGame
from .match import GameResult

Results = Generator[tuple[ScheduledGame, GameResult], None, None]


class Engine(ABC):
    """Plays scheduled games somewhere. It is handed plain data and makes the agents itself; it knows nothing of stores."""

    @abstractmethod
    def get_ready(self, contest: Contest) -> None:
        """Make the agents of a contest and let them compile, so that :meth:`play` starts at once."""

    @abstractmethod
    def play(self, contest: Contest, games: Iterable[ScheduledGame]) -> Results:
        """Play games; each comes with its result as soon as it is finished. ``games`` is taken up lazily, little more than is played at once."""

    def close(self) -> None:
        """End what the engine has started. It may be used again afterwards."""


class LocalEngine(Engine):
    """Plays one game after the other in this process."""

    def __init__(self) -> None:
        self._arena: Arena | None = None

    def get_ready(self, contest: Contest) -> None:
        self._arena_of(contest).get_ready()

    def play(self, contest: Contest, games: Iterable[ScheduledGame]) -> Results:
        arena = self._arena_of(contest)
        for game in games:
            yield game, arena.play(game)

    def close(self) -> None:
        self._arena = None

    def _arena_of(self, contest: Contest) -> Arena:
        if self._arena is None or self._arena.contest != contest:
            self.close()
            self._arena = Arena(contest)
        return self._arena
