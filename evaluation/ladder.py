"""A ladder: agents of known order against which the versions of a learner are rated."""

from __future__ import annotations

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


class Ladder:
    """Rates policy files against a list of agents; all games are stored.

    Stored games are not played again. Games of other code (such as an earlier version of plyground)
    stay in the store and do not count.

    Args:
        game: the game, or its specification.
        agents: specifications of one or more agents.
        store: the SQLite file; ``plyground report`` shows it.
        pairs: pairs of games between any two agents.
        opening: the source of the openings, as for
            :class:`~plyground.evaluation.tournament.Plan`.
        seed: decides the openings and the random choices.
        anchor: an agent's specification and its fixed rating; None: the first agent has 0.
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
        self.agents: tuple[str, ...] = tuple(dict.fromkeys(players_of(agents)))
        self.path: Path = Path(store)
        self.anchor: tuple[str, float] = anchor or (self.agents[0], 0.0)
        # A policy file runs no foreign code: it needs no separate process.
        foreign = any(resolve_agent(agent)[0].foreign for agent in self.agents)
        isolate = AUTO if foreign else NEVER
        spec = self.game.spec
        self._plan = Plan(spec, self.agents, pairs, opening, seed, isolate=isolate)
        self._place = place

    def rate(self, policy: str | Path) -> dict[str, float]:
        """Play and rate a policy file in a separate pool with the ladder's agents.

        So the rating of one version does not change with the next.

        Returns:
            ``elo``, ``margin`` (half the width of its 95 % interval), and the score against each
            agent of the ladder by its specification.
        """
        ratings, meetings = self._rate([policy])
        newest = len(self.agents)
        results = _points(ratings.labels[newest], meetings)
        scores = {other: points / games for other, (points, games) in results.items()}
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
            seconds: time limit for playing: first the games of the agents, then those of the newest
                version. One pair between any two agents is played in any case; a later call plays
                the missing games.
            on_game: called after every game.

        Returns:
            The ratings of the agents and then of the policy files, and the number of games that
            count for each.

        Raises:
            RatingsError: the anchor is not one of the agents.
            StoreError: the store cannot be read or written.
        """
        ratings, meetings = self._rate(policies, time.monotonic() + seconds, on_game)
        return ratings, [
            sum(games for _, games in _points(label, meetings).values()) for label in ratings.labels
        ]

    def _rate(
        self,
        policies: Sequence[str | Path],
        until: float = math.inf,
        on_game: Callable[[StoredGame], None] = lambda game: None,
    ) -> tuple[Ratings, list[Meeting]]:
        """The ratings of the agents and then of the policies, and the meetings behind them."""
        versions = [f"policy:{policy}" for policy in policies]
        plans = [self._plan] if len(self.agents) > 1 else []
        for number, version in reversed([*enumerate(versions)]):
            earlier = versions[max(0, number - NEAREST) : number]
            agents = (version, *self.agents, *earlier)
            plans.append(self._plan.replace(agents=agents, format="gauntlet"))
        meetings: list[Meeting] = []
        faults: list[list[AgentFaults]] = []
        with Store(self.path) as store:
            for plan in plans:
                table = self._play(plan, store, until, on_game)
                meetings += table.meetings()
                faults.append(table.faults)
        labels = [*self.agents, *versions]
        return rate(labels, meetings, self.anchor, faults_in_all(faults)), meetings

    def _play(
        self, plan: Plan, store: Store, until: float, on_game: Callable[[StoredGame], None]
    ) -> CrossTable:
        """Play what is missing until the time is up, and the first pair of each meeting anyway."""
        tournament = Tournament(plan, store, place=self._place, on_changed=lambda change: True)
        least, games = 2 * len(tournament.schedule.meetings), tournament.table().games

        def take(game: StoredGame) -> None:
            nonlocal games
            games += 1
            on_game(game)

        def is_enough() -> bool:
            return games >= least and time.monotonic() >= until

        if not is_enough():
            tournament.run(take, is_enough)
        return tournament.table()


def _points(agent: str, meetings: Sequence[Meeting]) -> dict[str, tuple[float, int]]:
    """An agent's points and games against each other one that it has met."""
    points: dict[str, tuple[float, int]] = {}
    for meeting in meetings:
        if meeting.first == agent:
            points[meeting.second] = meeting.points, meeting.games
        elif meeting.second == agent:
            points[meeting.first] = meeting.games - meeting.points, meeting.games
    return points
