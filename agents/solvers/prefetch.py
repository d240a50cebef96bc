"""Prefetching: the processor fetches a table entry into its cache before it is needed.

A lookup in a table far larger than the caches waits about a hundred nanoseconds for memory. With
prefetching, the entries of all children of a node arrive together during other work.
"""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def _prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        entries = context.make_array(signature.args[0])(context, builder, arguments[0])
        indices = [arguments[1]] + [ir.Constant(arguments[1].type, 0)] * (array.ndim - 1)
        pointer = cgutils.get_item_pointer(
            context, builder, signature.args[0], entries, indices, wraparound=False
        )
        byte_pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        function_type = ir.FunctionType(ir.VoidType(), [byte_pointer, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte_pointer], function_type)
        # the arguments: for reading, high locality (all caches), data cache
        builder.call(
            function, [builder.bitcast(pointer, byte_pointer), number(0), number(3), number(1)]
        )
        return context.get_dummy_value()

    return types.void(array, index), generate


# interpreted code (``NUMBA_DISABLE_JIT``) prefetches nothing
prefetch: Any = (lambda array, index: None) if numba.config.DISABLE_JIT else _prefetch
