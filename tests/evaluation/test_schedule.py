"""Schedules: who meets whom in which format, the same games in all of them, and no game that
deterministic agents would only repeat.
"""

from __future__ import annotations

import io
import shutil
from collections import Counter
from pathlib import Path

import pytest
from helpers import OLD_STORE, as_old_store_was_written, note_sources
from plyground import make_agent, make_game
from plyground.evaluation.openings import Openings
from plyground.evaluation.plan import Plan
from plyground.evaluation.report.report import print_report, report_store
from plyground.evaluation.schedule import MEETINGS
from plyground.evaluation.statistics.cross_table import CrossTable
from plyground.evaluation.store.store import Store, StoredGame
from plyground.evaluation.tournament import ChangedSourcesError, Tournament
from rich.console import Console

LEFT, RIGHT = "python:plain_agents:DeclaredLeftmost", "python:plain_agents:DeclaredRightmost"


def run(plan: Plan, path: Path, name: str | None = None) -> tuple[Tournament, list[StoredGame]]:
    with Store(path) as store:
        tournament = Tournament(plan.replace(name=name), store)
        tournament.run()
        return tournament, list(tournament.played())


def records(games: list[StoredGame]) -> list[tuple]:
    """Everything about games that the seed decides: all but the times."""
    return [(game.pair, game.players, game.opening, game.seeds, *game.result[:5]) for game in games]


# -- formats --


def test_each_format_has_its_meetings():
    assert MEETINGS["round-robin"](4) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert MEETINGS["gauntlet"](4) == [(0, 1), (0, 2), (0, 3)]
    assert MEETINGS["ladder"](4) == [(0, 1), (1, 2), (2, 3)]
    assert all(meetings(2) == [(0, 1)] for meetings in MEETINGS.values())


@pytest.mark.parametrize("format", MEETINGS)
def test_every_meeting_plays_every_opening_in_both_seats(format, tmp_path):
    tournament, games = run(
        Plan("tic_tac_toe", ("random", "greedy", "random", "random"), pairs=3, format=format),
        tmp_path / "store.db",
    )
    expected = [
        (pair, *players)
        for pair in range(3)
        for first, second in MEETINGS[format](4)
        for players in ((first, second), (second, first))
    ]
    assert Counter((game.pair, *game.players) for game in games) == Counter(expected)
    assert tournament.schedule.total == len(expected)


def test_a_meeting_is_the_same_in_every_format(tmp_path):
    plan = Plan("tic_tac_toe", ("random", "greedy", "montecarlo:simulations=5", "random"), pairs=3)
    everybody = records(run(plan, tmp_path / "all.db")[1])
    for format in ("gauntlet", "ladder"):
        games = records(run(plan.replace(format=format), tmp_path / f"{format}.db")[1])
        meetings = {tuple(sorted(players)) for _, players, *_ in games}
        assert meetings == set(MEETINGS[format](4))
        assert games == [game for game in everybody if tuple(sorted(game[1])) in meetings]


def test_formats_are_kept_apart_in_one_store(tmp_path):
    plan = Plan("tic_tac_toe", ("random", "greedy", "random"), pairs=1)
    for format, count in (("round-robin", 6), ("gauntlet", 4), ("ladder", 4)):
        assert len(run(plan.replace(format=format), tmp_path / "store.db")[1]) == count


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


@pytest.mark.parametrize("game", ["tic_tac_toe", "dots_and_boxes:rows=2,cols=2"])
@pytest.mark.parametrize(
    "spec",
    [
        "minimax:depth=3",
        "alphabeta:depth=3",
        "alphabeta:nodes=300",
        "alphabeta:depth=2,endgame=6",
        "solver:memory=1",
    ],
)
def test_an_agent_that_says_it_is_deterministic_repeats_its_games_whatever_its_seed(game, spec):
    agent, lines = make_agent(spec, game), set()
    assert agent.deterministic
    for seed in range(4):
        agent.reset(seed)
        position, moves = make_game(game).position([seed % 2, 2, 1 - seed % 2]), []
        while not position.is_over:
            moves.append(agent.act(position))
            position.play(moves[-1])
        lines.add((position.key, tuple(moves)))
    assert len({moves for _, moves in lines}) == 1


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
    assert declared_table.meetings() == found_out.meetings()


@pytest.mark.thorough
def test_a_tournament_of_deterministic_agents_grows_by_openings_only(tmp_path):
    plan = Plan("connect_four", (LEFT, RIGHT), pairs=3, opening="random:1")
    assert len(run(plan, tmp_path / "store.db")[1]) == 6
    assert len(run(plan.replace(pairs=50), tmp_path / "store.db")[1]) == 14
    tournament, games = run(plan.replace(pairs=80), tmp_path / "store.db")
    assert (len(games), tournament.schedule.left_out) == (14, 2 * (80 - 7))


def test_a_perfect_endgame_does_not_depend_on_games_before():
    """The endgame solver's table would otherwise decide between equally good moves."""
    game, agent = (
        make_game("connect_four:rows=4,cols=5"),
        make_agent("alphabeta:depth=1,endgame=14"),
    )
    openings = Openings(game, "random:6", seed=1)
    positions = [game.position(openings[number]) for number in range(60)]

    def decide(position) -> int:
        agent.reset()
        return agent.act(position)

    assert [decide(position) for position in positions] == [
        decide(position) for position in reversed(positions)
    ][::-1]


# -- a version-1 store --

OLD_NAME = "tic_tac_toe 3de798fd"


@pytest.fixture
def old_store(tmp_path, monkeypatch):
    as_old_store_was_written(monkeypatch)
    return Path(shutil.copy(OLD_STORE, tmp_path / "store.db"))


def test_a_tournament_of_an_old_store_goes_on_exactly(old_store, tmp_path):
    path = old_store
    agents, name = ("random", "greedy", "minimax:depth=2"), OLD_NAME
    plan = Plan("tic_tac_toe", agents, 3, opening="random:2", seed=5)
    with pytest.raises(ChangedSourcesError, match="changed: all of it"):
        run(plan, path, name)
    note_sources(path, plan, name)
    _, games = run(plan, path, name)
    assert len(games) == 18
    assert records(games) == records(run(plan, tmp_path / "new.db")[1])


def test_repeated_games_of_an_old_store_stay_and_count_once(old_store):
    path = old_store
    plan = Plan("tic_tac_toe", ("minimax:depth=2", "minimax:depth=3"), pairs=3, opening="random:0")
    note_sources(path, plan, "with repeats")
    with Store(path) as store:
        tournament = Tournament(plan.replace(name="with repeats"), store)
        tournament.run()
        table = tournament.table()
    assert (tournament.schedule.total, tournament.schedule.left_out) == (2, 4)
    assert (table.games, table.repeated) == (6, 4)
