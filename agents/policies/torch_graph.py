"""The graph of a policy file as a module of torch, for devices; importing this file imports torch.

It computes what the compiled kernel computes, up to the rounding of float32, for the same files:
see :mod:`.compiled.inference`. Sizes and indices are arrays of numpy, numbers are tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from ...envs.game import Game
from .compiled.inference import infer
from .compiled.model_file import Model, Node, Refused
from .compiled.operators import CONSTANTS, MOVES, as_computed
from .compiled.shapes import Unsupported

OUTPUTS = "logits", "value"
_INDEXED = ("Gather", "GatherND")  # their second input holds indices


def _shape(attributes: Any, x: Any) -> np.ndarray:
    return np.array(x.shape[attributes.get("start", 0) : attributes.get("end")], np.int64)


_OF_ARRAYS = MOVES | CONSTANTS | {"Identity": lambda attributes, x: x, "Shape": _shape}


def _slice(
    attributes: Any, x: torch.Tensor, starts: Any, ends: Any, axes: Any = None, steps: Any = None
) -> torch.Tensor:
    axes = range(len(starts)) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    for start, end, axis, step in zip(starts, ends, axes, steps):
        size = x.shape[axis]
        kept = range(size)[int(start) : int(end) : int(step)]
        if step > 0:
            x = x[(slice(None),) * (axis % x.ndim) + (slice(kept.start, kept.stop, kept.step),)]
        else:
            x = x.index_select(axis, torch.tensor(kept, device=x.device))
    return x


def _reshape(attributes: Any, x: torch.Tensor, shape: Any) -> torch.Tensor:
    sizes = [x.shape[axis] if size == 0 else int(size) for axis, size in enumerate(shape)]
    return x.reshape(sizes)


def _unsqueeze(attributes: Any, x: torch.Tensor, axes: Any) -> torch.Tensor:
    for axis in sorted(int(axis) % (x.ndim + len(axes)) for axis in axes):
        x = x.unsqueeze(axis)
    return x


def _squeeze(attributes: Any, x: torch.Tensor, axes: Any = None) -> torch.Tensor:
    return x.squeeze() if axes is None else x.squeeze(tuple(map(int, axes)))


def _gather(attributes: Any, x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return x[(slice(None),) * (attributes.get("axis", 0) % x.ndim) + (index,)]


def _convolve(
    attributes: Any, x: torch.Tensor, weights: torch.Tensor, bias: torch.Tensor | None = None
) -> torch.Tensor:
    return functional.conv2d(x, weights, bias, padding=attributes.get("pads", [0])[0])


def _multiply(
    attributes: Any, x: torch.Tensor, weights: torch.Tensor, bias: torch.Tensor | None = None
) -> torch.Tensor:
    product = x @ (weights.T if attributes.get("transB") else weights)
    return product if bias is None else product + bias


def _normalise(attributes: Any, x: torch.Tensor, *channels: torch.Tensor) -> torch.Tensor:
    scale, shift, mean, variance = channels
    epsilon = attributes.get("epsilon", 1e-5)
    return functional.batch_norm(x, mean, variance, scale, shift, eps=epsilon)


def _keeps(attributes: Any) -> bool:
    return bool(attributes.get("keepdims", 1))


# in the order of ONNX's inputs, as in `shapes.RULES`
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "Add": lambda attributes, a, b: a + b,
    "BatchNormalization": _normalise,
    "Concat": lambda attributes, *parts: torch.cat(parts, attributes["axis"]),
    "Conv": _convolve,
    "Expand": lambda attributes, x, shape: x.expand(np.broadcast_shapes(x.shape, tuple(shape))),
    "Flatten": lambda attributes, x: x.reshape(
        int(np.prod(x.shape[: attributes.get("axis", 1)])), -1
    ),
    "Gather": _gather,
    "GatherND": lambda attributes, x, index: x[tuple(index.movedim(-1, 0))],
    "Gemm": _multiply,
    "Identity": lambda attributes, x: x,
    "MatMul": _multiply,
    "Mul": lambda attributes, a, b: a * b,
    "ReduceMax": lambda attributes, x, axes=None: x.amax((2, 3), _keeps(attributes)),
    "ReduceMean": lambda attributes, x, axes=None: x.mean((2, 3), _keeps(attributes)),
    "Relu": lambda attributes, x: x.relu(),
    "Reshape": _reshape,
    "Shape": _shape,
    "Sigmoid": lambda attributes, x: x.sigmoid(),
    "Slice": _slice,
    "Softmax": lambda attributes, x: x.softmax(attributes.get("axis", -1)),
    "Squeeze": _squeeze,
    "Sub": lambda attributes, a, b: a - b,
    "Tanh": lambda attributes, x: x.tanh(),
    "Transpose": lambda attributes, x: x.permute(attributes.get("perm", [*range(x.ndim)][::-1])),
    "Unsqueeze": _unsqueeze,
}


class TorchGraph(torch.nn.Module):
    """A graph as a function of observations, float32 (N, rows, columns, planes).

    It returns logits (N, num_actions) and values (N,).

    Args:
        model: the content of a policy file.
        num_actions: the number of logits.

    Raises:
        Refused, Invalid, Unsupported: as :func:`.compiled.inference.infer`.
    """

    def __init__(self, model: Model, num_actions: int) -> None:
        super().__init__()
        constants, _ = infer(model, num_actions)
        ((self._input, _, _),) = model.inputs
        self._nodes: list[Node] = []
        self._arrays: dict[str, np.ndarray] = {
            name: as_computed(array) for name, array in constants.items()
        }
        for node in model.nodes:
            value = self._folded(node)
            if value is None:
                self._nodes.append(node)
            else:
                self._arrays[node.output[0]] = value
        read = {*OUTPUTS, *(name for node in self._nodes for name in node.input)}
        indices = {node.input[1] for node in self._nodes if node.op_type in _INDEXED}
        self._tensors: dict[str, str] = {}  # the buffer of each constant that is a tensor
        for number, name in enumerate(sorted(read.intersection(self._arrays))):
            array = self._arrays[name]
            if array.dtype == np.float32 or name in indices:
                self._tensors[name] = f"constant_{number}"
                self.register_buffer(self._tensors[name], torch.from_numpy(array.copy()))

    def _folded(self, node: Node) -> np.ndarray | None:
        """What a node makes of constants; None if it has other inputs, or torch computes it."""
        names = [name for name in node.input if name]
        if node.op_type not in _OF_ARRAYS or not self._arrays.keys() >= {*names}:
            return None
        arrays = [self._arrays[name] if name else None for name in node.input]
        value = np.asarray(_OF_ARRAYS[node.op_type](node.attributes, *arrays))
        return value.astype(np.float32) if value.dtype.kind == "f" else value

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (N, num_actions) and values (N,)."""
        values: dict[str, Any] = {**self._arrays, self._input: observations}
        values.update((name, getattr(self, buffer)) for name, buffer in self._tensors.items())
        for node in self._nodes:
            inputs = [values[name] if name else None for name in node.input]
            of_tensors = any(isinstance(each, torch.Tensor) for each in inputs)
            function = (_FUNCTIONS if of_tensors else _OF_ARRAYS)[node.op_type]
            values[node.output[0]] = function(node.attributes, *inputs)
        logits, value = (values[name] for name in OUTPUTS)
        return logits, value


def module_of(model: Model, game: Game) -> TorchGraph | None:
    """The graph of a policy file for a game; None: only onnxruntime evaluates it."""
    try:
        return TorchGraph(model, game.facts.num_actions)
    except (Unsupported, Refused):
        return None
