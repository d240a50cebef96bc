"""Boards as rows of characters, from which positions are written and read.

A row is a text with one character for each of its places, ``.`` for a free one. The text of a
position shortens free places to their number, as in the Forsyth-Edwards notation of chess:
``3/1X1/2O:X`` is a board of three rows, the top row first, with X to move.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import rules as r
from ..declaration import Place
from ..pictures.drawing import Area
from .grid import cell_name, seen_cells

FREE = "."
BETWEEN, TURN = "/", ":"  # between rows, and before the player to move

# The players who may be to move, by the rules and the numbers of both players' stones.
Turns = Callable[[Any, int, int], tuple[int, ...]]


def write_rows(rules: Any, rows: Sequence[str], player: int) -> str:
    """The text of a board with a player to move."""
    short = (re.sub(r"\.+", lambda free: str(len(free[0])), row) for row in rows)
    return f"{BETWEEN.join(short)}{TURN}{rules.declaration.marks[player]}"


def read_rows(rules: Any, text: str) -> tuple[list[str], int | None]:
    """The rows of a board, and the player to move, None where the text does not say.

    Raises:
        ValueError: the text does not fit the board.
    """
    places = r.board_places(rules)
    if not places:
        raise ValueError("positions of this game are reached by moves only")
    board, _, turn = text.strip().partition(TURN)
    texts = board.split(BETWEEN)
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
                f"row {number} has {width} places, not {len(row)}; a number stands for so many "
                f"free ones"
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
        raise ValueError(f"{' or '.join(rules.declaration.marks)} is to move, not {turn!r}")
    return marks.index(turn.upper()) if turn else None


def alternate(rules: Any, first: int, second: int) -> tuple[int, ...]:
    """Who may be to move where the players put a stone on the board in turn."""
    return ((first + second) & 1,) if first - second in (0, 1) else ()


def check_turn(rules: Any, first: int, second: int, player: int, turns: Turns = alternate) -> None:
    """ValueError where the player cannot be to move with so many stones of both on the board."""
    marks, movers = rules.declaration.marks, turns(rules, first, second)
    if not movers:
        raise ValueError(
            f"{first} {marks[0]} and {second} {marks[1]} cannot be where {marks[0]} begins and "
            f"both take turns"
        )
    if player not in movers:
        raise r.WrongTurnError(f"{marks[movers[0]]} is to move, not {marks[player]}")


def register_stone_rows(
    rules_type: Any,
    *,
    areas: Callable[[Any], Sequence[Area | None]] | None = None,
    turns: Turns = alternate,
    check: Callable[[Any, Sequence[str], int], None] = lambda rules, rows, player: None,
    stones_stay: bool = True,
    from_top: bool = False,
) -> None:
    """Register the rules about rows for a game of stones on the cells of a board.

    Args:
        rules_type: of the game. It observes own and opponent's stones in the first two planes; in
            a third, if there is one, whether the observer is player 0.
        areas: of the cells on the picture, row-major; None: those of the actions.
        turns: who may be to move.
        check: raises ValueError for a board that cannot be, or WrongTurnError where the player
            cannot be to move; only the game knows why.
        stones_stay: whether a move puts one stone on the board and changes no other.
        from_top: whether rows are numbered from the top.
    """

    def board_places(rules: Any) -> list[Place]:
        rows, cols, _ = r.facts(rules).observation_shape
        cell_areas = r.action_areas(rules) if areas is None else areas(rules)
        symbols = "".join(rules.declaration.marks)
        return [
            Place(cell_name(rows, cols, cell, from_top), cell // cols, cell % cols, symbols, area)
            for cell, area in enumerate(cell_areas[: rows * cols])
        ]

    def board_rows(rules: Any, position: Any) -> list[str]:
        symbols = FREE + "".join(rules.declaration.marks)
        return ["".join(symbols[stone] for stone in row) for row in seen_cells(rules, position)]

    def observation_of_rows(rules: Any, rows: Sequence[str], player: int) -> np.ndarray:
        marks = rules.declaration.marks
        first, second = (sum(row.count(mark) for row in rows) for mark in marks)
        check(rules, rows, player)
        check_turn(rules, first, second, player, turns)
        planes = np.zeros(r.facts(rules).observation_shape, np.int8)
        for plane, mark in ((0, marks[player]), (1, marks[1 - player])):
            planes[..., plane] = [[symbol == mark for symbol in row] for row in rows]
        planes[..., 2:] = player == 0
        if stones_stay:
            _check_last_stone(rules, planes)
        return planes

    r.board_places.register(rules_type)(board_places)
    r.board_rows.register(rules_type)(board_rows)
    r.observation_of_rows.register(rules_type)(observation_of_rows)


def _check_last_stone(rules: Any, planes: np.ndarray) -> None:
    """ValueError if a game is over that was over before its last stone, whichever that was.

    It refuses two winners, a winner who is to move, and rows that no one stone completes.
    """
    position = _position_of(rules, planes)
    if position is None or not r.is_over(rules, position):
        return
    before = planes.copy()
    before[..., 0], before[..., 1] = planes[..., 1], planes[..., 0]
    before[..., 2:] = 1 - planes[..., 2:]
    for row, column in np.argwhere(before[..., 0]):
        before[row, column, 0] = 0
        earlier = _position_of(rules, before)
        if earlier is not None and not r.is_over(rules, earlier):
            return
        before[row, column, 0] = 1
    raise ValueError("the game was over before its last stone")


def _position_of(rules: Any, planes: np.ndarray) -> Any:
    """The record of the position that looks like this to the player to move, or None."""
    position = np.recarray(1, rules.declaration.dtype)[0]
    r.from_observation(rules, planes, position)
    observation = np.zeros_like(planes)
    r.observe(rules, position, r.to_move(rules, position), observation)
    return position if np.array_equal(observation, planes) else None
