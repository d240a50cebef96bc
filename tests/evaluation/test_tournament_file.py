"""Tournament files: several tournaments in one store, stopped and taken up again; what is wrong
with a file is said before anything is played.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from command_line import done, plyground, refused
from helpers import ROOT, run
from plyground.envs.specification import SpecificationError
from plyground.evaluation.plan import Plan, read_tournaments
from plyground.evaluation.store.store import Store
from plyground.evaluation.tournament import Tournament

EXAMPLE = ROOT / "examples" / "tournaments.toml"


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


BOTH = "game = 'tic_tac_toe'\nagents = ['random', 'greedy']\n"
SMALL = """
pairs = 2
seed = 7
agents = ["random", "greedy"]

[[tournament]]
game = "tic_tac_toe"

[[tournament]]
name = "three"
game = "connect_four"
agents = ["random", "greedy", "random"]
format = "gauntlet"
pairs = 1
opening = "lines.txt"
"""


@pytest.fixture
def small(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "lines.txt").write_text("d,d\n")
    path = tmp_path / "folder" / "small.toml"
    path.write_text(SMALL)
    return path


def test_a_file_gives_plans_with_what_stands_at_the_top(small):
    first, second = read_tournaments(small)
    assert first == Plan("tic_tac_toe", ("random", "greedy"), pairs=2, seed=7)
    lines = str(small.parent / "lines.txt")
    agents, more = ("random", "greedy", "random"), {"format": "gauntlet", "name": "three"}
    assert second == Plan("connect_four", agents, pairs=1, seed=7, opening=lines, **more)


def test_all_tournaments_of_a_file_are_played_into_one_store(small, tmp_path):
    result = done("tournament folder/small.toml --store games.db")
    assert re.search("tic_tac_toe: 4 games(.|\n)*connect_four: 4 games", result.stdout)
    with Store(tmp_path / "games.db") as store:
        tournaments = store.tournaments()
        assert [sum(1 for _ in store.games(one.number)) for one in tournaments] == [4, 4]
    assert tournaments[1].name == "three"
    assert tournaments[0].command == "plyground tournament folder/small.toml --store games.db"
    again = plyground("tournament folder/small.toml --store games.db")
    assert "all 8 games" in again.stderr
    assert again.stdout == result.stdout


def test_a_file_that_was_played_in_part_goes_on(small, tmp_path):
    first, _ = read_tournaments(small)
    with Store(tmp_path / "games.db") as store:
        Tournament(first, store).run()
    result = plyground("tournament folder/small.toml --store games.db --resume --json")
    assert "4 of 8 games are in games.db already; playing the other 4" in result.stderr
    values = json.loads(result.stdout)["tournaments"]
    assert [value["games"] for value in values] == [4, 4]
    assert values[1]["tournament"]["format"] == "gauntlet"


def test_the_games_are_those_of_the_same_tournament_on_the_command_line(small, tmp_path):
    assert plyground("tournament folder/small.toml --store games.db").exit_code == 0
    again = plyground("tournament tic_tac_toe random greedy --pairs 2 --seed 7 --store games.db")
    assert "all 4 games of this tournament are already in games.db" in again.stderr


def test_the_example_runs(tmp_path):
    shutil.copytree(EXAMPLE.parent / "openings", tmp_path / "openings")
    shutil.copy(EXAMPLE, tmp_path / "tournaments.toml")
    result = done("tournament tournaments.toml --store evening.db")
    assert "(ladder, pairs 10, opening random:4, seed 7)" in " ".join(result.stdout.split())
    assert plyground("report evening.db").stdout.count("of them distinct") == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "file.toml contains no tournaments; each begins with [[tournament]]"),
        ("[[tournament]\n", "file.toml is not TOML: "),
        ("[[tournament]]\ngame = 'tic_tac_toe'", "file.toml, tournament 1: agents is missing"),
        ("[[tournament]]\ngmae = 'x'", "it cannot have 'gmae'; did you mean 'game'?"),
        ("name = 'x'\n[[tournament]]\n", "file.toml, at the top: name belongs to one tournament"),
        ("pairs = '5'\n[[tournament]]\n", 'at the top: pairs is "5"; it must be a whole number'),
        ("[[tournament]]\nagents = 'random'", 'agents is "random"; it must be a list, each a text'),
        ("[[tournament]]\nagents = [1, 2]", "agents.0 is 1; it must be a text"),
        (BOTH + 2 * "[[tournament]]\n", "tournament 2: same name as tournament 1, or the same"),
        (BOTH + "[[tournament]]\nname='a'\n[[tournament]]\nseed=2\nname='a'\n", "same name as"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(text, message, tmp_path):
    path = tmp_path / "file.toml"
    path.write_text(text)
    with pytest.raises(SpecificationError) as error:
        read_tournaments(path)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("tournament bad.toml", "there is no agent 'rnadom'; did you mean 'random'?"),
        ("tournament good.toml --pairs 3", "--pairs belongs in the file good.toml, not on the"),
        ("tournament good.toml random", "agents belongs in the file good.toml, not on the command"),
        ("tournament good.toml --resume", "there is nothing to resume: plyground-tournament.db"),
    ],
)
def test_nothing_is_played_where_something_is_wrong(command, message, tmp_path):
    good = f"[[tournament]]\n{BOTH}"
    (tmp_path / "good.toml").write_text(good)
    (tmp_path / "bad.toml").write_text(good + good.replace("greedy", "rnadom"))
    assert message in refused(command)
    assert not Path("plyground-tournament.db").exists()


def test_games_that_one_tournament_has_too_many_of_are_not_taken_for_those_of_another(tmp_path):
    """The store holds six games of deterministic agents, of which two would be played."""
    agents = ("minimax:depth=2", "minimax:depth=3")
    plan = Plan("tic_tac_toe", agents, pairs=3, opening="random:0")
    games = run(plan, tmp_path / "store.db", "with repeats")
    with Store(tmp_path / "store.db") as store:
        repeats = [game._replace(pair=pair) for pair in (1, 2) for game in games]
        assert store.add_all(1, repeats) == repeats
    (tmp_path / "file.toml").write_text(
        "game = 'tic_tac_toe'\npairs = 3\n"
        "[[tournament]]\nname = 'with repeats'\nagents = ['minimax:depth=2', "
        "'minimax:depth=3']\nopening = 'random:0'\n"
        "[[tournament]]\nagents = ['random', 'minimax:depth=1']\npairs = 2\n"
    )
    result = plyground("tournament file.toml --store store.db --json")
    assert "6 of 10 games are in store.db already; playing the other 4" in result.stderr
    assert [value["games"] for value in json.loads(result.stdout)["tournaments"]] == [6, 4]
