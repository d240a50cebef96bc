"""The output type and shape of each operator, checked as strictly as by onnxruntime.

A graph that is certainly wrong is :class:`Invalid`; a doubtful one is :class:`Unsupported`, and
left to onnxruntime. https://onnx.ai/onnx/operators describes the operators.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .model_file import ELEMENTS, read_tensor
from .operators import CONSTANTS, MOVES

# The batch size for which shapes are inferred. It is a prime that is no size of a board or layer: a
# dimension that is a multiple of it comes from the batch size.
BATCH = 1_000_003
FLOAT32, INT64 = np.dtype("<f4"), np.dtype("<i8")
ACROSS_BATCH = "operators across the batch"
_INTEGERS = (np.dtype("<i4"), INT64)


class Unsupported(Exception):
    """The graph has something that is not compiled: an operator, or a form of one."""


class Invalid(Unsupported):
    """The graph is wrong: nothing can evaluate it. The text says why."""


class Tensor(NamedTuple):
    """The inferred properties of a tensor.

    Attributes:
        dtype: its type.
        shape: its shape, with ``BATCH`` for the batch size.
        constant: whether it depends on the file alone.
        value: the numbers of an integer constant, if they are needed.
    """

    dtype: np.dtype
    shape: tuple[int, ...]
    constant: bool
    value: np.ndarray | None = None

    @property
    def integers(self) -> list[int]:
        """The numbers of a constant row of integers that do not depend on the batch size."""
        numbers = self.sizes
        _check_supported(BATCH not in numbers, "numbers that depend on the batch size")
        return numbers

    @property
    def sizes(self) -> list[int]:
        """The numbers of a constant row of integers, which may include ``BATCH``."""
        _check_valid(self.dtype in _INTEGERS, f"has sizes or axes of type {self.dtype}, not int64")
        is_row = self.value is not None and len(self.shape) == 1
        _check_supported(is_row, "sizes and axes that are not constant rows")
        return [int(number) for number in self.value]  # type: ignore[union-attr]


def read_constant(data: bytes | np.ndarray) -> np.ndarray:
    """The array of a constant."""
    try:
        return read_tensor(data)
    except KeyError:
        raise Unsupported("constants of this form") from None
    except ValueError:
        raise Invalid("has a data size that does not match its dimensions") from None


def tensor_of(array: np.ndarray) -> Tensor:
    """The inferred properties of a constant."""
    return Tensor(array.dtype, array.shape, True, array if array.dtype in _INTEGERS else None)


def depends_on_batch(size: int) -> bool:
    """Whether a size is a multiple of the batch size, which 0 is too."""
    return size % BATCH == 0


def written(shape: Iterable[int]) -> str:
    """A shape as text for messages."""
    return f"({', '.join('N' if size == BATCH else str(size) for size in shape)})"


def _check_valid(condition: bool, complaint: str) -> None:
    """Refuse a graph that is wrong."""
    if not condition:
        raise Invalid(complaint)


def _check_supported(condition: bool, what: str) -> None:
    """Leave a graph to onnxruntime."""
    if not condition:
        raise Unsupported(what)


def _axis(axis: int, rank: int) -> int:
    """An axis counted from the first."""
    _check_valid(-rank <= axis < rank, f"names axis {axis} of a tensor of rank {rank}")
    return axis % rank


def _axes(axes: Iterable[int], rank: int) -> list[int]:
    places = [_axis(axis, rank) for axis in axes]
    _check_supported(len({*places}) == len(places), "an axis that is repeated")
    return places


def _moved(kind: str, attributes: Any, shape: Iterable[int], x: Tensor, *more: Tensor) -> Tensor:
    """The tensor after an operator that only moves numbers, with the value of a constant."""
    shape, value = tuple(shape), None
    if x.value is not None and BATCH not in shape:
        values = [None if each is None else each.value for each in (x, *more)]
        value = np.asarray(MOVES[kind](attributes, *values))
    return Tensor(x.dtype, shape, x.constant, value)


def _check_not_batch(axis: int, shape: tuple[int, ...]) -> None:
    """Refuse an operator along the batch axis."""
    _check_supported(shape[axis] != BATCH, ACROSS_BATCH)


# a function for each operator: attributes and inputs to output


def _shape(attributes: Any, x: Tensor) -> Tensor:
    return tensor_of(np.array(x.shape[attributes.get("start", 0) : attributes.get("end")], INT64))


def _identity(attributes: Any, x: Tensor) -> Tensor:
    return x


def _transpose(attributes: Any, x: Tensor) -> Tensor:
    order = attributes.get("perm", [*range(len(x.shape))][::-1])
    _check_valid(
        sorted(order) == [*range(len(x.shape))], f"permutes {len(x.shape)} axes by {order}"
    )
    return _moved("Transpose", attributes, (x.shape[axis] for axis in order), x)


def _reshaped(x: Tensor, sizes: list[int]) -> tuple[int, ...]:
    """The shape, if equally many numbers come before and after the batch axis."""
    same = math.prod(x.shape) == math.prod(sizes)
    _check_valid(same, f"cannot reshape {written(x.shape)} to {written(sizes)}")
    if BATCH in x.shape and BATCH in sizes:
        before = (each[: each.index(BATCH)] for each in (x.shape, (*sizes,)))
        _check_supported(len({*map(math.prod, before)}) == 1, ACROSS_BATCH)
    return tuple(sizes)


def _reshape(attributes: Any, x: Tensor, shape: Tensor) -> Tensor:
    _check_valid(shape.dtype == INT64, f"has a shape of type {shape.dtype}, not int64")
    sizes = shape.sizes
    for axis, size in enumerate(sizes):
        if size == 0:
            _check_supported(not attributes.get("allowzero"), "empty tensors")
            _check_valid(
                axis < len(x.shape), f"keeps axis {axis} of a tensor of rank {len(x.shape)}"
            )
            sizes[axis] = x.shape[axis]
    is_shape = min(sizes, default=0) >= -1 and sizes.count(-1) <= 1
    _check_valid(is_shape, f"cannot reshape to {written(sizes)}")
    if -1 in sizes:
        rest = -math.prod(sizes)
        fits = math.prod(x.shape) % rest == 0
        _check_valid(fits, f"cannot reshape {written(x.shape)} to {written(sizes)}")
        sizes[sizes.index(-1)] = math.prod(x.shape) // rest
    return _moved("Reshape", attributes, _reshaped(x, sizes), x, shape)


def _flatten(attributes: Any, x: Tensor) -> Tensor:
    axis, rank = attributes.get("axis", 1), len(x.shape)
    _check_valid(-rank <= axis <= rank, f"names axis {axis} of a tensor of rank {rank}")
    sizes = [math.prod(x.shape[:axis]), math.prod(x.shape[axis:])]
    return _moved("Flatten", attributes, _reshaped(x, sizes), x)


def _squeeze(attributes: Any, x: Tensor, axes: Tensor | None = None) -> Tensor:
    if axes is None:
        _check_supported(BATCH not in x.shape, "Squeeze of this form")
        gone = [axis for axis, size in enumerate(x.shape) if size == 1]
        return _moved("Squeeze", attributes, (s for s in x.shape if s != 1), x)
    _check_valid(axes.dtype == INT64, f"has axes of type {axes.dtype}, not int64")
    gone = _axes(axes.integers, len(x.shape))
    single = all(x.shape[axis] == 1 for axis in gone)
    _check_valid(single, f"removes axes {gone} of {written(x.shape)}")
    left = (size for axis, size in enumerate(x.shape) if axis not in gone)
    return _moved("Squeeze", attributes, left, x, axes)


def _unsqueeze(attributes: Any, x: Tensor, axes: Tensor) -> Tensor:
    _check_valid(axes.dtype == INT64, f"has axes of type {axes.dtype}, not int64")
    rank, sizes = len(x.shape) + len(axes.integers), iter(x.shape)
    new = _axes(axes.integers, rank)
    shape = [1 if axis in new else next(sizes) for axis in range(rank)]
    return _moved("Unsqueeze", attributes, shape, x, axes)


def _concat(attributes: Any, *parts: Tensor) -> Tensor:
    first = parts[0]
    _check_valid("axis" in attributes, "names no axis")
    _check_valid(len({part.dtype for part in parts}) == 1, "has inputs of different types")
    _check_valid(len({len(part.shape) for part in parts}) == 1, "has inputs of different ranks")
    axis = _axis(attributes["axis"], len(first.shape))
    _check_not_batch(axis, first.shape)
    others = {(*part.shape[:axis], *part.shape[axis + 1 :]) for part in parts}
    _check_valid(len(others) == 1, f"has inputs that differ in shape outside axis {axis}")
    shape = [*first.shape]
    shape[axis] = sum(part.shape[axis] for part in parts)
    value = None
    if all(part.value is not None for part in parts):
        value = np.asarray(MOVES["Concat"](attributes, *(part.value for part in parts)))
    constant = all(part.constant for part in parts)
    return Tensor(first.dtype, tuple(shape), constant, value)


def _slice(
    attributes: Any,
    x: Tensor,
    starts: Tensor,
    ends: Tensor,
    axes: Tensor | None = None,
    steps: Tensor | None = None,
) -> Tensor:
    given = [each for each in (starts, ends, axes, steps) if each is not None]
    _check_valid(len({each.dtype for each in given}) == 1, "has bounds of different types")
    _check_supported(len({each.shape for each in given}) == 1, "Slice of this form")
    rank, count = len(x.shape), len(starts.sizes)
    _check_valid(
        axes is not None or count <= rank, f"slices {count} axes of a tensor of rank {rank}"
    )
    places = [*range(count)] if axes is None else _axes(axes.integers, rank)
    jumps = [1] * count if steps is None else steps.integers
    _check_valid(0 not in jumps, "has a step of 0")
    shape = [*x.shape]
    for axis, start, end, step in zip(places, starts.sizes, ends.sizes, jumps):
        if x.shape[axis] == BATCH:
            _check_supported((start, step) == (0, 1), ACROSS_BATCH)
        else:
            _check_supported(BATCH not in (start, end), ACROSS_BATCH)
        shape[axis] = len(range(*slice(start, end, step).indices(x.shape[axis])))
    return _moved("Slice", attributes, shape, x, starts, ends, axes, steps)  # type: ignore[arg-type]


def _indices(index: Tensor, sizes: Sequence[int]) -> None:
    """Refuse indices out of range; their last dimension has one index for each size."""
    _check_supported(index.value is not None, "indices that are not constant")
    assert index.value is not None
    _check_supported(BATCH not in index.value, ACROSS_BATCH)
    inside = (index.value >= np.negative(sizes)) & (index.value < sizes)
    _check_valid(bool(inside.all()), f"has indices beyond {written(sizes)}")


def _gather(attributes: Any, x: Tensor, index: Tensor) -> Tensor:
    _check_valid(index.dtype in _INTEGERS, f"has indices of type {index.dtype}, not int64")
    axis = _axis(attributes.get("axis", 0), len(x.shape))
    _check_not_batch(axis, x.shape)
    _indices(index, x.shape[axis : axis + 1])
    shape = (*x.shape[:axis], *index.shape, *x.shape[axis + 1 :])
    return _moved("Gather", attributes, shape, x, index)


def _gather_nd(attributes: Any, x: Tensor, index: Tensor) -> Tensor:
    _check_valid(index.dtype == INT64, f"has indices of type {index.dtype}, not int64")
    depth = index.shape[-1] if index.shape else 0
    _check_valid(1 <= depth <= len(x.shape), f"has {depth} indices for {len(x.shape)} axes")
    _check_supported(BATCH not in x.shape[:depth], ACROSS_BATCH)
    _indices(index, x.shape[:depth])
    return _moved("GatherND", attributes, (*index.shape[:-1], *x.shape[depth:]), x, index)


def _broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape to which these shapes broadcast."""
    sizes = []
    for column in itertools.zip_longest(*map(reversed, shapes), fillvalue=1):
        wide = {size for size in column if size != 1} or {1}
        _check_valid(len(wide) == 1, f"cannot broadcast {' and '.join(map(written, shapes))}")
        sizes.append(wide.pop())
    return tuple(sizes[::-1])


