"""Actions from the answers of policies: the one conversion."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .loading.interruption import InterruptWatch
from .specification import plain_text


class IllegalActionError(ValueError):
    """An action that may not be played in this position."""


class NoActionError(IllegalActionError):
    """An answer that is not an action; the text follows the name of the player."""

    def __init__(self, answer: Any, why: str = "an action is a whole number") -> None:
        super().__init__(f"returned {one_line(answer)}, which is no action; {why}")


def whole_action(answer: Any) -> int:
    """The number that an answer denotes, an action or not.

    It is whatever :func:`operator.index` takes: an int, a NumPy integer, a zero-dimensional array
    of these, a zero-dimensional tensor. Booleans, which Python treats as 0 and 1, are refused.

    Raises:
        NoActionError: it is not a whole number.
    """
    if type(answer) is int:
        return answer
    shape = tuple(getattr(answer, "shape", ()))
    if shape == (1,):
        raise NoActionError(
            answer, "take the one element, action = action[0], and return int(action)"
        )
    is_truth = isinstance(answer, bool) or "bool" in str(getattr(answer, "dtype", ""))
    try:
        if not shape and not is_truth:
            return operator.index(answer)
    except TypeError:
        pass
    raise NoActionError(answer)


def whole_actions(answers: Any, count: int) -> np.ndarray:
    """The actions of ``count`` positions, int64 of shape (count,), each as :func:`whole_action`.

    Raises:
        NoActionError: they are not ``count`` whole numbers.
    """
    if isinstance(answers, list | tuple):
        answers = [whole_action(answer) for answer in answers]
    numbers = np.asarray(answers)
    if numbers.shape != (count,) or (numbers.dtype.kind not in "iu" and count):
        raise NoActionError(
            answers,
            f"actions of {count} positions are whole numbers of shape ({count},); these are "
            f"{numbers.dtype} of shape {numbers.shape}",
        )
    return numbers.astype(np.int64, copy=False)


def one_line(value: Any, render: Any = repr, longest: int = 200) -> str:
    """A value as one line of text, even if its ``__str__`` or ``__repr__`` fails."""
    with InterruptWatch() as interrupt:
        try:
            return plain_text(render(value), longest)
        except BaseException:
            if interrupt.came:
                raise
            return f"an unprintable {type(value).__name__}"
