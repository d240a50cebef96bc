"""Rule functions: generic names whose bodies depend on the game.

They work in Python and in compiled code alike.

``play(rules, position, action)`` looks up the body that was registered for ``type(rules)``. From
Python the lookup is :func:`functools.singledispatch`; inside a kernel it happens once, while numba
compiles the kernel for that type of rules, so a generic search costs nothing over one written for a
single game.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Protocol

import numba
from numba.core.typing.templates import AbstractTemplate, infer, infer_global

from .cache import depend_on_own_sources
from .kernels import Kernel, kernel


class _RuleFunction:
    """The bodies of one rule function; ``register(rules_type)`` is the decorator for a game's."""

    def __init__(self, stub: Callable[..., Any]) -> None:
        self.stub = stub
        self.parameters: list[str] = list(inspect.signature(stub).parameters)
        self.bodies: dict[type, Any] = {}
        self.dispatch: Any = functools.singledispatch(stub)
        self.default: Any = None

    def register(self, rules_type: type) -> Callable[[Callable[..., Any]], Kernel]:
        """Compile the decorated function and make it the body for ``rules_type``."""

        def decorate(body: Callable[..., Any]) -> Kernel:
            self._check_parameters(body)
            depend_on_own_sources(rules_type, body)
            body_kernel = _compile_body(body)
            self.bodies[rules_type] = body_kernel
            self.dispatch.register(rules_type)(body_kernel)
            return body_kernel

        return decorate

    def set_default(self, body: Callable[..., Any]) -> Kernel:
        """Compile the decorated function and use it for games that register no body."""
        self._check_parameters(body)
        depend_on_own_sources(None, body)
        compiled = self.default = kernel(body)
        self.dispatch.register(tuple)(compiled)
        return compiled

    def _check_parameters(self, body: Callable[..., Any]) -> None:
        names = list(inspect.signature(getattr(body, "py_func", body)).parameters)
        if names != self.parameters:
            raise TypeError(
                f"{self.stub.__name__} takes the parameters {self.parameters}; the body registered "
                f"for it takes {names}"
            )

    def body_for(self, rules_type: type) -> Any:
        """The compiled body for a type of rules or the types it derives from, or None."""
        bodies = (self.bodies[base] for base in rules_type.__mro__ if base in self.bodies)
        return next(bodies, self.default)


class Rule(Protocol):
    """A rule function: called with rules first, from Python or from a kernel."""

    def __call__(self, rules: Any, *arguments: Any) -> Any:
        """Run the body of the game whose rules these are."""

    def register_body(self, rules_type: type) -> Callable[[Callable[..., Any]], Kernel]:
        """Decorator: the body for a game."""

    def default_body(self, body: Callable[..., Any]) -> Kernel:
        """Decorator: the body for games without one."""

    def body_for(self, rules_type: type) -> Any:
        """The compiled body for a type of rules, or None."""


RULES: list[Rule] = []  # all rule functions, for other targets of numba than the processor


class RuleTyping:
    """Types and lowers a call of a rule function in a kernel as a call of the game's body.

    A class of numba's templates has it as its first base. ``numba.extending.overload`` would
    compile a function around the body for every rule, game and type of arguments, which took a
    tenth of the compile time.
    """

    context: Any
    context_type: type = numba.core.typing.Context  # of the target; others find the template too
    body_for: Callable[[type], Any]

    @staticmethod
    def callee(body: Any) -> Any:
        """What a kernel calls for a body: numba's type of it."""
        return numba.types.Dispatcher(body)

    def generic(self, arguments: Any, keywords: Any) -> Any:
        """The signature of a call; None if the first argument is no type of rules with a body.

        None as well in kernels for another target.
        """
        rules = arguments[0] if arguments else None
        is_for_target = isinstance(self.context, self.context_type)
        if not is_for_target or not isinstance(rules, numba.types.BaseNamedTuple):
            return None
        body = type(self).body_for(rules.instance_class)
        return None if body is None else self.typed(body, arguments, keywords)

    def typed(self, body: Any, arguments: Any, keywords: Any) -> Any:
        """The signature of a call of this body."""
        callee = self.callee(body)
        signature = callee.get_call_type(self.context, arguments, keywords)
        self._compiled = callee.get_overload(signature)
        return signature

    def get_impl_key(self, signature: Any) -> Any:
        """The compiled body, by numba's key."""
        return self._compiled


def rule(stub: Callable[..., Any]) -> Rule:
    """Make ``stub`` a rule function.

    The stub's docstring is the contract; its body runs for games that register none.
    """
    function = _RuleFunction(stub)
    dispatch: Any = function.dispatch

    class RuleTemplate(RuleTyping, AbstractTemplate):  # type: ignore[misc]  # numba is not typed
        key = dispatch
        body_for = function.body_for

    infer(RuleTemplate)
    infer_global(dispatch, numba.types.Function(RuleTemplate))
    dispatch.register_body = function.register
    dispatch.default_body = function.set_default
    dispatch.body_for = function.body_for
    compiled: Rule = dispatch
    RULES.append(compiled)
    return compiled


def _compile_body(body: Any) -> Kernel:
    """The kernel of a rule body; a body that several games share may be a kernel already."""
    compiled: Kernel = body if hasattr(body, "py_func") else kernel(body)
    return compiled


def missing(rules: Any, name: str) -> NotImplementedError:
    """The error for a rule function that a game does not define."""
    return NotImplementedError(f"{type(rules).__name__} defines no rule {name!r}")
