"""Evaluation of a compiled network: one kernel that runs the layers of any network.

:mod:`.program` writes the layers as rows of numbers. One compilation therefore serves all networks;
only the trip counts of the loops of :mod:`.tile` depend on a network's sizes.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ....envs.compiled.kernels import inner_kernel, kernel
from .tile import (
    BLOCKS,
    FIRST,
    HIGHEST,
    LANES,
    MOST_BLOCKS,
    POSITIVE_SUM,
    SUM,
    add_tile,
    combine_blocks,
    pack_block,
)

BATCH = 8  # positions whose vectors are stored side by side
VECTOR_BLOCK = BATCH * LANES  # floats from one block of a vector to the next
# kinds of layers
MATRIX, MEAN, MAX, ADD_CHANNELS, COPY, SOFTMAX, ADD, SUB, MUL, RELU, SIGMOID, TANH, PACK = range(13)
_address = np.uintp


class CompiledNetwork(NamedTuple):
    """A network in the form that kernels use.

    Attributes:
        layers: a row for each layer: its kind and its numbers, int64, (layers, numbers).
        num_board_layers: the number of leading layers that run for one position after the other;
            the remaining layers run for a whole batch.
        tables: tables of elements, to which layers refer, int64.
        weights: float32; or words, uint32 of two bfloat16 or int32 of four int8, interleaved with
            factors and biases as the bits of float32.
        workspace: float32; what the layers compute. Each thread needs its own.
        observation, result: where the input and output vectors start in the workspace.
        cells: the maximum number of cells in a tile.
    """

    layers: Any
    num_board_layers: int
    tables: Any
    weights: Any
    workspace: Any
    observation: int
    result: int
    cells: int


@inner_kernel
def _apply_matrix(layer, weights, workspace, most_cells, first, last):
    """A convolution of one position, or a dense layer of several."""
    x, out, add = layer[1], layer[2], layer[3]
    x_block, x_row, out_block, out_row = layer[4], layer[5], layer[6], layer[7]
    kernel, bias, width, channels = layer[8], layer[9], layer[10], layer[11]
    kernel_rows, kernel_columns, margin = layer[12], layer[13], layer[14]
    x_rows, rows, line, relu, x_cell = layer[15], layer[16], layer[17], layer[18], layer[19]
    floats, factors = _address(workspace.ctypes.data), _address(weights.ctypes.data)
    if line == 0:  # the positions are the cells
        line = last - first
        x, out = x + first * x_cell, out + first * LANES
        add = add + first * LANES if add >= 0 else add
    cells = rows * line
    tiles = (cells + most_cells - 1) // most_cells
    for tile in range(tiles):
        start, end = cells * tile // tiles, cells * (tile + 1) // tiles
        row, column, last_row = start // line, start % line, (end - 1) // line
        block, num_blocks = 0, width // LANES
        while block < num_blocks:
            blocks = MOST_BLOCKS[end - start]
            if block + blocks > num_blocks:
                blocks = BLOCKS
            place = block * out_block + row * out_row + column * LANES
            add_tile(
                floats + _address((x + row * x_row + column * x_cell) * 4),
                factors + _address((kernel + block * LANES) * 4),
                factors + _address((bias + block * LANES) * 4),
                floats + _address((add + place) * 4) if add >= 0 else _address(0),
                floats + _address((out + place) * 4),
                max(np.int64(0), margin - last_row),
                min(kernel_rows, x_rows + margin - row),
                kernel_columns,
                channels,
                x_block,
                x_row,
                width,
                out_block,
                out_row,
                line,
                column,
                relu,
                end - start,
                blocks,
                weights,
            )
            block += blocks


@inner_kernel
def _pool(layer, workspace, position):
    """The mean or the maximum of each channel over the board, into a vector."""
    x, x_block, x_row, rows, columns = layer[1], layer[2], layer[3], layer[4], layer[5]
    floats = _address(workspace.ctypes.data)
    for block in range(layer[6]):
        first = layer[7] + block * VECTOR_BLOCK + position * LANES
        out = floats + _address(first * 4)
        for lane in range(LANES):
            workspace[first + lane] = 0.0 if layer[0] == MEAN else -np.inf
        for row in range(rows):
            cell = floats + _address((x + block * x_block + row * x_row) * 4)
            for _ in range(columns):
                if layer[0] == MEAN:
                    combine_blocks(SUM, out, cell, out)
                else:
                    combine_blocks(HIGHEST, out, cell, out)
                cell += _address(LANES * 4)
        if layer[0] == MEAN:
            for lane in range(LANES):
                workspace[first + lane] /= np.float32(rows * columns)


@inner_kernel
def _add_channels(layer, workspace, position):
    """Add a vector to every cell of a board."""
    x, out, block_size, row_size = layer[1], layer[2], layer[3], layer[4]
    floats = _address(workspace.ctypes.data)
    for block in range(layer[7]):
        vector = floats + _address((layer[8] + block * VECTOR_BLOCK + position * LANES) * 4)
        for row in range(layer[5]):
            for column in range(layer[6]):
                place = block * block_size + row * row_size + column * LANES
                cell = floats + _address((x + place) * 4)
                target = floats + _address((out + place) * 4)
                if layer[9]:
                    combine_blocks(POSITIVE_SUM, cell, vector, target)
                else:
                    combine_blocks(SUM, cell, vector, target)


@inner_kernel
def _pack(layer, weights, workspace, position):
    """Write the inputs of a layer in the type they are multiplied in: bfloat16, or bytes."""
    floats = _address(workspace.ctypes.data)
    for block in range(layer[3]):
        place = block * layer[4] + position * layer[5]
        source, target = layer[1] + place, layer[2] + place // layer[6]
        pack_block(
            weights,
            floats + _address(source * 4),
            floats + _address(target * 4),
            layer[7],
            layer[8],
        )


@inner_kernel
def _copy(layer, tables, workspace, position):
    """Copy runs of numbers."""
    floats = _address(workspace.ctypes.data)
    for run in range(layer[1], layer[1] + layer[2] * 5, 5):
        source = tables[run] + position * tables[run + 1]
        target = tables[run + 2] + position * tables[run + 3]
        end = source + tables[run + 4]
        while source + LANES <= end:
            block = floats + _address(source * 4)
            combine_blocks(FIRST, block, block, floats + _address(target * 4))
            source, target = source + LANES, target + LANES
        for each in range(end - source):
            workspace[target + each] = workspace[source + each]


@inner_kernel
def _apply_softmax(layer, tables, workspace, position):
    """The softmax, computed in float64 and then rounded: the same on every machine."""
    start, end = layer[1], layer[1] + layer[2] * 6
    highest, total = -np.inf, 0.0
    for entry in range(start, end, 6):
        highest = max(highest, workspace[tables[entry] + position * tables[entry + 1]])
    for entry in range(start, end, 6):
        number = np.float64(workspace[tables[entry] + position * tables[entry + 1]])
        total += math.exp(number - highest)
    for entry in range(start, end, 6):
        number = np.float64(workspace[tables[entry] + position * tables[entry + 1]])
        place = tables[entry + 4] + position * tables[entry + 5]
        workspace[place] = np.float32(math.exp(number - highest) / total)


@inner_kernel
def _apply_to_each(layer, tables, workspace, position):
    """A function of one or two numbers, for each entry of a table."""
    kind = layer[0]
    for entry in range(layer[1], layer[1] + layer[2] * 6, 6):
        a = workspace[tables[entry] + position * tables[entry + 1]]
        b = workspace[tables[entry + 2] + position * tables[entry + 3]]
        result = a
        if kind == ADD:
            result = a + b
        elif kind == SUB:
            result = a - b
        elif kind == MUL:
            result = a * b
        elif kind == RELU:
            result = np.float32(0.0) if a < 0.0 else a
        elif kind == SIGMOID:
            result = np.float32(1.0 / (1.0 + math.exp(-np.float64(a))))
        else:
            result = np.float32(math.tanh(np.float64(a)))
        workspace[tables[entry + 4] + position * tables[entry + 5]] = result


@inner_kernel
def _apply(layer, network, first, last):
    """Run one layer for the positions from ``first`` to ``last``."""
    kind, tables, workspace = layer[0], network.tables, network.workspace
    if kind == MATRIX:
        _apply_matrix(layer, network.weights, workspace, network.cells, first, last)
        return
    for position in range(first, last):
        if kind in (MEAN, MAX):
            _pool(layer, workspace, position)
        elif kind == ADD_CHANNELS:
            _add_channels(layer, workspace, position)
        elif kind == PACK:
            _pack(layer, network.weights, workspace, position)
        elif kind == COPY:
            _copy(layer, tables, workspace, position)
        elif kind == SOFTMAX:
            _apply_softmax(layer, tables, workspace, position)
        else:
            _apply_to_each(layer, tables, workspace, position)


@kernel
def evaluate_network(network, observations, logits, values):
    """Write the logits (N, actions) and values (N,) of observations (N, numbers), all float32.

    Callable from kernels too; ``network`` is a :class:`CompiledNetwork`.
    """
    workspace, actions = network.workspace, logits.shape[1]
    for start in range(0, observations.shape[0], BATCH):
        count = min(BATCH, observations.shape[0] - start)
        for stage in range(count + 1):  # each position, then all together
            first, last = (stage, stage + 1) if stage < count else (0, count)
            layers = (0, network.num_board_layers)
            if stage == count:
                layers = (network.num_board_layers, network.layers.shape[0])
            else:
                place = network.observation + stage * LANES
                for each in range(observations.shape[1]):
                    to = place + each // LANES * VECTOR_BLOCK + each % LANES
                    workspace[to] = observations[start + stage, each]
            for index in range(layers[0], layers[1]):
                _apply(network.layers[index], network, first, last)
        for position in range(count):
            place = network.result + position * LANES
            for action in range(actions):
                to = place + action // LANES * VECTOR_BLOCK + action % LANES
                logits[start + position, action] = workspace[to]
            to = place + actions // LANES * VECTOR_BLOCK + actions % LANES
            values[start + position] = workspace[to]


def aligned_floats(floats: int) -> np.ndarray:
    """Zeros, aligned to the size of a vector register."""
    memory = np.zeros(floats + LANES, np.float32)
    start = -memory.ctypes.data // 4 % LANES
    return memory[start : start + floats]
