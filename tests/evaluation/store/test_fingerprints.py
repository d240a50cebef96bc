"""Fingerprints of sources: a change of what decides games is noticed, and no other change is."""

from __future__ import annotations

import functools
import math
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import invoke, refused
from helpers import GAMES, ROOT, count_games
from plyground import make_agent, make_game
from plyground.agents.registry import agent_classes
from plyground.envs.compiled import cache, sources
from plyground.envs.compiled.sources import stamp_of_sources
from plyground.envs.registry import rules_type
from plyground.evaluation.fingerprints import sources_of_agent, sources_of_rules
from plyground.evaluation.plan import Plan
from plyground.evaluation.store.store import Store, StoreError
from plyground.evaluation.tournament import Tournament

pytestmark = pytest.mark.thorough

PLAN = Plan("tic_tac_toe", ("greedy", "random"), pairs=1)


@pytest.fixture
def edit(monkeypatch):
    """Lets the sources be read as if a file of the package were another one."""
    read = sources._content.__wrapped__
    paths: set[Path] = set()

    def content(path: Path) -> bytes:
        return read(path) + (b"\n# edited\n" if path in paths else b"")

    unedited, _ = stamp_of_sources()

    def stamp() -> tuple[bytes, float]:
        return repr(sorted(paths)).encode() + unedited, math.inf  # too new: nothing is kept

    def forget() -> None:
        for function in (sources._digest_of_file, sources._scan, sources._scan_for_play):
            function.cache_clear()
        cache.digest_of_play.cache_clear()

    def change(name: str) -> None:
        paths.add(sources.PACKAGE / name)
        assert (sources.PACKAGE / name).is_file()
        forget()

    monkeypatch.setattr(sources, "_content", content)
    monkeypatch.setattr(cache, "_stamp", stamp)
    yield change
    monkeypatch.undo()
    forget()


def fingerprints() -> dict[tuple[str, str], str]:
    """Those of all rules and of all agents at every game."""
    digests = {}
    for name in GAMES:
        game = make_game(name)
        digests["rules", name] = sources_of_rules(game)
        digests |= {
            (agent, name): sources_of_agent(kind, game)
            for agent, kind in agent_classes().items()
            if kind.__module__.startswith("plyground.")
        }
    return digests


def changed_by(edit, file: str) -> set[tuple[str, str]]:
    before = unedited_fingerprints()
    edit(file)
    after = fingerprints()
    return {key for key, value in before.items() if value != after[key]}


unedited_fingerprints = functools.cache(fingerprints)


@pytest.mark.parametrize("name", GAMES)
def test_the_rules_of_a_game_change_with_its_file_and_those_of_others_do_not(name, edit):
    module = rules_type(name).__module__.removeprefix("plyground.")
    changes = changed_by(edit, f"{module.replace('.', '/')}.py")
    assert {game for kind, game in changes if kind == "rules"} == {name}


@pytest.mark.parametrize("common_file", ["envs/rules.py", "envs/game.py", "envs/stepping.py"])
def test_what_all_rules_stand_on_changes_all_rules(common_file, edit):
    changes = changed_by(edit, common_file)
    assert {game for kind, game in changes if kind == "rules"} == set(GAMES)


@pytest.mark.parametrize(
    ("file", "agent", "game", "other"),
    [
        ("agents/greedy.py", "greedy", "hex", ("random", "hex")),
        ("agents/search/alphabeta_kernels.py", "minimax", "othello", ("greedy", "othello")),
        ("agents/solvers/connect_four/search.py", "solver", "connect_four", ("solver", "hex")),
        ("agents/solvers/mnk/search.py", "solver", "gomoku", ("solver", "connect_four")),
        ("agents/solvers/general/search.py", "solver", "breakthrough", ("greedy", "breakthrough")),
        ("extras/gomoku_engine/lines.py", "alphabeta", "gomoku", ("alphabeta", "hex")),
        ("extras/gomoku_engine/guide.py", "mcts", "gomoku", ("mcts", "hex")),
        ("agents/policies/policy_file.py", "policy", "hex", ("greedy", "hex")),
    ],
)
def test_an_agent_changes_with_the_code_that_it_plays_by(file, agent, game, other, edit):
    changes = changed_by(edit, file)
    assert (agent, game) in changes
    assert other not in changes
    assert not [game for kind, game in changes if kind == "rules"]


