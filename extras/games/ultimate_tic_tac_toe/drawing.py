"""The display of ultimate tic-tac-toe: the board as text, the picture."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....envs import rules as r
from ....envs.boards.grid import COLUMN_LETTERS, cell_name
from ....envs.boards.rows import cells_board, seen_cells, turn_problems
from ....envs.declaration import Board, Place
from ....envs.pictures.drawing import (
    BOX_FILLS,
    PLAYER_COLOURS,
    Line,
    Picture,
    Piece,
    Rectangle,
    Ring,
    Shape,
    Text,
    name_size,
    rectangle_area,
)
from .board import LINES, PLACES, WON, board_of, free_places, is_reached, place_of
from .rules import CELLS, SIDE, UltimateTicTacToe, finish

NAMES = 0.5  # room at the sides with names
GAP = 0.3  # between small boards, and around the grid
FREE, SENT = ".", "+"  # in rows of characters; SENT marks the only open small board
OPEN, FRAME = "#d9ecd2", "#3a8f4f"  # colours of open small boards
FADED = ("#e6a3ae", "#e8cc84")  # colours of marks in won boards
LARGE_LETTERS = ("X.X.X.X.X", "OOOO.OOOO")  # a won small board as text


def _owner_of(position: Any, board: int) -> int | None:
    """The player who has won a small board, or None."""
    return next((player for player in range(2) if position.boards[player] >> board & 1), None)


@r.board_text.register(UltimateTicTacToe)
def board_text(rules: UltimateTicTacToe, position: Any) -> str:
    """The grid with its coordinates; ``.`` is a legal cell.

    A won small board is one large letter.
    """
    symbols = []
    for action, mark in enumerate(seen_cells(rules, position).ravel()):
        board = board_of(action)
        owner, place = _owner_of(position, board), place_of(action)
        if owner is not None:
            symbols.append(LARGE_LETTERS[owner][place].replace(FREE, " "))
        else:
            symbols.append(
                (FREE if position.open >> board & 1 else " ") if mark == 0 else ".XO"[mark]
            )
    lines = []
    for row in range(SIDE):
        thirds = (symbols[SIDE * row + 3 * third :][:3] for third in range(3))
        lines.append(f"{SIDE - row:>2} " + " | ".join(map(" ".join, thirds)))
        if row in (2, 5):
            lines.append("   ------+-------+------")
    letters = (COLUMN_LETTERS[3 * third : 3 * third + 3] for third in range(3))
    return "\n".join(
        [*(line.rstrip() for line in lines), "   " + "   ".join(map(" ".join, letters))]
    )


def corner(index: int) -> float:
    """The start of a row or a column of cells, without the margin of the grid."""
    return index + GAP * (index // 3)


@r.board.register(UltimateTicTacToe)
@functools.cache
def board(rules: UltimateTicTacToe) -> Board:
    """The cells, and a row of small boards, of which one may be marked as the only open board.

    Each small board is named by its central cell and marked in the gap above it.
    """
    areas = [
        rectangle_area(NAMES + corner(column), GAP + corner(row), 1, 1)
        for row, column in np.ndindex(SIDE, SIDE)
    ]
    cells, boards = cells_board(rules, areas), []
    for number in range(PLACES):
        row, column = 3 * (number // 3), 3 * (number % 3)
        name = f"board {cell_name(SIDE, SIDE, SIDE * (row + 1) + column + 1)}"
        area = rectangle_area(NAMES + corner(column), corner(row), 3, GAP)
        boards.append(Place(name, SIDE, number, SENT, area))
    return cells._replace(places=[*cells.places, *boards])


def _boards_not_closed(position: Any) -> int:
    """The small boards that are neither won nor full, as a set."""
    return sum(1 << board for board in range(PLACES) if free_places(position, board))


@r.board_rows.register(UltimateTicTacToe)
def board_rows(rules: UltimateTicTacToe, position: Any) -> list[str]:
    rows = ["".join(".XO"[mark] for mark in row) for row in seen_cells(rules, position)]
    sent = position.open if position.open != _boards_not_closed(position) else 0
    return [*rows, "".join(SENT if sent >> board & 1 else FREE for board in range(PLACES))]


def _sent_boards(rows: Sequence[str]) -> list[int]:
    """The small boards that are marked as open."""
    return [board for board, mark in enumerate(rows[SIDE]) if mark == SENT]


@r.set_up.register(UltimateTicTacToe)
def set_up(rules: Any, rows: Sequence[str], player: int, position: Any) -> None:
    marks, cells, sent = rules.declaration.marks, "".join(rows[:SIDE]), _sent_boards(rows)
    sets = np.zeros((2, PLACES), np.int16)
    r.start(rules, position)
    for action, symbol in enumerate(cells):
        if symbol != FREE:
            sets[marks.index(symbol), board_of(action)] |= 1 << place_of(action)
    position.marks[:] = sets
    for side, board in np.argwhere(WON[sets]):
        position.boards[side] |= 1 << board
    over = WON[position.boards].any()
    not_closed = _boards_not_closed(position)
    for board in sent:
        if not not_closed >> board & 1:
            raise ValueError("a small board that is won or full cannot be marked as open")
    position.open = 0 if over else sum(1 << board for board in sent) or not_closed
    count = CELLS - cells.count(FREE)
    position.ply = count + (count + player & 1)
    finish(rules, position)


@r.problems.register(UltimateTicTacToe)
def problems(rules: Any, rows: Sequence[str], player: int) -> list[str]:
    cells, sent = "".join(rows[:SIDE]), _sent_boards(rows)
    first, second = (cells.count(mark) for mark in rules.declaration.marks)
    odd = turn_problems(rules, first, second, player)
    if len(sent) > 1:
        odd.append("at most one small board can be marked as open")
    position = np.recarray(1, rules.declaration.dtype)[0]
    set_up(rules, rows, player, position)
    if (sent and position.open == 0) or not is_reached(position, player):
        odd.append("no last move leads to these marks and open small boards")
    return odd


def _mark_shapes(player: int, x: float, y: float, size: float, colour: str) -> tuple[Shape, ...]:
    """A cross or a ring around a point; ``size`` is the side of the square that it fills."""
    arm, width = 0.28 * size, 0.1 * size
    if player == 1:
        return (Ring(x, y, arm, colour, width),)
    return (
        Line(x - arm, y - arm, x + arm, y + arm, colour, width),
        Line(x - arm, y + arm, x + arm, y - arm, colour, width),
    )


def small_board(
    rules: Any, position: Any, board: int, last_action: int | None
) -> list[Shape | Piece]:
    """One small board: background, lines, marks, and its winner's mark."""
    left, top = NAMES + corner(board % 3 * 3), GAP + corner(board // 3 * 3)
    owner, is_open = _owner_of(position, board), position.open >> board & 1
    ground = OPEN if is_open else "#fffdf8" if owner is None else BOX_FILLS[owner]
    frame = FRAME if is_open else ground
    shapes: list[Shape | Piece] = [
        Rectangle(left - 0.06, top - 0.06, 3.12, 3.12, frame, 0.1),
        Rectangle(left, top, 3, 3, ground, 0.06),
    ]
    if last_action is not None and board_of(last_action) == board:
        row, column = divmod(int(place_of(last_action)), 3)
        shapes.append(Rectangle(left + column, top + row, 1, 1, "#d8d0bd"))
    for step in (1, 2):
        shapes.append(Line(left, top + step, left + 3, top + step, "#b3ab9b", 0.03))
        shapes.append(Line(left + step, top, left + step, top + 3, "#b3ab9b", 0.03))
    colours = PLAYER_COLOURS if owner is None else FADED
    for place in range(PLACES):
        for player in range(2):
            if position.marks[player, board] >> place & 1:
                x, y = left + place % 3 + 0.5, top + place // 3 + 0.5
                mark = _mark_shapes(player, x, y, 1, colours[player])
                shapes.append(Piece(f"{board} {place}", str(player), mark))
    if owner is not None:
        large = _mark_shapes(owner, left + 1.5, top + 1.5, 3.6, PLAYER_COLOURS[owner])
        shapes.append(Piece(f"{board}", f"board {owner}", large))
    return shapes


@r.picture.register(UltimateTicTacToe)
def picture(rules: UltimateTicTacToe, position: Any, last_action: int | None) -> Picture:
    """The small boards between thick lines; open boards are green.

    A won board has a large mark over faded ones; the last cell is tinted, and a line joins the
    three boards that won the game.
    """
    far = corner(SIDE - 1) + 1
    shapes: list[Shape | Piece] = []
    for board in range(PLACES):
        shapes += small_board(rules, position, board, last_action)
    for third in (3, 6):
        at = corner(third) - GAP / 2
        shapes.append(Line(NAMES, GAP + at, NAMES + far, GAP + at, "#4a4a4a", 0.07))
        shapes.append(Line(NAMES + at, GAP, NAMES + at, GAP + far, "#4a4a4a", 0.07))
    for line in LINES[(LINES & position.boards[:, None] == LINES).any(axis=0)]:
        boards = [board for board in range(PLACES) if line >> board & 1]
        ends = [(corner(at % 3 * 3) + 1.5, corner(at // 3 * 3) + 1.5) for at in boards[::2]]
        (x1, y1), (x2, y2) = ends
        shapes.append(Line(NAMES + x1, GAP + y1, NAMES + x2, GAP + y2, "#20242b", 0.14))
    side = far + NAMES + GAP
    size = name_size(side, side)
    for index in range(SIDE):
        middle = corner(index) + 0.5
        shapes.append(Text(NAMES / 2, GAP + middle, str(SIDE - index), "#6b6558", size))
        letter = COLUMN_LETTERS[index]
        shapes.append(Text(NAMES + middle, GAP + far + NAMES / 2, letter, "#6b6558", size))
    return Picture(side, side, shapes)
