"""Lowering: numba-cuda types a kernel for CUDA and translates it to LLVM code.

A kernel of plyground that another kernel calls is compiled for the device by the options here. A
call of a rule function is typed as a call of the game's body, as for the processor. A few functions
of numpy that numba-cuda lacks are calls of functions of :mod:`math`.

All of this uses private names of numba-cuda, in this file only.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import re
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numba import types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaError
from numba.cuda import compiler, dispatcher, grid
from numba.cuda.codegen import CUDACodeLibrary
from numba.cuda.cudadecl import registry
from numba.cuda.dispatcher import CUDADispatcher
from numba.cuda.target import CUDATypingContext
from numba.cuda.typing.templates import AbstractTemplate

from ..dispatch import RULES, RuleTyping
from ..linking import KernelDispatcher
from .inline import with_calls

OLDEST = (7, 5)  # the lowest compute capability for which code is lowered: Turing
# A product and a sum are rounded one after the other, as on a processor.
NVVM_OPTIONS = {"opt": 3, "fastmath": False, "fma": False}
# numba-cuda's constant arrays in LLVM code
_TABLE_NAME = re.compile(r'@"?(_cudapy_cmem[\w.$]*)"?')
_TABLE = re.compile(
    rf"^{_TABLE_NAME.pattern} = internal addrspace\(4\) (constant .*)$", re.MULTILINE
)
# Intrinsics that NVVM takes for functions that are defined elsewhere: a hint to processors, and the
# union of the lanes of a vector.
_PREFETCH = re.compile(r'^.*@"?llvm\.prefetch\b.*\n', re.MULTILINE)
_UNION = re.compile(r'@"?llvm\.vector\.reduce\.or\.v(\d+)i64"?')
_UNION_DECLARED = re.compile(rf"^declare .*{_UNION.pattern}.*$", re.MULTILINE)


class Lowered(NamedTuple):
    """A kernel in LLVM code for CUDA.

    Attributes:
        entry: the name of its entry.
        modules: the text of its modules, those of the kernels that it calls included.
    """

    entry: str
    modules: tuple[str, ...]

    def intermediate(self, capability: tuple[int, int], lines_of_large: int) -> bytes:
        """NVVM's code for a linker, for GPUs of this compute capability; see :func:`with_calls`."""
        library = CUDACodeLibrary(None, self.entry, nvvm_options=NVVM_OPTIONS)
        library._llvm_strs = [*with_calls(*self, lines_of_large)]
        code: bytes = library.get_ltoir(cc=capability)
        return code


class DeviceFunction(CUDADispatcher):  # type: ignore[misc]  # numba-cuda is not typed
    """A function that kernels call on a device.

    Attributes:
        failed: the innermost function that did not compile, and why, if the last one did not.
    """

    failed: ClassVar[tuple[CodeType, NumbaError] | None] = None

    def compile_device(self, args: Any, return_type: Any = None) -> Any:
        """The compiled function for the types of its arguments; called by numba-cuda."""
        try:
            result = super().compile_device(args, return_type)
        except NumbaError as error:
            DeviceFunction.failed = DeviceFunction.failed or (self.py_func.__code__, error)
            raise
        DeviceFunction.failed = None
        return result


_device_functions: dict[Any, DeviceFunction] = {}


def device_function(kernel: Any) -> DeviceFunction:
    """The form of a kernel, or of a function, that kernels call on a device."""
    function = getattr(kernel, "py_func", kernel)
    if function not in _device_functions:
        options = {"device": True, "debug": False, "opt": True, "fastmath": False}
        _device_functions[function] = DeviceFunction(function, options)
    return _device_functions[function]


class _NoDevice:
    """The answer to numba-cuda's question for the GPU that functions are compiled for."""

    compute_capability = OLDEST


@contextlib.contextmanager
def _compiling_for_the_oldest() -> Iterator[None]:
    """In the body functions are lowered for :data:`OLDEST`, whatever GPU there is."""
    before = dispatcher.get_current_device
    dispatcher.get_current_device = _NoDevice
    try:
        yield
    finally:
        dispatcher.get_current_device = before


# numba-cuda asks a kernel that another one calls for its form by this name.
KernelDispatcher._CUDATypingContext__dispatcher = property(device_function)


class _DeviceTyping(RuleTyping):
    """As for the processor, with the device's form of the body."""

    context_type = CUDATypingContext

    @staticmethod
    def callee(body: Any) -> Any:
        return types.Dispatcher(device_function(body))


