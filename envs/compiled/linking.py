"""Linking: kernels that are called only by kernels get no separate machine code.

numba makes machine code, and a wrapper for calls from Python, for every function that it compiles,
also for functions that are only linked into a caller and optimised there again. That was more than
half of the compile time of a search. A kernel is therefore compiled in one of two forms:

- *whole*, as numba does, when Python calls it or asks for its :meth:`KernelDispatcher.compile`;
- *for linking*, when another kernel calls it and there is no whole form yet: the LLVM code of the
  function and of what it calls, optimised function by function, and no machine code.

Both are cached on disk. Loading a search loads one function, the one that Python calls. It needs
none of numba's compiler setup for Python and numpy, which takes some 0.2 seconds and is done at the
first compilation.

All of this uses private names of numba. :mod:`.kernels` does without this module if it cannot be
imported. If a name is missing later, a kernel is compiled whole for its callers too. Loading is
slower then; results are the same.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
from numba.core import event, sigutils, typing
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.compiler import Compiler, CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher
from numba.core.runtime._nrt_python import c_helpers

# raised by a numba with other private names
INNER_NAME_ERRORS = (AttributeError, ImportError, TypeError)


for _name, _address in c_helpers.items():  # array helpers; machine code calls them by these names
    llvm.add_symbol(_name if _name.startswith("_") else f"NRT_{_name}", _address)


class _LinkingForm:
    """The key of a kernel's linking form in numba's tables."""


class KernelDispatcher(CPUDispatcher):  # type: ignore[misc]  # numba is not typed
    """A compiled function with its forms for each tuple of argument types.

    Args:
        py_func: the function.
        locals: types of local variables.
        targetoptions: options of numba's compiler.
    """

    def __init__(
        self, py_func: Callable[..., Any], locals: Any = None, targetoptions: Any = None
    ) -> None:
        super().__init__(py_func, locals or {}, targetoptions or {})
        self.linking_cache: Any = None
        self._linked: dict[tuple[Any, ...], Any] = {}

    @functools.cached_property
    def _linking_compiler(self) -> Any:
        return _LinkingCompiler(
            self.py_func, self.targetdescr, self.targetoptions, self.locals, Compiler
        )

    def compile(self, sig: Any) -> Any:
        """The function for calls from Python, for the types of a signature."""
        arguments = tuple(sigutils.normalize_signature(sig)[0])
        is_new = arguments not in self.overloads
        function = super().compile(sig)
        if is_new:
            with contextlib.suppress(*INNER_NAME_ERRORS):
                _set_environments(self.overloads[arguments].library)
        return function

    def _compilation_chain_init_hook(self) -> None:
        """Do nothing: extensions of numba, which take time to load, are for the compiler."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Called by numba when a kernel calls this one; the form for linking is enough."""
        try:
            signature, arguments = self._compiler.fold_argument_types(args, kws)
            self._link(tuple(arguments))
            forms = [*self.overloads.values(), *self._linked.values()]
            template = typing.make_concrete_template(
                f"CallTemplate({self.py_func.__name__})",
                key=self.py_func.__name__,
                signatures=[result.signature for result in forms],
            )
        except INNER_NAME_ERRORS:
            return super().get_call_template(args, kws)
        return template, signature, arguments, {}

    def get_overload(self, sig: Any) -> Any:
        """The key of the form that callers link."""
        arguments = tuple(sigutils.normalize_signature(sig)[0])
        return (self._linked.get(arguments) or self.overloads[arguments]).entry_point

    def _link(self, arguments: tuple[Any, ...]) -> None:
        """Ensure that there is a form that can be linked."""
        with global_compiler_lock:
            if arguments in self.overloads or arguments in self._linked:
                return
            result = self.linking_cache and self.linking_cache.load_overload(
                arguments, self.targetctx
            )
            if result is None:
                details = {"dispatcher": self, "args": arguments, "return_type": None}
                with event.trigger_event("numba:compile", data=details):
                    result = self._linking_compiler.compile(arguments, None)
                    _link_in(result.library)
                if self.linking_cache is not None:
                    self.linking_cache.save_overload(arguments, result)
            result = result._replace(entry_point=_LinkingForm())
            self.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
            self._linked[arguments] = result


class _LinkingCompiler(_FunctionCompiler):  # type: ignore[misc]
    """Compiles functions to LLVM code, without machine code and without a wrapper for Python."""

    def _customize_flags(self, flags: Any) -> Any:
        flags.no_compile = True
        flags.no_cpython_wrapper = True
        return flags


def _set_environments(library: Any) -> None:
    """Set the address of the Python constants in the code of linked functions.

    Only code that makes Python objects needs them, such as a ``print`` while a rule is debugged.
    """
    for variable in library._final_module.global_variables:
        environment = lookup_environment(variable.name)
        if environment is not None:
            library.codegen.set_env(environment.env_name, environment)


def _link_in(library: Any) -> None:
    """Add the code of called functions to the code of a function."""
    for callee in dict.fromkeys(library._linking_libraries):
        library._reload_init.update(callee._reload_init)
        library._final_module.link_in(callee._get_module_for_linking(), preserve=True)
    library._finalize_dynamic_globals()
    library._finalized = True  # as after numba's finalize(), except for the machine code


class _LinkingCacheImplementation(CompileResultCacheImpl):  # type: ignore[misc]
    """Storage of the form for linking on disk."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"{super().get_filename_base(fullname, abiflags)}.linking"

    def reduce(self, result: CompileResult) -> tuple[Any, ...]:
        library, description = result.library, result.fndesc
        description.typemap = description.calltypes = None  # as numba does; they may be unpicklable
        code = library._get_module_for_linking().as_bitcode()
        return (
            library.name,
            code,
            description,
            result.environment,
            result.signature,
            result.reload_init,
        )

    def rebuild(self, target_context: Any, payload: tuple[Any, ...]) -> CompileResult:
        name, code, description, environment, signature, reload_init = payload
        for function in reload_init:
            function()
        library = target_context.codegen().create_library(name)
        library._final_module = library._shared_module = llvm.parse_bitcode(code)
        library._finalized = True
        return CompileResult(
            typing_context=target_context.typing_context,
            target_context=target_context,
            entry_point=None,
            typing_error=None,
            type_annotation="",
            signature=signature,
            objectmode=False,
            lifted=(),
            fndesc=description,
            library=library,
            call_helper=None,
            environment=environment,
            metadata=None,
            reload_init=reload_init,
            referenced_envs=[],
        )


class _WholeCacheImplementation(CompileResultCacheImpl):  # type: ignore[misc]
    """Storage of the whole form on disk."""

    def reduce(self, result: CompileResult) -> tuple[Any, ...]:
        """As numba does, without modules of linked functions that need nothing from them."""
        *others, environments = super().reduce(result)
        return (*others, tuple(each for each in environments if each.consts))


class WholeCache(FunctionCache):  # type: ignore[misc]
    """The disk cache of the whole forms."""

    _impl_class = _WholeCacheImplementation

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """As numba does, but without preparing the context for compiling."""
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


class LinkingCache(WholeCache):
    """The disk cache of the forms for linking."""

    _impl_class = _LinkingCacheImplementation
