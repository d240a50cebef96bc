"""The command line as a user meets it: what it prints, what it refuses and how, and that it starts
quickly.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import done, invoke, plyground, plyground_json
from plyground import make_game
from plyground.agents.registry import agent_classes
from plyground.commands.app import command_functions, purposes
from plyground.envs.registry import game_names
from plyground.evaluation.store.store import Store

# -- tournament --


def test_a_tournament_prints_its_table_and_keeps_its_games():
    result = done("tournament connect_four random greedy --pairs 3")
    output = " ".join(result.stdout.split())
    assert re.match(
        r"connect_four: 6 games, 6 of them distinct \(round-robin, pairs 3, opening random:4, "
        r"seed 1\) ",
        output,
    )
    row = next(line for line in result.stdout.splitlines() if " greedy " in line)
    assert re.match(r"1 greedy +\d+\.\d +\d+ +\d+ +\d+ +\d+.* (ms|µs) +\d+ +\. +\d+$", row), row
    assert all(len(line) <= 80 for line in result.stdout.splitlines())
    assert Path("plyground-tournament.db").exists()


def test_the_same_command_again_says_that_nothing_was_played():
    first = plyground("tournament tic_tac_toe random random --pairs 2")
    again = done("tournament tic_tac_toe random random --pairs 2")
    assert "all 4 games of this tournament are already in plyground-tournament" in again.stderr
    assert again.stdout == first.stdout
    more = plyground("tournament tic_tac_toe random random --pairs 3")
    assert "4 of 6 games are in plyground-tournament.db already; playing the other 2" in more.stderr


def test_json_is_all_that_standard_output_holds():
    result = plyground(
        "tournament tic_tac_toe random greedy random --pairs 2 --store games.db --json"
    )
    value = json.loads(result.stdout)
    assert value["games"] == 12
    assert value["store"] == "games.db"
    settings = {"game": "tic_tac_toe", "agents": ["random", "greedy", "random"], "pairs": 2}
    settings |= {"opening": "random:4", "seed": 1, "format": "round-robin"}
    settings |= {"balanced": None, "within": None, "transform": False}
    assert value["tournament"] == settings
    assert {row["agent"] for row in value["agents"]} == {"random", "greedy", "random #2"}
    for row in value["agents"]:
        assert row["games"] == 8 == row["wins"] + row["draws"] + row["losses"]
        assert row["score"] == (row["wins"] + row["draws"] / 2) / 8
        assert 0 < row["distinct_share"] <= 1
    assert len(value["meetings"]) == 6


def test_no_column_is_lost_where_there_are_many_agents():
    for width, count in (("80", 12), ("40", 4), ("40", 12)):
        words = ["tournament", "tic_tac_toe", *["random"] * count, "--pairs", "1"]
        output = invoke(words, COLUMNS=width).stdout
        assert f"#{count}" in output
        assert "score in % against each opponent" in output
        last = [line for line in output.splitlines() if re.match(rf" *{count} ", line)]
        assert len(last) == 2
        assert last[1].split()[-count:].count(".") == 1


def test_forfeits_are_told_below_the_table():
    result = done("tournament tic_tac_toe random python:broken.agents:Raises --pairs 1")
    output = " ".join(result.stdout.split())
    assert re.search(
        r"python:broken.agents:Raises forfeited [12] of 2 games \([12] raised\); in the first it "
        r"raised ValueError: I give up \(agents.py, line \d+\)",
        output,
    )
    assert "forfeited" not in result.stderr


def test_the_command_that_goes_on_keeps_every_word_that_was_given():
    plyground("tournament", "tic_tac_toe", "--pairs=2", "random", "greedy", "--name", "a b")
    with Store(Path("plyground-tournament.db")) as store:
        (tournament,) = store.tournaments()
    assert tournament.command == (
        "plyground tournament tic_tac_toe --pairs=2 random greedy --name 'a b'"
    )


def test_training_settings_are_listed_with_the_values_of_the_game():
    command = ["train", "ppo", "gomoku", "--list-settings"]
    wide = invoke(command, COLUMNS="120").stdout
    row = next(line for line in wide.splitlines() if line.startswith("layers "))
    assert re.match(r"layers +3 +a whole number from 0 to 20 +Convolutions of the network", row)
    narrow = invoke(command, COLUMNS="60").stdout
    assert max(map(len, narrow.splitlines())) <= 60
    assert "layers = 3  (a whole number from 0 to 20)\n    Convolutions" in narrow
    listing = plyground_json("train ppo gomoku --list-settings")
    assert (listing["algorithm"], listing["game"]) == ("ppo", "gomoku")
    (setting,) = [each for each in listing["settings"] if each["name"] == "layers"]
    assert (setting["default"], setting["kind"], setting["high"]) == (3, "int", 20)


# -- the other commands --


def test_match_tells_the_moves_and_the_result():
    result = plyground("match connect_four alphabeta:depth=3 random --opening d,d --seed 3")
    lines = result.stdout.splitlines()
    assert lines[0] == "opening: d, d"
    assert re.match(r"  3\. Red \(X\), alphabeta:depth=3, plays [a-g]   \[.*depth 3", lines[1])
    assert re.match(r"Red \(X\) wins: 4 in a row|Yellow \(O\) wins|draw", lines[-1])


def test_match_as_json_holds_the_moves():
    value = json.loads(plyground("match connect_four random random --opening d --json").stdout)
    assert value["opening"] == [3]
    assert value["actions"][1:] == [move["action"] for move in value["moves"]]
    assert value["moves"][0]["player"] == "player_1"
    assert sum(value["returns"]) == 0


def test_games_and_agents_are_all_listed():
    games, agents = plyground("games").stdout, plyground("agents").stdout
    assert all(f"\n{name}  " in f"\n{games}" for name in game_names())
    assert all(f"\n{name}  " in f"\n{agents}" for name in agent_classes())
    assert [game["name"] for game in json.loads(plyground("games --json").stdout)] == game_names()
    names = [agent["name"] for agent in plyground_json("agents")["agents"]]
    assert names == list(agent_classes())
    details = plyground("agents alphabeta").stdout
    assert "depth" in details
    assert "montecarlo" not in details


def test_size_and_perft_give_the_known_figures():
    assert re.search(
        r"states, by edges drawn +2\^12 +4,096", plyground("size dots_and_boxes:dots=3x3").stdout
    )
    assert plyground_json("size connect_four")["size"][1]["value"] == str(3**42)
    counts = plyground_json("perft connect_four --depth 7")["perft"]
    assert counts == [1, 7, 49, 343, 2401, 16807, 117649, 823536]
    table = plyground("perft tic_tac_toe --depth 2").stdout.split()
    assert table == ["0", "1", "1", "9", "2", "72"]


# -- real processes --


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent as a POSIX signal")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.fast_cases(1)
def test_an_interrupt_is_clean_and_prints_the_command_that_goes_on(number):
    words = "tournament connect_four random montecarlo:simulations=2000 --pairs 5000 --store"
    process = subprocess.Popen(
        [sys.executable, "-m", "plyground.cli", *words.split(), "my games.db"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    log = Path("my games.db-wal")
    while not log.exists() or log.stat().st_size < 60_000:  # until some games are in
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    process.send_signal(number)
    output, errors = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert output == ""
    match = re.search(
        r"stopped; (\d+) of 10000 games are in my games.db. To go on:\n  (.*)\n", errors
    )
    assert match, errors
    assert match[2] == f"plyground {words} 'my games.db' --resume"
    assert int(match[1]) > 0
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("words", "heavy"),
    [
        (["--help"], ("numba", "plyground.agents", "plyground.envs.game")),
        (
            ["games"],
            ("torch", "matplotlib", "plyground.training", "plyground.evaluation.tournament"),
        ),
        (["match", "--help"], ("PIL", "pygame", "torch", "matplotlib", "pyspiel", "ray")),
    ],
)
def test_a_command_imports_only_what_it_needs(words, heavy):
    program = f"""
