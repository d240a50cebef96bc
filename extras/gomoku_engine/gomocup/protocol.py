"""Common parts of both ends of the Gomocup protocol: boards, cells, positions.

Every line is a command or an answer. A cell is ``x,y``, the column and the row from the top left,
counted from 0. Sources: https://plastovicka.github.io/protocl2en.htm, for ``SWAP2BOARD``
https://gomocup.org/news/experimental-tournament-update-2020/, and for ``YXBOARD``, which is
``BOARD`` without an answer, https://github.com/accreator/Yixin-Board.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ....envs.game import Game, IllegalActionError, Position
from ....envs.games.gomoku.gomocup import CONNECT, GAME, RULES
from ....envs.registry import make_game
from ....envs.specification import SpecificationError

OWN, OPPONENT = 1, 2  # the third number of a line of BOARD
# The opening swap2: the first player places two black stones and a white one near the centre; the
# second takes a side, or places two more and leaves the choice to the first. Source: the rules of
# Gomocup's swap2 league.
SWAP2_STONES = (0, 3, 5)  # on the board when an engine is asked


class ProtocolError(ValueError):
    """An impossible line; the message becomes the answer ``ERROR``."""


class Stone(NamedTuple):
    """A stone on the board: its cell and its owner (``OWN`` or ``OPPONENT``)."""

    action: int
    owner: int


def make_board(cols: int, rows: int, rule: int) -> Game:
    """The game of a board and a rule's number.

    Raises:
        ProtocolError: plyground does not support it.
    """
    if rule not in RULES:
        rules = ", ".join(f"{number} {name}" for number, name in RULES.items())
        raise ProtocolError(f"rule {rule} is not known; the rules are {rules}")
    try:
        return make_game(f"{GAME}:rows={rows},cols={cols},connect={CONNECT},rule={RULES[rule]}")
    except SpecificationError as error:
        raise ProtocolError(str(error)) from None


def plain_line(text: str) -> str:
    """A line without its line ending and without a byte order mark."""
    return text.lstrip("\ufeff").strip()


def check_cells(stones: Sequence[Stone]) -> None:
    """ProtocolError if a cell is taken twice."""
    if len({stone.action for stone in stones}) < len(stones):
        raise ProtocolError("two stones are on one cell")


def read_numbers(text: str, example: str) -> list[int]:
    """Integers separated by commas, as many as in the example, or ProtocolError."""
    parts = [part.strip() for part in text.split(",")]
    whole = all(re.fullmatch(r"-?\d{1,12}", part, re.ASCII) for part in parts)
    if len(parts) != len(example.split(",")) or not whole:
        raise ProtocolError(f"{text[:40]!r} is not of the form {example}")
    return [int(part) for part in parts]


def read_cell(game: Game, text: str) -> int:
    """The action of ``x,y``; ProtocolError if it is not a cell of the board."""
    column, row = read_numbers(text, "7,8")
    return cell_at(game, column, row)


def cell_at(game: Game, column: int, row: int) -> int:
    """The action of a column and a row; ProtocolError if it is off the board."""
    rows, cols = int(game.rules.rows), int(game.rules.cols)
    if not (0 <= column < cols and 0 <= row < rows):
        raise ProtocolError(f"{column},{row} is off the board of {cols}x{rows}")
    return row * cols + column


def position_of(game: Game, stones: Sequence[Stone]) -> Position:
    """The position with these stones, with the engine to move.

    Its moves are known if the stones, in their order, are moves of a game.

    Raises:
        ProtocolError: a cell is taken twice, or by the numbers of stones the opponent is to move.
    """
    owners = [stone.owner for stone in stones]
    ahead = owners.count(OPPONENT) - owners.count(OWN)
    check_cells(stones)
    if ahead not in (0, 1):
        raise ProtocolError(
            f"with {owners.count(OWN)} own stones and {owners.count(OPPONENT)} of the opponent it "
            f"is not the engine's turn"
        )
    first = OPPONENT if ahead else OWN
    in_turn = [first if ply % 2 == 0 else OWN + OPPONENT - first for ply in range(len(stones))]
    if owners == in_turn:
        try:
            return game.position([stone.action for stone in stones])
        except IllegalActionError:
            pass  # in this order the game would have ended before
    planes = np.zeros(game.facts.observation_shape, np.int8)
    for action, owner in stones:
        planes[*divmod(action, int(game.rules.cols)), owner - 1] = 1
    try:
        return game.position_from_observation(planes)
    except ValueError as error:
        raise ProtocolError(str(error)) from None


def stones_of(position: Position) -> list[Stone]:
    """The stones of a position as the player to move sees them, in their order if it is known."""
    moves = position.moves
    if moves is not None:
        mover = position.to_move
        return [
            Stone(action, OWN if ply % 2 == mover else OPPONENT) for ply, action in enumerate(moves)
        ]
    planes = position.observation()
    cells_by_owner = [np.flatnonzero(planes[:, :, plane]) for plane in (0, 1)]
    return [
        Stone(int(action), owner)
        for owner, cells in zip((OWN, OPPONENT), cells_by_owner)
        for action in cells
    ]