def _expand(attributes: Any, x: Tensor, shape: Tensor) -> Tensor:
    _check_valid(shape.dtype == INT64, f"has a shape of type {shape.dtype}, not int64")
    _check_supported(min(shape.sizes, default=1) > 0, "empty tensors")
    return _moved("Expand", attributes, _broadcast(x.shape, tuple(shape.sizes)), x, shape)


def _literal(attributes: Any) -> Tensor:
    _check_valid(len(attributes) == 1, f"has {len(attributes)} values")
    ((name, value),) = attributes.items()
    if name == "value":
        return tensor_of(read_constant(value))
    return tensor_of(np.array(value, INT64 if name.startswith("value_int") else FLOAT32))


def _cast(attributes: Any, x: Tensor) -> Tensor:
    kind = ELEMENTS.get(attributes.get("to", 0))
    _check_supported(x.constant and kind is not None and kind != "<f2", "Cast of this form")
    value = x.value if kind in ("<i4", "<i8") else None
    if x.value is not None and value is None:
        _check_supported(BATCH not in x.value, ACROSS_BATCH)
    if value is not None:
        value = CONSTANTS["Cast"](attributes, value)
    return Tensor(np.dtype(kind), x.shape, True, value)


def _max(attributes: Any, *parts: Tensor) -> Tensor:
    _check_supported(all(part.constant for part in parts), "Max of this form")
    _check_valid(len({part.dtype for part in parts}) == 1, "has inputs of different types")
    _check_supported(parts[0].dtype.kind != "b", "Max of this form")
    values = [part.value for part in parts]
    for each in values if len(parts) > 1 else ():
        _check_supported(each is None or BATCH not in each, ACROSS_BATCH)
    value = CONSTANTS["Max"](attributes, *values) if all(v is not None for v in values) else None
    return Tensor(parts[0].dtype, _broadcast(*(part.shape for part in parts)), True, value)


