"""Kaggle's ConnectX: our submission plays there, its agents play here."""

from __future__ import annotations

import importlib.metadata
import random

import pytest
from checks import note
from kaggle_environments import make
from plyground import make_agent, make_game
from plyground.agents.policies.zoo import cards
from plyground.extras.bridges.kaggle import write_submission
from submissions import FILES, write_form

SPY = """
seen = []

def agent(observation, configuration):
    names = configuration.keys() - {"__raw_path__"}
    seen.append((dict(observation), {name: configuration[name] for name in names}))
    return [c for c in range(configuration.columns) if observation.board[c] == 0][0]
"""


def test_agents_are_shown_here_what_kaggle_shows_them(tmp_path):
    (tmp_path / "spy.py").write_text(SPY)
    position, there = make_game("connect_four").initial_position(), {}
    exec(SPY, there)
    make("connectx").run([there["agent"], there["agent"]])
    ours = make_agent(f"kaggle:{tmp_path / 'spy.py'}", "connect_four")
    while not position.is_over:
        position.play(ours.act(position))
    assert ours._function.__globals__["seen"] == there["seen"]


@pytest.mark.parametrize("form", FILES)
def test_a_submission_plays_the_same_games_here_and_there(form, tmp_path):
    path = str(write_form(form, tmp_path))
    env, ours = make("connectx"), [make_agent(f"kaggle:{path}", "connect_four") for _ in range(2)]
    for seed in range(2):
        env.run([path, path])
        assert [state.status for state in env.state] == ["DONE", "DONE"]
        position = make_game("connect_four").initial_position()
        for agent in ours:
            agent.reset(seed)
        while not position.is_over:
            position.play(ours[position.to_move].act(position))
        played = [step[ply % 2].action for ply, step in enumerate(env.steps[1:])]
        assert list(position.moves) == played


def test_our_submission_plays_whole_games_there(tmp_path):
    network = next(card.path for card in cards() if card.game == "connect_four")
    write_submission(network, tmp_path / "submission.py")
    points = 0
    for seat in (0, 1):
        env = make("connectx")
        players = [str(tmp_path / "submission.py"), "random"]
        env.run(players if seat == 0 else players[::-1])
        assert [state.status for state in env.state] == ["DONE", "DONE"]
        points += env.state[seat].reward
    assert points == 2


def test_its_agents_play_whole_games_here():
    rng = random.Random(1)
    for name in ("negamax", "random"):
        agent = make_agent(f"kaggle:{name}", "connect_four")
        position = make_game("connect_four").initial_position()
        while not position.is_over:
            action = (
                rng.choice(position.legal_actions()) if position.to_move else agent.act(position)
            )
            position.play(action)
    note(library=f"kaggle-environments {importlib.metadata.version('kaggle-environments')}")
