"""What does not check in a store is named, and nothing is added to it; so are agents that are not
repeatable, and no others.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import sqlite3

import pytest
from command_line import done, invoke
from helpers import run, script
from plyground.evaluation.plan import Plan
from plyground.evaluation.store.store import Store, StoreError
from plyground.evaluation.tournament import Tournament
from plyground.evaluation.verification import verify

tamperings = script("benchmarks/stores/tamperings.py")

# a process for each agent and verification would take minutes
pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("agents_in_this_process")]

SUSPECT = "python:broken.agents:IsNotRepeatable"
FORFEITS = "python:broken.agents:Raises"
PLAN = Plan("tic_tac_toe", ("random", "greedy", FORFEITS), pairs=3)


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A store of two tournaments, and games that an agent forfeits."""
    path = tmp_path_factory.mktemp("stores") / "original.db"
    run(PLAN, path, isolate="never")
    run(PLAN.replace(agents=("random", "greedy"), seed=2), path)
    return path


@pytest.fixture
def path(original, tmp_path):
    """A copy of it."""
    return shutil.copy(original, tmp_path / "store.db")


def findings(path, games=0):
    """What verify finds out about each tournament, and about the store."""
    with Store(path) as store:
        verifications = [
            verify(one, store, games, "never", ask=("all",)) for one in store.tournaments()
        ]
        return verifications, store.findings()


def execute(path, statements: str) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(statements)
    assert connection.total_changes or re.match("DROP|DELETE|ALTER", statements)
    connection.close()


def test_a_store_that_nobody_touched_is_sound(path):
    verifications, of_file = findings(path, games=100)
    assert [(one.games, one.played) for one in verifications] == [(18, 18), (6, 6)]
    assert all(one.sound for one in verifications)
    assert of_file == []


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    """The store that is tampered with, and its digests."""
    path = tmp_path_factory.mktemp("target") / "original.db"
    return path, tamperings.make_store(path)


def tamper(name, target, tmp_path):
    """A copy of the store that was tampered with so."""
    for source in (target[0], target[0].with_name("earlier.db")):
        shutil.copy(source, tmp_path)
    tamperings.apply(tmp_path / "original.db", tamperings.TAMPERINGS[name])
    return tmp_path / "original.db"


# every way of a table's own, and some of the changes of values
NAMES = [
    name
    for index, name in enumerate(tamperings.TAMPERINGS)
    if index % 3 == 0 or "." not in name
    if name not in tamperings.NO_PART
]


def games_of(path):
    """The games that are in a file, as SQLite has them; None where it has none."""
    try:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            return connection.execute("SELECT * FROM games ORDER BY number").fetchall()
    except sqlite3.Error:
        return None


@pytest.mark.parametrize("name", NAMES)
def test_what_was_changed_is_named_at_once_or_by_a_digest_and_stays_so(name, target, tmp_path):
    """plyground's own next command adds nothing to what does not check, and hides nothing."""
    path = tamper(name, target, tmp_path)
    status, text = tamperings.findings(path, [])
    assert "internal error" not in text
    if name.startswith("games.") and name.endswith("of one game") and status:
        assert re.search(r"game (5|95) |is not as|belongs to no", text), text
    there, before = path.exists(), games_of(path)
    words = ["tic_tac_toe", "random", "greedy", "--pairs", "5", "--store", path]
    result = invoke(["tournament", *words])
    assert "internal error" not in result.output
    if status and there and before:
        assert result.exit_code == 2, result.output
        assert games_of(path) == before
        report = invoke(["report", path, "--json"])
        assert report.exit_code == 2 or json.loads(report.stdout)["findings"]
    assert tamperings.findings(path, target[1])[0] in (1, 2)


def test_what_is_no_matter_of_the_games_is_no_part_of_a_digest(target, tmp_path):
    for name in tamperings.NO_PART:
        assert tamperings.findings(tamper(name, target, tmp_path), target[1])[0] == 0, name


