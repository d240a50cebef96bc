"""The display of Kalah: names of pits, the board as text, the picture."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....envs import rules as r
from ....envs.boards.grid import COLUMN_LETTERS
from ....envs.declaration import Board
from ....envs.pictures.drawing import (
    BOX_FILLS,
    PLAYER_COLOURS,
    Disc,
    Picture,
    Piece,
    Rectangle,
    Ring,
    Shape,
    Text,
    name_size,
    rectangle_area,
)
from .rules import NOBODY, Kalah, first_pit, store_of

SIDE, HEIGHT = 1.5, 3.8  # the width of a store with its margin, and the height of the picture
ROWS = (2.7, 1.1)  # the heights of the pits' centres of player 0 and of player 1
PIT_RADIUS, SEED_RADIUS = 0.44, 0.085
GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))  # arranges seeds as in a sunflower
WOOD, INK, FAINT = "#c99f68", "#20242b", "#6b6558"


@r.board_text.register(Kalah)
def board_text(rules: Any, position: Any) -> str:
    """The pits with their names, the second player's above, and the seeds in the stores."""
    names = list(COLUMN_LETTERS[: rules.pits])
    sides = [
        [str(int(position.seeds[first_pit(rules, player) + pit])) for pit in range(rules.pits)]
        for player in range(2)
    ]
    (one, other), players = rules.declaration.marks, rules.declaration.player_names(marked=True)
    rows = [("", names[::-1]), (other, sides[1][::-1]), (one, sides[0]), ("", names)]
    lines = [f"{mark:<2}" + "  ".join(f"{entry:>2}" for entry in row) for mark, row in rows]
    first, second = score(rules, position)
    turn = "over" if r.is_over(rules, position) else f"{players[position.mover]} to move"
    return "\n".join([*lines, f"stores: {players[0]} {first}, {players[1]} {second}; {turn}"])


@r.board_rows.register(Kalah)
def board_rows(rules: Kalah, position: Any) -> list[str]:
    """The seeds in each player's pits, from ``a``, and in the store: ``4,4,4,4,4,4,0``."""
    sides = np.asarray(position.seeds)[: 2 * rules.pits + 2].reshape(2, rules.pits + 1)
    return [",".join(map(str, side.tolist())) for side in sides]


def _seeds_of_rows(rules: Kalah, rows: Sequence[str]) -> np.ndarray:
    """The seeds of both players, int8 (2, pits + 1); ValueError if the rows are invalid."""
    if len(rows) != 2:
        raise ValueError(f"it has 2 rows, with / between them, not {len(rows)}")
    sides = [[entry.strip() for entry in row.split(",")] for row in rows]
    for number, side in enumerate(sides, 1):
        if len(side) != rules.pits + 1 or not all(map(re.compile("[0-9]{1,2}").fullmatch, side)):
            raise ValueError(
                f"row {number} has {rules.pits + 1} numbers with commas between them, the seeds in "
                f"the pits and in the store, not {rows[number - 1]!r}"
            )
    seeds = np.array(sides, np.int8)
    if seeds.sum() > 2 * rules.pits * rules.seeds:
        raise ValueError(
            f"there are {2 * rules.pits * rules.seeds} seeds at most, not {seeds.sum()}"
        )
    return seeds


@r.set_up.register(Kalah)
def set_up(rules: Kalah, rows: Sequence[str], player: int, position: Any) -> None:
    position.seeds[:] = 0
    position.seeds[: 2 * rules.pits + 2] = _seeds_of_rows(rules, rows).ravel()
    position.mover = player


@r.problems.register(Kalah)
def problems(rules: Kalah, rows: Sequence[str], player: int) -> list[str]:
    seeds, total = _seeds_of_rows(rules, rows), 2 * rules.pits * rules.seeds
    odd = [] if seeds.sum() == total else [f"there are {total} seeds, not {seeds.sum()}"]
    in_pits = seeds[:, : rules.pits].sum(axis=1)
    if rules.remaining != NOBODY and min(in_pits) == 0 < max(in_pits):
        odd.append("one side has no seeds in its pits, so all seeds must be in the stores")
    return odd


