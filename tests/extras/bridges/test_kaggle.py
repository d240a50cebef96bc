"""Agents for Kaggle's ConnectX play here, and our policies play there."""

from __future__ import annotations

import copy
import subprocess
import sys
import tarfile
import time
import types

import numpy as np
import pytest
from command_line import done
from helpers import random_positions, run
from networks import write_network
from plyground import make_agent, make_game
from plyground.agents.policies.policy_file import load_policy_file
from plyground.agents.policies.zoo import cards
from plyground.envs.specification import SpecificationError
from plyground.evaluation.plan import Plan
from plyground.extras.bridges import submission
from plyground.extras.bridges.kaggle import write_submission
from plyground.training.export import random_observations
from submissions import FORMS, write_form

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


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_submission_plays_game_after_game(form, tmp_path):
    path = write_form(form, tmp_path)
    places, modules = list(sys.path), set(sys.modules)
    for_seats = [make_agent(f"kaggle:{path}", "connect_four") for _ in range(2)]
    for seed in range(3):
        position = make_game("connect_four").initial_position()
        for agent in for_seats:
            agent.reset(seed)
        while not position.is_over:
            position.play(for_seats[position.to_move].act(position))
    assert sys.path == places
    assert not {"helper", "reader"} & (sys.modules.keys() - modules)


def test_submissions_lose_no_game_of_a_tournament_by_a_fault(tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    entries = [f"kaggle:{write_form(form, tmp_path)}" for form in ("archive", "bound_method")]
    games = run(Plan("connect_four", tuple(entries), 2, opening="random:0"), tmp_path / "games.db")
    assert [game.result.fault for game in games] == [None] * 4
    deadline = time.monotonic() + 30  # its process was killed: another removes the folder
    while left := list((tmp_path / "temporary").glob("plyground-*")):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def test_submissions_beside_each_other_have_modules_of_their_own(tmp_path):
    start, agents = make_game("connect_four").initial_position(), []
    for column in (2, 5):
        folder = tmp_path / str(column)
        folder.mkdir()
        (folder / "helper.py").write_text(f"COLUMN = {column}")
        (folder / "main.py").write_text(
            "import helper\n\ndef agent(shown):\n    import helper\n    return helper.COLUMN"
        )
        agents.append(make_agent(f"kaggle:{folder}", "connect_four"))
    sys.modules["helper"] = others = types.ModuleType("helper")
    assert [agent.act(start) for agent in agents] == [2, 5]
    assert sys.modules.pop("helper") is others
    before = agents[0].version
    (tmp_path / "2" / "helper.py").write_text("COLUMN = 3")
    agents[0].reset(1)
    assert agents[0].act(start) == 2  # an agent stays what it was
    edited = [make_agent(f"kaggle:{tmp_path / '2'}{file}") for file in ("", "/main.py")]
    assert [agent.act(start) for agent in edited] == [3, 3]
    assert len({before, *(agent.version for agent in edited)}) == 3


def archive_of(path, *names):
    with tarfile.open(path, "w:gz") as content:
        for name in names:
            content.addfile(tarfile.TarInfo(name))
    return path


def test_what_is_no_submission_is_refused(rightmost, tmp_path):
    for name, text in (
        ("empty", "x = 1"),
        ("broken", "def agent(:"),
        ("failing", "raise RuntimeError('no')"),
        ("leaving", "raise SystemExit('no')"),
        ("three", "def agent(a, b, c):\n    return 0"),
        ("method", "class A:\n    def act(self, shown):\n        return 0\n\nagent = A().act"),
        ("any", "def agent(*arguments):\n    return 0\n\nagent = lambda a, *, b: 0"),
    ):
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "damaged.tar.gz").write_bytes(b"\x1f\x8b\x08" + bytes(50))
    archive_of(tmp_path / "other.tar.gz", "agent.py")
    archive_of(tmp_path / "outside.tar.gz", "main.py", "../../outside.txt")
    for name, complaint in (
        ("nowhere.py", "there is no file '.*nowhere.py'"),
        ("empty.py", "has no agent: it must define a function \\(the last"),
        ("broken.py", "cannot be read as Python: invalid syntax"),
        ("failing.py", "failed: RuntimeError: no"),
        ("leaving.py", "failed: SystemExit: no"),
        ("three.py", "Kaggle calls the agent of .* with 2 arguments: missing a required"),
        ("method.py", "with 2 arguments: too many positional arguments"),
        ("any.py", "with 1 arguments: missing a required argument: 'b'"),
        ("damaged.tar.gz", "is not a .py file, a folder or an archive that can be unpacked: "),
        ("other.tar.gz", "there is no main.py in .*other.tar.gz"),
        ("outside.tar.gz", "'../../outside.txt' would be extracted to .* outside"),
        (".", "there is no main.py in"),
    ):
        with pytest.raises(SpecificationError, match=complaint):
            make_agent(f"kaggle:{tmp_path / name}")
    with pytest.raises(SpecificationError, match=r"write kaggle:FILE\.py, FOLDER, FILE\.tar"):
        make_agent("kaggle")
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
    result = done("export-policy", convolutional, "--out", tmp_path / "submission.py")
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
