"""What a tree search knows of the root's actions: visits, values, proofs, the expected line."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..score import Kind
from . import mcts_kernels as search

# An action's mean is taken to lie so many standard errors around it at most; a variance so small
# at least is assumed, since the first visits may agree by chance.
CONFIDENCE, LEAST_VARIANCE = 1.64, 0.01


class RootActions:
    """The statistics of the root's actions in all trees, from the side of the mover.

    Attributes:
        visits: simulations by action.
        totals: sum of the scaled returns by action.
        proven: scaled return under best play, for the actions where it is proven.
        mean: the mean scaled return of all simulations.
        is_proven: whether the first tree proves the position's value.
    """

    def __init__(self, trees: list[search.Tree], mover: int) -> None:
        self._trees, self._sign = trees, 1.0 if mover == 0 else -1.0
        self.visits: dict[int, int] = {}
        self.totals: dict[int, float] = {}
        self.proven: dict[int, float] = {}
        self._margins: dict[int, float] = {}
        self._squares: dict[int, float] = {}
        self._proofs: dict[int, tuple[int, float]] | None = None
        for tree in trees:
            for child in children_of(tree):
                action = int(child.action)
                self.visits[action] = self.visits.get(action, 0) + int(child.visits)
                total, margin = self._sign * float(child.total), self._sign * float(child.margin)
                self.totals[action] = self.totals.get(action, 0.0) + total
                self._margins[action] = self._margins.get(action, 0.0) + margin
                self._squares[action] = self._squares.get(action, 0.0) + float(child.squares)
                if child.proven == search.EXACT:
                    self.proven[action] = self._sign * float(child.result)
        root = trees[0].nodes[search.ROOT]
        self.mean = self._sign * float(root.total) / max(int(root.visits), 1)
        self.is_proven = bool(root.proven == search.EXACT)
        self._at_once: set[int] = set()

    def open_actions(self) -> list[int]:
        """The actions whose result is not proven."""
        return [action for action in self.visits if action not in self.proven]

    def lose_at_once(self, action: int) -> None:
        """Note that the opponent wins with the reply to an action."""
        self.proven[action] = -1.0
        self._at_once.add(action)

    def certainty(self, action: int) -> tuple[Kind, int | None]:
        """The kind of an action's score, and the plies to the end where the result is proven."""
        return ("exact", self.plies(action)) if action in self.proven else ("estimate", None)

    def plies(self, action: int) -> int:
        """The plies to the end of the game after a proven action, the action included."""
        return 2 if action in self._at_once else self._follow_proofs()[action][0]

    def lower_bound(self, action: int) -> float:
        """The lower end of the confidence interval of an action's mean; it has been visited."""
        visits = self.visits[action]
        mean = self.totals[action] / visits
        variance = max(self._squares[action] / visits - mean * mean, 0.0) + LEAST_VARIANCE
        return mean - CONFIDENCE * math.sqrt(variance / visits)

    def margin(self, action: int) -> float:
        """The margin that is proven for an action, else the mean of its simulations."""
        if action in self.proven and action not in self._at_once:
            return self._follow_proofs()[action][1]
        return self._margins[action] / max(self.visits[action], 1)

    def _follow_proofs(self) -> dict[int, tuple[int, float]]:
        """Plies to the end and margin by proven action, from the first tree that proves it."""
        if self._proofs is None:
            self._proofs = {}
            for tree in self._trees:
                size = int(tree.size[0])
                plies, margins = np.zeros(size, np.int32), np.zeros(size, np.float32)
                search.follow_proofs(tree.nodes, size, plies, margins)
                first = int(tree.nodes[search.ROOT].children)
                for index, child in enumerate(children_of(tree), first):
                    if child.proven == search.EXACT:
                        proof = 1 + int(plies[index]), self._sign * float(margins[index])
                        self._proofs.setdefault(int(child.action), proof)
        return self._proofs


def children_of(tree: search.Tree) -> Any:
    """The nodes of the root's actions."""
    root = tree.nodes[search.ROOT]
    return tree.nodes[root.children : root.children + root.count]


def principal_variation(tree: search.Tree, action: int) -> tuple[int, ...]:
    """The most visited line that begins with ``action``."""
    nodes, node = tree.nodes, search.ROOT
    line: list[int] = []
    while nodes[node].count > 0:
        first, count = int(nodes[node].children), int(nodes[node].count)
        children = nodes[first : first + count]
        best = int(np.argmax(children.visits if line else children.action == action))
        if children[best].visits == 0:
            break
        line.append(int(children[best].action))
        node = first + best
    return tuple(line) or (action,)
