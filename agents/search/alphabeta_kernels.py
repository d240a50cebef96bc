"""Alpha-beta search to a fixed depth, generic over games: the kernels.

Values are points from the side of one player, the *maximiser*, in the whole tree: the player to
move decides whether a node is a maximising or a minimising one, so a player who moves twice in a
row needs no special case and nothing is negated. A move that keeps the turn does not reduce the
depth.

The search keeps its stack of plies in arrays. It can stop after any number of nodes and resume, so
that the caller can check the time. Each enhancement is switched by a field of
:class:`AlphaBetaOptions`; with all of them off the search is plain alpha-beta. Iterative deepening
is in :mod:`plyground.agents.search.deepening`.

Sources: Knuth and Moore, "An analysis of alpha-beta pruning", 1975; Marsland, "A review of
game-tree pruning", 1986 (principal-variation search, transposition table, killer and history
heuristics).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...envs import rules as r
from ...envs.compiled.kernels import inner_kernel, kernel
from ...envs.game import Game
from ..own.kernels import GAME_ORDER, points_of, sort_actions
from ..own.search_form import (
    REPLY_WINS,
    UNREAD,
    WON,
    blank_records,
    can_win_at_once,
    is_own_image,
    read_off,
)
from .transposition import NO_ACTION, bound_of, probe, settles, store

# The points of a finished game: WIN for each unit of return; LEAD for each unit of the margin,
# which breaks ties of the result; less the plies it takes, for quick wins and slow losses. No game
# has LEAD plies, nor a margin of PROVEN / LEAD.
WIN = 1_000_000
LEAD = 1_000
PROVEN = WIN // 2  # values beyond this come from finished games, not from a heuristic
INFINITY = 1 << 40
MAX_DEPTH = 250
MOST_VISITS = 2  # of a leaf: with a null window, then with an open one

ENTER, LEAVE, ADVANCE, FINISH = range(4)  # the next step of the search at the current ply

FRAME = np.dtype(
    [
        ("alpha", np.int64),
        ("beta", np.int64),
        ("first_alpha", np.int64),
        ("first_beta", np.int64),
        ("best", np.int64),
        ("key", np.uint64),
        ("best_action", np.int32),
        ("count", np.int32),
        ("cursor", np.int32),
        ("depth", np.int32),
        ("maximising", np.bool_),
        ("scouting", np.bool_),
        ("fixed_window", np.bool_),  # every action is searched with the node's own window
    ],
    align=True,
)


# The state of a search, between calls and during them.
STATE = np.dtype(
    [
        ("ply", np.int64),
        ("next", np.int64),  # ENTER, LEAVE, ADVANCE or FINISH
        ("value", np.int64),  # the value of the last node left
        ("nodes", np.int64),  # visited since the search began, over all iterations
        ("horizon", np.int64),  # positions evaluated at the depth limit, in this iteration
        ("maximiser", np.int64),  # the player from whose side values are
        ("generation", np.int64),  # of this search's table entries
        ("depth", np.int64),  # of this iteration
        ("best", np.int64),  # the value and the action of the last completed iteration
        ("best_action", np.int64),
        ("best_horizon", np.int64),  # positions evaluated for them
        ("legal", np.int64),  # the number of legal actions
        ("stage", np.int64),  # see plyground.agents.search.deepening
    ],
    align=True,
)


class AlphaBetaOptions(NamedTuple):
    """The switches of the search, all whole numbers; 0 switches an enhancement off.

    ``heuristic`` is the number ``points_of`` takes (−1: none), ``ordering`` the one that
    ``sort_actions`` takes, ``radius`` what ``candidates`` takes, ``width`` the number of actions
    kept, ``symmetric_plies`` the plies from the root at which actions that lead to mirror images
    are searched once, ``root_values`` gives every root action its own value at the price of no
    cut-offs at the root, ``win_in_one`` ends a line where the player to move is known to win with
    one action.
    """

    heuristic: int
    pruning: int = 1
    ordering: int = GAME_ORDER
    table: int = 1
    killers: int = 1
    history: int = 1
    scout: int = 1
    radius: int = 0
    width: int = 0
    symmetric_plies: int = 0
    root_values: int = 0
    win_in_one: int = 0


class Workspace(NamedTuple):
    """The arrays of a search: one row for each ply, and the move-ordering statistics."""

    positions: Any  # records, (plies + 1,): the last is spare
    frames: Any  # FRAME records, (plies,)
    actions: Any  # int16, (plies, num_actions)
    killers: Any  # int16, (plies, 2)
    history: Any  # int64, (2, num_actions): the maximiser's actions, the opponent's
    root_values: Any  # int64, (num_actions,)
    state: Any  # one STATE record


def new_workspace(game: Game, last_depth: int, dtype: Any = None) -> Workspace:
    """Buffers for searches to a depth in this game; ``dtype`` replaces the position record."""
    plies, actions = game.facts.longest_game + 2, game.facts.num_actions
    if not game.facts.moves_again:  # otherwise a shallow search can have more plies
        plies = min(plies, last_depth + 2)
    return Workspace(
        blank_records(plies + 1, dtype or game.declaration.dtype),
        blank_records(plies, FRAME),
        np.zeros((plies, actions), np.int16),
        np.full((plies, 2), NO_ACTION, np.int16),
        np.zeros((2, actions), np.int64),
        np.zeros(actions, np.int64),
        blank_records(1, STATE),
    )


@kernel
def leaf_points(rules, position, maximiser, heuristic):
    """The heuristic's value, clipped to the range of unproven values."""
    if heuristic < 0:
        return 0
    return unproven_points(points_of(rules, position, maximiser, heuristic))