@pytest.mark.parametrize("file", ["commands/app.py", "extras/games/hex/drawing.py"])
def test_what_decides_no_game_changes_nothing(file, edit):
    assert changed_by(edit, file) == set()


# -- tournaments --


def play(path, **more) -> str:
    """Play PLAN, as far as it is not in the store; the tournament's name."""
    with Store(path) as store:
        tournament = Tournament(PLAN, store, **more)
        tournament.run()
        return tournament.name


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("agents/greedy.py", "changed: greedy;"),
        ("envs/games/tic_tac_toe/rules.py", "changed: the rules of the game;"),
        ("evaluation/conditions.py", "changed: the way matches are played;"),
        ("evaluation/openings.py", "changed: the way matches are played;"),
    ],
)
def test_games_of_changed_sources_are_not_added_to_those_of_others(file, change, tmp_path, edit):
    path = tmp_path / "store.db"
    name = play(path)
    assert play(path) == name
    edit(file)
    with pytest.raises(StoreError, match=change):
        play(path)
    assert count_games(path) == 2
    own = play(path, on_changed=lambda text: True)
    assert own.startswith(f"{name} (code ")
    assert count_games(path) == 4
    assert play(path) == own  # it is known now


def test_the_command_refuses_or_begins_a_new_tournament_as_it_is_told(tmp_path, edit):
    path = tmp_path / "store.db"
    words = ["tournament", *(PLAN.game, *PLAN.agents), "--pairs", "1", "--store", path]
    assert invoke(words).exit_code == 0
    edit("agents/greedy.py")
    more = [*words[:-3], "2", "--store", path]
    for answer in (["--changed", "refuse"], []):  # nobody is there to be asked
        said = refused(*more, *answer)
        assert "changed: greedy; old and new games are not comparable" in said
        assert count_games(path) == 2
    assert invoke([*more, "--changed", "new"]).exit_code == 0
    assert count_games(path) == 2 + 4
    unknown = invoke([*more, "--changed", "maybe"])
    assert "there is no way to deal with changed code 'maybe'" in unknown.stderr


def test_games_whose_sources_were_never_noted_are_not_added_to(tmp_path):
    path = tmp_path / "store.db"
    with Store(path) as store:
        tournament = Tournament(PLAN, store)
        store.enter_tournament(tournament.name, tournament.settings, tournament._agents, 1)
    with pytest.raises(StoreError, match="were played by other code"):
        play(path)


# -- agents of one's own --

BOT = "from helping import choice\n\n\ndef act(position):\n    return choice(position)\n"
HELP = "def choice(position):\n    from deeper import best\n\n    return best(position)\n"


def version(folder: Path) -> str:
    """The version of the agent in a folder, as a new process sees it."""
    code = "from plyground import make_agent; print(make_agent('python:players:act').version)"
    words = [sys.executable, "-c", code]
    return subprocess.run(words, check=True, capture_output=True, text=True, cwd=folder).stdout


def test_the_version_of_an_own_agent_covers_all_that_it_imports_from_its_folder(tmp_path):
    files = {
        "players.py": BOT,
        "helping.py": HELP,
        "deeper.py": "def best(position):\n    return position.legal_actions()[0]\n",
        "unrelated.py": "x = 1\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    versions = {version(tmp_path)}
    for name, text in files.items():
        (tmp_path / name).write_text(text + "# edited\n")
        versions.add(version(tmp_path))
    assert len(versions) == 1 + 3  # the unrelated file changes nothing


def test_the_version_of_an_own_agent_is_that_of_what_was_loaded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(sys.path))
    module = tmp_path / "loaded_once.py"
    module.write_text("def act(position):\n    return 0\n")
    before = make_agent("python:loaded_once:act").version
    module.write_text("def act(position):\n    return 1\n")
    assert make_agent("python:loaded_once:act").version == before


def test_the_package_is_where_it_is_looked_for():
    assert ROOT == sources.PACKAGE
