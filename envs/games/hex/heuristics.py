"""The heuristic of Hex: how many stones each side needs to connect."""

from __future__ import annotations

import numpy as np

from ... import rules as r
from ...compiled.kernels import kernel
from .rules import STEPS, Hex, neighbour, own_edges


@kernel
def missing_stones(rules, position, player):
    """How many stones the player needs to connect, if the opponent passes.

    Sweeps over the board, forth and back, until no cell finds a shorter way from the first edge.
    """
    cells = rules.size * rules.size
    ways = np.full(cells, cells, np.int64)  # the fewest stones from the edge to and with each cell
    progress, forth = True, True
    while progress:
        progress = False
        for i in range(cells):
            cell = i if forth else cells - 1 - i
            if position.cells[cell] == 2 - player:
                continue
            shortest = 0 if own_edges(rules, cell, player) & 1 else cells
            for step in STEPS:
                beside = neighbour(rules, cell, step)
                if beside >= 0:
                    shortest = min(shortest, ways[beside])
            shortest += position.cells[cell] == 0
            if shortest < ways[cell]:
                ways[cell] = shortest
                progress = True
        forth = not forth
    least = cells
    for cell in range(cells):
        if own_edges(rules, cell, player) & 2:
            least = min(least, ways[cell])
    return least


@r.evaluate.register_body(Hex)
def evaluate(rules, position, player, heuristic):
    """``distance``: 100 for each stone that the opponent needs more than the player to connect."""
    lead = missing_stones(rules, position, 1 - player) - missing_stones(rules, position, player)
    return np.int64(100 * lead)
