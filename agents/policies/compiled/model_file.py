"""ONNX files, read without the package onnx: the parts of the format that policy files use.

A file is a message in the wire format of protocol buffers: fields, each a number, a wire type and a
value. https://protobuf.dev/programming-guides/encoding and ``onnx.proto`` of ONNX describe both.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

FLOAT = 1
ELEMENTS = {FLOAT: "<f4", 6: "<i4", 7: "<i8", 9: "?", 10: "<f2"}  # of tensors, by their type
MOST_BYTES = 256 << 20  # of a file, and of its parameters
MOST_NODES = 5_000
WIDEST = 16  # the most bytes of a tensor element
_DOMAINS = ("", "ai.onnx")  # of ONNX's own operators
_FIELDS = {1: 2, 2: 3, 3: 4, 4: 5, 6: 7, 7: 8}  # the fields of attribute values, by attribute type
_LENGTHS = {1: 8, 5: 4}  # the lengths of values, by wire type
_Fields = dict[int, list[Any]]


class Refused(Exception):
    """The file is an ONNX file, but is not evaluated; the text says why."""


class Node(NamedTuple):
    """An operator: its domain and name, names of tensors, attributes."""

    domain: str
    op_type: str
    input: Sequence[str]
    output: Sequence[str]
    attributes: dict[str, Any]


class Model(NamedTuple):
    """The content of a model file.

    Attributes:
        metadata: texts, encoded in UTF-8.
        inputs: name, element type and size of each dimension, negative if it is not fixed.
        outputs: names.
        constants: by name, for :func:`read_tensor`.
        nodes: the operators in execution order.
        opset: the version of ONNX's own operators.
        ir_version: the version of the format.
        declared: the declarations of tensors: the element type, 0 if it is not a tensor, and for
            constants that are also inputs the size of each dimension.
    """

    metadata: dict[bytes, bytes]
    inputs: list[tuple[str, int, list[int]]]
    outputs: list[str]
    constants: dict[str, bytes | np.ndarray]
    nodes: list[Node]
    opset: int
    ir_version: int
    declared: dict[str, tuple[int, list[int] | None]]


def read_model(data: bytes) -> Model:
    """The content of an ONNX file.

    Raises:
        Refused: it could hang, it depends on other files, or it is too large.
        Exception: any other exception means that it is not an ONNX file, or is damaged.
    """
    if len(data) > MOST_BYTES:
        raise Refused(f"it is larger than {MOST_BYTES >> 20} MiB")
    model = _fields(data)
    if 25 in model:
        raise Refused("it defines functions of its own")
    graph = _fields(_only(model, 7))
    if len(graph.get(1, [])) > MOST_NODES:
        raise Refused(f"it has more than {MOST_NODES:,} nodes")
    sparse = [_fields(tensor) for tensor in graph.get(15, [])]
    _check_tensors([*graph.get(5, []), *(part for each in sparse for part in _parts(each))])
    constants: dict[str, bytes | np.ndarray] = _unique(
        (_text(_fields(tensor), 8), tensor) for tensor in graph.get(5, [])
    )
    for name in (_text(_fields(_last(each, 1, b"")), 8) for each in sparse):
        if name in constants:
            raise Refused(f"its initializer {name!r} is there twice, dense and sparse")
    inputs: list[tuple[str, int, list[int]]] = []
    declared: dict[str, tuple[int, list[int] | None]] = {}
    for entry in map(_fields, graph[11]):
        name, (kind, sizes) = _text(entry), _tensor_type(_fields(_only(entry, 2)))
        if name in constants:
            declared[name] = kind, sizes
        else:
            inputs.append((name, kind, sizes))
    for entry in map(_fields, (*graph[12], *graph.get(13, []))):
        if 2 in entry and _text(entry) not in declared:
            declared[_text(entry)] = _tensor_type(_fields(_only(entry, 2)))[0], None
    opsets = {_text(entry): entry[2][-1] for entry in map(_fields, model.get(8, []))}
    return Model(
        {_last(e, 1, b""): _last(e, 2, b"") for e in map(_fields, model.get(14, []))},
        inputs,
        [_text(_fields(entry)) for entry in graph[12]],
        constants,
        [_node(_fields(node)) for node in graph.get(1, [])],
        opsets.get("", 0),
        _last(model, 1, 0),
        declared,
    )


def read_tensor(data: bytes | np.ndarray) -> np.ndarray:
    """The array of a tensor.

    Raises:
        KeyError: its type or its encoding is not supported.
        ValueError: the data size does not match its dimensions.
    """
    if isinstance(data, np.ndarray):
        return data
    tensor = _fields(data)
    if tensor.keys() & {4, 5, 6, 7, 10, 11}:
        raise KeyError("data written element by element")
    sizes = _integers(tensor.get(1, []))
    if min(sizes, default=0) < 0:
        raise ValueError("a dimension below 0")
    return np.frombuffer(tensor[9][-1], ELEMENTS[tensor[2][-1]]).reshape(sizes)


def _check_tensors(tensors: Iterable[bytes]) -> None:
    """Refuse data in other files, and too many of them."""
    total = 0
    for tensor in map(_fields, tensors):
        if 13 in tensor or _last(tensor, 14, 0):
            raise Refused(
                f"the data of {_text(tensor, 8)!r} lie in another file, which could be changed "
                f"without it"
            )
        sizes = _integers(tensor.get(1, []))
        kind = ELEMENTS.get(_last(tensor, 2, 0))
        total += abs(math.prod(sizes)) * (np.dtype(kind).itemsize if kind else WIDEST)
        if total > MOST_BYTES:
            raise Refused(f"its parameters take more than {MOST_BYTES >> 20} MiB")


def _parts(sparse: _Fields) -> list[bytes]:
    """The tensors of a sparse one: values and indices."""
    return [*sparse.get(1, []), *sparse.get(2, [])]


def _node(node: _Fields) -> Node:
    kind, domain = _text(node, 4), _text(node, 7)
    if domain not in _DOMAINS:
        raise Refused(f"its operator {kind} is from the domain {domain!r}, not from ONNX's own")
    attributes = []
    for each in map(_fields, node.get(5, [])):
        if each.keys() & {6, 11}:
            raise Refused(f"its operator {kind} is control flow, which may not terminate")
        sparse = [part for field in (22, 23) for part in each.get(field, [])]
        tensors = [*each.get(5, []), *each.get(10, [])]
        _check_tensors([*tensors, *(part for one in sparse for part in _parts(_fields(one)))])
        attributes.append(_attribute(each))
    inputs, outputs = ([name.decode() for name in node.get(field, [])] for field in (1, 2))
    return Node(domain, kind, inputs, outputs, _unique(attributes))


def _attribute(attribute: _Fields) -> tuple[str, Any]:
    """Name and value; a tensor is for :func:`read_tensor`, other types stay fields."""
    kind, fields = _last(attribute, 20, 0), attribute.keys() & {*_FIELDS.values(), 9}
    if fields - {_FIELDS.get(kind)} or (kind < 6 and not fields):
        return _text(attribute), attribute
    value = attribute.get(_FIELDS[kind], [])
    if kind in (1, 6):
        value = np.frombuffer(b"".join(value), "<f4").tolist()
    elif kind in (2, 7):
        value = _integers(value)
    return _text(attribute), value if kind > 5 else value[-1]


def _tensor_type(declared: _Fields) -> tuple[int, list[int]]:
    """The element type, 0 if it is not a tensor, and the size of each dimension."""
    tensor = _fields(_only(declared, 1)) if 1 in declared else {}
    shape = _fields(_only(tensor, 2)) if 2 in tensor else {}
    sizes = [_last(_fields(size), 1, -1) for size in shape.get(1, [])]
    return _last(tensor, 1, 0), _integers(sizes)


def _unique(entries: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The entries by name; ValueError if two have the same name."""
    listed = list(entries)
    if len(dict(listed)) < len(listed):
        raise ValueError("two of the same name")
    return dict(listed)


