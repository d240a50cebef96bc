"""Tree search guided by a network (PUCT), generic over games: the kernels.

The tree, the backup and the propagation of proven results are those of
:mod:`plyground.agents.search.mcts_kernels`. Instead of a random game from a new node, a network
evaluates its position and gives each action a prior probability. A simulation descends to a node
that the network has not evaluated. There all children are created, and those that end the game are
proven at once: if that proves the node, the network is not called.

A call of the network has overhead, so several leaves are collected for one call. While a leaf waits
for its value, each node on its path counts one more visit, lost by the player who chose it (a
virtual loss), so that the next simulation takes another path.

:func:`advance_by_network` evaluates a compiled network between two rounds of leaves; for other
networks the caller does it.

Sources: Silver et al., "Mastering the game of Go without human knowledge", Nature 2017, and "A
general reinforcement learning algorithm that masters chess, shogi, and Go through self-play",
Science 2018 (selection, priors); Chaslot, Winands, van den Herik, "Parallel Monte-Carlo tree
search", CG 2008 (virtual loss).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...envs import rules as r
from ...envs.compiled.kernels import inner_kernel
from ...envs.game import Game
from ...envs.single_agent.batch_kernels import clear
from ..policies.compiled.batch import evaluate_batch
from .descent import ANY_CHILD, EXACT, ROOT, descend
from .mcts_kernels import backup, expand, prove

# simulations that end in proven nodes, between checks of the clock by the caller
MOST_WITHOUT_NETWORK = 256
ROUNDING = 1e-6  # of results, which are float32
BROKEN = -1  # returned as the number of leaves: the network returned NaN or infinity


class PuctOptions(NamedTuple):
    """How results are scaled and discounted, and how the tree below the root is searched.

    Attributes:
        c_puct: the weight of the priors.
        scale: the game's greatest return.
        to_come: 1: the network's values do not include rewards so far.
        discount: the factor of a result for each ply further up; below 1 the quickest win is
            preferred.
        sure: no unproven action can be better than a proven one of this value.
    """

    c_puct: float
    scale: float
    to_come: int
    discount: float
    sure: float


def puct_options(
    game: Game, c_puct: float, to_come: bool = False, discount: float = 1.0
) -> PuctOptions:
    """The options for a game.

    An action that ends the game is proven when its node is expanded. A win by any other action
    takes at least two more plies, or one if a player can move twice.
    """
    plies = 1 if game.facts.moves_again else 2
    sure = discount**plies - (ROUNDING if discount < 1 else 0.0)
    return PuctOptions(c_puct, game.facts.max_return, int(to_come), discount, sure)


class Leaves(NamedTuple):
    """The leaves that wait for the network."""

    observations: Any  # int8, (batch, rows, columns, planes), as the player to move sees them
    # float64, (batch,): rewards of the player to move so far, if the network's values exclude them
    return_so_far: Any
    paths: Any  # int32, (batch, longest_game + 2): the nodes on the path
    plies: Any  # int64, (batch,): the length of the path
    children: Any  # records, (1,): a child of a leaf
    simulations: Any  # int64, (1,): simulations finished by the last call


def new_leaves(game: Game, batch: int) -> Leaves:
    """Buffers for this many leaves."""
    return Leaves(
        np.zeros((batch, *game.facts.observation_shape), np.int8),
        np.zeros(batch),
        np.zeros((batch, game.facts.longest_game + 2), np.int32),
        np.zeros(batch, np.int64),
        game.new_records(1),
        np.zeros(1, np.int64),
    )


@inner_kernel
def advance(rules, options, tree, leaves, waiting, logits, values, simulations):
    """Expand and back up the leaves that the network has evaluated, then collect new ones.

    ``waiting`` leaves were collected last; at most ``simulations`` simulations are begun.
    ``logits`` (float32, (waiting, num_actions)) and ``values`` (float32, (waiting,)) are the
    network's. Returns the number of leaves that wait now; ``leaves.simulations`` counts the
    finished simulations. Both are 0 if the root is proven or no simulations are left.
    """
    count = waiting
    for slot in range(waiting):
        expand_and_backup(options, tree.nodes, leaves, slot, logits, values)
    waiting, without_network = 0, 0
    while (
        waiting < leaves.plies.size
        and waiting + without_network < simulations
        and without_network < MOST_WITHOUT_NETWORK
    ):
        if tree.nodes[ROOT].proven == EXACT:
            break
        # 1. Selection and expansion.
        node, ply = visit_leaf(rules, options, tree, leaves, leaves.paths[waiting], ANY_CHILD)
        entry = tree.nodes[node]
        if entry.proven == EXACT:
            # 2. A proven node needs no network.
            backup_proven(options, tree.nodes, leaves.paths[waiting], ply)
            without_network += 1
            continue
        if entry.pending > 0:
            # this leaf waits already: no other leaf is worth a visit before its value is known
            break
        add_leaf(rules, options, tree, leaves, waiting, ply)
        waiting += 1
    leaves.simulations[0] = count + without_network
    return waiting


@inner_kernel
def advance_by_network(rules, options, tree, leaves, batch, waiting, simulations, rounds):
    """Several rounds of :func:`advance`, with a compiled network that evaluates the leaves.

    ``batch`` is a :class:`~plyground.agents.policies.compiled.batch.NetworkBatch`; it holds the
    evaluations of the waiting leaves, before and after. It ends early only if nothing is left to
    do. Returns the number of waiting leaves, or ``BROKEN``; ``leaves.simulations`` counts the
    finished simulations.
    """
    count = 0
    for _ in range(rounds):
        simulations += waiting
        waiting = advance(
            rules, options, tree, leaves, waiting, batch.logits, batch.values, simulations - waiting
        )
        count += leaves.simulations[0]
        simulations -= waiting + leaves.simulations[0]
        # A round of proven leaves alone counts as a round: the caller measures the time of a round.
        if waiting == 0 and leaves.simulations[0] == 0:
            break
        if waiting > 0 and not evaluate_batch(batch, leaves.observations, waiting):
            waiting = BROKEN
            break
    leaves.simulations[0] = count
    return waiting


@inner_kernel
def visit_leaf(rules, options, tree, leaves, path, first):
    """Walk from the root to a node that the network has not evaluated, or to a proven one.

    The node is expanded. ``first`` is the root's child to start with, or ``ANY_CHILD``. Returns the
    node and its ply.
    """
    nodes, position = tree.nodes, tree.positions[1]
    node, ply = descend(rules, tree, path, first, options.c_puct, None, options.discount)
    if (
        nodes[node].count == 0
        and nodes[node].proven != EXACT
        and expand(rules, nodes, node, position, tree.actions, tree.size, None)
    ):
        _prove_terminal_children(rules, options, nodes, node, position, leaves.children)
    return node, ply


@inner_kernel
def _prove_terminal_children(rules, options, nodes, node, position, children):
    """Set the player to move after each action of a new node; prove the actions that end the game.

    If they decide the node, it is proven too.
    """
    parent, has_terminal = nodes[node], False
    for child in range(parent.children, parent.children + parent.count):
        entry = nodes[child]
        children[0] = position
        r.play(rules, children[0], np.int64(entry.action))
        entry.mover = r.to_move(rules, children[0])
        if r.is_over(rules, children[0]):
            entry.proven, entry.result, has_terminal = (
                EXACT,
                r.returns(rules, children[0], 0) / options.scale,
                True,
            )
    if has_terminal:
        prove(nodes, parent, options.discount, options.sure)


@inner_kernel
def backup_proven(options, nodes, path, ply):
    """Add a simulation that ended in a proven node."""
    result = np.float64(nodes[path[ply]].result)
    backup(nodes, path, ply, True, result, options.discount, options.sure)


@inner_kernel
def add_leaf(rules, options, tree, leaves, slot, ply):
    """Queue the leaf at the end of the path in this slot for the network."""
    for i in range(ply + 1):
        tree.nodes[leaves.paths[slot, i]].pending += 1
    leaves.plies[slot] = ply
    position = tree.positions[1]
    clear(leaves.observations[slot])
    player = r.to_move(rules, position)
    r.observe(rules, position, player, leaves.observations[slot])
    leaves.return_so_far[slot] = r.returns(rules, position, player) if options.to_come else 0.0


@inner_kernel
def expand_and_backup(options, nodes, leaves, slot, logits, values):
    """Set the priors of a leaf's children, and back up its value."""
    path, ply = leaves.paths[slot], leaves.plies[slot]
    leaf = nodes[path[ply]]
    set_priors(nodes, leaf, logits, slot)
    value = min(max((leaves.return_so_far[slot] + values[slot]) / options.scale, -1.0), 1.0)
    for i in range(ply + 1):
        nodes[path[i]].pending -= 1
    backup_value(options, nodes, path, ply, value)


@inner_kernel
def backup_value(options, nodes, path, ply, value):
    """Add a simulation that ended in a leaf of this scaled value, from its mover's side."""
    result = value if nodes[path[ply]].mover == 0 else -value
    backup(nodes, path, ply, False, result, options.discount, options.sure)


@inner_kernel
def set_priors(nodes, leaf, logits, slot):
    """The softmax of the logits of the leaf's actions (all legal ones)."""
    highest, total = -np.inf, 0.0
    for child in range(leaf.children, leaf.children + leaf.count):
        highest = max(highest, np.float64(logits[slot, nodes[child].action]))
    for child in range(leaf.children, leaf.children + leaf.count):
        nodes[child].prior = np.exp(np.float64(logits[slot, nodes[child].action]) - highest)
        total += np.float64(nodes[child].prior)
    for child in range(leaf.children, leaf.children + leaf.count):
        nodes[child].prior /= total
