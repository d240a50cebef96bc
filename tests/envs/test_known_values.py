"""Known results under best play, found again by alpha-beta searches to the end of the game.

They stand in ``tests/data/perft/GAME.toml`` beside the counts of move sequences: ``[[value]]`` is
what the first player gets under best play after some moves, ``[[winning]]`` lists the first moves
with which the first player wins.
"""

from __future__ import annotations

import tomllib

import pytest
from helpers import DATA
from plyground import Position, make_agent, make_game
from plyground.agents.search.alphabeta_kernels import MAX_DEPTH

FILES = [
    tomllib.loads(file.read_text(encoding="utf-8"))
    for file in sorted((DATA / "perft").glob("*.toml"))
]
VALUES = [case for file in FILES for case in file.get("value", ())]
WINNING = [case for file in reversed(FILES) for case in file.get("winning", ())]


def value_under_best_play(position: Position) -> float:
    """What player 0 gets when both sides play the moves of a search that reaches the end."""
    agent = make_agent(f"alphabeta:depth={min(position.game.facts.longest_game, MAX_DEPTH)}")
    assert agent.analyse(position).score.is_exact
    while not position.is_over:
        position = position.after(agent.act(position))
    return position.returns[0]


@pytest.mark.parametrize("case", VALUES, ids=lambda case: case["game"])
@pytest.mark.fast_cases(2)
def test_best_play_gives_the_known_value(case):
    position = make_game(case["game"]).position(case.get("moves", ()))
    assert value_under_best_play(position) == case["value"]


@pytest.mark.parametrize("case", WINNING, ids=lambda case: case["game"])
@pytest.mark.fast_cases(1)
def test_exactly_the_known_first_moves_win(case):
    game = make_game(case["game"])
    start = game.initial_position()
    winning = [
        game.action_to_text(action)
        for action in start.legal_actions()
        if value_under_best_play(start.after(action)) > 0
    ]
    assert winning == case["winning"]
