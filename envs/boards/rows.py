"""Boards as rows of characters, for writing and reading positions.

A row is a text with one character for each place, ``.`` for a free one. The text of a position
replaces runs of free places by their number, as in the Forsyth-Edwards notation of chess:
``3/1X1/2O:X`` is a board of three rows, the top row first, with X to move.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import rules as r
from ..declaration import Board, Place
from ..pictures.drawing import Area
from .grid import cell_name

FREE = "."
BETWEEN, TURN = "/", ":"  # between rows, and before the player to move

# The possible players to move, by the rules and the numbers of both players' stones.
Turns = Callable[[Any, int, int], tuple[int, ...]]


def write_rows(rules: Any, rows: Sequence[str], player: int) -> str:
    """The text of a board with a player to move."""
    short = (re.sub(r"\.+", lambda free: str(len(free[0])), row) for row in rows)
    return f"{BETWEEN.join(short)}{TURN}{rules.declaration.marks[player]}"


def read_rows(rules: Any, text: str) -> tuple[list[str], int | None]:
    """The rows of a board, and the player to move, None if the text does not say.

    Raises:
        ValueError: the text does not fit the board.
    """
    places = r.board(rules).places
    board, _, turn = text.strip().partition(TURN)
    texts = board.split(BETWEEN)
    if not places:  # the game reads its rows itself, or has none
        return texts, _read_turn(rules, turn.strip())
    height = 1 + max(place.row for place in places)
    if len(texts) != height:
        raise ValueError(f"it has {height} rows, with / between them, not {len(texts)}")
    rows = [re.sub(r"[0-9]{1,3}", lambda number: FREE * int(number[0]), row) for row in texts]
    widths = [0] * height
    for place in places:
        widths[place.row] = max(widths[place.row], place.column + 1)
    for number, (row, width) in enumerate(zip(rows, widths), 1):
        if len(row) != width:
            raise ValueError(
                f"row {number} has {width} places, not {len(row)}; a number stands for that "
                f"many free places"
            )
    characters = [list(row) for row in rows]
    for place in places:
        symbols = {symbol.upper(): symbol for symbol in FREE + place.symbols}
        mark = symbols.get(characters[place.row][place.column].upper())
        if mark is None:
            raise ValueError(
                f"{place.name} is free or {' or '.join(place.symbols)}, not "
                f"{characters[place.row][place.column]!r}"
            )
        characters[place.row][place.column] = mark
    return ["".join(row) for row in characters], _read_turn(rules, turn.strip())


def _read_turn(rules: Any, turn: str) -> int | None:
    """The player of a mark."""
    marks = [mark.upper() for mark in rules.declaration.marks]
    if turn and turn.upper() not in marks:
        names = rules.declaration.player_names(marked=True)
        raise ValueError(f"{' or '.join(names)} is to move, not {turn!r}")
    return marks.index(turn.upper()) if turn else None


def alternate(rules: Any, first: int, second: int) -> tuple[int, ...]:
    """The possible players to move if the players place stones in turn."""
    return ((first + second) & 1,) if first - second in (0, 1) else ()


def turn_problems(
    rules: Any, first: int, second: int, player: int, turns: Turns = alternate
) -> list[str]:
    """Why the player cannot be to move with these numbers of stones on the board."""
    names, movers = rules.declaration.player_names(marked=True), turns(rules, first, second)
    if not movers:
        return [
            f"{first} {names[0]} and {second} {names[1]} cannot be: {names[0]} "
            f"begins and the players alternate"
        ]
    return [] if player in movers else [f"{names[movers[0]]} is to move, not {names[player]}"]


# The faults of a board, by the rules, its rows and the player to move.
Faults = Callable[[Any, Sequence[str], int], list[str]]


def _no_faults(rules: Any, rows: Sequence[str], player: int) -> list[str]:
    return []


def seen_cells(rules: Any, position: Any) -> np.ndarray:
    """The board as (rows, cols): 0 free, 1 and 2 the players' stones.

    For games that observe own and opponent's stones in the first two planes.
    """
    planes = np.zeros(r.facts(rules).observation_shape, np.int8)
    r.observe(rules, position, 0, planes)
    cells: np.ndarray = planes[..., 0] + 2 * planes[..., 1]
    return cells


def cells_board(
    rules: Any, areas: Sequence[Area | None] = (), extra: str = "", from_top: bool = False
) -> Board:
    """The board of a game whose actions are its cells, and perhaps one more.

    Args:
        rules: the rules of a game that observes as many rows and columns as its board has.
        areas: the areas of the cells in a picture, row-major; none: the game has no picture.
        extra: the name of the action after the cells, which has no place.
        from_top: whether rows are numbered from the top.
    """
    rows, cols, _ = r.facts(rules).observation_shape
    symbols, areas = "".join(rules.declaration.marks), areas or [None] * (rows * cols)
    places = [
        Place(cell_name(rows, cols, cell, from_top), cell // cols, cell % cols, symbols, area)
        for cell, area in enumerate(areas)
    ]
    more = r.facts(rules).num_actions - len(places)
    return Board(
        places,
        actions=[place.name for place in places] + [extra] * more,
        kind="cell",
        cells=[(place.row, place.column, 0) for place in places] + [(-1, -1, -1)] * more,
        areas=[*areas] + [None] * more,
    )


def register_stone_rows(
    rules_type: Any,
    place_stones: Callable[[Any, np.ndarray, int, Any], None],
    *,
    turns: Turns = alternate,
    faults: Faults = _no_faults,
    oddities: Faults = _no_faults,
    stones_stay: bool = True,
) -> None:
    """Register the rules about positions as rows for a game of stones on the cells of a board.

    Args:
        rules_type: the rules type of the game. It observes own and opponent's stones in the first
            two planes; in a third, if there is one, whether the observer is player 0.
        place_stones: sets up the record (last) with the cells, int8 (rows * cols), row-major, 0
            free, 1 and 2 the players' stones, and a player to move. If both have a row, the player
            who moved last has won.
        turns: the possible players to move.
        faults: why the record cannot hold a board.
        oddities: why a board is unreachable, apart from its numbers of stones.
        stones_stay: whether a move only adds one stone to the board.
    """

    def board_rows(rules: Any, position: Any) -> list[str]:
        symbols = FREE + "".join(rules.declaration.marks)
        return ["".join(symbols[stone] for stone in row) for row in seen_cells(rules, position)]

    def set_up(rules: Any, rows: Sequence[str], player: int, position: Any) -> None:
        for fault in faults(rules, rows, player):
            raise ValueError(fault)
        place_stones(rules, _cells(rules, rows), player, position)

    def problems(rules: Any, rows: Sequence[str], player: int) -> list[str]:
        first, second = (sum(row.count(mark) for row in rows) for mark in rules.declaration.marks)
        odd = faults(rules, rows, player) + oddities(rules, rows, player)
        odd += turn_problems(rules, first, second, player, turns)
        if not odd and stones_stay and _was_over_before(rules, rows, player, place_stones):
            odd.append("the game was over before its last stone")
        return odd

    r.board_rows.register(rules_type)(board_rows)
    r.set_up.register(rules_type)(set_up)
    r.problems.register(rules_type)(problems)


def _cells(rules: Any, rows: Sequence[str]) -> np.ndarray:
    """A board as int8 (rows * cols): 0 free, 1 and 2 the players' stones."""
    symbols = FREE + "".join(rules.declaration.marks)
    return np.array([symbols.index(symbol) for row in rows for symbol in row], np.int8)


def _was_over_before(rules: Any, rows: Sequence[str], player: int, place_stones: Any) -> bool:
    """Whether a game was over before its last stone, whichever stone that was.

    Two winners, a winner who is to move, and rows that no single stone completes count too.
    """
    cells, position = _cells(rules, rows), np.recarray(1, rules.declaration.dtype)[0]
    place_stones(rules, cells, player, position)
    if not r.is_over(rules, position):
        return False
    for cell in np.flatnonzero(cells == 2 - player):
        cells[cell] = 0
        place_stones(rules, cells, 1 - player, position)
        if not r.is_over(rules, position):
            return False
        cells[cell] = 2 - player
    return True
