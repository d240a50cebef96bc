"""The innermost loops of a network: one tile of a convolution or of a dense layer.

A tile is some neighbouring cells times some output channels. Its sums stay in registers while all
inputs are added. The loops are written in LLVM IR, since the loops of numba do not keep sums in
registers.

Channels come in blocks of 16: a board is stored as (blocks, rows, columns, 16), and vectors of
several positions as (blocks, positions, 16). So a tile treats the cells of a board, row after row,
and the positions of a batch alike, and one set of tiles serves layers of every size.

Each sum starts with the bias and adds one fused multiply-add for each input, in the order of rows,
columns and channels. There is no other rounding, so the result has the same bits for every tile
size and processor.

Weights in bfloat16 are stored in pairs of inputs, and so are the inputs: :func:`pack_block` rounds
them. One instruction then multiplies both and adds them to a sum in float32. Weights in int8 are
stored in groups of four; their sums are integers, which one factor and one term for each output
convert to float32. With AVX512_VNNI one instruction adds four products; with AVX2 they are 16-bit
products, added in pairs. The sums are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

LANES = 16  # channels in a block


def _features() -> set[str]:
    """The features of the processor that numba compiles for, as LLVM names them."""
    text = numba.config.CPU_FEATURES
    if text is None:
        text = llvm.get_host_cpu_features().flatten()
    return {feature[1:] for feature in text.split(",") if feature.startswith("+")}


_FEATURES = _features()
# whether the processor multiplies and adds with one rounding
FUSES: bool = bool(_FEATURES & {"fma", "neon"}) and not numba.config.DISABLE_JIT
# blocks of output channels and cells whose sums fit into the registers
BLOCKS, CELLS = (2, 8) if "avx512f" in _FEATURES else (1, 6)
# more blocks for tiles of few cells: enough sums to hide the latency
MOST_BLOCKS = (0, 4, *[2] * 7) if "avx512f" in _FEATURES else (0, 4, 2, 1, 1, 1, 1)
# the number of inputs in a word of four bytes, by the type of weight words
PER_WORD = {"float32": 1, "uint32": 2, "int32": 4}
# whether it multiplies pairs of bfloat16, and groups of four int8
MULTIPLIES_PAIRS: bool = FUSES and "avx512bf16" in _FEATURES
_HAS_VNNI = "avx512vnni" in _FEATURES
MULTIPLIES_FOURS: bool = FUSES and (_HAS_VNNI or "avx2" in _FEATURES)
# cells whose int8 sums fit into the registers, next to the temporaries of AVX2
CELLS_OF_BYTES = CELLS if _HAS_VNNI else 4

FIRST, SUM, POSITIVE_SUM, HIGHEST = range(4)  # how two blocks are combined

_DOT_PRODUCTS = {2: "llvm.x86.avx512bf16.dpbf16ps.512", 4: "llvm.x86.avx512.vpdpbusd.512"}
_Sums = dict[tuple[int, int], Any]  # a stack slot for each cell and block

_FLOAT, _INT = ir.FloatType(), ir.IntType(64)
_VECTOR = ir.VectorType(_FLOAT, LANES)
_BYTES = 4
_WORDS = ir.VectorType(ir.IntType(32), LANES)
_PAIRS = ir.VectorType(ir.IntType(16), 2 * LANES)
_FIRST = ir.Constant(_WORDS, [0] * LANES)


def _pointer(builder: Any, address: Any, floats: Any, kind: Any) -> Any:
    offset = builder.mul(floats, _INT(_BYTES))
    return builder.inttoptr(builder.add(address, offset), kind.as_pointer())


def _load(builder: Any, address: Any, floats: Any, kind: Any = _VECTOR) -> Any:
    vector = builder.load(_pointer(builder, address, floats, kind))
    vector.align = _BYTES
    return vector


def _load_to_all_lanes(builder: Any, address: Any, floats: Any, kind: Any) -> Any:
    return _in_all_lanes(
        builder, builder.load(_pointer(builder, address, floats, kind.element)), kind
    )


def _in_all_lanes(builder: Any, number: Any, kind: Any) -> Any:
    nothing = ir.Constant(kind, ir.Undefined)
    vector = builder.insert_element(nothing, number, ir.IntType(32)(0))
    return builder.shuffle_vector(vector, nothing, _FIRST)


def _call(builder: Any, name: str, result: Any, *arguments: Any) -> Any:
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments)


def _inputs_per_word(weights: Any) -> int:
    """The number of inputs in a word, for weights or their numba type."""
    return PER_WORD[str(weights.dtype)]


@intrinsic
def pack_block(
    typingctx: Any, weights: Any, source: Any, target: Any, factor: Any, zero: Any
) -> Any:
    """Convert the floats of a block at one address for multiplication, and write them to another.

    They become bfloat16; or bytes, by a factor (the bits of a float32) and the byte for 0.
    """

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        per_word = _inputs_per_word(weights)
        if per_word == 1:
            return context.get_dummy_value()
        numbers = _load(builder, arguments[1], _INT(0))
        if per_word == 2:
            result = _call(
                builder,
                "llvm.x86.avx512bf16.cvtneps2bf16.512",
                ir.VectorType(ir.IntType(16), LANES),
                numbers,
            )
        else:
            result = _in_bytes(builder, numbers, *arguments[3:])
        place = _pointer(builder, arguments[2], _INT(0), result.type)
        builder.store(result, place).align = 1
        return context.get_dummy_value()

    return types.void(weights, types.uintp, types.uintp, types.int64, types.int64), codegen


def _in_bytes(builder: Any, numbers: Any, factor: Any, zero: Any) -> Any:
    """Numbers as the nearest bytes, halves rounded up; clipped to the range of bytes."""
    factor = builder.bitcast(builder.trunc(factor, ir.IntType(32)), _FLOAT)
    half = builder.fadd(builder.sitofp(zero, _FLOAT), _FLOAT(0.5))
    factors, halves = (_in_all_lanes(builder, each, _VECTOR) for each in (factor, half))
    numbers = _call(builder, f"llvm.fma.v{LANES}f32", _VECTOR, numbers, factors, halves)
    for name, bound in (("maxnum", 0.0), ("minnum", 255.0)):
        bounds = ir.Constant(_VECTOR, [bound] * LANES)
        numbers = _call(builder, f"llvm.{name}.v{LANES}f32", _VECTOR, numbers, bounds)
    return builder.trunc(builder.fptosi(numbers, _WORDS), ir.VectorType(ir.IntType(8), LANES))


@intrinsic(prefer_literal=True)
def combine_blocks(typingctx: Any, kind: Any, a: Any, b: Any, out: Any) -> Any:
    """Write to an address the sum (or the ``kind`` of combination) of the blocks at two others."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first, second = (_load(builder, each, _INT(0)) for each in arguments[1:3])
        result = {
            FIRST: lambda: first,
            SUM: lambda: builder.fadd(first, second),
            POSITIVE_SUM: lambda: _positive(builder, builder.fadd(first, second)),
            HIGHEST: lambda: builder.select(
                builder.fcmp_ordered("<=", second, first), first, second
            ),
        }[kind.literal_value]()
        builder.store(result, _pointer(builder, arguments[3], _INT(0), _VECTOR)).align = _BYTES
        return context.get_dummy_value()

    return types.void(kind, *[types.uintp] * 3), codegen


