"""From the graph of an ONNX file to the layers of a :class:`.evaluation.CompiledNetwork`.

The graph is read once, for a batch of one. A tensor is an array of the workspace indices of its
numbers. An operator that only moves numbers (a transposition, a slice, a selection) moves indices
instead and costs nothing when the network is evaluated; weights are put in the order of their
inputs.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from . import evaluation as e
from .inference import infer
from .layer import Buffer, Layer, board_layers, place
from .model_file import Model, Node, Refused
from .operators import CONSTANTS, FUNCTIONS, MOVES, as_computed
from .shapes import BATCH, Unsupported
from .tile import BLOCKS, FUSES, LANES
from .words import FLOAT32, Bytes, LayerWeights, Precision, bytes_for, join_words

MOST_PLACES = 1 << 24  # of the workspace, in numbers for one position
MOST_ENTRIES = 1 << 20  # in tables: numbers that are computed or copied one by one


class _Value(NamedTuple):
    """A tensor: numbers, or indices; with the layer that made it, if it is its whole output."""

    array: np.ndarray
    constant: bool
    layer: Layer | None = None


def compile_network(
    model: Model,
    num_actions: int,
    cells: int | None = None,
    precision: Precision = FLOAT32,
    sample: np.ndarray | None = None,
) -> tuple[e.CompiledNetwork, list[LayerWeights]]:
    """The network of a policy file for :func:`.evaluation.evaluate_network`, and its weights.

    The weights are views of the model's arrays if the graph only moves their numbers.

    Args:
        model: the file's content.
        num_actions: the number of logits.
        cells: the maximum number of cells in a tile, or None for the default of the precision; it
            affects only the speed.
        precision: the precision of multiplications.
        sample: observations (N, …), float32, from which the int8 scales are derived.

    Raises:
        Refused: it computes too much.
        Invalid: the graph is wrong.
        Unsupported: it has layers that are not compiled; or numba or the processor has no fused
            multiply-add, or cannot multiply in this precision.
    """
    if not FUSES:
        raise Unsupported("fused multiply-add on this processor")
    if not precision.is_possible:
        raise Unsupported(f"{precision.name} multiplication on this processor")
    try:
        inputs = None
        if sample is not None:
            inputs = [bytes_for(*each) for each in _ranges(model, num_actions, sample)]
        compiler = _Compiler(model, num_actions, precision, inputs)
        return compiler.compile(num_actions, cells or precision.cells)
    except (Unsupported, Refused):
        raise
    except Exception as error:  # graphs of other makers may have any form
        raise Unsupported("a graph of this form") from error


def _ranges(model: Model, num_actions: int, sample: np.ndarray) -> list[tuple[float, float]]:
    """The least and the greatest input of each multiplying layer, in the order of layers."""
    compiler = _Compiler(model, num_actions)
    network, _ = compiler.compile(num_actions, FLOAT32.cells, share=False)
    logits, values = np.empty((1, num_actions), np.float32), np.empty(1, np.float32)
    parts = [network.workspace[x.base : x.base + x.floats] for x in compiler.words_of]
    lows, highs = np.zeros((2, len(parts)))
    for observation in sample.reshape(len(sample), 1, -1):
        e.evaluate_network(network, observation, logits, values)
        lows = np.minimum(lows, [part.min() for part in parts])
        highs = np.maximum(highs, [part.max() for part in parts])
    return [*zip(lows.tolist(), highs.tolist(), strict=True)]


class _Compiler:
    """Reads a graph."""

    def __init__(
        self,
        model: Model,
        num_actions: int,
        precision: Precision = FLOAT32,
        inputs: list[Bytes] | None = None,
    ) -> None:
        self.precision = precision
        self.inputs = inputs or []  # the meaning of bytes, for each buffer that is multiplied
        self.words_of: dict[Buffer, Buffer] = {}
        self.layers: list[Layer] = []
        self.buffers: list[Buffer] = []
        self.places = 0
        self.weights: list[LayerWeights] = []
        self.num_weights = 0
        self.tables: list[np.ndarray] = []
        self.num_entries = self.tables_end = 0
        self.constants: list[tuple[Buffer, np.ndarray]] = []
        self.rows_of_vectors: dict[bytes, tuple[Buffer, np.ndarray]] = {}
        constants, tensors = infer(model, num_actions)
        self.values: dict[str, _Value] = {
            name: _Value(as_computed(array), True) for name, array in constants.items()
        }
        self.uses = Counter(
            [*model.outputs, *(name for node in model.nodes for name in node.input)]
        )
        self.margin = max([0, *(max(each.attributes.get("pads", [0])) for each in model.nodes)])
        ((name, _, sizes),) = model.inputs
        shape = [1, *sizes[1:]]
        self.observation = self.vector(int(np.prod(shape)))
        places = self.observation.tensor(int(np.prod(shape))).reshape(shape)
        self.values[name] = _Value(places, False)
        for node in model.nodes:
            value = self.values[node.output[0]] = self.value_of(node)
            inferred = tensors[node.output[0]].shape
            if value.array.shape != tuple(1 if n == BATCH else n for n in inferred):
                raise Unsupported("a graph of this form")  # it would read out of bounds

    # what the graph computes

    def value_of(self, node: Node) -> _Value:
        """The output of a node that :func:`.inference.infer` has accepted."""
        kind, names, attributes = node.op_type, node.input, node.attributes
        inputs = [self.values[name] for name in names if name]
        once = [self.uses[name] == 1 for name in names]
        if kind == "Shape":
            shape = inputs[0].array.shape[attributes.get("start", 0) : attributes.get("end")]
            return _Value(np.array(shape, np.int64), True)
        if kind == "Identity":
            return inputs[0]._replace(layer=None)
        if kind in MOVES:
            first = inputs if kind == "Concat" else inputs[:1]
            constant = all(each.constant for each in first)
            arrays = [each.array if constant else self.place(each) for each in first]
            rest = names[len(first) :]
            more = [self.values[name].array if name else None for name in rest]
            return _Value(np.asarray(MOVES[kind](attributes, *arrays, *more)), constant)
        if all(each.constant for each in inputs) and kind in CONSTANTS:
            return _Value(CONSTANTS[kind](attributes, *(each.array for each in inputs)), True)
        if kind in ("Conv", "Gemm", "MatMul"):
            return self.product(kind, attributes, inputs)
        if kind == "BatchNormalization":
            return self.normalisation(attributes, inputs)
        if kind in ("ReduceMean", "ReduceMax"):
            return self.pool(kind, attributes, inputs)
        if kind == "Softmax":
            places = self.place(inputs[0])
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
        weights = inputs[1].array
        if attributes.get("transB"):
            weights = weights.T
        outputs = weights.shape[0] if kind == "Conv" else weights.shape[1]
        bias = inputs[2].array if len(inputs) > 2 else np.zeros(outputs)
        if kind == "Conv":
            return self.convolution(attributes, inputs[0].array, weights, bias)
        x, order = self.as_vector(inputs[0].array)
        out = self.vector(outputs)
        kernel, place, width = self.store(weights[None], bias, x, order)
        x = self.packed(x)
        layer = Layer(
            lambda layer: [
                *(e.MATRIX, x.base, out.base, layer.add.base if layer.add else -1),
                *(x.block_size, 0, out.block_size, 0, kernel, place, width, len(order)),
                *(1, 1, 0, 1, 1, 0, int(layer.relu), x.cell),
            ],
            [x],
            out,
        )
        return self.output(layer, outputs, can_add=True)

    def convolution(
        self, attributes: dict[str, Any], places: np.ndarray, weights: np.ndarray, bias: np.ndarray
    ) -> _Value:
        """A convolution of stride 1, with the same padding on all sides."""
        margin = attributes.get("pads", [0])[0]
        outputs, channels, kernel_rows, kernel_columns = weights.shape
        x = self.as_board(places)
        rows, columns = (
            size + 2 * margin - kernel + 1
            for size, kernel in zip(places.shape[2:], weights.shape[2:])
        )
        out = self.board(outputs, rows, columns)
        taps = weights.transpose(2, 3, 1, 0).reshape(-1, channels, outputs)
        kernel, place, width = self.store(taps, bias, x)
        x = self.packed(x)
        layer = Layer(
            lambda layer: [
                *(
                    e.MATRIX,
                    x.first_cell(margin),
                    out.first_cell(),
                    layer.add.first_cell() if layer.add else -1,
                ),
                *(x.block_size, x.row_size, out.block_size, out.row_size),
                *(kernel, place, width, channels, kernel_rows, kernel_columns, margin),
                *(x.rows, rows, columns, int(layer.relu), x.cell),
            ],
            [x],
            out,
        )
        return self.output(layer, outputs, can_add=True)

    def normalisation(self, attributes: dict[str, Any], inputs: list[_Value]) -> _Value:
        """A tensor scaled and shifted by a factor and a term for each channel."""
        places = self.place(inputs[0])
        scale, shift, mean, variance = (each.array.astype(np.float64) for each in inputs[1:])
        scale /= np.sqrt(variance + attributes.get("epsilon", 1e-5))
        for kind, numbers in ((e.MUL, scale), (e.ADD, shift - mean * scale)):
            shape = (1, -1, *[1] * (places.ndim - 2))
            constants = self.place(_Value(numbers.astype(np.float32).reshape(shape), True))
            places = self.elementwise(kind, places, constants).array
        return _Value(places, False)

    def pool(self, kind: str, attributes: dict[str, Any], inputs: list[_Value]) -> _Value:
        """The mean or the maximum of each channel of a board."""
        places = self.place(inputs[0])
        x, channels = self.as_board(places), places.shape[1]
        out = self.vector(channels)
        code = e.MEAN if kind == "ReduceMean" else e.MAX
        layer = Layer(
            lambda layer: [
                *(
                    code,
                    x.first_cell(),
                    x.block_size,
                    x.row_size,
                    x.rows,
                    x.columns,
                    x.blocks,
                    out.base,
                )
            ],
            [x],
            out,
        )
        value = self.output(layer, channels)
        if attributes.get("keepdims", 1):
            return _Value(value.array[:, :, None, None], False)
        return value._replace(layer=None)

    def fused_sum(self, one: _Value, other: _Value) -> _Value | None:
        """``one`` plus ``other``, added by the layer that makes ``one`` or by a separate layer."""
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
        addition = Layer(
            lambda layer: [
                *(e.ADD_CHANNELS, x.first_cell(), out.first_cell(), x.block_size, x.row_size),
                *(x.rows, x.columns, x.blocks, vector.base, int(layer.relu)),
            ],
            [x, vector],
            out,
        )
        return self.output(addition, channels)

    def elementwise(self, kind: int, a: np.ndarray, b: np.ndarray) -> _Value:
        """A function of every element."""
        a, b = np.broadcast_arrays(a, b)
        self.count_entries(a.size)
        out = self.vector(a.size)
        result = out.tensor(a.size).reshape(a.shape)
        reads = self.buffers_of(np.concatenate([a.ravel(), b.ravel()]))

        def row(layer: Layer) -> list[int]:
            columns = [self.physical(each.ravel()) for each in (a, b, result)]
            return [kind, self.table(np.concatenate(columns, axis=1)), a.size]

        self.layers.append(Layer(row, reads, out))
        return _Value(result, False)

    # where numbers lie

    def board(self, channels: int, rows: int, columns: int) -> Buffer:
        """A new board."""
        return self._buffer(Buffer(self.places, channels, rows, columns, self.margin))

    def vector(self, channels: int) -> Buffer:
        """A new vector."""
        return self._buffer(Buffer(self.places, channels))

    def _buffer(self, buffer: Buffer) -> Buffer:
        self.buffers.append(buffer)
        self.places += buffer.places
        if self.places > MOST_PLACES:
            raise Unsupported("a workspace of this size")
        return buffer

    def output(self, layer: Layer, channels: int, can_add: bool = False) -> _Value:
        """All outputs of a new layer."""
        self.layers.append(layer)
        layer.can_add = can_add
        return _Value(layer.writes.tensor(channels), False, layer)

    def place(self, value: _Value) -> np.ndarray:
        """The indices of a tensor; constants are first put into a vector."""
        if not value.constant:
            return value.array
        buffer = self.vector(value.array.size)
        self.constants.append((buffer, value.array.ravel()))
        return buffer.tensor(value.array.size).reshape(value.array.shape)

    def buffers_of(self, places: np.ndarray) -> list[Buffer]:
        """The buffers that hold these indices."""
        starts = [buffer.start for buffer in self.buffers]
        indices = np.unique(np.searchsorted(starts, places, side="right") - 1)
        return [self.buffers[index] for index in indices]

    def whole(self, places: np.ndarray) -> Buffer | None:
        """The buffer whose channels these are, in its own order; None if there is none."""
        (buffer, *others) = self.buffers_of(places.ravel())
        if others or places.ndim != (4 if buffer.is_board else 2):
            return None
        own = buffer.tensor(places.shape[1])
        return buffer if own.shape == places.shape and (own == places).all() else None

    def as_board(self, places: np.ndarray) -> Buffer:
        """A board that holds a tensor (1, channels, rows, columns)."""
        buffer = self.whole(places)
        if buffer is None:
            buffer = self.board(*places.shape[1:])
            self.copy(places.ravel(), buffer.tensor(places.shape[1]).ravel(), buffer)
        return buffer

    def as_vector(self, places: np.ndarray) -> tuple[Buffer, np.ndarray]:
        """A vector that holds a tensor (1, channels), and the order of its channels."""
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

    def copy(self, source: np.ndarray, target: np.ndarray, buffer: Buffer) -> None:
        """A layer that copies numbers in the longest possible runs."""
        self.count_entries(source.size)

        def row(layer: Layer) -> list[int]:
            both = np.concatenate([self.physical(source), self.physical(target)], axis=1)
            breaks = (np.diff(both, axis=0) != [1, 0, 1, 0]).any(axis=1)
            starts = np.flatnonzero(np.concatenate([[True], breaks]))
            lengths = np.diff([*starts, len(both)])
            table = np.concatenate([both[starts], lengths[:, None]], axis=1)
            return [e.COPY, self.table(table), len(table)]

        self.layers.append(Layer(row, self.buffers_of(source), buffer))

    def physical(self, places: np.ndarray) -> np.ndarray:
        """The workspace offsets of indices, and their strides between positions: (N, 2)."""
        starts = np.array([buffer.start for buffer in self.buffers])
        holders = [self.buffers[i] for i in np.searchsorted(starts, places, side="right") - 1]
        offsets = places - [buffer.start for buffer in holders]
        is_board = np.array([buffer.is_board for buffer in holders])
        inner = np.where(is_board, offsets, offsets // LANES * e.VECTOR_BLOCK + offsets % LANES)
        bases = [buffer.base for buffer in holders]
        return np.stack([inner + bases, np.where(is_board, 0, LANES)], axis=1)

    def count_entries(self, more: int) -> None:
        """Refuse tables that take long to make and read."""
        self.num_entries += more
        if self.num_entries > MOST_ENTRIES:
            raise Unsupported("tables of this size")

    def table(self, rows: np.ndarray) -> int:
        """Add a table; returns where it starts."""
        start, self.tables_end = self.tables_end, self.tables_end + rows.size
        self.tables.append(rows.ravel())
        return start

    def packed(self, x: Buffer) -> Buffer:
        """The input of a multiplication: the buffer, or its numbers packed in words."""
        if x not in self.words_of:
            self.words_of[x] = x if self.precision.per_word == 1 else self._packed(x)
        return self.words_of[x]

    def _packed(self, x: Buffer) -> Buffer:
        per_word, bits = self.precision.per_word, self._bytes_of(x).bits
        shape = (x.blocks * LANES, x.rows, x.columns, x.margin, LANES // per_word)
        out = self._buffer(Buffer(self.places, *shape))
        board = (x.floats // LANES, LANES, 0)  # number of blocks, and their distance
        blocks = board if x.is_board else (x.blocks, x.block_size, LANES)
        row = (*blocks, per_word, *bits)
        self.layers.append(Layer(lambda layer: [e.PACK, x.base, out.base, *row], [x], out))
        return out

    def _bytes_of(self, x: Buffer) -> Bytes:
        """The quantization of a buffer's numbers, if they are quantized."""
        if not self.inputs:
            return Bytes()
        meaning = self.inputs[[*self.words_of, x].index(x)]
        if meaning.zero and x.is_board:  # rows beyond the board are not multiplied
            raise Unsupported("int8 for negative numbers on a board")
        return meaning

    def store(
        self, weights: np.ndarray, bias: np.ndarray, x: Buffer, order: np.ndarray | None = None
    ) -> tuple[int, int, int]:
        """Store the weights (taps, inputs, outputs) for a buffer's numbers in an order, and biases.

        Returns where both start, and their width.
        """
        width = -(-weights.shape[2] // (BLOCKS * LANES)) * BLOCKS * LANES
        kept = LayerWeights(weights, bias, order, width, self._bytes_of(x), self.precision)
        self.weights.append(kept)
        words, ends = kept.words()
        end = self.num_weights + words.size
        start, self.num_weights = self.num_weights, end + ends.size
        return start, end, width

    # the result

    def compile(
        self, num_actions: int, cells: int, share: bool = True
    ) -> tuple[e.CompiledNetwork, list[LayerWeights]]:
        """The network; buffers that are not in use at the same time may share memory."""
        outputs = [self.place(self.values[name]).ravel() for name in ("logits", "value")]
        if [len(each) for each in outputs] != [num_actions, 1]:
            raise Unsupported("outputs of these shapes")
        result = self.vector(num_actions + 1)
        self.copy(np.concatenate(outputs), result.tensor(num_actions + 1).ravel(), result)
        on_boards = board_layers(self.layers)
        layers = [layer for layer in self.layers if layer in on_boards]
        layers += [layer for layer in self.layers if layer not in on_boards]
        floats = place(self.buffers, layers, share)
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
        weights = e.aligned_floats(self.num_weights).view(np.uint32)
        weights[:] = join_words(self.weights)
        network = e.CompiledNetwork(
            table,
            len(on_boards),
            np.concatenate([np.zeros(0, np.int64), *self.tables]),
            weights.view(self.precision.words_type),
            workspace,
            self.observation.base,
            result.base,
            cells,
        )
        return network, self.weights
