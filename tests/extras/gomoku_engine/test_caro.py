"""The levels of caro and the modes of the 10×10 board: rules, test positions, strength in small."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from helpers import ROOT
from plyground import make_agent, make_game
from plyground.envs.specification import SpecificationError

pytestmark = pytest.mark.thorough

LEVELS = ["easy", "medium", "hard"]
MODES = ["caro10_heuristic", "caro10_minimax", "caro10_alphabeta"]
FULL = "alphabeta:depth=4"
VARIANTS = ["freestyle", "standard", "caro", "caro_overline"]


def board(text: str, game):
    """The position with the stones of a picture (X moves first; whose turn it is follows from their
    number).
    """
    lines = [line.split() for line in text.strip().splitlines()]
    stones = {
        s: [(y, x) for y, line in enumerate(lines) for x, t in enumerate(line) if t == s]
        for s in "XO"
    }
    assert 0 <= len(stones["X"]) - len(stones["O"]) <= 1
    top, left = (game.rules.rows - len(lines)) // 2, (game.rules.cols - len(lines[0])) // 2
    cell = {
        s: [(y + top) * game.rules.cols + x + left for y, x in places]
        for s, places in stones.items()
    }
    moves = [cell["XO"[ply % 2]][ply // 2] for ply in range(len(cell["X"]) + len(cell["O"]))]
    targets = [
        (y + top) * game.rules.cols + x + left
        for y, line in enumerate(lines)
        for x, t in enumerate(line)
        if t == "*"
    ]
    return game.position(moves), targets


def choice(agent: str, text: str, game: str = "gomoku", seed: int = 0):
    """Whether the agent plays one of the cells marked * in the picture, and its decision."""
    position, targets = board(text, make_game(game))
    decision = make_agent(agent, seed=seed).analyse(position)
    return decision.action in targets, decision


SIZES = ["gomoku:size=15", "gomoku:size=10", "gomoku:size=20"]
LOOKING_AHEAD = [
    "hard",
    "caro15_hard",
    FULL,
    "alphabeta:time=0.1",
    "caro10_minimax",
    "caro10_alphabeta",
]


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


@pytest.mark.parametrize("agent", ["medium", FULL, "alphabeta:time=0.1"])
def test_an_open_four_of_the_opponent_is_blocked_at_one_end(agent):
    action, _ = choice(agent, """
        * X X X X *
        . O . O . .
        . . O . . .""")  # fmt: skip
    assert action


@pytest.mark.parametrize("agent", ["medium", FULL, "alphabeta:time=0.1"])
def test_a_fork_is_made_where_two_twos_cross(agent):
    action, _ = choice(agent, """
        O . . . . . . . . . O
        . . . . . . . . . . .
        . . . . . X . . . . .
        . . . . . X . . . . .
        . . . X X * . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        O . . . . . . . . . O""")  # fmt: skip
    assert action


@pytest.mark.parametrize(
    "agent", ["medium", "hard", FULL, "alphabeta:time=0.1", "caro10_alphabeta"]
)
def test_a_four_and_a_three_at_once_are_made(agent):
    """A fork wins by force: the four must be answered, then the three becomes an open four."""
    position, targets = board("""
        O . . . . . . . . . O
        . . . . . . . . . . .
        . . . . . X . . . . .
        . . . . . X . . . . .
        . O X X X * . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        O . . . . . . . . . O""", make_game("gomoku"))  # fmt: skip
    decision = make_agent(agent).analyse(position)
    assert decision.action in targets


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


def reference_medium_score(cells, player, row, column, connect=5):
    """The formula of ``medium`` once more, in plain Python: attack + 2 × defence of a free cell."""
    rows, cols = cells.shape

    def shape(colour):
        total = 0
        for dy, dx in ((0, 1), (1, 0), (1, 1), (1, -1)):
            length, ends = 1, 0
            for sign in (1, -1):
                y, x = row + sign * dy, column + sign * dx
                while 0 <= y < rows and 0 <= x < cols and cells[y, x] == colour:
                    length, y, x = length + 1, y + sign * dy, x + sign * dx
                ends += 0 <= y < rows and 0 <= x < cols and cells[y, x] == 0
            if length >= connect:
                total += 100_000
            else:
                total += {4: (0, 5000, 10000), 3: (0, 100, 1000), 2: (0, 10, 50), 1: (0, 1, 1)}[
                    length
                ][ends]
        return total

    return shape(player + 1) + 2 * shape(2 - player)


def test_medium_scores_every_cell_as_stated():
    game, rng, medium = make_game("gomoku:size=11"), np.random.default_rng(2), make_agent("medium")
    for _ in range(6):
        position = game.initial_position()
        while not position.is_over and len(position.legal_actions()) > 60:
            cells = np.array(position.record.cells[:121]).reshape(11, 11)
            expected = {
                a: reference_medium_score(cells, position.to_move, *divmod(a, 11))
                for a in position.legal_actions()
            }
            decision = medium.analyse(position)
            assert decision.values == expected
            assert expected[decision.action] == max(expected.values())
            position.play(int(rng.choice(position.legal_actions())))


def test_medium_breaks_ties_by_its_seed():
    game = make_game("gomoku:size=10")
    assert (
        len({make_agent("medium", seed=seed).act(game.initial_position()) for seed in range(20)})
        == 4
    )
    assert len({make_agent("medium", seed=7).act(game.initial_position()) for _ in range(5)}) == 1


@pytest.mark.parametrize("level", ["medium", "hard", "caro15_hard", *MODES])
def test_the_levels_refuse_other_games(level):
    with pytest.raises(SpecificationError, match="connect_four"):
        make_agent(level, game="connect_four")


def test_easy_is_the_random_agent():
    game = make_game("gomoku")
    first = [make_agent("easy", seed=seed).act(game.initial_position()) for seed in range(30)]
    assert first == [
        make_agent("random", seed=seed).act(game.initial_position()) for seed in range(30)
    ]
    assert len(set(first)) > 20


def play(game, agents, opening):
    """The return of the first agent (moving first) of a game after an opening."""
    position = game.position(opening)
    while not position.is_over:
        position.play(agents[position.to_move].act(position))
    return position.returns[0]


def score(spec, first, second, pairs, seed=0, stones=3):
    """Points of ``first`` in percent over pairs of games from random openings near the centre,
    seats swapped.
    """
    game, rng, points = make_game(spec), np.random.default_rng(seed), 0.0
    middle = [
        c
        for c in range(game.facts.num_actions)
        if max(abs(c // game.rules.cols - game.rules.rows // 2), abs(c % game.rules.cols - 7)) <= 3
    ]
    for pair in range(pairs):
        opening = [int(c) for c in rng.choice(middle, stones, replace=False)]
        agents = [make_agent(first, seed=pair), make_agent(second, seed=pair)]
        points += 2 + play(game, agents, opening) - play(game, agents[::-1], opening)
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
    assert (
        score(
            spec, "alphabeta:depth=3", f"alphabeta:depth=3,radius=2,heuristic={original}", pairs=15
        )
        >= least
    )


def test_the_benchmark_says_where_no_position_is_undecided(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    rows = importlib.import_module("caro").search_engine(0, "alphabeta:depth=1", ("", ""))
    assert [row[0].endswith("all decided, more --games have others") for row in rows] == [True]
