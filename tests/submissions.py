"""Forms of submissions to Kaggle's ConnectX. Each fails where it is not run as Kaggle runs it.

They count their own moves, so that what is left of an earlier game is seen.
"""

from __future__ import annotations

import tarfile
from pathlib import Path

CHOOSE = """
turns = 0

def choose(observation, configuration):
    global turns
    assert turns == observation.step // 2, "something is left of an earlier game"
    turns += 1
    columns = [c for c in range(configuration.columns) if observation.board[c] == 0]
    return columns[turns % len(columns)]
"""
PLAYER = """
class Player:
    def act(self, observation, configuration):
        return choose(observation, configuration)

    __call__ = act

def helper(observation, configuration):
    return "no column"
"""
# What follows CHOOSE in a file.
FILES = {
    "function": """
def agent(observation, configuration):
    return choose(observation, configuration)
""",
    "one_argument": """
class Board:
    columns = 7

def agent(observation):
    return choose(observation, Board)
""",
    "defaults": """
def agent(observation, configuration=None, depth=3):
    return choose(observation, configuration)
""",
    "lambda": """
agent = lambda observation, configuration: choose(observation, configuration)
""",
    "bound_method": PLAYER + "agent = Player().act",
    "object": PLAYER + "agent = Player()",
    "partial": PLAYER + "import functools\nagent = functools.partial(Player.act, Player())",
    "closure": """
def make(depth):
    def search(observation, configuration):
        return choose(observation, configuration)
    return search

agent = make(3)
""",
    "decorated": """
import functools

def timed(function):
    @functools.wraps(function)
    def wrapper(observation, configuration):
        return function(observation, configuration)
    return wrapper

@timed
def agent(observation, configuration):
    return choose(observation, configuration)
""",
    "dataclass": """
from dataclasses import dataclass

@dataclass
class Move:
    column: "int"

def agent(observation, configuration):
    assert __name__ != "__main__" and "__file__" not in globals()
    return Move(choose(observation, configuration)).column
""",
    "what_is_shown": """
import copy
import json

def agent(observation, configuration):
    again = copy.deepcopy(observation)
    assert again.board == observation["board"] and again.board is not observation.board
    assert set(observation) == {"board", "mark", "step", "remainingOverageTime"}
    assert json.loads(json.dumps(observation)) == vars(again) == observation
    assert getattr(configuration, "agentTimeout", 0) == 60 == observation.remainingOverageTime
    assert getattr(configuration, "nothing", 7) == 7 and not hasattr(observation, "nothing")
    expected = {"rows": 6, "columns": 7, "inarow": 4, "episodeSteps": 1000, "actTimeout": 2,
                "agentTimeout": 60, "runTimeout": 1200, "timeout": 2}
    assert expected.items() <= configuration.items()
    assert all(getattr(configuration, name) == expected[name] for name in expected)
    observation.note = "own"
    assert observation["note"] == "own"
    return choose(again, configuration)
""",
}
FOLDER = {
    "helper.py": "asked = 0\n",
    "weights/shift.txt": "1",
    "weights/reader.py": "SHIFT = open('/kaggle_simulations/agent/weights/shift.txt').read()\n",
    "main.py": f"""
import os
import sys

sys.path.append("/kaggle_simulations/agent/weights")

import helper
import reader
{CHOOSE}
def agent(observation, configuration):
    import helper as again
    assert again is helper and helper.asked == observation.step // 2
    helper.asked += 1
    assert os.path.isdir("/kaggle_simulations/agent/") and reader.SHIFT == "1"
    return choose(observation, configuration)
""",
}
FORMS = (*FILES, "module_beside", "folder", "archive")


def write_form(form: str, folder: Path) -> Path:
    """Write a submission of one of :data:`FORMS` into a folder; returns its path."""
    if form in FILES:
        path = folder / f"{form}.py"
        path.write_text(CHOOSE + FILES[form])
        return path
    for name, text in FOLDER.items():
        (folder / form / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / form / name).write_text(text)
    if form == "module_beside":
        return (folder / form / "main.py").rename(folder / form / "agent.py")
    if form == "folder":
        return folder / form
    archive = folder / "submission.tar.gz"
    with tarfile.open(archive, "w:gz") as content:
        content.add(folder / form, ".")
    return archive
