"""The equilibrium of a table of scores: how often to play each member of a pool.

Source: von Neumann, "Zur Theorie der Gesellschaftsspiele", 1928; as a linear program in every text
on matrix games.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def nash_mixture(scores: Floats) -> Floats:
    """The mixture of members that no member beats on average.

    Args:
        scores: (n, n), the score of each member against each other one, from 0 to 1. What two
            members score against each other adds up to 1; against itself a member scores 1/2.

    Returns:
        (n,), weights that add up to 1. Several mixtures may do; the solver takes one of them.
    """
    from scipy.optimize import linprog

    count = len(scores)
    gains = scores - 0.5
    # Largest v with at least v against every member: x and v are the variables.
    objective = np.append(np.zeros(count), -1.0)
    bounds = [(0.0, 1.0)] * count + [(None, None)]
    result = linprog(
        objective,
        A_ub=np.hstack([-gains.T, np.ones((count, 1))]),
        b_ub=np.zeros(count),
        A_eq=np.append(np.ones(count), 0.0)[None, :],
        b_eq=[1.0],
        bounds=bounds,
        method="highs",
    )
    weights = np.clip(result.x[:count], 0.0, None)
    mixture: Floats = weights / weights.sum()
    return mixture


def exploitability(scores: Floats, mixture: Floats) -> float:
    """What the best member of a pool scores against a mixture, above 1/2; 0: none beats it."""
    return float((scores @ mixture).max() - 0.5)
