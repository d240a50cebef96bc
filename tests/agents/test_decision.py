"""What a decision tells of its actions, where the agent says no more than their values."""

from __future__ import annotations

import pickle

import pytest
from plyground.agents.agent import Decision
from plyground.agents.score import Score

VALUES = {0: 1.0, 3: -1.0}


@pytest.mark.parametrize(
    ("told", "kinds"),
    [
        ({}, {0: "estimate", 3: "estimate"}),
        ({"exact": True}, {0: "exact", 3: "exact"}),
        ({"exact": True, "scale": "points"}, {0: "exact", 3: "estimate"}),
        ({"exact": True, "errors": {0: 0.1, 3: 0.1}}, {0: "exact", 3: "estimate"}),
    ],
)
def test_an_exact_decision_proves_its_action_and_others_where_nothing_was_estimated(told, kinds):
    decision = Decision(0, value=1.0, values=VALUES, **told)
    unit = told.get("scale", "return")
    wanted = {action: Score(VALUES[action], unit, kind) for action, kind in kinds.items()}
    assert decision.scores == wanted
    assert list(decision.scores) == [0, 3]
    assert pickle.loads(pickle.dumps(decision)) == decision
    assert 1 not in decision.scores
