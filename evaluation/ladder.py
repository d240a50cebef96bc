"""A ladder: agents of known order that the versions of a learner are rated against."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..envs.game import Game
from ..envs.registry import make_game
from .runners.contest import Conditions
from .runners.isolation import NEVER
from .statistics.ratings import Meeting, Ratings, rate
from .store.store import Store
from .tournament import Plan, Tournament

# A policy file runs no code of others: it needs no process of its own.
HERE = Conditions(NEVER)


class Ladder:
    """Rates policy files against a list of agents; all games are kept in a store.

    The agents of the ladder play each other once, before the first rating. Each policy file then
    plays a gauntlet of its own against them, and is rated in the pool of these games alone, so that
    the rating of one version does not move with the next. The first agent is rated 0.

    Args:
        game: the game, or its specification.
        agents: specifications of at least two agents.
        store: the SQLite file; ``plyground report`` shows it.
        pairs: pairs of games of each meeting.
        opening: where openings come from, as for
            :class:`~plyground.evaluation.tournament.Plan`.
        seed: decides the openings and the random choices.

    Raises:
        SpecificationError: agents that do not exist or cannot play the game.
    """

    def __init__(
        self,
        game: Game | str,
        agents: Sequence[str],
        store: str | Path,
        *,
        pairs: int = 50,
        opening: str = "random:2",
        seed: int = 1,
    ) -> None:
        self.game: Game = make_game(game)
        self.agents: tuple[str, ...] = tuple(agents)
        self.path: Path = Path(store)
        self._plan = Plan(self.game.spec, self.agents, pairs, opening, seed)
        self._among_themselves: list[Meeting] | None = None

    def rate(self, policy: str | Path) -> dict[str, float]:
        """Play and rate a policy file.

        Returns:
            ``elo``, ``margin`` (half the width of its 95 % interval), and the score against each
            agent of the ladder by its specification.
        """
        ratings, scores = self.ratings(policy)
        newest = len(self.agents)
        return {"elo": float(ratings.elo[newest]), "margin": ratings.margin(newest), **scores}

    def ratings(self, policy: str | Path) -> tuple[Ratings, dict[str, float]]:
        """The ratings of the agents and, last, of a policy file; and its score against each."""
        spec = f"onnx:{policy}"
        with Store(self.path) as store:
            if self._among_themselves is None:
                tournament = Tournament(self._plan, store, conditions=HERE)
                tournament.run()
                self._among_themselves = tournament.table().meetings()
            plan = self._plan._replace(agents=(spec, *self.agents), format="gauntlet")
            tournament = Tournament(plan, store, conditions=HERE)
            tournament.run()
            table = tournament.table()
        newest = len(self.agents)
        # In the gauntlet the policy is agent 0, and the ladder comes after it.
        newest_meetings = [
            meeting._replace(
                first=_place(meeting.first, newest), second=_place(meeting.second, newest)
            )
            for meeting in table.meetings()
        ]
        labels = [*self.agents, spec]
        ratings = rate(labels, [*self._among_themselves, *newest_meetings], (labels[0], 0.0))
        scores = {
            name: tally.score
            for name, tally in zip(self.agents, table.rows[0].against.values())
            if tally.score is not None
        }
        return ratings, scores


def _place(number: int, newest: int) -> int:
    return newest if number == 0 else number - 1
