"""Breakthrough: how moves are written, what wins, and races that are decided."""

from __future__ import annotations

import numpy as np
import pytest
from command_line import plyground, plyground_json
from helpers import random_positions
from plyground import make_agent, make_game
from plyground.agents.solvers.solver import Solver, make_solver
from plyground.envs import rules as r
from plyground.envs.game import IllegalActionError, IllegalPositionError

pytestmark = pytest.mark.thorough

RUNNERS = 0  # the heuristic


@pytest.mark.parametrize("text", ["b2-c3", "b2xc3", "b2c3", "B2 - C3", "b2:c3", "b2 c3", "b2–c3"])
def test_a_move_is_read_as_people_write_it(text):
    game = make_game("breakthrough")
    assert game.action_to_text(game.text_to_action(text)) == "b2-c3"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("b2", "a move is two cells, such as a2-a3"),
        ("b2-b4", "a piece goes one row forward"),
        ("b2-d3", "a piece goes one row forward"),
        ("b2-c2", "a piece goes one row forward"),
        ("h7-i8", "'i8' is no cell of this board"),
    ],
)
def test_what_is_no_move_is_refused_in_a_sentence(text, wrong):
    with pytest.raises(IllegalActionError, match=wrong):
        make_game("breakthrough").text_to_action(text)


def test_the_last_piece_that_is_captured_ends_the_game():
    position = make_game("breakthrough:rows=5,cols=3").position_from_text("3/3/1O1/XXX/3:X")
    position.play("a2xb3")
    assert str(position.outcome) == "White (X) wins: all pieces were captured"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("X7/8/8/8/8/8/8/7O:X", "only one player can have won"),
        ("X7/8/8/8/4O3/8/8/8:X", "White \\(X\\) has won, so Black \\(O\\) must be to move"),
        ("8/8/8/8/4O3/8/8/8:O", "Black \\(O\\) has won, so White \\(X\\) must be to move"),
        ("8/XXXXXXXX/XXXXXXXX/X7/8/8/8/4O3:X", "each player has 16 pieces at most, not 17"),
    ],
)
def test_boards_that_cannot_be_are_refused(text, wrong):
    with pytest.raises(IllegalPositionError, match=wrong):
        make_game("breakthrough").position_from_text(text)


def test_a_race_that_runners_calls_decided_is_decided():
    spec = "breakthrough:rows=5,cols=3"
    game = make_game(spec)
    solver, decided = make_agent(f"alphabeta:depth={game.facts.longest_game}", game), 0
    for position in random_positions(spec, 600):
        points = r.evaluate(game.rules, position.record, position.to_move, RUNNERS)
        if abs(points) > 5000:
            decided += 1
            score = solver.analyse(position).score
            assert score.is_exact
            assert (score.value > 0) == (points > 0), position.to_text()
    assert decided > 30


def test_a_runner_is_a_piece_with_no_opponent_in_the_cone_ahead():
    game = make_game("breakthrough")

    def points(text):
        position = game.position_from_text(text)
        return r.evaluate(game.rules, position.record, 0, RUNNERS)

    assert points("8/8/8/X7/4O3/8/8/8:X") == 10_000 - 3  # both need three moves
    assert points("8/8/8/X7/4O3/8/8/8:O") == -10_000 + 3
    assert points("8/8/8/X7/8/4O3/8/8:X") == -10_000 + 2
    assert abs(points("8/1O6/8/X7/8/8/8/8:X")) < 5000  # they meet


def test_moves_are_ordered_wins_first_then_captures_then_safe_moves():
    game = make_game("breakthrough")
    position = game.position_from_text("8/2X5/8/5O2/4X3/5O2/6X1/7X:X")
    order = np.array(position.legal_actions(), np.int16)
    r.order_actions(game.rules, position.record, order, len(order))
    names = [game.action_to_text(action) for action in order]
    assert {name[:2] for name in names[:3]} == {"c7"}
    assert names[3:5] == ["g2-f3", "e4-f5"]


def test_a_proved_value_does_not_speak_for_the_actions():
    """Five moves win here, and the value is proved long before all five are."""
    game = make_game("breakthrough:rows=5,cols=4")
    position = game.position_from_text("OOOO/O1O1/1XO1/1XX1/XXXX:X")
    stopped = make_solver(game).solve(position, moves="all", most_nodes=200_000)
    assert (stopped.value, stopped.exact, stopped.optimal_complete) == (1, False, False)
    assert 0 < len(stopped.values) < len(position.legal_actions())
    whole = make_solver(game).solve(position, moves="all")
    assert (whole.value, whole.exact, whole.optimal_complete) == (1, True, True)
    assert set(stopped.optimal_actions) < set(whole.optimal_actions)
    assert set(whole.optimal_actions) <= {*stopped.optimal_actions, *stopped.open_actions}
    assert len(whole.optimal_actions) == 5


PART = "solve breakthrough:rows=5,cols=4 --position OOOO/O1O1/1XO1/1XX1/XXXX:X --all-moves"


@pytest.mark.parametrize("weak", ["", " --weak"])
def test_a_result_in_part_says_what_is_proved_and_what_is_open(monkeypatch, weak):
    solve = Solver.solve
    monkeypatch.setattr(
        Solver, "solve", lambda *given, **options: solve(*given, **options, most_nodes=200_000)
    )
    output = plyground_json(PART + weak)
    assert (output["result"], output["exact"], output["optimal_complete"]) == (1, False, False)
    values, bounds, best = output["values"], output["bounds"], output["optimal_actions"]
    assert values == {name: low for name, (low, high) in bounds.items() if low == high}
    assert 0 < len(values) < len(bounds) == 10
    assert best
    assert {name for name, (_, high) in bounds.items() if high == 1} == {
        *best,
        *output["open_actions"],
    }
    result = plyground(PART + weak)
    assert "value        " + ("" if weak else "+1: ") + "White (X), who is to move, wins\n" in (
        result.stdout
    )
    assert f"best         {', '.join(best)}\n" in result.stdout
    assert f"perhaps best {', '.join(output['open_actions'])}\n" in result.stdout
    assert f"\n{len(bounds) - len(values)} of 10 are not proved\n" in result.stdout
    rows = [line.split(maxsplit=1) for line in result.stdout.splitlines() if line]
    unknown = "win or draw or loss" if weak else "from -1 to +1"
    assert [output["open_actions"][0], unknown] in rows
    assert result.stderr.endswith("not fully proved within 60 s; --time 0 sets no limit\n")


@pytest.mark.parametrize("moves", ["best", "all"])
def test_the_solver_as_an_agent_gives_bounds_where_it_proved_no_value(monkeypatch, moves):
    solve = Solver.solve
    monkeypatch.setattr(
        Solver, "solve", lambda *given, **options: solve(*given, **options, most_nodes=200_000)
    )
    text = PART.split()[3]
    output = plyground_json(
        f"analyse breakthrough:rows=5,cols=4 --position {text} --agent solver:moves={moves}"
    )
    assert output["exact"]
    kinds = {action["name"]: action["score"]["kind"] for action in output["actions"]}
    assert set(kinds.values()) == {"exact"}
    assert len(kinds) == 1 if moves == "best" else 1 < len(kinds) < 10
