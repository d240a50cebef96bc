"""SIMD operations on Othello's bitboards: four directions at a time.

LLVM maps vectors of four 64-bit lanes to the processor's vector registers. Interpreted code
(``NUMBA_DISABLE_JIT``) uses the kernels of the game's rules instead.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .. import board as b
from ..rules import Othello

LANES = 4
STEPS = tuple(int(step) for step in b.STEPS)
I64 = ir.IntType(64)
VECTOR = ir.VectorType(I64, LANES)


def _rays() -> np.ndarray:
    """uint64 (64, 8): the cells of each ray from a cell, upwards by each step, then downwards."""
    rays = np.zeros((64, 2 * LANES), np.uint64)
    for cell in range(64):
        for ray in range(2 * LANES):
            step = STEPS[ray % LANES]
            down, right = (step + 1) // 8, (step + 1) % 8 - 1
            sign = 1 if ray < LANES else -1
            row, column = cell // 8 + sign * down, cell % 8 + sign * right
            while 0 <= row < 8 and 0 <= column < 8:
                rays[cell, ray] |= np.uint64(1 << 8 * row + column)
                row, column = row + sign * down, column + sign * right
    return rays


RAYS = _rays()


def _constant(*lanes: int) -> ir.Constant:
    return ir.Constant(VECTOR, list(lanes))


def _spread(builder: Any, value: Any) -> Any:
    """A vector with the same value in each lane."""
    first = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), value, ir.IntType(32)(0))
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, ir.Constant(VECTOR, ir.Undefined), lanes)


def _union(builder: Any, vector: Any) -> Any:
    """The union of all lanes."""
    name = f"llvm.vector.reduce.or.v{LANES}i64"
    union = cgutils.get_or_insert_function(builder.module, ir.FunctionType(I64, [VECTOR]), name)
    return builder.call(union, [vector])


@intrinsic
def _turned_discs(typing_context: Any, rays: Any, cell: Any, own: Any, other: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table = context.make_array(signature.args[0])(context, builder, arguments[0])
        owns, others = _spread(builder, arguments[2]), _spread(builder, arguments[3])
        zero, all_cells = _constant(*[0] * LANES), _constant(*[-1] * LANES)
        flips = []
        for first in (0, LANES):
            pointer = cgutils.get_item_pointer(
                context, builder, signature.args[0], table,
                [arguments[1], context.get_constant(types.intp, first)], wraparound=False,
            )  # fmt: skip
            ray = builder.load(builder.bitcast(pointer, VECTOR.as_pointer()), align=8)
            ends = builder.and_(ray, builder.xor(others, all_cells))
            if first == 0:
                # The lowest cell of the ray without a disc of the opponent.
                end = builder.and_(ends, builder.sub(zero, ends))
                inside = builder.and_(ray, builder.sub(end, _constant(*[1] * LANES)))
            else:
                # The highest such cell: fill all cells below it, then keep the top one.
                for times in (1, 2, 4):
                    far = builder.lshr(ends, _constant(*(times * step for step in STEPS)))
                    ends = builder.or_(ends, far)
                above = builder.lshr(ends, _constant(*STEPS))
                end = builder.and_(ends, builder.xor(above, all_cells))
                inside = builder.and_(ray, builder.xor(ends, all_cells))
            encloses = builder.icmp_unsigned("!=", builder.and_(end, owns), zero)
            flips.append(builder.select(encloses, inside, zero))
        return _union(builder, builder.or_(*flips))

    return types.uint64(rays, types.intp, types.uint64, types.uint64), generate


@intrinsic
def _open_cells(typing_context: Any, board: Any, own: Any, other: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        cells, own, other = arguments
        inner = [-1 if step == int(b.DOWN) else int(b.INNER_COLUMNS) for step in STEPS]
        owns = _spread(builder, own)
        others = builder.and_(_spread(builder, other), _constant(*inner))
        steps, twice = _constant(*STEPS), _constant(*(2 * step for step in STEPS))
        ends = []
        for shift in (builder.shl, builder.lshr):
            # Rows of discs double: one step, then two discs at once, twice.
            run = builder.and_(others, shift(owns, steps))
            run = builder.or_(run, builder.and_(others, shift(run, steps)))
            pairs = builder.and_(others, shift(others, steps))
            for _ in range(2):
                run = builder.or_(run, builder.and_(pairs, shift(run, twice)))
            ends.append(shift(run, steps))
        discs = builder.or_(own, other)
        free = builder.and_(cells, builder.xor(discs, I64(-1)))
        return builder.and_(_union(builder, builder.or_(*ends)), free)

    return types.uint64(types.uint64, types.uint64, types.uint64), generate


def _interpreted_turned_discs(rays: Any, cell: int, own: Any, other: Any) -> Any:
    return b.turned_discs(b.ONE << np.uint64(cell), own, other)


def _interpreted_open_cells(board: Any, own: Any, other: Any) -> Any:
    return b.open_cells(Othello(), own, other) & board


_compiled = not numba.config.DISABLE_JIT
turned_discs: Any = _turned_discs if _compiled else _interpreted_turned_discs
open_cells: Any = _open_cells if _compiled else _interpreted_open_cells
