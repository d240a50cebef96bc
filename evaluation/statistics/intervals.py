"""95 % intervals for shares, means and scores of clustered observations.

Observations come in clusters: the moves of one game, the games of one opening, the two games of a
pair. Clusters are independent of each other; observations within one are not.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

QUANTILE = 1.959963984540054  # of the normal distribution, for 95 % between both signs

Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.floating[Any]]


def share_interval(hits: Numbers, clusters: npt.NDArray[np.int64]) -> tuple[float, float, float]:
    """A share with Wilson's 95 % score interval, for clustered observations.

    The interval is Wilson's for the effective number of independent observations.

    The effective number is the n at which a binomial share would vary as much as this one does
    between clusters; if all observations are equal it is the number of clusters. If every cluster
    is one observation this is Wilson's interval itself.

    Args:
        hits: 1 or 0 for each observation, shape (n,), n > 0.
        clusters: the number of the cluster each belongs to, shape (n,).

    Returns:
        the share, and the ends of its interval.

    Sources: E. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference"
    (1927); E. Korn and B. Graubard, "Confidence intervals for proportions with small expected
    number of positive counts estimated from survey data" (1998) for the effective sample size.
    """
    share = float(np.mean(hits))
    count = len(hits)
    if share in (0.0, 1.0):
        worth = float(len(np.unique(clusters)))
    else:
        _, places = np.unique(clusters, return_inverse=True)
        variance = float(np.square(np.bincount(places, hits - share)).sum()) / count**2
        worth = min(float(count), share * (1 - share) / variance) if variance > 0 else float(count)
    square = QUANTILE**2
    middle = (share + square / (2 * worth)) / (1 + square / worth)
    half = (
        QUANTILE
        / (1 + square / worth)
        * math.sqrt(share * (1 - share) / worth + square / (4 * worth**2))
    )
    return share, max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))


def mean_margin(values: Numbers, clusters: npt.NDArray[np.int64]) -> tuple[float, float]:
    """A mean and half the width of its 95 % interval, from the variance between clusters.

    Args:
        values: shape (n,), n > 0.
        clusters: the number of the cluster each belongs to, shape (n,).
    """
    _, places = np.unique(clusters, return_inverse=True)
    return mean_margin_of_totals(np.bincount(places, values), np.bincount(places))


def mean_margin_of_totals(totals: npt.NDArray[Any], sizes: Numbers) -> tuple[float, float]:
    """:func:`mean_margin` of observations given as one total per cluster.

    The interval uses the normal distribution. It is empty if all clusters have the same mean, or if
    there is only one cluster.

    Args:
        totals: the sum of each cluster's values, shape (k,), k > 0.
        sizes: the number of values in each cluster, at least one, shape (k,).
    """
    count = int(sizes.sum())
    mean = float(totals.sum()) / count
    if len(sizes) == 1:
        return mean, 0.0
    variance = float(np.square(totals - mean * sizes).sum()) / count**2
    return mean, QUANTILE * math.sqrt(len(sizes) / (len(sizes) - 1) * variance)


def paired_score_interval(pair_scores: Floats) -> tuple[float, float, float]:
    """A score with its 95 % interval, each pair of games being one observation.

    Half a pair won twice and half a pair lost twice are added to the variance, so that the interval
    stays wide if all pairs have the same result. The score itself is the plain mean.

    Args:
        pair_scores: the mean points of the games of each pair, from 0 to 1, shape (n,), n > 0.

    Returns:
        the score, and the ends of its interval.
    """
    count, score = len(pair_scores), float(np.mean(pair_scores))
    squares = float(np.square(pair_scores - score).sum()) + (score**2 + (1 - score) ** 2) / 2
    half = QUANTILE * math.sqrt(squares) / (count + 2)
    return score, max(0.0, score - half), min(1.0, score + half)
