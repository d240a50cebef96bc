"""A ladder: agents of known order that the versions of a learner are rated against."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ..agents.bots import players_of
from ..agents.faults import AgentFaults, faults_in_all
from ..agents.registry import resolve_agent
from ..envs.game import Game
from ..envs.registry import make_game
from ..envs.workers.jobs import HERE, JobPlace
from .conditions import AUTO, NEVER
from .plan import DEFAULT_OPENING, Plan
from .statistics.cross_table import CrossTable
from .statistics.ratings import Meeting, Ratings, rate
from .store.store import Store, StoredGame
from .tournament import Tournament

NEAREST = 5  # earlier versions that a version meets in a pool


class _TimeIsUp(Exception):
    pass


class Ladder:
    """Rates policy files against a list of agents; all games are kept in a store.

    Games that the store holds are not played again. Games of other code (of a former version of
    plyground, say) stay in the store and do not count.

    Args:
        game: the game, or its specification.
        agents: specifications of one or more agents.
        store: the SQLite file; ``plyground report`` shows it.
        pairs: pairs of games of each meeting.
        opening: where openings come from, as for
            :class:`~plyground.evaluation.tournament.Plan`.
        seed: decides the openings and the random choices.
        anchor: an agent's specification and the rating it is given; None: the first is rated 0.
        place: where the games are played; by default in this process.

    Raises:
        SpecificationError: agents that do not exist or cannot play the game.
    """

    def __init__(
        self,
        game: Game | str,
        agents: str | Sequence[str],
        store: str | Path,
        *,
        pairs: int = 50,
        opening: str = DEFAULT_OPENING,
        seed: int = 1,
        anchor: tuple[str, float] | None = None,
        place: JobPlace = HERE,
    ) -> None:
        self.game: Game = make_game(game)
        self.agents: tuple[str, ...] = players_of(agents)
        self.path: Path = Path(store)
        self.anchor: tuple[str, float] = anchor or (self.agents[0], 0.0)
        # A policy file runs no code of others: it needs no process of its own.
        foreign = any(resolve_agent(agent)[0].foreign for agent in self.agents)
        isolate = AUTO if foreign else NEVER
        spec = self.game.spec
        self._plan = Plan(spec, self.agents, pairs, opening, seed, isolate=isolate)
        self._place = place

    def rate(self, policy: str | Path) -> dict[str, float]:
        """Play and rate a policy file in a pool of its own with the ladder's agents.

        So the rating of one version does not move with the next.

        Returns:
            ``elo``, ``margin`` (half the width of its 95 % interval), and the score against each
            agent of the ladder by its specification.
        """
        ratings, meetings = self._rate([policy])
        newest = len(self.agents)
        scores = {
            self.agents[other]: points / games
            for other, (points, games) in _points(newest, meetings).items()
        }
        return {"elo": float(ratings.elo[newest]), "margin": ratings.margin(newest), **scores}

    def pool(
        self,
        policies: Sequence[str | Path],
        *,
        seconds: float = math.inf,
        on_game: Callable[[StoredGame], None] = lambda game: None,
    ) -> tuple[Ratings, list[int]]:
        """Play and rate the versions of a learner and the ladder's agents in one pool.

        Each version meets the agents and the versions shortly before it.

        Args:
            policies: policy files, the oldest first.
            seconds: for so long games are played, first those of the agents, then those of the
                newest version. One pair of each meeting is played in any case, and what is missing
                by a later call.
            on_game: called after every game.

        Returns:
            The ratings of the agents and then of the policy files, and how many games of each count
            in them.

        Raises:
            RatingsError: the anchor is none of the agents.
            StoreError: the store cannot be read or written.
        """
        ratings, meetings = self._rate(policies, time.monotonic() + seconds, on_game)
        return ratings, [
            int(sum(games for _, games in _points(number, meetings).values()))
            for number in range(len(ratings.labels))
        ]

    def _rate(
        self,
        policies: Sequence[str | Path],
        until: float = math.inf,
        on_game: Callable[[StoredGame], None] = lambda game: None,
    ) -> tuple[Ratings, list[Meeting]]:
        count = len(self.agents)
        labels = [*self.agents, *(f"policy:{policy}" for policy in policies)]
        fields = [
            (number, *range(count), *range(max(count, number - NEAREST), number))
            for number in reversed(range(count, len(labels)))
        ]
        plans = [
            (field, self._plan.replace(agents=tuple(labels[i] for i in field), format="gauntlet"))
            for field in fields
        ]
        if count > 1:
            plans.insert(0, (tuple(range(count)), self._plan))
        meetings: list[Meeting] = []
        faults: list[list[AgentFaults]] = []
        with Store(self.path) as store:
            for field, plan in plans:
                table = self._play(plan, store, until, on_game)
                meetings += [
                    meeting._replace(first=field[meeting.first], second=field[meeting.second])
                    for meeting in table.meetings()
                ]
                faults.append(table.faults)
        return rate(labels, meetings, self.anchor, faults_in_all(faults)), meetings

    def _play(
        self, plan: Plan, store: Store, until: float, on_game: Callable[[StoredGame], None]
    ) -> CrossTable:
        """Play what is missing until the time is up, and the first pair of each meeting anyway."""
        tournament = Tournament(
            plan,
            store,
            place=self._place,
            on_changed=lambda change: True,
        )
        left = 2 * len(tournament.schedule.meetings) - tournament.table().games

        def count(game: StoredGame) -> None:
            nonlocal left
            on_game(game)
            left -= 1
            if left <= 0 and time.monotonic() >= until:
                raise _TimeIsUp

        if left > 0 or time.monotonic() < until:
            with contextlib.suppress(_TimeIsUp):
                tournament.run(count)
        return tournament.table()


def _points(agent: int, meetings: Sequence[Meeting]) -> dict[int, tuple[float, int]]:
    """An agent's points and games against each other one that it has met."""
    points: dict[int, tuple[float, int]] = {}
    for meeting in meetings:
        if meeting.first == agent:
            points[meeting.second] = meeting.points, meeting.games
        elif meeting.second == agent:
            points[meeting.first] = meeting.games - meeting.points, meeting.games
    return points
