"""The signatures of users' functions, read in one place."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple


class Signature(NamedTuple):
    """The parameters of a function that determine how it is called.

    Attributes:
        required: the names of the parameters without a default.
        positions: the number of positional arguments it takes, or infinity.
        keywords: the parameters that may be given by name.
        is_open: whether it takes arbitrary keywords.
    """

    required: tuple[str, ...]
    positions: float
    keywords: tuple[str, ...]
    is_open: bool


# C functions may have no signature: they are called with one position.
UNREADABLE = Signature(("position",), 1, (), True)


def read_signature(function: Any) -> Signature:
    """The parameters of a callable, without those filled by a partial."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return UNREADABLE
    kinds = [parameter.kind for parameter in parameters]
    one = inspect.Parameter
    by_position = (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
    by_name = (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    return Signature(
        tuple(
            parameter.name
            for parameter in parameters
            if parameter.default is one.empty and parameter.kind in by_position + by_name
        ),
        float("inf") if one.VAR_POSITIONAL in kinds else sum(kind in by_position for kind in kinds),
        tuple(parameter.name for parameter in parameters if parameter.kind in by_name),
        one.VAR_KEYWORD in kinds,
    )
