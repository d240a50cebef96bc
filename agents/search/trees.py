"""``mcts`` in many parallel games: a tree for each, inside compiled loops.

Every move is the same as that of the agent, which keeps one tree and runs from Python.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...envs import rules as r
from ...envs.compiled.kernels import inner_kernel
from ...envs.compiled.threads import allow_threads
from ...envs.game import Game
from ...envs.single_agent.opponents import choose_action
from . import mcts_kernels as search
from .descent import NODE, nodes_of_search
from .playouts import Playouts
from .root_actions import add_root_actions, choose_at_root, new_root_actions


class TreeSearches(NamedTuple):
    """The searches of N games, one tree each, and shared buffers.

    Attributes:
        options, knowledge: of :func:`.mcts_kernels.simulate`.
        simulations: per move.
        nodes: NODE records, (N, capacity).
        positions: two records for each tree, (N, 2).
        sizes: int64, (N, 1): nodes in use.
        path, actions: as :class:`.mcts_kernels.Tree` has them.
        spare: NODE records, (capacity,).
        line, cursors: the buffers for finding the new position in the tree. root_actions,
        by_lower_bound, margins, lost_moves: of :func:`.root_actions.choose_at_root`.
    """

    options: Any
    knowledge: Any
    simulations: int
    nodes: Any
    positions: Any
    sizes: Any
    path: Any
    actions: Any
    spare: Any
    line: Any
    cursors: Any
    root_actions: Any
    by_lower_bound: int
    margins: int
    lost_moves: Any


def new_searches(
    game: Game,
    count: int,
    capacity: int,
    playouts: Playouts,
    simulations: int,
    choice: tuple[int, int],
    lost_moves: Any,
) -> TreeSearches:
    """Searches with trees of at most ``capacity`` nodes (memory is used as they grow)."""
    tree = search.new_tree(game, capacity)
    return TreeSearches(
        playouts.options,
        playouts.knowledge,
        simulations,
        np.zeros((count, capacity), NODE).view(np.recarray),
        game.new_records(2 * count).reshape(count, 2),
        np.zeros((count, 1), np.int64),
        tree.path,
        tree.actions,
        tree.nodes,
        *search.new_line(game),
        new_root_actions(game, capacity),
        *choice,
        lost_moves,
    )


@inner_kernel
def choose_by_tree(searches, game, is_first, rules, position, rng):
    """The action of the search of a game; ``is_first``: it is the first one in this game."""
    tree = search.Tree(
        searches.nodes[game],
        searches.positions[game],
        searches.path,
        searches.actions,
        searches.sizes[game],
    )
    # 1. The subtree of the last tree below the position, if there is one.
    kept = 0
    if not is_first:
        node = search.find_descendant(rules, tree, position, searches.line, searches.cursors)
        if node >= 0:
            kept = search.copy_subtree(tree.nodes, node, searches.spare)
            for index in range(kept):
                tree.nodes[index] = searches.spare[index]
    tree.positions[0] = position
    tree.size[0] = kept
    if kept == 0:
        search.reset_tree(rules, tree)
    # 2. Simulations from there.
    search.simulate(rules, searches.options, tree, searches.knowledge, rng, searches.simulations)
    # 3. The most visited action, or a proven one.
    count = add_root_actions(tree.nodes, tree.size[0], searches.root_actions, 0)
    return choose_at_root(
        rules,
        position,
        searches.root_actions,
        count,
        searches.by_lower_bound,
        searches.margins,
        searches.lost_moves,
    )


class TurnSearch(NamedTuple):
    """``mcts`` on a device: a new tree in each turn, kept while its player moves again."""

    searches: TreeSearches  # of one game
    after: Any  # one record, (1,)
    goes_on: Any  # bool, (1,): the next action belongs to the same turn


allow_threads(TurnSearch)


@choose_action.register_body(TurnSearch)
@inner_kernel
def _choose_in_turn(opponent, rules, position, rng):
    goes_on, after = opponent.goes_on, opponent.after
    action = choose_by_tree(opponent.searches, 0, not goes_on[0], rules, position, rng)
    after[0] = position
    r.play(rules, after[0], action)
    same = r.to_move(rules, after[0]) == r.to_move(rules, position)
    goes_on[0] = same and not r.is_over(rules, after[0])
    return action


def turn_search(searches: TreeSearches, game: Game) -> TurnSearch:
    """The first of these searches, with as many of its nodes as a turn can need."""
    facts = game.facts
    capacity = searches.nodes.shape[1]
    if not facts.moves_again:  # one search fills the tree
        capacity = min(capacity, nodes_of_search(searches.simulations, facts.num_actions))
    actions = searches.root_actions
    searches = searches._replace(
        nodes=searches.nodes[:1, :capacity],
        positions=searches.positions[:1],
        sizes=searches.sizes[:1],
        spare=searches.spare[: capacity if facts.moves_again else 1],
        root_actions=actions._replace(
            plies=actions.plies[:capacity], margins=actions.margins[:capacity]
        ),
    )
    return TurnSearch(searches, game.new_records(1), np.zeros(1, np.bool_))
