"""Inference of all types and shapes of a graph, before a kernel reads any of its tensors.

It accepts only graphs that onnxruntime evaluates too, for any number of positions, each
independently.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .model_file import ELEMENTS, Model, Node, Refused
from .operators import ATTRIBUTES, OPSETS, is_of
from .shapes import (
    BATCH,
    FLOAT32,
    RULES,
    Invalid,
    Tensor,
    Unsupported,
    depends_on_batch,
    read_constant,
    tensor_of,
    written,
)

FORMATS = range(4, 14)  # IR versions in which everything that is read means the same
MOST_NUMBERS = 1 << 25  # computed by a graph for one position


def infer(model: Model, num_actions: int) -> tuple[dict[str, np.ndarray], dict[str, Tensor]]:
    """The constants of a graph, and the inferred type and shape of each tensor, by name.

    Raises:
        Invalid: the graph is wrong, or does not return ``logits`` (positions, actions) and
            ``value`` (positions,), float32.
        Unsupported: it has something that is not inferred.
        Refused: it computes too much.
    """
    if model.opset not in OPSETS:
        raise Unsupported(f"opset {model.opset}")
    if model.ir_version not in FORMATS:
        raise Unsupported(f"IR version {model.ir_version}")
    ((observation, _, (positions, *sizes)),) = model.inputs
    if positions >= 0:
        raise Invalid(f"its batch size is fixed at {positions}")
    read = {*model.outputs, *(name for node in model.nodes for name in node.input)}
    constants = {}
    for name in read.intersection(model.constants):
        try:
            constants[name] = read_constant(model.constants[name])
        except Invalid as fault:
            raise Invalid(f"its constant {name!r} {fault}") from None
    tensors = {name: tensor_of(array) for name, array in constants.items()}
    tensors[observation] = Tensor(FLOAT32, (BATCH, *sizes), False)
    for name, (kind, declared) in model.declared.items():
        given = constants[name].shape if name in constants else None
        if declared is not None and (given is None or not _fits(declared, given)):
            raise Unsupported("constants that are inputs of a different shape")
        if name in tensors and tensors[name].dtype != ELEMENTS.get(kind):
            raise Unsupported("tensors whose type differs from its declaration")
    needed, left = {*model.outputs}, MOST_NUMBERS
    for node in reversed(model.nodes):
        needed.update(node.input if needed.intersection(node.output) else ())
    for node in model.nodes:
        try:
            tensor = _infer_node(model, node, tensors)
        except Invalid:
            if needed.isdisjoint(node.output):
                raise Unsupported("invalid nodes, even unused") from None
            raise
        (name,) = node.output
        if name in model.declared and ELEMENTS.get(model.declared[name][0]) != tensor.dtype:
            raise Unsupported("tensors whose type differs from its declaration")
        tensors[name] = tensor
        left -= math.prod(tensor.shape) // (BATCH if BATCH in tensor.shape else 1)
        if left < 0:
            raise Refused(f"it computes more than {MOST_NUMBERS:,} numbers for a position")
    wanted: dict[str, tuple[int, ...]] = {"logits": (num_actions,), "value": ()}
    for name, shape in wanted.items():
        if tensors[name][:2] != (FLOAT32, (BATCH, *shape)):
            raise Invalid(
                f"its {name} has shape {written(tensors[name].shape)} ({tensors[name].dtype}), "
                f"not {written((BATCH, *shape))} (float32)"
            )
    return constants, tensors


def _fits(declared: Sequence[int], shape: Sequence[int]) -> bool:
    free = (given if size < 0 else size for size, given in zip(declared, shape))
    return len(declared) == len(shape) and [*free] == [*shape]


def _infer_node(model: Model, node: Node, tensors: dict[str, Tensor]) -> Tensor:
    """The inferred type and shape of a node's output."""
    kind = node.op_type
    if kind not in ATTRIBUTES:
        raise Unsupported(kind)
    unusual = Unsupported(f"{kind} of this form")
    for name, value in node.attributes.items():
        form, opsets, usual = ATTRIBUTES[kind].get(name, (None, OPSETS, None))
        if not is_of(form, value) or model.opset not in opsets or usual not in (None, value):
            raise unusual
    if len(node.output) != 1 or not node.output[0]:
        raise unusual
    rule, least, most = RULES[kind]
    if "axes" in ATTRIBUTES[kind] and model.opset in ATTRIBUTES[kind]["axes"][1]:
        most = 1
    given, needed = node.input, f"{kind} {node.output[0]!r}"
    if not least <= len(given) <= most:
        raise Invalid(f"its {needed} has {len(given)} inputs, not {least} to {most:g}")
    if "" in given[:least]:
        raise unusual
    for name in given:
        if name and name not in tensors:
            if any(name in other.output for other in model.nodes):
                raise Unsupported("nodes that are not in execution order")
            raise Invalid(f"its {needed} reads {name!r}, which no node returns")
    if node.output[0] in tensors:
        raise Invalid(f"two of its nodes return {node.output[0]!r}")
    try:
        tensor = rule(node.attributes, *(tensors[name] if name else None for name in given))
    except Unsupported as error:
        text = str(error)
        raise type(error)(f"its {needed} {text}" if isinstance(error, Invalid) else text) from None
    return _checked(kind, tensor)


def _checked(kind: str, tensor: Tensor) -> Tensor:
    """The tensor, if it is not empty and keeps the numbers of each position apart."""
    several = [size for size in tensor.shape if depends_on_batch(size)]
    if 0 in several:
        raise Unsupported("empty tensors")
    if several not in ([BATCH], [] if tensor.constant else [BATCH]):
        raise Unsupported(f"{kind} across the batch")
    return tensor._replace(value=None) if several else tensor
