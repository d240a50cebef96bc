"""Gomoku and caro: five in a row on a large board, in four rule variants.

Rules. Player 0 (black) and player 1 (white) alternate, a stone on any free cell. A row of ``connect`` (five) in any direction wins (+1, −1) as the
variant says; a full board is a draw (0).

===============  ================================================================================================
``freestyle``    five or more in a row win
``standard``     exactly five in a row win; six or more do not
``caro``         exactly five in a row win, unless the opponent's stones stand at both ends; the board's edge does not block
``caro_overline``  as caro, and six or more in a row win, blocked or not
===============  ================================================================================================

Actions. The cell, row-major from the top left. People write ``a1`` (bottom left) to e.g. ``o15``.

Observation. (size, size, 2): own stones, opponent's stones.

Symmetries. All eight of the square.

Sources: the rules of the Gomocup tournament (freestyle, standard, caro); SYSTEMS.md G1, R1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import rules as r
from .declaration import declare_game
from .drawing import Disc, Line, Picture, Rectangle, Ring, Text
from .grid import COLUMN_LETTERS, DIRECTIONS, count_run
from .kernels import kernel
from .specification import Parameter
from .stones import POSITION, board_cells, completes_row, count_windows, register_stone_rules

FREESTYLE, STANDARD, CARO, CARO_OVERLINE = range(4)
CARO10 = 0  # heuristics, in the order of the declaration


def _expand(given: dict[str, Any]) -> dict[str, Any]:
    """``size`` stands for rows and cols."""
    size = given.pop("size", None)
    return given if size is None else {"rows": size, "cols": size} | given


def _contract(values: dict[str, Any]) -> dict[str, Any]:
    if values["rows"] != values["cols"] or values["rows"] == 15:
        return values
    return {"size": values["rows"]} | {name: value for name, value in values.items() if name not in ("rows", "cols")}


def _check(rules: Gomoku) -> str | None:
    if rules.connect > max(rules.rows, rules.cols):
        return f"{rules.connect} in a row do not fit on {rules.rows} rows and {rules.cols} columns"
    return None


@declare_game(
    name="gomoku",
    version=0,
    title="Gomoku",
    position=POSITION,
    parameters=(
        Parameter("rows", int, 15, "height of the board", 3, 19),
        Parameter("cols", int, 15, "width of the board", 3, 19),
        Parameter("connect", int, 5, "stones in a row that win", 3, 19),
        Parameter("rule", str, "freestyle", "which rows win", choices=("freestyle", "standard", "caro", "caro_overline")),
    ),
    short_forms=(Parameter("size", int, None, "an n×n board", 3, 19),),
    heuristics=("caro10",),
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


@kernel
def _is_stone(rules, cells, row, column, stone):
    return 0 <= row < rules.rows and 0 <= column < rules.cols and cells[row * rules.cols + column] == stone


@kernel
def row_wins(rules, cells, action, row_step, col_step):
    """Whether the row through ``action`` in one direction (and its opposite) wins under the rule variant."""
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
    blocked_ahead = _is_stone(rules, cells, row + (ahead + 1) * row_step, column + (ahead + 1) * col_step, opponent)
    blocked_behind = _is_stone(rules, cells, row - (behind + 1) * row_step, column - (behind + 1) * col_step, opponent)
    return not (blocked_ahead and blocked_behind)


@completes_row.register_body(Gomoku)
def _completes_row(rules, cells, action):
    for row_step, col_step in ((0, 1), (1, 0), (1, 1), (1, -1)):
        if row_wins(rules, cells, action, row_step, col_step):
            return True
    return False


@r.evaluate.register_body(Gomoku)
def evaluate(rules, position, player, heuristic):
    """``caro10``: windows of five (SYSTEMS.md R1).

    Own 5, 4, 3, 2, 1 stones with the rest free count 100,000, 1,000, 100, 10, 1; the opponent's 5, 4, 3, 2 the same, negative.
    """
    counts = np.zeros((2, rules.connect + 1), np.int64)
    count_windows(rules, position.cells, player, counts)
    points, weight = counts[0, 1], 10
    for stones in range(2, rules.connect):
        points += weight * (counts[0, stones] - counts[1, stones])
        weight *= 10
    return points + 100_000 * (counts[0, rules.connect] - counts[1, rules.connect])


def winning_row(rules: Gomoku, cells: np.ndarray) -> list[tuple[int, int]]:
    """The (row, column) of the stones in winning rows; ``cells`` is (rows, cols)."""
    flat, found = np.ascontiguousarray(cells).ravel(), set()
    for action in np.flatnonzero(flat):
        row, column = divmod(int(action), rules.cols)
        if any(row_wins(rules, flat, int(action), *direction) for direction in DIRECTIONS):
            found.add((row, column))
    return sorted(found)


def star_points(rules: Gomoku) -> list[tuple[int, int]]:
    """Where a wooden board carries dots: the centre, and the corners of a square around it on boards of 13 or more."""
    if rules.rows % 2 == 0 or rules.cols % 2 == 0:
        return []
    inset = [i for i in (3,) if min(rules.rows, rules.cols) >= 13]
    corners = [(y, x) for i in inset for y in (i, rules.rows - 1 - i) for x in (i, rules.cols - 1 - i)]
    return [(rules.rows // 2, rules.cols // 2), *corners]


@r.picture.register(Gomoku)
def picture(rules: Gomoku, position: Any, last_action: int | None) -> Picture:
    """A wooden board with stones on the crossings; the last stone carries a red dot, the winning row rings."""
    cells = board_cells(rules, position)
    margin = 1.15
    width, height = rules.cols - 1 + 2 * margin, rules.rows - 1 + 2 * margin
    shapes: list[Any] = [Rectangle(0, 0, width, height, "#8a6233"), Rectangle(0.12, 0.12, width - 0.24, height - 0.24, "#deb573", 0.12)]
    for i in range(3 * rules.rows):  # grain: thin lines that waver, by the fractional parts of multiples of the golden ratio
        at, tilt = (i * 0.618034) % 1, (i * 0.381966) % 0.3 - 0.15
        y = 0.4 + (height - 0.8) * at
        shapes.append(Line(0.2, y - tilt, width - 0.2, y + tilt, "#d7ab66" if i % 3 else "#e3bd7f", 0.03 + 0.06 * (i % 4 == 0)))
    for row in range(rules.rows):
        shapes.append(Line(margin, row + margin, width - margin, row + margin, "#5b4424", 0.03))
        shapes.append(Text(0.42, row + margin, str(rules.rows - row), "#5b4424", 0.34))
    for column in range(rules.cols):
        shapes.append(Line(column + margin, margin, column + margin, height - margin, "#5b4424", 0.03))
        shapes.append(Text(column + margin, height - 0.42, COLUMN_LETTERS[column], "#5b4424", 0.34))
    shapes += [Disc(x + margin, y + margin, 0.1, "#5b4424") for y, x in star_points(rules)]
    for row, column in np.argwhere(cells):
        x, y, black = column + margin, row + margin, cells[row, column] == 1
        shapes.append(Disc(x + 0.04, y + 0.05, 0.45, "#a98248"))
        shapes.append(Disc(x, y, 0.44, "#16181c" if black else "#b9b5aa"))
        shapes.append(Disc(x - 0.02, y - 0.02, 0.41, "#24272d" if black else "#f6f4ee"))
        shapes.append(Disc(x - 0.14, y - 0.15, 0.12, "#40454f" if black else "#ffffff"))
    if last_action is not None:
        row, column = divmod(last_action, rules.cols)
        shapes.append(Disc(column + margin, row + margin, 0.12, "#e0312f"))
    for row, column in winning_row(rules, cells):
        shapes.append(Ring(column + margin, row + margin, 0.42, "#e0312f", 0.06))
    return Picture(width, height, shapes)
