"""Alpha-beta and minimax of a few plies, in terms of the rules: the kernels.

They play the moves of :mod:`.deepening` without its table, histories and stored iterations: at
few plies these cost more than they save. Values are those of :mod:`.alphabeta_kernels`, and
its buffers are used.

Two searches that give every root action its exact value or an upper bound play the same move if
they try the root actions in the same order, since only a better action replaces the best one. In
an iteration that order is the best action of the previous iteration, then the order of the game.
In the whole search the history of cut-offs comes before the order of the game. It is blank for the
player to move until the fourth iteration, except where a player may move twice in a row. Where it
could decide, :func:`choose` returns NO_ACTION, and the whole search is asked.
"""

from __future__ import annotations

import numpy as np

from ...envs import rules as r
from ...envs.compiled.kernels import inner_kernel
from ..own.kernels import sort_actions
from ..own.search_form import UNREAD, can_win_at_once, load_record, read_off
from .alphabeta_kernels import INFINITY, PROVEN, WIN, final_points, leaf_points, points_read_off
from .transposition import NO_ACTION

MOST_PLIES = 4
HISTORY_PLIES = 4  # from this iteration on, the history of cut-offs orders the root actions
UNLISTED = -1  # the number of actions of a node before they are listed
SCOUTED_PLIES = 3  # in less deep iterations a null window saves nothing
# Where players move several times in a row, orders of the same moves multiply: the whole search has
# a table for them. It decides where an iteration visits more positions than this for each action of
# the root at two plies, and so many times as many for each ply more.
MOST_POSITIONS, TIMES_A_PLY, FEW_POSITIONS = 25, 6, 600

# A node of the line being searched; whole numbers only.
NODE = np.dtype(
    [
        ("alpha", np.int64),
        ("beta", np.int64),
        ("best", np.int64),
        ("best_action", np.int64),
        ("action", np.int64),  # being searched
        ("first", np.int64),  # the action to try first, or NO_ACTION
        ("reply", np.int64),  # the last action that caused a cut-off at this ply, or NO_ACTION
        ("count", np.int64),
        ("cursor", np.int64),
        ("depth", np.int64),
        ("maximising", np.int64),
    ],
    align=True,
)


@inner_kernel
def choose(rules, options, plan, workspace, nodes, source):
    """The action of the whole search, or NO_ACTION if only that search can decide.

    Args:
        rules: of a :class:`~.deepening.TreeSearch`.
        options: its options.
        plan: its plan.
        workspace: its workspace.
        nodes: NODE records, one for each ply of a game.
        source: a record of the plain game.
    """
    root, position = nodes[0], workspace.positions[0]
    load_record(rules, source, workspace.positions)
    maximiser = r.to_move(rules, position)
    _list(rules, options, workspace.positions, workspace.actions, root, 0)
    for ply in range(1, plan.last_depth + 1):
        nodes[ply].reply = NO_ACTION
    root.maximising, root.depth, root.first = 1, plan.first_depth, NO_ACTION
    root.alpha, root.beta, checks = -INFINITY, INFINITY, False
    while True:
        most = np.int64(INFINITY)
        if plan.moves_again and options.table:
            most = max(FEW_POSITIONS, MOST_POSITIONS * root.count)
            for _ in range(2, root.depth):
                most *= TIMES_A_PLY
        left, keeps_turn = _search(rules, options, workspace, nodes, maximiser, most)
        if left:
            return np.int64(NO_ACTION)
        if checks:
            if root.best >= root.beta:
                return np.int64(NO_ACTION)
            checks, root.best, root.best_action = False, root.beta, root.first
        elif root.depth > plan.first_depth and root.best_action != root.first and options.history:
            if root.depth >= HISTORY_PLIES or keeps_turn:
                # Is another action equal to the best one? Then the history decides.
                root.alpha, root.beta = root.best - 1, root.best
                root.first, checks = root.best_action, True
                continue
        if root.depth == plan.last_depth or (plan.decided_by_result and abs(root.best) > PROVEN):
            break
        root.alpha, root.beta, root.depth = -INFINITY, INFINITY, root.depth + 1
        root.first = root.best_action if options.table else NO_ACTION
    if plan.resists and root.best < -PROVEN and root.count > 1:
        return np.int64(NO_ACTION)
    return root.best_action


