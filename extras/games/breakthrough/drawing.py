"""Names of moves, the board as text and as a picture, and the areas to click."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....envs import rules as r
from ....envs.boards.grid import cell_areas, names_at_the_sides, parse_cell
from ....envs.boards.rows import cells_board, register_stone_rows, seen_cells
from ....envs.declaration import Board
from ....envs.pictures.drawing import Disc, Picture, Piece, Rectangle, Ring
from .board import action_of, move_of
from .rules import COLOURS, Breakthrough, has_won

EDGE = 0.6  # room for the cells' names
CELLS, EDGES = ("#e9dcc0", "#c9ad80"), ("#8a8172", "#000000")
MOVED = "#d7263d"  # marks the cells of the last move
# Two cells with nothing or one sign between them: a hyphen for a step, an x for a capture.
MOVE = re.compile(r"\s*([a-z]\d+)\s*[-–x×:]?\s*([a-z]\d+)\s*", re.ASCII | re.IGNORECASE)


def _cells_of(rules: Breakthrough, action: int) -> tuple[int, int]:
    """The start and end cells of an action, row-major."""
    _, first, last = move_of(rules, action)
    return first // 8 * rules.cols + first % 8, last // 8 * rules.cols + last % 8


@r.text_to_action.register(Breakthrough)
def text_to_action(rules: Breakthrough, text: str) -> int:
    cells = MOVE.fullmatch(text)
    if cells is None:
        raise ValueError(f"{text!r} is not a move; a move is two cells, such as a2-a3 or b2xc3")
    first, last = (divmod(parse_cell(*rules, name), rules.cols) for name in cells.groups())
    down, aside = last[0] - first[0], last[1] - first[1]
    if abs(down) != 1 or abs(aside) > 1:
        raise ValueError(
            f"{text!r} is not a move: a piece moves one row forward, straight or diagonally"
        )
    return int(action_of(rules, 8 * first[0] + first[1], aside + 1, 0 if down < 0 else 1))


@r.board.register(Breakthrough)
@functools.cache
def board(rules: Breakthrough) -> Board:
    """The cells; to move, click the piece and then its end cell."""
    places = cells_board(rules, cell_areas(rules, EDGE, EDGE)).places
    actions = range(r.facts(rules).num_actions)
    moves = [[places[cell] for cell in _cells_of(rules, action)] for action in actions]
    return Board(
        places,
        actions=[f"{first.name}-{last.name}" for first, last in moves],
        # a layer for each player and direction
        cells=[
            (first.row, first.column, 3 * (first.row < last.row) + last.column - first.column + 1)
            for first, last in moves
        ],
        areas=[last.area for _, last in moves],
        sources=[first for first, _ in moves],
    )


def _piece_counts(rules: Any, rows: Sequence[str]) -> list[int]:
    return [sum(row.count(mark) for row in rows) for mark in rules.declaration.marks]


def _too_many_pieces(rules: Breakthrough, rows: Sequence[str], player: int) -> list[str]:
    """More pieces could make a game longer than its declared length."""
    most = max(_piece_counts(rules, rows))
    if most <= 2 * rules.cols:
        return []
    return [f"each player has {2 * rules.cols} pieces at most, not {most}"]


def _wins_out_of_turn(rules: Any, rows: Sequence[str], player: int) -> list[str]:
    """Whether both have won, or the player to move."""
    marks, counts = rules.declaration.marks, _piece_counts(rules, rows)
    wins = [
        marks[0] in rows[0] or counts[1] == 0,
        marks[1] in rows[-1] or counts[0] == 0,
    ]
    if all(wins):
        return ["only one player can have won"]
    if wins[player]:
        names = rules.declaration.player_names(marked=True)
        return [f"{names[player]} has won, so {names[1 - player]} must be to move"]
    return []


def _place_pieces(rules: Breakthrough, cells: np.ndarray, player: int, position: Any) -> None:
    """Set up a board for :func:`~plyground.envs.boards.rows.register_stone_rows`."""
    r.start(rules, position)
    position.pieces[:] = 0
    for cell in np.flatnonzero(cells).tolist():
        bit = 8 * (cell // rules.cols) + cell % rules.cols
        position.pieces[cells[cell] - 1] |= np.uint64(1 << bit)
    position.mover = player
    for side in (player, 1 - player):
        if has_won(rules, position.pieces[side], position.pieces[1 - side], np.int64(side)):
            position.winner = side


register_stone_rows(
    Breakthrough,
    _place_pieces,
    turns=lambda rules, first, second: (0, 1),
    faults=_too_many_pieces,
    oddities=_wins_out_of_turn,
    stones_stay=False,
)


@r.picture.register(Breakthrough)
def picture(rules: Breakthrough, position: Any, last_action: int | None) -> Picture:
    """A chequered board with the cells' names at its sides; the last move's cells are marked."""
    last_cells = () if last_action is None else _cells_of(rules, last_action)
    shapes: list[Any] = names_at_the_sides(rules.rows, rules.cols, EDGE)
    cells = seen_cells(rules, position)
    for row, column in np.ndindex(cells.shape):
        shapes.append(Rectangle(column + EDGE, row + EDGE, 1, 1, CELLS[(row + column) % 2]))
    for row, column in np.argwhere(cells):
        at, player = (column + EDGE + 0.5, row + EDGE + 0.5), cells[row, column] - 1
        disc = Disc(*at, 0.36, COLOURS[player]), Ring(*at, 0.35, EDGES[player], 0.03)
        shapes.append(Piece(f"{row} {column}", str(player), disc))
    for row, column in (divmod(cell, rules.cols) for cell in last_cells):
        shapes.append(Disc(column + EDGE + 0.5, row + EDGE + 0.5, 0.1, MOVED))
    return Picture(rules.cols + 2 * EDGE, rules.rows + 2 * EDGE, shapes)
