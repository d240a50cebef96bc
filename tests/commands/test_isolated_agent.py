"""Users' agents that fail outside of matches: one sentence that names them, and status 2."""

from __future__ import annotations

import numpy as np
import pytest
from command_line import done, invoke
from plyground import make_game
from plyground.agents.opponents import make_opponents
from plyground.envs.single_agent.game_batch import GameBatch
from plyground.evaluation.runners import isolation
from plyground.evaluation.runners.isolation import IsolatedAgent, make_isolated_opponent

pytestmark = pytest.mark.thorough

GAME = make_game("tic_tac_toe")
FAILS = {
    "RaisesAtOnce": "raised ValueError: I give up",
    "ExitsAtOnce": "raised SystemExit: 3",
    "EndsTheProcessAtOnce": "ended its process with exit status 3",
    "ReturnsNothing": "returned None, which is no action",
}


@pytest.fixture(autouse=True)
def agents(tmp_path, monkeypatch):
    (tmp_path / "failing_agents.py").write_text(
        "import os\n\n\n"
        "def RaisesAtOnce(position):\n    raise ValueError('I give up')\n\n\n"
        "def ExitsAtOnce(position):\n    raise SystemExit(3)\n\n\n"
        "def EndsTheProcessAtOnce(position):\n    os._exit(3)\n\n\n"
        "def Hangs(position):\n    while True:\n        pass\n\n\n"
        "def ReturnsNothing(position):\n    return None\n\n\n"
        "def First(position):\n    return position.legal_actions()[0]\n\n\n"
        "def Numpy(position):\n    import numpy\n\n    return numpy.int64(4)\n"
    )
    monkeypatch.chdir(tmp_path)


COMMANDS = {
    "analyse": ["analyse", "tic_tac_toe", "--agent"],
    "book": ["book", "tic_tac_toe", "--plies", "1", "--out", "b.book", "--agent"],
    "balanced": [
        *["tournament", "tic_tac_toe", "random", "greedy", "--pairs", "1"],
        *["--within", "1", "--balanced"],
    ],
}


@pytest.mark.parametrize("name", FAILS)
@pytest.mark.parametrize("command", COMMANDS)
def test_an_agent_that_fails_is_named_in_one_sentence(command, name):
    spec = f"python:failing_agents:{name}"
    result = invoke([*COMMANDS[command], spec])
    assert result.exit_code == 2, result.output
    assert f"{spec} {FAILS[name]}" in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize("name", FAILS)
def test_the_report_of_quality_tells_of_an_agent_that_fails(name):
    spec = f"python:failing_agents:{name}"
    result = done("quality", "tic_tac_toe", spec, "--positions", "4")
    assert f"{spec} failed to move in 4 positions; in the first it {FAILS[name]}" in " ".join(
        result.output.split()
    )


TRAINING = ["train", "ppo", "tic_tac_toe", "--out", "run", "--set", "games=2"]
TRAINING += ["--set", "rollout=8", "--set", "batch_size=16", "--steps", "64"]


@pytest.mark.parametrize("name", [*FAILS, "Hangs"])
@pytest.mark.parametrize("role", ["opponent", "evaluate"])
def test_training_against_an_agent_that_fails_ends_with_its_name(name, role, monkeypatch):
    pytest.importorskip("sb3_contrib")
    monkeypatch.setattr(isolation, "LONGEST_MOVE_SECONDS", 1.0)
    spec = f"python:failing_agents:{name}"
    result = invoke([*TRAINING, f"--{role}", spec])
    assert result.exit_code == 2, result.output
    assert f"{spec} {(FAILS | {'Hangs': 'hung: no answer after'})[name]}" in result.stderr
    assert "Traceback" not in result.output


def test_an_opponent_of_training_thinks_in_one_process_and_a_network_in_this_one():
    made = make_opponents("python:failing_agents:First", GAME, make_isolated_opponent)[0].player
    assert isinstance(made, IsolatedAgent)
    batch = GameBatch(GAME, 4, make_opponents(made, GAME))
    batch.reset(1)
    process = made.pid
    for _ in range(20):
        batch.step(np.array([row.argmax() for row in batch.state.masks]))
    assert made.pid == process
    batch.close()
    assert made.pid is None
    made.reset(1)  # it may be asked again
    assert made.act(GAME.initial_position()) == 0
    network = make_isolated_opponent("zoo:tic_tac_toe", GAME)
    assert not isinstance(network, IsolatedAgent)


def test_numbers_of_numpy_are_written_as_json():
    result = done("analyse", "tic_tac_toe", "--agent", "python:failing_agents:Numpy", "--json")
    assert '"b2"' in result.stdout


def test_a_game_cannot_be_changed_by_an_agent_that_is_given_positions():
    position = GAME.initial_position().copy()
    with pytest.raises(AttributeError, match="a game cannot be changed"):
        position.game.rules = make_game("tic_tac_toe:size=4").rules


def test_an_agent_that_is_withdrawn_is_told_of_and_the_others_play_on():
    spec = "python:failing_agents:EndsTheProcessAtOnce"
    words = ["tournament", "tic_tac_toe", "random", "greedy", spec, "--pairs", "2"]
    words += ["--opening", "random:2", "--withdraw-after", "2"]
    result = done(*words)
    said = f"{spec} was withdrawn: its process crashed in 2 games in a row; 6 of its games are not"
    assert said in " ".join(result.stderr.split())
    assert "tic_tac_toe: 6 games" in result.stdout
    assert "all 6 games of this tournament are already in" in invoke(words).stderr
