"""What the kinds of measurements find, against numbers that are known."""

from __future__ import annotations

import itertools

import pytest
from plyground import make_game
from plyground.agents.lookahead import grades, situation
from plyground.evaluation.move_quality.judge import JudgedMove, MoveJudge
from plyground.evaluation.tournament import Tournament
from plyground.extras.studies.declared.searches import ladder
from plyground.extras.studies.measurements.first_moves import (
    FirstMoves,
    MonteCarloChoices,
    symmetry_classes,
)
from plyground.extras.studies.measurements.games import Book, Seats, Strength, corrected
from plyground.extras.studies.measurements.heuristics import (
    Heuristics,
    StaticValues,
    rank_correlation,
)
from plyground.extras.studies.measurements.measurement import ALL
from plyground.extras.studies.measurements.networks import OPTIMAL, Learning, Networks
from plyground.extras.studies.measurements.nodes import Nodes, Reach, Spread, Task
from plyground.extras.studies.measurements.quality import Answers, Case, MoveQuality, kind_of_error
from plyground.extras.studies.measurements.sizes import TreeSizes

pytestmark = pytest.mark.thorough

BOXES = "dots_and_boxes:dots=3x3,reward=margin"
EVERY_KIND = [
    TreeSizes(("tic_tac_toe", BOXES), 3),
    Seats("tic_tac_toe", ("random", "greedy"), 3),
    Strength("tic_tac_toe", ("random", "greedy", "alphabeta:depth=2"), 2),
    Strength(
        "connect_four:rows=4,cols=5",
        ("alphabeta:nodes=50,book=centre", "alphabeta:nodes=50,book={book}"),
        2,
        names=("the centre", "with a book"),
        book=Book("alphabeta:depth=3", 2),
    ),
    Answers((Case("a row", "tic_tac_toe", "a1,a3,b1,b3", ("c1",)),), ("greedy", "random")),
    Reach(("tic_tac_toe",), (("solver", "solver", 1),)),
    Nodes((Task("tic_tac_toe", (2, 3), 2, 2),), ladder()[:3]),
    Spread((Task("tic_tac_toe", (2,), 2, 3),), ladder()[:1]),
    StaticValues((Case("the centre", "tic_tac_toe", "b2"),), ("lines",)),
    FirstMoves(BOXES, 20),
    MonteCarloChoices(BOXES, (5, 10), 4),
    Heuristics("tic_tac_toe", ("lines",), 12),
    MoveQuality("tic_tac_toe", ("random", "greedy"), 12),
    Networks(("tic_tac_toe",)),
    Learning(("tic_tac_toe",)),
]


@pytest.fixture
def place(tmp_path):
    return tmp_path / "cell"


@pytest.mark.parametrize("measurement", EVERY_KIND, ids=lambda each: type(each).__name__)
def test_rows_hold_the_declared_columns_and_are_the_same_every_time(measurement, tmp_path):
    tables = []
    for name in ("once", "again"):
        (tmp_path / name).mkdir()
        tables.append(measurement.measure(tmp_path / name / "cell"))
    keys = {column.key for column in measurement.columns}
    lasting = [column.key for column in measurement.columns if not column.timed]
    for rows in tables:
        assert rows
        assert all(set(row) == keys for row in rows)
    one, other = ([[row[key] for key in lasting] for row in rows] for rows in tables)
    assert one == other


def test_full_minimax_visits_the_game_tree_of_tic_tac_toe(place):
    rows = Nodes((Task("tic_tac_toe", (9,)),), ladder()[:2]).measure(place)
    assert rows[0]["nodes"] == 549_946
    assert rows[1]["same"]
    assert 0.9 < rows[1]["fewer"] < 1


def test_searches_are_compared_with_the_first_one_or_with_none(place):
    nodes = Nodes((Task("tic_tac_toe", (2, 3)),), ladder()[:3], skip=(("minimax", 3),))
    rows = nodes.measure(place)
    assert [(row["depth"], row["search"], row["fewer"] is None) for row in rows] == [
        (2, "minimax", True),
        (2, "alpha-beta", False),
        (2, "+ order", False),
        (3, "alpha-beta", True),
        (3, "+ order", True),
    ]


def test_the_spread_of_a_search_lies_around_its_mean(place):
    tasks, plain = (Task("tic_tac_toe", (4,), 3, 6),), ladder()[1:2]
    (mean,), (row,) = Nodes(tasks, plain).measure(place), Spread(tasks, plain).measure(place)
    assert row["least"] < row["median"] < row["most"]
    assert row["least"] < mean["nodes"] < row["most"]
    assert 0 < row["quickest"] <= row["usual"] <= row["slowest"]


HALF = "7/7/7/XXX1XX1/OOO1OO1/XXX1XX1:X"  # ten discs against five, which no game reaches


