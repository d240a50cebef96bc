"""How Gomocup's files and engines write gomoku: the rules' numbers, and cells.

A cell is ``x,y``, the column and the row from the top left, counted from 0. Source:
https://plastovicka.github.io/protocl2en.htm.
"""

from __future__ import annotations

from ...envs.game import Game
from ...envs.registry import games_in
from ...envs.rules_types import parameter_values
from ...envs.specification import SpecificationError

GAME, CONNECT = games_in("gomocup")[0], 5
# The numbers of `INFO rule`: 1 is for exactly five, 8 for caro. 2 (a continuous game) and 4 (renju)
# are rules that plyground does not have.
RULES = {0: "freestyle", 1: "standard", 8: "caro_overline", 9: "caro"}


def rule_number(game: Game) -> int:
    """The number of a game's rule.

    Raises:
        SpecificationError: engines that speak this protocol do not play the game.
    """
    values = parameter_values(game.rules)
    if game.name != GAME or values["connect"] != CONNECT:
        raise SpecificationError(
            f"{game.spec} is no game of the Gomocup protocol, which knows {GAME} with connect=5"
        )
    return next(number for number, name in RULES.items() if name == values["rule"])


def cell_text(game: Game, action: int) -> str:
    """An action as ``x,y``."""
    row, column = divmod(int(action), int(game.rules.cols))
    return f"{column},{row}"
