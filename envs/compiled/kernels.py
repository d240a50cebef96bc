"""Compilation: the one decorator that turns a Python function into a cached machine-code kernel.

Everything compiled in plyground goes through :func:`kernel`; :mod:`.cache` keeps the machine code.
"""

from __future__ import annotations

import contextlib
import contextvars
import gc
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numba
from numba.core.event import Listener, install_listener, register

from .cache import KernelCache, watch_source

try:
    from .linking import KernelDispatcher, LinkingCache, WholeCache
except Exception:  # a numba with other private names: slower loading, same results
    from numba.core.caching import FunctionCache as WholeCache  # type: ignore[no-redef]

    KernelDispatcher = None  # type: ignore[assignment, misc]

ANNOUNCE_AFTER_SECONDS = 1.0
USUAL_SECONDS = "2 to 12"  # compile time for a game, as shown to users
_HOW_LONG = (
    f"{USUAL_SECONDS} seconds, once; later starts are instant, and plyground warm-up does it in "
    "advance"
)


class Kernel(Protocol):
    """A compiled function. numba infers the types of its arguments at each call."""

    def __call__(self, *arguments: Any) -> Any:
        """Run the machine code for arguments of these types; compile or load it first."""


def _compile(function: Callable[..., Any], inner: bool) -> Kernel:
    watch_source(function)
    if numba.config.DISABLE_JIT:
        return function
    options = {
        "nopython": True,
        "nogil": True,
        "error_model": "numpy",
        "no_cfunc_wrapper": True,  # kernels are not called from C
        "_nrt": not inner,
        "forceinline": inner,
    }
    if KernelDispatcher is None:
        dispatcher = numba.jit(**options)(function)
    else:
        dispatcher = KernelDispatcher(function, targetoptions=options)
        dispatcher.linking_cache = KernelCache(function, LinkingCache)
    dispatcher._cache = KernelCache(function, WholeCache)
    compiled: Kernel = dispatcher
    return compiled


def kernel(function: Callable[..., Any]) -> Kernel:
    """Compile ``function`` with numba: no Python objects, no GIL, cached on disk.

    Kernels assume valid input and fill buffers that are passed in. They must not recurse (a cached
    recursive function that is called from another cached function crashes on its second run) and
    must not close over other functions.
    """
    return _compile(function, inner=False)


def inner_kernel(function: Callable[..., Any]) -> Kernel:
    """A :func:`kernel` for hot loops: inlined, and compiled without reference counting.

    It may not create arrays.

    numba counts references whenever an array is passed on or sliced, with an atomic instruction
    each; in a search that spends a few nanoseconds on a node this is most of the time (measured on
    alpha-beta: 3 million nodes a second with, 46 without).
    """
    return _compile(function, inner=True)


def entry_point(kernel: Any, *example: Any) -> Any:
    """The compiled form of a kernel for arguments of exactly the types of these examples.

    A call of a kernel makes numba examine the type of each argument first; a call of its entry
    point does not, and is faster by microseconds. The types are not checked: only for callers that
    make all arguments themselves.
    """
    return (
        kernel
        if numba.config.DISABLE_JIT
        else kernel.compile(tuple(numba.typeof(argument) for argument in example))
    )


class _CollectionPause(Listener):  # type: ignore[misc]  # numba is not typed
    """Stops the garbage collection of cycles during compilation.

    Compilation makes millions of small objects that live until its end: the collector took a tenth
    of the time. numba's lock lets one thread compile at a time.
    """

    def __init__(self) -> None:
        self._depth, self._was_enabled = 0, False

    def on_start(self, event: Any) -> None:
        if self._depth == 0:
            self._was_enabled = gc.isenabled()
            gc.disable()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if self._depth == 0 and self._was_enabled:
            gc.enable()


register("numba:compile", _CollectionPause())

_silence: contextvars.ContextVar[bool] = contextvars.ContextVar("silence", default=False)


@contextlib.contextmanager
def without_announcements() -> Iterator[None]:
    """Compilation in the body, by this thread, is not announced: the caller reports it."""
    token = _silence.set(True)
    try:
        yield
    finally:
        _silence.reset(token)


class _Notice(Listener):  # type: ignore[misc]  # numba is not typed
    """Prints a message if this thread's compilation takes long.

    numba triggers its event only if a function is compiled, not if it is loaded.
    """

    def __init__(self, message: str) -> None:
        self._message, self._thread = message, threading.get_ident()
        self._timer: threading.Timer | None = None

    def on_start(self, event: Any) -> None:
        if self._timer is None and threading.get_ident() == self._thread:
            self._timer = threading.Timer(ANNOUNCE_AFTER_SECONDS, self._print)
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: Any) -> None:
        """More may be compiled: the timer keeps running."""

    def _print(self) -> None:
        print(self._message, file=sys.stderr)

    def cancel(self) -> None:
        """Print nothing from now on."""
        if self._timer is not None:
            self._timer.cancel()


@contextlib.contextmanager
def announce_compilation(what: str, how_long: str = _HOW_LONG) -> Iterator[None]:
    """Report compilation on standard error, if the body compiles and takes long.

    Nested announcements print nothing.
    """
    if _silence.get():
        yield
        return
    notice = _Notice(f"compiling {what} ({how_long}) …")
    with without_announcements(), install_listener("numba:compile", notice):
        try:
            yield
        finally:
            notice.cancel()
