"""Alpha-beta search, generic over games: the kernel.

Values are points from the side of one player, the *maximiser*, all through the tree: at every node the player to move decides
whether the node maximises or minimises, so a player who moves twice in a row needs no special case and nothing is negated.

Source: Knuth and Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6, 1975.
"""

from __future__ import annotations

import numpy as np

from ..envs import rules as r
from ..envs.kernels import kernel

WIN = 1_000_000  # points for each unit of return; minus the plies it takes, so that quick wins and slow losses are preferred
INFINITY = 1 << 40


@kernel
def terminal_points(rules, position, maximiser, ply):
    """The points of a finished game that took ``ply`` moves from the root."""
    result = r.returns(rules, position, maximiser)
    points = np.int64(result * WIN)
    if points > 0:
        return points - ply
    return points + ply if points < 0 else points


@kernel
def leaf_points(rules, position, maximiser, heuristic):
    """The heuristic's estimate, kept well inside the range of wins; 0 without a heuristic (−1)."""
    if heuristic < 0:
        return np.int64(0)
    return min(max(np.int64(r.evaluate(rules, position, maximiser, heuristic)), -WIN // 2), WIN // 2)


@kernel
def alphabeta(rules, positions, actions, counts, cursors, best, alphas, betas, maximiser, depth, heuristic, ordered):
    """Search ``positions[0]`` to ``depth`` plies; returns (points, best action, nodes).

    The stack of plies is explicit: ``positions`` (depth + 1), ``actions`` (depth, num_actions), ``counts``, ``cursors``, ``best``, ``alphas``,
    ``betas`` (depth + 1) are its columns. A node is counted when it is visited, the root included.
    """
    nodes, ply, entering = 1, 0, True
    root_action = -1
    alphas[0], betas[0] = -INFINITY, INFINITY
    while True:
        if entering:
            # 1. A leaf is worth its result or its estimate; hand the value to the parent.
            position = positions[ply]
            over = r.is_over(rules, position)
            if over or ply == depth:
                value = terminal_points(rules, position, maximiser, ply) if over else leaf_points(rules, position, maximiser, heuristic)
                if ply == 0:
                    return value, root_action, nodes
                ply -= 1
                entering = False
            else:
                # 2. An inner node starts with the worst value for its mover and all its actions to try.
                count = r.legal_actions(rules, position, actions[ply])
                if ordered:
                    r.order_actions(rules, position, actions[ply], count)
                counts[ply], cursors[ply] = count, 0
                best[ply] = -INFINITY if r.to_move(rules, position) == maximiser else INFINITY
        if not entering:
            # 3. Take the child's value into the node at `ply`.
            if r.to_move(rules, positions[ply]) == maximiser:
                if value > best[ply]:
                    best[ply] = value
                    if ply == 0:
                        root_action = np.int64(actions[0, cursors[0] - 1])
                alphas[ply] = max(alphas[ply], value)
            else:
                if value < best[ply]:
                    best[ply] = value
                    if ply == 0:
                        root_action = np.int64(actions[0, cursors[0] - 1])
                betas[ply] = min(betas[ply], value)
        # 4. Done with this node, by cut-off or because nothing is left to try: hand its value up.
        if alphas[ply] >= betas[ply] or cursors[ply] == counts[ply]:
            value = best[ply]
            if ply == 0:
                return value, root_action, nodes
            ply -= 1
            entering = False
            continue
        # 5. Try the next action.
        positions[ply + 1] = positions[ply]
        r.play(rules, positions[ply + 1], np.int64(actions[ply, cursors[ply]]))
        cursors[ply] += 1
        alphas[ply + 1], betas[ply + 1] = alphas[ply], betas[ply]
        nodes += 1
        ply += 1
        entering = True
