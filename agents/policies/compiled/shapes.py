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
POSITIONS = 1_000_003
FLOAT32, INT64 = np.dtype("<f4"), np.dtype("<i8")
_INTEGERS = (np.dtype("<i4"), INT64)


class Unsupported(Exception):
    """The graph has something that is not compiled: an operator, or a form of one."""


class Invalid(Unsupported):
    """The graph is wrong: nothing can evaluate it. The text says why."""


class Tensor(NamedTuple):
    """The inferred properties of a tensor.

    Attributes:
        dtype: its type.
        shape: its shape, with ``POSITIONS`` for the batch size.
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
        if POSITIONS in numbers:
            raise Unsupported("numbers that depend on the batch size")
        return numbers

    @property
    def sizes(self) -> list[int]:
        """The numbers of a constant row of integers, which may include ``POSITIONS``."""
        if self.dtype not in _INTEGERS:
            raise Invalid(f"has sizes or axes of type {self.dtype}, not int64")
        if self.value is None or len(self.shape) != 1:
            raise Unsupported("sizes and axes that are not constant rows")
        return [int(number) for number in self.value]


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


def written(shape: Iterable[int]) -> str:
    """A shape as text for messages."""
    return f"({', '.join('N' if size == POSITIONS else str(size) for size in shape)})"


def _require(condition: bool, complaint: str) -> None:
    if not condition:
        raise Invalid(complaint)


def _support(condition: bool, what: str) -> None:
    if not condition:
        raise Unsupported(what)


def _axis(axis: int, rank: int) -> int:
    """An axis counted from the first."""
    _require(-rank <= axis < rank, f"names axis {axis} of a tensor of rank {rank}")
    return axis % rank


def _axes(axes: Iterable[int], rank: int) -> list[int]:
    places = [_axis(axis, rank) for axis in axes]
    _support(len({*places}) == len(places), "an axis that is repeated")
    return places


def _moved(kind: str, attributes: Any, shape: Iterable[int], x: Tensor, *more: Tensor) -> Tensor:
    """The tensor after an operator that only moves numbers, with the value of a constant."""
    shape, value = tuple(shape), None
    if x.value is not None and POSITIONS not in shape:
        values = [None if each is None else each.value for each in (x, *more)]
        value = np.asarray(MOVES[kind](attributes, *values))
    return Tensor(x.dtype, shape, x.constant, value)


def _single(axis: int, shape: tuple[int, ...]) -> None:
    """Refuse an operator along the batch axis."""
    _support(shape[axis] != POSITIONS, "operators across the batch")


# a function for each operator: attributes and inputs to output


def _shape(attributes: Any, x: Tensor) -> Tensor:
    return tensor_of(np.array(x.shape[attributes.get("start", 0) : attributes.get("end")], INT64))


def _identity(attributes: Any, x: Tensor) -> Tensor:
    return x


def _transpose(attributes: Any, x: Tensor) -> Tensor:
    order = attributes.get("perm", [*range(len(x.shape))][::-1])
    _require(sorted(order) == [*range(len(x.shape))], f"permutes {len(x.shape)} axes by {order}")
    return _moved("Transpose", attributes, (x.shape[axis] for axis in order), x)


def _reshaped(x: Tensor, sizes: list[int]) -> tuple[int, ...]:
    """The shape, if equally many numbers come before and after the batch axis."""
    if math.prod(x.shape) != math.prod(sizes):
        raise Invalid(f"cannot reshape {written(x.shape)} to {written(sizes)}")
    if POSITIONS in x.shape and POSITIONS in sizes:
        before = (each[: each.index(POSITIONS)] for each in (x.shape, (*sizes,)))
        _support(len({*map(math.prod, before)}) == 1, "operators across the batch")
    return tuple(sizes)


def _reshape(attributes: Any, x: Tensor, shape: Tensor) -> Tensor:
    _require(shape.dtype == INT64, f"has a shape of type {shape.dtype}, not int64")
    sizes = shape.sizes
    for axis, size in enumerate(sizes):
        if size == 0:
            _support(not attributes.get("allowzero"), "empty tensors")
            _require(axis < len(x.shape), f"keeps axis {axis} of a tensor of rank {len(x.shape)}")
            sizes[axis] = x.shape[axis]
    if min(sizes, default=0) < -1 or sizes.count(-1) > 1:
        raise Invalid(f"cannot reshape to {written(sizes)}")
    if -1 in sizes:
        rest = -math.prod(sizes)
        if math.prod(x.shape) % rest:
            raise Invalid(f"cannot reshape {written(x.shape)} to {written(sizes)}")
        sizes[sizes.index(-1)] = math.prod(x.shape) // rest
    return _moved("Reshape", attributes, _reshaped(x, sizes), x, shape)


def _flatten(attributes: Any, x: Tensor) -> Tensor:
    axis, rank = attributes.get("axis", 1), len(x.shape)
    _require(-rank <= axis <= rank, f"names axis {axis} of a tensor of rank {rank}")
    sizes = [math.prod(x.shape[:axis]), math.prod(x.shape[axis:])]
    return _moved("Flatten", attributes, _reshaped(x, sizes), x)


def _squeeze(attributes: Any, x: Tensor, axes: Tensor | None = None) -> Tensor:
    if axes is None:
        _support(POSITIONS not in x.shape, "Squeeze of this form")
        gone = [axis for axis, size in enumerate(x.shape) if size == 1]
        return _moved("Squeeze", attributes, (s for s in x.shape if s != 1), x)
    _require(axes.dtype == INT64, f"has axes of type {axes.dtype}, not int64")
    gone = _axes(axes.integers, len(x.shape))
    if any(x.shape[axis] != 1 for axis in gone):
        raise Invalid(f"removes axes {gone} of {written(x.shape)}")
    left = (size for axis, size in enumerate(x.shape) if axis not in gone)
    return _moved("Squeeze", attributes, left, x, axes)


def _unsqueeze(attributes: Any, x: Tensor, axes: Tensor) -> Tensor:
    _require(axes.dtype == INT64, f"has axes of type {axes.dtype}, not int64")
    rank, sizes = len(x.shape) + len(axes.integers), iter(x.shape)
    new = _axes(axes.integers, rank)
    shape = [1 if axis in new else next(sizes) for axis in range(rank)]
    return _moved("Unsqueeze", attributes, shape, x, axes)


def _concat(attributes: Any, *parts: Tensor) -> Tensor:
    first = parts[0]
    _require("axis" in attributes, "names no axis")
    _require(len({part.dtype for part in parts}) == 1, "has inputs of different types")
    _require(len({len(part.shape) for part in parts}) == 1, "has inputs of different ranks")
    axis = _axis(attributes["axis"], len(first.shape))
    _single(axis, first.shape)
    others = {(*part.shape[:axis], *part.shape[axis + 1 :]) for part in parts}
    _require(len(others) == 1, f"has inputs that differ in shape outside axis {axis}")
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
    _require(len({each.dtype for each in given}) == 1, "has bounds of different types")
    _support(len({each.shape for each in given}) == 1, "Slice of this form")
    rank, count = len(x.shape), len(starts.sizes)
    _require(axes is not None or count <= rank, f"slices {count} axes of a tensor of rank {rank}")
    places = [*range(count)] if axes is None else _axes(axes.integers, rank)
    jumps = [1] * count if steps is None else steps.integers
    _require(0 not in jumps, "has a step of 0")
    shape = [*x.shape]
    for axis, start, end, step in zip(places, starts.sizes, ends.sizes, jumps):
        if x.shape[axis] == POSITIONS:
            _support((start, step) == (0, 1), "operators across the batch")
        else:
            _support(POSITIONS not in (start, end), "operators across the batch")
        shape[axis] = len(range(*slice(start, end, step).indices(x.shape[axis])))
    return _moved("Slice", attributes, shape, x, starts, ends, axes, steps)  # type: ignore[arg-type]


def _indices(index: Tensor, sizes: Sequence[int]) -> None:
    """Refuse indices out of range; their last dimension has one index for each size."""
    _support(index.value is not None, "indices that are not constant")
    assert index.value is not None
    _support(POSITIONS not in index.value, "operators across the batch")
    inside = (index.value >= np.negative(sizes)) & (index.value < sizes)
    if not inside.all():
        raise Invalid(f"has indices beyond {written(sizes)}")


def _gather(attributes: Any, x: Tensor, index: Tensor) -> Tensor:
    _require(index.dtype in _INTEGERS, f"has indices of type {index.dtype}, not int64")
    axis = _axis(attributes.get("axis", 0), len(x.shape))
    _single(axis, x.shape)
    _indices(index, x.shape[axis : axis + 1])
    shape = (*x.shape[:axis], *index.shape, *x.shape[axis + 1 :])
    return _moved("Gather", attributes, shape, x, index)


def _gather_nd(attributes: Any, x: Tensor, index: Tensor) -> Tensor:
    _require(index.dtype == INT64, f"has indices of type {index.dtype}, not int64")
    depth = index.shape[-1] if index.shape else 0
    _require(1 <= depth <= len(x.shape), f"has {depth} indices for {len(x.shape)} axes")
    _support(POSITIONS not in x.shape[:depth], "operators across the batch")
    _indices(index, x.shape[:depth])
    return _moved("GatherND", attributes, (*index.shape[:-1], *x.shape[depth:]), x, index)


def _broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape to which these shapes broadcast."""
    sizes = []
    for column in itertools.zip_longest(*map(reversed, shapes), fillvalue=1):
        wide = {size for size in column if size != 1} or {1}
        if not (len(wide) == 1):
            raise Invalid(f"cannot broadcast {' and '.join(map(written, shapes))}")
        sizes.append(wide.pop())
    return tuple(sizes[::-1])


