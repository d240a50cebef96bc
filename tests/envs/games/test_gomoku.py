"""Gomoku's four rule variants on hand-made positions: which row of X, completed at ``*``, wins."""

from __future__ import annotations

import pytest
from plyground import make_game

ALL = {"freestyle", "standard", "caro", "caro_overline"}
VARIANTS = sorted(ALL)

# A line of the board from edge to edge; X is about to play at *, and the variants under which that
# wins.
LINES = {
    "five with free ends": ("..XX*XX........", ALL),
    "five, one end blocked": (".OXX*XX........", ALL),
    "five, both ends blocked": (".OXX*XXO.......", {"freestyle", "standard"}),
    "five at the board's edge, other end free": ("XX*XX..........", ALL),
    "five at the board's edge, other end blocked: the edge does not block": (
        "XX*XXO.........",
        ALL,
    ),
    "five at the other edge, blocked": (".........OXXXX*", ALL),
    "five, both ends blocked one cell away": ("O.XX*XX.O......", ALL),
    "six": ("..XXX*XX.......", {"freestyle", "caro_overline"}),
    "six, both ends blocked": (".OXXX*XXO......", {"freestyle", "caro_overline"}),
    "six at the edge": ("XXX*XX.........", {"freestyle", "caro_overline"}),
    "nine from two fours": ("XXXX*XXXX......", {"freestyle", "caro_overline"}),
    "four": ("...XX*X........", set()),
    "four and a gap": ("..XX*X.X.......", set()),
    "broken by an opponent": ("..XX*OXX.......", set()),
}
# How position i of the line lies on the 15 × 15 board.
DIRECTIONS = {
    "row": lambda i: (7, i),
    "top row": lambda i: (0, i),
    "column": lambda i: (i, 4),
    "last column": lambda i: (i, 14),
    "diagonal": lambda i: (i, i),
    "rising diagonal": lambda i: (14 - i, i),
}


def play_line(rule, line, cell_at):
    """The game in which the stones of the line are placed one by one and X completes it; O's other
    stones lie apart from each other.
    """
    cells = [row * 15 + column for row, column in map(cell_at, range(15))]
    of_symbol = {symbol: [c for c, s in zip(cells, line) if s == symbol] for symbol in "XO*"}
    apart = [row * 15 + column for row in range(1, 15, 3) for column in range(1, 15, 3)]
    spare = [cell for cell in apart if cell not in cells]
    crosses, noughts = of_symbol["X"] + of_symbol["*"], of_symbol["O"]
    if len(noughts) > len(crosses) - 1:
        crosses = [spare.pop() for _ in range(len(noughts) - len(crosses) + 1)] + crosses
    noughts += [spare.pop() for _ in range(len(crosses) - 1 - len(noughts))]
    position = make_game("gomoku", rule=rule).initial_position()
    for nought, cross in zip([None, *noughts], crosses, strict=True):
        if nought is not None:
            position.play(nought)
        assert not position.is_over
        position.play(cross)
    return position


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("rule", VARIANTS)
def test_a_row_wins_as_the_variant_says(rule, name, direction):
    line, winning = LINES[name]
    position = play_line(rule, line, DIRECTIONS[direction])
    assert position.is_over == (rule in winning)
    assert position.returns == ((1.0, -1.0) if rule in winning else (0.0, 0.0))


@pytest.mark.parametrize("rule", VARIANTS)
def test_a_six_in_one_direction_does_not_hide_a_five_in_another(rule):
    """The stone in the middle makes six across and five down."""
    across, down = [7 * 15 + column for column in (2, 3, 4, 6, 7)], [80, 95, 125, 140]
    apart = [row * 15 + column for row in (0, 12, 14) for column in (0, 3, 6, 9, 12)]
    position = make_game("gomoku", rule=rule).initial_position()
    for cross, nought in zip([*across, *down], apart):
        position.play(cross).play(nought)
    assert position.play(7 * 15 + 5).is_over
