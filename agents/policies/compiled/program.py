"""From the graph of an ONNX file to the layers of a :class:`.evaluation.CompiledNetwork`.

The graph is read once, for a batch of one. A tensor is the array of the places in the workspace
where its numbers lie. Whatever only moves numbers (a transposition, a slice, a selection) moves
places instead and costs nothing when the network is evaluated; weights are put in the order in
which their inputs lie.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from . import evaluation as e
from .operators import CONSTANTS, FUNCTIONS, MOVES, as_computed
from .tile import BLOCKS, COLUMNS, FUSES, LANES


class Unsupported(Exception):
    """The graph holds something that is not compiled."""


class _Buffer:
    """A part of the workspace: a board for one position, or vectors of all positions.

    A board has zeros around it, which convolutions read.

    Attributes:
        start: the place of its first number; places count the numbers of one position.
        base: where it begins in the workspace.
        blocks: of 16 channels.
        rows, columns, margin: of a board; a vector has no rows.
    """

    def __init__(
        self, start: int, channels: int, rows: int = 0, columns: int = 0, margin: int = 0
    ) -> None:
        self.start, self.base, self.is_board = start, 0, rows > 0
        self.blocks = -(-channels // (BLOCKS * LANES)) * BLOCKS
        self.rows, self.columns, self.margin = rows, columns, margin
        self.row_size = (columns + 2 * margin) * LANES
        self.block_size = (rows + 2 * margin) * self.row_size if self.is_board else e.VECTOR_BLOCK
        self.floats = self.blocks * self.block_size
        self.places = self.floats if self.is_board else self.blocks * LANES

    def tensor(self, channels: int) -> np.ndarray:
        """The places of its numbers: (1, channels, rows, columns), or (1, channels)."""
        channel = np.arange(channels)
        if not self.is_board:
            return self.start + channel[None]
        first = channel // LANES * self.block_size + channel % LANES + self.start
        rows = (np.arange(self.rows) + self.margin) * self.row_size
        columns = (np.arange(self.columns) + self.margin) * LANES
        places: np.ndarray = first[:, None, None] + rows[:, None] + columns
        return places[None]

    def cell(self, margin: int = 0) -> int:
        """Where the first cell lies in the workspace, or that ``margin`` cells before it."""
        inside = self.margin - margin
        return self.base + inside * (self.row_size + LANES) * self.is_board


class _Layer:
    """A layer: what it reads and writes, and its row once all buffers have a base."""

    def __init__(
        self, row: Callable[[_Layer], list[int]], reads: list[_Buffer], writes: _Buffer
    ) -> None:
        self.row, self.reads, self.writes = row, reads, writes
        self.add: _Buffer | None = None
        self.relu = False
        self.can_add = False  # a layer whose sums take one more number


class _Value(NamedTuple):
    """A tensor: numbers, or places; with the layer that made it where it is all of its output."""

    array: np.ndarray
    constant: bool
    layer: _Layer | None = None


def compile_network(
    model: bytes, num_actions: int, columns: int = COLUMNS
) -> e.CompiledNetwork | None:
    """The network of a policy file for :func:`.evaluation.evaluate_network`.

    None where it holds layers that are not compiled, where the processor does not fuse
    multiplications with additions, or where onnx is not installed.

    Args:
        model: the file's content.
        num_actions: how many logits it gives.
        columns: the most columns of a tile; it changes the speed and no result.
    """
    if not FUSES:
        return None
    try:
        import onnx

        return _Compiler(onnx.load_from_string(model).graph).compile(num_actions, columns)
    except Exception:  # graphs that are not of the suite's making may have any form
        return None


class _Compiler:
    """Reads a graph."""

    def __init__(self, graph: Any) -> None:
        from onnx import numpy_helper
        from onnx.helper import get_attribute_value

        self.layers: list[_Layer] = []
        self.buffers: list[_Buffer] = []
        self.places = 0
        self.weights: list[np.ndarray] = []
        self.num_weights = 0
        self.tables: list[int] = []
        self.constants: list[tuple[_Buffer, np.ndarray]] = []
        self.rows_of_vectors: dict[bytes, tuple[_Buffer, np.ndarray]] = {}
        self.values: dict[str, _Value] = {
            each.name: _Value(as_computed(numpy_helper.to_array(each)), True)
            for each in graph.initializer
        }
        self.uses = Counter(name for node in graph.node for name in node.input)
        self.uses.update(output.name for output in graph.output)
        nodes = []
        for node in graph.node:
            attributes = {each.name: get_attribute_value(each) for each in node.attribute}
            if "value" in attributes:
                attributes["value"] = numpy_helper.to_array(attributes["value"])
            nodes.append((node, attributes))
        self.margin = max([0, *(max(a.get("pads", [0])) for _, a in nodes)])
        (entry,) = graph.input
        shape = [1, *(size.dim_value for size in entry.type.tensor_type.shape.dim[1:])]
        self.observation = self.vector(int(np.prod(shape)))
        places = self.observation.tensor(int(np.prod(shape))).reshape(shape)
        self.values[entry.name] = _Value(places, False)
        for node, attributes in nodes:
            if len(node.output) != 1:
                raise Unsupported(node.op_type)
            self.values[node.output[0]] = self.value_of(node, attributes)

    # what the graph computes

    def value_of(self, node: Any, attributes: dict[str, Any]) -> _Value:
        """The output of a node."""
        kind, names = node.op_type, list(node.input)
        inputs = [self.values[name] for name in names if name]
        once = [self.uses[name] == 1 for name in names]
        if kind == "Shape":
            shape = inputs[0].array.shape[attributes.get("start", 0) : attributes.get("end")]
            return _Value(np.array(shape, np.int64), True)
        if kind == "Identity":
            return inputs[0]._replace(layer=None)
        if kind in MOVES:
            first, rest = (inputs, []) if kind == "Concat" else (inputs[:1], inputs[1:])
            if not all(each.constant for each in rest):
                raise Unsupported(kind)
            constant = all(each.constant for each in first)
            arrays = [each.array if constant else self.place(each) for each in first]
            arrays += [each.array for each in rest]
            return _Value(np.asarray(MOVES[kind](attributes, *arrays)), constant)
        if all(each.constant for each in inputs) and kind in CONSTANTS:
            return _Value(CONSTANTS[kind](attributes, *(each.array for each in inputs)), True)
        if kind in ("Conv", "Gemm", "MatMul"):
            return self.product(kind, attributes, inputs)
        if kind in ("ReduceMean", "ReduceMax"):
            return self.pool(kind, attributes, inputs)
        if kind == "Softmax":
            places = self.place(inputs[0])
            if places.size != places.shape[attributes.get("axis", -1)]:
                raise Unsupported(kind)
            return self.elementwise(e.SOFTMAX, places, places)
        if kind == "Relu":
            layer = inputs[0].layer
            if layer is not None and once[0] and not layer.relu:
                layer.relu = True
                return inputs[0]._replace(layer=None)
        if kind == "Add":
            for (one, other), alone in zip((inputs, inputs[::-1]), once):
                value = self.fused_sum(one if alone else one._replace(layer=None), other)
                if value is not None:
                    return value
        if kind in FUNCTIONS:
            operands = [self.place(each) for each in inputs]
            return self.elementwise(FUNCTIONS[kind], operands[0], operands[-1])
        raise Unsupported(kind)

    def product(self, kind: str, attributes: dict[str, Any], inputs: list[_Value]) -> _Value:
        """A convolution or a dense layer."""
        if inputs[0].constant or not all(each.constant for each in inputs[1:]):
            raise Unsupported(kind)
        weights = inputs[1].array
        if attributes.get("transB"):
            weights = weights.T
        outputs = weights.shape[0] if kind == "Conv" else weights.shape[1]
        bias = inputs[2].array if len(inputs) > 2 else np.zeros(outputs)
        if kind == "Conv":
            return self.convolution(attributes, inputs[0].array, weights, bias)
        usual = attributes.get("alpha", 1) == attributes.get("beta", 1) == 1
        if attributes.get("transA") or not usual or inputs[0].array.shape[0] != 1:
            raise Unsupported(kind)
        if inputs[0].array.ndim != 2 or weights.ndim != 2:
            raise Unsupported(kind)
        x, order = self.as_vector(inputs[0].array)
        out = self.vector(outputs)
        kernel, place, width = self.store(weights[order], bias)
        layer = _Layer(
            lambda layer: [
                *(e.MATRIX, x.base, out.base, layer.add.base if layer.add else -1),
                *(x.block_size, 0, out.block_size, 0, kernel, place, width, len(order)),
                *(1, 1, 0, 1, 1, 0, int(layer.relu)),
            ],
            [x],
            out,
        )
        return self.output(layer, outputs, can_add=True)

    def convolution(
        self, attributes: dict[str, Any], places: np.ndarray, weights: np.ndarray, bias: np.ndarray
    ) -> _Value:
        """A convolution that moves by single cells, with the same margin all around."""
        pads = set(attributes.get("pads", [0]))
        plain = {*attributes.get("strides", [1]), *attributes.get("dilations", [1])} == {1}
        if len(pads) > 1 or not plain or attributes.get("group", 1) != 1 or places.ndim != 4:
            raise Unsupported("Conv")
        if attributes.get("auto_pad", b"NOTSET") != b"NOTSET":
            raise Unsupported("Conv")
        (margin,) = pads
        outputs, channels, kernel_rows, kernel_columns = weights.shape
        x = self.as_board(places)
        rows, columns = (
            size + 2 * margin - kernel + 1
            for size, kernel in zip(places.shape[2:], weights.shape[2:])
        )
        out = self.board(outputs, rows, columns)
        kernel, place, width = self.store(weights.transpose(2, 3, 1, 0).reshape(-1, outputs), bias)
        layer = _Layer(
            lambda layer: [
                *(e.MATRIX, x.cell(margin), out.cell(), layer.add.cell() if layer.add else -1),
                *(x.block_size, x.row_size, out.block_size, out.row_size),
                *(kernel, place, width, channels, kernel_rows, kernel_columns, margin),
                *(x.rows, rows, columns, int(layer.relu)),
            ],
            [x],
            out,
        )
        return self.output(layer, outputs, can_add=True)

    def pool(self, kind: str, attributes: dict[str, Any], inputs: list[_Value]) -> _Value:
        """The mean or the maximum of each channel of a board."""
        places = self.place(inputs[0])
        axes = inputs[1].array.tolist() if len(inputs) > 1 else attributes.get("axes")
        if places.ndim != 4 or axes is None or sorted(axis % 4 for axis in axes) != [2, 3]:
            raise Unsupported(kind)
        x, channels = self.as_board(places), places.shape[1]
        out = self.vector(channels)
        code = e.MEAN if kind == "ReduceMean" else e.MAX
        layer = _Layer(
            lambda layer: [
                *(code, x.cell(), x.block_size, x.row_size, x.rows, x.columns, x.blocks, out.base)
            ],
            [x],
            out,
        )
        value = self.output(layer, channels)
        if attributes.get("keepdims", 1):
            return _Value(value.array[:, :, None, None], False)
        return value._replace(layer=None)

    def fused_sum(self, one: _Value, other: _Value) -> _Value | None:
        """``one``, with ``other`` added by the layer that makes it or by one layer of its own."""
        if one.constant or other.constant:
            return None
        x, more = self.whole(one.array), self.whole(other.array)
        layer = one.layer
        if layer is not None and layer.can_add and layer.add is None and not layer.relu:
            earlier = more is not None and self.buffers.index(more) < self.buffers.index(
                layer.writes
            )
            if more is not None and earlier and one.array.shape == other.array.shape:
                layer.add = more
                layer.reads.append(more)
                return one
        channels = one.array.shape[1]
        if x is None or not x.is_board or other.array.shape != (1, channels, 1, 1):
            return None
        vector, order = self.as_vector(other.array.reshape(1, -1))
        if (order != np.arange(channels)).any():
            return None
        out = self.board(channels, x.rows, x.columns)
        addition = _Layer(
            lambda layer: [
                *(e.ADD_CHANNELS, x.cell(), out.cell(), x.block_size, x.row_size),
                *(x.rows, x.columns, x.blocks, vector.base, int(layer.relu)),
            ],
            [x, vector],
            out,
        )
        return self.output(addition, channels)

    def elementwise(self, kind: int, a: np.ndarray, b: np.ndarray) -> _Value:
        """A function of every element."""
        a, b = np.broadcast_arrays(a, b)
        out = self.vector(a.size)
        result = out.tensor(a.size).reshape(a.shape)
        reads = self.buffers_of(np.concatenate([a.ravel(), b.ravel()]))

        def row(layer: _Layer) -> list[int]:
            columns = [self.physical(each.ravel()) for each in (a, b, result)]
            return [kind, self.table(np.concatenate(columns, axis=1)), a.size]

        self.layers.append(_Layer(row, reads, out))
        return _Value(result, False)

    # where numbers lie

    def board(self, channels: int, rows: int, columns: int) -> _Buffer:
        """A new board."""
        return self._buffer(_Buffer(self.places, channels, rows, columns, self.margin))

    def vector(self, channels: int) -> _Buffer:
        """A new vector."""
        return self._buffer(_Buffer(self.places, channels))

    def _buffer(self, buffer: _Buffer) -> _Buffer:
        self.buffers.append(buffer)
        self.places += buffer.places
        return buffer

    def output(self, layer: _Layer, channels: int, can_add: bool = False) -> _Value:
        """All that a new layer writes."""
        self.layers.append(layer)
        layer.can_add = can_add
        return _Value(layer.writes.tensor(channels), False, layer)

    def place(self, value: _Value) -> np.ndarray:
        """The places of a tensor; constants are put into a vector first."""
        if not value.constant:
            return value.array
        buffer = self.vector(value.array.size)
        self.constants.append((buffer, value.array.ravel()))
        return buffer.tensor(value.array.size).reshape(value.array.shape)

    def buffers_of(self, places: np.ndarray) -> list[_Buffer]:
        """The buffers that hold these places."""
        starts = [buffer.start for buffer in self.buffers]
        indices = np.unique(np.searchsorted(starts, places, side="right") - 1)
        return [self.buffers[index] for index in indices]

    def whole(self, places: np.ndarray) -> _Buffer | None:
        """The buffer whose channels these are, in its own order; None where there is none."""
        (buffer, *others) = self.buffers_of(places.ravel())
        if others or places.ndim != (4 if buffer.is_board else 2):
            return None
        own = buffer.tensor(places.shape[1])
        return buffer if own.shape == places.shape and (own == places).all() else None

    def as_board(self, places: np.ndarray) -> _Buffer:
        """A board that holds a tensor (1, channels, rows, columns)."""
        buffer = self.whole(places)
        if buffer is None:
            buffer = self.board(*places.shape[1:])
            self.copy(places.ravel(), buffer.tensor(places.shape[1]).ravel(), buffer)
        return buffer

    def as_vector(self, places: np.ndarray) -> tuple[_Buffer, np.ndarray]:
        """A vector that holds a tensor (1, channels), and the order in which it does."""
        buffer = self.whole(places)
        if buffer is not None:
            return buffer, np.arange(places.size)
        key = places.tobytes()
        if key not in self.rows_of_vectors:
            order = np.argsort(places.ravel())
            buffer = self.vector(places.size)
            self.copy(places.ravel()[order], buffer.tensor(places.size).ravel(), buffer)
            self.rows_of_vectors[key] = buffer, order
        return self.rows_of_vectors[key]

    def copy(self, source: np.ndarray, target: np.ndarray, buffer: _Buffer) -> None:
        """A layer that copies numbers, in runs as long as possible."""

        def row(layer: _Layer) -> list[int]:
            both = np.concatenate([self.physical(source), self.physical(target)], axis=1)
            breaks = (np.diff(both, axis=0) != [1, 0, 1, 0]).any(axis=1)
            starts = np.flatnonzero(np.concatenate([[True], breaks]))
            lengths = np.diff([*starts, len(both)])
            table = np.concatenate([both[starts], lengths[:, None]], axis=1)
            return [e.COPY, self.table(table), len(table)]

        self.layers.append(_Layer(row, self.buffers_of(source), buffer))

    def physical(self, places: np.ndarray) -> np.ndarray:
        """Where places lie in the workspace, and how far from position to position: (N, 2)."""
        starts = np.array([buffer.start for buffer in self.buffers])
        holders = [self.buffers[i] for i in np.searchsorted(starts, places, side="right") - 1]
        offsets = places - [buffer.start for buffer in holders]
        is_board = np.array([buffer.is_board for buffer in holders])
        inner = np.where(is_board, offsets, offsets // LANES * e.VECTOR_BLOCK + offsets % LANES)
        bases = [buffer.base for buffer in holders]
        return np.stack([inner + bases, np.where(is_board, 0, LANES)], axis=1)

    def table(self, rows: np.ndarray) -> int:
        """Add a table; where it starts."""
        self.tables += rows.ravel().tolist()
        return len(self.tables) - rows.size

    def store(self, weights: np.ndarray, bias: np.ndarray) -> tuple[int, int, int]:
        """Keep weights (inputs, outputs) and biases; where both start, and their width."""
        outputs = weights.shape[1]
        width = -(-outputs // (BLOCKS * LANES)) * BLOCKS * LANES
        start = self.num_weights
        for array in (weights, bias[None]):
            padded = np.zeros((len(array), width), np.float32)
            padded[:, :outputs] = array
            self.weights.append(padded.ravel())
            self.num_weights += padded.size
        return start, self.num_weights - width, width

    # the result

    def compile(self, num_actions: int, columns: int) -> e.CompiledNetwork:
        """The network, with every buffer in its part of the workspace."""
        outputs = [self.place(self.values[name]).ravel() for name in ("logits", "value")]
        if [len(each) for each in outputs] != [num_actions, 1]:
            raise Unsupported("the outputs' shapes")
        result = self.vector(num_actions + 1)
        self.copy(np.concatenate(outputs), result.tensor(num_actions + 1).ravel(), result)
        on_boards = self._board_layers()
        layers = [layer for layer in self.layers if layer in on_boards]
        layers += [layer for layer in self.layers if layer not in on_boards]
        floats = self._place(layers)
        rows = [layer.row(layer) for layer in layers]
        table = np.zeros((len(rows), max(map(len, rows))), np.int64)
        for index, row in enumerate(rows):
            table[index, : len(row)] = row
        workspace = e.aligned_floats(floats)
        for buffer, numbers in self.constants:
            lanes = np.arange(len(numbers))
            first = buffer.base + lanes // LANES * e.VECTOR_BLOCK + lanes % LANES
            for position in range(e.BATCH):
                workspace[first + position * LANES] = numbers
        weights = e.aligned_floats(self.num_weights)
        weights[:] = np.concatenate(self.weights)
        return e.CompiledNetwork(
            table,
            len(on_boards),
            np.array(self.tables, np.int64),
            weights,
            workspace,
            self.observation.base,
            result.base,
            columns,
        )

    def _board_layers(self) -> set[_Layer]:
        """The layers of boards, and those that these need: carried out position by position."""
        layers: set[_Layer] = set()
        needs: set[_Buffer] = set()
        for layer in reversed(self.layers):
            if layer.writes in needs or any(
                buffer.is_board for buffer in (layer.writes, *layer.reads)
            ):
                layers.add(layer)
                needs.update(layer.reads)
        return layers

    def _place(self, layers: list[_Layer]) -> int:
        """Give every buffer its base; boards take the places of those no longer needed."""
        end, last = 0, dict[_Buffer, int]()
        spare: dict[tuple[int, ...], list[int]] = {}
        for index, layer in enumerate(layers):
            last.update(dict.fromkeys([*layer.reads, layer.writes], index))
        boards = [layer.writes for layer in layers]
        for buffer in self.buffers:
            if not buffer.is_board:
                buffer.base, end = end, end + buffer.floats
        for index, layer in enumerate(layers):
            buffer = layer.writes
            if buffer.is_board and boards.index(buffer) == index:
                shape = buffer.blocks, buffer.rows, buffer.columns
                if spare.get(shape):
                    buffer.base = spare[shape].pop()
                else:
                    buffer.base, end = end, end + buffer.floats
            for each in {*layer.reads, buffer}:
                if each.is_board and last[each] == index:
                    shape = each.blocks, each.rows, each.columns
                    spare.setdefault(shape, []).append(each.base)
        return end
