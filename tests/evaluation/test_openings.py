"""Openings: random ones, all of a depth, those of a file, balanced ones; what is wrong with a
specification or a file is said.
"""

from __future__ import annotations

import itertools

import pytest
from helpers import openings_of
from plyground import make_agent, make_game, solve
from plyground.envs.specification import SpecificationError
from plyground.evaluation import openings as module

GAMES = [
    "tic_tac_toe",
    "connect_four",
    "dots_and_boxes:rows=2,cols=2,reward=margin",
    "gomoku:size=7",
]


def first(count, *arguments, **options) -> list[tuple[int, ...]]:
    openings = openings_of(*arguments, **options)
    return [openings[number] for number in range(count)]


def leaves_the_game_open(position) -> bool:
    """The game goes on, its mover cannot win at once, and not every move ends it."""
    nexts = [position.after(action) for action in position.legal_actions()]
    wins = any(after.is_over and after.returns[position.to_move] > 0 for after in nexts)
    return bool(nexts) and not wins and not all(after.is_over for after in nexts)


def images(position) -> set[int]:
    """The keys of the position under all symmetries."""
    return {position.transformed(symmetry).key for symmetry in range(len(position.game.symmetries))}


# -- random --


@pytest.mark.parametrize("game", GAMES)
def test_random_openings_are_distinct_repeatable_and_leave_the_game_open(game):
    game = make_game(game)
    openings = first(20, game, "random:2", seed=5)
    assert first(30, game, "random:2", seed=5)[:20] == openings
    assert len({game.position(opening).key for opening in openings}) == 20
    assert openings != first(20, game, "random:2", seed=6)
    for opening in openings:
        assert len(opening) == 2
        assert leaves_the_game_open(game.position(opening))


def test_openings_come_round_again_when_there_are_no_more():
    openings = first(21, make_game("connect_four"), "random:1", seed=1)
    assert sorted(openings[:7]) == [(column,) for column in range(7)]
    assert openings[7:14] == openings[:7] == openings[14:]


def test_without_moves_there_is_one_opening():
    openings = openings_of(make_game("tic_tac_toe"), "random:0", seed=1)
    assert (openings[0], openings[7], openings.find(10)) == ((), (), 1)


# -- all positions --


@pytest.mark.parametrize(
    ("game", "plies"),
    [
        ("tic_tac_toe", 4),
        ("connect_four", 3),
        ("dots_and_boxes:rows=2,cols=2", 3),
        ("gomoku:size=7", 2),
    ],
)
def test_all_positions_of_a_depth_come_once_up_to_symmetry(game, plies):
    game = make_game(game)
    positions = [game.initial_position()]
    for _ in range(plies):
        following = [
            position.after(action) for position in positions for action in position.legal_actions()
        ]
        positions = list({position.key: position for position in following}.values())
    expected = {
        position.key
        for position in positions
        if not position.is_over and leaves_the_game_open(position)
    }
    openings = openings_of(game, f"all:{plies}", seed=1)
    positions = [game.position(openings[number]) for number in range(openings.find())]
    classes = [images(position) for position in positions]
    assert set().union(*classes) == expected
    # no two of them are images of each other
    assert sum(len(images) for images in classes) == len(expected)


def test_the_seed_shuffles_all_positions_and_nothing_else():
    game = make_game("connect_four")
    one, again, other = (first(200, game, "all:3", seed=seed) for seed in (1, 1, 2))
    assert one == again != other
    assert set(one) == set(other)
    assert one != sorted(one)


def test_more_positions_than_can_be_listed_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST_POSITIONS", 1000)
    with pytest.raises(
        SpecificationError,
        match=r"gomoku has more than 1,000 positions after 2 plies, too many to list",
    ):
        openings_of(make_game("gomoku"), "all:2", seed=1).find()


# -- files --


def file_of(tmp_path, text) -> str:
    path = tmp_path / "openings.txt"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_file_holds_one_opening_a_line_by_name_or_number(tmp_path):
    path = file_of(tmp_path, "# the middle\n\nd, d, e   # a comment\n3,3,4,4\n0\n e,d,d \nd,d,e\n")
    openings = openings_of(make_game("connect_four"), path, seed=1)
    assert [openings[number] for number in range(openings.find())] == [
        (3, 3, 4),
        (3, 3, 4, 4),
        (0,),
        (4, 3, 3),
    ]
    boxes = openings_of(
        make_game("dots_and_boxes:rows=2,cols=2"), file_of(tmp_path, "h 0 1, v 1 0\n"), seed=1
    )
    assert len(boxes[0]) == 2


def test_of_lines_that_lead_to_one_position_the_first_counts(tmp_path):
    openings = openings_of(
        make_game("tic_tac_toe"), file_of(tmp_path, "a1,b2,c3\nc3,b2,a1\nb1\n"), seed=1
    )
    assert openings.find() == 2


