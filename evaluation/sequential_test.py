"""The sequential probability ratio test of a difference in Elo.

Pairs of games are played until the evidence favours one of two hypotheses clearly.

H0 says that agent A is ``elo0`` points stronger than agent B, H1 that it is ``elo1``. After each
pair, the log-likelihood ratio of H1 against H0 is compared with log(beta / (1 - alpha)) and log((1
- beta) / alpha): H0 is accepted below the first, H1 above the second. With alpha, H1 is accepted
although H0 holds; with beta, H0 although H1 holds (both nearly, and at most if the pairs are many).

The ratio is generalised: a pair has five outcomes (0, ½, 1, 1½, 2 points for A) of unknown
probabilities, and each hypothesis is given those that explain the results best among all that have
its expected score. This takes in how often agents draw and how much the opening decides.

Sources: A. Wald, "Sequential Tests of Statistical Hypotheses" (1945); M. Van den Bergh, "Comments
on Normalized Elo" and "The maximum likelihood estimator of a multinomial distribution with given
expectation", as in Fishtest's and fastchess's pentanomial tests; A. Owen, "Empirical Likelihood"
(2001) for the same construction. Outcomes that have not occurred count 1/1000 of a pair, as there.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..envs.specification import SpecificationError, number_text
from .runners.contest import USUAL, Conditions
from .runners.runner import Runner
from .statistics.cross_table import CrossTable
from .statistics.ratings import Ratings, rate, score_of
from .store.store import Store, StoredGame
from .tournament import Plan, Tournament

UNSEEN = 1e-3  # pairs
POINTS = np.linspace(0, 1, 5)  # for each game of a pair
BISECTIONS = 80
MAX_PAIRS = 10_000
# games that deterministic agents have all played before: there are no more openings
ENOUGH_REPEATS = 20
H0, H1 = "H0", "H1"
LARGEST_ELO = 4000  # of a difference; beyond it all games are won in either case


class Hypotheses(NamedTuple):
    """The two differences in Elo, and the probabilities of the two errors."""

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def check(self) -> None:
        """SpecificationError if these cannot be tested."""
        for name, elo in (("elo0", self.elo0), ("elo1", self.elo1)):
            if not abs(elo) <= LARGEST_ELO:
                raise SpecificationError(
                    f"{name} is from -{LARGEST_ELO} to {LARGEST_ELO}, not {elo:g}"
                )
        if not self.elo0 < self.elo1:
            raise SpecificationError(
                f"elo0 must be less than elo1, not {number_text(self.elo0)} and "
                f"{number_text(self.elo1)}"
            )
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise SpecificationError(
                    f"{name} must be more than 0 and less than 0.5, not {value:g}"
                )

    def verdict(self, ratio: float) -> str | None:
        """The verdict of a log-likelihood ratio: ``H0``, ``H1``, or None as long as it is open."""
        lower, upper = self.bounds
        return H0 if ratio <= lower else H1 if ratio >= upper else None


def log_likelihood_ratio(pairs: Sequence[int], elo0: float, elo1: float) -> float:
    """The generalised log-likelihood ratio of ``elo1`` against ``elo0``.

    Args:
        pairs: how many pairs brought 0, ½, 1, 1½ and 2 points.
        elo0: the difference under the one hypothesis.
        elo1: the difference under the other.
    """
    if not any(pairs):
        return 0.0
    counts = [count or UNSEEN for count in pairs]
    return _log_likelihood(counts, score_of(elo1)) - _log_likelihood(counts, score_of(elo0))


def _log_likelihood(counts: Sequence[float], score: float) -> float:
    """The greatest log-likelihood of outcomes with a given expected score, up to a constant.

    The best probabilities are p_i / (1 + x (a_i - score)), p_i being the observed shares and a_i
    the points; x makes the expectation right. The sum that must vanish falls as x grows, so that
    bisection finds it.
    """
    offsets = [float(points) - score for points in POINTS]
    low, high = -1 / offsets[-1], -1 / offsets[0]
    for _ in range(BISECTIONS):
        x = (low + high) / 2
        if sum(count * offset / (1 + x * offset) for count, offset in zip(counts, offsets)) > 0:
            low = x
        else:
            high = x
    x = (low + high) / 2
    return -sum(count * math.log1p(x * offset) for count, offset in zip(counts, offsets))


class SprtState(NamedTuple):
    """The state of a test.

    Attributes:
        pairs: how many pairs brought A 0, ½, 1, 1½ and 2 points, repeated ones left out.
        ratio: the log-likelihood ratio.
        verdict: ``H0``, ``H1``, or None as long as it is not decided.
        repeated: games that the two had played before.
    """

    pairs: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    ratio: float = 0.0
    verdict: str | None = None
    repeated: int = 0


class _End(Exception):
    """Leaves the tournament when nothing more needs to be played."""


class SprtMatch:
    """Two agents, a game and hypotheses, bound to the store that keeps the games.

    The test looks at the pairs in their order, whichever were in the store before: the same command
    comes to the same verdict after the same pair, however often it was stopped, and pairs beyond
    that one do not matter.

    Args:
        plan: the game, the agents A and B, openings and seed, and how many pairs are played at most
            (by default 10,000).
        hypotheses: what is tested.
        store: where the games go.
        runner: where they are played; by default in this process.
        conditions: what the agents may use.
        on_changed: as of :class:`~plyground.evaluation.tournament.Tournament`.

    Raises:
        SpecificationError: this cannot be played or tested.
        StoreError: the store cannot be used.
    """

    def __init__(
        self,
        plan: Plan,
        hypotheses: Hypotheses,
        store: Store,
        runner: Runner | None = None,
        conditions: Conditions = USUAL,
        on_changed: Callable[[str], bool] = lambda change: False,
    ) -> None:
        hypotheses.check()
        if len(plan.agents) != 2:
            raise SpecificationError(f"a test is between two agents, not {len(plan.agents)}")
        self.hypotheses: Hypotheses = hypotheses
        self.max_pairs: int = plan.pairs or MAX_PAIRS
        self.tournament: Tournament = Tournament(
            plan._replace(pairs=self.max_pairs), store, None, runner, conditions, on_changed
        )
        self.plan: Plan = self.tournament.plan
        self.labels: list[str] = self.tournament.labels
        self.state: SprtState = SprtState()
        self.seconds = 0.0
        self._table = CrossTable(self.labels, self.tournament.game)
        self._waiting: dict[int, list[StoredGame]] = {}  # games of pairs whose turn has not come
        self._next = 0
        self._ended = False  # whether every game that is worth playing has been played

    @property
    def exhausted(self) -> bool:
        """Whether the agents would only repeat games, so that more games are no evidence."""
        return (self._ended and self._next < self.max_pairs) or self.state.repeated >= max(
            ENOUGH_REPEATS, 2 * sum(self.state.pairs)
        )

    @property
    def withdrawn(self) -> str | None:
        """The agent whose process has crashed in one game after another, if the test ended so."""
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
                take(game)
            self.tournament.get_ready()
            self.tournament.run(take)
            self._ended = not self.tournament.withdrawn().agents
        except _End:
            pass
        finally:
            self.seconds += time.perf_counter() - began
        return self.state

    def _take(self, game: StoredGame, on_pair: Callable[[SprtState], None] | None) -> None:
        """Take a game; when pairs are complete and their turn has come, judge them one by one."""
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
                raise _End

    def ratings(self) -> Ratings | None:
        """Both agents' ratings from the judged pairs, B's being 0; None before the first pair."""
        return (
            rate(self.labels, self._table.meetings(), (self.labels[1], 0.0))
            if any(self.state.pairs)
            else None
        )

    def to_json(self) -> dict[str, Any]:
        ratings, state = self.ratings(), self.state
        lower, upper = self.hypotheses.bounds
        elo, margin = (None, None) if ratings is None else ratings.difference(0, 1)
        return {
            "game": self.plan.game,
            "agents": list(self.plan.agents),
            "seed": self.plan.seed,
            "opening": self.plan.opening,
            "digest": self.tournament.digest,
            **self.hypotheses._asdict(),
            "max_pairs": self.max_pairs,
            "verdict": state.verdict,
            "llr": state.ratio,
            "lower_bound": lower,
            "upper_bound": upper,
            "exhausted": self.exhausted,
            "withdrawn": self.withdrawn,
            "pairs": sum(state.pairs),
            "pentanomial": list(state.pairs),
            "repeated_games": state.repeated,
            "seconds": self.seconds,
            "elo": elo,
            "margin": margin,
            "superiority": None if ratings is None else ratings.superiority(0, 1),
        }