def _expand(attributes: Any, x: Tensor, shape: Tensor) -> Tensor:
    _require(shape.dtype == INT64, f"has a shape of type {shape.dtype}, not int64")
    _support(min(shape.sizes, default=1) > 0, "empty tensors")
    return _moved("Expand", attributes, _broadcast(x.shape, tuple(shape.sizes)), x, shape)


def _literal(attributes: Any) -> Tensor:
    _require(len(attributes) == 1, f"has {len(attributes)} values")
    ((name, value),) = attributes.items()
    if name == "value":
        return tensor_of(read_constant(value))
    return tensor_of(np.array(value, INT64 if name.startswith("value_int") else FLOAT32))


def _cast(attributes: Any, x: Tensor) -> Tensor:
    kind = ELEMENTS.get(attributes.get("to", 0))
    _support(x.constant and kind is not None and kind != "<f2", "Cast of this form")
    value = x.value if kind in ("<i4", "<i8") else None
    if x.value is not None and value is None:
        _support(POSITIONS not in x.value, "operators across the batch")
    if value is not None:
        value = CONSTANTS["Cast"](attributes, value)
    return Tensor(np.dtype(kind), x.shape, True, value)


def _max(attributes: Any, *parts: Tensor) -> Tensor:
    _support(all(part.constant for part in parts), "Max of this form")
    _require(len({part.dtype for part in parts}) == 1, "has inputs of different types")
    _support(parts[0].dtype.kind != "b", "Max of this form")
    values = [part.value for part in parts]
    for each in values if len(parts) > 1 else ():
        _support(each is None or POSITIONS not in each, "operators across the batch")
    value = CONSTANTS["Max"](attributes, *values) if all(v is not None for v in values) else None
    return Tensor(parts[0].dtype, _broadcast(*(part.shape for part in parts)), True, value)


