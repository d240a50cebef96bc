"""Breakthrough: how moves are written, what wins, and races that are decided."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from command_line import plyground, plyground_json
from helpers import random_positions
from plyground import make_agent, make_game
from plyground.agents.solvers.solver import Solver
from plyground.envs import rules as r

RUNNERS = 0  # the heuristic


@pytest.mark.parametrize("text", ["b2-c3", "b2xc3", "b2c3", "B2 - C3", "b2:c3", "b2 c3", "b2–c3"])
def test_a_move_is_read_as_people_write_it(text):
    game = make_game("breakthrough")
    assert game.action_to_text(game.text_to_action(text)) == "b2-c3"


def test_the_last_piece_that_is_captured_ends_the_game():
    position = make_game("breakthrough:rows=5,cols=3").position_from_text("3/3/1O1/XXX/3:X")
    position.play("a2xb3")
    assert str(position.outcome) == "White (X) wins: all pieces were captured"


@pytest.mark.thorough
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


def test_moves_are_ordered_wins_first_then_captures_then_safe_moves():
    game = make_game("breakthrough")
    position = game.position_from_text("8/2X5/8/5O2/4X3/5O2/6X1/7X:X")
    order = np.array(position.legal_actions(), np.int16)
    r.order_actions(game.rules, position.record, order, len(order))
    names = [game.action_to_text(action) for action in order]
    assert {name[:2] for name in names[:3]} == {"c7"}
    assert names[3:5] == ["g2-f3", "e4-f5"]


PART = "solve breakthrough:rows=5,cols=4 --position OOOO/O1O1/1XO1/1XX1/XXXX:X --all-moves"


@pytest.mark.parametrize("weak", ["", " --weak"])
@pytest.mark.thorough
def test_a_result_in_part_says_what_is_proved_and_what_is_open(monkeypatch, weak):
    stopped = functools.partialmethod(Solver.solve, most_nodes=200_000)
    monkeypatch.setattr(Solver, "solve", stopped)
    output = plyground_json(PART + weak)
    assert (output["result"], output["exact"], output["optimal_complete"]) == (1, False, False)
    values, bounds, best = output["values"], output["bounds"], output["optimal_actions"]
    assert values == {name: low for name, (low, high) in bounds.items() if low == high}
    assert 0 < len(values) < len(bounds) == 10
    assert best
    possible = {name for name, (_, high) in bounds.items() if high == 1}
    assert possible == {*best, *output["open_actions"]}
    result = plyground(PART + weak)
    value = "White" if weak else "+1: White"
    assert f"value        {value} (X), who is to move, wins\n" in result.stdout
    assert f"best         {', '.join(best)}\n" in result.stdout
    assert f"perhaps best {', '.join(output['open_actions'])}\n" in result.stdout
    assert f"\n{len(bounds) - len(values)} of 10 are not proved\n" in result.stdout
    rows = [line.split(maxsplit=1) for line in result.stdout.splitlines() if line]
    unknown = "win or draw or loss" if weak else "from -1 to +1"
    assert [output["open_actions"][0], unknown] in rows
    assert result.stderr.endswith("not fully proved within 60 s; --time 0 sets no limit\n")