def _positive(builder: Any, numbers: Any) -> Any:
    """The numbers, with 0 for negative ones; the comparison is unordered, so NaN stays NaN."""
    zero = ir.Constant(_VECTOR, [0.0] * LANES)
    return builder.select(builder.fcmp_unordered(">", numbers, zero), numbers, zero)


class _Arguments(NamedTuple):
    """The arguments of :func:`add_tile`, as LLVM values."""

    x: Any
    weights: Any
    bias: Any
    add: Any
    out: Any
    first_row: Any
    last_row: Any
    kernel_columns: Any
    channels: Any
    x_block: Any
    x_row: Any
    width: Any
    out_block: Any
    out_row: Any
    line: Any
    column: Any
    relu: Any
    per_word: int


@intrinsic
def add_tile(
    typingctx: Any,
    x: Any,
    weights: Any,
    bias: Any,
    add: Any,
    out: Any,
    first_row: Any,
    last_row: Any,
    kernel_columns: Any,
    channels: Any,
    x_block: Any,
    x_row: Any,
    width: Any,
    out_block: Any,
    out_row: Any,
    line: Any,
    column: Any,
    relu: Any,
    cells: Any,
    blocks: Any,
    kind: Any,
) -> Any:
    """Compute one tile of some cells, row after row, and blocks of output channels.

    Args:
        typingctx: numba's typing context.
        x: address of the input under the kernel's first row and column at the first cell.
        weights: address of (kernel rows, kernel columns, channels, width), at the first output.
        bias: address of the outputs' biases; for bytes, of the initial sums, followed by as many
            factors and as many biases.
        add: address of what is added to the sums, stored as the output is; 0: nothing.
        out: address of the output's first cell.
        first_row: the first of the kernel's rows that overlaps the board, at any of the cells.
        last_row: the row after the last one.
        kernel_columns: of the kernel.
        channels: of the input.
        x_block: floats from one block of channels to the next.
        x_row: floats from row to row.
        width: output channels of the weights.
        out_block: floats from one block of output channels to the next.
        out_row: floats from row to row of the output.
        line: cells in a row.
        column: the column of the first cell.
        relu: whether negative results become 0.
        cells: 1 to :data:`CELLS`.
        blocks: :data:`BLOCKS`, or the :data:`MOST_BLOCKS` for that many cells.
        kind: the array of all weights, whose type gives the content of a word.
    """

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values = _Arguments(*[*arguments[:-3], _inputs_per_word(kind)])
        for cells in range(1, CELLS + 1):
            with builder.if_then(builder.icmp_signed("==", arguments[-3], _INT(cells))):
                for blocks in {BLOCKS, MOST_BLOCKS[cells]}:
                    with builder.if_then(builder.icmp_signed("==", arguments[-2], _INT(blocks))):
                        _emit_tile(builder, values, cells, blocks)
        return context.get_dummy_value()

    return types.void(*[types.uintp] * 5, *[types.int64] * 14, kind), codegen


