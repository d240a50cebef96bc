"""The courses' boards and searches against their documents and plain programs written from them."""

from __future__ import annotations

import random
import re
import tomllib

import pytest
from helpers import DATA
from plyground import make_agent, make_game
from plyground.envs import rules as r
from plyground.envs.registry import profiles
from reference import make_reference
from reference.connect_four import windows
from reference.courses import WIN, alpha_beta, equal_wins, medium_points, quick_wins
from reference.gomoku import caro10, near

BOARDS = tomllib.loads((DATA / "course_boards.toml").read_text("utf-8"))
SAMPLES = {board.name: board for profile in profiles().values() for board in profile.boards}


def position_of(board):
    """A board, set up by the numbers of its document."""
    game = make_game(board["game"])
    if "lines" in board:
        rows = [list(" " * 2 * game.rules.cols + " ") for _ in range(2 * game.rules.rows + 1)]
        for kind, row, column in map(str.split, board["lines"]):
            y, x = 2 * int(row), 2 * int(column)
            rows[y + (kind == "v")][x + (kind == "h")] = "I" if kind == "v" else "_"
        for mark in "AB":
            for row, column in board.get(mark, []):
                rows[2 * row + 1][2 * column + 1] = mark
        rows[::2] = [row[1::2] for row in rows[::2]]  # rows of lines have no places for dots
    else:
        rows = [[" "] * game.rules.cols for _ in range(game.rules.rows)]
        for mark in "XO":
            for row, column in board.get(mark, []):
                rows[row][column] = mark
    text = re.sub(" +", lambda free: str(len(free[0])), "/".join(map("".join, rows)))
    return game.position_from_text(f"{text}:{board['mover']}", check=False)


def test_the_sample_boards_are_those_of_the_documents():
    assert list(BOARDS) == sorted(SAMPLES, key=list(BOARDS).index)
    for name, board in BOARDS.items():
        assert SAMPLES[name][1:] == (board["game"], position_of(board).to_text(), board["source"])


@pytest.mark.parametrize("name", [name for name, board in BOARDS.items() if "values" in board])
def test_a_sample_board_has_the_value_that_the_course_gives_it(name):
    position = position_of(BOARDS[name])
    for heuristic, value in BOARDS[name]["values"].items():
        index = position.game.declaration.heuristics.index(heuristic)
        assert r.evaluate(position.game.rules, position.record, position.to_move, index) == value


@pytest.mark.parametrize("name", [name for name in BOARDS if name.startswith("c15")])
def test_the_medium_level_gives_cells_the_points_of_the_course(name):
    position = position_of(BOARDS[name])
    columns = position.game.rules.cols
    points = medium_points(reference_of(position))
    decision = make_agent("medium").analyse(position)
    assert decision.values == {y * columns + x: value for (y, x), value in points.items()}
    for cell, value in BOARDS[name].get("cells", {}).items():
        assert points[tuple(map(int, cell.split()))] == value


def reference_of(position):
    """The plain reference with the stones of a position."""
    game = make_reference(position.game)
    cells = position.game.rules.rows * position.game.rules.cols
    for cell, stone in enumerate(position.record.cells[:cells]):
        if stone:
            game.stones[divmod(cell, game.cols)] = int(stone) - 1
    game.to_move = position.to_move
    return game


def some_games(spec, count, fewest, most, near_stones=False):
    """Positions of random games, none of them over, each with the plain reference of the game."""
    game, rng = make_game(spec), random.Random(7)
    while count:
        position, reference = game.initial_position(), make_reference(game)
        for _ in range(rng.randint(fewest, most)):
            actions = candidates(reference) if near_stones else reference.legal_actions()
            if actions:
                action = rng.choice(actions)
                position.play(action)
                reference.play(action)
        if not position.is_over:
            count -= 1
            yield position, reference


def candidates(game):
    return [y * game.cols + x for y, x in near(game, 1)] if not game.is_over() else []


def assert_the_same_search(spec, position, expected):
    """``textbook`` visits the nodes of the plain program and finds its values and its move."""
    decision = make_agent(f"textbook:values=yes,{spec}").analyse(position)
    action, values, nodes = expected
    assert decision.nodes == nodes + 1  # the root
    assert decision.action == action
    assert decision.values.keys() == values.keys()
    for each, value in values.items():
        score = decision.scores[each]
        if abs(value) > WIN / 2:
            assert (score.value, score.plies) == ((1, -1)[value < 0], WIN - abs(value))
        else:
            assert score.value == value


COUNTS = [6, pytest.param(200, marks=pytest.mark.slow)]


@pytest.mark.thorough
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(
    ("heuristic", "leaf"), [("none", lambda *_: 0), ("windows", windows)], ids=["none", "windows"]
)
def test_connect_four_is_searched_as_001_says(count, heuristic, leaf):
    for number, (position, game) in enumerate(some_games("connect_four", count, 2, 30)):
        depth = 2 + number % 3

        def plain(end, game=game, depth=depth):
            return alpha_beta(game, depth, end, leaf, type(game).legal_actions)

        expected = plain(quick_wins)
        assert_the_same_search(f"depth={depth},heuristic={heuristic}", position, expected)
        # The course counts all wins the same. To depth 4 that changes no node, and no value but the
        # plies of a win; it plays the first of the winning moves.
        _, values, nodes = plain(equal_wins)
        assert nodes == expected[2]
        assert [(v > 0) - (v < 0) for v in values.values()] == [
            (v > 0) - (v < 0) for v in expected[1].values()
        ]


@pytest.mark.thorough
@pytest.mark.parametrize("count", COUNTS)
def test_tic_tac_toe_is_searched_as_002_says(count):
    for position, game in some_games("tic_tac_toe", count, 1, 6):
        expected = alpha_beta(game, 9, quick_wins, lambda *_: 0, type(game).legal_actions)
        assert_the_same_search("depth=9", position, expected)


@pytest.mark.thorough
@pytest.mark.parametrize("count", COUNTS)
def test_caro_on_10x10_is_searched_as_004_says(count):
    for number, (position, game) in enumerate(some_games("gomoku:size=10", count, 1, 8, True)):
        depth = 1 + number % 3
        # where a game is over 004 counts windows, which are fewer points than those of a win
        expected = alpha_beta(game, depth, quick_wins, caro10, candidates)
        assert_the_same_search(f"depth={depth},radius=1,heuristic=caro10", position, expected)
