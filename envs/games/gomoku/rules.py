"""Gomoku and caro: five in a row on a large board, in four rule variants.

Rules. Player 0 (black) and player 1 (white) alternate, a stone on any free cell. A row of
``connect`` (five) in any direction wins (+1, −1) as the variant says; a full board is a draw (0).

- ``freestyle``: five or more in a row win.
- ``standard``: exactly five in a row win; six or more do not.
- ``caro``: exactly five in a row win, unless the opponent's stones stand at both ends. The board's
  edge does not block.
- ``caro_overline``: as caro, and six or more in a row win, blocked or not.

Actions. The cell, row-major from the top left. People write ``a1`` (bottom left) to e.g. ``o15``.

Observation. (size, size, 2): own stones, opponent's stones.

Symmetries. All eight of the square.

Heuristics. ``patterns`` (open and half-open fours, threes, twos, and whose turn it is), ``caro15``
(run lengths), ``caro10`` (windows of five), ``caro15_open`` (run lengths with their free ends); see
:func:`.heuristics.evaluate`.

Sources: the rules of the Gomocup tournament (freestyle, standard, caro); for the three caro
heuristics the course projects this suite started from.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ... import rules as r
from ...boards.grid import COLUMN_LETTERS, DIRECTIONS, cell_areas, count_run
from ...boards.stones import (
    LONGEST_SIDE,
    POSITION,
    board_cells,
    completes_row,
    legal_actions,
    register_stone_rules,
)
from ...compiled.kernels import inner_kernel, kernel
from ...declaration import declare_game
from ...pictures.drawing import (
    Area,
    Disc,
    Line,
    Picture,
    Rectangle,
    Ring,
    Text,
)
from ...specification import Parameter
from .heuristics import evaluate
from .patterns import (
    CARO,
    CARO_OVERLINE,
    FREESTYLE,
    STANDARD,
)
from .profile import PROFILE

__all__ = ["CARO", "CARO_OVERLINE", "FREESTYLE", "STANDARD", "Gomoku"]


def _expand(given: dict[str, Any]) -> dict[str, Any]:
    """``size`` stands for rows and cols."""
    size = given.pop("size", None)
    return given if size is None else {"rows": size, "cols": size} | given


def _contract(values: dict[str, Any]) -> dict[str, Any]:
    if values["rows"] != values["cols"] or values["rows"] == 15:
        return values
    return {"size": values["rows"]} | {
        name: value for name, value in values.items() if name not in ("rows", "cols")
    }


def _check(rules: Gomoku) -> str | None:
    if rules.connect > max(rules.rows, rules.cols):
        return f"{rules.connect} in a row do not fit on {rules.rows} rows and {rules.cols} columns"
    return None


STONE_COLOURS = ("#24272d", "#f6f4ee")  # of player_0 and player_1
MARGIN = 1.15  # of the picture, up to the first line


@declare_game(
    name="gomoku",
    version=0,
    title="Gomoku",
    profile=PROFILE,
    colours=STONE_COLOURS,
    position=POSITION,
    parameters=(
        Parameter("rows", int, 15, "height of the board", 3, LONGEST_SIDE),
        Parameter("cols", int, 15, "width of the board", 3, LONGEST_SIDE),
        Parameter("connect", int, 5, "stones in a row that win", 3, LONGEST_SIDE),
        Parameter(
            "rule",
            str,
            "freestyle",
            "which rows win",
            choices=("freestyle", "standard", "caro", "caro_overline"),
        ),
    ),
    short_forms=(
        Parameter("size", int, None, "an n×n board", 3, LONGEST_SIDE, stands_for=("rows", "cols")),
    ),
    heuristics=("patterns", "caro15", "caro10", "caro15_open"),
    check=_check,
    expand=_expand,
    contract=_contract,
)
class Gomoku(NamedTuple):
    rows: int = 15
    cols: int = 15
    connect: int = 5
    rule: int = FREESTYLE


register_stone_rules(Gomoku)
r.evaluate.register_body(Gomoku)(evaluate)


@kernel
def _is_stone(rules, cells, row, column, stone):
    return (
        0 <= row < rules.rows
        and 0 <= column < rules.cols
        and cells[row * rules.cols + column] == stone
    )


@kernel
def row_wins(rules, cells, action, row_step, col_step):
    """Whether the row through ``action`` wins under the rule variant.

    The row runs in one direction and its opposite.
    """
    stone = cells[action]
    ahead = count_run(cells, rules.rows, rules.cols, action, row_step, col_step, stone)
    behind = count_run(cells, rules.rows, rules.cols, action, -row_step, -col_step, stone)
    length = 1 + ahead + behind
    if length < rules.connect:
        return False
    if length > rules.connect:
        return rules.rule == FREESTYLE or rules.rule == CARO_OVERLINE
    if rules.rule == FREESTYLE or rules.rule == STANDARD:
        return True
    row, column, opponent = action // rules.cols, action % rules.cols, 3 - stone
    blocked_ahead = _is_stone(
        rules, cells, row + (ahead + 1) * row_step, column + (ahead + 1) * col_step, opponent
    )
    blocked_behind = _is_stone(
        rules, cells, row - (behind + 1) * row_step, column - (behind + 1) * col_step, opponent
    )
    return not (blocked_ahead and blocked_behind)


@completes_row.register_body(Gomoku)
def _completes_row(rules, cells, action):
    for row_step, col_step in DIRECTIONS:
        if row_wins(rules, cells, action, row_step, col_step):
            return True
    return False


@inner_kernel
def list_near(rules, stones, radius, out):
    """Write the free cells within ``radius`` rows and columns of a stone into ``out``, ascending.

    ``stones`` holds a bit mask of each row.
    """
    count = 0
    for row in range(rules.rows):
        near = np.int64(0)
        for other in range(max(row - radius, 0), min(row + radius + 1, rules.rows)):
            near |= np.int64(stones[other])
        wide = near
        for shift in range(1, radius + 1):
            wide |= near << shift | near >> shift
        wide &= ~np.int64(stones[row])
        for column in range(rules.cols):
            if wide >> column & 1 != 0:
                out[count] = row * rules.cols + column
                count += 1
    return count


@r.candidates.register_body(Gomoku)
def candidates(rules, position, radius, out):
    """The free cells at most ``radius`` rows and columns from a stone; or the centre."""
    if radius == 0 or position.winner != r.NOBODY:
        return legal_actions(rules, position, out)
    if position.ply == 0:
        out[0] = rules.rows // 2 * rules.cols + rules.cols // 2
        return 1
    stones = np.zeros(rules.rows, np.int64)
    for cell in range(rules.rows * rules.cols):
        if position.cells[cell] != 0:
            stones[cell // rules.cols] |= 1 << (cell % rules.cols)
    return list_near(rules, stones, radius, out)


@r.winning_cells.register(Gomoku)
def winning_cells(rules: Gomoku, position: Any) -> list[tuple[int, int]]:
    cells = board_cells(rules, position)
    flat, found = np.ascontiguousarray(cells).ravel(), set()
    for action in np.flatnonzero(flat):
        row, column = divmod(int(action), rules.cols)
        if any(row_wins(rules, flat, int(action), *direction) for direction in DIRECTIONS):
            found.add((row, column))
    return sorted(found)


def star_points(rules: Gomoku) -> list[tuple[int, int]]:
    """The dots of a wooden board.

    They mark the centre and, on boards of 13 or more, the corners of a square around it.
    """
    if rules.rows % 2 == 0 or rules.cols % 2 == 0:
        return []
    inset = [i for i in (3,) if min(rules.rows, rules.cols) >= 13]
    corners = [
        (y, x) for i in inset for y in (i, rules.rows - 1 - i) for x in (i, rules.cols - 1 - i)
    ]
    return [(rules.rows // 2, rules.cols // 2), *corners]


@r.action_areas.register(Gomoku)
def action_areas(rules: Gomoku) -> list[Area | None]:
    return cell_areas(rules, MARGIN - 0.5, MARGIN - 0.5)


@r.picture.register(Gomoku)
def picture(rules: Gomoku, position: Any, last_action: int | None) -> Picture:
    """A wooden board with stones on the crossings.

    The last stone carries a red dot, the stones of the winning row carry rings.
    """
    cells = board_cells(rules, position)
    margin = MARGIN
    width, height = rules.cols - 1 + 2 * margin, rules.rows - 1 + 2 * margin
    shapes: list[Any] = [
        Rectangle(0, 0, width, height, "#8a6233"),
        Rectangle(0.12, 0.12, width - 0.24, height - 0.24, "#deb573", 0.12),
    ]
    # grain: thin lines that waver, by the fractional parts of multiples of the golden ratio
    for i in range(3 * rules.rows):
        at, tilt = (i * 0.618034) % 1, (i * 0.381966) % 0.3 - 0.15
        y = 0.4 + (height - 0.8) * at
        shapes.append(
            Line(
                0.2,
                y - tilt,
                width - 0.2,
                y + tilt,
                "#d7ab66" if i % 3 else "#e3bd7f",
                0.03 + 0.06 * (i % 4 == 0),
            )
        )
    for row in range(rules.rows):
        shapes.append(Line(margin, row + margin, width - margin, row + margin, "#5b4424", 0.03))
        shapes.append(Text(0.42, row + margin, str(rules.rows - row), "#5b4424", 0.34))
    for column in range(rules.cols):
        shapes.append(
            Line(column + margin, margin, column + margin, height - margin, "#5b4424", 0.03)
        )
        shapes.append(Text(column + margin, height - 0.42, COLUMN_LETTERS[column], "#5b4424", 0.34))
    shapes += [Disc(x + margin, y + margin, 0.1, "#5b4424") for y, x in star_points(rules)]
    for row, column in np.argwhere(cells):
        x, y, black = column + margin, row + margin, cells[row, column] == 1
        shapes.append(Disc(x + 0.04, y + 0.05, 0.45, "#a98248"))
        shapes.append(Disc(x, y, 0.44, "#16181c" if black else "#b9b5aa"))
        shapes.append(Disc(x - 0.02, y - 0.02, 0.41, STONE_COLOURS[0 if black else 1]))
        shapes.append(Disc(x - 0.14, y - 0.15, 0.12, "#40454f" if black else "#ffffff"))
    if last_action is not None:
        row, column = divmod(last_action, rules.cols)
        shapes.append(Disc(column + margin, row + margin, 0.12, "#e0312f"))
    for row, column in winning_cells(rules, position):
        shapes.append(Ring(column + margin, row + margin, 0.42, "#e0312f", 0.06))
    return Picture(width, height, shapes)
