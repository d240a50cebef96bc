"""Monte Carlo tree search with UCT, generic over games: the kernels.

The tree is one array of :data:`NODE` records; the children of a node are contiguous.
Returns are from the side of player 0, scaled to [−1, 1]; at every node the player to move
determines the sign, so a player who moves twice in a row needs no special case.

Proven results are propagated (MCTS-Solver): a finished game is proven; so is a node with an action
that is a proven win for its mover, and a node whose actions are all proven. Proven nodes are not
visited again; the best proven action bounds the value of its parent.

A game's own playouts use all-moves-as-first: while an action has few visits, games in which its
player played it later count too.

Sources: Kocsis and Szepesvári, "Bandit based Monte-Carlo planning", ECML 2006; Winands, Björnsson,
Saito, "Monte-Carlo tree search solver", CG 2008; Gelly and Silver, "Monte-Carlo tree search and
rapid action value estimation in computer Go", Artificial Intelligence 175, 2011.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...envs import rules as r
from ...envs.compiled.kernels import inner_kernel, kernel
from ...envs.game import Game
from .descent import ANY_CHILD, BOUND, EXACT, NODE, ROOT, UNKNOWN, descend, select_child

REUSE_PLIES = 4  # plies below the last root searched for the new position
MOST_LOOKED_AT = 50_000  # nodes searched for the new position in the last move's tree
ESTIMATE_GAMES = 8  # all moves as first: the weight of a game's initial estimate, in games
MOST_GAMES = 32_000  # from here on a moving mean


class MctsOptions(NamedTuple):
    """The options of a simulation.

    Attributes:
        exploration: the constant of UCB1.
        scale: the greatest return of the game, by which returns are divided.
        margins: whether the margins of the games are summed.
    """

    exploration: float
    scale: float
    margins: int = 0


class Tree(NamedTuple):
    """A search tree and the buffers of one thread that grows it."""

    nodes: Any  # NODE records
    positions: Any  # two records: the root's position, the one being played on
    path: Any  # int32, (longest_game + 2,)
    actions: Any  # int16, (num_actions,)
    size: Any  # int64, (1,): nodes in use


class Knowledge(NamedTuple):
    """The buffers of a search by the game's own playouts, proposals and estimates."""

    players: Any  # int8, (num_actions,): who played each action of a simulation
    estimates: Any  # float32, (num_actions,)


def new_tree(game: Game, capacity: int) -> Tree:
    """An empty tree of at most ``capacity`` nodes (memory is used as it grows)."""
    return Tree(
        np.zeros(max(capacity, game.facts.num_actions + 2), NODE).view(np.recarray),
        game.new_records(2),
        np.zeros(game.facts.longest_game + 2, np.int32),
        np.zeros(game.facts.num_actions, np.int16),
        np.zeros(1, np.int64),
    )


def new_knowledge(game: Game) -> Knowledge:
    """Empty buffers."""
    count = game.facts.num_actions
    return Knowledge(np.zeros(count, np.int8), np.zeros(count, np.float32))


def new_line(game: Game) -> tuple[np.ndarray, np.ndarray]:
    """The buffers of :func:`find_descendant`: records and cursors of a line of play."""
    return game.new_records(REUSE_PLIES + 1), np.zeros(REUSE_PLIES + 1, np.int64)


@kernel
def reset_tree(rules, tree):
    """Reset the tree to a single root for ``positions[0]``."""
    root = tree.nodes[ROOT]
    root.total, root.visits, root.children, root.count, root.action = 0.0, 0, 0, 0, -1
    root.mover, root.proven, root.result = r.to_move(rules, tree.positions[0]), UNKNOWN, 0.0
    root.prior, root.pending, root.margin, root.squares = 0.0, 0, 0.0, 0.0
    root.amaf_games, root.amaf_mean = 0, 0.0
    tree.size[0] = 1


