"""Buffers of many threads: arrays with the threads as first axis, of which each sees its own row.

A kernel that needs buffers takes them in named tuples. :func:`for_threads` gives every array in
them another axis, unless :func:`share` says that one serves all, and :func:`own` is the same tuple
as one thread uses it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


class PerThread(NamedTuple):
    """An array of which each thread has one item of the first axis."""

    values: Any


_forms: dict[type, Callable[[Any], Any]] = {}  # see `allow_threads`
_shared: dict[type, frozenset[str]] = {}  # see `share`


def allow_threads(kind: type, form: Callable[[Any], Any] = lambda buffers: buffers) -> None:
    """Say that many threads can use buffers of a type of named tuples, each its own copy.

    Args:
        kind: the type.
        form: returns the buffers as small as they may be; None: these are not for many threads.
    """
    _forms[kind] = form


def form_for_threads(buffers: Any) -> Any:
    """What :func:`allow_threads` makes of these buffers; None: they are not for many threads."""
    form = _forms.get(type(buffers))
    return None if form is None else form(buffers)


def share(kind: type, *fields: str) -> None:
    """Say that one array in each of these fields of a type of named tuples serves all threads.

    It is only read, or a table whose entries many threads may write at once.
    """
    _shared[kind] = frozenset(fields)


def for_threads(buffers: Any, threads: int) -> Any:
    """Named tuples of buffers for this many threads, filled as the given ones.

    The copies take no memory here: they are views with strides of 0.
    """
    if isinstance(buffers, np.record):  # one record, such as the state of a search
        return PerThread(np.broadcast_to(buffers, threads).view(np.recarray))
    if isinstance(buffers, np.ndarray):
        copies = np.broadcast_to(buffers, (threads, *buffers.shape))
        return PerThread(copies.view(type(buffers)))
    if not isinstance(buffers, tuple) or not hasattr(buffers, "_fields"):
        return buffers
    shared = _shared.get(type(buffers), frozenset())
    return type(buffers)(
        *(
            value if name in shared else for_threads(value, threads)
            for name, value in zip(buffers._fields, buffers)
        )
    )


def bytes_of_copies(buffers: Any) -> int:
    """The bytes of all copies that :func:`for_threads` stands for."""
    if isinstance(buffers, PerThread):
        return int(buffers.values.nbytes)
    return sum(map(bytes_of_copies, buffers)) if isinstance(buffers, tuple) else 0


def _own_kind(kind: Any) -> Any:
    """Numba's type of what a thread uses in place of buffers of this type."""
    if not isinstance(kind, types.BaseNamedTuple):
        return kind
    kinds = [*kind]
    if kind.instance_class is PerThread:
        is_record = kinds[0].ndim == 1 and isinstance(kinds[0].dtype, types.Record)
        return kinds[0].dtype if is_record else kinds[0].copy(ndim=kinds[0].ndim - 1)
    kinds = [_own_kind(each) for each in kinds]
    if all(each == kinds[0] for each in kinds):
        return types.NamedUniTuple(kinds[0], len(kinds), kind.instance_class)
    return types.NamedTuple(kinds, kind.instance_class)


def _own_value(context: Any, builder: Any, kind: Any, value: Any, thread: Any) -> Any:
    """LLVM code of what a thread uses in place of a value of this type."""
    if not isinstance(kind, types.BaseNamedTuple):
        return value
    values = cgutils.unpack_tuple(builder, value, len(kind))
    if kind.instance_class is not PerThread:
        owned = [_own_value(context, builder, *each, thread) for each in zip(kind, values)]
        return context.make_tuple(builder, _own_kind(kind), owned)
    # imported when a kernel is compiled: it takes 30 ms of a start
    from numba.np.arrayobj import make_array, populate_array

    (of_all,) = kind
    array = make_array(of_all)(context, builder, values[0])
    zero = context.get_constant(types.intp, 0)
    place = [thread] + [zero] * (of_all.ndim - 1)
    item = cgutils.get_item_pointer(context, builder, of_all, array, place)
    kind_of_own = _own_kind(kind)
    if isinstance(kind_of_own, types.Record):
        return item
    row = make_array(kind_of_own)(context, builder)
    populate_array(
        row,
        data=item,
        shape=cgutils.pack_array(builder, cgutils.unpack_tuple(builder, array.shape)[1:]),
        strides=cgutils.pack_array(builder, cgutils.unpack_tuple(builder, array.strides)[1:]),
        itemsize=array.itemsize,
        meminfo=None,
    )
    return row._getvalue()


@intrinsic
def _own(typing_context: Any, buffers: Any, thread: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, number = arguments
        number = context.cast(builder, number, signature.args[1], types.intp)
        return _own_value(context, builder, signature.args[0], value, number)

    return _own_kind(buffers)(buffers, thread), generate


def _own_in_python(buffers: Any, thread: int) -> Any:
    """The same without compilation."""
    if isinstance(buffers, PerThread):
        return buffers.values[thread]
    if not isinstance(buffers, tuple) or not hasattr(buffers, "_fields"):
        return buffers
    return type(buffers)(*(_own_in_python(each, thread) for each in buffers))


# The named tuples of buffers as one thread uses them; they live as long as the kernel's call.
own: Any = _own_in_python if numba.config.DISABLE_JIT else _own
