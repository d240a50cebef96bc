"""The search of the agent ``gomoku``: principal variations over a board changed in place.

Values are points for the player to move. A node with a forced result is settled without search: a
five, an open four that nothing stops, a win by continuous fours. A reply to a four does not reduce
the depth. Late moves are searched at reduced depth first, and pruned if the position is too bad for
a quiet move to help.

Sources: Marsland, "A review of game-tree pruning", 1986 (principal-variation search); Heinz,
"Extended futility pruning", 1998; late-move reductions as described in the chess programming wiki.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...agents.search.alphabeta_kernels import (
    ADVANCE,
    ENTER,
    FINISH,
    INFINITY,
    LEAVE,
    MAX_DEPTH,
    PROVEN,
    WIN,
    add_killer,
    from_table,
    to_table,
)
from ...agents.search.transposition import LOWER, NO_ACTION, bound_of, probe, settles, store
from ...envs.boards.stones import CELLS, OUT_OF_TURN
from ...envs.compiled.kernels import inner_kernel, kernel
from ...envs.games.gomoku.patterns import (
    CARO,
    CELL_CLASS,
    CLASSES,
    DOUBLE_THREE,
    FOUR_THREE,
    LONGEST,
    MAKES_FOUR,
    PLAIN,
    WINS_NOW,
    WINS_SOON,
)
from ...envs.games.gomoku.rules import list_near
from .fours import find_fours
from .patterns import list_moves, make_move, unmake_move, urgency
from .value_network import INPUTS, copy_sums
from .values import static_points

NEXT, SHALLOW, SCOUT, FULL = range(4)  # how the current move is searched; NEXT: not yet chosen
MAX_PLY = 120
MOST_MOVES = CELLS + 1
KILLER_POINTS = 200  # move ordering bonus of a killer move
REACH_OF_A_ROW = LONGEST - 1  # a stone farther away than this is in no row with another

ENGINE_FRAME = np.dtype(
    [
        ("sums", np.int16, (2, INPUTS)),  # the network's inputs before the current move
        ("alpha", np.int64),
        ("beta", np.int64),
        ("first_alpha", np.int64),
        ("best", np.int64),
        ("points", np.int64),  # the static value
        ("key", np.uint64),
        ("best_action", np.int32),
        ("count", np.int32),  # moves to try
        ("total", np.int32),  # all listed moves; the pruned ones are last
        ("cursor", np.int32),
        ("depth", np.int32),
        ("mode", np.int32),
        ("reduction", np.int32),  # depth reduction of the current move
        ("forced", np.bool_),  # every move answers a four
        ("pressed", np.bool_),  # every move answers an open three
        ("listed", np.bool_),  # whether all moves are listed, or only the table's move
        ("complete", np.bool_),  # whether every unlisted move loses
    ],
    align=True,
)

ENGINE_STATE = np.dtype(
    [
        ("ply", np.int64),
        ("next", np.int64),
        ("value", np.int64),
        ("nodes", np.int64),
        ("generation", np.int64),
    ],
    align=True,
)


class EngineOptions(NamedTuple):
    """Pruning options; 0 turns a rule off.

    The values were chosen by matches, listed in docs/tables/caro/gomoku_engine_changes.csv.

    Attributes:
        fours: node limit of the search for continuous fours at a node; 0 turns it off.
        radius: only cells within this distance of a stone are tried.
        width: number of cells tried at a node, the most urgent first.
        near_width: the same at depth 2 or less.
        reductions: late-move reductions, in per cent of the product of logarithms.
        futility: margin of futility pruning, in points per ply of depth.
        margin: margin of reverse futility pruning, in points per ply of depth.
        razoring: margin of razoring, in points per ply of depth.
        late: quiet moves tried near the horizon, plus the square of the depth.
    """

    fours: int = 60
    radius: int = 2
    width: int = 20
    near_width: int = 12
    reductions: int = 90
    futility: int = 150
    margin: int = 150
    razoring: int = 200
    late: int = 4


class EngineWorkspace(NamedTuple):
    """The arrays of a search.

    Attributes:
        board: one PATTERNS_RECORD, changed in place.
        frames: ENGINE_FRAME records, (MAX_PLY + 2,).
        actions: int16, (MAX_PLY + 2, MOST_MOVES).
        killers: int16, (MAX_PLY + 2, 2).
        changes: int32, (MAX_PLY + 2, CHANGES): the changes of each move, for unmaking it.
        keys: int32, (MOST_MOVES,): sort keys of the moves of the current node.
        reductions: int8, (64, 64): depth reduction of a move, by depth and move number.
        fours: a FoursSearch.
        state: one ENGINE_STATE record.
    """

    board: Any
    frames: Any
    actions: Any
    killers: Any
    changes: Any
    keys: Any
    reductions: Any
    fours: Any
    state: Any


@kernel
def begin_search(workspace, depth, alpha, beta):
    """Prepare a search of the board to ``depth`` within a window."""
    root, state = workspace.frames[0], workspace.state[0]
    root.alpha, root.beta, root.depth = alpha, beta, depth
    root.best_action = NO_ACTION
    state.ply, state.next, state.value = 0, ENTER, 0


@inner_kernel
def run_engine(rules, options, workspace, table, nodes_allowed):
    """Continue the search for ``nodes_allowed`` nodes; returns whether the iteration is complete.

    Its value and action are then in ``frames[0].best`` and ``best_action``. An incomplete iteration
    leaves stones on the board.
    """
    position, state, frames = workspace.board[0], workspace.state[0], workspace.frames
    actions, changes = workspace.actions, workspace.changes
    ply, step, value, nodes = state.ply, state.next, state.value, state.nodes
    limit = nodes + nodes_allowed
    while step != FINISH:
        if step == ENTER:
            if nodes >= limit:
                break
            nodes += 1
            step, value, fours_nodes = enter_node(rules, options, workspace, table, ply)
            nodes += fours_nodes
        elif step == LEAVE:
            if ply == 0:
                step = FINISH
            else:
                ply -= 1
                frame = frames[ply]
                unmake_move(rules, position, np.int64(actions[ply, frame.cursor]), changes[ply])
                copy_sums(frame.sums, position.sums)
                backup(frame, actions[ply], -value)
                step = ADVANCE
        else:
            frame = frames[ply]
            if frame.cursor >= frame.count or frame.alpha >= frame.beta:
                if not frame.listed and frame.alpha < frame.beta:
                    first = np.int64(actions[ply, 0])
                    _list_node(rules, options, workspace, ply, first)
                    frame.cursor = 1 if actions[ply, 0] == first else 0
                    continue
                if frame.best < -PROVEN and frame.alpha < frame.beta:
                    if _add_moves(rules, workspace, ply):  # a loss needs all moves
                        continue
                value = finish_node(workspace, table, ply)
                step = LEAVE
                continue
            if frame.mode == NEXT:
                _begin_move(options, frame, position, actions[ply], workspace.reductions)
            if _skip_move(options, position, frame, actions[ply], ply):
                frame.best = max(frame.best, frame.alpha)  # fail hard
                frame.cursor += 1
                frame.mode = NEXT
            else:
                descend(rules, workspace, ply)
                ply += 1
                step = ENTER
    state.ply, state.next, state.value, state.nodes = ply, step, value, nodes
    return step == FINISH


@inner_kernel
def enter_node(rules, options, workspace, table, ply):
    """Visit a node.

    Returns LEAVE and its value, or ADVANCE after listing its moves; and the nodes of the search for
    fours.
    """
    position, frame, state = workspace.board[0], workspace.frames[ply], workspace.state[0]
    mover = np.int64(position.ply & 1)
    mine, theirs = CLASSES * mover, CLASSES * (1 - mover)
    classes = position.classes
    fours_nodes = 0
    cells = rules.rows * rules.cols
    if position.ply >= cells or position.ply == cells + OUT_OF_TURN:
        return LEAVE, np.int64(0), fours_nodes  # a draw
    # 1. Immediate results.
    under_four = classes[theirs + WINS_NOW] > 0
    if ply > 0:
        if classes[mine + WINS_NOW] > 0:
            return LEAVE, np.int64(WIN - ply - 1), fours_nodes
        if rules.rule < CARO and classes[theirs + WINS_NOW] > 1:
            return LEAVE, np.int64(ply + 2 - WIN), fours_nodes
        if rules.rule < CARO and not under_four and classes[mine + WINS_SOON] > 0:
            return LEAVE, np.int64(WIN - ply - 3), fours_nodes
    frame.forced = under_four
    quiet_horizon = frame.depth <= 0 and not under_four
    # 2. Transposition table.
    first_action = NO_ACTION
    frame.first_alpha = frame.alpha
    frame.key = position.hash
    if not quiet_horizon:
        index = probe(table, frame.key, state.generation)
        if index >= 0:
            entry = table[index]
            first_action = np.int64(entry.action)
            if entry.depth >= frame.depth and ply > 0:
                table_value, bound = from_table(np.int64(entry.value), ply), entry.tag & 3
                if settles(bound, table_value, frame.alpha, frame.beta):
                    return LEAVE, table_value, fours_nodes
    # 3. Stand pat, and reverse futility pruning.
    points = static_points(rules.network, position, mover)
    frame.points = points
    narrow = frame.beta - frame.alpha == 1 and ply > 0
    if quiet_horizon and points >= frame.beta:
        return LEAVE, points, fours_nodes
    if narrow and not under_four and options.margin > 0 and frame.depth <= 4:
        if classes[theirs + WINS_SOON] + classes[theirs + FOUR_THREE] == 0:
            if points - options.margin * frame.depth >= frame.beta and points < WIN // 2:
                return LEAVE, points, fours_nodes
    # 4. A win by continuous fours.
    if options.fours > 0 and not under_four and ply > 0:
        if classes[mine + MAKES_FOUR] + classes[mine + FOUR_THREE] + classes[mine + WINS_SOON] > 0:
            action, length, fours_nodes = find_fours(
                rules, position, workspace.fours, options.fours
            )
            if action >= 0:
                return LEAVE, np.int64(WIN - ply - length), fours_nodes
    # 5. The horizon, and razoring.
    if quiet_horizon or ply >= MAX_PLY:
        return LEAVE, points, fours_nodes
    if narrow and not under_four and options.razoring > 0 and frame.depth <= 2:
        if classes[mine + FOUR_THREE] + classes[mine + DOUBLE_THREE] == 0:
            if points + options.razoring * frame.depth <= frame.alpha:
                return LEAVE, points, fours_nodes
    # 6. The moves: the table's move first, then the most urgent.
    frame.pressed = not under_four and classes[theirs + WINS_SOON] > 0
    frame.cursor, frame.mode = 0, NEXT
    frame.best, frame.best_action = -INFINITY, NO_ACTION
    frame.listed = ply == 0 or first_action == NO_ACTION or position.cells[first_action] != 0
    if frame.listed:
        _list_node(rules, options, workspace, ply, first_action)
    else:
        workspace.actions[ply, 0], frame.count = first_action, 1
    return ADVANCE, np.int64(0), fours_nodes


@inner_kernel
def _list_node(rules, options, workspace, ply, first_action):
    """List the moves of a node, ``first_action`` first and then the most urgent."""
    position, frame, actions = workspace.board[0], workspace.frames[ply], workspace.actions[ply]
    mover = np.int64(position.ply & 1)
    count, frame.complete = list_moves(rules, options.radius, position, mover, actions)
    frame.total, frame.listed = count, True
    width = MOST_MOVES
    if ply > 0 and not frame.forced:
        width = options.width if frame.depth > 2 else options.near_width
    if count > 1:
        count = _sort_moves(rules, workspace, ply, count, width, first_action)
    frame.count = count


@inner_kernel
def _add_moves(rules, workspace, ply):
    """Add untried moves to a node; returns whether there are any.

    First the moves beyond its width, then the unlisted cells within :data:`REACH_OF_A_ROW` of a
    stone.
    """
    position, frame = workspace.board[0], workspace.frames[ply]
    actions, near = workspace.actions[ply], workspace.actions[MAX_PLY + 1]
    if frame.count == frame.total and not frame.complete:
        frame.complete = True
        marks = workspace.keys
        for i in range(list_near(rules, position.stones, REACH_OF_A_ROW, near)):
            marks[near[i]] = 1
        for i in range(frame.total):
            marks[actions[i]] = 0
        for i in range(list_near(rules, position.stones, REACH_OF_A_ROW, near)):
            if marks[near[i]] == 1:
                actions[frame.total] = near[i]
                frame.total += 1
    more = frame.count < frame.total
    frame.count = frame.total
    return more


@inner_kernel
def _sort_moves(rules, workspace, ply, count, width, first_action):
    """Put the ``width`` best moves first, in order; returns their number."""
    position, keys, actions = workspace.board[0], workspace.keys, workspace.actions[ply]
    mover, killers = np.int64(position.ply & 1), workspace.killers[ply]
    size = 0
    for i in range(count):
        action = np.int64(actions[i])
        key = urgency(rules, position.keys, action, mover)
        if action == killers[0] or action == killers[1]:
            key += KILLER_POINTS
        if action == first_action:
            key += 1 << 24
        if size == width:
            if keys[size - 1] >= key:
                continue
            size -= 1
            actions[i] = actions[size]
        j = size
        while j > 0 and keys[j - 1] < key:
            keys[j], actions[j] = keys[j - 1], actions[j - 1]
            j -= 1
        keys[j], actions[j] = key, action
        size += 1
    return size


@inner_kernel
def _begin_move(options, frame, position, actions, reductions):
    """Choose the first search of the move at the cursor."""
    late = frame.cursor
    if late == 0:
        frame.mode = FULL
        return
    frame.mode = SCOUT
    if options.reductions == 0 or late < 2 or frame.depth < 2 or frame.forced:
        return
    reduction = reductions[min(frame.depth, 63), min(late, 63)]
    if reduction > 0 and _is_slow(position, np.int64(actions[late]), np.int64(position.ply & 1)):
        frame.mode, frame.reduction = SHALLOW, reduction


@inner_kernel
def _is_slow(position, action, mover):
    """Whether a stone there makes at most one three or one four, for either side.

    One stone answers such a threat, and wins by continuous fours are found elsewhere.
    """
    keys = position.keys
    own = CELL_CLASS[keys[2 * action + mover]]
    other = CELL_CLASS[keys[2 * action + 1 - mover]]
    return own <= MAKES_FOUR and other <= MAKES_FOUR


@inner_kernel
def _is_quiet(position, action, mover):
    """Whether a stone there makes no three or four for the mover, and is slow."""
    keys = position.keys
    return CELL_CLASS[keys[2 * action + mover]] == PLAIN and _is_slow(position, action, mover)


@inner_kernel
def _skip_move(options, position, frame, actions, ply):
    """Whether a quiet move near the horizon is pruned."""
    if frame.cursor == 0 or frame.depth > 4 or frame.forced or frame.pressed or ply == 0:
        return False
    if frame.mode == FULL or abs(frame.alpha) > WIN // 2:
        return False
    late = options.late > 0 and frame.cursor >= options.late + frame.depth * frame.depth
    hopeless = options.futility > 0 and frame.points + options.futility * frame.depth <= frame.alpha
    if not (late or hopeless):
        return False
    return _is_quiet(position, np.int64(actions[frame.cursor]), np.int64(position.ply & 1))


@inner_kernel
def descend(rules, workspace, ply):
    """Play the move at the cursor and set the child's window and depth."""
    position, frame, child = workspace.board[0], workspace.frames[ply], workspace.frames[ply + 1]
    action, mover = np.int64(workspace.actions[ply, frame.cursor]), np.int64(position.ply & 1)
    copy_sums(position.sums, frame.sums)
    make_move(rules, position, action, mover, workspace.changes[ply], True)
    used = 0 if frame.forced else 1
    if frame.mode == SHALLOW:
        used += frame.reduction
    child.depth = frame.depth - used
    child.beta = -frame.alpha
    child.alpha = -frame.beta if frame.mode == FULL else -frame.alpha - 1


@inner_kernel
def backup(frame, actions, value):
    """Back up the value of the move at the cursor, or start its re-search."""
    if frame.mode == SHALLOW and value > frame.alpha:
        frame.mode = SCOUT
        return
    if frame.mode == SCOUT and frame.alpha < value < frame.beta:
        frame.mode = FULL
        return
    if value > frame.best:
        frame.best, frame.best_action = value, actions[frame.cursor]
    frame.alpha = max(frame.alpha, value)
    frame.cursor += 1
    frame.mode = NEXT


@inner_kernel
def finish_node(workspace, table, ply):
    """Store the result of a node in the table and the killers; returns its value."""
    frame = workspace.frames[ply]
    value, action = frame.best, np.int64(frame.best_action)
    bound = bound_of(value, frame.first_alpha, frame.beta)
    if bound == LOWER:
        add_killer(workspace.killers[ply], action)
    depth, generation = min(max(frame.depth, 0), MAX_DEPTH), workspace.state[0].generation
    store(table, frame.key, generation, to_table(value, ply), bound, action, depth)
    return value
