"""A memory of the replies of opponents whose action depends on the position alone.

The positions of a small game, and the first plies of every game, occur thousands of times in a run.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .. import rules as r
from ..compiled.kernels import inner_kernel, kernel
from ..game import Game

MOST_BYTES = 64 << 20  # of the memories of a batch
MOST_ENTRIES = 1 << 16
# A memory is given up where, after a trial, fewer than half of the positions are in it.
TRIAL = 1 << 14
NOTHING = -1
PLACES = 4  # where a position may be stored, from that of its hash on
ASKED, RECALLED, OFF = range(3)  # the indices of `counts`


class ReplyMemory(NamedTuple):
    """The last reply to each of some positions, by the hash of the position."""

    positions: Any  # records
    actions: Any  # int16; NOTHING: no position is stored here
    counts: Any  # int64 (3,): positions asked about and recalled, and whether the memory is off


def new_memory(game: Game, memories: int, is_on: bool) -> ReplyMemory:
    """An empty memory; ``memories``: how many share the space."""
    dtype = game.declaration.dtype
    entries = MOST_BYTES // memories // (dtype.itemsize + 2)
    entries = 1 << (min(entries, MOST_ENTRIES).bit_length() - 1) if is_on else 1
    return ReplyMemory(
        np.zeros(entries, dtype).view(np.recarray),  # memory of the machine once it is used
        np.full(entries, NOTHING, np.int16),
        np.array([0, 0, not is_on], np.int64),
    )


@intrinsic
def _compare_bytes(typing_context: Any, one: Any, other: Any) -> tuple[Any, Any] | None:
    if not isinstance(one, types.Record) or one != other:
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte = ir.IntType(8)
        pointers = [builder.bitcast(each, byte.as_pointer()) for each in arguments]
        result = cgutils.alloca_once_value(builder, ir.Constant(byte, 0))
        size = context.get_constant(types.intp, one.size)
        with cgutils.for_range(builder, size) as loop:
            values = [builder.load(builder.gep(each, [loop.index])) for each in pointers]
            difference = builder.xor(*values)
            builder.store(builder.or_(builder.load(result), difference), result)
        return builder.icmp_unsigned("==", builder.load(result), ir.Constant(byte, 0))

    return types.boolean(one, other), generate


def _compare_in_python(one: Any, other: Any) -> bool:
    """The same without compilation."""
    return bool(one.tobytes() == other.tobytes())


_are_equal: Any = _compare_in_python if numba.config.DISABLE_JIT else _compare_bytes


@inner_kernel
def _index(memory, first, place):
    return np.int64((first + np.uint64(place)) & np.uint64(memory.actions.size - 1))


@inner_kernel
def recall(memory, rules, position):
    """The reply to a position, or NOTHING."""
    counts = memory.counts
    if counts[OFF]:
        return np.int64(NOTHING)
    counts[ASKED] += 1
    if counts[ASKED] == TRIAL and 2 * counts[RECALLED] < TRIAL:
        counts[OFF] = 1
    first = r.key(rules, position)
    for place in range(PLACES):
        index = _index(memory, first, place)
        action = np.int64(memory.actions[index])
        if action == NOTHING:
            break
        if _are_equal(memory.positions[index], position):
            counts[RECALLED] += 1
            return action
    return np.int64(NOTHING)


@inner_kernel
def remember(memory, rules, position, action):
    """Store the reply to a position, in place of another position's if no place is free."""
    if memory.counts[OFF]:
        return
    first = r.key(rules, position)
    for place in range(PLACES):
        index = _index(memory, first, place)
        if memory.actions[index] == NOTHING:
            break
    else:
        index = _index(memory, first, 0)
    memory.positions[index] = position
    memory.actions[index] = action


@kernel
def store_reply(memory, rules, position, action):
    """As :func:`remember`, to be called from Python."""
    remember(memory, rules, position, action)


@inner_kernel
def reply_from_memory(memory, number, rules, batch, first, last):
    """Play the moves of the ``number``-th opponent as far as its memory holds them."""
    if memory.counts[OFF]:
        return
    for game in range(first, last):
        position, seat = batch.positions[game], batch.seats[game]
        while batch.waiting[game] and batch.opponents[game] == number:
            action = recall(memory, rules, position)
            if action == NOTHING:
                break
            r.play(rules, position, action)
            batch.waiting[game] = not r.is_over(rules, position) and (
                r.to_move(rules, position) != seat
            )
