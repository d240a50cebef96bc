"""Runners play the games of a tournament, in this process or elsewhere.

All play the same games; the order in which the games are finished differs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable
from typing import NamedTuple

from ...envs.workers.jobs import LOCAL
from ..circumstances import Circumstances, machine_here
from ..match import GameResult
from .contest import Arena, Contest, ScheduledGame

Results = Generator[tuple[ScheduledGame, GameResult, Circumstances], None, None]


class GivenUp(NamedTuple):
    """A game that could not be played, and why."""

    game: ScheduledGame
    reason: str


class Runner(ABC):
    """Plays scheduled games. It is given plain data and makes the agents itself.

    Attributes:
        given_up: the games that could not be played wherever they were tried.
    """

    def __init__(self) -> None:
        self.given_up: list[GivenUp] = []

    @abstractmethod
    def get_ready(self, contest: Contest) -> None:
        """Make the agents of a contest and let them compile, so that :meth:`play` starts at once.

        Raises:
            RunnerError: nothing can be played there.
        """

    @abstractmethod
    def play(self, contest: Contest, games: Iterable[ScheduledGame]) -> Results:
        """Play games; yield each with its result and circumstances as soon as it is finished.

        ``games`` is iterated lazily, little further than what is played at once. The agents are
        closed when the generator ends or is closed.

        Raises:
            RunnerError: nothing can be played there.
        """

    @abstractmethod
    def close(self) -> None:
        """End everything that the runner has started. It may be used again afterwards."""

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class LocalRunner(Runner):
    """Plays one game after the other in this process."""

    def __init__(self) -> None:
        super().__init__()
        self._arena: Arena | None = None

    def get_ready(self, contest: Contest) -> None:
        try:
            self._arena_of(contest).get_ready()
        except BaseException:
            self.close()
            raise

    def play(self, contest: Contest, games: Iterable[ScheduledGame]) -> Results:
        arena = self._arena_of(contest)
        circumstances = Circumstances(LOCAL, 1, arena.isolation, machine_here())
        try:
            for game in games:
                yield game, arena.play(game), circumstances
        finally:
            self.close()

    def close(self) -> None:
        if self._arena is not None:
            self._arena.close()
            self._arena = None

    def _arena_of(self, contest: Contest) -> Arena:
        if self._arena is None or self._arena.contest != contest:
            self.close()
            self._arena = Arena(contest)
        return self._arena
