"""Tournaments: the schedule, the table, faults, and that nothing is lost or doubled whatever
happens to the process.
"""

from __future__ import annotations

import functools
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pytest
from helpers import count_games, records, run
from plyground.evaluation.match import GameResult
from plyground.evaluation.plan import Plan
from plyground.evaluation.statistics.cross_table import CrossTable
from plyground.evaluation.statistics.ratings import Meeting
from plyground.evaluation.store.store import Store, StoredGame, StoreError
from plyground.evaluation.tournament import Tournament


def test_every_pair_of_agents_plays_every_opening_in_both_seats(tmp_path):
    games = run(
        Plan("connect_four", ("random", "greedy", "random"), pairs=3), tmp_path / "store.db"
    )
    assert Counter((game.pair, *game.players) for game in games) == Counter(
        (pair, first, second)
        for pair in range(3)
        for first in range(3)
        for second in range(3)
        if first != second
    )
    assert len({game.opening for game in games}) == 3
    assert all(len({game.opening for game in games if game.pair == pair}) == 1 for pair in range(3))
    assert all(game.result.moves[:4] == game.opening for game in games)
    assert len({seed for game in games for seed in game.seeds}) == 2 * len(games)


def test_the_same_plan_gives_the_same_games_and_another_seed_others(tmp_path):
    plan = Plan("tic_tac_toe", ("random", "montecarlo:simulations=5"), pairs=4)
    first = records(run(plan, tmp_path / "a.db"))
    assert records(run(plan, tmp_path / "b.db")) == first
    assert records(run(plan.replace(seed=2), tmp_path / "c.db")) != first


def test_a_finished_tournament_plays_nothing_and_more_pairs_are_added_to_it(tmp_path):
    plan = Plan("connect_four", ("random", "random"), pairs=2)
    before = run(plan, tmp_path / "store.db")
    assert run(plan, tmp_path / "store.db") == before  # the very same, times included
    after = run(plan.replace(pairs=5), tmp_path / "store.db")
    assert after[:4] == before
    assert records(after) == records(run(plan.replace(pairs=5), tmp_path / "new.db"))
    # a plan with fewer pairs shows its own games only
    assert run(plan, tmp_path / "store.db") == before


def test_a_name_belongs_to_one_plan(tmp_path):
    plan = Plan("tic_tac_toe", ("random", "random"), pairs=1)
    run(plan, tmp_path / "store.db", name="mine")
    run(plan.replace(pairs=2), tmp_path / "store.db", name="mine")
    for other, message in (
        (plan.replace(seed=5), "its seed is 1, not 5"),
        (plan.replace(agents=("random", "greedy")), "random, random, not random, greedy"),
    ):
        with pytest.raises(
            StoreError, match=f"another tournament named 'mine': .*{message}; choose another name"
        ):
            run(other, tmp_path / "store.db", name="mine")


@pytest.mark.usefixtures("agents_in_this_process")
def test_broken_agents_leave_the_games_of_all_others_alone(tmp_path):
    """How each of them fails is shown by tests/evaluation/test_match.py, and in processes of their
    own by tests/evaluation/runners/test_isolation.py.
    """
    good = ("random", "greedy")
    bad = (f"python:broken.agents:{name}" for name in ("Raises", "PlaysIllegally", "ResetRaises"))
    plan = Plan("tic_tac_toe", (*good, *bad), pairs=3)
    games = run(plan, tmp_path / "store.db", isolate="never")
    expected = run(plan.replace(agents=good), tmp_path / "good.db")
    assert records([game for game in games if set(game.players) == {0, 1}]) == records(expected)
    losers = {game.players[game.result.forfeited] for game in games if game.result.fault}
    assert losers == {2, 3, 4}


# -- the table --


def game_of(
    players, returns, moves=(0,), seconds=(1.0, 3.0), decisions=(2, 2), **fault
) -> StoredGame:
    result = GameResult(
        moves, returns, "", fault.get("fault"), fault.get("forfeited"), seconds, decisions
    )
    return StoredGame(fault.get("pair", 0), players, (), (0, 0), result)


