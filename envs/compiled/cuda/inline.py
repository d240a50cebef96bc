"""What is inlined on a GPU: a large kernel keeps its large functions as calls.

NVVM inlines everything that a kernel calls. A search in one function has more values at a time than
a thread has registers, 255, so that many are stored to memory and loaded again (spills); and
compilers take minutes for it. Here functions are marked as calls from the innermost outwards, where
a function with what is inlined into it would be large. Functions of many arguments are inlined all
the same, since a call passes all of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import NamedTuple

LARGE_KERNEL = 70_000  # lines of LLVM code before it is optimised, with all that is inlined
# Likewise, of a function: what is tried first, and what next if registers are missing. With more
# calls fewer values are needed at a time, but each call keeps its caller's in memory.
LARGE_FUNCTION = 1_000, 200
MOST_ARGUMENTS = 40  # numbers and addresses; an array is seven or more
_FUNCTION = re.compile(r"^define (.*)\n((?:.*\n)*?)^}", re.MULTILINE)
_NAME = re.compile(r'@"?([\w.$]+)')
_CALL = re.compile(r'call .*?@"?([\w.$]+)"?\(')


class _Function(NamedTuple):
    lines: int
    arguments: int
    calls: list[str]


def _functions(modules: Iterable[str]) -> dict[str, _Function]:
    """The functions defined in modules, by name."""
    found = {}
    for text in modules:
        for head, body in _FUNCTION.findall(text):
            name = _NAME.search(head)
            assert name is not None  # every function has one
            lines, arguments = body.count("\n"), head.count("%")
            found[name[1]] = _Function(lines, arguments, _CALL.findall(body))
    return found


def _large_functions(
    functions: dict[str, _Function], lines_of_large: float
) -> tuple[set[str], dict[str, int]]:
    """The functions that are calls, and the lines of each function with what is inlined.

    Kernels do not recurse.
    """
    sizes: dict[str, int] = {}
    calls: set[str] = set()

    def size(name: str) -> int:
        if name not in functions:  # a function of the device
            return 1
        if name not in sizes:
            lines, arguments, callees = functions[name]
            sizes[name] = lines + sum(map(size, callees))
            if sizes[name] > lines_of_large and arguments <= MOST_ARGUMENTS:
                calls.add(name)
                sizes[name] = arguments
        return sizes[name]

    for name in functions:
        size(name)
    return calls, sizes


def with_calls(entry: str, modules: tuple[str, ...], lines_of_large: int) -> tuple[str, ...]:
    """The modules of a kernel, with its large functions marked as calls if it is large."""
    functions = _functions(modules)
    if _large_functions(functions, math.inf)[1][entry] <= LARGE_KERNEL:
        return modules
    calls = _large_functions(functions, lines_of_large)[0] - {entry}

    def mark(function: re.Match[str]) -> str:
        name = _NAME.search(function[1])
        is_call = name is not None and name[1] in calls
        return f"define {function[1]}{' noinline' * is_call}\n{function[2]}}}"

    return tuple(_FUNCTION.sub(mark, text) for text in modules)
