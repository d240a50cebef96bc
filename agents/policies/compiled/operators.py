"""The ONNX operators that numpy computes while a graph is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import evaluation as e
from .model_file import read_tensor

OPSETS = range(13, 27)  # opsets in which everything that is read means the same
INTS, FLOATS = "ints", "floats"  # lists of numbers
_Attribute = tuple[Any, range, Any]


def _attribute(
    form: Any, since: int = 0, until: int = OPSETS.stop, usual: Any = None
) -> _Attribute:
    return form, range(since, until), usual


_REDUCE = {
    "axes": _attribute(INTS, until=18),  # an input since then
    "keepdims": _attribute(int),
    "noop_with_empty_axes": _attribute(int, since=18, usual=0),
}
# the attributes of each operator that are read: their form, the opsets that have them, and the only
# supported value, if there is one
ATTRIBUTES: dict[str, dict[str, _Attribute]] = {
    "Add": {},
    "BatchNormalization": {
        "epsilon": _attribute(float),
        "momentum": _attribute(float),
        "training_mode": _attribute(int, since=14, usual=0),
    },
    "Cast": {"to": _attribute(int), "saturate": _attribute(int, since=19)},
    "Concat": {"axis": _attribute(int)},
    "Constant": {
        "value": _attribute(bytes),
        "value_float": _attribute(float),
        "value_floats": _attribute(FLOATS),
        "value_int": _attribute(int),
        "value_ints": _attribute(INTS),
    },
    "Conv": {
        "auto_pad": _attribute(bytes, usual=b"NOTSET"),
        "dilations": _attribute(INTS),
        "group": _attribute(int),
        "kernel_shape": _attribute(INTS),
        "pads": _attribute(INTS),
        "strides": _attribute(INTS),
    },
    "Expand": {},
    "Flatten": {"axis": _attribute(int)},
    "Gather": {"axis": _attribute(int)},
    "GatherND": {"batch_dims": _attribute(int, usual=0)},
    "Gemm": {
        "alpha": _attribute(float, usual=1.0),
        "beta": _attribute(float, usual=1.0),
        "transA": _attribute(int),
        "transB": _attribute(int),
    },
    "Identity": {},
    "MatMul": {},
    "Max": {},
    "Mul": {},
    "ReduceMax": _REDUCE,
    "ReduceMean": _REDUCE,
    "Relu": {},
    "Reshape": {"allowzero": _attribute(int, since=14)},
    "Shape": {"start": _attribute(int, since=15), "end": _attribute(int, since=15)},
    "Sigmoid": {},
    "Slice": {},
    "Softmax": {"axis": _attribute(int)},
    "Squeeze": {},
    "Sub": {},
    "Tanh": {},
    "Transpose": {"perm": _attribute(INTS)},
    "Unsqueeze": {},
}


def is_of(form: Any, value: Any) -> bool:
    """Whether the value of an attribute has a form."""
    if form in (INTS, FLOATS):
        kind = int if form == INTS else float
        return type(value) is list and all(type(each) is kind for each in value)
    return type(value) is form


def as_computed(array: np.ndarray) -> np.ndarray:
    """Constants in the types used for computing."""
    return array.astype(np.float32) if array.dtype == np.float16 else array


def _slice(
    attributes: Any, x: np.ndarray, starts: Any, ends: Any, axes: Any = None, steps: Any = None
) -> np.ndarray:
    index = [slice(None)] * x.ndim
    axes = range(len(starts)) if axes is None else axes
    for place, axis in enumerate(axes):
        step = 1 if steps is None else int(steps[place])
        index[axis] = slice(int(starts[place]), int(ends[place]), step)
    return x[tuple(index)]


def _reshape(attributes: Any, x: np.ndarray, shape: np.ndarray) -> np.ndarray:
    sizes = [
        x.shape[axis] if size == 0 and not attributes.get("allowzero") else int(size)
        for axis, size in enumerate(shape)
    ]
    return x.reshape(sizes)


def _squeeze(attributes: Any, x: np.ndarray, axes: Any = None) -> np.ndarray:
    return np.squeeze(x, None if axes is None else tuple(np.atleast_1d(axes).tolist()))


def _expand(attributes: Any, x: np.ndarray, shape: np.ndarray) -> np.ndarray:
    return np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(shape.tolist())))


# operators that only move numbers, in tensors and in arrays of indices
MOVES: dict[str, Callable[..., Any]] = {
    "Transpose": lambda attributes, x: x.transpose(attributes.get("perm")),
    "Reshape": _reshape,
    "Flatten": lambda attributes, x: x.reshape(
        int(np.prod(x.shape[: attributes.get("axis", 1)])), -1
    ),
    "Squeeze": _squeeze,
    "Unsqueeze": lambda attributes, x, axes: np.expand_dims(x, tuple(np.atleast_1d(axes).tolist())),
    "Concat": lambda attributes, *parts: np.concatenate(parts, axis=attributes["axis"]),
    "Slice": _slice,
    "Gather": lambda attributes, x, index: np.take(x, index, attributes.get("axis", 0)),
    "GatherND": lambda attributes, x, index: x[tuple(np.moveaxis(index, -1, 0))],
    "Expand": _expand,
}


def _constant(attributes: Any) -> np.ndarray:
    (value,) = attributes.values()
    return read_tensor(value) if isinstance(value, bytes) else np.array(value)


_TYPES = {1: np.float32, 6: np.int32, 7: np.int64, 9: np.bool_}
CONSTANTS: dict[str, Callable[..., Any]] = {
    "Constant": _constant,
    "Cast": lambda attributes, x: x.astype(_TYPES[attributes["to"]]),
    "Max": lambda attributes, *parts: np.maximum.reduce(parts),
}
FUNCTIONS = {
    "Add": e.ADD,
    "Sub": e.SUB,
    "Mul": e.MUL,
    "Relu": e.RELU,
    "Sigmoid": e.SIGMOID,
    "Tanh": e.TANH,
}