@inner_kernel
def unproven_points(points):
    return min(max(points, 1 - PROVEN), PROVEN - 1)


@inner_kernel
def final_points(rules, position, maximiser, ply):
    """The value of a finished game at a ply."""
    points = np.int64(r.returns(rules, position, maximiser) * WIN)
    return points + LEAD * np.int64(r.margin(rules, position, maximiser)) - np.sign(points) * ply


@inner_kernel
def points_read_off(options, kind, points, ply):
    """The value of an action that :func:`read_off` has read at a ply, from the mover's side.

    Returns whether it is an estimate, too.
    """
    if kind == WON:
        return np.int64(WIN - ply - 1), False
    if kind == REPLY_WINS and options.win_in_one:
        return np.int64(ply + 2 - WIN), False
    return np.int64(unproven_points(points)), True


@inner_kernel
def begin_iteration(workspace, depth, alpha, beta, fixed_window):
    """Prepare the search of ``workspace.positions[0]`` to ``depth`` within a window."""
    root, state = workspace.frames[0], workspace.state[0]
    root.alpha, root.beta, root.depth, root.fixed_window = alpha, beta, depth, fixed_window
    state.ply, state.next, state.value, state.horizon, state.depth = 0, ENTER, 0, 0, depth


@inner_kernel
def run(rules, options, workspace, table, symmetries, nodes_allowed):
    """Continue the search for at most ``nodes_allowed`` nodes.

    Returns whether the iteration is complete. Its result is then in ``frames[0].best`` and
    ``best_action``.
    """
    frames, state = workspace.frames, workspace.state[0]
    ply, step, value, nodes = state.ply, state.next, state.value, state.nodes
    limit = nodes + nodes_allowed
    while step != FINISH:
        if step == ENTER:
            if nodes >= limit:
                break
            nodes += 1
            step, value = enter_node(rules, options, workspace, table, symmetries, ply)
        elif step == LEAVE:
            if ply == 0:
                step = FINISH
            else:
                ply -= 1
                step = backup(options, workspace, ply, value)
                if step == ENTER:
                    ply += 1
        else:
            frame = frames[ply]
            if frame.cursor == frame.count or (options.pruning and frame.alpha >= frame.beta):
                value = finish_node(options, workspace, table, ply)
                step = LEAVE
            else:
                visits = 0
                if frame.depth == 1 and limit - nodes >= MOST_VISITS:
                    visits = visit_leaf(rules, options, workspace, ply)
                nodes += visits
                if visits == 0:
                    descend(rules, options, workspace, ply)
                    ply += 1
                    step = ENTER
    state.ply, state.next, state.value, state.nodes = ply, step, value, nodes
    return step == FINISH


