"""A game that keeps every promise, or breaks exactly the one that its parameter ``fault`` names.

Line: players take turns to place a stone on a row of cells; two of one's own stones side by side
win. All faults live in one rules type, so that they are compiled once.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from plyground.envs import Facts, Parameter, declare_game
from plyground.envs import rules as r
from plyground.envs.compiled.randomness import mix64
from plyground.envs.declaration import Board, Place
from plyground.envs.pictures.drawing import rectangle_area, text_picture


class Fault(IntEnum):
    """The promise that is broken; halves are none, but beyond the solver."""

    NONE = 0
    TURN_NEVER_SWITCHES = 1
    ONE_PLAYER_NEVER_MOVES = 2
    NOT_ZERO_SUM = 3
    RETURNS_TOO_LARGE = 4
    RETURNS_ARE_FRACTIONS = 5
    OCCUPIED_CELL_LEGAL = 6
    LEGAL_ACTIONS_UNORDERED = 7
    UNDECLARED_ACTION = 8
    LEGAL_AFTER_THE_END = 9
    GAME_NEVER_ENDS = 10
    LONGEST_GAME_TOO_SHORT = 11
    OBSERVATION_HIDES_A_CELL = 12
    OBSERVATION_HIDES_A_FIELD = 13
    OBSERVATION_VALUES = 14
    KEY_IGNORES_CELLS = 15
    KEY_IGNORES_COLOURS = 16
    SYMMETRY_IS_NONE = 17
    SYMMETRY_REPEATS_AN_ACTION = 18
    SYMMETRY_FIRST_IS_NO_IDENTITY = 19
    NAMES_AMBIGUOUS = 20
    RANDOM_ACTION_ILLEGAL = 21
    ORDER_DROPS_AN_ACTION = 22
    PROPOSAL_ILLEGAL = 23
    OVER_AT_THE_START = 24
    LOPSIDED_FACTS = 25
    AREAS_OVERLAP = 26
    AREA_OUTSIDE = 27
    AREA_MISSING = 28
    SOURCE_UNKNOWN = 29
    PLY_LEAVES_OUT_A_TURN = 30


FAULTS = tuple(fault.name.lower() for fault in Fault)
CELLS = 6


@declare_game(
    name="line",
    version=0,
    title="Line",
    position=[
        ("cells", np.int8, CELLS),
        ("mover", np.int8),
        ("stones", np.int8),
        ("winner", np.int8),
        ("turns", np.int8),
    ],
    parameters=(Parameter("fault", str, "none", "the promise that is broken", choices=FAULTS),),
)
class Line(NamedTuple):
    fault: int = 0


@r.start.register_body(Line)
def start(rules, position):
    position.cells[:] = 0
    position.mover = 0
    position.stones = 0
    position.winner = r.NOBODY
    position.turns = 0


@r.legal_actions.register_body(Line)
def legal_actions(rules, position, out):
    count = 0
    if position.winner != r.NOBODY and rules.fault != Fault.LEGAL_AFTER_THE_END:
        return count
    for step in range(CELLS):
        cell = CELLS - 1 - step if rules.fault == Fault.LEGAL_ACTIONS_UNORDERED else step
        if position.cells[cell] == 0:
            out[count] = cell
            count += 1
    if rules.fault == Fault.UNDECLARED_ACTION and position.stones == 2:
        out[count] = CELLS
        count += 1
    return count


@r.is_legal.register_body(Line)
def is_legal(rules, position, action):
    if not 0 <= action < CELLS or (
        position.winner != r.NOBODY and rules.fault != Fault.LEGAL_AFTER_THE_END
    ):
        return False
    return position.cells[action] == 0 or rules.fault == Fault.OCCUPIED_CELL_LEGAL


@r.play.register_body(Line)
def play(rules, position, action):
    stone = position.mover + 1
    position.cells[action] = stone
    position.stones += 1
    if rules.fault == Fault.OBSERVATION_HIDES_A_FIELD:
        position.turns += 1
    beside_left = action > 0 and position.cells[action - 1] == stone
    beside_right = action < CELLS - 1 and position.cells[action + 1] == stone
    if beside_left or beside_right:
        position.winner = position.mover
    if rules.fault != Fault.TURN_NEVER_SWITCHES and rules.fault != Fault.ONE_PLAYER_NEVER_MOVES:
        position.mover = 1 - position.mover


@r.to_move.register_body(Line)
def to_move(rules, position):
    return np.int64(position.mover)


@r.is_over.register_body(Line)
def is_over(rules, position):
    if rules.fault == Fault.OVER_AT_THE_START and position.stones == 0:
        return True
    full = position.stones == CELLS and rules.fault != Fault.GAME_NEVER_ENDS
    return position.winner != r.NOBODY or full


@r.returns.register_body(Line)
def returns(rules, position, player):
    if position.winner == r.NOBODY:
        return 0.0
    won = position.winner == player
    if rules.fault == Fault.NOT_ZERO_SUM:
        return 1.0 if won else 0.0
    size = 1.0
    if rules.fault == Fault.RETURNS_TOO_LARGE:
        size = 2.0
    elif rules.fault == Fault.RETURNS_ARE_FRACTIONS:
        size = 0.5
    return size if won else -size


@r.observe.register_body(Line)
def observe(rules, position, player, out):
    first = 1 if rules.fault == Fault.OBSERVATION_HIDES_A_CELL else 0
    for cell in range(first, CELLS):
        out[0, cell, 0] = position.cells[cell] == player + 1
        out[0, cell, 1] = position.cells[cell] == 2 - player
    out[0, :, 2] = player == 0
    if rules.fault == Fault.OBSERVATION_VALUES:
        out[0, 0, 0] *= 2


@r.from_observation.register_body(Line)
def from_observation(rules, observation, position):
    start(rules, position)
    player = 0 if observation[0, 0, 2] != 0 else 1
    position.mover = player
    for cell in range(CELLS):
        if observation[0, cell, 0] != 0:
            position.cells[cell] = player + 1
        elif observation[0, cell, 1] != 0:
            position.cells[cell] = 2 - player
        position.stones += position.cells[cell] != 0
    for cell in range(1, CELLS):
        if position.cells[cell] != 0 and position.cells[cell] == position.cells[cell - 1]:
            position.winner = position.cells[cell] - 1


@r.key.register_body(Line)
def key(rules, position):
    number = np.int64(position.mover)
    first = 2 if rules.fault == Fault.KEY_IGNORES_CELLS else 0
    for cell in range(first, CELLS):
        value = position.cells[cell]
        if rules.fault == Fault.KEY_IGNORES_COLOURS and value != 0:
            value = 1
        number = number * 3 + value
    return mix64(np.uint64(number))


@r.transform.register_body(Line)
def transform(rules, position, permutation, out):
    cells = position.cells.copy()
    for cell in range(CELLS):
        out.cells[permutation[cell]] = cells[cell]
    out.mover, out.stones, out.winner = position.mover, position.stones, position.winner


@r.order_actions.register_body(Line)
def order_actions(rules, position, actions, count):
    if rules.fault == Fault.ORDER_DROPS_AN_ACTION:
        actions[0] = actions[count - 1]


@r.propose.register_body(Line)
def propose(rules, position, out, estimates):
    estimates[:] = 0
    if rules.fault == Fault.PROPOSAL_ILLEGAL:
        for cell in range(CELLS):  # a copy of arrays would compile the text of its error too
            out[cell] = cell
        return CELLS
    return legal_actions(rules, position, out)


@r.random_action.register_body(Line)
def random_action(rules, position, rng, scratch):
    if rules.fault == Fault.RANDOM_ACTION_ILLEGAL and position.cells[0] != 0:
        return np.int64(0)
    return np.int64(scratch[legal_actions(rules, position, scratch) - 1])


@r.facts.register(Line)
def facts(rules: Line) -> Facts:
    longest = 3 if rules.fault == Fault.LONGEST_GAME_TOO_SHORT else CELLS
    most = 2.0 if rules.fault == Fault.LOPSIDED_FACTS else 1.0
    return Facts(
        CELLS,
        longest,
        -1.0,
        most,
        (1, CELLS, 3),
        moves_again=rules.fault == Fault.ONE_PLAYER_NEVER_MOVES,
    )


@r.symmetries.register(Line)
def symmetries(rules: Line) -> np.ndarray:
    rows = {
        Fault.SYMMETRY_IS_NONE: [[0, 1, 2, 3, 4, 5], [2, 1, 0, 3, 4, 5]],
        Fault.SYMMETRY_REPEATS_AN_ACTION: [[0, 1, 2, 3, 4, 5], [5, 4, 3, 3, 1, 0]],
        Fault.SYMMETRY_FIRST_IS_NO_IDENTITY: [[5, 4, 3, 2, 1, 0], [0, 1, 2, 3, 4, 5]],
    }
    return np.array(rows.get(rules.fault, [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0]]), np.int16)


@r.board_text.register(Line)
def board_text(rules: Line, position: Any) -> str:
    return "".join(".XO"[cell] for cell in position.cells)


@r.outcome_reason.register(Line)
def outcome_reason(rules: Line, position: Any) -> str:
    return "two in a row" if position.winner != r.NOBODY else "the row is full"


@r.picture.register(Line)
def picture(rules: Line, position: Any, last_action: int | None) -> Any:
    return text_picture(board_text(rules, position))


@r.board.register(Line)
def board(rules: Line) -> Board:
    """The cells of the text; the picture ends one unit behind the last one."""
    first = 3 if rules.fault == Fault.AREA_OUTSIDE else 1
    width = 2.5 if rules.fault == Fault.AREAS_OVERLAP else 1.0
    count = CELLS - (rules.fault == Fault.AREA_MISSING)
    sources = [Place("a", 0, 0, "XO")] * CELLS if rules.fault == Fault.SOURCE_UNKNOWN else ()
    areas = [rectangle_area(first + cell, 1, width, 1) for cell in range(count)]
    names = "abccef" if rules.fault == Fault.NAMES_AMBIGUOUS else "abcdef"
    return Board(actions=names, areas=areas, sources=sources)


@r.plies_played.register(Line)
def plies_played(rules: Line, position: Any) -> int:
    if rules.fault != Fault.PLY_LEAVES_OUT_A_TURN:
        raise NotImplementedError("a line has no plies_played")
    return int(position.stones) - (position.stones > 1)
