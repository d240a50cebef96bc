"""The mathematics of a sequential probability ratio test, and normalised Elo.

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

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ...envs.loading.numbers import number_text
from ...envs.loading.settings import Settings, setting
from ...envs.specification import SpecificationError, refusing
from .intervals import QUANTILE
from .ratings import score_of

UNSEEN = 1e-3  # pairs
POINTS = np.linspace(0, 1, 5)  # for each game of a pair
BISECTIONS = 80
H0, H1 = "H0", "H1"
TEST = "test"  # the hypotheses, in the settings of a tournament
LARGEST_ELO = 4000  # of a difference; beyond it nearly all games are won
LEAST_ERROR, LARGEST_ERROR = 1e-6, 0.499


def _elo(default: float, hypothesis: str) -> Any:
    text = f"{hypothesis}: A is stronger than B by this many Elo points."
    return setting(default, text, -LARGEST_ELO, LARGEST_ELO, metavar="ELO")


def _error(default: float, text: str) -> Any:
    return setting(default, text, LEAST_ERROR, LARGEST_ERROR, metavar="P")


@dataclasses.dataclass(frozen=True)
class Hypotheses(Settings):
    """The two differences in Elo, and the probabilities of the two errors.

    Raises:
        SpecificationError: the hypotheses cannot be tested.
    """

    subject: ClassVar[str] = "a test"

    elo0: float = _elo(0.0, "H0")
    elo1: float = _elo(20.0, "H1")
    alpha: float = _error(0.05, "Probability of accepting H1 where H0 holds.")
    beta: float = _error(0.05, "Probability of accepting H0 where H1 holds.")

    def __post_init__(self) -> None:
        """Convert and check every value, and the two differences together."""
        super().__post_init__()
        if not self.elo0 < self.elo1:
            raise SpecificationError(
                f"elo0 must be less than elo1, not {number_text(self.elo0)} and "
                f"{number_text(self.elo1)}"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def __str__(self) -> str:
        return ", ".join(f"{name} {number_text(value)}" for name, value in vars(self).items())

    def verdict(self, ratio: float) -> str | None:
        """The verdict of a log-likelihood ratio: ``H0``, ``H1``, or None while undecided."""
        lower, upper = self.bounds
        return H0 if ratio <= lower else H1 if ratio >= upper else None


def log_likelihood_ratio(pairs: Sequence[int], elo0: float, elo1: float) -> float:
    """The generalised log-likelihood ratio of ``elo1`` against ``elo0``.

    Args:
        pairs: the numbers of pairs with 0, ½, 1, 1½ and 2 points.
        elo0: the Elo difference under H0.
        elo1: the Elo difference under H1.
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


NORMALIZED_ELO = 800 / math.log(10)  # points per standard deviation of a game


def normalized_elo(pairs: Sequence[int]) -> tuple[float, float] | None:
    """The difference in normalised Elo, and half the width of its 95 % interval.

    The score above ½ in standard deviations of a game: the number of games needed to separate two
    agents depends on this number alone, however often they draw. A game has half the variance of
    the sum of a pair. None if all pairs have the same result.

    Args:
        pairs: how many pairs brought 0, ½, 1, 1½ and 2 points.
    """
    number = sum(pairs)
    if not number:
        return None
    score = float(POINTS @ pairs) / number
    variance = float((POINTS - score) ** 2 @ pairs) / number
    if variance <= 0:
        return None
    scale = NORMALIZED_ELO / math.sqrt(2)
    return scale * (score - 0.5) / math.sqrt(variance), scale * QUANTILE / math.sqrt(number)


def hypotheses_of(settings: Mapping[str, Any]) -> Hypotheses | None:
    """The hypotheses of a test, from its settings; None of a tournament that was none.

    Raises:
        SpecificationError: they cannot be tested.
    """
    if TEST not in settings:
        return None
    with refusing((TypeError, ValueError), "a test without readable hypotheses"):
        return Hypotheses(**settings[TEST])