def _offsets(builder: Any, tile: _Arguments, count: int, row: Any, cell: int) -> Iterator[Any]:
    """The offsets of a tile's cells from its first cell, for rows and cells of this many floats."""
    offset, column = _INT(0), tile.column
    turn = builder.sub(row, builder.mul(builder.sub(tile.line, _INT(1)), _INT(cell)))
    for _ in range(count):
        yield offset
        column = builder.add(column, _INT(1))
        is_new_row = builder.icmp_signed("==", column, tile.line)
        offset = builder.add(offset, builder.select(is_new_row, turn, _INT(cell)))
        column = builder.select(is_new_row, _INT(0), column)


def _emit_tile(builder: Any, tile: _Arguments, count: int, blocks: int) -> None:
    """The code for a tile of one size."""
    kind = _WORDS if tile.per_word == 4 else _VECTOR
    # in words of four bytes: of a cell's block, of all inputs of a tap
    cell, others = LANES // tile.per_word, tile.per_word - 1
    addresses = [
        builder.add(tile.x, builder.mul(offset, _INT(_BYTES)))
        for offset in _offsets(builder, tile, count, tile.x_row, cell)
    ]
    sums = {
        (each, block): cgutils.alloca_once(builder, kind)
        for each in range(count)
        for block in range(blocks)
    }
    for (_, block), slot in sums.items():
        builder.store(_load(builder, tile.bias, _INT(block * LANES), kind), slot)
    inputs = builder.sdiv(builder.add(tile.channels, _INT(others)), _INT(tile.per_word))
    channel_blocks = builder.sdiv(builder.add(inputs, _INT(cell - 1)), _INT(cell))
    rows = cgutils.for_range_slice(builder, tile.first_row, tile.last_row, _INT(1), inc=True)
    with rows as (row, _), cgutils.for_range(builder, tile.kernel_columns) as kernel_column:
        tap = builder.add(builder.mul(row, tile.kernel_columns), kernel_column.index)
        x_tap = builder.add(
            builder.mul(row, tile.x_row), builder.mul(kernel_column.index, _INT(cell))
        )
        with cgutils.for_range(builder, channel_blocks) as channel_block:
            start = builder.mul(channel_block.index, _INT(cell))
            left = builder.sub(inputs, start)
            many = builder.icmp_signed(">", left, _INT(cell))
            x_start = builder.add(x_tap, builder.mul(channel_block.index, tile.x_block))
            line = builder.add(builder.mul(tap, inputs), start)
            with cgutils.for_range(builder, builder.select(many, _INT(cell), left)) as channel:
                weights = builder.mul(builder.add(line, channel.index), tile.width)
                x = builder.add(x_start, channel.index)
                _emit_sums(builder, tile, sums, addresses, x, weights)
    places = list(_offsets(builder, tile, count, tile.out_row, LANES))
    _emit_results(builder, tile, sums, places)


