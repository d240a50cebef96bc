"""Games of people, and watched ones, in a store: as good as those of tournaments."""

from __future__ import annotations

import json

import pytest
from command_line import done
from command_line import plyground as command
from helpers import SMALL_GAMES, finished_position
from plyground import make_agent, make_game
from plyground.evaluation.fingerprints import describe
from plyground.evaluation.match import GameResult
from plyground.evaluation.report.html import report_page
from plyground.evaluation.report.report import report_store
from plyground.evaluation.single_games import (
    ABANDONMENT,
    RESIGNATION,
    concession,
    has_people,
    joint_entry,
    person,
    store_game,
)
from plyground.evaluation.store.store import Store, StoreError

pytestmark = pytest.mark.thorough

GREEDY = describe(make_agent("greedy"))
RANDOM = describe(make_agent("random"))
COURSE = ((4,), 0, (3.0, 0.5), (1, 0))


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "games.db") as store:
        yield store


def result_of(game, moves):
    position = game.position(moves)
    reason = position.outcome.reason
    return GameResult(tuple(moves), position.returns, reason, None, None, (1.0, 2.0), (5, 4))


@pytest.mark.parametrize("seat", [0, 1])
def test_games_of_one_person_and_one_opponent_are_one_tournament(store, seat):
    game = make_game("tic_tac_toe")
    sides = (person(), GREEDY) if seat == 0 else (GREEDY, person())
    numbers = [store_game(store, game, sides, concession(game, *COURSE)) for _ in range(3)]
    assert numbers == [1, 2, 3]
    (tournament,) = store.tournaments()
    assert [entry.label for entry in tournament.agents] == ["human", "greedy"]
    assert has_people(tournament)
    games = list(store.games(tournament.number))
    assert [(each.pair, each.players) for each in games] == [
        (pair, (seat, 1 - seat)) for pair in range(3)
    ]
    store_game(store, game, sides[::-1], concession(game, *COURSE))
    assert len(store.tournaments()) == 1


def test_a_resignation_and_a_game_that_was_left_are_losses():
    game = make_game("dots_and_boxes:rows=2,cols=2,reward=margin")
    given_up, left = (
        make((), 1, (0, 0), (0, 0))
        for make in (
            lambda *course: concession(game, *course),
            lambda *course: concession(game, *course, leaves=True),
        )
    )
    assert given_up.returns == left.returns == (4, -4)
    assert (given_up.reason, given_up.fault, given_up.winner) == (RESIGNATION, None, 0)
    assert (left.fault, left.forfeited, left.winner) == (ABANDONMENT, 1, 0)


def test_a_game_is_found_by_its_number(store):
    game = make_game("tic_tac_toe")
    store_game(store, game, (person(), GREEDY), concession(game, *COURSE))
    number = store_game(store, game, (RANDOM, GREEDY), concession(game, *COURSE))
    tournament, game = store.game(number)
    assert [tournament.agents[player].label for player in game.players] == ["random", "greedy"]
    assert [number for number, _, _ in store.numbered_games()] == [2, 1]
    with pytest.raises(StoreError, match="holds no game 7; its games have numbers from 1 to 2"):
        store.game(7)


def test_a_side_that_changed_its_level_is_named_by_both():
    assert joint_entry([GREEDY, GREEDY]) == GREEDY
    assert joint_entry([GREEDY, RANDOM, GREEDY]).label == "greedy, then random"


def test_an_agent_that_plays_itself_has_two_entries(store):
    game = make_game("tic_tac_toe")
    store_game(store, game, (GREEDY, GREEDY), concession(game, *COURSE))
    assert [entry.label for entry in store.tournaments()[0].agents] == ["greedy", "greedy #2"]


@pytest.mark.parametrize("spec", SMALL_GAMES)
def test_reports_and_exports_cope_with_games_of_people(spec, store):
    game = make_game(spec)
    moves, position = [], game.initial_position()
    while not position.is_over:
        moves.append(position.legal_actions()[0])
        position.play(moves[-1])
    assert finished_position(game).is_over
    mixed = joint_entry([GREEDY, RANDOM])
    store_game(store, game, (person(), GREEDY), result_of(game, moves))
    store_game(
        store, game, (mixed, person()), concession(game, tuple(moves[:-1][:3]), 1, (1, 1), (2, 1))
    )
    store_game(
        store, game, (person(), GREEDY), concession(game, (moves[0],), 0, (1, 0), (1, 0), True)
    )
    reports = report_store(store, replays=10)
    assert [report.table.games for report in reports] == [2, 1]
    page = report_page(reports, "games", [])
    assert "abandoned" in page
    assert "resignation" in page
    assert command("report", store.path).exit_code == 0
    rows = [json.loads(line) for line in command("export", store.path).stdout.splitlines()]
    assert {row["player_0"] for row in rows} == {"human", "greedy, then random"}
    verified = done("verify", store.path)
    assert verified.stdout.count("its games were not replayed: people have played in it") == 2