def _numbers(kind: str, *inputs: Tensor | None) -> None:
    """Refuse types other than float32."""
    types = [each.dtype for each in inputs if each is not None]
    _check_valid(len({*types}) == 1, f"mixes {' and '.join(map(str, types))}")
    _check_supported(types[0] == FLOAT32, f"{kind} of {types[0]}")


def _product(x: Tensor, *weights: Tensor | None) -> None:
    """Refuse products other than of the numbers of a position by constants."""
    constant = all(each.constant for each in weights if each is not None)
    _check_supported(not x.constant and constant, "products of this form")


def _conv(attributes: Any, x: Tensor, w: Tensor, bias: Tensor | None = None) -> Tensor:
    _numbers("Conv", x, w, bias)
    rank, group = len(x.shape), attributes.get("group", 1)
    _check_valid(rank == len(w.shape), f"has weights of rank {len(w.shape)} for rank {rank}")
    _check_supported(rank == 4 and group == 1, "Conv of this form")
    channels, taps = w.shape[1], [*w.shape[2:]]
    _check_valid(
        x.shape[1] == channels, f"has weights for {channels} channels of a tensor of {x.shape[1]}"
    )
    same = attributes.get("kernel_shape", taps) == taps
    _check_valid(same, f"has weights of shape {written(w.shape)} for another kernel")
    _check_valid(bias is None or bias.shape == w.shape[:1], f"has no bias of length {w.shape[0]}")
    _product(x, w, bias)
    pads = attributes.get("pads", [0] * 4)
    usual = [attributes.get(name, [1, 1]) for name in ("strides", "dilations")] == [[1, 1]] * 2
    _check_supported(
        usual and len(pads) == 4 and len({*pads}) == 1 and pads[0] >= 0, "Conv of this form"
    )
    rows, columns = (size + 2 * pads[0] - k + 1 for size, k in zip(x.shape[2:], taps))
    _check_supported(x.shape[0] == BATCH and min(rows, columns) > 0, "Conv of this form")
    return Tensor(FLOAT32, (BATCH, w.shape[0], rows, columns), False)