def _emit_sums(
    builder: Any, tile: _Arguments, sums: _Sums, addresses: list[Any], x: Any, weights: Any
) -> None:
    """Multiply one input of every cell, or a word of inputs, by its weights; add it to the sums."""
    kind = _VECTOR if tile.per_word == 1 else _WORDS
    factors: dict[int, Any] = {}
    inputs: dict[int, Any] = {}
    for (cell, block), slot in sums.items():
        if block not in factors:
            place = builder.add(weights, _INT(block * LANES))
            factors[block] = _load(builder, tile.weights, place, kind)
        if cell not in inputs:
            inputs[cell] = _load_to_all_lanes(builder, addresses[cell], x, kind)
        total, both = builder.load(slot), (inputs[cell], factors[block])
        if tile.per_word == 1:
            result = _call(builder, f"llvm.fma.v{LANES}f32", _VECTOR, *both, total)
        elif tile.per_word == 4 and not _HAS_VNNI:
            result = builder.add(total, _sum_of_fours(builder, *both))
        else:
            result = _call(builder, _DOT_PRODUCTS[tile.per_word], total.type, total, *both)
        builder.store(result, slot)


def _sum_of_fours(builder: Any, inputs: Any, weights: Any) -> Any:
    """The sum of four products of bytes, unsigned inputs times signed weights."""
    eight = ir.Constant(_PAIRS, [8] * _PAIRS.count)
    halves = [list(range(start, start + LANES)) for start in (0, LANES)]
    x, w = (builder.bitcast(words, _PAIRS) for words in (inputs, weights))
    pairs = (
        (builder.lshr(builder.shl(x, eight), eight), builder.ashr(builder.shl(w, eight), eight)),
        (builder.lshr(x, eight), builder.ashr(w, eight)),
    )
    sums = []
    for half in halves:
        lanes = ir.Constant(_WORDS, half)
        even, odd = (
            _call(
                builder,
                "llvm.x86.avx2.pmadd.wd",
                ir.VectorType(ir.IntType(32), LANES // 2),
                *(builder.shuffle_vector(each, each, lanes) for each in pair),
            )
            for pair in pairs
        )
        sums.append(builder.add(even, odd))
    every = ir.Constant(_WORDS, list(range(LANES)))
    return builder.shuffle_vector(*sums, every)


def _emit_results(builder: Any, tile: _Arguments, sums: _Sums, places: list[Any]) -> None:
    """Add the optional addend, and write the results."""

    def place(cell: int, block: int) -> Any:
        return builder.add(builder.mul(_INT(block), tile.out_block), places[cell])

    if tile.per_word == 4:
        sums = {cell: _in_floats(builder, tile, cell[1], slot) for cell, slot in sums.items()}
    with builder.if_then(builder.icmp_unsigned("!=", tile.add, _INT(0))):
        for cell, slot in sums.items():
            more = _load(builder, tile.add, place(*cell))
            builder.store(builder.fadd(builder.load(slot), more), slot)
    has_relu = builder.icmp_signed("!=", tile.relu, _INT(0))
    for cell, slot in sums.items():
        result = builder.load(slot)
        positive = _positive(builder, result)
        target = _pointer(builder, tile.out, place(*cell), _VECTOR)
        builder.store(builder.select(has_relu, positive, result), target).align = _BYTES


def _in_floats(builder: Any, tile: _Arguments, block: int, slot: Any) -> Any:
    """A stack slot with the float32 value of an int8 sum."""
    factor_place = builder.add(tile.width, _INT(block * LANES))
    factors = _load(builder, tile.bias, factor_place)
    biases = _load(builder, tile.bias, builder.add(tile.width, factor_place))
    total = builder.sitofp(builder.load(slot), _VECTOR)
    result = cgutils.alloca_once(builder, _VECTOR)
    fused = _call(builder, f"llvm.fma.v{LANES}f32", _VECTOR, total, factors, biases)
    builder.store(fused, result)
    return result