@inner_kernel
def enter_node(rules, options, workspace, table, symmetries, ply):
    """Visit the node at ``ply``.

    Returns LEAVE and its value, or ADVANCE and 0 once its actions are listed in order.
    """
    state = workspace.state[0]
    position, frame, maximiser = workspace.positions[ply], workspace.frames[ply], state.maximiser
    # 1. A finished game has its result as value, a position at the depth limit its evaluation.
    if r.is_over(rules, position):
        return LEAVE, final_points(rules, position, maximiser, ply)
    if options.win_in_one and ply > 0 and can_win_at_once(rules, position):
        return LEAVE, (WIN - ply - 1) * (1 if r.to_move(rules, position) == maximiser else -1)
    if frame.depth <= 0:
        state.horizon += 1
        return LEAVE, leaf_points(rules, position, maximiser, options.heuristic)
    # 2. The result of an earlier visit may settle the node; if not, it gives the action to try
    #    first.
    first_action = NO_ACTION
    frame.first_alpha, frame.first_beta = frame.alpha, frame.beta
    if options.table:
        frame.key = r.key(rules, position)
        index = probe(table, frame.key, state.generation)
        if index >= 0:
            entry = table[index]
            first_action = np.int64(entry.action)
            # A deeper entry would do as well, but then the value would depend on the order in which
            # positions were visited.
            if entry.depth == frame.depth and ply > 0:
                table_value, bound = from_table(np.int64(entry.value), ply), entry.tag & 3
                if settles(bound, table_value, frame.alpha, frame.beta):
                    return LEAVE, table_value
    # 3. List the actions, the promising ones first: they cause the cut-offs.
    actions, killers = workspace.actions[ply], workspace.killers[ply]
    count = r.candidates(rules, position, options.radius, actions)
    if ply < options.symmetric_plies:
        count = _drop_mirror_images(rules, workspace.positions, actions, ply, count, symmetries)
    mover = r.to_move(rules, position)
    if options.ordering:
        sort_actions(rules, position, actions, count, options.ordering)
        if options.width and ply > 0:
            count = min(count, options.width)
    if options.history:
        _sort_by_history(workspace.history[0 if mover == maximiser else 1], actions, count)
    if options.killers:
        _bring_to_front(actions, count, killers[1])
        _bring_to_front(actions, count, killers[0])
    _bring_to_front(actions, count, first_action)
    frame.count, frame.cursor, frame.best_action = count, 0, NO_ACTION
    frame.maximising = mover == maximiser
    frame.best = -INFINITY if frame.maximising else INFINITY
    return ADVANCE, 0


@inner_kernel
def descend(rules, options, workspace, ply):
    """Play the next action of the node at ``ply`` and set the child's window and depth."""
    positions, frame, child = workspace.positions, workspace.frames[ply], workspace.frames[ply + 1]
    mover = r.to_move(rules, positions[ply])
    positions[ply + 1] = positions[ply]
    r.play(rules, positions[ply + 1], np.int64(workspace.actions[ply, frame.cursor]))
    # Only a change of turn reduces the depth.
    child.depth = frame.depth - (r.to_move(rules, positions[ply + 1]) != mover)
    child.alpha, child.beta = frame.alpha, frame.beta
    _begin_action(options, frame)
    if frame.scouting:
        if frame.maximising:
            child.beta = frame.alpha + 1
        else:
            child.alpha = frame.beta - 1


@inner_kernel
def _begin_action(options, frame):
    """Go to the next action of a node, and set its window."""
    # Principal-variation search: after the first action, a null window tests for a better one.
    frame.scouting = (
        options.scout
        and frame.cursor > 0
        and frame.beta - frame.alpha > 1
        and not frame.fixed_window
    )
    frame.cursor += 1


@inner_kernel
def visit_leaf(rules, options, workspace, ply):
    """Evaluate the next action of a node one ply above the leaves without playing it.

    Returns the number of visits of the leaf: two if it fails high in a null window; 0 if the action
        must be played.
    """
    frame, state = workspace.frames[ply], workspace.state[0]
    action = np.int64(workspace.actions[ply, frame.cursor])
    kind, points = read_off(rules, workspace.positions[ply], action, options.heuristic)
    if kind == UNREAD:
        return 0
    value, is_estimate = points_read_off(options, kind, points, ply)
    value = value if frame.maximising else -value
    _begin_action(options, frame)
    visits = 1
    while backup(options, workspace, ply, value) == ENTER:
        visits += 1
    state.horizon += visits * is_estimate
    return visits


