"""The digest of the games: the same wherever they are played, another if anything of them is."""

import re
import shutil
import subprocess
import sys

import pytest
from helpers import change_store, run
from plyground.evaluation.plan import Plan
from plyground.evaluation.store.store import Store

GAME = "dots_and_boxes:rows=2,cols=2"
AGENTS = ("random", "greedy", "alphabeta:depth=2", "mcts:simulations=20")


def digests(path):
    with Store(path) as store:
        return store.games_digest(1), store.digest(1)


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    path = tmp_path_factory.mktemp("original") / "store.db"
    run(Plan(GAME, AGENTS, pairs=3), path)
    return path


def changed(original, tmp_path, *statements):
    """The digests of a copy in which something was changed."""
    path = shutil.copy(original, tmp_path / "changed.db")
    change_store(path, *statements)
    return digests(path)


def test_two_runs_of_a_command_give_one_digest_of_the_games(original, tmp_path):
    """In processes of their own, with more workers, in other folders."""
    words = ["tournament", GAME, *AGENTS, "--pairs", "3", "--store", "games.db"]
    shown = set()
    for workers in ("1", "2"):
        folder = tmp_path / workers
        folder.mkdir()
        played = subprocess.run(
            [sys.executable, "-m", "plyground.cli", *words, "--concurrency", workers],
            check=True,
            capture_output=True,
            text=True,
            cwd=folder,
        )
        content = re.search(r"^digest of the content (\w{32})$", played.stdout, re.M)[1]
        shown.add(re.search(r"^digest of the games   (\w{32})$", played.stdout, re.M)[1])
        assert content != digests(original)[1]
    assert shown == {digests(original)[0]}


def test_times_and_the_order_in_which_games_ended_are_no_part_of_it(original, tmp_path):
    games, content = digests(original)
    again = changed(
        original,
        tmp_path,
        "UPDATE games SET seconds_0 = 7, finished = 0, number = 1000 - number",
        "UPDATE tournaments SET name = 'other', created = 0, command = NULL, sources = NULL",
    )
    assert again[0] == games
    assert again[1] != content


def test_plyground_s_version_is_no_part_of_it_since_the_moves_are(original, tmp_path):
    version = "replace({0}, 'plyground ', 'plyground 9.')"
    again = changed(
        original,
        tmp_path,
        f"UPDATE tournaments SET settings = {version.format('settings')}",
        f"UPDATE agents SET version = {version.format('version')}",
    )
    assert again[0] == digests(original)[0]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE games SET moves = moves || ' 0' WHERE number = 3",
        "UPDATE games SET opening = '' WHERE number = 3",
        "UPDATE games SET return_0 = -return_0, return_1 = -return_1 WHERE number = 3",
        "UPDATE games SET seed_1 = seed_1 + 1 WHERE number = 3",
        "UPDATE games SET fault = 'raised', forfeited = 0 WHERE number = 3",
        "UPDATE games SET pair = 77 WHERE number = 3",
        "DELETE FROM games WHERE number = 3",
        "UPDATE agents SET label = 'other' WHERE number = 1",
        "UPDATE agents SET spec = 'other' WHERE number = 1",
        "UPDATE agents SET version = version || ', policy 0' WHERE number = 1",
        "UPDATE tournaments SET settings = replace(settings, '\"seed\": 1', '\"seed\": 2')",
        "UPDATE tournaments SET settings = json_set(settings, '$.draw_after', 9)",
    ],
)
def test_what_can_be_repeated_is_part_of_it(original, tmp_path, statement):
    assert changed(original, tmp_path, statement)[0] != digests(original)[0]


def test_it_stays_good_while_whole_pairs_are_added(original, tmp_path):
    path = tmp_path / "grown.db"
    run(Plan(GAME, AGENTS, pairs=5), path)
    with Store(path) as store:
        assert store.games_until(digests(original)[0])[1] == 36
        assert store.games_digest(1) != digests(original)[0]
