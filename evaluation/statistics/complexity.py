"""The size of a game: bounds on states, depth, branching and search trees.

Alpha-beta with the best move always tried first visits b₁·b₃·b₅… + b₂·b₄·b₆… − 1 leaves of a tree
whose nodes at ply i all have bᵢ successors; minimax visits the product of all. Source: Knuth and
Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6, 1975. The figures are for
players who take turns; that a player may move again changes which leaves these are, not the bound.

The game declares the parts of the board and a bound on its positions
(:func:`plyground.envs.rules.complexity`). A game that declares nothing is bounded by its tree.
"""

from __future__ import annotations

import math
import random
from typing import Any, NamedTuple

from ...envs import rules as r
from ...envs.game import Game
from ...envs.specification import SpecificationError

RANDOM_GAMES = 100
LONGEST_NUMBER = 1000  # digits printed at most
MOST_DIGITS = 1_000_000  # digits of a computed number at most


class SizeLine(NamedTuple):
    """One line of a size report.

    It holds what is counted, the formula, and the number (whole, or a mean).
    """

    quantity: str
    formula: str
    value: int | float

    def to_json(self) -> dict[str, Any]:
        """The line as JSON.

        Whole numbers beyond 2^53 become text, since many programs that read JSON would round them.
        For numbers of more than 1,000 digits only the logarithm is given.
        """
        value: Any = self.value
        log10 = math.log10(value) if value > 0 else None
        if isinstance(value, int) and value > 2**53:
            value = str(value) if math.log10(value) < LONGEST_NUMBER else None
        return {
            "quantity": self.quantity,
            "formula": self.formula,
            "value": value,
            "log10": log10,
        }


def size_report(game: Game | Any) -> list[SizeLine]:
    """The size of a game, from what it declares and, for the mean branching, from random games.

    Args:
        game: the game; or the rules of a board that is too large to play, without mean branching.

    Raises:
        SpecificationError: games can be so long that the tree size has too many digits.
    """
    rules = game.rules if isinstance(game, Game) else game
    bounds, facts = r.complexity(rules), r.facts(rules)
    depth, actions = facts.longest_game, facts.num_actions
    if depth * math.log10(actions) > MOST_DIGITS:
        raise SpecificationError(
            f"{rules.declaration.name} has games of up to {depth:,} plies on this board, too many "
            f"for a number of leaves with at most {MOST_DIGITS:,} digits"
        )
    lines = [SizeLine(*bound) for bound in bounds.board]
    if bounds.states is not None:
        lines.append(SizeLine(*bounds.states))
    else:
        # the sum of actions ** ply over all plies, whose terms alone would take minutes
        nodes = depth + 1 if actions == 1 else (actions ** (depth + 1) - 1) // (actions - 1)
        lines.append(SizeLine("states, at most", "nodes of the game tree", nodes))
    lines.append(SizeLine("depth, at most", "plies of the longest game", depth))
    if bounds.fewer_each_ply:
        leaves, degrees = math.factorial(depth), range(depth, 0, -1)
        best = math.prod(degrees[::2]) + math.prod(degrees[1::2]) - 1
        lines.append(SizeLine("branching at first", "", depth))
        lines.append(SizeLine("branching, roughly on average", "half of that", depth / 2))
        formula = f"{depth}!"
    else:
        leaves, best = actions**depth, actions ** -(-depth // 2) + actions ** (depth // 2) - 1
        lines.append(SizeLine("branching, at most", "", actions))
        if isinstance(game, Game):
            mean = mean_branching(game)
            lines.append(SizeLine("branching, on average", f"{RANDOM_GAMES} random games", mean))
        formula = f"{actions}^{depth}"
    lines.append(SizeLine("minimax leaves, at most", formula, leaves))
    lines.append(SizeLine("alpha-beta leaves, best order", "about its square root", best))
    return lines


def mean_branching(game: Game, games: int = RANDOM_GAMES) -> float:
    """The mean number of legal actions over the positions of random games, the same every time."""
    chance = random.Random(1)
    counts = []
    for _ in range(games):
        position = game.initial_position()
        while not position.is_over:
            actions = position.legal_actions()
            counts.append(len(actions))
            position.play(chance.choice(actions))
    return sum(counts) / len(counts)
