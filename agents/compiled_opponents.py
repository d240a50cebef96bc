"""Agents as opponents that move inside the compiled loop of the vector environments.

Each form plays exactly what its agent plays, with the random numbers drawn in the same order; tests
hold the two against each other.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..envs import rules as r
from ..envs.compiled.dispatch import missing, rule
from ..envs.compiled.kernels import inner_kernel
from ..envs.compiled.randomness import random_below
from ..envs.game import Game
from ..envs.single_agent.opponents import choose_action
from .agent import Agent, heuristic_index
from .greedy import Greedy, grade_actions
from .random_agent import RandomAgent
from .search import alphabeta_kernels as search
from .search.alphabeta import AlphaBeta, Minimax, TreeSearchAgent
from .search.gomoku.lines import load
from .search.gomoku.patterns import GomokuPatterns
from .search.gomoku.scores import GomokuScores
from .search.search_form import search_form
from .search.transposition import GENERATIONS

UNLIMITED = 1 << 60  # nodes


class RandomOpponent(NamedTuple):
    """``random``."""

    scratch: Any  # int16, (num_actions,)


@choose_action.register_body(RandomOpponent)
@inner_kernel
def choose_random(opponent, rules, position, rng):
    return r.random_action(rules, position, rng, opponent.scratch)


class GreedyOpponent(NamedTuple):
    """``greedy``, with the buffers :func:`~plyground.agents.greedy.grade_actions` takes."""

    heuristic: int
    children: Any
    actions: Any
    replies: Any
    grades: Any
    points: Any


@choose_action.register_body(GreedyOpponent)
@inner_kernel
def choose_greedily(opponent, rules, position, rng):
    heuristic, children, actions, replies, grades, points = opponent
    count = grade_actions(rules, position, heuristic, children, actions, replies, grades, points)
    best, ties = 0, 0
    for i in range(count):
        if i > 0 and (
            grades[i] > grades[best] or (grades[i] == grades[best] and points[i] > points[best])
        ):
            best, ties = i, 0
        if grades[i] == grades[best] and points[i] == points[best]:
            ties += 1
    wanted = random_below(rng, ties)
    for i in range(best, count):
        if grades[i] == grades[best] and points[i] == points[best]:
            if wanted == 0:
                return np.int64(actions[i])
            wanted -= 1
    return np.int64(actions[best])


@rule
def load_record(rules, source, targets):
    """Bring a plain position record into the first row of an array of the search form's records."""
    raise missing(rules, "load_record")


@load_record.default_body
def _copy_record(rules, source, targets):
    targets[0] = source


for _form in (GomokuPatterns, GomokuScores):
    load_record.register_body(_form)(load)


class TreeSearchOpponent(NamedTuple):
    """``alphabeta`` and ``minimax`` to a fixed depth."""

    form: Any  # the rules that are searched
    options: search.Options  # maximiser and generation are filled in for each search
    workspace: search.Workspace
    table: Any
    symmetries: Any
    generation: Any  # int64, (1,): of the last search
    first_depth: int
    depth: int
    forced: int  # whether a proven value ends the deepening: the game's returns are −1, 0 and 1
    # whether a tree without leaves at the depth limit does: the search leaves no action out
    complete: int
    moves_again: int


@choose_action.register_body(TreeSearchOpponent)
@inner_kernel
def choose_by_search(opponent, rules, position, rng):
    o, workspace, table = opponent.options, opponent.workspace, opponent.table
    # 1. A new search believes nothing that earlier ones found out.
    generation = opponent.generation[0] % GENERATIONS + 1
    opponent.generation[0] = generation
    if generation == 1:
        for i in range(table.size):
            table[i].tag = 0
    for side in range(2):
        for action in range(workspace.history.shape[1]):
            workspace.history[side, action] = 0
    for ply in range(workspace.killers.shape[0]):
        workspace.killers[ply, 0] = -1
        workspace.killers[ply, 1] = -1
    # fmt: off
    options = search.Options(
        r.to_move(rules, position), o.heuristic, generation, o.pruning, o.ordering, o.table, o.killers, o.history, o.scout, o.radius, o.width,
        o.symmetric_plies, o.open_root, o.foresee,
    )
    # fmt: on
    # 2. Deepen until the depth is reached or nothing can change any more.
    for depth in range(opponent.first_depth, opponent.depth + 1):
        load_record(opponent.form, position, workspace.positions)
        search.begin(options, workspace, depth)
        search.run(opponent.form, options, workspace, table, opponent.symmetries, UNLIMITED)
        root = workspace.frames[0]
        if opponent.forced and abs(root.best) > search.PROVEN:
            break
        # No leaf at the depth limit: every line was followed to the end of its game, at the root
        # `count` actions at most.
        if (
            opponent.complete
            and workspace.registers[4] == 0
            and (not opponent.moves_again or depth >= count_actions(rules, position, workspace))
        ):
            break
    return np.int64(workspace.frames[0].best_action)


@inner_kernel
def count_actions(rules, position, workspace):
    """How many actions are legal; overwrites the last row of the workspace's actions."""
    return r.legal_actions(rules, position, workspace.actions[workspace.actions.shape[0] - 1])


def _make_random(agent: Agent, game: Game) -> RandomOpponent:
    return RandomOpponent(np.empty(game.facts.num_actions, np.int16))


def _make_greedy(agent: Agent, game: Game) -> GreedyOpponent:
    count = game.facts.num_actions
    actions, replies = np.empty(count, np.int16), np.empty(count, np.int16)
    index = heuristic_index(game, agent.options["heuristic"])
    return GreedyOpponent(
        index,
        game.new_records(2),
        actions,
        replies,
        np.empty(count, np.int64),
        np.empty(count, np.int64),
    )


def _make_tree_search(agent: TreeSearchAgent, game: Game) -> TreeSearchOpponent:
    agent.get_ready(game)
    options = search.Options(
        0, heuristic_index(game, agent.options["heuristic"]), 0, **agent._switches()
    )
    form = search_form(game, agent.options["heuristic"])
    depth, _, _ = agent._limits(game.initial_position())
    return TreeSearchOpponent(
        form=form.rules,
        options=options,
        workspace=search.new_workspace(game, form.dtype),
        table=agent.new_table(game),
        symmetries=game.symmetries,
        generation=np.zeros(1, np.int64),
        first_depth=1 if agent._iterative else depth,
        depth=depth,
        forced=int(game.facts.max_return == 1.0),
        complete=int(not options.radius and not options.width),
        moves_again=int(game.facts.moves_again),
    )


def compiled_form(agent: Any) -> Callable[[Game], Any] | None:
    """What makes the compiled form of an agent for a game, with buffers of its own; None if the
    agent has none.

    Searches that watch the clock, count nodes, adapt their depth or consult a book or a solver have
    none.
    """
    if type(agent) is RandomAgent:
        return functools.partial(_make_random, agent)
    if type(agent) is Greedy and _has_no_book(agent):
        return functools.partial(_make_greedy, agent)
    limited = any(
        getattr(agent, "options", {}).get(name) for name in ("time", "nodes", "adaptive", "endgame")
    )
    if type(agent) in (AlphaBeta, Minimax) and not limited and _has_no_book(agent):
        return functools.partial(_make_tree_search, agent)
    return None


def _has_no_book(agent: Agent) -> bool:
    return agent._book is None