@inner_kernel
def simulate(rules, options, tree, knowledge, rng, simulations):
    """Run simulations; stops early once the root is proven. Returns the number run.

    ``knowledge`` is None, or a :class:`Knowledge`: then children are the actions that the game
    proposes, with its estimates, playouts are the game's, and all moves count as first. Only one of
    the two is compiled for a game.
    """
    nodes, positions, path, actions, size = tree
    position = positions[1]
    for count in range(simulations):
        if nodes[ROOT].proven == EXACT:
            return count
        # 1. Selection and expansion: on its second visit a node is expanded, and one of its
        # children is visited at once.
        node, ply = descend(rules, tree, path, ANY_CHILD, options.exploration, knowledge, None)
        if (
            nodes[node].proven != EXACT
            and (nodes[node].visits > 0 or node == ROOT)
            and expand(rules, nodes, node, position, actions, size, knowledge)
        ):
            node = select_child(nodes, node, options.exploration, knowledge, None)
            r.play(rules, position, np.int64(nodes[node].action))
            ply += 1
            path[ply] = node
        if nodes[node].visits == 0:
            _set_terminal(rules, options, nodes[node], position)
        # 2. Playout, unless the result is known.
        is_proven = nodes[node].proven == EXACT
        if is_proven:
            result = np.float64(nodes[node].result)
        elif knowledge is None:
            play_out(rules, position, rng, actions)
            result = r.returns(rules, position, 0) / options.scale
        else:
            players = knowledge.players
            r.play_out(rules, position, np.int64(nodes[node].action), rng, actions, players)
            result = r.returns(rules, position, 0) / options.scale
            _add_amaf(nodes, path, ply, result, players)
        # 3. Backup.
        _backup_with_margin(rules, options, nodes, path, ply, position, is_proven, result)
    return simulations


@inner_kernel
def _backup_with_margin(rules, options, nodes, path, ply, position, is_proven, result):
    """:func:`backup`, and add player 0's margin at the end of the playout."""
    if options.margins:
        margin = np.float32(r.margin(rules, position, 0))
        for i in range(ply + 1):
            nodes[path[i]].margin += margin
    backup(nodes, path, ply, is_proven, result, 1.0, 1.0)


@inner_kernel
def backup(nodes, path, ply, is_proven, result, discount, sure):
    """Add a simulation's result, player 0's scaled return, to the nodes on its path.

    ``is_proven``: its last node is proven. If an action is proven to be better than this
        simulation's result, the mover would have taken it. A result is multiplied by ``discount``
        for each ply further up; ``sure`` is for :func:`prove`.
    """
    for i in range(ply, -1, -1):
        entry = nodes[path[i]]
        if is_proven and i < ply:
            is_proven = prove(nodes, entry, discount, sure)
        if entry.proven == EXACT or (
            entry.proven == BOUND
            and (entry.result > result if entry.mover == 0 else entry.result < result)
        ):
            result = np.float64(entry.result)
        entry.visits += 1
        entry.total += result
        entry.squares += np.float32(result * result)
        result *= discount


@inner_kernel
def _add_amaf(nodes, path, ply, result, players):
    """Add a playout's result to every action that its mover played at or after the node.

    ``players`` holds who first played each action in the playout; actions on the path are added to
    it.
    """
    for i in range(ply - 1, -1, -1):
        entry = nodes[path[i]]
        players[nodes[path[i + 1]].action] = entry.mover
        for child in range(entry.children, entry.children + entry.count):
            sibling = nodes[child]
            if players[sibling.action] == entry.mover:
                sibling.amaf_games = min(sibling.amaf_games + 1, MOST_GAMES)
                sibling.amaf_mean += (result - sibling.amaf_mean) / sibling.amaf_games


@inner_kernel
def expand(rules, nodes, node, position, actions, size, knowledge):
    """Add a child for every legal action, in the game's order.

    With :class:`Knowledge`, for the actions that the game proposes, with its estimates. False if
    the game is over or the tree is full.
    """
    if r.is_over(rules, position):
        return False
    if knowledge is None:
        count = r.legal_actions(rules, position, actions)
    else:
        count = r.propose(rules, position, actions, knowledge.estimates)
    if size[0] + count > nodes.size:
        return False
    if knowledge is None:
        r.order_actions(rules, position, actions, count)
    _add_children(nodes, node, actions, count, size)
    if knowledge is not None:
        sign = 1.0 if nodes[node].mover == 0 else -1.0
        for i in range(count):
            child = nodes[nodes[node].children + i]
            child.amaf_games, child.amaf_mean = ESTIMATE_GAMES, sign * knowledge.estimates[i]
    return True


@inner_kernel
def _add_children(nodes, node, actions, count, size):
    """Append a node for each of the first ``count`` actions."""
    first = size[0]
    for i in range(count):
        child = nodes[first + i]
        child.total, child.squares, child.margin = 0.0, 0.0, 0.0
        child.visits, child.action = 0, actions[i]
        child.children, child.count, child.proven, child.result = 0, 0, UNKNOWN, 0.0
        child.prior, child.pending, child.amaf_games, child.amaf_mean = 0.0, 0, 0, 0.0
    nodes[node].children, nodes[node].count = first, count
    size[0] = first + count


