"""Connect four's stored openings: equal to the solver's values, resumed, refused if damaged."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from command_line import done, refused
from plyground import make_game
from plyground.agents.solvers import connect_four as solver_module
from plyground.agents.solvers.connect_four import opening
from plyground.agents.solvers.connect_four.board import has_row, make_board
from plyground.agents.solvers.solver import make_solver
from plyground.envs.canonical import position_layers
from plyground.envs.workers.jobs import HERE
from plyground.extras.perfect_play.opening_writer import write_openings

SMALL, PLIES = "connect_four:rows=3,cols=4,connect=3", 5


def write_and_read(path, game=SMALL, plies=PLIES):
    """The values in a file that is written or continued."""
    write_openings(path, make_game(game), plies, HERE, 1, lambda count, total: None)
    return opening.read_values(path)


@pytest.fixture(scope="module")
def values(tmp_path_factory):
    return write_and_read(tmp_path_factory.mktemp("openings") / "small.npy")


def stored_positions(plies=PLIES):
    """One of each pair of mirror images, of the first plies."""
    game = make_game(SMALL)
    for layer in itertools.islice(position_layers(game), plies + 1):
        yield from map(game.position, layer)


@pytest.mark.parametrize("spec", [SMALL, "connect_four:rows=2,cols=5", "connect_four"])
def test_a_ply_has_the_positions_that_games_reach_with_mirror_images_once(spec):
    game = make_game(spec)
    layers = itertools.islice(opening.layers(make_board(game.rules)), 5)
    expected = itertools.islice(position_layers(game), 5)
    assert [len(layer.keys) for layer in layers] == [len(layer) for layer in expected]


def test_the_values_of_all_plies_are_those_of_the_solver(values):
    game = make_game(SMALL)
    openings, solver = opening.OpeningValues(make_board(game.rules), values), make_solver(game, 1)
    positions = list(stored_positions())
    answers = [openings.value(*solver_module.sides_of(position)) for position in positions]
    assert answers == solver.solve_batch(positions).tolist()


def test_the_solver_answers_from_the_openings_without_search(values, monkeypatch):
    game = make_game(SMALL)
    plain = [make_solver(game, 1).solve(each, moves="all") for each in stored_positions(PLIES - 1)]
    openings = opening.OpeningValues(make_board(game.rules), values)
    monkeypatch.setattr(solver_module, "openings_of", lambda rules, ply: openings)
    solver = make_solver(game, 1)
    for position, expected in zip(stored_positions(PLIES - 1), plain, strict=True):
        solution = solver.solve(position, moves="all")
        assert solution.nodes == 0 or expected.nodes == 0
        assert solution.values == expected.values
        assert solution.best_action in expected.optimal_actions
        assert solver.solve(position).best_action in expected.optimal_actions
        line = game.position([*position.moves, *solution.principal_variation])
        assert line.is_over or line.ply >= PLIES


def test_what_is_solved_is_kept_and_the_rest_is_solved(values, tmp_path):
    path = tmp_path / "partial.npy"
    partial = values.copy()
    partial[1::2] = opening.UNSOLVED
    partial[0] = 99  # not solved again
    np.save(path, partial)
    complete = write_and_read(path)
    assert complete[0] == 99
    assert complete[1:].tolist() == values[1:].tolist()


def test_what_does_not_follow_from_the_values_solved_has_no_value(values):
    game, nothing = make_game(SMALL), np.full_like(values, opening.UNSOLVED)
    openings, solver = opening.OpeningValues(make_board(game.rules), nothing), make_solver(game, 1)
    positions = list(stored_positions())
    answers = [openings.value(*solver_module.sides_of(position)) for position in positions]
    exact = solver.solve_batch(positions).tolist()
    assert all(value in (None, right) for value, right in zip(answers, exact, strict=True))
    assert answers[0] is None
    assert sum(value is not None for value in answers) > 5  # wins at once, and losses to them


def test_the_openings_that_plyground_brings_are_those_of_the_ordinary_board():
    rules = make_game("connect_four").rules
    openings = opening.openings_of(rules, 0)
    assert openings.plies == opening.PLIES
    assert (opening.read_values(opening.FILE) != opening.UNSOLVED).all()
    assert opening.openings_of(rules, opening.PLIES + 1) is None
    assert opening.openings_of(make_game(SMALL).rules, 0) is None


def test_every_first_move_is_answered_without_search():
    game = make_game("connect_four")
    solution = make_solver(game, 1).solve(game.initial_position(), moves="all")
    # as published: the middle column wins with the last stone
    assert solution.values == {0: -2, 1: -1, 2: 0, 3: 1, 4: 0, 5: -1, 6: -2}
    assert solution.nodes == 0


@pytest.mark.thorough
def test_the_results_after_eight_plies_are_those_of_the_published_set():
    """67,557 positions in which neither side can win at once, for the side to move first.

    Mirror images count once (UCI Machine Learning Repository, "Connect-4", Tromp).
    """
    board = make_board(make_game("connect_four").rules)
    layer = next(itertools.islice(opening.layers(board), 8, None))
    quiet = [
        not wins_at_once(board, own, opp) and not wins_at_once(board, opp, own)
        for own, opp in zip(layer.own, layer.opp, strict=True)
    ]
    results = np.sign(opening.read_values(opening.FILE)[quiet])
    assert [int((results == each).sum()) for each in (1, -1, 0)] == [44_473, 16_635, 6_449]


def wins_at_once(board, own, opp):
    """Whether one more stone of ``own`` completes a row."""
    moves = ((own | opp) + board.bottom) & board.playable
    cells = [np.uint64(1 << bit) for bit in range(board.cols * int(board.height))]
    return any(has_row(board, own | cell) for cell in cells if moves & cell)


@pytest.mark.slow
def test_stored_values_are_those_of_a_search_without_them():
    game = make_game("connect_four")
    values = opening.read_values(opening.FILE)
    layer = next(itertools.islice(opening.layers(make_board(game.rules)), opening.PLIES, None))
    sample = np.random.default_rng(0).choice(len(values), 50, replace=False)
    records = game.new_records(len(sample))
    records["stones"][:, 0], records["stones"][:, 1] = layer.own[sample], layer.opp[sample]
    records["ply"] = opening.PLIES
    assert make_solver(game, 512).solve_batch(records).tolist() == values[sample].tolist()


def test_a_file_of_something_else_is_refused_and_stays(tmp_path):
    for name, content in {"text": b"values", "floats": None}.items():
        path = tmp_path / name
        path.write_bytes(content) if content else np.save(path.open("wb"), np.zeros(3))
        before = path.read_bytes()
        assert str(path) in refused("book", SMALL, "--exact", "--out", path)
        assert path.read_bytes() == before


def test_the_command_writes_a_file_and_goes_on_with_it(tmp_path):
    path = tmp_path / "openings.npy"
    for _ in range(2):
        result = done(
            "book", SMALL, "--exact", "--plies", 2, "--out", path, "--memory", 1, "--concurrency", 1
        )
        assert "all 8 positions after 2 plies" in " ".join(result.output.split())
    assert opening.read_values(path).shape == (8,)
