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
    game = make_game("gomoku", rule=rule)
    cells = {
        symbol: [
            row * 15 + column
            for i, s in enumerate(line)
            if s == symbol
            for row, column in [cell_at(i)]
        ]
        for symbol in "XO*"
    }
    line_cells = {row * 15 + column for i in range(15) for row, column in [cell_at(i)]}
    spare = [
        row * 15 + column
        for row in range(1, 15, 3)
        for column in range(1, 15, 3)
        if row * 15 + column not in line_cells
    ]
    crosses, noughts = cells["X"] + cells["*"], cells["O"]
    if len(noughts) > len(crosses) - 1:
        crosses = [spare.pop() for _ in range(len(noughts) - len(crosses) + 1)] + crosses
    noughts += [spare.pop() for _ in range(len(crosses) - 1 - len(noughts))]
    position = game.initial_position()
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


@pytest.mark.parametrize(
    ("rule", "wins"),
    [("freestyle", True), ("standard", True), ("caro", True), ("caro_overline", True)],
)
def test_a_six_in_one_direction_does_not_hide_a_five_in_another(rule, wins):
    """The stone at * makes six across and five down."""
    game = make_game("gomoku", rule=rule)
    across, down, last = (
        [7 * 15 + column for column in (2, 3, 4, 6, 7)],
        [row * 15 + 5 for row in (5, 6, 8, 9)],
        7 * 15 + 5,
    )
    apart = [row * 15 + column for row in (0, 12, 14) for column in (0, 3, 6, 9, 12)]
    position = game.initial_position()
    for cross, nought in zip([*across, *down], apart):
        position.play(cross).play(nought)
    assert position.play(last).is_over == wins


@pytest.mark.parametrize("rule", VARIANTS)
def test_rows_do_not_run_on_around_the_board(rule):
    """Four at the end of one row and one at the start of the next are no five."""
    position = make_game("gomoku", rule=rule).initial_position()
    for cross, nought in zip([11, 12, 13, 14], [200, 170, 140, 215]):
        position.play(cross).play(nought)
    assert not position.play(15).is_over


@pytest.mark.parametrize("rule", VARIANTS)
def test_the_second_player_wins_by_the_same_rows(rule):
    position = make_game("gomoku", rule=rule).initial_position()
    for nought, cross in zip([100, 101, 102, 103], [0, 17, 34, 51]):
        position.play(cross).play(nought)
    position.play(224)
    assert position.play(104).outcome.winner == 1


@pytest.mark.parametrize("rule", ["caro", "caro_overline"])
def test_after_a_blocked_five_the_game_goes_on(rule):
    position = play_line(rule, LINES["five, both ends blocked"][0], DIRECTIONS["row"])
    for action in position.legal_actions()[:20]:
        assert not position.play(action).is_over