@inner_kernel
def _search(rules, options, workspace, nodes, maximiser, most):
    """Search the root, whose actions are listed, within its window and to its depth.

    Its value and first best action are in ``nodes[0]`` afterwards. With ``alpha`` above −INFINITY,
    ``first`` is left out. Returns whether more than ``most`` positions were visited, which ends
    the search, and whether an action of the root keeps the turn.
    """
    root, positions, actions = nodes[0], workspace.positions, workspace.actions
    scouts = options.pruning and root.depth >= SCOUTED_PLIES and root.alpha == -INFINITY
    root.cursor = -1 if root.alpha == -INFINITY else 0
    root.best, root.best_action = -INFINITY, NO_ACTION
    ply, value, is_valued, keeps_turn, scouting = 0, np.int64(0), False, False, False
    while True:
        node, child = nodes[ply], nodes[ply + 1]
        if is_valued:  # of the child by node.action
            if ply == 0 and scouting and value > node.alpha:  # how much better than the best?
                child.alpha, child.beta = node.alpha, INFINITY
                _enter(rules, options, positions, actions, nodes, maximiser, 1)
                ply, is_valued, scouting = 1, False, False
                continue
            _back_up(options, node, value)
        action = _next_action(rules, options, positions, actions, node, ply)
        if action == NO_ACTION:
            value, is_valued = node.best, True
            if options.pruning and node.alpha >= node.beta:
                node.reply = node.best_action
            ply -= 1
            if ply < 0:
                return False, keeps_turn
            continue
        node.action = action
        most -= 1
        if most < 0:
            return True, keeps_turn
        is_valued, value = _visit(rules, options, positions, nodes, maximiser, ply)
        keeps_turn |= ply == 0 and not is_valued and child.depth == node.depth
        if not is_valued:
            child.alpha, child.beta = node.alpha, node.beta
            if ply == 0:
                scouting = scouts and node.alpha > -INFINITY
                child.beta = node.alpha + 1 if scouting else node.beta
            ply += 1
            _enter(rules, options, positions, actions, nodes, maximiser, ply)


@inner_kernel
def _back_up(options, node, value):
    """Take the value of the child by ``node.action`` into account."""
    if node.maximising:
        if value > node.best:
            node.best, node.best_action = value, node.action
            if options.pruning and value > node.alpha:
                node.alpha = value
    elif value < node.best:
        node.best, node.best_action = value, node.action
        if options.pruning and value < node.beta:
            node.beta = value


@inner_kernel
def _next_action(rules, options, positions, actions, node, ply):
    """The next action of a node, or NO_ACTION after the last one or a cut-off."""
    if options.pruning and node.alpha >= node.beta:
        return np.int64(NO_ACTION)
    if node.cursor < 0:
        node.cursor = 0
        if node.first != NO_ACTION:
            return node.first
    if node.count == UNLISTED:
        _list(rules, options, positions, actions, node, ply)
    while node.cursor < node.count:
        action = np.int64(actions[ply, node.cursor])
        node.cursor += 1
        if action != node.first:
            return action
    return np.int64(NO_ACTION)


@inner_kernel
def _list(rules, options, positions, actions, node, ply):
    """List the actions of a node, in order where that pays."""
    node.count = r.candidates(rules, positions[ply], options.radius, actions[ply])
    if options.ordering and (ply == 0 or node.depth > 1 or options.width):
        sort_actions(rules, positions[ply], actions[ply], node.count, options.ordering)
    if options.width and ply > 0:
        node.count = min(node.count, options.width)


@inner_kernel
def _enter(rules, options, positions, actions, nodes, maximiser, ply):
    """Prepare the node at ``ply``, whose position, window and depth are set."""
    node, position = nodes[ply], positions[ply]
    node.maximising = r.to_move(rules, position) == maximiser
    node.best = -INFINITY if node.maximising else INFINITY
    node.best_action, node.cursor, node.count = NO_ACTION, -1, UNLISTED
    # What refuted a sibling is tried before the actions are listed.
    node.first = NO_ACTION
    if options.pruning and node.reply != NO_ACTION and not options.radius and not options.width:
        if r.is_legal(rules, position, node.reply):
            node.first = node.reply


@inner_kernel
def _visit(rules, options, positions, nodes, maximiser, ply):
    """Follow the action of a node.

    Returns whether the child has no children in the search, and its value then; else its position
    and depth are set.
    """
    node, child = nodes[ply], nodes[ply + 1]
    if node.depth == 1:
        kind, points = read_off(rules, positions[ply], node.action, options.heuristic)
        if kind != UNREAD:
            value, _ = points_read_off(options, kind, points, ply)
            return True, value if node.maximising else -value
    positions[ply + 1] = positions[ply]
    position = positions[ply + 1]
    r.play(rules, position, node.action)
    if r.is_over(rules, position):
        return True, final_points(rules, position, maximiser, ply + 1)
    passes = (r.to_move(rules, position) == maximiser) != node.maximising
    if options.win_in_one and can_win_at_once(rules, position):
        value = np.int64(WIN - ply - 2)
        return True, value if node.maximising != passes else -value
    child.depth = node.depth - passes
    if child.depth > 0:
        return False, np.int64(0)
    return True, np.int64(leaf_points(rules, position, maximiser, options.heuristic))
