"""Perft: the number of move sequences to a depth.

It is the standard test that rules are complete and correct.

The name and the method come from chess programming (performance test): walk the whole tree of legal
moves and count its leaves. A forgotten or an extra move at any ply changes the count.
"""

from __future__ import annotations

import numpy as np

from .. import rules as r
from ..compiled.kernels import announce_compilation, kernel
from ..game import Position


def perft(position: Position, depth: int) -> int:
    """The number of move sequences of exactly ``depth`` plies from ``position``.

    A sequence that ends the game counts at its last ply (``depth`` equal to its length), and not at
    greater depths.

    Args:
        position: the start; it is not changed.
        depth: plies, 0 or more; 0 counts the position itself.

    Raises:
        ValueError: a negative depth.
    """
    if depth < 0:
        raise ValueError(f"the depth of a perft is 0 or more, not {depth}")
    if depth == 0:
        return 1
    positions = position.game.new_records(depth)
    positions[0] = position.record
    actions = np.empty((depth, position.game.facts.num_actions), np.int16)
    counts, cursors = np.zeros(depth, np.int64), np.zeros(depth, np.int64)
    with announce_compilation(f"perft for {position.game.name}"):
        count_sequences(position.game.rules, positions, actions, counts, cursors, 1)
    return int(count_sequences(position.game.rules, positions, actions, counts, cursors, depth))


@kernel
def count_sequences(rules, positions, actions, counts, cursors, depth):
    """Walk the tree below ``positions[0]`` depth first and count the leaves.

    Returns the number of leaves at ``depth`` (1 or more) plies.

    ``positions`` (depth), ``actions`` (depth, num_actions), ``counts`` and ``cursors`` (depth) are
    the columns of an explicit stack.
    """
    leaves, ply, entering = 0, 0, True
    while True:
        if entering:
            # A finished game has no legal actions, so it is left like a node whose actions have all
            # been tried.
            counts[ply] = r.legal_actions(rules, positions[ply], actions[ply])
            cursors[ply] = 0
            if ply == depth - 1:
                leaves += counts[ply]  # each action leads to one leaf; there is no need to play it
                cursors[ply] = counts[ply]
        if cursors[ply] == counts[ply]:
            if ply == 0:
                return leaves
            ply -= 1
            entering = False
            continue
        positions[ply + 1] = positions[ply]
        r.play(rules, positions[ply + 1], np.int64(actions[ply, cursors[ply]]))
        cursors[ply] += 1
        ply += 1
        entering = True
