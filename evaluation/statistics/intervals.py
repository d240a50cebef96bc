"""Intervals for shares and means of observations that come in clusters, such as the moves of one
game, which depend on each other.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from .ratings import QUANTILE

Numbers = npt.NDArray[np.int64]


def share_interval(hits: Numbers, clusters: npt.NDArray[np.int64]) -> tuple[float, float, float]:
    """A share with its 95 % interval: Wilson's score interval for as many independent observations
    as these are worth.

    The worth of n dependent observations is the n at which a binomial share would vary as much as
    this one does from cluster to cluster; where all observations are alike it is the number of
    clusters. If every cluster is one observation this is Wilson's interval itself.

    Args:
        hits: 1 or 0 for each observation, shape (n,), n > 0.
        clusters: the number of the cluster each belongs to, shape (n,).

    Returns:
        the share, and the ends of its interval.

    Sources: E. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference"
        (1927); E. Korn and B. Graubard, "Confidence
    intervals for proportions with small expected number of positive counts estimated from survey
    data" (1998) for the effective sample size.
    """
    share = float(np.mean(hits))
    count = len(hits)
    if share in (0.0, 1.0):
        worth = float(len(np.unique(clusters)))
    else:
        variance = _variance_of_mean(hits - share, clusters)
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
    """A mean and half the width of its 95 % interval, by the normal distribution and the spread
    from cluster to cluster.

    Args:
        values: shape (n,), n > 0.
        clusters: the number of the cluster each belongs to, shape (n,).
    """
    mean = float(np.mean(values))
    number = len(np.unique(clusters))
    correction = number / (number - 1) if number > 1 else math.inf
    variance = _variance_of_mean(values - mean, clusters)
    return mean, QUANTILE * math.sqrt(correction * variance) if variance > 0 else 0.0


def _variance_of_mean(
    residuals: npt.NDArray[np.floating[Any]], clusters: npt.NDArray[np.int64]
) -> float:
    """The variance of a mean whose residuals are independent from cluster to cluster only."""
    _, places = np.unique(clusters, return_inverse=True)
    return float(np.square(np.bincount(places, residuals)).sum()) / len(residuals) ** 2