def test_a_store_without_the_games_of_a_digest_is_refused_by_every_command(target, tmp_path):
    path = tamper("the labels of agents change places", target, tmp_path)
    expect = [f"--expect={digest}" for digest in target[1]]
    game = ["tic_tac_toe", "random", "greedy"]
    for words in (
        ["report", path],
        ["tournament", *game, "--pairs", "3", "--store", path],
        ["sprt", *game, "--max-pairs", "3", "--store", path],
    ):
        assert invoke([*words[:1], *map(str, words[1:])]).exit_code == 0
        result = invoke([*words, *expect])
        assert result.exit_code == 2
        assert f"no tournament in it ever had the digest {target[1][0]}" in result.stderr
        fresh = tmp_path / "none.db"
        others = [fresh if each == path else each for each in (*words, *expect)]
        assert invoke(others).exit_code == 2
        assert not fresh.exists()


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE games SET return_0 = -return_0, return_1 = -return_1", "states returns"),
        ("ALTER TABLE games ADD COLUMN more TEXT", "the table games was altered"),
        ("UPDATE tournaments SET settings = replace(settings, 'tic_tac', 'tic_tax')", "tic_tax"),
    ],
)
def test_a_report_says_at_its_top_what_does_not_check(statement, what, path, tmp_path):
    execute(path, statement)
    page = tmp_path / "report.html"
    assert invoke(["report", path, "--html", page]).exit_code == 0
    html = page.read_text("utf-8")
    assert what in html[: html.index('<section class="tournament"')]
    text = invoke(["report", path]).stdout
    assert re.search("failed its checks|could not be checked", text.splitlines()[0]), text[:300]
    assert what in text[: text.index("cross table")]
    (first, *_) = json.loads(invoke(["report", path, "--json"]).stdout)["findings"]
    assert what in first["what"]
    assert first["unchecked"] == (what == "tic_tax")


def test_a_store_that_only_this_process_has_changed_is_checked_once(path):
    class CountingStore(Store):
        checks = 0

        def all_findings(self):
            CountingStore.checks += 1
            return super().all_findings()

    for pairs in (3, 4, 5):
        with CountingStore(path) as store:
            Tournament(PLAN.replace(agents=("random", "greedy"), seed=2, pairs=pairs), store).run()
    assert CountingStore.checks == 1
    execute(path, "UPDATE games SET decisions_1 = 77 WHERE number = 19")
    with CountingStore(path) as store, pytest.raises(StoreError, match="game 19 states decisions"):
        store.set_left_out(1, 3)
    assert CountingStore.checks == 2


def test_a_game_that_is_not_installed_keeps_no_other_from_being_added(path):
    execute(path, "UPDATE tournaments SET settings = replace(settings, 'tic_tac', 'tic_tax')")
    run(PLAN.replace(agents=("greedy", "random"), pairs=1), path)
    assert "there is no game" in findings(path)[0][0].not_asked


def test_other_rules_by_now_are_no_contradiction(path):
    execute(
        path,
        "UPDATE tournaments SET settings = replace(settings, 'tic_tac_toe_v0', 'tic_tac_toe_v9')",
    )
    verifications, _ = findings(path)
    for one in verifications:
        (finding,) = one.findings
        assert finding.unchecked
        assert "it was played by the rules tic_tac_toe_v9; the installed rules are" in finding.what


def test_a_digest_stays_good_while_a_tournament_grows(target, tmp_path):
    path = target[0]
    with Store(path.with_name("earlier.db")) as store:
        digest = store.digest(2)
    status, text = tamperings.findings(path, [digest])
    assert status == 0, text
    assert f"had 6 games when its digest was {digest}" in text


def test_nothing_is_written_to_a_store_that_is_verified(target):
    path = target[0]
    before = path.read_bytes(), sorted(path.parent.iterdir())
    assert tamperings.findings(path, target[1])[0] == 0
    assert (path.read_bytes(), sorted(path.parent.iterdir())) == before


def test_a_game_that_the_file_does_not_take_is_not_one_that_is_there(target, tmp_path):
    path = tmp_path / "store.db"
    with Store(path) as store:
        tournament = Tournament(tamperings.PLAN, store)
        tournament.enter()
        execute(path, "UPDATE tournaments SET left_out = 0;" + tamperings.IGNORING)
        with pytest.raises(StoreError, match="does not accept the game"):
            tournament.run()


