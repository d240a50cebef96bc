"""A network's predictions for positions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...envs.pictures.tables import html_table

MOST_ROWS, MOST_ACTIONS = 20, 5  # shown in notebooks


class Prediction(NamedTuple):
    """A network's predictions for N positions.

    Attributes:
        probabilities: the policy, float64, (N, num_actions), 0 for illegal actions.
        values: the values of the positions, float64, (N,); None if the network has none.
        action_values: the action values of a Q network, float64, (N, num_actions); its
            probabilities are their softmax.
    """

    probabilities: np.ndarray
    values: np.ndarray | None
    action_values: np.ndarray | None = None

    def _repr_html_(self) -> str:
        """Notebooks show the value and the most probable actions of the first positions."""
        rows = []
        for number, row in enumerate(self.probabilities[:MOST_ROWS]):
            best = [action for action in np.argsort(-row, kind="stable")[:MOST_ACTIONS]
                    if row[action] > 0]  # fmt: skip
            actions = ", ".join(f"{action}: {100 * row[action]:.1f} %" for action in best)
            rows.append((number, None if self.values is None else self.values[number], actions))
        more = len(self.probabilities) - len(rows)
        notes = [f"and {more} more positions"] if more else []
        return html_table(rows, ["position", "value", "most probable actions"], notes=notes)


def masked_softmax(logits: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """The probabilities (float64) of the legal actions, from rows of logits.

    Masks are 0 for illegal actions.
    """
    legal_logits = np.where(masks != 0, logits.astype(np.float64), -np.inf)
    weights = np.exp(legal_logits - legal_logits.max(axis=-1, keepdims=True))
    probabilities: np.ndarray = weights / weights.sum(axis=-1, keepdims=True)
    return probabilities
