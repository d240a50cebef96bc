"""Boards that no game reaches: set up, written, drawn, evaluated, searched and solved."""

from __future__ import annotations

import contextlib
import random

import pytest
from helpers import SMALL_VARIANTS, best_of_mover
from plyground import make_agent, make_game
from plyground.agents.solvers.solver import make_solver
from plyground.envs import rules as r
from plyground.envs.aec import env as make_env
from plyground.envs.game import IllegalPositionError
from plyground.envs.specification import SpecificationError

pytestmark = pytest.mark.thorough

BOARDS = 20  # random boards of each game

# What the records cannot hold, and so no text sets up.
CANNOT_BE = (
    "floats", "begins on an empty board", "pieces at most", "lacks a side", "needs an owner",
    "drawn from the start", "won or full", "seeds at most",
)  # fmt: skip


def random_board(game, rng):
    """The text of a random board: each place free or with any of its marks; any player to move."""
    marks, places = game.declaration.marks, r.board(game.rules).places
    turn, full = rng.choice(marks), rng.random()
    if not places:  # seeds instead of marks
        rows = r.board_rows(game.rules, game.initial_position().record)
        numbers = [[str(rng.randrange(4)) for _ in row.split(",")] for row in rows]
        return "/".join(map(",".join, numbers)) + f":{turn}"
    rows = [["."] * (1 + max(p.column for p in places if p.row == row))
            for row in range(1 + max(place.row for place in places))]  # fmt: skip
    for place in places:
        can_own = place.symbols == "AB" and _is_whole(rows, place)
        if can_own or (place.symbols != "AB" and rng.random() < full):
            rows[place.row][place.column] = rng.choice(place.symbols)
    if game.name == "connect_four":  # discs fall, or few boards could be set up
        columns = ["".join(column).replace(".", "") for column in zip(*rows)]
        rows = zip(*(column.rjust(len(rows), ".") for column in columns))
    return "/".join(map("".join, rows)) + f":{turn}"


def _is_whole(rows, box):
    """Whether the four edges around a box are drawn: only then it may have an owner."""
    row, column = box.row, box.column
    edges = (
        rows[row - 1][column // 2],
        rows[row + 1][column // 2],
        *rows[row][column - 1 :: 2][:2],
    )
    return "." not in edges


def boards(spec):
    """Random boards of a game that can be set up."""
    game, rng, positions = make_game(spec), random.Random(spec), []
    for _ in range(BOARDS * 20):
        try:
            positions.append(game.position_from_text(random_board(game, rng), check=False))
        except IllegalPositionError as error:
            if not any(reason in str(error) for reason in CANNOT_BE):
                raise
        if len(positions) == BOARDS:
            break
    # the turn that boxes leave open is seldom odd
    assert game.facts.moves_again or any(position.problems() for position in positions)
    return positions


@pytest.mark.parametrize("spec", SMALL_VARIANTS)
def test_any_board_is_read_written_drawn_and_played_to_its_end(spec):
    for position in boards(spec):
        game, text = position.game, position.to_text()
        assert game.position_from_text(text, check=False) == position, text
        if position.problems():
            with pytest.raises(IllegalPositionError):
                game.position_from_text(text)
        assert position.to_svg()
        assert str(position)
        for symmetry, permutation in enumerate(game.symmetries):
            image = position.transformed(symmetry)
            actions = sorted(int(permutation[action]) for action in position.legal_actions())
            assert (image.to_move, image.legal_actions()) == (position.to_move, actions)
            assert game.position_from_text(image.to_text(), check=False).key == image.key
        plies = 0
        while not position.is_over:
            assert position.legal_actions(), text
            position.play(position.legal_actions()[-1])
            plies += 1
        assert plies <= game.facts.longest_game
        assert position.outcome is not None
        assert max(map(abs, position.returns)) <= game.facts.max_return


@pytest.mark.parametrize("agent", [
    "random", "greedy", "alphabeta:depth=3", "montecarlo:simulations=2", "mcts:simulations=30",
])  # fmt: skip
@pytest.mark.parametrize("spec", SMALL_VARIANTS)
def test_agents_play_any_board(spec, agent):
    player = make_agent(agent, make_game(spec), seed=1)
    for position in boards(spec):
        if not position.is_over:
            assert position.is_legal(player.act(position)), position.to_text()


@pytest.mark.parametrize("spec", SMALL_VARIANTS)
def test_solvers_find_the_value_of_any_board_they_take(spec):
    solved = 0
    for position in boards(spec):
        if position.is_over or len(position.legal_actions()) > 8:
            continue
        with contextlib.suppress(SpecificationError):  # beyond the solver
            solver = make_solver(position.game)
            value = solver.expected_return(position, solver.solve(position).value)
            solved += 1
            expected = best_of_mover(position)
            assert (value > 0, value < 0) == (expected > 0, expected < 0), position.to_text()
    assert solved or "rule=" in spec or "ultimate" in spec  # which are beyond the solver


@pytest.mark.parametrize("spec", [
    "tic_tac_toe", "connect_four:rows=4,cols=4", "gomoku:size=9",
])  # fmt: skip
def test_a_board_belongs_to_one_player_as_its_swapped_one_to_the_other(spec):
    """Where the numbers of stones give the turn to nobody, the record holds it all the same."""
    swap, searcher = str.maketrans("XO", "OX"), make_agent("alphabeta:depth=3", make_game(spec))
    for position in boards(spec):
        text = position.to_text()
        if "X" not in text[:-1] and "O" not in text[:-1]:
            continue
        swapped = position.game.position_from_text(text.translate(swap), check=False)
        assert swapped.to_move == 1 - position.to_move
        other = position.game.position_from_text(text[:-1] + "XO"[swapped.to_move], check=False)
        assert other.key != position.key
        if position.legal_actions() and swapped.legal_actions():
            assert searcher.analyse(position).value == searcher.analyse(swapped).value, text


# Boards that the courses show, puzzles of Hex, and Kalah.
SAMPLES = [
    ("connect_four", "7/7/7/XXX1XX1/OOO1OO1/XXX1XX1:X", "d"),
    ("connect_four", "7/7/7/7/7/2XXX2:X", "b"),
    ("dots_and_boxes:dots=3x3", "_1/I4/_1/5/2:A", "v 0 1"),
    ("dots_and_boxes:dots=3x3", "_1/I4/_1/5/2:B", "v 0 1"),
    ("gomoku:size=10", "10/10/10/10/2OOO1O3/10/10/10/10/10:O", "f6"),
    ("gomoku:size=10", "10/10/10/10/XXXX6/10/10/10/10/10:X", "e6"),
    ("gomoku:size=5", "5/1X3/2X2/5/5:X", None),
    ("hex:size=4", "4/1O2/2O1/4:O", None),
    ("kalah", "0,0,0,0,0,1,20/1,0,0,0,0,0,20:A", "f"),
]


@pytest.mark.parametrize(("spec", "text", "best"), SAMPLES)
def test_sample_boards_are_searched_and_refused_where_games_begin(spec, text, best):
    game = make_game(spec)
    position = game.position_from_text(text, check=False)
    assert game.declaration.marks[position.to_move] == text[-1]
    action = make_agent("alphabeta:depth=2", game, seed=1).act(position)
    assert position.is_legal(action)
    assert best is None or game.action_to_text(action) == best
    if position.problems():
        with pytest.raises(IllegalPositionError):
            game.position_from_text(text)
        with pytest.raises(ValueError, match="no game reaches"):
            make_env(game).reset(options={"position": position})
