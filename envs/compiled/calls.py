"""Kernels as Python calls them again and again: at the cost of what they do."""

from __future__ import annotations

from typing import Any

from .kernels import entry_point


class KernelCalls:
    """Calls kernels, each always with arguments of the same types.

    numba looks at the types of all arguments whenever a kernel is called, which takes longer than
    many a move. Here it does so at a kernel's first call. A copy begins anew.
    """

    def __init__(self) -> None:
        self._codes: dict[Any, Any] = {}

    def __call__(self, kernel: Any, *arguments: Any) -> Any:
        """Run a kernel, or the body of a rule function for the rules that come first."""
        code = self._codes.get(kernel)
        if code is None:
            is_rule = hasattr(kernel, "body_for")
            body = kernel.body_for(type(arguments[0])) if is_rule else kernel
            code = self._codes[kernel] = entry_point(body, *arguments)
        return code(*arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        return KernelCalls, ()
