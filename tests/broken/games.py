"""A game that keeps every promise, or breaks exactly the one that its parameter ``fault`` names.

Line: players take turns to place a stone on a row of cells; two of one's own stones side by side
win. All faults live in one rules type, so that they are compiled once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from plyground.envs import Facts, Parameter, declare_game
from plyground.envs import rules as r
from plyground.envs.compiled.randomness import mix64
from plyground.envs.declaration import Board, Place
from plyground.envs.pictures.drawing import rectangle_area, text_picture

FAULTS = (
    "none",
    "turn_never_switches",
    "one_player_never_moves",
    "not_zero_sum",
    "returns_too_large",
    "occupied_cell_legal",
    "legal_actions_unordered",
    "undeclared_action",
    "legal_after_the_end",
    "game_never_ends",
    "longest_game_too_short",
    "observation_hides_a_cell",
    "observation_hides_a_field",
    "observation_values",
    "key_ignores_cells",
    "key_ignores_colours",
    "symmetry_is_none",
    "symmetry_repeats_an_action",
    "symmetry_first_is_no_identity",
    "names_ambiguous",
    "random_action_illegal",
    "order_drops_an_action",
    "proposal_illegal",
    "over_at_the_start",
    "lopsided_facts",
    "areas_overlap",
    "area_outside",
    "area_missing",
    "source_unknown",
    "ply_leaves_out_a_turn",
)
(
    NONE,
    TURN_NEVER_SWITCHES,
    ONE_PLAYER_NEVER_MOVES,
    NOT_ZERO_SUM,
    RETURNS_TOO_LARGE,
    OCCUPIED_CELL_LEGAL,
    LEGAL_ACTIONS_UNORDERED,
    UNDECLARED_ACTION,
    LEGAL_AFTER_THE_END,
    GAME_NEVER_ENDS,
    LONGEST_GAME_TOO_SHORT,
    OBSERVATION_HIDES_A_CELL,
    OBSERVATION_HIDES_A_FIELD,
    OBSERVATION_VALUES,
    KEY_IGNORES_CELLS,
    KEY_IGNORES_COLOURS,
    SYMMETRY_IS_NONE,
    SYMMETRY_REPEATS_AN_ACTION,
    SYMMETRY_FIRST_IS_NO_IDENTITY,
    NAMES_AMBIGUOUS,
    RANDOM_ACTION_ILLEGAL,
    ORDER_DROPS_AN_ACTION,
    PROPOSAL_ILLEGAL,
    OVER_AT_THE_START,
    LOPSIDED_FACTS,
    AREAS_OVERLAP,
    AREA_OUTSIDE,
    AREA_MISSING,
    SOURCE_UNKNOWN,
    PLY_LEAVES_OUT_A_TURN,
) = range(len(FAULTS))
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
    fault: int = NONE


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
    if position.winner != r.NOBODY and rules.fault != LEGAL_AFTER_THE_END:
        return count
    for step in range(CELLS):
        cell = CELLS - 1 - step if rules.fault == LEGAL_ACTIONS_UNORDERED else step
        if position.cells[cell] == 0:
            out[count] = cell
            count += 1
    if rules.fault == UNDECLARED_ACTION and position.stones == 2:
        out[count] = CELLS
        count += 1
    return count


@r.is_legal.register_body(Line)
def is_legal(rules, position, action):
    if not 0 <= action < CELLS or (
        position.winner != r.NOBODY and rules.fault != LEGAL_AFTER_THE_END
    ):
        return False
    return position.cells[action] == 0 or rules.fault == OCCUPIED_CELL_LEGAL


@r.play.register_body(Line)
def play(rules, position, action):
    stone = position.mover + 1
    position.cells[action] = stone
    position.stones += 1
    if rules.fault == OBSERVATION_HIDES_A_FIELD:
        position.turns += 1
    beside_left = action > 0 and position.cells[action - 1] == stone
    beside_right = action < CELLS - 1 and position.cells[action + 1] == stone
    if beside_left or beside_right:
        position.winner = position.mover
    if rules.fault != TURN_NEVER_SWITCHES and rules.fault != ONE_PLAYER_NEVER_MOVES:
        position.mover = 1 - position.mover


@r.to_move.register_body(Line)
def to_move(rules, position):
    return np.int64(position.mover)


@r.is_over.register_body(Line)
def is_over(rules, position):
    if rules.fault == OVER_AT_THE_START and position.stones == 0:
        return True
    full = position.stones == CELLS and rules.fault != GAME_NEVER_ENDS
    return position.winner != r.NOBODY or full


@r.returns.register_body(Line)
def returns(rules, position, player):
    if position.winner == r.NOBODY:
        return 0.0
    won = position.winner == player
    if rules.fault == NOT_ZERO_SUM:
        return 1.0 if won else 0.0
    size = 2.0 if rules.fault == RETURNS_TOO_LARGE else 1.0
    return size if won else -size


@r.observe.register_body(Line)
def observe(rules, position, player, out):
    first = 1 if rules.fault == OBSERVATION_HIDES_A_CELL else 0
    for cell in range(first, CELLS):
        out[0, cell, 0] = position.cells[cell] == player + 1
        out[0, cell, 1] = position.cells[cell] == 2 - player
    out[0, :, 2] = player == 0
    if rules.fault == OBSERVATION_VALUES:
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
    first = 2 if rules.fault == KEY_IGNORES_CELLS else 0
    for cell in range(first, CELLS):
        value = position.cells[cell]
        if rules.fault == KEY_IGNORES_COLOURS and value != 0:
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
    if rules.fault == ORDER_DROPS_AN_ACTION:
        actions[0] = actions[count - 1]


@r.propose.register_body(Line)
def propose(rules, position, out, estimates):
    estimates[:] = 0
    if rules.fault == PROPOSAL_ILLEGAL:
        for cell in range(CELLS):  # a copy of arrays would compile the text of its error too
            out[cell] = cell
        return CELLS
    return legal_actions(rules, position, out)


@r.random_action.register_body(Line)
def random_action(rules, position, rng, scratch):
    if rules.fault == RANDOM_ACTION_ILLEGAL and position.cells[0] != 0:
        return np.int64(0)
    return np.int64(scratch[legal_actions(rules, position, scratch) - 1])


@r.facts.register(Line)
def facts(rules: Line) -> Facts:
    longest = 3 if rules.fault == LONGEST_GAME_TOO_SHORT else CELLS
    most = 2.0 if rules.fault == LOPSIDED_FACTS else 1.0
    return Facts(
        CELLS, longest, -1.0, most, (1, CELLS, 3), moves_again=rules.fault == ONE_PLAYER_NEVER_MOVES
    )


@r.symmetries.register(Line)
def symmetries(rules: Line) -> np.ndarray:
    rows = {
        SYMMETRY_IS_NONE: [[0, 1, 2, 3, 4, 5], [2, 1, 0, 3, 4, 5]],
        SYMMETRY_REPEATS_AN_ACTION: [[0, 1, 2, 3, 4, 5], [5, 4, 3, 3, 1, 0]],
        SYMMETRY_FIRST_IS_NO_IDENTITY: [[5, 4, 3, 2, 1, 0], [0, 1, 2, 3, 4, 5]],
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
    first = 3 if rules.fault == AREA_OUTSIDE else 1
    width = 2.5 if rules.fault == AREAS_OVERLAP else 1.0
    count = CELLS - (rules.fault == AREA_MISSING)
    sources = [Place("a", 0, 0, "XO")] * CELLS if rules.fault == SOURCE_UNKNOWN else ()
    areas = [rectangle_area(first + cell, 1, width, 1) for cell in range(count)]
    names = "abccef" if rules.fault == NAMES_AMBIGUOUS else "abcdef"
    return Board(actions=names, areas=areas, sources=sources)


@r.plies_played.register(Line)
def plies_played(rules: Line, position: Any) -> int:
    if rules.fault != PLY_LEAVES_OUT_A_TURN:
        raise NotImplementedError("a line has no plies_played")
    return int(position.stones) - (position.stones > 1)
