"""Files as an attacker writes them: what they name, what their texts hold, and who is watched."""

from __future__ import annotations

import importlib
import json
import os
import sqlite3
import subprocess
import sys
import typing
from collections.abc import Iterator
from pathlib import Path

from cyclopts import Parameter
from helpers import TESTS
from plyground.agents.registry import agent_classes
from plyground.commands.app import command_functions
from plyground.envs.specification import format_specification

WATCH = TESTS / "data" / "watched"  # its sitecustomize.py notes what a process does
# What would come of agents that a store names, if they were made: the game, and the specification.
# {trap} stands for a folder whose files nobody may open.
TRAPS = {
    "python": ("tic_tac_toe", "python:trap:act"),
    "gomocup": ("gomoku:size=9", "gomocup:/bin/sh {trap}/trap.sh"),
    "kaggle": ("connect_four", "kaggle:{trap}/trap.py"),
    "llm": ("tic_tac_toe", "llm:m,url=http://127.0.0.1:9/v1"),
    "sb3": ("tic_tac_toe", "sb3:{trap}/trap.zip,trained_on=tic_tac_toe"),
    "openspiel": ("tic_tac_toe", "openspiel:mcts"),
    "zoo": ("tic_tac_toe", "zoo:tic_tac_toe"),
    "mcts": ("tic_tac_toe", "mcts:network=hf://owner/name"),
    "policy": ("tic_tac_toe", "policy:hf://owner/name"),
}
# Commands that read stores of others, with what they are told.
READERS = {
    "report": ["{store} --html page.html --out paper --beside {store}", "{store} --json"],
    "export": ["{store} --out games.jsonl", "{store} --format csv", "{store} --format sgf"],
    "verify": ["{store} --games 2", "{store} --json"],
    "replay": ["{store}", "{store} 1", "{store} 1 --review --agent random"],
    "quality": ["tic_tac_toe --games {store}"],
    "dataset": ["tic_tac_toe --positions 2 --from-store {store} --out data.npz"],
    "tournament": ["tic_tac_toe random greedy --pairs 1 --store {store}"],
    "sprt": ["tic_tac_toe random greedy --max-pairs 1 --store {store}"],
    "watch": ["tic_tac_toe random greedy --store {store}"],
    "import": ["game.sgf --store {store}"],
}
INTERACTIVE = {"play", "web"}  # which make agents of the command line and of visitors only


def commands_that_take_stores() -> Iterator[str]:
    """The commands, by their words, with an option or an argument that is a store."""
    for words, place in command_functions().items():
        module, _, name = place.partition(":")
        hints = typing.get_type_hints(
            getattr(importlib.import_module(module), name), include_extras=True
        )
        if any("store" in text.lower() for text in _help_of(hints)):
            yield " ".join(words)


def _help_of(hints: dict[str, typing.Any]) -> Iterator[str]:
    for name, hint in hints.items():
        kind, *about = typing.get_args(hint) if hasattr(hint, "__metadata__") else (hint,)
        yield from (f"{name} {each.help}" for each in about if isinstance(each, Parameter))
        if hasattr(kind, "__dataclass_fields__"):
            yield from _help_of(typing.get_type_hints(kind, include_extras=True))


def hostile_specs(trap: Path) -> list[tuple[str, str]]:
    """A game and an agent that must not be made, or must do no harm: of every kind and text."""
    specs = [(game, spec.replace("{trap}", str(trap))) for game, spec in TRAPS.values()]
    for name, agent_class in agent_classes().items():
        texts = [each for each in agent_class.parameters if each.kind is str and not each.choices]
        game = TRAPS.get(name, ("gomoku:size=9" if name == "gomoku" else "tic_tac_toe",))[0]
        specs.append((game, name))
        specs += [
            (game, format_specification(name, {each.name: str(trap / "trap.py")})) for each in texts
        ]
    return list(dict.fromkeys(specs))


def set_trap(folder: Path) -> Path:
    """A folder of files that run something, or count as opened."""
    trap = folder / "trap"
    trap.mkdir()
    program = "import os\nos.system('true')\n\ndef act(position):\n    return 0\n"
    (trap / "trap.py").write_text(program)
    for name in ("trap.sh", "trap.zip"):
        (trap / name).write_text("echo")
    return trap


def name_agents(store: Path, specs: list[tuple[str, str]]) -> None:
    """Enter a tournament for each agent, as copies of those that the store holds for its game."""
    with sqlite3.connect(store) as connection:
        tournaments = connection.execute("SELECT number, settings FROM tournaments").fetchall()
        models = {json.loads(settings)["game"]: number for number, settings in tournaments}
        for count, (game, spec) in enumerate(specs):
            model, number = models[game], 1000 + count
            _copy(
                connection, "tournaments", "number", model, number=number, name=f"hostile {count}"
            )
            _copy(connection, "agents", "tournament", model, tournament=number)
            _copy(connection, "games", "tournament", model, tournament=number, number=None)
            update = "UPDATE agents SET spec = ?, label = ? WHERE tournament = ? AND number = 0"
            connection.execute(update, (spec, spec, number))
            update = "UPDATE tournaments SET settings = json_set(settings, '$.agents[0]', ?)"
            connection.execute(f"{update} WHERE number = ?", (spec, number))
    connection.close()


def _copy(
    connection: sqlite3.Connection, table: str, key: str, value: int, **changes: object
) -> None:
    """Copy the rows of a table with that key, with other values in some columns."""
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    columns = ", ".join("?" if name in changes else name for name in names)
    insert = f"INSERT INTO {table} SELECT {columns} FROM {table} WHERE {key} = ?"
    given = [changes[name] for name in names if name in changes]
    connection.execute(insert, (*given, value))


def watched(words: list[str], trap: Path) -> tuple[int, str, list[str]]:
    """Run a command line in the folder of a trap: its status, its output, and what it has done.

    Listed are programs, connections and files of the trap, by this process and by its children.
    """
    notes = trap.parent / "notes"
    notes.write_text("")
    path = os.pathsep.join(filter(None, (str(WATCH), os.environ.get("PYTHONPATH"))))
    process = subprocess.run(
        [sys.executable, "-m", "plyground.cli", *words],
        cwd=trap,
        check=False,
        env=os.environ | {"PYTHONPATH": path, "WATCH_NOTES": str(notes)},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    return process.returncode, process.stdout + process.stderr, notes.read_text().splitlines()