def test_games_that_are_gone_in_the_end_are_missed(tmp_path):
    path = tmp_path / "store.db"
    with Store(path) as store:
        tournament = Tournament(tamperings.PLAN, store)
        some = "DELETE FROM games WHERE number = 2 AND (SELECT count(*) FROM games) = 4"
        with pytest.raises(StoreError, match="lacks 1 of the 6 committed games"):
            tournament.run(lambda _: execute(path, some))


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("moves = opening", "is not over after its moves"),
        ("moves = moves || ' 0'", "continues after its end|has an illegal move"),
        ("moves = '8 8 8'", "does not begin with its opening"),
        ("reason = 'a miracle'", "states the reason a miracle, not"),
        ("decisions_1 = 77", r"states decisions \(\d+, 77\)"),
        ("seed_1 = 77", "has seeds that differ from the schedule"),
        ("opening = '', decisions_0 = 9", "has an opening that differs from its pair"),
        ("seconds_0 = -1", "has negative or infinite thinking times"),
        ("fault = 'raised', forfeited = 1", "has an impossible forfeit"),
        ("moves = 'a b c'", "cannot be read"),
    ],
)
def test_a_game_that_cannot_have_gone_so_is_named_with_what_is_wrong(statement, message, path):
    execute(path, f"UPDATE games SET {statement} WHERE number = 19")  # of random and greedy
    verifications, _ = findings(path)
    (finding,) = verifications[1].findings
    assert finding.game == 19
    assert findings(path, 100)[0][1].deviations == ()  # the agents are not blamed for it
    assert re.search(message, finding.what), finding.what


# -- agents --


def test_an_agent_that_ignores_its_seed_is_named_and_nobody_else(tmp_path):
    path = tmp_path / "store.db"
    games = run(Plan("connect_four", ("random", SUSPECT, "greedy"), pairs=2), path, isolate="never")
    assert all(game.result.fault is None for game in games)
    result = invoke(["verify", str(path), "--isolate", "never", "--ask", SUSPECT])
    assert result.exit_code == 1
    assert f"{SUSPECT} deviated from the record in" in result.stdout
    (verifications,), _ = findings(path, games=100)
    assert verifications.played == len(games) == 12
    assert {deviation.agent for deviation in verifications.deviations} == {1}
    assert all(1 in deviation.game.players for deviation in verifications.deviations)
    assert len(verifications.deviations) >= 7  # of the 8 games it plays in
    assert verifications.findings == []


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
            verify(tournament, store, 3, "never", seed, ask=("all",))
            store.game = store_game
            assert len(numbers) == 3
            sample |= set(numbers)
    assert min(sample) <= 4
    assert max(sample) >= 15


def test_repeatable_agents_are_said_to_be_so(path):
    result = done("verify", path, "--games", "5", "--isolate", "never")
    assert "18 of 18 games played by the rules" in result.stdout
    assert "5 of 5 replayed games had the same moves" in result.stdout
    output = json.loads(invoke(["verify", path, "--games", "0", "--json"]).stdout)
    assert [one["sound"] for one in output["tournaments"]] == [True, True]


def test_tournaments_tests_and_reports_show_both_digests(tmp_path):
    store = ["--store", str(tmp_path / "store.db")]
    played = invoke(["tournament", "tic_tac_toe", "random", "greedy", "--pairs", "2", *store])
    with Store(tmp_path / "store.db") as games:
        content, digest = games.digest(1), games.games_digest(1)
    assert f"digest of the content {content}\n" in played.stdout
    page = tmp_path / "report.html"
    path = str(tmp_path / "store.db")
    invoke(["report", path, "--html", str(page)])
    for text in (
        played.stdout,
        page.read_text("utf-8"),
        invoke(["report", path]).stdout,
        invoke(["report", path, "--json"]).stdout,
        invoke(["verify", path, "--games", "0"]).stdout + content,
        invoke(["verify", path, "--games", "0", "--json"]).stdout,
    ):
        assert content in text
        assert digest in text
    words = ["sprt", "tic_tac_toe", "random", "greedy", "--max-pairs", "2", *store]
    tested = invoke([*words, "--json"]).stdout
    for key in ("digest", "games_digest"):
        assert json.loads(tested)[key] in invoke(words).stdout
