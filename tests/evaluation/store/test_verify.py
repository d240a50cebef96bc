"""What was changed in a store is found; agents that are not repeatable are named, no others."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3

import pytest
from command_line import invoke
from helpers import run
from plyground.evaluation.store.digests import seal_everything
from plyground.evaluation.store.store import Store
from plyground.evaluation.tournament import Plan
from plyground.evaluation.verification import verify

SUSPECT = "python:broken.agents:IsNotRepeatable"
FORFEITS = "python:broken.agents:Raises"
PLAN = Plan("tic_tac_toe", ("random", "greedy", FORFEITS), pairs=3)


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A store of two tournaments, and games that an agent forfeits."""
    path = tmp_path_factory.mktemp("stores") / "original.db"
    run(PLAN, path, isolation="never")
    run(PLAN._replace(agents=("random", "greedy"), seed=2), path)
    return path


@pytest.fixture
def path(original, tmp_path):
    """A copy of it."""
    return shutil.copy(original, tmp_path / "store.db")


def findings(path, games=0):
    """What verify finds out about each tournament, and about the store."""
    with Store(path) as store:
        verifications = [verify(one, store, games, "never") for one in store.tournaments()]
        return verifications, store.changes()


def execute(path, statements: str) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(statements)
    assert connection.total_changes or "DROP" in statements
    connection.close()


def test_a_store_that_nobody_touched_is_sound(path):
    verifications, changes = findings(path, games=100)
    assert [one.games for one in verifications] == [18, 6]
    assert [one.played for one in verifications] == [18, 6]
    assert all(one.sound for one in verifications)
    assert changes == []


COLUMNS = (
    "number, tournament, pair, player_0, player_1, opening, moves, seed_0, seed_1, return_0, "
    "return_1, reason, fault, forfeited, seconds_0, seconds_1, decisions_0, decisions_1, finished, "
    "tokens_0, tokens_1, digest, link"
)
GAME_5 = "FROM games WHERE number = 5"
# By what was done: the statements, and the number of the game that verify must name, if it is one.
EDITS = {
    "a result is turned round": (
        "UPDATE games SET return_0 = 1 - return_0, return_1 = return_0 - 1 WHERE number = 5",
        5,
    ),
    "all results are turned round": (
        "UPDATE games SET return_0 = -return_0, return_1 = -return_1",
        1,
    ),
    "a move is changed": ("UPDATE games SET moves = moves || ' 8' WHERE number = 5", 5),
    "an opening is changed": ("UPDATE games SET opening = '0 1' WHERE number = 5", 5),
    "a reason is changed": ("UPDATE games SET reason = 'because' WHERE number = 5", 5),
    "a forfeit is taken back": ("UPDATE games SET fault = NULL WHERE fault IS NOT NULL", None),
    "tokens are made up": ("UPDATE games SET tokens_1 = 7 WHERE number = 5", 5),
    "a forfeit is made up": ("UPDATE games SET fault = 'hung', forfeited = 0 WHERE number = 5", 5),
    "seats are swapped": (
        "UPDATE games SET pair = 99 WHERE number = 5;"
        "UPDATE games SET player_0 = player_1, player_1 = player_0 WHERE number = 5",
        5,
    ),
    "a seed is changed": ("UPDATE games SET seed_0 = 7 WHERE number = 5", 5),
    "a time is changed": ("UPDATE games SET seconds_1 = 0.001 WHERE number = 5", 5),
    "a number of decisions is changed": ("UPDATE games SET decisions_0 = 1 WHERE number = 5", 5),
    "the moment is changed": ("UPDATE games SET finished = 0 WHERE number = 5", 5),
    "a game is deleted": ("DELETE FROM games WHERE number = 5", None),
    "the last game is deleted": (
        "DELETE FROM games WHERE number = (SELECT max(number) FROM games)",
        None,
    ),
    "all games are deleted": ("DELETE FROM games", None),
    "a game is doubled": (
        f"INSERT INTO games ({COLUMNS}) "
        f"SELECT 99, {COLUMNS.replace('number, ', '').replace('pair', '77', 1)} {GAME_5}",
        99,
    ),
    "two games change places": (
        "UPDATE games SET number = 999 WHERE number = 5;"
        "UPDATE games SET number = 5 WHERE number = 6;"
        "UPDATE games SET number = 6 WHERE number = 999",
        5,
    ),
    "a game moves to another tournament": (
        "UPDATE games SET tournament = 2, pair = 50, player_0 = 0, player_1 = 1 WHERE number = 5",
        5,
    ),
    "an agent is renamed": ("UPDATE agents SET label = 'stockfish' WHERE number = 1", None),
    "two agents change places": (
        "UPDATE agents SET number = 9 WHERE tournament = 1 AND number = 0;"
        "UPDATE agents SET number = 0 WHERE tournament = 1 AND number = 1;"
        "UPDATE agents SET number = 1 WHERE tournament = 1 AND number = 9",
        None,
    ),
    "a version is changed": ("UPDATE agents SET version = 'plyground 9' WHERE number = 0", None),
    "a fingerprint is changed": ("UPDATE agents SET sources = 'feedbeef' WHERE number = 0", None),
    "the rules' fingerprint is changed": ("UPDATE tournaments SET sources = '{}'", None),
    "a setting is changed": (
        "UPDATE tournaments SET settings = replace(settings, '\"seed\": 1', '\"seed\": 3')",
        None,
    ),
    "a tournament is renamed": ("UPDATE tournaments SET name = 'other' WHERE number = 1", None),
    "the number of pairs is changed": ("UPDATE tournaments SET pairs = 9 WHERE number = 1", None),
    "games are said to be left out": ("UPDATE tournaments SET left_out = 4", None),
    "the command is changed": ("UPDATE tournaments SET command = 'rm -r /'", None),
    "a tournament is deleted": (
        "DELETE FROM games WHERE tournament = 2; DELETE FROM agents WHERE tournament = 2;"
        "DELETE FROM tournaments WHERE number = 2",
        None,
    ),
    "digests are wiped": ("UPDATE games SET digest = '', link = ''", 1),
    "the seal is wiped": ("UPDATE tournaments SET seal = ''", None),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_of_a_store_is_caught(edit, path):
    statements, number = EDITS[edit]
    execute(path, statements)
    verifications, changes = findings(path)
    numbers = {change.game for one in verifications for change in one.changes}
    assert changes or not all(one.sound for one in verifications)
    assert number is None or number in numbers
    result = invoke(["verify", path, "--games", "0"])
    assert result.exit_code == 1, result.output


def test_an_edit_of_all_results_that_brings_its_digests_along_contradicts_the_rules(path):
    """The rules are asked themselves, not only the digests."""
    execute(path, "UPDATE games SET return_0 = -return_0, return_1 = -return_1")
    connection = sqlite3.connect(path, isolation_level=None)
    seal_everything(connection)
    connection.close()
    verifications, changes = findings(path)
    assert changes == [] == [change for one in verifications for change in one.changes]
    results = [game for one in verifications for game in one.contradictions]
    assert len(results) >= 12
    assert all("states returns" in change.what for change in results)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("moves = opening", "is not over after its moves"),
        ("moves = moves || ' 0'", "goes on after its end|has an illegal move"),
        ("moves = '8 8 8'", "does not begin with its opening"),
        ("reason = 'a miracle'", "states the reason a miracle, not"),
        ("decisions_1 = 77", r"states decisions \(\d+, 77\)"),
        ("seed_1 = 77", "has other seeds than the schedule gives it"),
        ("opening = '', decisions_0 = 9", "has another opening than its pair"),
        ("seconds_0 = -1", "has thinking times that cannot be"),
        ("fault = 'raised', forfeited = 1", "cannot have been forfeited so"),
        ("moves = 'a b c'", "cannot be read"),
    ],
)
def test_a_game_that_cannot_have_gone_so_is_named_with_what_is_wrong(statement, message, path):
    execute(path, f"UPDATE games SET {statement} WHERE number = 19")  # of random and greedy
    verifications, _ = findings(path)
    (change,) = verifications[1].contradictions
    assert change.game == 19
    with Store(path) as store, pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "changes", lambda *_: [])
        innocent = verify(store.tournaments()[1], store, 100, "never")
    assert innocent.deviations == ()  # the agents are not blamed for it
    assert re.search(message, change.what), change.what