def test_boards_are_set_up_whether_or_not_a_game_reaches_them(place):
    case = Case("half filled", "connect_four", right=("d",), board=HALF)
    (answer,) = Answers((case,), ("textbook:depth=2",)).measure(place)
    assert (answer["move"], answer["right"], answer["value"]) == ("d", True, 1)
    (static,) = StaticValues((case,), ("windows",)).measure(place)
    assert static["board"] == HALF
    task = Task("connect_four", (1,), board=HALF)
    (nodes,) = Nodes((task,), (("plain", "textbook:depth=1"),)).measure(place)
    assert (nodes["board"], nodes["positions"]) == (HALF, 1)


def test_wins_of_the_first_player_are_counted_among_the_decided_games_too(place):
    (row, *_) = Seats("tic_tac_toe", ("random", "random"), 60, "random:0").measure(place)
    assert row["draws"] > 0
    assert row["decided"] == pytest.approx(
        row["first_wins"] / (row["first_wins"] + row["second_wins"])
    )
    assert row["decided_low"] < row["decided"] < row["decided_high"]
    drawn = Seats("tic_tac_toe", ("alphabeta:depth=9",) * 2, 1, "random:0").measure(place)
    assert [(each["draws"], each["decided"]) for each in drawn] == [(1.0, None)] * len(drawn)


def test_agents_that_visit_no_nodes_have_a_time(place):
    rows = Nodes((Task("gomoku", (1,)),), (("easy", "easy"), ("medium", "medium"))).measure(place)
    assert [(row["nodes"], row["fewer"]) for row in rows] == [(0, None), (225, None)]
    assert all(row["time"] > 0 for row in rows)
    assert rows[1]["quicker"] == pytest.approx(1 - rows[1]["time"] / rows[0]["time"])


def test_pure_monte_carlo_is_judged_by_exact_values_of_first_moves(place):
    (row,) = FirstMoves(BOXES, 50).measure(place)[:1]
    assert row["value"] == 2  # DESIGN: 2×2 boxes are worth +2 to the first player
    connect_four = FirstMoves("connect_four:rows=4,cols=5", 50).measure(place)
    assert {row["moves"]: row["value"] for row in connect_four} == {
        "b · d": 0, "c": 0, "a · e": -1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "classes"), [("tic_tac_toe", 3), ("connect_four", 4), (BOXES, 2), ("gomoku", 36)]
)
def test_first_moves_are_grouped_by_symmetry(spec, classes):
    game = make_game(spec)
    groups = symmetry_classes(game)
    assert len(groups) == classes
    assert sorted(itertools.chain(*groups)) == game.initial_position().legal_actions()


def test_the_solver_judges_positions_without_declared_answers(place):
    case = Case("two corners", "tic_tac_toe", "a1,b2,c3")
    rows = Answers((case,), ("alphabeta:depth=9", "montecarlo:simulations=10")).measure(place)
    assert {row["best"] for row in rows} == {"a2 · b1 · b3 · c2"}
    assert rows[0]["right"]
    assert {row["judge"] for row in rows} == {"solver"}


def test_games_of_equal_agents_are_counted_by_seat(place):
    (row,) = Seats("tic_tac_toe", ("random", "random"), 250, "random:0").measure(place)
    assert row["games"] == 500
    # 58.5 % of random games are won by the first player, 28.8 % by the second, 12.7 % drawn.
    assert row["first_wins_low"] < 0.585 < row["first_wins_high"]
    assert row["second_wins_low"] < 0.288 < row["second_wins_high"]
    assert row["first_wins"] + row["second_wins"] + row["draws"] == pytest.approx(1)


def test_a_pool_that_was_stopped_goes_on_with_the_games_it_has(place):
    pool = Strength("tic_tac_toe", ("random", "greedy"), 3)
    _, games, _ = pool.play(place)
    _, again, _ = pool.play(place)
    assert [game.result for game in again] == [game.result for game in games]  # seconds too


@pytest.mark.parametrize(
    ("agent", "repeatable"),
    [
        ("alphabeta:depth=3", True),
        ("alphabeta:time=0.01", False),
        ("alphabeta:nodes={count}", False),
    ],
)
def test_what_time_decides_is_not_repeatable(agent, repeatable):
    pool = Strength("tic_tac_toe", ("random", agent), 1)
    assert pool.repeatable == repeatable


EQUAL = Strength(
    "connect_four:rows=4,cols=5",
    ("alphabeta:nodes={count}", "mcts:simulations={count}", "random"),
    4,
    seconds=0.002,
)
RATES = {"alphabeta": 1e-6, "mcts": 2e-5, "random": 0.0}  # seconds for each of a count


@pytest.fixture
def known_costs(monkeypatch):
    """Games in which a move costs what its count says, and a little more."""
    play = Strength._games

    def games(pool, agents, pairs, path):
        costs = []
        for spec in agents:
            name, _, count = spec.partition(":")
            costs.append(4e-5 + RATES[name] * float(count.partition("=")[2] or 0))
        for game in play(pool, agents, pairs, path):
            seconds = (
                costs[number] * count for number, count in zip(game.players, game.result.decisions)
            )
            yield game._replace(result=game.result._replace(seconds=tuple(seconds)))

    monkeypatch.setattr(Strength, "_games", lambda *args: list(games(*args)))


