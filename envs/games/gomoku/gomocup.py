"""The notation of Gomocup's files and engines for gomoku: numbers of rules, and cells.

A cell is ``x,y``, the column and the row from the top left, counted from 0. Source:
https://plastovicka.github.io/protocl2en.htm.
"""

from __future__ import annotations

from typing import Any

from ...rules_types import parameter_values
from .rules import Gomoku

GAME, CONNECT = "gomoku", 5
# The numbers of `INFO rule`: 1 is for exactly five, 8 for caro. 2 (a continuous game) and 4 (renju)
# are rules that plyground does not have.
RULES = {0: "freestyle", 1: "standard", 8: "caro_overline", 9: "caro"}


def rule_number(rules: Any) -> int | None:
    """The number of a game's rule; None if engines with this protocol do not play it."""
    if not isinstance(rules, Gomoku) or rules.connect != CONNECT:
        return None
    rule = parameter_values(rules)["rule"]
    return next(number for number, name in RULES.items() if name == rule)


def cell_text(rules: Any, action: int) -> str:
    """An action as ``x,y``."""
    row, column = divmod(int(action), int(rules.cols))
    return f"{column},{row}"
