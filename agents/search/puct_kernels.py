"""Tree search guided by a network (PUCT), generic over games: the kernels.

The tree is that of :mod:`plyground.agents.search.mcts_kernels`, and so are the backup and the
propagation of proven results. What differs: instead of playing a random game from a new node, a
network values its position and gives each action a prior probability. A simulation goes down to a
node that the network has not seen. There all children are made, and those that end the game are
proven at once: where that proves the node, the network is not evaluated.

A call of the network has a price beside its arithmetic, so several leaves are collected for one
call. While a leaf waits for its value, each node on the way to it counts one more visit, lost by
the player who chose it (a virtual loss), so that the next simulation goes elsewhere.

A network that is compiled is evaluated between two rounds of leaves by :func:`advance_by_network`;
for any other the caller does it.

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

# simulations that end in proven nodes, before the caller looks at the clock
MOST_WITHOUT_NETWORK = 256
ROUNDING = 1e-6  # of results, which are float32
BROKEN = -1  # in the place of a number of leaves: the network gave what is no number


class PuctOptions(NamedTuple):
    """How results are counted, and how the tree below the root is searched.

    Attributes:
        c_puct: weighs the priors.
        scale: the game's greatest return.
        to_come: 1: the network's values leave out what was won so far.
        discount: what a result counts one ply further up; below 1 the quickest win is preferred.
        sure: a proven action worth so much cannot be bettered by one that is not proven.
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

    An action that ends the game is proven when its node is expanded. A win by any other takes
    another action of the winner at least: two plies, or one where a player can move twice.
    """
    plies = 1 if game.facts.moves_again else 2
    sure = discount**plies - (ROUNDING if discount < 1 else 0.0)
    return PuctOptions(c_puct, game.facts.max_return, int(to_come), discount, sure)


class Leaves(NamedTuple):
    """The leaves that wait for the network."""

    observations: Any  # int8, (batch, rows, columns, planes), as the player to move sees them
    # float64, (batch,): what the player to move has won so far, if the network's values leave that
    # out
    return_so_far: Any
    paths: Any  # int32, (batch, longest_game + 2): the nodes on the way
    plies: Any  # int64, (batch,): of the path
    children: Any  # records, (1,): a child of a leaf
    simulations: Any  # int64, (1,): simulations finished by the last call


def new_leaves(game: Game, batch: int) -> Leaves:
    """Room for so many leaves."""
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
    network's. Returns how many leaves wait now; ``leaves.simulations`` counts the simulations that
    were finished. Both are 0 if the root is proven or no simulation is left to be run.
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
            # 2. What is proven needs no network.
            backup_proven(options, tree.nodes, leaves.paths[waiting], ply)
            without_network += 1
            continue
        if entry.pending > 0:
            # this leaf waits already: the tree has no other that is worth a visit before the values
            # are known
            break
        add_leaf(rules, options, tree, leaves, waiting, ply)
        waiting += 1
    leaves.simulations[0] = count + without_network
    return waiting


@inner_kernel
def advance_by_network(rules, options, tree, leaves, batch, waiting, simulations, rounds):
    """So many times :func:`advance`, with a compiled network that evaluates the leaves.

    ``batch`` is a :class:`~plyground.agents.policies.compiled.batch.NetworkBatch`; it holds the
    evaluations of the leaves that wait, before and after. It ends early only where nothing is left
    to do. Returns how many leaves wait, or ``BROKEN``; ``leaves.simulations`` counts the
    simulations that were finished.
    """
    count = 0
    for _ in range(rounds):
        simulations += waiting
        waiting = advance(
            rules, options, tree, leaves, waiting, batch.logits, batch.values, simulations - waiting
        )
        count += leaves.simulations[0]
        simulations -= waiting + leaves.simulations[0]
        # A round of proven leaves alone is a round too: the caller goes by the time of a round.
        if waiting == 0 and leaves.simulations[0] == 0:
            break
        if waiting > 0 and not evaluate_batch(batch, leaves.observations, waiting):
            waiting = BROKEN
            break
    leaves.simulations[0] = count
    return waiting


@inner_kernel
def visit_leaf(rules, options, tree, leaves, path, first):
    """Walk from the root to a node that the network has not valued, or to a proven one.

    The node is given children. ``first`` is the root's child to go to, or ``ANY_CHILD``. Returns
    the node and its ply.
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
    """Set who moves after each action of a new node, and prove the actions that end the game.

    If they settle the node, it is proven too.
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
    """Let the leaf at the end of the path in this slot wait for the network."""
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
    """Give a leaf's children their priors, and the nodes on the way to it its value."""
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