def test_the_table_counts_each_game_for_both_sides():
    games = [
        game_of((0, 1), (1.0, -1.0), moves=(0,)),
        game_of((1, 0), (1.0, -1.0), moves=(1,)),
        game_of((0, 1), (0.0, 0.0), moves=(1,)),
        game_of((1, 2), (-4.0, 4.0), moves=(2,), fault="raised", forfeited=0),
    ]
    table = CrossTable(["a", "b", "c"], None, games)
    a, b, c = table.rows
    assert (a.total.wins, a.total.draws, a.total.losses) == (1, 1, 1)
    assert (a.total.score, a.against[1].score, a.against[2].score) == (0.5, 0.5, None)
    assert (a.by_seat[0].wins, a.by_seat[1].losses) == (1, 1)
    assert (a.seconds, a.decisions, a.seconds_per_move) == (5.0, 6, 5.0 / 6)
    assert (a.distinct_games, a.distinct_share) == (2, 2 / 3)
    assert (b.total.games, b.faults.kinds, c.faults.kinds) == (4, {"raised": 1}, {})
    assert [row.label for row in table.standings()] == ["c", "a", "b"]
    assert sum(row.total.wins for row in table.rows) == sum(row.total.losses for row in table.rows)


def test_a_repeated_game_counts_once_unless_the_agents_have_shown_to_vary():
    table = CrossTable(["a", "b"], None)
    for pair in range(3):
        table.count(game_of((0, 1), (1.0, -1.0), moves=(5,), pair=pair))
        table.count(game_of((1, 0), (1.0, -1.0), moves=(6,), pair=pair))
    assert (table.rows[0].total.games, table.repeated) == (2, 4)
    assert table.meetings() == [Meeting("a", "b", (0, 0, 1, 0, 0))]
    table.count(game_of((0, 1), (-1.0, 1.0), moves=(7,), pair=3))
    assert (table.rows[0].total.games, table.repeated) == (7, 0)
    assert table.meetings() == [Meeting("a", "b", (0, 0, 3, 0, 0), (1, 0, 0))]
    assert (table.rows[0].total.wins, table.rows[0].total.losses) == (3, 4)


# -- processes that are killed, or work at the same time --

PLAN = Plan(
    "connect_four", ("random", "greedy", "alphabeta:depth=4", "montecarlo:simulations=10"), seed=7
)


@functools.cache
def all_records(pairs: int) -> list[tuple]:
    """The games of a run that nothing interrupts."""
    with tempfile.TemporaryDirectory() as folder:
        return records(run(PLAN.replace(pairs=pairs), Path(folder) / "store.db"))


def start_process(path: Path, pairs: int) -> subprocess.Popen:
    options = ["--pairs", str(pairs), "--seed", str(PLAN.seed), "--store", str(path)]
    command = [sys.executable, "-m", "plyground.cli", "tournament", PLAN.game, *PLAN.agents]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([*command, *options], text=True, cwd=path.parent, **pipes)


def start_and_kill(path: Path, pairs: int, chance: random.Random) -> None:
    """Kill a tournament at a random moment: mostly after a few more games, sometimes while it
    starts.
    """
    target = count_games(path) + chance.randrange(5)
    process = start_process(path, pairs)
    if chance.random() < 0.25:
        time.sleep(chance.random())
    else:
        while process.poll() is None and count_games(path) <= target:
            time.sleep(0.001)
        time.sleep(chance.random() * 0.01)
    process.kill()
    _, errors = process.communicate()
    assert process.returncode == -signal.SIGKILL, errors


@pytest.mark.skipif(os.name == "nt", reason="kill -9 is a matter of POSIX")
@pytest.mark.parametrize(
    ("kills", "pairs"), [(4, 20), pytest.param(50, 150, marks=pytest.mark.slow)]
)
def test_a_tournament_killed_at_any_moment_goes_on_as_if_nothing_had_happened(
    kills, pairs, tmp_path
):
    path, chance = tmp_path / "store.db", random.Random(kills)
    for _ in range(kills):
        start_and_kill(path, pairs, chance)
    assert 0 < count_games(path) < len(all_records(pairs))
    assert records(run(PLAN.replace(pairs=pairs), path)) == all_records(pairs)


@pytest.mark.thorough
def test_two_processes_on_one_store_double_nothing(tmp_path):
    path = tmp_path / "store.db"
    for process in [start_process(path, pairs=20) for _ in range(2)]:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    with Store(path) as store:
        assert records(list(Tournament(PLAN.replace(pairs=20), store).played())) == all_records(20)
