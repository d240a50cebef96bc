"""How large a game is: bounds on its states, its depth, its branching and the trees that minimax
and alpha-beta search.

Alpha-beta with the best move always tried first visits b₁·b₃·b₅… + b₂·b₄·b₆… − 1 leaves of a tree
whose nodes at ply i all have bᵢ successors; minimax visits the product of all. Source: Knuth and
Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6, 1975. The figures are for
players who take turns; that a player may move again changes which leaves these are, not the bound.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..envs.game import Game


class SizeLine(NamedTuple):
    """One line of a size report: what is counted, how the number comes about, and the number
    (whole, or an average).
    """

    quantity: str
    formula: str
    value: int | float

    def to_json(self) -> dict[str, Any]:
        """As JSON: whole numbers beyond 2^53 as text, since many programs that read JSON would
        round them.
        """
        value: Any = (
            str(self.value) if isinstance(self.value, int) and self.value > 2**53 else self.value
        )
        return {
            "quantity": self.quantity,
            "formula": self.formula,
            "value": value,
            "log10": math.log10(self.value) if self.value > 0 else None,
        }


def size_report(game: Game) -> list[SizeLine]:
    """The size of a game, from what it declares of itself."""
    depth, actions = game.facts.longest_game, game.facts.num_actions
    if game.name == "dots_and_boxes":
        boxes = game.rules.rows * game.rules.cols
        lines = [
            SizeLine("edges", "2mn - m - n for m x n dots", actions),
            SizeLine("boxes", "", boxes),
        ]
        if depth != actions:
            lines.append(SizeLine("free edges at the start", "L", depth))
        lines.append(SizeLine("states, by edges drawn", f"2^{depth}", 2**depth))
    else:
        cells = game.facts.observation_shape[0] * game.facts.observation_shape[1]
        lines = [SizeLine("cells", "", cells), SizeLine("states, at most", f"3^{cells}", 3**cells)]
    lines.append(SizeLine("depth, at most", "plies of the longest game", depth))
    if depth > actions:  # an action can be played more than once
        degrees = [actions] * depth
        lines.append(SizeLine("branching, at most", "", actions))
        formula = f"{actions}^{depth}"
    else:
        degrees = list(range(depth, 0, -1))  # every move takes away one action
        lines.append(SizeLine("branching at first", "", depth))
        lines.append(SizeLine("branching, roughly on average", "half of that", depth / 2))
        formula = f"{depth}!"
    lines.append(SizeLine("minimax leaves, at most", formula, math.prod(degrees)))
    lines.append(
        SizeLine(
            "alpha-beta leaves, best order",
            "about its square root",
            math.prod(degrees[::2]) + math.prod(degrees[1::2]) - 1,
        )
    )
    return lines
