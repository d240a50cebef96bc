"""Breakthrough on 4×2 to 8×8 cells: a game in which pieces move and capture.

Rules. Each player has two rows of pieces, player 0 at the bottom. A piece moves one cell forward,
straight or diagonally, onto a free cell; diagonally it may capture. Whoever brings a piece to the
opponent's first row, or captures all of the opponent's pieces, wins (+1, −1). There is always a
legal move, and there are no draws. Source: Dan Troyka, 2000.

Actions. ``cell * 6 + direction``: cells row-major from the top left; directions up left, up, up
right, down left, down, down right, of which the first three are player 0's. People write the cell
and the direction: ``b5 n``, ``b5 ne``. Actions that lead off the board have names, and are never
legal.

Observation. (rows, cols, 3): own pieces, opponent's pieces, whether the observer is player 0 (the
last plane is constant).

Symmetries. The mirror image, left and right.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ... import rules as r
from ...boards.grid import cell_name, grid_text, parse_cell, seen_cells
from ...compiled.kernels import kernel
from ...compiled.randomness import SALT_2, mix64
from ...declaration import Facts, declare_game
from ...profile import Ending
from ...specification import Parameter
from .drawing import PIECES, action_areas, picture
from .profile import PROFILE

CELLS = 64  # capacity
DIRECTIONS = ("nw", "n", "ne", "sw", "s", "se")


@declare_game(
    name="breakthrough",
    version=0,
    title="Breakthrough",
    profile=PROFILE,
    colours=PIECES,
    position=[("cells", np.int8, CELLS), ("mover", np.int8), ("winner", np.int8)],
    parameters=(
        Parameter("rows", int, 6, "height of the board", 4, 8),
        Parameter("cols", int, 6, "width of the board", 2, 8),
    ),
    heuristics=("advance",),
)
class Breakthrough(NamedTuple):
    rows: int = 6
    cols: int = 6


@r.start.register_body(Breakthrough)
def start(rules, position):
    position.cells[:] = 0
    for cell in range(2 * rules.cols):
        position.cells[cell] = 2
        position.cells[rules.rows * rules.cols - 1 - cell] = 1
    position.mover = 0
    position.winner = r.NOBODY


@kernel
def target(rules, action):
    """The cell that an action leads to, or −1 beyond the board."""
    cell, direction = action // 6, action % 6
    row = cell // rules.cols + (-1 if direction < 3 else 1)
    column = cell % rules.cols + direction % 3 - 1
    inside = 0 <= row < rules.rows and 0 <= column < rules.cols
    return row * rules.cols + column if inside else -1


@r.is_legal.register_body(Breakthrough)
def is_legal(rules, position, action):
    if position.winner != r.NOBODY or not 0 <= action < rules.rows * rules.cols * 6:
        return False
    to = target(rules, action)
    own_way = action % 6 < 3 if position.mover == 0 else action % 6 >= 3
    if to < 0 or not own_way or position.cells[action // 6] != position.mover + 1:
        return False
    captures = position.cells[to] == 2 - position.mover and action % 3 != 1
    return position.cells[to] == 0 or captures


@r.legal_actions.register_body(Breakthrough)
def legal_actions(rules, position, out):
    count = 0
    for action in range(rules.rows * rules.cols * 6):
        if is_legal(rules, position, action):
            out[count] = action
            count += 1
    return count


@kernel
def find_winner(rules, cells):
    """The player on the opponent's first row, or the only one with pieces; else nobody."""
    first, second = 0, 0
    for cell in range(rules.rows * rules.cols):
        first += cells[cell] == 1
        second += cells[cell] == 2
    for column in range(rules.cols):
        if cells[column] == 1:
            return 0
        if cells[(rules.rows - 1) * rules.cols + column] == 2:
            return 1
    return 0 if second == 0 else 1 if first == 0 else r.NOBODY