def _gemm(attributes: Any, x: Tensor, w: Tensor, bias: Tensor | None = None) -> Tensor:
    _numbers("Gemm", x, w, bias)
    ranks = len(x.shape), len(w.shape)
    _check_valid(ranks == (2, 2), f"multiplies tensors of ranks {ranks[0]} and {ranks[1]}")
    _check_supported(not attributes.get("transA") and x.shape[0] == BATCH, "Gemm of this form")
    inputs, outputs = w.shape[::-1] if attributes.get("transB") else w.shape
    shape = _multiplied(x, inputs, outputs)
    if bias is not None:
        fits = len(bias.shape) <= 2 and all(s in (1, outputs) for s in bias.shape[-1:])
        _check_valid(fits, f"has a bias of shape {written(bias.shape)} for {outputs} numbers")
        _check_supported(bias.shape[:-1] in ((), (1,)), "Gemm of this form")
    _product(x, w, bias)
    return Tensor(FLOAT32, shape, False)


def _matmul(attributes: Any, x: Tensor, w: Tensor) -> Tensor:
    _numbers("MatMul", x, w)
    _product(x, w)
    plain = (len(x.shape), len(w.shape)) == (2, 2) and x.shape[0] == BATCH
    _check_supported(plain, "MatMul of this form")
    return Tensor(FLOAT32, _multiplied(x, *w.shape), False)


