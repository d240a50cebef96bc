"""Repeated calls of kernels from Python without overhead."""

from __future__ import annotations

from typing import Any

from .kernels import entry_point


class KernelCalls:
    """Calls kernels, each always with arguments of the same types.

    numba examines the types of all arguments at every call of a kernel, which takes longer than
    many moves. Here it does so only at a kernel's first call. A copy starts empty.
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
