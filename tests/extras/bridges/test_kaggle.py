"""Agents for Kaggle's ConnectX play here, and our policies play there."""

from __future__ import annotations

import copy
import subprocess
import sys

import numpy as np
import plyground
import pytest
from command_line import invoke
from helpers import random_positions
from networks import write_network
from plyground import make_agent, make_game
from plyground.agents.policies.policy_file import load_policy_file
from plyground.agents.policies.zoo import cards
from plyground.envs.specification import SpecificationError
from plyground.extras.bridges import submission
from plyground.extras.bridges.kaggle import write_submission
from plyground.training.export import random_observations

# Plays the column beside its own lowest disc: needs the mark, the board and the configuration.
SUBMISSION = """
import math

def helper(board, columns):
    return [column for column in range(columns) if board[column] == 0]

def agent(observation, configuration):
    free = helper(observation.board, configuration.columns)
    assert observation["mark"] == 1 + sum(map(bool, observation.board)) % 2
    return free[-1]
"""


@pytest.fixture
def rightmost(tmp_path):
    path = tmp_path / "rightmost.py"
    path.write_text(SUBMISSION)
    return path


def test_a_submission_is_asked_as_kaggle_asks_it(rightmost):
    for spec in ("connect_four", "connect_four:rows=4,cols=5,connect=3"):
        game, agent = make_game(spec), make_agent(f"kaggle:{rightmost}", spec)
        for position in random_positions(spec, 20):
            assert agent.act(position) == position.legal_actions()[-1]
        assert copy.deepcopy(agent).act(game.initial_position()) == game.facts.num_actions - 1


def test_what_is_no_submission_is_refused(rightmost, tmp_path):
    (tmp_path / "empty.py").write_text("x = 1\n")
    (tmp_path / "broken.py").write_text("def agent(:\n")
    (tmp_path / "failing.py").write_text("raise RuntimeError('no')\n")
    (tmp_path / "three.py").write_text("def agent(a, b, c):\n    return 0\n")
    for name, complaint in (
        ("kaggle", "write kaggle:FILE.py, or one of negamax, random"),
        ("kaggle:nowhere.py", "there is no file 'nowhere.py'"),
        (f"kaggle:{tmp_path / 'empty.py'}", "has no function; the last one is the agent"),
        (f"kaggle:{tmp_path / 'broken.py'}", "is no Python file: invalid syntax"),
        (f"kaggle:{tmp_path / 'failing.py'}", "failed: RuntimeError: no"),
        (f"kaggle:{tmp_path / 'three.py'}", "takes 3 arguments"),
    ):
        with pytest.raises(SpecificationError, match=complaint):
            make_agent(name)
    with pytest.raises(SpecificationError, match="play connect_four, not tic_tac_toe"):
        make_agent(f"kaggle:{rightmost}", "tic_tac_toe")


@pytest.fixture(scope="module")
def convolutional():
    """The network of the zoo: convolutions, means, maxima."""
    return next(card.path for card in cards() if card.game == "connect_four")


def load(path):
    names = {"__name__": "submission"}
    exec(path.read_text(), names)
    return names


@pytest.mark.thorough
def test_a_submission_computes_what_the_policy_computes(convolutional, tmp_path):
    write_submission(convolutional, tmp_path / "submission.py")
    names = load(tmp_path / "submission.py")
    model = submission.read_model(names["MODEL"])
    observations = random_observations(make_game("connect_four"), 30)
    expected, _ = load_policy_file(convolutional).evaluate(observations)
    logits = np.stack([submission.logits_of(model, planes) for planes in observations])
    assert np.abs(logits - expected).max() < 0.01 * np.abs(expected).max()


def test_a_submission_plays_the_same_moves_without_plyground(convolutional, tmp_path):
    result = invoke(["export-policy", convolutional, "--out", tmp_path / "submission.py"])
    assert result.exit_code == 0, result.output
    assert "a submission to ConnectX" in result.stdout
    policy = make_agent(f"onnx:{convolutional}", "connect_four")
    submission_agent = make_agent(f"kaggle:{tmp_path / 'submission.py'}", "connect_four")
    same = [
        policy.act(position) == submission_agent.act(position)
        for position in random_positions("connect_four", 40)
    ]
    assert sum(same) >= 38  # float16 may turn what is about equal
    program = (
        "import runpy; agent = runpy.run_path('submission.py')['agent'];"
        "print(agent({'board': [0] * 42, 'mark': 1}, {'rows': 6, 'columns': 7}))"
    )
    process = subprocess.run(
        [sys.executable, "-I", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.stdout.strip() == str(policy.act(make_game("connect_four").initial_position()))


def test_policies_that_cannot_be_submitted_are_refused(tmp_path):
    other = write_network(tmp_path / "ttt.onnx", "tic_tac_toe")
    with pytest.raises(SpecificationError, match=r"ConnectX is connect_four; .* plays tic_tac_toe"):
        write_submission(other, tmp_path / "submission.py")
    assert not (tmp_path / "submission.py").exists()


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        ("def agent(obs): return 1", 1),
        ("def agent(obs, config): return config.columns - 5", 2),
        ("def agent(obs, config, depth=3): return config.columns - depth", 4),
        ("def agent(obs, config=None): return config.rows", 6),
    ],
)
def test_submissions_are_given_the_configuration_as_kaggle_gives_it(code, answer, tmp_path):
    (tmp_path / "submission.py").write_text(code)
    (name,) = plyground.envs.registry.games_in("kaggle")
    start = make_game(name).initial_position()
    assert make_agent(f"kaggle:{tmp_path / 'submission.py'}").act(start) == answer
