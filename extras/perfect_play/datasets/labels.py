"""The labels of a dataset: exact values of positions and of all their legal actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ....agents.solvers.solver import Solver
from .positions import Actions

ILLEGAL_VALUE = np.int16(-32768)  # the value of an illegal action
ILLEGAL_RESULT = np.int8(-128)
UNKNOWN_VALUE = np.int16(-32767)  # the value of a legal action that a teacher did not choose
UNKNOWN_RESULT = np.int8(-127)


class Labels(NamedTuple):
    """Exact values from the side of the player to move.

    Attributes:
        values: int16 of shape (positions, num_actions): the value of each action in the solver's
            unit; ``ILLEGAL_VALUE`` for an illegal action.
        results: int8 of the same shape: +1 the action wins under best play, 0 it draws, −1 it
            loses; ``ILLEGAL_RESULT`` for an illegal action.
    """

    values: np.ndarray
    results: np.ndarray


def label(solver: Solver, positions: Sequence[Actions]) -> Labels:
    """Solve every legal action of unfinished positions, given by the actions that lead to them."""
    shape = (len(positions), solver.game.facts.num_actions)
    values, results = np.full(shape, ILLEGAL_VALUE), np.full(shape, ILLEGAL_RESULT)
    for row, actions in enumerate(positions):
        position = solver.game.position(actions)
        for action, value in solver.action_values(position).items():
            values[row, action] = value
            results[row, action] = np.sign(solver.expected_return(position, value))
    return Labels(values, results)