def test_what_is_in_a_file_decides_and_not_where_it_is_or_how_it_is_laid_out(tmp_path):
    game = make_game("connect_four")
    one = openings_of(game, file_of(tmp_path, "d,d\ne\n"), seed=1).settings
    assert openings_of(game, file_of(tmp_path, "# comment\n d , 3\n\ne"), seed=1).settings == one
    assert openings_of(game, file_of(tmp_path, "d,d\nf\n"), seed=1).settings != one
    assert openings_of(game, file_of(tmp_path, "e\nd,d\n"), seed=1).settings != one


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "d\nd,z\n",
            "openings.txt, line 2: 'z' is no column of this board; columns run from a to g",
        ),
        ("d\n\n9\n", "openings.txt, line 3: 9 is not an action"),
        ("d,d,d,d,d,d,d\n", "openings.txt, line 1: action 3 (d) is not legal here"),
        (
            "a,b,a,b,a,b,a\n",
            "openings.txt, line 1: the game is over after these moves (Red (X) wins: 4 in a row)",
        ),
        ("a,,b\n", "openings.txt, line 1: "),
        ("# nothing\n\n", "openings.txt holds no opening; write one on each line, such as a, b"),
    ],
)
def test_a_bad_line_is_named_with_its_number_and_the_reason(text, message, tmp_path):
    with pytest.raises(SpecificationError) as error:
        openings_of(make_game("connect_four"), file_of(tmp_path, text), seed=1)
    assert message in str(error.value)


# -- balanced --


def test_a_solver_keeps_the_drawn_openings_and_all_of_them():
    game, solver = make_game("tic_tac_toe"), make_agent("solver")
    drawn = {
        opening
        for opening in first(100, game, "all:3", seed=1)
        if solver.analyse(game.position(opening)).value == 0
    }
    openings = openings_of(game, "all:3", seed=1, balanced="solver")
    assert {openings[number] for number in range(openings.find())} == drawn
    assert 0 < len(drawn) < openings_of(game, "all:3", seed=1).find()


def test_an_opening_whose_end_is_proved_is_not_balanced_whatever_the_limit_in_points():
    game = make_game("connect_four:rows=4,cols=5")
    judge = "alphabeta:depth=4,endgame=solver"
    for opening in first(5, game, "random:8", seed=1, balanced=judge, within=30):
        assert solve(game.position(opening)).value == 0


def test_a_search_keeps_what_it_values_within_the_limit():
    game, judge = make_game("connect_four"), make_agent("alphabeta:depth=4")
    openings = first(10, game, "random:4", seed=1, balanced="alphabeta:depth=4", within=8)
    assert all(abs(judge.analyse(game.position(opening)).value) <= 8 for opening in openings)
    plain = first(40, game, "random:4", seed=1)
    # the same ones, in the same order
    assert [opening for opening in plain if opening in openings] == [
        opening for opening in openings if opening in plain
    ]
    assert any(opening not in openings for opening in plain)


def test_a_judge_that_draws_random_numbers_judges_the_same_again():
    game = make_game("connect_four")
    openings = first(5, game, "random:4", seed=1, balanced="mcts:simulations=100")
    assert first(5, game, "random:4", seed=1, balanced="mcts:simulations=100") == openings


def test_openings_that_were_found_before_are_not_judged_again(monkeypatch):
    game = make_game("connect_four")
    arguments = (game, "random:4", 1, "alphabeta:depth=4", 8)
    expected = first(10, *arguments)
    judgements = []
    monkeypatch.setattr(
        module.BalanceJudge,
        "keeps",
        lambda self, opening, keeps=module.BalanceJudge.keeps: (
            judgements.append(opening) or keeps(self, opening)
        ),
    )
    openings = openings_of(*arguments)
    openings.recall(expected[:6])
    assert [openings[number] for number in range(10)] == expected
    before = list(
        itertools.takewhile(
            lambda opening: opening != expected[5], first(100, game, "random:4", seed=1)
        )
    )
    assert judgements
    assert not set(judgements) & {*before, *expected[:6]}


@pytest.mark.parametrize(
    ("game", "source", "count", "different"),
    [("connect_four", "random:2", 49, 36), ("tic_tac_toe", "random:3", 252, None)],
)
def test_openings_that_a_transformation_makes_equal_are_dropped(game, source, count, different):
    game = make_game(game)
    assert openings_of(game, source, seed=1).find() == count
    openings = openings_of(game, source, seed=1, transform=True)
    total = openings.find()
    positions = {game.position(openings[number]).record.tobytes() for number in range(total)}
    assert len(positions) == total < count
    assert different in (None, total)
