"""Patterns of gomoku: codes of single lines by hand, search forms against the plain game, forced
moves against the rules.
"""

from __future__ import annotations

import copy
import pickle

import numba
import numpy as np
import pytest
from plyground import make_agent, make_game
from plyground.agents.own.search_form import (
    ESTIMATE,
    REPLY_WINS,
    UNREAD,
    WON,
    can_win_at_once,
    load_record,
    read_off,
    search_form,
)
from plyground.envs import rules as r
from plyground.envs.games.gomoku import patterns

pytestmark = pytest.mark.thorough

RULES = {
    "freestyle": patterns.FREESTYLE,
    "standard": patterns.STANDARD,
    "caro": patterns.CARO,
    "caro_overline": patterns.CARO_OVERLINE,
}
NAMES = ["nothing", "one", "open one", "two", "open two", "three", "open three", "four",
         "open four", "five"]  # fmt: skip

GAMES = [
    "gomoku:size=9",
    "gomoku:rows=7,cols=10,rule=standard",
    "gomoku:size=9,rule=caro",
    "gomoku:size=8,rule=caro_overline",
    "gomoku:rows=5,cols=6,connect=4,rule=standard",
    "gomoku:size=5,connect=3,rule=caro",
    "gomoku:size=9,connect=7,rule=caro",
    "gomoku:size=20",
]


def code(line: str, connect: int = 5, rule: str = "freestyle") -> str:
    """The code of the cell ``?`` for X; cells beyond the text are off the board if the text ends in
    ``|``, else free.
    """
    middle, masks = line.index("?"), {"X": 0, "O": 0, "|": 0, ".": 0, "?": 0}
    left, right = ("|" if end == "|" else "." for end in (line[0], line[-1]))
    wide = left * patterns.REACH + line + right * patterns.REACH
    for place, symbol in enumerate(wide[middle : middle + 2 * patterns.REACH + 1]):
        masks[symbol] |= 1 << place
    return NAMES[patterns.line_code(masks["X"], masks["O"], masks["|"], connect, RULES[rule])]


@pytest.mark.parametrize(
    ("line", *RULES),
    [
        ("XX?XXX", "five", "nothing", "nothing", "five"),
        ("OXX?XXO", "five", "five", "nothing", "nothing"),
        ("|XX?XX|", "five", "five", "five", "five"),
        ("OXX?XXXO", "five", "nothing", "nothing", "five"),
        ("OXX?X.O", "four", "four", "nothing", "nothing"),
        # Whatever the opponent takes between its stones, the other row has both ends blocked.
        ("O.XX?X.O", "open four", "open four", "four", "four"),
        (".X.?XX.", "four", "four", "four", "four"),
        ("X.XX?..", "four", "four", "four", "four"),
    ],
)
def test_what_a_row_is_depends_on_the_rule_variant(line, freestyle, standard, caro, caro_overline):
    expected = [freestyle, standard, caro, caro_overline]
    assert [code(line, rule=rule) for rule in RULES] == expected


@pytest.mark.parametrize(
    ("connect", "lines", "codes"),
    [
        (4, ["XX?X", ".X?X.", "OX?X.", "..X?.."], ["five", "open four", "four", "open three"]),
        (3, ["X?X", ".X?.", "OX?."], ["five", "open four", "four"]),
    ],
)
def test_codes_count_the_stones_missing_for_other_lengths(connect, lines, codes):
    assert [code(line, connect=connect) for line in lines] == codes


@pytest.mark.parametrize("rule", RULES)
def test_the_table_holds_both_players_codes_of_every_window_that_can_occur(rule):
    table = patterns.pattern_table(5, RULES[rule])
    for index in np.random.default_rng(5).integers(0, table.size, 8000):
        black, white, wall = patterns.window_masks(int(index))
        if not (
            patterns.walls_are_outside(int(index) & 1023, True)
            and patterns.walls_are_outside(int(index) >> 10, False)
        ):
            assert table[index] == 0
            continue
        mine, theirs = (
            patterns.line_code(*colours, wall, 5, RULES[rule])
            for colours in ((black, white), (white, black))
        )
        assert table[index] == mine | theirs << 4


