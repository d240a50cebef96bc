"""An agent for Kaggle's ConnectX that plays a policy network; numpy is all that it needs.

This file is also the pattern of exported ones: there MODEL holds the network.
"""

import base64
import io
import json
import zlib
from typing import Any

import numpy as np

MODEL = ""


def _conv(values: Any, weights: Any, *bias: Any, pads: Any, **rest: Any) -> Any:
    """A convolution with strides of 1, as a sum over the places of its window."""
    top, left, bottom, right = pads
    padded = np.pad(values, ((0, 0), (0, 0), (top, bottom), (left, right)))
    height = padded.shape[2] - weights.shape[2] + 1
    width = padded.shape[3] - weights.shape[3] + 1
    total = np.zeros((len(values), len(weights), height, width), np.float32)
    for row in range(weights.shape[2]):
        for column in range(weights.shape[3]):
            part = padded[:, :, row : row + height, column : column + width]
            total += np.einsum("nchw,oc->nohw", part, weights[:, :, row, column])
    return total + bias[0][:, None, None] if bias else total


def _gemm(
    left: Any,
    right: Any,
    *bias: Any,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,
    transB: int = 0,
) -> Any:
    product = alpha * (left.T if transA else left) @ (right.T if transB else right)
    return product + beta * bias[0] if bias else product


def _reshape(values: Any, shape: Any, allowzero: int = 0) -> Any:
    if not allowzero:
        shape = [values.shape[axis] if size == 0 else size for axis, size in enumerate(shape)]
    return values.reshape(shape)


def _slice(values: Any, starts: Any, ends: Any, axes: Any = None, steps: Any = None) -> Any:
    axes = range(len(starts)) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    slices = [slice(None)] * values.ndim
    for axis, start, end, step in zip(axes, starts, ends, steps):
        slices[axis] = slice(int(start), int(end), int(step))
    return values[tuple(slices)]


def _unsqueeze(values: Any, axes: Any) -> Any:
    for axis in sorted(int(axis) for axis in axes):
        values = np.expand_dims(values, axis)
    return values


def _reduce(function: Any) -> Any:
    def reduce(values: Any, axes: Any = None, keepdims: int = 1, **rest: Any) -> Any:
        over = None if axes is None else tuple(int(axis) for axis in axes)
        return function(values, axis=over, keepdims=bool(keepdims))

    return reduce


def _softmax(values: Any, axis: int = -1) -> Any:
    weights = np.exp(values - values.max(axis=axis, keepdims=True))
    return weights / weights.sum(axis=axis, keepdims=True)


OPERATORS: dict[str, Any] = {
    "Add": lambda left, right: left + right,
    "Sub": lambda left, right: left - right,
    "Mul": lambda left, right: left * right,
    "Div": lambda left, right: left / right,
    "Relu": lambda values: np.maximum(values, 0),
    "Tanh": np.tanh,
    "Sigmoid": lambda values: 1 / (1 + np.exp(-values)),
    "Softmax": _softmax,
    "MatMul": lambda left, right: left @ right,
    "Gemm": _gemm,
    "Conv": _conv,
    "Cast": lambda values, to: values.astype({1: np.float32, 7: np.int64, 10: np.float32}[to]),
    "Identity": lambda values: values,
    "Shape": lambda values, start=0, end=None: np.array(values.shape[start:end]),
    "Reshape": _reshape,
    "Flatten": lambda values, axis=1: values.reshape(int(np.prod(values.shape[:axis])), -1),
    "Squeeze": lambda values, axes=None: np.squeeze(
        values, None if axes is None else tuple(int(axis) for axis in axes)
    ),
    "Unsqueeze": _unsqueeze,
    "Transpose": lambda values, perm: values.transpose(perm),
    "Concat": lambda *values, axis: np.concatenate(values, axis),
    "Slice": _slice,
    "Gather": lambda values, index, axis=0: np.take(values, index, axis),
    "ReduceMean": _reduce(np.mean),
    "ReduceMax": _reduce(np.max),
}


def read_model(text: str) -> Any:
    """The nodes and the weights of a model."""
    nodes, weights = text.split(".")
    arrays = np.load(io.BytesIO(base64.b64decode(weights)))
    return json.loads(zlib.decompress(base64.b64decode(nodes))), {
        name: arrays[name].astype(np.float32) if arrays[name].dtype == np.float16 else arrays[name]
        for name in arrays.files
    }


def logits_of(model: Any, planes: Any) -> Any:
    """The network's logits for planes of shape (rows, columns, 2)."""
    nodes, weights = model
    values = dict(weights, observation=planes[None].astype(np.float32))
    for operator, inputs, output, attributes in nodes:
        arguments = [values[name] for name in inputs]
        values[output] = OPERATORS[operator](*arguments, **attributes)
    return values["logits"][0]


_models: list[Any] = []


def agent(observation: Any, configuration: Any) -> int:
    """The most probable column that is not full."""
    if not _models:
        _models.append(read_model(MODEL))
    board = np.array(observation["board"]).reshape(configuration["rows"], configuration["columns"])
    planes = np.stack([board == observation["mark"], board == 3 - observation["mark"]], axis=2)
    logits = logits_of(_models[0], planes)
    return int(np.where(board[0] == 0, logits, -np.inf).argmax())
