"""The lookahead of ``greedy`` grades and evaluates actions as trying all replies does."""

from __future__ import annotations

import pytest
from helpers import ALL_GAMES, SMALL_GAMES, random_positions
from plyground import make_game
from plyground.agents.lookahead import LETS_WIN, LOSES, grade_actions, grades, new_lookahead
from plyground.agents.own.heuristics import heuristic_index
from plyground.envs import rules as r


def check_lookahead(spec, heuristic, count):
    game = make_game(spec)
    index, buffers = heuristic_index(game, heuristic), new_lookahead(game, heuristic)
    for position in random_positions(spec, count, seed=6):
        number, ending = grade_actions(game.rules, position.record, index, buffers)
        actions, points = buffers.actions[:number].tolist(), buffers.points[:number].tolist()
        assert actions == position.legal_actions()
        after = {action: position.after(action) for action in actions}
        assert ending == sum(child.is_over for child in after.values())
        expected = grades(position)  # by all replies
        for action, grade, value in zip(actions, buffers.grades[:number].tolist(), points):
            child, mover = after[action], position.to_move
            lead = 0
            if child.is_over:
                lead = r.margin(game.rules, child.record, mover)
            elif expected[action] in (LETS_WIN, LOSES):
                replies = [child.after(reply) for reply in child.legal_actions()]
                lead = min(
                    r.margin(game.rules, end.record, mover)
                    for end in replies
                    if end.is_over and end.returns[mover] < 0
                )
            if lead != 0:
                assert (grade in (LOSES, expected[action]), value) == (True, lead)
            else:
                assert grade == expected[action]
                estimate = r.evaluate(game.rules, child.record, mover, index) if index >= 0 else 0
                assert value == (0 if child.is_over else estimate)


@pytest.mark.fast_cases(3)
@pytest.mark.parametrize("spec", SMALL_GAMES)
def test_grades_are_those_by_all_replies(spec):
    check_lookahead(spec, "default", 25)


@pytest.mark.thorough
@pytest.mark.parametrize("spec", ALL_GAMES)
def test_grades_of_every_heuristic_are_those_by_all_replies(spec):
    for heuristic in ("none", *make_game(spec).declaration.heuristics):
        check_lookahead(spec, heuristic, 15)
