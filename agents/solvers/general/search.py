"""The search of the general solver: alpha-beta with null windows, to the end of the game.

Values are the returns of player 0 at the end. Each search asks: is the value at least ``goal``? One
number is the window of the whole tree, for both players; the player to move determines what counts
as success, so that a player may move again. Positions are records, which hold everything that the
rest of the game depends on: a result for a position holds for every path to it.

A node plays all its actions before it searches one. An action that ends the game, or leads to a
position that the table decides, is settled there (enhanced transposition cut-offs); often this
settles the node too. The others are searched in the order of ``order_actions``, the table's action
first.

For rejected techniques see docs/solver.md. Sources: Knuth and Moore, "An analysis of alpha-beta
pruning", 1975; Plaat, Schaeffer, Pijls, de Bruin, "Best-first fixed-depth minimax algorithms",
Artificial Intelligence 87, 1996 (null windows with a table; enhanced transposition cut-offs).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....envs import rules as r
from ....envs.compiled.kernels import inner_kernel
from ....envs.game import Game
from ..table import NO_ACTION, ZERO, action_of, bucket_of, lower_of, probe, store, upper_of

ENTER, LEAVE, ADVANCE, FINISH = range(4)  # what to do next at the current ply
# Near the root a position and its symmetric images share an entry.
SYMMETRIC_PLIES = 8
SOUND, FRACTION, TOO_LONG = range(3)  # what is wrong with the game: a fractional return, its length
LOWEST, HIGHEST = -(1 << 14), 1 << 14  # trivial bounds; values lie between them
UNSETTLED = LOWEST  # the value of an action that needs a search
WORD = 8  # bytes

FRAME = np.dtype(
    [
        ("best", np.int64),  # the value for the player to move
        ("least", np.int64),  # success is a value of at least this, for the player to move
        ("nodes_before", np.int64),
        ("hash", np.uint64),
        ("symmetry", np.int64),  # maps the position to its canonical image
        ("best_action", np.int64),
        ("mover", np.int64),
        ("count", np.int64),  # of actions to search
        ("cursor", np.int64),
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("ply", np.int64),
        ("step", np.int64),
        ("value", np.int64),
        ("nodes", np.int64),
        ("goal", np.int64),
        ("fault", np.int64),
    ],
    align=True,
)


class Records(NamedTuple):
    """Positions, and the same memory as words.

    Attributes:
        positions: records (count,).
        words: uint64 (count, words of a record).
    """

    positions: Any
    words: Any


class GeneralStack(NamedTuple):
    """The plies of a search, and its buffers.

    Attributes:
        plies: the position of each ply.
        images: two spare records.
        stored: int64: the indices of the words of a position that are in its key.
        constant: int64: the indices of the other words.
        initial: uint64: the words of the initial position. A position that differs from it in a
            constant word has no key.
        key: uint64: the latest key.
        frames: FRAME (plies,).
        actions: int16 (plies, num_actions): the actions of each node that are searched.
        symmetries: int16 (symmetries, num_actions).
        state: one STATE record.
    """

    plies: Records
    images: Records
    stored: Any
    constant: Any
    initial: Any
    key: Any
    frames: Any
    actions: Any
    symmetries: Any
    state: Any


def new_records(count: int, dtype: np.dtype) -> Records:
    """Records of zeros, each aligned to a word."""
    words = np.zeros((count, -(-dtype.itemsize // WORD)), np.uint64)
    records = np.ndarray((count,), dtype, words, strides=words.strides[:1])
    return Records(records.view(np.recarray), words)


def new_stack(game: Game, stored: tuple[int, ...]) -> GeneralStack:
    """A stack for searches of a game; ``stored`` are the words that distinguish positions."""
    plies, dtype = game.facts.longest_game + 2, game.declaration.dtype
    initial = new_records(1, dtype)
    initial.positions[0] = game.initial_position().record
    words = np.arange(initial.words.shape[1])
    return GeneralStack(
        new_records(plies, dtype),
        new_records(2, dtype),
        np.array(stored, np.int64),
        words[~np.isin(words, stored)],
        initial.words[0],
        np.zeros(1 + len(stored), np.uint64),
        np.zeros(plies, FRAME).view(np.recarray),
        np.zeros((plies, game.facts.num_actions), np.int16),
        game.symmetries,
        np.zeros(1, STATE).view(np.recarray),
    )


def begin(stack: GeneralStack, record: Any, goal: int) -> None:
    """Prepare the stack: is the value of a position that is not over at least ``goal``?"""
    stack.plies.positions[0] = record
    state = stack.state[0]
    state.ply = state.value = state.nodes = state.fault = 0
    state.step, state.goal = ENTER, goal


@inner_kernel
def run(rules, table, stack, nodes_allowed):
    """Continue for a limited number of nodes; returns whether the search is complete.

    The result is in ``state.value``, the best action in the root. ``state.fault`` says why the game
    cannot be solved.
    """
    frames, state, positions = stack.frames, stack.state[0], stack.plies.positions
    ply, step, value, nodes = state.ply, state.step, state.value, state.nodes
    limit = nodes + nodes_allowed
    while step != FINISH:
        frame = frames[ply]
        if step == ENTER:
            if nodes >= limit:
                break
            frame.nodes_before = nodes
            nodes += 1
            step, value = enter_node(rules, table, stack, ply)
        elif step == LEAVE:
            if ply == 0:
                step = FINISH
                continue
            ply -= 1
            frame = frames[ply]
            own = value if frame.mover == 0 else -value
            if own > frame.best:
                frame.best = own
                frame.best_action = np.int64(stack.actions[ply, frame.cursor - 1])
            step = ADVANCE
        elif frame.cursor == frame.count or frame.best >= frame.least:
            store_node(rules, table, stack, ply, nodes - frame.nodes_before)
            value = frame.best if frame.mover == 0 else -frame.best
            step = LEAVE
        else:
            positions[ply + 1] = positions[ply]
            r.play(rules, positions[ply + 1], np.int64(stack.actions[ply, frame.cursor]))
            frame.cursor += 1
            ply += 1
            step = ENTER
        if state.fault != SOUND:
            step = FINISH
    state.ply, state.step, state.value, state.nodes = ply, step, value, nodes
    return step == FINISH


@inner_kernel
def enter_node(rules, table, stack, ply):
    """Visit a position: LEAVE with its value, or ADVANCE with the actions to search, in order."""
    state, frame, position = stack.state[0], stack.frames[ply], stack.plies.positions[ply]
    if ply + 2 >= stack.frames.size:
        state.fault = TOO_LONG
        return LEAVE, 0
    goal, mover = state.goal, np.int64(r.to_move(rules, position))
    frame.mover, frame.least = mover, goal if mover == 0 else 1 - goal
    frame.best, frame.best_action, frame.cursor = LOWEST, NO_ACTION, 0
    # 1. The table may settle the node, or name the action to try first. The root needs
    #    an action too.
    frame.hash, frame.symmetry, data = look_up(rules, table, stack, ply)
    first = NO_ACTION
    if data != ZERO:
        lower, upper = lower_of(table, data), upper_of(table, data)
        if lower >= goal and ply > 0:
            return LEAVE, lower
        if upper < goal and ply > 0:
            return LEAVE, upper
        first = action_of(table, data)
    # 2. Play all actions: some end the game, some are decided by the table.
    actions = stack.actions[ply]
    count = r.legal_actions(rules, position, actions)
    r.order_actions(rules, position, actions, count)
    frame.count = 0
    for i in range(count):
        action = np.int64(actions[i])
        value = _value_after(rules, table, stack, ply, action)
        if value != UNSETTLED:
            if value > frame.best:
                frame.best, frame.best_action = value, action
                if value >= frame.least:
                    break
            continue
        # 3. The others are searched in order, the table's action first.
        place = frame.count
        if _action_image(stack, frame.symmetry, action) == first:
            while place > 0:
                actions[place] = actions[place - 1]
                place -= 1
        actions[place] = action
        frame.count += 1
    if frame.count == 0 or frame.best >= frame.least:
        return LEAVE, frame.best if mover == 0 else -frame.best
    return ADVANCE, 0


@inner_kernel
def _value_after(rules, table, stack, ply, action):
    """The value of an action for the player to move, as far as known without a search.

    It is the value or a bound that answers the question of the search, or ``UNSETTLED``. The
    position after the action is then at the next ply.
    """
    frame, positions = stack.frames[ply], stack.plies.positions
    positions[ply + 1] = positions[ply]
    child = positions[ply + 1]
    r.play(rules, child, action)
    if r.is_over(rules, child):
        value = np.int64(r.returns(rules, child, frame.mover))
        if value != r.returns(rules, child, frame.mover):
            stack.state[0].fault = FRACTION
        return value
    _, _, data = look_up(rules, table, stack, ply + 1)
    if data == ZERO:
        return UNSETTLED
    lower, upper = lower_of(table, data), upper_of(table, data)
    if frame.mover == 1:
        lower, upper = -upper, -lower
    return lower if lower >= frame.least else upper if upper < frame.least else UNSETTLED


@inner_kernel
def look_up(rules, table, stack, ply):
    """The hash of the position at a ply, the symmetry to its canonical image, the entry's data.

    The image with the lowest key represents the position and all its images.
    """
    position, (images, image_words) = stack.plies.positions[ply], stack.images
    key, symmetry = np.uint64(r.key(rules, position)), 0
    if ply <= SYMMETRIC_PLIES:
        for each in range(1, stack.symmetries.shape[0]):
            r.transform(rules, position, stack.symmetries[each], images[1])
            image_key = np.uint64(r.key(rules, images[1]))
            if image_key < key:
                key, symmetry = image_key, each
                images[0] = images[1]
    words = stack.plies.words[ply] if symmetry == 0 else image_words[0]
    has_key = _write_key(table, stack, words, key)
    return key, symmetry, probe(table, bucket_of(table, key), stack.key) if has_key else ZERO


@inner_kernel
def _write_key(table, stack, words, position_hash):
    """Write the key of a position with these words; False if the key would not be unique."""
    stack.key[0] = position_hash & ~table.data
    for place in range(stack.constant.size):
        if words[stack.constant[place]] != stack.initial[stack.constant[place]]:
            return False
    for place in range(stack.stored.size):
        stack.key[1 + place] = words[stack.stored[place]]
    return True


@inner_kernel
def _action_image(stack, symmetry, action):
    """The action in the image of a position under a symmetry."""
    return np.int64(stack.symmetries[symmetry, action])


@inner_kernel
def store_node(rules, table, stack, ply, nodes):
    """Store the result of the search of a position: a bound, and the action that attains it."""
    frame, words = stack.frames[ply], stack.plies.words[ply]
    if frame.symmetry != 0:
        images, words = stack.images.positions, stack.images.words[0]
        position, permutation = stack.plies.positions[ply], stack.symmetries[frame.symmetry]
        r.transform(rules, position, permutation, images[0])
    action = NO_ACTION
    if frame.best >= frame.least:
        action = _action_image(stack, frame.symmetry, frame.best_action)
    value = frame.best if frame.mover == 0 else -frame.best
    goal = stack.state[0].goal
    lower, upper = (value, HIGHEST) if value >= goal else (LOWEST, value)
    if _write_key(table, stack, words, frame.hash):
        store(table, bucket_of(table, frame.hash), stack.key, lower, upper, action, nodes)
