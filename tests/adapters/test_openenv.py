"""OpenEnv: its client plays our games over the network."""

from __future__ import annotations

import importlib.metadata
import socket
import threading
import time

import pytest
import uvicorn
from checks import note
from openenv.core.generic_client import GenericEnvClient
from plyground.extras.bridges.adapters.openenv import make_app


@pytest.fixture(scope="module")
def address():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    app = make_app("tic_tac_toe", opponent="greedy", retries=1)
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(timeout=10)


def play(env, seed, **options):
    """A game of the first legal moves: its result and what was seen."""
    result, boards = env.reset(seed=seed, **options), []
    while not result.done:
        board = result.observation
        boards.append((board["text"], board["seat"]))
        result = env.step({"text": f"I think about it.\n{board['legal_moves'][0]}"})
    return result, boards


def test_games_are_played_to_their_end_and_repeat_by_seed(address):
    outcomes = set()
    with GenericEnvClient(base_url=address).sync() as env:
        for seed in range(8):
            result, boards = play(env, seed)
            assert "Legal moves: " in boards[0][0]
            assert result.reward in (-1.0, 0.0, 1.0)
            seat = result.observation["seat"]
            assert result.observation["rewards"][seat] == result.reward
            assert sum(result.observation["rewards"]) == 0
            assert not result.observation["legal_moves"]
            again, seen_again = play(env, seed)
            assert (again.reward, seen_again) == (result.reward, boards)
            outcomes.add((seat, result.reward))
    assert {seat for seat, _ in outcomes} == {0, 1}
    assert -1.0 in {reward for _, reward in outcomes}
    note(library=f"OpenEnv {importlib.metadata.version('openenv-core')}")


def test_illegal_answers_are_refused_and_then_lose(address):
    with GenericEnvClient(base_url=address).sync() as env:
        env.reset(seed=1)
        first = env.step({"text": "z9"})
        assert not first.done
        assert first.reward == 0
        assert first.observation["complaint"].startswith("'z9' is not legal")
        second = env.step({"text": "I resign"})
        assert second.done
        assert second.reward == -1


def test_the_state_tells_the_board_and_the_opponent_can_be_chosen(address):
    with GenericEnvClient(base_url=address).sync() as env:
        env.reset(seed=3, opponent="random", episode_id="mine")
        board = env.reset(seed=3, opponent="random", episode_id="mine").observation
        env.step({"text": board["legal_moves"][0]})
        state = env.state()
        assert (state["episode_id"], state["game"]) == ("mine", "tic_tac_toe")
        assert state["opponent"] == "random"
        assert state["step_count"] == 1
        assert state["board"] not in board["text"]


def test_sessions_do_not_see_each_other(address):
    with (
        GenericEnvClient(base_url=address).sync() as one,
        GenericEnvClient(base_url=address).sync() as two,
    ):
        first, second = one.reset(seed=1).observation, two.reset(seed=1).observation
        assert first["text"] == second["text"]
        one.step({"text": first["legal_moves"][0]})
        assert one.state()["board"] != two.state()["board"]
        assert two.state()["board"] in second["text"]
