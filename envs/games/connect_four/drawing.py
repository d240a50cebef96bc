"""The display of connect four: names of columns, the board as text, the picture."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import rules as r
from ...boards.grid import COLUMN_LETTERS, cell_areas, cell_name
from ...boards.rows import cells_board, register_stone_rows, seen_cells
from ...boards.stones import OUT_OF_TURN, cells_in_rows, place_stones
from ...declaration import Board
from ...pictures.drawing import (
    PLAYER_COLOURS,
    PLAYER_SHADES,
    Disc,
    Panel,
    Picture,
    Piece,
    Rectangle,
    Ring,
    Text,
    name_size,
    rectangle_area,
)
from .rules import ConnectFour, connects
from .wide import WideConnectFour

MARGIN, LETTERS = 0.35, 0.5  # margin around the holes, height of the letters below the panel


r.winning_cells.register(ConnectFour)(cells_in_rows)


@r.board.register(ConnectFour)
@functools.cache
def board(rules: ConnectFour) -> Board:
    """Squares around the holes, and whole columns, letters included, as click areas."""
    holes = cell_areas(rules, MARGIN, MARGIN - 0.04)
    height = rules.rows + 2 * MARGIN + LETTERS
    columns = [rectangle_area(MARGIN + column, 0, 1, height) for column in range(rules.cols)]
    return cells_board(rules, holes)._replace(
        actions=COLUMN_LETTERS[: rules.cols],
        kind="column",
        cells=[(-1, column, 0) for column in range(rules.cols)],
        areas=columns,
    )


def _floating_discs(rules: ConnectFour, rows: Sequence[str], player: int) -> list[str]:
    """The faults of discs above free places."""
    faults = []
    for row, column in np.ndindex(rules.rows - 1, rules.cols):
        if rows[row][column] != "." and rows[row + 1][column] == ".":
            name = cell_name(rules.rows, rules.cols, row * rules.cols + column)
            faults.append(f"the disc on {name} floats: the place below it is free")
    return faults


def place_discs(rules: ConnectFour, cells: np.ndarray, player: int, position: Any) -> None:
    """Set up a board for :func:`~plyground.envs.boards.rows.register_stone_rows`."""
    r.start(rules, position)
    for cell in np.flatnonzero(cells).tolist():
        bit = cell % rules.cols * (rules.rows + 1) + rules.rows - 1 - cell // rules.cols
        position.stones[cells[cell] - 1] |= np.uint64(1 << bit)
    discs = int(np.count_nonzero(cells))
    position.ply = discs if discs & 1 == player else discs + OUT_OF_TURN
    for side in (player, 1 - player):
        if connects(position.stones[side], rules.rows, rules.connect):
            position.winner = side


register_stone_rows(ConnectFour, place_discs, faults=_floating_discs)
register_stone_rows(WideConnectFour, place_stones, faults=_floating_discs)


@r.picture.register(ConnectFour)
def picture(rules: ConnectFour, position: Any, last_action: int | None) -> Picture:
    """A blue panel with round holes above the columns' letters; discs stand behind it.

    The last disc carries a dot, the discs of the winning row carry rings.
    """
    cells = seen_cells(rules, position)
    rows, cols = cells.shape
    margin, letters = MARGIN, LETTERS
    height = rows + 2 * margin
    shapes: list[Any] = [
        # the shaded lower edge of the panel
        Rectangle(0.1, 0.14, cols + 2 * margin - 0.2, height - 0.2, "#17396f", 0.35)
    ]
    holes = [
        (column + 0.5 + margin, row + 0.46 + margin, 0.41)
        for row, column in np.ndindex(cells.shape)
    ]
    shapes += [Disc(*hole, "#f7f4ee") for hole in holes]
    for row, column in np.argwhere(cells):
        x, y, player = column + 0.5 + margin, row + 0.46 + margin, cells[row, column] - 1
        colour, shade = PLAYER_COLOURS[player], PLAYER_SHADES[player]
        disc = (
            Disc(x, y, 0.41, shade),
            Disc(x, y - 0.02, 0.38, colour),
            Ring(x, y - 0.02, 0.27, shade, 0.045),
        )
        shapes.append(Piece(f"{row} {column}", str(player), disc, enters="drops"))
    panel = (0.1, 0.06, cols + 2 * margin - 0.2, height - 0.2)
    shapes.append(Panel(*panel, "#2459b8", 0.35, tuple(holes)))
    shapes += [Ring(x, y, radius, "#1a458f", 0.05) for x, y, radius in holes]
    if last_action is not None:
        row = int(np.argmax(cells[:, last_action] != 0))
        shapes.append(Disc(last_action + 0.5 + margin, row + 0.44 + margin, 0.11, "#ffffff"))
    for row, column in cells_in_rows(rules, position):
        shapes.append(Ring(column + 0.5 + margin, row + 0.46 + margin, 0.41, "#ffffff", 0.08))
    width, size = cols + 2 * margin, name_size(cols + 2 * margin, height + letters)
    for column, letter in enumerate(COLUMN_LETTERS[:cols]):
        shapes.append(Text(column + 0.5 + margin, height + 0.2, letter, "#6b6558", size))
    return Picture(width, height + letters, shapes)