class _SubstituteTyping(_DeviceTyping):
    """Types a call of a function of numpy as a call of its substitute."""

    substitute: Callable[..., Any]

    def generic(self, arguments: Any, keywords: Any) -> Any:
        if not all(isinstance(each, types.Number) for each in arguments):
            return None
        return self.typed(type(self).substitute, arguments, keywords)


_taught: set[int] = set()  # the addresses of functions that numba-cuda knows


def _teach(function: Any, *bases: type, **names: Any) -> None:
    """Let kernels for CUDA call a function of Python."""
    template = type("Template", (*bases, AbstractTemplate), {"key": function, **names})
    registry.register_global(function, types.Function(template))


def _teach_rules() -> None:
    """Let kernels for CUDA call the rule functions defined so far."""
    for rule in RULES:
        if id(rule) not in _taught:
            _taught.add(id(rule))
            _teach(rule, _DeviceTyping, body_for=rule.body_for)


def _sign(x: Any) -> Any:
    return (x > 0) - (x < 0)


def _sqrt(x: Any) -> Any:
    return math.sqrt(x)


def _log(x: Any) -> Any:
    return math.log(x)


def _exp(x: Any) -> Any:
    return math.exp(x)


def _floor(x: Any) -> Any:
    return math.floor(x)


def _isfinite(x: Any) -> Any:
    return x - x == 0


for _function, _substitute in (
    (np.sign, _sign),
    (np.sqrt, _sqrt),
    (np.log, _log),
    (np.exp, _exp),
    (np.floor, _floor),
    (np.isfinite, _isfinite),
):
    _teach(_function, _SubstituteTyping, substitute=staticmethod(_substitute))


def _entry_of(kernel: Any) -> Callable[..., None]:
    """What is launched: a thread calls the kernel with its own number as the last argument."""
    called = device_function(kernel)

    def entry(count: Any, arguments: Any) -> None:
        thread = grid(1)
        if thread < count:
            called(*(arguments + (thread,)))

    return entry


def _with_tables_once(text: str) -> str:
    """A module with its constant arrays in global memory, named by what they hold.

    Constant memory holds 64 KiB and is made for threads that read the same item. An array that many
    functions read is stored once, since modules are linked by names.
    """
    names: dict[str, str] = {}

    def rename(table: re.Match[str]) -> str:
        name = f"table_{hashlib.sha256(table[2].encode()).hexdigest()[:32]}"
        is_known = name in names.values()
        names[table[1]] = name
        return "" if is_known else f'@"{name}" = linkonce_odr addrspace(1) {table[2]}'

    text = _TABLE.sub(rename, text).replace("addrspace(4)", "addrspace(1)")
    return _TABLE_NAME.sub(lambda name: f'@"{names[name[1]]}"', text)


def _define_union(declared: re.Match[str]) -> str:
    """The union of the lanes of a vector as a function of its own."""
    count = int(declared[1])
    kind, lines, union = f"<{count} x i64>", [], "0"
    for lane in range(count):
        lines.append(f" %lane{lane} = extractelement {kind} %lanes, i32 {lane}")
        lines.append(f" %union{lane} = or i64 {union}, %lane{lane}")
        union = f"%union{lane}"
    body = "\n".join([*lines, f" ret i64 {union}"])
    return f"define linkonce_odr i64 @union_of_{count}({kind} %lanes) {{\n{body}\n}}"


def _without_intrinsics(text: str) -> str:
    """A module without what NVVM lacks."""
    text = _UNION_DECLARED.sub(_define_union, _PREFETCH.sub("", text))
    return _UNION.sub(r"@union_of_\1", text)


@global_compiler_lock
def lower(kernel: Any, arguments: Any) -> Lowered:
    """Lower a kernel for arguments of these types.

    Args:
        kernel: a kernel whose last argument is a number: of the thread, from 0 up.
        arguments: numba's type of the tuple of the other arguments. The entry takes the number of
            threads (int64) first.

    Raises:
        numba.core.errors.NumbaError: numba-cuda cannot compile it.
    """
    _teach_rules()
    DeviceFunction.failed = None
    kind = types.void(types.int64, arguments)
    with _compiling_for_the_oldest():
        library, _ = compiler._compile_pyfunc_with_fixup(
            _entry_of(kernel), kind, cc=OLDEST, device=False, abi="numba"
        )
    modules = (_with_tables_once(_without_intrinsics(text)) for text in library.llvm_strs)
    return Lowered(library._entry_name, tuple(modules))