def _numbers(kind: str, *inputs: Tensor | None) -> None:
    """Refuse types other than float32."""
    types = [each.dtype for each in inputs if each is not None]
    _require(len({*types}) == 1, f"mixes {' and '.join(map(str, types))}")
    _support(types[0] == FLOAT32, f"{kind} of {types[0]}")


def _product(x: Tensor, *weights: Tensor | None) -> None:
    """Refuse products other than of the numbers of a position by constants."""
    constant = all(each.constant for each in weights if each is not None)
    _support(not x.constant and constant, "products of this form")


def _conv(attributes: Any, x: Tensor, w: Tensor, bias: Tensor | None = None) -> Tensor:
    _numbers("Conv", x, w, bias)
    rank, group = len(x.shape), attributes.get("group", 1)
    _require(rank == len(w.shape), f"has weights of rank {len(w.shape)} for rank {rank}")
    _support(rank == 4 and group == 1, "Conv of this form")
    channels, taps = w.shape[1], [*w.shape[2:]]
    _require(
        x.shape[1] == channels, f"has weights for {channels} channels of a tensor of {x.shape[1]}"
    )
    if attributes.get("kernel_shape", taps) != taps:
        raise Invalid(f"has weights of shape {written(w.shape)} for another kernel")
    _require(bias is None or bias.shape == w.shape[:1], f"has no bias of length {w.shape[0]}")
    _product(x, w, bias)
    pads = attributes.get("pads", [0] * 4)
    usual = [attributes.get(name, [1, 1]) for name in ("strides", "dilations")] == [[1, 1]] * 2
    _support(usual and len(pads) == 4 and len({*pads}) == 1 and pads[0] >= 0, "Conv of this form")
    rows, columns = (size + 2 * pads[0] - k + 1 for size, k in zip(x.shape[2:], taps))
    _support(x.shape[0] == POSITIONS and min(rows, columns) > 0, "Conv of this form")
    return Tensor(FLOAT32, (POSITIONS, w.shape[0], rows, columns), False)


