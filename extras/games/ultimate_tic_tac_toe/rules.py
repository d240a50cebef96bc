"""Ultimate tic-tac-toe: nine small boards of tic-tac-toe are the places of a large board.

Rules. Player 0 (X) begins; the first move may be anywhere. Three marks in a row, horizontally,
vertically or diagonally, win a small board; three small boards in a row win the game (+1, −1). The
place of a move in its small board decides the small board in which the opponent must play next: a
move in the upper right cell of any board sends the opponent to the upper right board. A small board
that is won or full is closed. A player who is sent to a closed board may play in any open board.
The game also ends when all small boards are closed. With ``tie="draw"`` it is then a draw; with
``tie="boards"`` the side with more small boards wins, and equal numbers are a draw.

Actions. The cell, row-major from the top left over the whole grid of 9×9 cells, which suits
networks and symmetries. Cells are written by column and row, ``a1`` (bottom left) to ``i9``; some
programs write the small board and the place in it.

Observation. (9, 9, 5): own marks, opponent's marks, own boards, opponent's boards, boards open to
the mover (each board is marked in all its nine cells). The last plane is empty when the game is
over. The numbers of marks show who is to move.

Symmetries. All eight of the square.

Position. ``marks`` holds a set of nine bits for each player and small board, ``boards`` the small
boards that each player has won, ``open`` the small boards in which the player to move may play.
Source: Orlin, "Ultimate Tic-Tac-Toe", mathwithbaddrawings.com, 2013; HackerRank, "Ultimate TTT",
2013 (won boards are closed; else X always wins: Breitner, "Ultimate Tic Tac Toe is always won by
X", 2013); ties: a draw in OpenSpiel's ultimate_tic_tac_toe, the number of boards in CodinGame's
"Tic-Tac-Toe"; notation: soopergrape.com, "n-in-a-row Games, Part III".
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....envs import rules as r
from ....envs.boards.grid import cell_symmetries, sort_by_rank
from ....envs.boards.stones import returns, to_move
from ....envs.compiled.kernels import kernel
from ....envs.compiled.randomness import mix64, random_below
from ....envs.compiled.scratch import copy_items, stack_array
from ....envs.declaration import Facts, declare_game
from ....envs.optional.complexity import Complexity, cells_complexity
from ....envs.pictures.drawing import PLAYER_COLOURS
from ....envs.profile import Ending
from ....envs.specification import Parameter
from .board import (
    ACTIONS,
    ALL,
    COUNTS,
    MEMBERS,
    PLACES,
    WON,
    board_of,
    free_places,
    is_reached,
    open_boards,
    place_of,
)
from .profile import PROFILE

SIDE = 9  # cells of the grid
CELLS = SIDE * SIDE
DRAW, BOARDS = range(2)  # who wins if no three small boards in a row are won


@declare_game(
    name="ultimate_tic_tac_toe",
    version=0,
    profile=PROFILE,
    colours=PLAYER_COLOURS,
    position=[
        ("marks", np.int16, (2, PLACES)),
        ("boards", np.int16, 2),
        ("open", np.int16),
        ("winner", np.int8),
        ("ply", np.int8),
    ],
    parameters=(
        Parameter(
            "tie",
            str,
            "draw",
            "the result without three boards in a row: a draw, or more boards win",
            choices=("draw", "boards"),
        ),
    ),
    heuristics=("lines", "boards"),
)
class UltimateTicTacToe(NamedTuple):
    tie: int = DRAW


r.to_move.register_body(UltimateTicTacToe)(to_move)
r.returns.register_body(UltimateTicTacToe)(returns)


@r.start.register_body(UltimateTicTacToe)
def start(rules, position):
    position.marks[:] = 0
    position.boards[:] = 0
    position.open = ALL
    position.winner = r.NOBODY
    position.ply = 0


@kernel
def finish(rules, position):
    """End the game if there are three boards in a row, or no board is open."""
    for player in range(2):
        if WON[position.boards[player]]:
            position.winner, position.open = player, 0
    if position.open == 0 and position.winner == r.NOBODY and rules.tie == BOARDS:
        lead = COUNTS[position.boards[0]] - COUNTS[position.boards[1]]
        if lead != 0:
            position.winner = 0 if lead > 0 else 1


@r.legal_actions.register_body(UltimateTicTacToe)
def legal_actions(rules, position, out):
    count = 0
    if COUNTS[position.open] == 1:
        board = MEMBERS[position.open, 0]
        free = free_places(position, board)
        for number in range(COUNTS[free]):
            out[number] = ACTIONS[board, MEMBERS[free, number]]
        return np.int64(COUNTS[free])
    for action in range(CELLS):
        if is_legal(rules, position, action):
            out[count] = action
            count += 1
    return np.int64(count)


@r.is_legal.register_body(UltimateTicTacToe)
def is_legal(rules, position, action):
    if action < 0 or action >= CELLS:
        return False
    board, place = board_of(action), place_of(action)
    is_open = position.open >> board & 1 != 0
    return is_open and (position.marks[0, board] | position.marks[1, board]) >> place & 1 == 0


@r.play.register_body(UltimateTicTacToe)
def play(rules, position, action):
    board, place, mover = board_of(action), place_of(action), position.ply & 1
    marks = position.marks[mover, board] | 1 << place
    position.marks[mover, board] = marks
    position.ply += 1
    if WON[marks]:
        position.boards[mover] |= 1 << board
    position.open = open_boards(position, place)
    if WON[marks] or position.open == 0:
        finish(rules, position)


@r.is_over.register_body(UltimateTicTacToe)
def is_over(rules, position):
    return position.open == 0


@r.observe.register_body(UltimateTicTacToe)
def observe(rules, position, player, out):
    for board in range(PLACES):
        own, other = position.marks[player, board], position.marks[1 - player, board]
        own_board = position.boards[player] >> board & 1
        other_board = position.boards[1 - player] >> board & 1
        is_open = position.open >> board & 1
        for place in range(PLACES):
            row, column = board // 3 * 3 + place // 3, board % 3 * 3 + place % 3
            out[row, column, 0] = own >> place & 1
            out[row, column, 1] = other >> place & 1
            out[row, column, 2] = own_board
            out[row, column, 3] = other_board
            out[row, column, 4] = is_open


@r.from_observation.register_body(UltimateTicTacToe)
def from_observation(rules, observation, position):
    start(rules, position)
    own, other = 0, 0
    for cell in range(CELLS):
        own += observation[cell // SIDE, cell % SIDE, 0] != 0
        other += observation[cell // SIDE, cell % SIDE, 1] != 0
    if own != (own + other) // 2:
        return  # too many marks of one side: no position has this observation
    # the observer is to move, so the number of marks shows who observes
    mover = (own + other) & 1
    for cell in range(CELLS):
        for plane in range(2):
            if observation[cell // SIDE, cell % SIDE, plane] != 0:
                player = mover if plane == 0 else 1 - mover
                position.marks[player, board_of(cell)] |= 1 << place_of(cell)
    position.open = 0
    for board in range(PLACES):
        for player in range(2):
            if WON[position.marks[player, board]]:
                position.boards[player] |= 1 << board
        if observation[board // 3 * 3, board % 3 * 3, 4] != 0:
            position.open |= 1 << board
    if not is_reached(position, mover):
        start(rules, position)  # no position has this observation
        return
    position.ply = own + other
    finish(rules, position)


@r.key.register_body(UltimateTicTacToe)
def key(rules, position):
    """Hashes the open boards, the turn, and each board; a won board's marks do not matter."""
    hashed = mix64(np.uint64(position.open << 1 | position.ply & 1) + np.uint64(1))
    for board in range(PLACES):
        first, second = np.int64(position.marks[0, board]), np.int64(position.marks[1, board])
        if position.boards[0] >> board & 1:
            first, second = ALL, 0
        elif position.boards[1] >> board & 1:
            first, second = 0, ALL
        hashed ^= mix64(np.uint64((board + 1) << 18 | first << 9 | second))
    return hashed


