"""ONNX files, read without the package onnx: the parts of the format that policy files use.

A file is a message in the wire format of protocol buffers: fields, each a number, a wire type and a
value. https://protobuf.dev/programming-guides/encoding and ``onnx.proto`` of ONNX describe both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

FLOAT = 1
_ELEMENTS = {FLOAT: "<f4", 6: "<i4", 7: "<i8", 9: "?", 10: "<f2"}  # of tensors, by their type
_Fields = dict[int, list[Any]]


class Node(NamedTuple):
    """An operator: its domain and name, names of tensors, attributes."""

    domain: str
    op_type: str
    input: Sequence[str]
    output: Sequence[str]
    attributes: dict[str, Any]


class Model(NamedTuple):
    """What a file holds.

    Attributes:
        metadata: texts, encoded in UTF-8.
        inputs: name, type of elements and size of each dimension, 0 where it is not fixed.
        outputs: names.
        constants: by name, for :func:`read_tensor`.
        nodes: the operators in the order in which they are carried out.
        opset: the version of ONNX's own operators.
    """

    metadata: dict[bytes, bytes]
    inputs: list[tuple[str, int, list[int]]]
    outputs: list[str]
    constants: dict[str, bytes | np.ndarray]
    nodes: list[Node]
    opset: int


def read_model(data: bytes) -> Model:
    """The content of an ONNX file; any exception says that it is none, or a damaged one."""
    model = _fields(data)
    graph = _fields(model[7][-1])
    constants: dict[str, bytes | np.ndarray] = {
        _text(_fields(tensor), 8): tensor for tensor in graph.get(5, [])
    }
    inputs = []
    for entry in map(_fields, graph[11]):
        if _text(entry) in constants:
            continue
        tensor = _fields(_fields(entry[2][-1])[1][-1])
        sizes = map(_fields, _fields(tensor[2][-1]).get(1, []))
        inputs.append((_text(entry), tensor[1][-1], [_last(size, 1, 0) for size in sizes]))
    opsets = {_text(entry): entry[2][-1] for entry in map(_fields, model.get(8, []))}
    return Model(
        {_last(e, 1, b""): _last(e, 2, b"") for e in map(_fields, model.get(14, []))},
        inputs,
        [_text(_fields(entry)) for entry in graph[12]],
        constants,
        [_node(_fields(node)) for node in graph.get(1, [])],
        opsets.get("", 0),
    )


def read_tensor(data: bytes | np.ndarray) -> np.ndarray:
    """The array of a tensor; KeyError where its type is another, or its data lie elsewhere."""
    if isinstance(data, np.ndarray):
        return data
    tensor = _fields(data)
    array = np.frombuffer(tensor[9][-1], _ELEMENTS[tensor[2][-1]])
    return array.reshape(_integers(tensor.get(1, [])))


def _node(node: _Fields) -> Node:
    attributes = dict(_attribute(_fields(each)) for each in node.get(5, []))
    inputs, outputs = ([name.decode() for name in node.get(field, [])] for field in (1, 2))
    return Node(_text(node, 7), _text(node, 4), inputs, outputs, attributes)


def _attribute(attribute: _Fields) -> tuple[str, Any]:
    """Name and value; a tensor is for :func:`read_tensor`, other types stay fields."""
    floats = (np.frombuffer(b"".join(attribute.get(each, [])), "<f4").tolist() for each in (2, 7))
    values = {
        1: [0.0, *next(floats)][-1],
        2: _integers(attribute.get(3, [0]))[-1],
        3: _last(attribute, 4, b""),
        4: _last(attribute, 5, b""),
        6: next(floats),
        7: _integers(attribute.get(8, [])),
    }
    return _text(attribute), values.get(_last(attribute, 20, 0), attribute)


def _last(fields: _Fields, number: int, default: Any) -> Any:
    return fields.get(number, [default])[-1]


def _text(fields: _Fields, number: int = 1) -> str:
    return str(_last(fields, number, b"").decode())


def _integers(values: list[Any]) -> list[int]:
    """Repeated numbers with a sign: one a field, or many."""
    numbers: list[int] = []
    for value in values:
        place, packed = 0, value if isinstance(value, bytes) else b""
        numbers += [] if packed is value else [value]
        while place < len(packed):
            number, place = _varint(packed, place)
            numbers.append(number)
    return [number - (1 << 64) if number >> 63 else number for number in numbers]


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """A number, seven bits a byte, and the place after it."""
    number = 0
    for shift in range(0, 70, 7):
        byte = data[place + shift // 7]
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, place + shift // 7 + 1
    raise ValueError("a number of more than 64 bits")


def _fields(data: bytes) -> _Fields:
    """The fields of a message by number: integers, or bytes."""
    fields: _Fields = {}
    place = 0
    while place < len(data):
        tag, place = _varint(data, place)
        value: Any
        if tag & 7 == 0:
            value, place = _varint(data, place)
        else:
            length = {1: 8, 5: 4}.get(tag & 7)
            if tag & 7 == 2:
                length, place = _varint(data, place)
            if length is None or place + length > len(data):
                raise ValueError("the message ends within a field")
            value, place = data[place : place + length], place + length
        fields.setdefault(tag >> 3, []).append(value)
    return fields
