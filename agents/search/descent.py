"""The descent of a search tree: its nodes, the selection rules, and the walk down the tree.

Searches with playouts, all-moves-as-first and networks share the descent and differ in the rule
that selects a child. The arguments that are not None decide the rule at compile time, so the choice
costs nothing in a search.
"""

from __future__ import annotations

import numpy as np

from ...envs import rules as r
from ...envs.compiled.kernels import inner_kernel

NODE = np.dtype(
    [
        ("total", np.float64),  # sum of player 0's scaled returns over the visits
        ("visits", np.int32),
        ("children", np.int32),  # index of the first child; 0: not expanded
        ("count", np.int16),  # number of children
        ("action", np.int16),  # the action that led here
        ("mover", np.int8),  # the player to move here
        ("proven", np.int8),  # UNKNOWN, EXACT or BOUND
        # player 0's scaled return: under best play (EXACT), or by the best action proven so far
        # (BOUND)
        ("result", np.float32),
        ("prior", np.float32),  # the probability a network gives the action that led here
        ("pending", np.int16),  # simulations below this node that wait for a network
        # with knowledge: the games in which the action was played, here or later (AMAF), and player
        # 0's mean return of them
        ("amaf_games", np.int16),
        ("amaf_mean", np.float32),
        # sum of player 0's margins over the visits, in games whose ties it breaks
        ("margin", np.float32),
        ("squares", np.float32),  # sum of the squares of the results that `total` adds up
    ],
    align=True,
)
ROOT = 0
ANY_CHILD = -1
UNKNOWN, EXACT, BOUND = range(3)  # the proofs of a node
# All moves as first: a game in which an action was played later counts as one visit, less with more
# visits.
BIAS = 1.0 / 1000
# first-play urgency: how much less than its position an untried action is assumed to be worth,
# since the value comes from better actions
FIRST_PLAY_REDUCTION = 0.2


def nodes_of_search(simulations: int, num_actions: int) -> int:
    """The most nodes below the root of a new tree: every simulation expands at most one."""
    return (simulations + 2) * num_actions


@inner_kernel
def descend(rules, tree, path, first, exploration, knowledge, discount):
    """Walk from the root to a node that is not expanded, has no value yet, or is proven.

    The position is played along in ``tree.positions[1]``; the nodes are written to ``path``.
    ``first`` is the root's child to start with, or ``ANY_CHILD``; the rest is for
    :func:`select_child`. Returns the node and its ply.
    """
    nodes, positions = tree.nodes, tree.positions
    positions[1] = positions[0]
    position = positions[1]
    node, ply = ROOT, 0
    path[0] = ROOT
    while nodes[node].visits > 0 and nodes[node].count > 0 and nodes[node].proven != EXACT:
        if ply == 0 and first != ANY_CHILD:
            node = np.int64(first)
        else:
            node = select_child(nodes, node, exploration, knowledge, discount)
        r.play(rules, position, np.int64(nodes[node].action))
        ply += 1
        path[ply] = node
    return node, ply


@inner_kernel
def select_child(nodes, node, exploration, knowledge, discount):
    """The child of an expanded node to visit, among the unproven ones.

    It is chosen by PUCT if there is a ``discount``, which may be 1; with knowledge by
    all-moves-as-first; else by UCB1. ``exploration`` is the constant of the rule.
    """
    if discount is not None:
        return _select_by_prior(nodes, node, exploration, discount)
    if knowledge is not None:
        return _select_by_amaf(nodes, node, exploration)
    return _select_by_visits(nodes, node, exploration)


@inner_kernel
def _select_by_visits(nodes, node, exploration):
    """The first unvisited child, else the one of the highest UCB1 value for the mover."""
    parent = nodes[node]
    sign = 1.0 if parent.mover == 0 else -1.0
    log_visits = np.log(np.float64(parent.visits))
    best, best_bound = np.int64(parent.children), -np.inf
    for child in range(parent.children, parent.children + parent.count):
        entry = nodes[child]
        if entry.proven == EXACT:
            continue  # another visit would not change its value
        if entry.visits == 0:
            return child
        bound = sign * entry.total / entry.visits + exploration * np.sqrt(log_visits / entry.visits)
        if bound > best_bound:
            best, best_bound = child, bound
    return best


@inner_kernel
def _select_by_amaf(nodes, node, exploration):
    """The child of the highest all-moves-as-first mean for the mover, plus UCB1's bonus.

    With few visits, the mean of the games in which the action was played later counts more.
    """
    parent = nodes[node]
    sign = 1.0 if parent.mover == 0 else -1.0
    bonus = exploration * np.sqrt(np.log(np.float64(parent.visits + 1)))
    best, best_bound = np.int64(parent.children), -np.inf
    for child in range(parent.children, parent.children + parent.count):
        entry = nodes[child]
        if entry.proven == EXACT:
            continue
        visits, games = np.float64(entry.visits), np.float64(entry.amaf_games)
        share = games / (games + visits + BIAS * games * visits)
        mean = share * entry.amaf_mean + (1.0 - share) * entry.total / max(visits, 1.0)
        bound = sign * mean + bonus / np.sqrt(visits + 1.0)
        if bound > best_bound:
            best, best_bound = child, bound
    return best


@inner_kernel
def _select_by_prior(nodes, node, exploration, discount):
    """The child with the highest value for the mover plus PUCT's bonus."""
    parent = nodes[node]
    sign = 1.0 if parent.mover == 0 else -1.0
    bonus = exploration * np.sqrt(np.float64(parent.visits + parent.pending))
    first_play = sign * parent.total / parent.visits - FIRST_PLAY_REDUCTION
    best, best_bound = np.int64(parent.children), -np.inf
    for child in range(parent.children, parent.children + parent.count):
        entry = nodes[child]
        if entry.proven == EXACT:
            continue
        visits = entry.visits + entry.pending
        value = first_play
        if visits > 0:
            value = discount * (sign * entry.total - entry.pending) / visits
        bound = value + bonus * entry.prior / (1.0 + visits)
        if bound > best_bound:
            best, best_bound = np.int64(child), bound
    return best
