"""The sequential probability ratio test of a difference in Elo.

Pairs of games are played until the evidence clearly favours one of two hypotheses:
:mod:`~plyground.evaluation.statistics.sprt` has the mathematics.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from ..agents.faults import AgentFaults
from ..envs.specification import SpecificationError
from ..envs.workers.jobs import HERE, JobPlace
from .plan import Plan
from .statistics.cross_table import CrossTable
from .statistics.ratings import Ratings
from .statistics.sprt import Hypotheses, hypotheses_of, log_likelihood_ratio, normalized_elo
from .store.store import Store, StoredGame
from .tournament import Tournament

MAX_PAIRS = 10_000
# all games repeat earlier ones of deterministic agents: there are no more openings
ENOUGH_REPEATS = 20


class SprtState(NamedTuple):
    """The state of a test.

    Attributes:
        pairs: the number of pairs in which A scored 0, ½, 1, 1½ and 2 points; no repeated ones.
        ratio: the log-likelihood ratio.
        verdict: ``H0``, ``H1``, or None while undecided.
        repeated: games that only repeated earlier ones.
    """

    pairs: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    ratio: float = 0.0
    verdict: str | None = None
    repeated: int = 0


class SprtMatch:
    """Two agents, a game and hypotheses, bound to the store that keeps the games.

    The test evaluates the pairs in order, whichever were stored before: the same command reaches
    the same verdict after the same pair, however often it was stopped, and later pairs do not
    matter.

    Args:
        plan: the game, the agents A and B, openings, seed, and the maximum number of pairs (by
            default 10,000).
        hypotheses: the hypotheses.
        store: where the games are stored.
        place: where they are played; by default in this process.
        on_changed: as of :class:`~plyground.evaluation.tournament.Tournament`.

    Raises:
        SpecificationError: the plan cannot be played or tested, or the store has games of this
            test that were played for other hypotheses.
        StoreError: the store cannot be used.
    """

    def __init__(
        self,
        plan: Plan,
        hypotheses: Hypotheses,
        store: Store,
        place: JobPlace = HERE,
        on_changed: Callable[[str], bool] = lambda change: False,
    ) -> None:
        if len(plan.agents) != 2:
            raise SpecificationError(f"a test is between two agents, not {len(plan.agents)}")
        self.hypotheses: Hypotheses = hypotheses
        self.max_pairs: int = plan.pairs or MAX_PAIRS
        self.tournament: Tournament = Tournament(
            plan.replace(pairs=self.max_pairs), store, place, on_changed, hypotheses
        )
        self._refuse_other_hypotheses(store)
        self.plan: Plan = self.tournament.plan
        self.labels: list[str] = self.tournament.labels
        self.state: SprtState = SprtState()
        self.seconds = 0.0
        self._table = CrossTable(self.labels, self.tournament.game)
        self._waiting: dict[int, list[StoredGame]] = {}  # games of pairs whose turn has not come
        self._next = 0
        self._ended = False  # whether every useful game has been played

    def _refuse_other_hypotheses(self, store: Store) -> None:
        """SpecificationError if the store holds this test, begun with other hypotheses."""
        present = store.tournament(self.tournament.name)
        before = None if present is None else hypotheses_of(present.settings)
        if before is not None and before != self.hypotheses:
            raise SpecificationError(
                f"{store.path} holds this test, begun with {before}; with {self.hypotheses} it "
                f"cannot go on, since a test keeps the hypotheses that it began with: ask for "
                f"those, or begin another test with another --seed or --store"
            )

    @property
    def exhausted(self) -> bool:
        """Whether the agents would only repeat games, so that more games are no evidence."""
        return (self._ended and self._next < self.max_pairs) or self.state.repeated >= max(
            ENOUGH_REPEATS, 2 * sum(self.state.pairs)
        )

    @property
    def withdrawn(self) -> str | None:
        """The agent whose repeated crashes ended the test, if any."""
        if self.state.verdict is not None:
            return None
        agents = self.tournament.withdrawn().agents
        return self.labels[min(agents)] if agents else None

    @property
    def finished(self) -> bool:
        return self.state.verdict is not None or self.exhausted or self._next >= self.max_pairs

    def run(self, on_pair: Callable[[SprtState], None] | None = None) -> SprtState:
        """Play until the test decides, ``max_pairs`` is reached or the agents only repeat games.

        ``on_pair`` is called with the state after each pair.
        """
        began = time.perf_counter()

        def take(game: StoredGame) -> None:
            self._take(game, on_pair)

        try:
            for game in self.tournament.played():
                if self.finished:
                    break
                take(game)
            if not self.finished:
                self.tournament.get_ready()
                self.tournament.run(take, lambda: self.finished)
            if not self.finished:
                self._ended = not self.tournament.withdrawn().agents
        finally:
            self.seconds += time.perf_counter() - began
        return self.state

    def _take(self, game: StoredGame, on_pair: Callable[[SprtState], None] | None) -> None:
        """Add a game, and evaluate complete pairs in order."""
        self._waiting.setdefault(game.pair, []).append(game)
        while len(self._waiting.get(self._next, ())) == 2:
            for half in self._waiting.pop(self._next):
                self._table.count(half)
            self._next += 1
            pairs = self._table.meetings()[0].pairs
            ratio = log_likelihood_ratio(pairs, self.hypotheses.elo0, self.hypotheses.elo1)
            verdict = self.hypotheses.verdict(ratio)
            self.state = SprtState(pairs, ratio, verdict, self._table.repeated)
            if on_pair is not None:
                on_pair(self.state)
            if self.finished:
                return

    @property
    def faults(self) -> list[AgentFaults]:
        """What the agents did wrong that forfeited games."""
        return self._table.faults

    def ratings(self) -> Ratings | None:
        """Both agents' ratings from the judged pairs, B's being 0; None before the first pair."""
        return self._table.ratings((self.labels[1], 0.0)) if any(self.state.pairs) else None

    def to_json(self) -> dict[str, Any]:
        ratings, state = self.ratings(), self.state
        lower, upper = self.hypotheses.bounds
        elo, margin = (None, None) if ratings is None else ratings.difference(0, 1)
        normalized = normalized_elo(state.pairs)
        return {
            "game": self.plan.game,
            "agents": list(self.plan.agents),
            "seed": self.plan.seed,
            "opening": self.plan.opening,
            "digest": self.tournament.digest,
            "games_digest": self.tournament.games_digest,
            **vars(self.hypotheses),
            "max_pairs": self.max_pairs,
            "verdict": state.verdict,
            "llr": state.ratio,
            "lower_bound": lower,
            "upper_bound": upper,
            "exhausted": self.exhausted,
            "withdrawn": self.withdrawn,
            "pairs": sum(state.pairs),
            "pentanomial": list(state.pairs),
            "normalized_elo": normalized and normalized[0],
            "normalized_margin": normalized and normalized[1],
            "repeated_games": state.repeated,
            "faults": [{"agent": each.agent, **each.to_json()} for each in self.faults],
            "seconds": self.seconds,
            "elo": elo,
            "margin": margin,
            "superiority": None if ratings is None else ratings.superiority(0, 1),
        }
