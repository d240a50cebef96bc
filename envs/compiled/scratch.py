"""Small arrays on the stack, for kernels that may not allocate memory."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array


@intrinsic(prefer_literal=True)
def _stack_array(typing_context: Any, count: Any, dtype: Any) -> tuple[Any, Any] | None:
    if not isinstance(count, types.IntegerLiteral):
        return None  # numba asks again with a literal, or says that none of the forms fits
    kind = types.Array(dtype.dtype, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        item = context.get_data_type(kind.dtype)
        size, number = (
            context.get_constant(types.intp, value)
            for value in (context.get_abi_sizeof(item), count.literal_value)
        )
        array = make_array(kind)(context, builder)
        populate_array(
            array,
            data=cgutils.alloca_once(builder, item, size=number),
            shape=cgutils.pack_array(builder, [number]),
            strides=cgutils.pack_array(builder, [size]),
            itemsize=size,
            meminfo=None,
        )
        return array._getvalue()

    return kind(count, dtype), generate


def _new_array(count: int, dtype: Any) -> np.ndarray:
    """The same without compilation."""
    return np.empty(count, dtype)


# An array of a constant number of items, uninitialised, that lives as long as the kernel's call. It
# may be passed on but not returned. ``stack_array(CAPACITY, np.int8)``: both are constants.
stack_array: Any = _new_array if numba.config.DISABLE_JIT else _stack_array