def _only(fields: _Fields, number: int) -> Any:
    """The value of a field; ValueError if it is repeated: readers would then merge both."""
    (value,) = fields[number]
    return value


def _last(fields: _Fields, number: int, default: Any) -> Any:
    return fields.get(number, [default])[-1]


def _text(fields: _Fields, number: int = 1) -> str:
    return str(_last(fields, number, b"").decode())


def _integers(values: list[Any]) -> list[int]:
    """Repeated signed numbers: one per field, or packed."""
    numbers: list[int] = []
    for value in values:
        place, packed = 0, value if isinstance(value, bytes) else b""
        numbers += [] if packed is value else [value]
        while place < len(packed):
            number, place = _varint(packed, place)
            numbers.append(number)
    return [number - (1 << 64) if number >> 63 else number for number in numbers]


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """A varint, and the index after it."""
    if data[place] < 0x80:  # as most are
        return data[place], place + 1
    number = 0
    for shift in range(0, 70, 7):
        byte = data[place + shift // 7]
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number & (1 << 64) - 1, place + shift // 7 + 1
    raise ValueError("a number of more than 64 bits")


def _fields(data: bytes) -> _Fields:
    """The fields of a message by number: integers or bytes."""
    fields: _Fields = {}
    place = 0
    while place < len(data):
        tag, place = _varint(data, place)
        value: Any
        if tag & 7 == 0:
            value, place = _varint(data, place)
        else:
            length = _LENGTHS.get(tag & 7)
            if tag & 7 == 2:
                length, place = _varint(data, place)
            if length is None or place + length > len(data) or tag < 8:
                raise ValueError("the message ends within a field, or has a field without a number")
            value, place = data[place : place + length], place + length
        fields.setdefault(tag >> 3, []).append(value)
    return fields
