"""The command line as a user meets it: what it prints, what it refuses and how, and that it starts
quickly.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import invoke, plyground, plyground_json
from helpers import ROOT
from plyground import make_game
from plyground.agents.registry import agent_classes
from plyground.envs.registry import game_names
from plyground.evaluation.plan import Plan
from plyground.evaluation.store.store import Store
from plyground.evaluation.tournament import Tournament

# -- tournament --


def test_a_tournament_prints_its_table_and_keeps_its_games():
    result = plyground("tournament connect_four random greedy --pairs 3")
    assert result.exit_code == 0
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
    again = plyground("tournament tic_tac_toe random random --pairs 2")
    assert again.exit_code == 0
    assert (
        "all 4 games of this tournament are already in plyground-tournament.db; none was played"
        in again.stderr
    )
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
    settings = {
        "opening": "random:4",
        "seed": 1,
        "format": "round-robin",
        "balanced": None,
        "within": None,
        "transform": False,
    }
    assert value["tournament"] == {
        "game": "tic_tac_toe",
        "agents": ["random", "greedy", "random"],
        "pairs": 2,
        **settings,
    }
    assert {row["agent"] for row in value["agents"]} == {"random", "greedy", "random #2"}
    for row in value["agents"]:
        assert row["games"] == 8 == row["wins"] + row["draws"] + row["losses"]
        assert row["score"] == (row["wins"] + row["draws"] / 2) / 8
        assert 0 < row["distinct_share"] <= 1
    assert len(value["meetings"]) == 6


def test_no_column_is_lost_where_there_are_many_agents(monkeypatch):
    for width, count in (("80", 12), ("40", 4), ("40", 12)):
        monkeypatch.setenv("COLUMNS", width)
        output = plyground("tournament", "tic_tac_toe", *["random"] * count, "--pairs", "1").stdout
        assert f"#{count}" in output
        assert "score in % against each opponent" in output
        last = [line for line in output.splitlines() if re.match(rf" *{count} ", line)]
        assert len(last) == 2
        assert last[1].split()[-count:].count(".") == 1


def test_forfeits_are_told_below_the_table():
    result = plyground("tournament tic_tac_toe random python:broken.agents:Raises --pairs 1")
    assert result.exit_code == 0
    output = " ".join(result.stdout.split())
    assert re.search(
        r"python:broken.agents:Raises forfeited [12] of 2 games \([12] raised\); in the first it "
        r"raised ValueError: I give up \(agents.py, line \d+\)",
        output,
    )
    assert "forfeited" not in result.stderr


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (
            "tournament connect_fuor random random",
            "there is no game 'connect_fuor'; did you mean 'connect_four'?",
        ),
        ("tournament connect_four:rows=99 random random", "rows must be a whole number from 1 to "),
        (
            "tournament connect_four random rnadom",
            "there is no agent 'rnadom'; did you mean 'random'?",
        ),
        ("tournament connect_four random alphabeta:dpeth=3", "did you mean 'depth'?"),
        ("tournament connect_four random", "at least two agents, not 1"),
        ("tournament connect_four random human", "a person cannot play in a tournament"),
        ("train ppo tic_tac_toe --out r --opponent human", "a person cannot play in training"),
        ("train ppo tic_tac_toe --out r --evaluate human", "a person cannot play in training"),
        ("train ppo tic_tac_toe --out r --seed -1", 'invalid value "-1" for --seed'),
        ("tournament tic_tac_toe random random --opening random:30", "leaves nothing to play"),
        ("tournament tic_tac_toe random random --store missing/games.db", "does not exist"),
        ("tournament tic_tac_toe random random --store .", "is a folder"),
        (
            "tournament tic_tac_toe random python:no_such_module:f",
            "there is no module 'no_such_module'",
        ),
        (
            "match connect_four random random --opening d,z",
            "'z' is no column of this board; columns run from a to g",
        ),
        ("match tic_tac_toe random random --opening b2,b2", "action 4 (b2) is not legal here"),
        (
            "match tic_tac_toe random random --opening a1,b1,a2,b2,a3",
            "the game is over after the moves",
        ),
        ("agents rnadom", "did you mean 'random'?"),
        ("perft gomoku --depth ٣", "--depth ٣ is not possible"),
        ("perft gomoku --depth 1_0", "--depth 1_0 is not possible"),
        ("perft gomoku --depth 0x1", "--depth 0x1 is not possible"),
        ("solve tic_tac_toe --time ٣", "--time ٣ is not possible"),
        ("train ppo tic_tac_toe --hours 3min", "in hours; 0: no limit); a number is written"),
        ("train ppo tic_tac_toe --steps 10minutes", "a whole number is written as 3000, 3k, 3e3"),
        ("train ppo hex --set steps=10minutes", "a whole number is written as 3000, 3k, 3e3"),
        ("train ppo hex --set hours=3min", "a number is written as 0.05"),
        ("size gomoku:size=٣", "size must be a whole number"),
        ("report --anchor random=1_0", "an anchor is an agent and its rating"),
        ("match gomoku random random --memory-limit ٣G", "is not an amount of memory"),
        ("size chess", "there is no game 'chess'"),
        *(
            (command, "; --import MODULE before the command imports a module that registers your")
            for command in (
                "size my_game",
                "match hex my_agent random",
                "match hex greedy:heuristic=mine random",
                "match hex alphabeta:ordering=mine random",
            )
        ),
        ("perft hexx --depth 2", "there is no game 'hexx'"),
    ],
)
def test_bad_input_ends_with_one_sentence_and_status_2(command, message):
    result = plyground(command)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.startswith("plyground: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert list(Path().iterdir()) == []  # a mistyped command leaves nothing behind


def test_more_memory_than_there_is_ends_with_a_sentence():
    result = plyground("train ppo tic_tac_toe --out r --set games=100000000")
    assert result.exit_code == 2
    assert "not enough memory: Unable to allocate" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("tournament", "tournament needs GAME|FILE; plyground tournament --help explains it"),
        ("tournament connect_four", "at least two agents, not 0"),
        (
            "tournament connect_four random random --pairs 0",
            "--pairs must be a whole number from",
        ),
        ("tournament connect_four random random --pairs few", "--pairs few is not possible"),
        ("tournament connect_four random random --pairs 1 --pairs 2", "specified multiple times"),
        ("tournament connect_four random random --pears 3", "Did you mean --pairs?"),
        ("perft connect_four", "perft needs --depth; plyground perft --help explains it"),
        ("perft connect_four --depth", "--depth needs a value; plyground perft --help"),
        ("games connect_four", "unexpected arguments: connect_four"),
        ("tournement", 'Did you mean "tournament"?'),
        ("train ppo tic_tac_toe", "give the folder of the run: --out FOLDER"),
        ("train ppo tic_tac_toe --out run --set gama=1", "there is no setting 'gama'"),
        ("curves", "give the folders of the runs to draw"),
    ],
)
def test_a_command_line_that_makes_no_sense_ends_with_one_sentence_and_status_2(command, message):
    result = plyground(command)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert result.stderr.startswith("plyground: ")
    assert result.stderr.count("\n") == 1


def test_options_that_commands_share_are_the_same_in_each():
    options = ("--runner", "--concurrency N", "--memory-limit SIZE", "--balanced AGENT")
    for command in ("tournament", "sprt"):
        listing = plyground(f"{command} --help").stdout
        assert all(option in listing for option in options)


def test_the_command_that_goes_on_keeps_every_word_that_was_given():
    plyground("tournament", "tic_tac_toe", "--pairs=2", "random", "greedy", "--name", "a b")
    with Store(Path("plyground-tournament.db")) as store:
        (tournament,) = store.tournaments()
    assert tournament.command == (
        "plyground tournament tic_tac_toe --pairs=2 random greedy --name 'a b'"
    )


def test_on_demand_there_is_help():
    request = plyground("--help")
    assert (request.exit_code, request.stderr) == (0, "")
    assert request.stdout == plyground("-h").stdout
    assert "--install-completion" in request.stdout


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent as a POSIX signal")
def test_ctrl_c_where_nothing_is_to_be_told_ends_with_status_130():
    code = (
        "import os, signal; from plyground import cli; from plyground.commands import listing\n"
        "listing.size_report = lambda game: os.kill(os.getpid(), signal.SIGINT)\n"
        "cli.sys.argv = ['plyground', 'size', 'tic_tac_toe']; cli.main()"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert (process.returncode, process.stderr) == (130, "stopped\n")


def test_training_settings_are_listed_with_the_values_of_the_game():
    command = ["train", "ppo", "gomoku", "--list-settings"]
    wide = invoke(command, COLUMNS="120").stdout
    row = next(line for line in wide.splitlines() if line.startswith("snapshot_every"))
    assert re.match(r"snapshot_every +25000 +a whole number of.* Steps between two of", row)
    narrow = invoke(command, COLUMNS="60").stdout
    assert max(map(len, narrow.splitlines())) <= 60
    assert "snapshot_every = 25000  (a whole number of at least 1)\n    Steps between" in narrow
    listing = plyground_json("train ppo gomoku --list-settings")
    assert (listing["algorithm"], listing["game"]) == ("ppo", "gomoku")
    (setting,) = [each for each in listing["settings"] if each["name"] == "snapshot_every"]
    assert (setting["default"], setting["kind"], setting["low"]) == (25000, "int", 1)


def test_every_command_has_help_with_an_example():
    listing = plyground("--help").stdout
    for command in (
        "tournament",
        "match",
        "analyse",
        "solve",
        "games",
        "agents",
        "size",
        "perft",
    ):
        assert command in listing
        assert f"plyground {command}" in plyground(f"{command} --help").stdout


# -- the other commands --


def test_match_tells_the_moves_and_the_result():
    result = plyground("match connect_four alphabeta:depth=3 random --opening d,d --seed 3")
    lines = result.stdout.splitlines()
    assert lines[0] == "opening: d, d"
    assert re.match(r"  3\. Red \(X\), alphabeta:depth=3, plays [a-g]   \[.*depth 3", lines[1])
    assert re.match(r"Red \(X\) wins: 4 in a row|Yellow \(O\) wins|draw", lines[-1])


def test_match_shows_the_board_after_every_move():
    result = plyground("match tic_tac_toe random random --show")
    moves = [line for line in result.stdout.splitlines() if " plays " in line]
    assert result.stdout.count("   a b c") == len(moves) + 1


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
    assert [
        agent["name"] for agent in json.loads(plyground("agents --json").stdout)["agents"]
    ] == list(agent_classes())


def test_one_agent_is_told_of_in_detail():
    output = plyground("agents alphabeta").stdout
    assert "depth" in output
    assert "montecarlo" not in output


def test_size_and_perft_give_the_known_figures():
    assert re.search(
        r"states, by edges drawn +2\^12 +4,096", plyground("size dots_and_boxes:dots=3x3").stdout
    )
    assert json.loads(plyground("size connect_four --json").stdout)["size"][1]["value"] == str(
        3**42
    )
    assert json.loads(plyground("perft connect_four --depth 7 --json").stdout)["perft"] == [
        1,
        7,
        49,
        343,
        2401,
        16807,
        117649,
        823536,
    ]
    assert plyground("perft tic_tac_toe --depth 2").stdout.split() == [
        "0",
        "1",
        "1",
        "9",
        "2",
        "72",
    ]


# -- real processes --


def start(*arguments: str) -> subprocess.Popen:
    command = [sys.executable, "-m", "plyground.cli", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent as a POSIX signal")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.fast_cases(1)
def test_an_interrupt_is_clean_and_prints_the_command_that_goes_on(number):
    process = start(
        "tournament",
        "connect_four",
        "random",
        "montecarlo:simulations=2000",
        "--pairs",
        "5000",
        "--store",
        "my games.db",
    )
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
    assert match[2] == (
        "plyground tournament connect_four random montecarlo:simulations=2000 --pairs 5000 "
        "--store 'my games.db' --resume"
    )
    assert int(match[1]) > 0
    assert "Traceback" not in errors


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent as a POSIX signal")
@pytest.mark.thorough
def test_the_command_that_an_interrupt_prints_plays_the_rest_exactly(tmp_path):
    # the games last seconds, so that the interrupt comes before the last of them
    agents = ("random", "montecarlo:simulations=10000", "greedy")
    plan = Plan("connect_four", agents, 12, "random:4", 5, "ladder", "alphabeta:depth=3", 20)
    options = [
        "--pairs",
        "12",
        "--seed",
        "5",
        "--format",
        "ladder",
        "--balanced",
        "alphabeta:depth=3",
        "--within",
        "20",
        "--opening",
        "random:4",
    ]
    process = start(
        "tournament", plan.game, *agents, *options, "--name", "a & b", "--store", "my games.db"
    )
    while not _games_in(Path("my games.db")):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    words = shlex.split(errors.partition("To go on:\n")[2].strip())
    assert (words[0], words[-1]) == ("plyground", "--resume")
    before = _games_in(Path("my games.db"))
    result = plyground(*words[1:])
    assert result.exit_code == 0, result.stderr
    assert (
        f"{len(before)} of 48 games are in my games.db already; playing the other "
        f"{48 - len(before)}" in result.stderr
    )
    with Store(tmp_path / "undisturbed.db") as store:
        Tournament(plan, store).run()
    assert _games_in(Path("my games.db")) == _games_in(tmp_path / "undisturbed.db")


def _games_in(path: Path) -> list[tuple]:
    """Everything about the games in a store that the seed decides."""
    if not path.exists():
        return []
    with Store(path) as store:
        return [(game[:4], *game.result[:5]) for game in store.games(1)]


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


def test_the_version_is_that_of_the_project():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{plyground("--version").stdout.split()[1]}"' in text


def test_the_help_lists_every_command_by_its_purpose():
    from plyground.commands.app import command_functions, purposes

    names = [name for names in purposes().values() for name in names]
    assert sorted(names) == sorted({words[0] for words in command_functions()})
    panels = re.split(r"^╭─ (.+?) ─+╮$", plyground("--help").stdout, flags=re.MULTILINE)[1:]
    assert panels[::2] == [*purposes(), "Options"]
    for names, panel in zip(purposes().values(), panels[1::2]):
        assert re.findall(r"^│ ([a-z-]+) ", panel, re.MULTILINE) == list(names)


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