# -- agents --


def test_games_from_before_tokens_were_stored_keep_their_digests(path):
    execute(
        path,
        "ALTER TABLE games DROP COLUMN tokens_0; ALTER TABLE games DROP COLUMN tokens_1;"
        "PRAGMA user_version = 4; UPDATE games SET fault = fault",
    )
    verifications, changes = findings(path)
    assert changes == []
    assert [one.games for one in verifications] == [18, 6]
    assert all(one.sound for one in verifications)


def test_an_agent_that_ignores_its_seed_is_named_and_nobody_else(tmp_path):
    path = tmp_path / "store.db"
    games = run(
        Plan("connect_four", ("random", SUSPECT, "greedy"), pairs=2), path, isolation="never"
    )
    assert all(game.result.fault is None for game in games)
    (verifications,), _ = findings(path, games=100)
    assert verifications.played == len(games) == 12
    assert {deviation.agent for deviation in verifications.deviations} == {1}
    assert all(1 in deviation.game.players for deviation in verifications.deviations)
    assert len(verifications.deviations) >= 7  # of the 8 games it plays in
    assert verifications.changes == verifications.contradictions == []


def test_a_sample_is_drawn_from_all_games(original):
    with Store(original) as store:
        tournament = store.tournaments()[0]
        sample = set()
        for seed in range(12):
            numbers = []
            store_game = store.game

            def game_with_number(number, numbers=numbers, ask=store_game):
                numbers.append(number)
                return ask(number)

            store.game = game_with_number
            verify(tournament, store, 3, "never", seed)
            store.game = store_game
            assert len(numbers) == 3
            sample |= set(numbers)
    assert min(sample) <= 4
    assert max(sample) >= 15


def test_repeatable_agents_are_said_to_be_so(path):
    result = invoke(["verify", path, "--games", "5", "--isolate", "never"])
    assert result.exit_code == 0, result.output
    assert "18 of 18 games are as stored and follow the rules" in result.stdout
    assert "5 of 5 games went the same way again" in result.stdout
    output = json.loads(invoke(["verify", path, "--games", "0", "--json"]).stdout)
    assert [one["sound"] for one in output["tournaments"]] == [True, True]
    assert len({one["digest"] for one in output["tournaments"]}) == 2


def test_the_command_names_the_agent_and_ends_with_status_1(tmp_path):
    path = tmp_path / "store.db"
    run(Plan("connect_four", ("random", SUSPECT), pairs=2), path, isolation="never")
    result = invoke(["verify", str(path), "--isolate", "never"])
    assert result.exit_code == 1
    assert f"{SUSPECT} left the recorded moves in" in result.stdout