def _multiplied(x: Tensor, inputs: int, outputs: int) -> tuple[int, int]:
    _check_valid(x.shape[1] == inputs, f"has weights for {inputs} inputs, not for {x.shape[1]}")
    return BATCH, outputs


def _normalisation(attributes: Any, x: Tensor, *channels: Tensor) -> Tensor:
    _numbers("BatchNormalization", x, *channels)
    _check_supported(len(x.shape) > 1 and x.shape[0] == BATCH, "BatchNormalization of this form")
    for each in channels:
        same = each.shape == x.shape[1:2]
        _check_valid(same, f"has {written(each.shape)} for {x.shape[1]} channels")
    _product(x, *channels)
    return x


def _pool(attributes: Any, x: Tensor, axes: Tensor | None = None) -> Tensor:
    _numbers("Reduce", x)
    _check_valid(axes is None or axes.dtype == INT64, "has axes of a type other than int64")
    named = attributes.get("axes", []) if axes is None else axes.integers
    rank = len(x.shape)
    places = _axes(named, rank)
    plain = rank == 4 and sorted(places) == [2, 3] and x.shape[0] == BATCH
    _check_supported(plain and not x.constant, "pooling of this form")
    return Tensor(FLOAT32, (*x.shape[:2], *[1, 1] * bool(attributes.get("keepdims", 1))), False)


def _softmax(attributes: Any, x: Tensor) -> Tensor:
    _numbers("Softmax", x)
    axis = _axis(attributes.get("axis", -1), len(x.shape))
    _check_not_batch(axis, x.shape)
    _check_supported(math.prod(x.shape) == BATCH * x.shape[axis], "Softmax of this form")
    return x._replace(constant=False)


def _elementwise(attributes: Any, *parts: Tensor) -> Tensor:
    _numbers("arithmetic", *parts)
    return Tensor(FLOAT32, _broadcast(*(part.shape for part in parts)), False)


# for each operator: its function, and its minimum and maximum number of inputs
RULES: dict[str, tuple[Callable[..., Tensor], int, float]] = {
    "BatchNormalization": (_normalisation, 5, 5),
    "Cast": (_cast, 1, 1),
    "Concat": (_concat, 1, math.inf),
    "Constant": (_literal, 0, 0),
    "Conv": (_conv, 2, 3),
    "Expand": (_expand, 2, 2),
    "Flatten": (_flatten, 1, 1),
    "Gather": (_gather, 2, 2),
    "GatherND": (_gather_nd, 2, 2),
    "Gemm": (_gemm, 2, 3),
    "Identity": (_identity, 1, 1),
    "MatMul": (_matmul, 2, 2),
    "Max": (_max, 1, math.inf),
    "ReduceMax": (_pool, 1, 2),
    "ReduceMean": (_pool, 1, 2),
    "Reshape": (_reshape, 2, 2),
    "Shape": (_shape, 1, 1),
    "Slice": (_slice, 3, 5),
    "Softmax": (_softmax, 1, 1),
    "Squeeze": (_squeeze, 1, 2),
    "Transpose": (_transpose, 1, 1),
    "Unsqueeze": (_unsqueeze, 2, 2),
    **dict.fromkeys(("Add", "Sub", "Mul"), (_elementwise, 2, 2)),
    **dict.fromkeys(("Relu", "Sigmoid", "Tanh"), (_elementwise, 1, 1)),
}