@r.transform.register_body(UltimateTicTacToe)
def transform(rules, position, permutation, out):
    marks, boards = stack_array((2, PLACES), np.int16), stack_array(2, np.int16)
    for player in range(2):  # `out` may be the position itself
        copy_items(marks[player], position.marks[player], PLACES)
    copy_items(boards, position.boards, 2)
    is_open = np.int64(position.open)
    winner, ply = position.winner, position.ply
    start(rules, out)
    out.open = 0
    for board in range(PLACES):
        image_board = board_of(np.int64(permutation[ACTIONS[board, 0]]))
        out.open |= (is_open >> board & 1) << image_board
        for player in range(2):
            out.boards[player] |= (boards[player] >> board & 1) << image_board
            for place in range(PLACES):
                image = place_of(np.int64(permutation[ACTIONS[board, place]]))
                out.marks[player, image_board] |= (marks[player, board] >> place & 1) << image
    out.winner, out.ply = winner, ply


@r.order_actions.register_body(UltimateTicTacToe)
def order_actions(rules, position, actions, count):
    """Moves that win a board, moves that block one, others; moves to a closed board last."""
    ranks, mover = stack_array(CELLS, np.int64)[:count], position.ply & 1
    for i in range(count):
        board, place = board_of(actions[i]), place_of(actions[i])
        if WON[position.marks[mover, board] | 1 << place]:
            ranks[i] = 0
        elif free_places(position, place) == 0:
            ranks[i] = 4
        else:
            ranks[i] = 1 if WON[position.marks[1 - mover, board] | 1 << place] else 2
            ranks[i] += place != 4 and ranks[i] == 2  # the centre of a board before other cells
    sort_by_rank(actions, ranks)


@r.random_action.register_body(UltimateTicTacToe)
def random_action(rules, position, rng, scratch):
    """Draw a random number and find the free place with this number, board by board."""
    free = 0
    for board in range(PLACES):
        if position.open >> board & 1:
            free += COUNTS[free_places(position, board)]
    number, action = random_below(rng, free), np.int64(-1)
    for board in range(PLACES):
        places = free_places(position, board) if position.open >> board & 1 else np.int64(0)
        if 0 <= number < COUNTS[places]:
            action = np.int64(ACTIONS[board, MEMBERS[places, number]])
        number -= COUNTS[places]
    return action


@r.facts.register(UltimateTicTacToe)
def facts(rules: UltimateTicTacToe) -> Facts:
    return Facts(CELLS, CELLS, -1.0, 1.0, (SIDE, SIDE, 5))


@r.complexity.register(UltimateTicTacToe)
def complexity(rules: UltimateTicTacToe) -> Complexity:
    # for the same marks one of nine boards is open to the mover, or all
    return cells_complexity(CELLS, positions_each=PLACES + 1, fewer_each_ply=True)


@r.symmetries.register(UltimateTicTacToe)
def symmetries(rules: UltimateTicTacToe) -> np.ndarray:
    return cell_symmetries(SIDE, SIDE)


@r.outcome_reason.register(UltimateTicTacToe)
def outcome_reason(rules: UltimateTicTacToe, position: Any) -> Ending:
    if any(WON[position.boards]):
        return Ending("row")
    counts = sorted(COUNTS[position.boards].tolist(), reverse=True)
    return Ending("boards" if rules.tie == BOARDS else "full", {"a": counts[0], "b": counts[1]})