def random_games(game, count, seed):
    """(position, action) of every move of some random games."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        position = game.initial_position()
        while not position.is_over:
            action = int(rng.choice(position.legal_actions()))
            yield position, action
            position.play(action)


def differences(one, other):
    """The fields in which two records differ."""
    return [name for name in one.dtype.names if not np.array_equal(one[name], other[name])]


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("heuristic", ["patterns", "caro15", "caro15_open", "caro10"])
def test_a_search_form_plays_values_and_turns_like_the_plain_game(spec, heuristic):
    game = make_game(spec)
    form, index = search_form(game, heuristic), game.declaration.heuristics.index(heuristic)
    records = np.recarray(2, form.dtype)
    for position, action in random_games(game, 4, seed=1):
        if not any(position.record.cells):
            load_record(form.rules, position.record, records)
        assert r.key(form.rules, records[0]) == position.key
        for player in (0, 1):
            assert r.evaluate(form.rules, records[0], player, index) == r.evaluate(
                game.rules, position.record, player, index
            )
        kind, points = read_off(form.rules, records[0], action, index)
        r.play(form.rules, records[0], action)
        after = position.after(action)
        if not r.has_own_body(form.rules, read_off) or (after.is_over and not any(after.returns)):
            assert kind == UNREAD
        elif after.is_over:
            assert kind == WON
        else:
            wins = can_win_at_once(form.rules, records[0])
            value = r.evaluate(form.rules, records[0], position.to_move, index)
            assert (kind, points) == (REPLY_WINS if wins else ESTIMATE, value)
        assert bool(r.is_over(form.rules, records[0])) == after.is_over
        assert r.returns(form.rules, records[0], 0) == after.returns[0]
        load_record(form.rules, after.record, records[1:])
        assert differences(records[0], records[1]) == []
    position, image = game.position([0, 2, game.rules.cols + 1, 4]), np.recarray(1, form.dtype)
    load_record(form.rules, position.record, records)
    for symmetry in range(len(game.symmetries)):
        r.transform(form.rules, records[0], game.symmetries[symmetry], image[0])
        load_record(form.rules, position.transformed(symmetry).record, records[1:])
        assert differences(image[0], records[1]) == []


@pytest.mark.parametrize("heuristic", ["none", "patterns", "caro15", "caro10"])
def test_a_copy_of_a_search_form_needs_no_other_kernels(heuristic):
    rules = search_form(make_game(GAMES[0]), heuristic).rules
    for twin in (copy.deepcopy(rules), pickle.loads(pickle.dumps(rules))):
        assert numba.typeof(twin) == numba.typeof(rules)


@pytest.mark.parametrize("heuristic", ["none", "patterns", "caro15", "caro10"])
def test_candidates_are_the_free_cells_within_the_radius_of_a_stone(heuristic):
    game = make_game("gomoku:rows=9,cols=11")
    form, buffer = search_form(game, heuristic), np.empty(99, np.int16)
    records = np.recarray(1, form.dtype)
    load_record(form.rules, game.initial_position().record, records)
    for radius, expected in ((0, list(range(99))), (1, [4 * 11 + 5]), (2, [4 * 11 + 5])):
        assert buffer[: r.candidates(form.rules, records[0], radius, buffer)].tolist() == expected
    position = game.position(["a9", "f5", "k1"])
    load_record(form.rules, position.record, records)
    for radius in (1, 2, 18):
        stones = [(0, 0), (4, 5), (8, 10)]
        near = [
            c
            for c in position.legal_actions()
            if any(max(abs(c // 11 - y), abs(c % 11 - x)) <= radius for y, x in stones)
        ]
        assert buffer[: r.candidates(form.rules, records[0], radius, buffer)].tolist() == near


@pytest.mark.parametrize("rule", RULES)
def test_forced_replies_leave_out_no_win_and_no_defence(rule):
    """Four plies ahead, the search that looks at forced replies only sees the same wins and losses
    as the one that looks at every cell.
    """
    game = make_game(f"gomoku:rows=6,cols=7,connect=4,rule={rule}")
    every_cell = make_agent("alphabeta:depth=4,heuristic=none,radius=0,width=0")
    forced_only = make_agent("alphabeta:depth=4,heuristic=patterns,radius=18,width=0,win_in_one=no")
    results = {-1: 0, 0: 0, 1: 0}
    for position, _ in random_games(game, 10, seed=3):
        if sum(position.record.cells != 0) < 4:
            continue
        expected, wins_now = (
            forced_result(agent.analyse(position)) for agent in (every_cell, forced_only)
        )
        assert wins_now == expected, str(position)
        results[expected] += 1
    assert min(results.values()) >= 5, results


def forced_result(decision):
    """1 if the mover is seen to win, −1 to lose, else 0."""
    return 0 if decision.mate_in is None else 1 if decision.mate_in > 0 else -1