@inner_kernel
def _set_terminal(rules, options, entry, position):
    """Set the player to move at a new node, and mark a finished game as proven."""
    entry.mover = r.to_move(rules, position)
    if r.is_over(rules, position):
        entry.proven = EXACT
        entry.result = r.returns(rules, position, 0) / options.scale


@inner_kernel
def play_out(rules, position, rng, actions):
    """Play random actions to the end of the game, in place."""
    while not r.is_over(rules, position):
        r.play(rules, position, r.random_action(rules, position, rng, actions))


@inner_kernel
def prove(nodes, entry, discount, sure):
    """Prove a node whose mover has a proven win, or whose actions are all proven.

    Otherwise its bound is the best proven action. An action whose result is ``sure`` or more is a
    win that no unproven action can improve on: 1 without discount, less if results are discounted
    by ``discount`` for each ply. Returns whether the node is proven.
    """
    sign = 1.0 if entry.mover == 0 else -1.0
    best, certain = -np.inf, True
    for child in range(entry.children, entry.children + entry.count):
        if nodes[child].proven == EXACT:
            best = max(best, sign * nodes[child].result)
        else:
            certain = False
    certain |= best >= sure
    entry.proven, entry.result = EXACT if certain else BOUND, sign * best * discount
    return certain


@kernel
def follow_proofs(nodes, size, plies, margins):
    """Compute the length and the final margin of proven games.

    Args:
        nodes: the tree; children come after their parents.
        size: nodes in use.
        plies: int32, (size,); filled for proven nodes with the plies to the end of the game, by the
            best margin, then the quickest proven win or the slowest proven loss.
        margins: float32, (size,); filled with player 0's margin at that end, for unproven nodes
            with the mean of the margins.
    """
    for index in range(size - 1, -1, -1):
        entry = nodes[index]
        plies[index], margins[index] = 0, entry.margin / max(entry.visits, 1)
        if entry.proven != EXACT or entry.count == 0:
            continue
        sign = 1.0 if entry.mover == 0 else -1.0
        hurry = 1 if sign * entry.result > 0 else -1
        best, result = -1, -np.inf
        for child in range(entry.children, entry.children + entry.count):
            if nodes[child].proven == EXACT:
                result = max(result, sign * nodes[child].result)
        for child in range(entry.children, entry.children + entry.count):
            # a discounted result differs from the child's, but is still the best
            if nodes[child].proven != EXACT or sign * nodes[child].result != result:
                continue
            gain = 0.0 if best < 0 else sign * (margins[child] - margins[best])
            if best < 0 or gain > 0 or (gain == 0 and hurry * (plies[child] - plies[best]) < 0):
                best = child
        if best >= 0:
            plies[index], margins[index] = 1 + plies[best], margins[best]


@kernel
def find_descendant(rules, tree, target, positions, cursors):
    """The visited node at most REUSE_PLIES below the root that has the key of ``target``, or −1.

    Depth first over ``positions`` and ``cursors`` (records and int64, (REUSE_PLIES + 1,)); gives up
    after MOST_LOOKED_AT nodes.
    """
    nodes, target_key = tree.nodes, r.key(rules, target)
    positions[0] = tree.positions[0]
    if r.key(rules, positions[0]) == target_key:
        return ROOT
    path = tree.path
    path[0], cursors[0], ply, looked_at = ROOT, 0, 0, 0
    while ply >= 0 and looked_at < MOST_LOOKED_AT:
        entry = nodes[path[ply]]
        if ply == REUSE_PLIES or cursors[ply] == entry.count:
            ply -= 1
            continue
        child = entry.children + cursors[ply]
        cursors[ply] += 1
        if nodes[child].visits == 0:
            continue
        looked_at += 1
        positions[ply + 1] = positions[ply]
        r.play(rules, positions[ply + 1], np.int64(nodes[child].action))
        if r.key(rules, positions[ply + 1]) == target_key:
            return np.int64(child)
        ply += 1
        path[ply], cursors[ply] = child, 0
    return -1


@kernel
def copy_subtree(source, node, target):
    """Copy the subtree below ``node`` from one node array to the front of another.

    Returns the size of the subtree, 0 if it does not fit. Nodes are copied breadth first: each
    copied node's children are appended behind, so the copy is again one block per family.
    """
    target[0] = source[node]
    index, used = 0, 1
    while index < used:
        entry = target[index]
        if entry.count > 0:
            if used + entry.count > target.size:
                return 0
            for i in range(entry.count):
                target[used + i] = source[entry.children + i]
            entry.children = used
            used += entry.count
        index += 1
    return used