@inner_kernel
def backup(options, workspace, ply, value):
    """Back up the value of the child just searched.

    Returns ENTER if the child must be searched again with an open window, else ADVANCE.
    """
    frame = workspace.frames[ply]
    action = workspace.actions[ply, frame.cursor - 1]
    if frame.scouting and frame.alpha < value < frame.beta:
        frame.scouting = False
        child = workspace.frames[ply + 1]
        child.alpha, child.beta = frame.alpha, frame.beta
        return ENTER
    if ply == 0:
        workspace.root_values[action] = value
    if frame.maximising:
        if value > frame.best:
            frame.best, frame.best_action = value, action
        if options.pruning and value > frame.alpha and not frame.fixed_window:
            frame.alpha = value
    else:
        if value < frame.best:
            frame.best, frame.best_action = value, action
        if options.pruning and value < frame.beta and not frame.fixed_window:
            frame.beta = value
    return ADVANCE


@inner_kernel
def finish_node(options, workspace, table, ply):
    """Store the node's result in the table, killers and history; returns its value."""
    frame = workspace.frames[ply]
    value, action = frame.best, np.int64(frame.best_action)
    if options.table:
        bound = bound_of(value, frame.first_alpha, frame.first_beta)
        generation, depth = workspace.state[0].generation, min(frame.depth, MAX_DEPTH)
        store(table, frame.key, generation, to_table(value, ply), bound, action, depth)
    if options.pruning and frame.alpha >= frame.beta:
        if options.killers:
            add_killer(workspace.killers[ply], action)
        if options.history:
            side = 0 if frame.maximising else 1
            workspace.history[side, action] += frame.depth * frame.depth
    return value


@inner_kernel
def add_killer(killers, action):
    """Make an action the first killer of its ply, unless it is already."""
    if killers[0] != action:
        killers[1] = killers[0]
        killers[0] = action


@inner_kernel
def to_table(value, ply):
    """A value as stored in the table: plies to a forced result are counted from the node."""
    return value + ply if value > PROVEN else value - ply if value < -PROVEN else value


@inner_kernel
def from_table(value, ply):
    """The inverse of :func:`to_table`."""
    return value - ply if value > PROVEN else value + ply if value < -PROVEN else value


@inner_kernel
def _bring_to_front(actions, count, action):
    """Move ``action`` to the front if it is among the first ``count``."""
    for i in range(count):
        if actions[i] == action:
            for j in range(i, 0, -1):
                actions[j] = actions[j - 1]
            actions[0] = action
            return


@inner_kernel
def _sort_by_history(scores, actions, count):
    """Stable insertion sort by descending score."""
    for i in range(1, count):
        action = actions[i]
        score = scores[action]
        j = i
        while j > 0 and scores[actions[j - 1]] < score:
            actions[j] = actions[j - 1]
            j -= 1
        actions[j] = action


@kernel
def _drop_mirror_images(rules, positions, actions, ply, count, symmetries):
    """Keep only the first of each set of actions that lead to mirror images; returns how many.

    Only symmetries that leave the position unchanged map its actions to each other.
    """
    own_symmetries = np.int64(0)  # bits
    for s in range(1, symmetries.shape[0]):
        spare = positions[positions.size - 1]
        if is_own_image(rules, positions[ply], symmetries[s], spare):
            own_symmetries |= 1 << s
    if own_symmetries == 0:
        return count
    representatives = 0
    for i in range(count):
        is_image = False
        for s in range(1, symmetries.shape[0]):
            if own_symmetries >> s & 1 != 0:
                for k in range(representatives):
                    is_image |= actions[k] == symmetries[s, actions[i]]
        if not is_image:
            actions[representatives] = actions[i]
            representatives += 1
    return representatives


@kernel
def principal_variation(rules, workspace, table, action, line):
    """Write the expected line of play into ``line`` (int16); returns its length.

    It starts at ``workspace.positions[0]`` with ``action`` and follows the table's best actions.
    """
    position = workspace.positions[1]  # no longer needed after the search
    workspace.positions[1] = workspace.positions[0]
    generation = workspace.state[0].generation
    length = 0
    while length < line.size:
        r.play(rules, position, np.int64(action))
        line[length] = action
        length += 1
        if r.is_over(rules, position):
            break
        index = probe(table, np.uint64(r.key(rules, position)), generation)
        if index < 0 or not r.is_legal(rules, position, np.int64(table[index].action)):
            break
        action = np.int64(table[index].action)
    return length
