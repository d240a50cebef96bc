"""An agent of others that ends the process it plays in ends no command without a word."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(os.name != "posix", reason="worker processes need POSIX"),
]

AGENTS = """
import os
import signal

from plyground.agents import Agent, Decision
from plyground.agents.registry import register_agent


def leaves(position):
    os._exit(0)


def dies(position):
    os.kill(os.getpid(), signal.SIGKILL)


class Unmade:
    def __init__(self):
        os._exit(0)

    def act(self, position):
        return position.legal_actions()[0]


@register_agent("leaver")
class Leaver(Agent):
    def decide(self, position):
        os._exit(0)
"""
LEFT, KILLED = "ended its process with exit status 0", "was killed by signal 9 (SIGKILL)"
PLAY = "tournament tic_tac_toe random {} --pairs 1 --isolate never --store games.db"
MATCH = "match tic_tac_toe random {} --isolate never"
TEST = "sprt tic_tac_toe random {} --max-pairs 1 --isolate never --store games.db"
CASES = [
    (PLAY, "python:ending:dies", KILLED),
    (PLAY, "python:ending:Unmade", LEFT),
    (f"{PLAY} --concurrency 1", "python:ending:leaves", LEFT),
    (MATCH, "leaver", LEFT),
    (TEST, "leaver", LEFT),
    ("analyse tic_tac_toe --agent {}", "leaver", LEFT),
]


@pytest.fixture
def run_here(tmp_path):
    (tmp_path / "ending.py").write_text(AGENTS)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join(filter(None, sys.path))
        return subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=os.environ | {"PYTHONPATH": path},
            capture_output=True, check=False, text=True, timeout=300,
        )  # fmt: skip

    return run


@pytest.mark.parametrize(("command", "agent", "how"), CASES)
def test_a_command_says_what_the_agent_did(command, agent, how, run_here, tmp_path):
    words = command.format(agent).split()
    result = run_here("-m", "plyground.cli", "--import", "ending", *words)
    if Path(tmp_path / "games.db").exists():
        export = run_here("-m", "plyground.cli", "export", "games.db")
        said = export.stdout
        assert said.count('"fault": "exited"') == 2
    else:
        said = result.stdout if words[0] == "match" else result.stderr
        assert result.returncode == (0 if words[0] == "match" else 2)
    assert f"{agent}" in said
    assert how in said, result


def test_an_evaluation_in_python_says_so_too(run_here):
    code = (
        "import ending; from plyground.evaluation import evaluate; "
        "evaluate({}, 'tic_tac_toe', [{}], pairs=1)"
    )
    for player, opponent in (("'random'", "'leaver'"), ("'leaver'", "'random'")):
        result = run_here("-c", code.format(player, opponent))
        assert result.returncode == 1
        assert f"leaver {LEFT}" in result.stderr