@r.score.register(Kalah)
def score(rules: Kalah, position: Any) -> tuple[int, int]:
    first, second = (int(position.seeds[store_of(rules, player)]) for player in range(2))
    return first, second


def _pit_centre(rules: Kalah, player: int, pit: int) -> tuple[float, float]:
    """The centre of a pit: player 0's pits run from left to right, player 1's back."""
    column = pit if player == 0 else rules.pits - 1 - pit
    return SIDE + column + 0.5, ROWS[player]


@r.board.register(Kalah)
@functools.cache
def board(rules: Kalah) -> Board:
    """The pits of each player, lettered towards the store."""
    first, second = (
        [rectangle_area(x - 0.5, y - 0.5, 1, 1)
         for x, y in (_pit_centre(rules, player, pit) for pit in range(rules.pits))]
        for player in range(2)
    )  # fmt: skip
    letters = COLUMN_LETTERS[: rules.pits]
    return Board(actions=letters, kind="pit", areas=first, second_areas=second)


def _seed_discs(pit: int, x: float, y: float, seeds: int, stretch: float = 1.0) -> list[Piece]:
    """The seeds of a pit, or of a store, which is ``stretch`` times as high as wide."""
    radius = min(SEED_RADIUS, 0.28 * math.sqrt(stretch / max(seeds, 1)))
    discs: list[Piece] = []
    for number in range(seeds):
        away = (PIT_RADIUS - radius - 0.04) * math.sqrt((number + (seeds > 1) / 2) / max(seeds, 7))
        angle = number * GOLDEN_ANGLE
        at = (x + away * math.cos(angle), y + stretch * away * math.sin(angle))
        seed = (Disc(*at, radius, "#4a2f1d"),)
        discs.append(Piece(f"{pit} {number}", "seed", seed, step=pit))
    return discs


@r.picture.register(Kalah)
def picture(rules: Kalah, position: Any, last_action: int | None) -> Picture:
    """Pits and stores with their seeds and numbers; the last sown pit has a ring."""
    width = rules.pits + 2 * SIDE
    middle = sum(ROWS) / 2
    shapes: list[Shape | Piece] = [Rectangle(0.15, 0.42, width - 0.3, HEIGHT - 0.84, WOOD, 0.35)]
    discs: list[Piece] = []
    for player in range(2):
        x = width - SIDE / 2 if player == 0 else SIDE / 2
        store, colour = int(store_of(rules, player)), PLAYER_COLOURS[player]
        seeds = int(position.seeds[store])
        shapes.append(Rectangle(x - 0.53, ROWS[1] - 0.48, 1.06, 2.56, colour, 0.48))
        shapes.append(Rectangle(x - 0.5, ROWS[1] - 0.45, 1, 2.5, BOX_FILLS[player], 0.45))
        discs += _seed_discs(store, x, middle, seeds, 2.4)
        shapes.append(Text(x, HEIGHT - 0.21, str(seeds), INK, 0.32))
        for pit in range(rules.pits):
            (x, y), inwards = _pit_centre(rules, player, pit), 1 if player else -1
            number = int(first_pit(rules, player)) + pit
            seeds = int(position.seeds[number])
            shapes.append(Disc(x, y, PIT_RADIUS, BOX_FILLS[player]))
            if last_action == board(rules).area_number(pit, player):
                shapes.append(Ring(x, y, PIT_RADIUS, INK, 0.05))
            discs += _seed_discs(number, x, y, seeds)
            shapes.append(Text(x, y + inwards * 0.57, str(seeds), INK, 0.26))
            name, size = COLUMN_LETTERS[pit], name_size(width, HEIGHT)
            shapes.append(Text(x, y - inwards * 0.9, name, FAINT, size))
    return Picture(width, HEIGHT, [*shapes, *discs])
