"""What is inlined on a GPU: a large kernel keeps its large functions as calls.

NVVM inlines everything that a kernel calls. A search in one function has more values at a time than
a thread has registers, 255, so that many are stored to memory and loaded again (spills); and
compilers take minutes for it. Here functions are marked as calls from the innermost outwards, where
a function with what is inlined into it would be large. Functions of many arguments are inlined all
the same, since a call passes all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

LARGE_KERNEL = 70_000  # lines of LLVM code before it is optimised, with all that is inlined
LARGE_FUNCTION = 500  # likewise
MOST_ARGUMENTS = 40  # numbers and addresses; an array is seven or more
_FUNCTION = re.compile(r"^define (.*)\n((?:.*\n)*?)^}", re.MULTILINE)
_NAME = re.compile(r'@"?([\w.$]+)')
_CALL = re.compile(r'call .*?@"?([\w.$]+)"?\(')
_ARGUMENT = re.compile(r"%")


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
            count = len(_ARGUMENT.findall(head))
            found[name[1]] = _Function(body.count("\n"), count, _CALL.findall(body))
    return found


def _sizes(functions: dict[str, _Function], calls: set[str] | None) -> dict[str, int]:
    """The lines of each function with what is inlined; large functions are added to ``calls``.

    Without ``calls`` everything is inlined. Kernels do not recurse.
    """
    sizes: dict[str, int] = {}

    def size(name: str) -> int:
        if name not in functions:  # a function of the device
            return 1
        if name not in sizes:
            lines, arguments, callees = functions[name]
            sizes[name] = lines + sum(map(size, callees))
            is_large = sizes[name] > LARGE_FUNCTION and arguments <= MOST_ARGUMENTS
            if calls is not None and is_large:
                calls.add(name)
                sizes[name] = arguments
        return sizes[name]

    for name in functions:
        size(name)
    return sizes


def with_calls(entry: str, modules: tuple[str, ...]) -> tuple[str, ...]:
    """The modules of a kernel, with its large functions marked as calls if it is large."""
    functions = _functions(modules)
    if _sizes(functions, None)[entry] <= LARGE_KERNEL:
        return modules
    calls: set[str] = set()
    _sizes(functions, calls)
    calls.discard(entry)

    def mark(function: re.Match[str]) -> str:
        name = _NAME.search(function[1])
        is_call = name is not None and name[1] in calls
        return f"define {function[1]}{' noinline' * is_call}\n{function[2]}}}"

    return tuple(_FUNCTION.sub(mark, text) for text in modules)