@r.play.register_body(Breakthrough)
def play(rules, position, action):
    position.cells[target(rules, action)] = position.mover + 1
    position.cells[action // 6] = 0
    position.winner = find_winner(rules, position.cells)
    position.mover = 1 - position.mover


@r.to_move.register_body(Breakthrough)
def to_move(rules, position):
    return np.int64(position.mover)


@r.is_over.register_body(Breakthrough)
def is_over(rules, position):
    return position.winner != r.NOBODY


@r.returns.register_body(Breakthrough)
def returns(rules, position, player):
    if position.winner == r.NOBODY:
        return 0.0
    return 1.0 if position.winner == player else -1.0


@r.observe.register_body(Breakthrough)
def observe(rules, position, player, out):
    for cell in range(rules.rows * rules.cols):
        row, column, piece = cell // rules.cols, cell % rules.cols, position.cells[cell]
        out[row, column, 0] = piece == player + 1
        out[row, column, 1] = piece == 2 - player
        out[row, column, 2] = player == 0


@r.from_observation.register_body(Breakthrough)
def from_observation(rules, observation, position):
    position.cells[:] = 0
    player = 0 if observation[0, 0, 2] != 0 else 1
    for cell in range(rules.rows * rules.cols):
        row, column = cell // rules.cols, cell % rules.cols
        if observation[row, column, 0] != 0:
            position.cells[cell] = player + 1
        elif observation[row, column, 1] != 0:
            position.cells[cell] = 2 - player
    position.mover = player
    position.winner = find_winner(rules, position.cells)


@r.key.register_body(Breakthrough)
def key(rules, position):
    result = SALT_2 if position.mover == 1 else np.uint64(0)
    for cell in range(rules.rows * rules.cols):
        if position.cells[cell] != 0:
            result ^= mix64(np.uint64(2 * cell + position.cells[cell]))
    return result


@r.transform.register_body(Breakthrough)
def transform(rules, position, permutation, out):
    cells = position.cells.copy()  # `out` may be the position itself
    for cell in range(rules.rows * rules.cols):
        out.cells[permutation[6 * cell] // 6] = cells[cell]
    out.mover, out.winner = position.mover, position.winner


@r.evaluate.register_body(Breakthrough)
def evaluate(rules, position, player, heuristic):
    """``advance``: 10 for each row that a piece has advanced, and 10 for the piece."""
    points = 0
    for cell in range(rules.rows * rules.cols):
        row, piece = cell // rules.cols, position.cells[cell]
        if piece != 0:
            advanced = rules.rows - row if piece == 1 else row + 1
            points += advanced if piece == player + 1 else -advanced
    return np.int64(10 * points)


@r.facts.register(Breakthrough)
def facts(rules: Breakthrough) -> Facts:
    longest = 2 * rules.cols * (2 * rules.rows - 3)  # each piece goes to the last row
    shape = (rules.rows, rules.cols, 3)
    return Facts(rules.rows * rules.cols * 6, longest, -1.0, 1.0, shape)


@r.symmetries.register(Breakthrough)
def symmetries(rules: Breakthrough) -> np.ndarray:
    actions = np.arange(rules.rows * rules.cols * 6, dtype=np.int16)
    table = actions.reshape(rules.rows, rules.cols, 2, 3)
    return np.stack([actions, table[:, ::-1, :, ::-1].ravel()])


@r.action_cells.register(Breakthrough)
def action_cells(rules: Breakthrough) -> np.ndarray:
    cells = np.argwhere(np.ones((rules.rows, rules.cols, 6)))
    return cells.astype(np.int16)


@r.action_to_text.register(Breakthrough)
def action_to_text(rules: Breakthrough, action: int) -> str:
    return f"{cell_name(rules.rows, rules.cols, action // 6)} {DIRECTIONS[action % 6]}"


@r.text_to_action.register(Breakthrough)
def text_to_action(rules: Breakthrough, text: str) -> int:
    cell, _, direction = text.strip().lower().partition(" ")
    if direction not in DIRECTIONS:
        raise ValueError(
            f"{text!r} is no move; a move is a cell and one of {', '.join(DIRECTIONS)}, as 'a2 n'"
        )
    return parse_cell(rules.rows, rules.cols, cell) * 6 + DIRECTIONS.index(direction)


@r.board_text.register(Breakthrough)
def board_text(rules: Breakthrough, position: Any) -> str:
    cells = seen_cells(rules, position).ravel()
    return grid_text(rules.rows, rules.cols, ".XO", cells)


@r.outcome_reason.register(Breakthrough)
def outcome_reason(rules: Breakthrough, position: Any) -> Ending:
    both_play_on = {1, 2} <= set(position.cells.tolist())
    return Ending("broke_through" if both_play_on else "captured")


r.picture.register(Breakthrough)(picture)
r.action_areas.register(Breakthrough)(action_areas)