def _gemm(attributes: Any, x: Tensor, w: Tensor, bias: Tensor | None = None) -> Tensor:
    _numbers("Gemm", x, w, bias)
    ranks = len(x.shape), len(w.shape)
    _require(ranks == (2, 2), f"multiplies tensors of ranks {ranks[0]} and {ranks[1]}")
    _support(not attributes.get("transA") and x.shape[0] == POSITIONS, "Gemm of this form")
    inputs, outputs = w.shape[::-1] if attributes.get("transB") else w.shape
    shape = _multiplied(x, inputs, outputs)
    if bias is not None:
        fits = len(bias.shape) <= 2 and all(s in (1, outputs) for s in bias.shape[-1:])
        if not fits:
            raise Invalid(f"has a bias of shape {written(bias.shape)} for {outputs} numbers")
        _support(bias.shape[:-1] in ((), (1,)), "Gemm of this form")
    _product(x, w, bias)
    return Tensor(FLOAT32, shape, False)


def _matmul(attributes: Any, x: Tensor, w: Tensor) -> Tensor:
    _numbers("MatMul", x, w)
    _product(x, w)
    plain = (len(x.shape), len(w.shape)) == (2, 2) and x.shape[0] == POSITIONS
    _support(plain, "MatMul of this form")
    return Tensor(FLOAT32, _multiplied(x, *w.shape), False)


def _multiplied(x: Tensor, inputs: int, outputs: int) -> tuple[int, int]:
    _require(x.shape[1] == inputs, f"has weights for {inputs} inputs, not for {x.shape[1]}")
    return POSITIONS, outputs


def _normalisation(attributes: Any, x: Tensor, *channels: Tensor) -> Tensor:
    _numbers("BatchNormalization", x, *channels)
    _support(len(x.shape) > 1 and x.shape[0] == POSITIONS, "BatchNormalization of this form")
    for each in channels:
        if each.shape != x.shape[1:2]:
            raise Invalid(f"has {written(each.shape)} for {x.shape[1]} channels")
    _product(x, *channels)
    return x


def _pool(attributes: Any, x: Tensor, axes: Tensor | None = None) -> Tensor:
    _numbers("Reduce", x)
    _require(axes is None or axes.dtype == INT64, "has axes of a type other than int64")
    named = attributes.get("axes", []) if axes is None else axes.integers
    rank = len(x.shape)
    places = _axes(named, rank)
    plain = rank == 4 and sorted(places) == [2, 3] and x.shape[0] == POSITIONS
    _support(plain and not x.constant, "pooling of this form")
    return Tensor(FLOAT32, (*x.shape[:2], *[1, 1] * bool(attributes.get("keepdims", 1))), False)


def _softmax(attributes: Any, x: Tensor) -> Tensor:
    _numbers("Softmax", x)
    axis = _axis(attributes.get("axis", -1), len(x.shape))
    _single(axis, x.shape)
    _support(math.prod(x.shape) == POSITIONS * x.shape[axis], "Softmax of this form")
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
