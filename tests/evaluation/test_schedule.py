"""Schedules: who meets whom in which format, the same games in all of them, and no game that
deterministic agents would only repeat.
"""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path

import pytest
from helpers import openings_of, records
from plyground import make_agent, make_game
from plyground.evaluation.plan import Plan
from plyground.evaluation.report.report import print_report, report_store
from plyground.evaluation.schedule import MEETINGS
from plyground.evaluation.statistics.cross_table import CrossTable
from plyground.evaluation.store.store import Store, StoredGame
from plyground.evaluation.tournament import Tournament
from rich.console import Console

LEFT, RIGHT = "python:plain_agents:DeclaredLeftmost", "python:plain_agents:DeclaredRightmost"


def run(plan: Plan, path: Path, name: str | None = None) -> tuple[Tournament, list[StoredGame]]:
    with Store(path) as store:
        tournament = Tournament(plan.replace(name=name), store)
        tournament.run()
        return tournament, list(tournament.played())


# -- formats --


def test_each_format_has_its_meetings():
    assert MEETINGS["round-robin"](4) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert MEETINGS["gauntlet"](4) == [(0, 1), (0, 2), (0, 3)]
    assert MEETINGS["ladder"](4) == [(0, 1), (1, 2), (2, 3)]
    assert all(meetings(2) == [(0, 1)] for meetings in MEETINGS.values())


def test_a_meeting_is_the_same_in_every_format(tmp_path):
    plan = Plan("tic_tac_toe", ("random", "greedy", "montecarlo:simulations=5", "random"), pairs=3)
    everybody = records(run(plan, tmp_path / "all.db")[1])
    for format in ("gauntlet", "ladder"):
        games = records(run(plan.replace(format=format), tmp_path / f"{format}.db")[1])
        meetings = {tuple(sorted(players)) for _, players, *_ in games}
        assert meetings == set(MEETINGS[format](4))
        assert games == [game for game in everybody if tuple(sorted(game[1])) in meetings]


# -- how many pairs --


def test_listed_openings_are_played_once_each_unless_another_number_is_asked_for(tmp_path):
    plan = Plan("connect_four", ("random", "random"), opening="all:1")
    assert len(run(plan, tmp_path / "store.db")[1]) == 2 * 4
    # the same tournament, with openings that come round again
    games = run(plan.replace(pairs=6), tmp_path / "store.db")[1]
    assert [game.opening for game in games[8:]] == [game.opening for game in games[:4]]
    assert len({game.seeds for game in games}) == len(games)
    assert len(run(Plan("connect_four", ("random", "random")), tmp_path / "store.db")[1]) == 2 * 10


# -- games that would be repeated --


@pytest.mark.parametrize(
    ("spec", "deterministic"),
    [
        ("minimax:depth=2", True),
        ("alphabeta:depth=2", True),
        ("alphabeta:nodes=100", True),
        ("alphabeta:time=0.1", False),
        ("solver", True),
        ("solver:time=1", False),
        ("random", False),
        ("greedy", False),
        ("montecarlo", False),
        ("mcts", False),
        ("python:plain_agents:Leftmost", False),
        (LEFT, True),
    ],
)
def test_agents_say_whether_they_are_deterministic(spec, deterministic):
    assert make_agent(spec).deterministic is deterministic


@pytest.mark.thorough
def test_deterministic_agents_play_each_opening_once_and_others_all_pairs(tmp_path):
    plan = Plan("connect_four", (LEFT, RIGHT, "random"), pairs=12, opening="all:1")
    tournament, games = run(plan, tmp_path / "store.db")
    meetings = Counter(tuple(sorted(game.players)) for game in games)
    assert meetings == {(0, 1): 2 * 4, (0, 2): 2 * 12, (1, 2): 2 * 12}
    assert (tournament.schedule.total, tournament.schedule.left_out) == (56, 16)
    table = CrossTable(tournament.labels, tournament.game, games)
    assert table.repeated == 0
    with Store(tmp_path / "store.db") as store:
        assert [(each.pairs, each.left_out) for each in store.tournaments()] == [(12, 16)]
        (report,) = report_store(store)
    assert report.to_json()["left_out_games"] == 16
    console = Console(record=True, width=120, file=io.StringIO())
    print_report([report], console)
    assert (
        "16 more were not played: deterministic agents would have repeated earlier games"
        in console.export_text()
    )


@pytest.mark.thorough
def test_leaving_games_out_changes_no_result(tmp_path):
    """Against agents that do the same without saying so beforehand, whose repeated games the table
    leaves out.
    """
    tables = []
    for agents in (
        (LEFT, RIGHT, "random"),
        ("python:plain_agents:Leftmost", "python:plain_agents:Rightmost", "random"),
    ):
        tournament, games = run(
            Plan("connect_four", agents, pairs=12, opening="all:1"), tmp_path / f"{len(tables)}.db"
        )
        tables.append(CrossTable(tournament.labels, tournament.game, games))
    declared_table, found_out = tables
    assert (declared_table.repeated, found_out.repeated) == (0, 16)
    declared, found = (
        [meeting[2:] for meeting in table.meetings()] for table in (declared_table, found_out)
    )
    assert declared == found


@pytest.mark.thorough
def test_a_tournament_of_deterministic_agents_grows_by_openings_only(tmp_path):
    plan = Plan("connect_four", (LEFT, RIGHT), pairs=3, opening="random:1")
    assert len(run(plan, tmp_path / "store.db")[1]) == 6
    assert len(run(plan.replace(pairs=50), tmp_path / "store.db")[1]) == 14
    tournament, games = run(plan.replace(pairs=80), tmp_path / "store.db")
    assert (len(games), tournament.schedule.left_out) == (14, 2 * (80 - 7))


def test_a_perfect_endgame_does_not_depend_on_games_before():
    """The endgame solver's table would otherwise decide between equally good moves."""
    game = make_game("connect_four:rows=4,cols=5")
    agent = make_agent("alphabeta:depth=1,endgame=14")
    openings = openings_of(game, "random:6", seed=1)
    positions = [game.position(openings[number]) for number in range(60)]

    def decide(position) -> int:
        agent.reset()
        return agent.act(position)

    assert [decide(position) for position in positions] == [
        decide(position) for position in reversed(positions)
    ][::-1]