import sys
from plyground.commands.app import run
run({words})
print([name for name in {heavy} if name in sys.modules], file=sys.stderr)
"""
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stderr.strip() == "[]"


def test_the_help_lists_every_command_by_its_purpose():
    names = [name for names in purposes().values() for name in names]
    assert sorted(names) == sorted({words[0] for words in command_functions()})
    listing = plyground("--help").stdout
    assert plyground("-h").stdout == listing
    assert "--install-completion" in listing
    panels = re.split(r"^╭─ (.+?) ─+╮$", listing, flags=re.MULTILINE)[1:]
    assert panels[::2] == [*purposes(), "Options"]
    for names, panel in zip(purposes().values(), panels[1::2]):
        assert re.findall(r"^│ ([a-z-]+) ", panel, re.MULTILINE) == list(names)


@pytest.mark.parametrize("words", command_functions(), ids=" ".join)
def test_every_command_has_help_with_an_example(words):
    module, _, name = command_functions()[words].partition(":")
    help_text = getattr(importlib.import_module(module), name).__doc__
    assert f"plyground {' '.join(words)}" in " ".join(help_text.split())


def test_without_a_command_a_board_and_three_commands_are_shown():
    lines = plyground("").stdout.splitlines()
    position = make_game("connect_four").position(
        ["a", "b", "b", "c", "d", "c", "c", "d", "d", "e", "d"]
    )
    assert position.is_over
    assert lines[1:8] == str(position).splitlines()
    commands = [line.split() for line in lines if line.startswith("  plyground ")]
    assert len(commands) == 3
    for _, *words in commands:
        names = words[: 2 if words[0] == "train" else 1]
        assert plyground(f"{' '.join(names)} --help").exit_code == 0
    assert "plyground --help lists all commands." in lines
