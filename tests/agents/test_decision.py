"""What a decision says of the position and its actions: scores, and the numbers that follow."""

from __future__ import annotations

import pickle

import pytest
from plyground import Decision
from plyground.agents.score import PlainScores, Score

VALUES = {0: 1.0, 3: -1.0}


@pytest.mark.parametrize("kind", ["exact", "estimate"])
@pytest.mark.parametrize("unit", ["return", "points"])
def test_plain_scores_are_scores_that_differ_in_their_values_only(unit, kind):
    scores = PlainScores(VALUES, unit, kind)
    decision = Decision(0, scores[0], scores)
    assert decision.scores == {0: Score(1.0, unit, kind), 3: Score(-1.0, unit, kind)}
    assert list(decision.scores) == [0, 3]
    assert 1 not in decision.scores
    assert pickle.loads(pickle.dumps(decision)) == decision
    assert (decision.value, decision.scale, decision.exact) == (1.0, unit, kind == "exact")
    assert decision.values == VALUES


def test_bounds_are_no_values():
    scores = {0: Score(0.0), 1: Score(0.5, kind="upper"), 2: Score(0.5, kind="lower")}
    assert Decision(0, scores[0], scores).values == {0: 0.0}


def test_an_agent_that_estimates_nothing_gives_no_numbers():
    decision = Decision(4)
    assert (decision.value, decision.values, decision.mate_in) == (None, None, None)
    assert not decision.exact


@pytest.mark.parametrize("name", ["value", "scale", "exact", "values"])
def test_numbers_follow_from_scores_and_cannot_be_set(name):
    with pytest.raises(AttributeError):
        setattr(Decision(0, Score(1.0)), name, None)
