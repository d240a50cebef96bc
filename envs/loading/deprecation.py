"""Names that are on their way out: they warn for two minor versions, then they are removed."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

MINOR_VERSIONS = 2  # that a deprecated name lives on
P = ParamSpec("P")
R = TypeVar("R")


def removal(since: str) -> str:
    """The version that removes what is deprecated since the one given, such as 1.4 for 1.2."""
    major, minor = (int(part) for part in since.split("."))
    return f"{major}.{minor + MINOR_VERSIONS}"


def deprecated(since: str, instead: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorator of a public function that warns at each call, and then does what it always did.

    Args:
        since: the minor version that deprecates it, such as "1.2".
        instead: what to use in its place, as code, such as "plyground.make_game".
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        sentence = (
            f"{function.__qualname__} is deprecated since plyground {since} and is removed in "
            f"{removal(since)}; use {instead}"
        )

        @functools.wraps(function)
        def warn(*args: P.args, **kwargs: P.kwargs) -> R:
            warnings.warn(sentence, DeprecationWarning, stacklevel=2)
            return function(*args, **kwargs)

        return warn

    return decorate
