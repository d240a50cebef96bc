"""Iterative deepening: one loop for the agents and for the opponents inside vector environments.

A search runs iterations of increasing depth until its last depth is reached or a deeper iteration
cannot change the result. If every action then turns out to lose, the best by the heuristic among
the actions that resist longest is played: an opponent may overlook the win. Without this
``resistance`` the first action of the best value is played, as in the textbook.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...envs import rules as r
from ...envs.compiled.kernels import inner_kernel, kernel
from ...envs.game import Game
from ..decision import Kind, Score
from ..own.search_form import load_record, resistance_points
from .alphabeta_kernels import (
    FINISH,
    INFINITY,
    LEAD,
    PROVEN,
    WIN,
    AlphaBetaOptions,
    Workspace,
    begin_iteration,
    run,
)
from .transposition import NO_ACTION, begin_generation

# Nodes. A plain integer would be another type, for which the search would be compiled again.
ALL_NODES = np.int64(1 << 60)
DEEPENING, RESISTING, OVER = range(3)  # the stages of a search
ITERATION_OPEN, ITERATION_COMPLETE, SEARCH_COMPLETE = range(3)  # results of a call of `deepen`


class DeepeningPlan(NamedTuple):
    """The depths of a search and the conclusions it may draw; all but the depths are 0 or 1.

    Attributes:
        first_depth: of the first iteration; equal to ``last_depth`` without iterative deepening.
        last_depth: of the last iteration.
        decided_by_result: a forced result ends the search: the returns are −1, 0 and 1 and no
            margin breaks ties, so that deeper iterations cannot improve on it.
        by_result: the returns are −1, 0 and 1, so that a forced result settles the return.
        complete: the search prunes no action without proof, so that its results are proved.
        moves_again: whether a player can move twice in a row.
        resists: among the actions that lose latest, the best by the heuristic is played.
    """

    first_depth: int
    last_depth: int
    decided_by_result: int
    by_result: int
    complete: int
    moves_again: int
    resists: int


class TreeSearch(NamedTuple):
    """A search of one game: rules, options and buffers."""

    rules: Any  # of the game's search form
    options: AlphaBetaOptions
    plan: DeepeningPlan
    workspace: Workspace
    table: Any  # its entries, see `transposition`
    symmetries: np.ndarray  # symmetries under which mirror images have equal values at equal depth


def new_plan(
    game: Game, first_depth: int, last_depth: int, complete: bool, resistance: bool
) -> DeepeningPlan:
    """The plan for a game; ``complete``: the search prunes no action without proof."""
    by_result = game.facts.max_return == 1.0
    has_margin = r.has_own_body(game.rules, r.margin)
    return DeepeningPlan(
        first_depth,
        last_depth,
        int(by_result and not has_margin),
        int(by_result),
        int(complete),
        int(game.facts.moves_again),
        int(by_result and resistance),
    )


@kernel
def begin(rules, plan, workspace, table, source):
    """Prepare the search of the position ``source``, a record of the plain game.

    A search uses no results of earlier ones: a decision depends on the position alone.
    """
    state = workspace.state[0]
    begin_generation(state, table)
    workspace.history[:] = 0
    workspace.killers[:] = NO_ACTION
    load_record(rules, source, workspace.positions)
    position, spare_row = workspace.positions[0], workspace.actions.shape[0] - 1
    state.maximiser = r.to_move(rules, position)
    state.legal = r.candidates(rules, position, 0, workspace.actions[spare_row])
    state.nodes, state.best, state.best_action = 0, 0, NO_ACTION
    state.stage, state.next = DEEPENING, FINISH
    state.depth = plan.first_depth - 1


@inner_kernel
def deepen(rules, options, plan, workspace, table, symmetries, nodes_allowed):
    """Continue for at most ``nodes_allowed`` nodes, or to the end of the iteration.

    Returns ITERATION_OPEN (the nodes are used up), ITERATION_COMPLETE (an iteration is complete;
    the next call continues the search) or SEARCH_COMPLETE. The result of the last completed
    iteration is in ``state.best`` and ``state.best_action``.
    """
    state, root = workspace.state[0], workspace.frames[0]
    if state.next == FINISH:  # the iteration before is complete
        if state.stage == DEEPENING:
            begin_iteration(
                workspace, state.depth + 1, -INFINITY, INFINITY, options.root_values > 0
            )
        else:
            # All actions lose. The actions that lose latest get their exact values.
            begin_iteration(workspace, state.depth, state.best - 1, state.best + 1, True)
    if not run(rules, options, workspace, table, symmetries, nodes_allowed):
        return ITERATION_OPEN
    if state.stage == DEEPENING:
        state.best, state.best_action = root.best, np.int64(root.best_action)
        state.best_horizon = state.horizon
        decisive = plan.decided_by_result and abs(state.best) > PROVEN
        if state.depth < plan.last_depth and not decisive:
            # A deeper iteration changes nothing if no position was evaluated by the heuristic.
            if not plan.complete or not reached_the_end(plan, state):
                return ITERATION_COMPLETE
        if not plan.resists or state.best >= -PROVEN or root.count == 1:
            state.stage = OVER
            return SEARCH_COMPLETE
        state.stage = RESISTING
        if options.pruning and not options.root_values:
            return ITERATION_COMPLETE
    # Results proved to the end of the game are not replaced by values that rest on estimates:
    # comparing the other actions takes more lines, and these may be longer.
    if plan.decided_by_result or state.best_horizon > 0 or state.horizon == 0:
        state.best_action = _best_resistance(rules, options, workspace)
    state.stage = OVER
    return SEARCH_COMPLETE


@kernel
def reached_the_end(plan, state):
    """Whether every line of the iteration was followed to the end of its game.

    Then no position was evaluated at the depth limit. If a player can move twice, a table entry can
    come from a line that was not followed to its end, unless the depth excludes it.
    """
    return state.horizon == 0 and (not plan.moves_again or state.depth >= state.legal)


@inner_kernel
def _best_resistance(rules, options, workspace):
    """Among the root actions that lose latest, the best by the heuristic."""
    positions, state, root = workspace.positions, workspace.state[0], workspace.frames[0]
    best_action, best_points = state.best_action, -INFINITY
    for i in range(root.count):
        action = np.int64(workspace.actions[0, i])
        if workspace.root_values[action] != state.best:
            continue
        positions[1] = positions[0]
        r.play(rules, positions[1], action)
        points = np.int64(0)
        if options.heuristic >= 0 and not r.is_over(rules, positions[1]):
            points = np.int64(
                resistance_points(rules, positions[1], state.maximiser, options.heuristic)
            )
        if points > best_points:
            best_action, best_points = action, points
    return best_action


def half_step(points: int, before: int | None) -> float:
    """Half the way back from the points of an iteration to those of the iteration before.

    Args:
        points: of the iteration.
        before: points of the previous iteration; None if there was none.

    Returns:
        the offset of the iteration's scores; 0 if either value comes from a finished game.
    """
    if before is None or max(abs(points), abs(before)) > PROVEN:
        return 0.0
    return (before - points) / 2


def score_of_points(
    points: int, kind: Kind, by_result: bool, to_the_end: bool, offset: float = 0.0
) -> Score:
    """The score for the points of a search.

    Args:
        points: the value of the search.
        kind: the kind of the score.
        by_result: whether the game's returns are −1, 0 and 1.
        to_the_end: whether no position was evaluated, so that points encode results only.
        offset: the offset of the score, see :func:`half_step`.
    """
    if abs(points) <= PROVEN and to_the_end:
        return Score(float(points), "return", kind)
    if abs(points) <= PROVEN:
        return Score(float(points), "points", kind, offset=offset)
    sign = 1.0 if points > 0 else -1.0
    if by_result:
        return Score(sign, "return", kind, (WIN - abs(points)) % LEAD)
    units = math.ceil(abs(points) / WIN)
    return Score(sign * units, "return", kind, units * WIN - abs(points))
