"""Kaggle's ConnectX: our submission plays there, its agents play here."""

from __future__ import annotations

import importlib.metadata
import random

from checks import note
from kaggle_environments import make
from plyground import make_agent, make_game
from plyground.agents.policies.zoo import cards
from plyground.extras.bridges.kaggle import write_submission

SPY = """
seen = []

def agent(observation, configuration):
    board = list(observation.board)
    names = {name: configuration[name] for name in ("rows", "columns", "inarow")}
    seen.append((board, observation.mark, names, observation.step))
    return [column for column in range(configuration.columns) if board[column] == 0][0]
"""


def test_agents_are_shown_here_what_kaggle_shows_them(tmp_path):
    (tmp_path / "spy.py").write_text(SPY)
    ours = make_agent(f"kaggle:{tmp_path / 'spy.py'}", "connect_four")
    position = make_game("connect_four").initial_position()
    there: list = []

    def watched(observation, configuration):
        names = {name: configuration[name] for name in ("rows", "columns", "inarow")}
        there.append((list(observation.board), observation.mark, names, observation.step))
        return next(column for column in range(7) if observation.board[column] == 0)

    env = make("connectx")
    env.run([watched, watched])
    while not position.is_over:
        position.play(ours.act(position))
    here = ours._function.__globals__["seen"]
    assert [row[:3] for row in here] == [row[:3] for row in there]
    assert [row[3] for row in here] == list(range(len(here)))


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
