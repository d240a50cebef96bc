"""The levels of caro and the modes of the 10×10 board: rules, test positions, strength in small."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from helpers import ROOT
from plyground import make_agent, make_game
from plyground.evaluation.match import play_game

pytestmark = pytest.mark.thorough

MODES = ["caro10_heuristic", "caro10_minimax", "caro10_alphabeta"]
FULL = "alphabeta:depth=4"
VARIANTS = ["freestyle", "standard", "caro", "caro_overline"]


def board(text: str, game):
    """The position with the stones of a picture, and the cells marked ``*``.

    X moves first; whose turn it is follows from the number of stones.
    """
    lines = [line.split() for line in text.strip().splitlines()]
    top, left = (game.rules.rows - len(lines)) // 2, (game.rules.cols - len(lines[0])) // 2
    cells: dict[str, list[int]] = {symbol: [] for symbol in "XO*."}
    for y, line in enumerate(lines):
        for x, symbol in enumerate(line):
            cells[symbol].append((y + top) * game.rules.cols + x + left)
    assert 0 <= len(cells["X"]) - len(cells["O"]) <= 1
    count = len(cells["X"]) + len(cells["O"])
    moves = [cells["XO"[ply % 2]][ply // 2] for ply in range(count)]
    return game.position(moves), cells["*"]


def choice(agent: str, text: str, game: str = "gomoku", seed: int = 0):
    """Whether the agent plays one of the cells marked * in the picture, and its decision."""
    position, targets = board(text, make_game(game))
    decision = make_agent(agent, seed=seed).analyse(position)
    return decision.action in targets, decision


SIZES = ["gomoku:size=15", "gomoku:size=10", "gomoku:size=20"]
LOOKING_AHEAD = [
    "hard", "caro15_hard", FULL, "alphabeta:time=0.1", "caro10_minimax", "caro10_alphabeta",
]  # fmt: skip


@pytest.mark.parametrize("game", SIZES)
@pytest.mark.parametrize("agent", ["medium", "hard", "caro15_hard", FULL, *MODES])
def test_the_gap_of_a_broken_four_is_filled(agent, game):
    action, _ = choice(agent, """
        X . X . . X
        O O O * O .
        . . X . X .""", game)  # fmt: skip
    assert action


@pytest.mark.parametrize("game", SIZES)
@pytest.mark.parametrize("agent", ["medium", "caro10_heuristic", *LOOKING_AHEAD])
def test_a_half_open_four_of_the_opponent_is_blocked(agent, game):
    action, _ = choice(agent, """
        O X X X X *
        . . O . . .
        . . . O . .""", game)  # fmt: skip
    assert action


# The stones of the first player, which is to move, and cells with which it wins or holds.
PICTURES = {
    "an open four is blocked at one end": """
        * X X X X *
        . O . O . .
        . . O . . .""",
    "a fork is made where two twos cross": """
        O . . . . . . . . . O
        . . . . . . . . . . .
        . . . . . X . . . . .
        . . . . . X . . . . .
        . . . X X * . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        O . . . . . . . . . O""",
    "a four and a three at once are made": """
        O . . . . . . . . . O
        . . . . . . . . . . .
        . . . . . X . . . . .
        . . . . . X . . . . .
        . O X X X * . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        O . . . . . . . . . O""",
}


@pytest.mark.parametrize("agent", ["medium", FULL, "alphabeta:time=0.1"])
@pytest.mark.parametrize("picture", PICTURES.values(), ids=PICTURES)
def test_the_cell_that_decides_is_taken(picture, agent):
    assert choice(agent, picture)[0]


@pytest.mark.parametrize("agent", ["hard", "caro10_alphabeta"])
def test_the_levels_make_a_four_and_a_three_at_once(agent):
    """A fork wins by force: the four must be answered, then the three becomes an open four."""
    assert choice(agent, PICTURES["a four and a three at once are made"])[0]


@pytest.mark.parametrize("game", SIZES)
@pytest.mark.parametrize("agent", ["medium", "hard", "caro15_hard", *MODES])
def test_the_first_stone_goes_to_the_centre(agent, game):
    game = make_game(game)
    row, column = divmod(make_agent(agent).act(game.initial_position()), game.rules.cols)
    assert abs(2 * row - game.rules.rows + 1) <= 1
    assert abs(2 * column - game.rules.cols + 1) <= 1


@pytest.mark.parametrize("agent", ["hard", "alphabeta:time=0.5", "caro15_hard", *MODES[1:]])
def test_a_win_at_once_is_played_at_once(agent):
    action, decision = choice(agent, """
        O X X X X *
        . . O O O .
        . . . . . .""", "gomoku:rule=standard")  # fmt: skip
    assert action
    assert decision.mate_in == 1
    if agent in ("caro15_hard", *MODES):
        return  # the projects' searches do not deepen
    assert decision.depth == 1
    assert decision.seconds < 0.05


@pytest.mark.parametrize("agent", LOOKING_AHEAD)
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_row_too_long_is_completed_only_where_it_wins(agent, variant):
    """X can make six in a row; where that does not win, it must stop the four of O."""
    action, _ = choice(agent, """
        X X X * X X . . . . . .
        . . . . . . . . . . . .
        . . . O O O O X . . . .
        . O . . . . . . . O . .""", f"gomoku:rule={variant}")  # fmt: skip
    assert action == (variant in ("freestyle", "caro_overline"))


@pytest.mark.parametrize("agent", ["hard", FULL, "alphabeta:time=0.1"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_five_between_two_stones_of_the_opponent_is_completed_only_where_it_wins(agent, variant):
    action, decision = choice(agent, """
        O X X * X X O . .
        . . . . . . . . .
        . O . . . . . O .""", f"gomoku:rule={variant}")  # fmt: skip
    assert decision.mate_in == 1 if variant in ("freestyle", "standard") else not action


def test_in_caro_a_four_is_also_stopped_at_its_far_end():
    """O has a four with one end taken.

    A stone of X one beyond the gap leaves a five with both ends blocked, so both cells are replies.
    """
    picture = """
        X O O O O * *
        . X . . X . .
        . . . . . . X"""
    for variant, replies in (("freestyle", 1), ("standard", 1), ("caro", 2), ("caro_overline", 2)):
        position, targets = board(picture, make_game(f"gomoku:rule={variant}"))
        scores = make_agent("alphabeta:depth=4,values=yes").analyse(position).scores
        assert sorted(scores) == targets[:replies]
        assert all(score.mate_in is None for score in scores.values())


def test_medium_breaks_ties_by_its_seed():
    start = make_game("gomoku:size=10").initial_position()
    assert len({make_agent("medium", seed=seed).act(start) for seed in range(20)}) == 4
    assert len({make_agent("medium", seed=7).act(start) for _ in range(5)}) == 1


def test_easy_is_the_random_agent():
    start = make_game("gomoku").initial_position()
    easy, plain = (
        [make_agent(name, seed=seed).act(start) for seed in range(30)]
        for name in ("easy", "random")
    )
    assert easy == plain
    assert len(set(easy)) > 20


def score(spec, first, second, pairs, stones=3):
    """Points of ``first`` in percent over pairs of games from random openings near the centre,
    seats swapped.
    """
    game, rng, points = make_game(spec), np.random.default_rng(0), 0.0
    rows, cols = game.rules.rows, game.rules.cols
    middle = [
        y * cols + x
        for y in range(rows)
        for x in range(cols)
        if max(abs(y - rows // 2), abs(x - cols // 2)) <= 3
    ]
    for pair in range(pairs):
        opening = [int(c) for c in rng.choice(middle, stones, replace=False)]
        agents = [make_agent(first, seed=pair), make_agent(second, seed=pair)]
        for seat, players in enumerate((agents, agents[::-1])):
            points += 1 + play_game(game, players, opening, (pair, pair)).returns[seat]
    return 100 * points / (4 * pairs)


@pytest.mark.parametrize("spec", ["gomoku", "gomoku:rule=caro"])
@pytest.mark.parametrize(
    ("stronger", "weaker", "least"),
    [("medium", "easy", 99), ("hard", "easy", 99), ("hard", "medium", 65)],
)
def test_a_higher_level_wins_by_a_wide_margin(spec, stronger, weaker, least):
    assert score(spec, stronger, weaker, pairs=10) >= least


@pytest.mark.parametrize(("spec", "least"), [("gomoku", 60), ("gomoku:rule=caro", 85)])
@pytest.mark.parametrize("original", ["caro15", "caro10"])
def test_patterns_beat_the_original_heuristics_at_equal_depth(spec, least, original):
    other = f"alphabeta:depth=3,radius=2,heuristic={original}"
    assert score(spec, "alphabeta:depth=3", other, pairs=15) >= least


def test_the_benchmark_says_where_no_position_is_undecided(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    rows = importlib.import_module("caro").search_engine(0, "alphabeta:depth=1", ("", ""))
    assert [row[0].endswith("all decided, more --games have others") for row in rows] == [True]
