"""A processor in place of a GPU: the code that was lowered for CUDA, linked for this machine.

Each thread is a call that reads its number from a variable. So all but NVVM, the assembler and the
card itself can be tested without a card.
"""

from __future__ import annotations

import ctypes
import functools
import re
from typing import Any

import llvmlite.binding as llvm

from .arguments import flatten
from .inline import LARGE_FUNCTION, with_calls
from .lowering import Lowered

# functions of the mathematical library that code for CUDA calls, and their numbers of arguments
_MATHEMATICS = dict.fromkeys(("floor", "ceil", "sqrt", "log", "exp", "cos", "fabs"), 1)
_MATHEMATICS |= dict.fromkeys(("pow", "fmin", "fmax"), 2)
_REGISTERS = {"tid": "load i32, ptr @thread", "ctaid": "add i32 0, 0", "ntid": "add i32 0, 0"}


def _stand_ins() -> str:
    """LLVM code for what only a card has: the registers that number threads, and libdevice."""
    lines = ["@thread = global i32 0"]
    for name, value in _REGISTERS.items():
        lines.append(f"define i32 @read_{name}() {{\n %x = {value}\n ret i32 %x\n}}")
    for name, count in _MATHEMATICS.items():
        arguments = ", ".join(f"double %x{i}" for i in range(count))
        lines.append(f"declare double @{name}({', '.join(['double'] * count)})")
        body = f" %y = call double @{name}({arguments})\n ret double %y"
        lines.append(f"define double @__nv_{name}({arguments}) {{\n{body}\n}}")
    return "\n".join(lines)


def _for_processor(text: str) -> str:
    """The LLVM code of a module without what only a card understands."""
    text = re.sub(r"^target (triple|datalayout) = .*$", "", text, flags=re.MULTILINE)
    text = re.sub(r'"llvm\.nvvm\.read\.ptx\.sreg\.(\w+)\.x"', r'"read_\1"', text)
    return re.sub(r"addrspace\(\d\)", "", text).replace("addrspacecast", "bitcast")


@functools.lru_cache(maxsize=64)
def _link(lowered: Lowered) -> Any:
    """The machine code of this processor."""
    texts = [_for_processor(text) for text in with_calls(*lowered, LARGE_FUNCTION[0])]
    called = {name for text in texts for name in re.findall(r"@\"?__nv_(\w+)", text)}
    if unknown := called - _MATHEMATICS.keys():
        raise NotImplementedError(f"a processor has no {', '.join(sorted(unknown))} of libdevice")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(_stand_ins())
    for text in texts:
        module.link_in(llvm.parse_assembly(text))
    machine = llvm.Target.from_default_triple().create_target_machine(opt=2, jit=True)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    module.verify()
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(2))
    passes.getModulePassManager().run(module, passes)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine


class ProcessorLaunch:
    """A kernel with its arguments: a call runs all threads, one after the other.

    Args:
        lowered: its code.
        threads: their number.
        arguments: the kernel's, without the number of the thread.
        kind: numba's type of these.
    """

    def __init__(self, lowered: Lowered, threads: int, arguments: Any, kind: Any) -> None:
        self._engine = _link(lowered)
        self._kept = arguments
        self._threads = range(threads)
        self._values = [ctypes.c_int64(threads), *flatten(arguments, kind)]
        address = self._engine.get_function_address(lowered.entry)
        self._code = ctypes.CFUNCTYPE(None, *map(type, self._values))(address)
        number = self._engine.get_global_value_address("thread")
        self._number = ctypes.c_int32.from_address(number)

    def __call__(self) -> None:
        """Run the kernel."""
        for thread in self._threads:
            self._number.value = thread
            self._code(*self._values)