@pytest.mark.usefixtures("known_costs")
def test_counts_are_corrected_by_the_games_until_costs_are_equal(place, monkeypatch):
    agents, games, table = EQUAL.play(place)
    nodes, simulations = (int(spec.partition("=")[2]) for spec in agents[:2])
    assert nodes == pytest.approx(1960, rel=0.25)
    assert simulations == pytest.approx(98, rel=0.25)
    assert len(games) == 3 * 2 * EQUAL.pairs
    first, second, none = EQUAL.costs(table)
    assert first == pytest.approx(1, abs=0.1)
    assert second == pytest.approx(1, abs=0.1)
    assert none is None
    monkeypatch.setattr(Tournament, "run", lambda *_: None)  # what was stopped goes on
    assert EQUAL.play(place)[:2] == (agents, games)


@pytest.mark.parametrize(
    ("count", "cost", "better"),
    [(1000, 2.0, 500), (1000, 0.5, 2000), (57, 1.5, 38), (123456, 1.0, 120_000), (50, 1e-9, 1000),
     (50, None, 50), (4, 9.0, 4), (90_000_000, 0.1, 100_000_000)],
)  # fmt: skip
def test_counts_are_corrected_in_proportion(count, cost, better):
    assert corrected(count, cost) == better


def test_a_pool_has_a_row_against_each_opponent(place):
    pool = Strength("tic_tac_toe", ("random", "greedy", "alphabeta:depth=9"), 4)
    rows = pool.measure(place)
    cells = {(row["agent"], row["opponent"]): row for row in rows}
    assert set(cells) == {(one, other) for one in pool.agents for other in (ALL, *pool.agents)} - {
        (agent, agent) for agent in pool.agents
    }
    for agent in pool.agents:
        own = [row for row in rows if row["agent"] == agent and row["opponent"] != ALL]
        points = sum(row["score"] * row["games"] for row in own)
        assert points == pytest.approx(cells[agent, ALL]["score"] * cells[agent, ALL]["games"])
        for row in own:
            other = cells[row["opponent"], agent]
            assert row["score"] + other["score"] == pytest.approx(1)
            assert row["score_low"] <= row["score"] <= row["score_high"]


def test_pages_do_not_tell_where_a_book_lay(place):
    rows = next(each for each in EVERY_KIND if getattr(each, "book", None)).measure(place)
    assert {row["agent"]: row["plays"] for row in rows if row["opponent"] == ALL} == {
        "the centre": "alphabeta:nodes=50,book=centre",
        "with a book": "alphabeta:nodes=50,book={book}",
    }


def test_the_curve_of_a_network_begins_with_the_run_it_began_with(place):
    rows = Learning(("connect_four",)).measure(place)
    shares = [row for row in rows if row["opponent"] == OPTIMAL]
    assert all(row["score_low"] <= row["score"] <= row["score_high"] for row in shares)
    networks = [
        row for row in Networks(("connect_four",)).measure(place) if row["agent"] == row["network"]
    ]
    runs = {row["run"].partition(" on ")[0] for row in shares}
    assert len(runs) == 2
    for network in networks:
        hours = [row["hours"] for row in shares if row["run"].startswith(f"{network['network']} ")]
        assert hours == sorted(hours)
        assert bool(hours) == (network["network"] in runs)
        assert not hours or network["hours"] == pytest.approx(hours[-1], abs=0.02)


@pytest.mark.parametrize(
    ("first", "second", "correlation"),
    [
        ([1, 2, 3, 4], [10, 20, 30, 40], 1.0),
        ([1, 2, 3, 4], [4, 3, 2, 1], -1.0),
        ([1, 2, 2, 3], [1, 2, 3, 4], 0.9**0.5),  # the ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4
        ([1, 1, 1], [1, 2, 3], None),
    ],
)
def test_rank_correlations(first, second, correlation):
    result = rank_correlation(first, second)
    assert result == (None if correlation is None else pytest.approx(correlation))


@pytest.mark.parametrize(
    ("moves", "choice", "kind"),
    [
        ("a1,a3,b1,b3", "c1", None),
        ("a1,a3,b1,b3", "b2", "missed_win"),
        ("a1,b2,b1", "a3", "missed_parry"),
        ("a1", "c1", "worse_result"),  # only the centre holds the draw
    ],
)
def test_kinds_of_errors(moves, choice, kind):
    game = make_game("tic_tac_toe")
    position = game.position(moves.split(","))
    action = game.text_to_action(choice)
    judge = MoveJudge(game)
    loss, blunder = judge.verdict(position, action)
    move = JudgedMove(0, 0, 0, loss, blunder, 0.0, action)
    assert kind_of_error(move, grades(position)) == kind


@pytest.mark.parametrize(
    ("spec", "moves", "answer"),
    [
        ("tic_tac_toe", "a1,a3,b1,b3", "wins at once"),
        ("tic_tac_toe", "a1,a3,b1", "must parry"),
        ("tic_tac_toe", "", "quiet"),
        (BOXES, "h 0 0,v 0 0,v 0 1", "moves again"),
        (BOXES, "", "quiet"),
    ],
)
def test_situations(spec, moves, answer):
    position = make_game(spec).position(moves.split(",") if moves else [])
    assert situation(position) == answer
