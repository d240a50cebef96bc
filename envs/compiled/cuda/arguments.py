"""The arguments of a kernel in the order and form in which its code for CUDA takes them.

The same for a card and for the processor that stands in for one: both take addresses and numbers.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

_POINTER, _WORD = ctypes.c_void_p, ctypes.c_int64
_WHOLE = {8: ctypes.c_int8, 16: ctypes.c_int16, 32: ctypes.c_int32, 64: ctypes.c_int64}
_REAL = {32: ctypes.c_float, 64: ctypes.c_double}


class DeviceArray(NamedTuple):
    """An array in the memory of a device, in C order.

    Attributes:
        tensor: what keeps the memory: a tensor of torch.
        dtype: of the items as kernels read them, such as records.
        shape: as kernels read it.
    """

    tensor: Any
    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    @property
    def address(self) -> int:
        """Where the items begin."""
        return int(self.tensor.data_ptr())

    @property
    def kind(self) -> Any:
        """Numba's type of the array."""
        blank = np.empty((0,) * len(self.shape), self.dtype)
        return numba.typeof(blank.view(np.recarray) if self.dtype.names else blank)


def kind_of(argument: Any) -> Any:
    """Numba's type of an argument: None, numbers, arrays, those of a device, tuples of them.

    A whole number of Python is int64, a truth value bool.
    """
    if isinstance(argument, DeviceArray):
        return argument.kind
    if isinstance(argument, tuple):
        kinds = [kind_of(each) for each in argument]
        if not hasattr(argument, "_fields"):
            return types.Tuple(kinds)
        is_uniform = kinds and all(kind == kinds[0] for kind in kinds)
        if is_uniform:
            return types.NamedUniTuple(kinds[0], len(kinds), type(argument))
        return types.NamedTuple(kinds, type(argument))
    return numba.typeof(argument)


def flatten(argument: Any, kind: Any) -> Iterator[Any]:
    """The numbers and addresses that stand for an argument, as objects of ctypes."""
    if isinstance(kind, types.Array):
        yield from _flatten_array(argument)
    elif isinstance(kind, types.BaseTuple):
        kinds = kind.types if hasattr(kind, "types") else [kind.dtype] * len(argument)
        for each, kind_of_each in zip(argument, kinds):
            yield from flatten(each, kind_of_each)
    elif isinstance(kind, types.NoneType):
        yield _POINTER(None)
    elif isinstance(kind, types.Float):
        yield _REAL[kind.bitwidth](argument)
    elif isinstance(kind, types.Boolean):
        yield ctypes.c_uint8(bool(argument))
    elif isinstance(kind, types.Integer):
        yield _WHOLE[kind.bitwidth](int(argument))
    else:
        raise TypeError(f"a kernel for a device takes numbers and arrays, not {kind}")


def _flatten_array(array: Any) -> Iterator[Any]:
    """An array as numba's kernels take it: no owner, items, bytes, address, shape, strides."""
    if isinstance(array, DeviceArray):
        address, shape, size = array.address, array.shape, array.dtype.itemsize
    else:
        address, shape, size = array.ctypes.data, array.shape, array.itemsize
    yield _POINTER(None)
    yield _POINTER(None)
    yield _WORD(math.prod(shape))
    yield _WORD(size)
    yield _POINTER(address)
    for length in shape:
        yield _WORD(length)
    for axis in range(len(shape)):
        yield _WORD(size * math.prod(shape[axis + 1 :]))
