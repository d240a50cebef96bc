"""Small arrays on the stack, for kernels that may not allocate memory."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .kernels import inner_kernel


@intrinsic(prefer_literal=True)
def _stack_array(typing_context: Any, shape: Any, dtype: Any) -> tuple[Any, Any] | None:
    lengths = shape if isinstance(shape, types.BaseTuple) else (shape,)
    if not all(isinstance(each, types.IntegerLiteral) for each in lengths):
        return None  # numba asks again with a literal, or says that none of the forms fits
    lengths = [each.literal_value for each in lengths]
    kind = types.Array(dtype.dtype, len(lengths), "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        # imported when a kernel is compiled: it takes 30 ms of a start
        from numba.np.arrayobj import make_array, populate_array

        item = context.get_data_type(kind.dtype)
        size = context.get_abi_sizeof(item)
        strides = [size * math.prod(lengths[axis + 1 :]) for axis in range(len(lengths))]
        values = [context.get_constant(types.intp, value) for value in (*lengths, *strides)]
        number = context.get_constant(types.intp, math.prod(lengths))
        array = make_array(kind)(context, builder)
        populate_array(
            array,
            data=cgutils.alloca_once(builder, item, size=number),
            shape=cgutils.pack_array(builder, values[: len(lengths)]),
            strides=cgutils.pack_array(builder, values[len(lengths) :]),
            itemsize=context.get_constant(types.intp, size),
            meminfo=None,
        )
        return array._getvalue()

    return kind(shape, dtype), generate


def _new_array(shape: int | tuple[int, ...], dtype: Any) -> np.ndarray:
    """The same without compilation."""
    return np.empty(shape, dtype)


# An array of a constant shape, uninitialised, that lives as long as the kernel's call. It may be
# passed on but not returned. ``stack_array((2, CAPACITY), np.int8)``: all lengths are constants.
# Kernels for a GPU have no other memory of their own.
stack_array: Any = _new_array if numba.config.DISABLE_JIT else _stack_array


@inner_kernel
def copy_items(target, source, count):
    """Copy the first items of an array; an assignment of slices needs memory on a GPU."""
    for i in range(count):
        target[i] = source[i]
