"""Finished games, the pages of a store and files of games, asked in this process."""

from __future__ import annotations

import io
import json
import re

import pytest
from helpers import SMALL_GAMES, change_store, open_position
from PIL import Image
from plyground import make_agent, make_game
from plyground.agents.faults import RAISED
from plyground.evaluation.match import GameResult, agreed_reason, drawn_reason
from plyground.evaluation.report.report import report_store
from plyground.evaluation.single_games import RESIGNATION, person, store_game
from plyground.evaluation.store.store import Store
from plyground.extras.web import games, sessions
from web_server import client_of

pytestmark = pytest.mark.thorough


@pytest.fixture
def path(tmp_path):
    return tmp_path / "games.db"


@pytest.fixture
def client(path):
    with client_of(store=path) as test_client:
        yield test_client


WON = {"game": "tic_tac_toe", "moves": ["a1", "a2", "b1", "b2", "c1"]}


@pytest.mark.parametrize(
    ("body", "agents", "winner", "reason"),
    [
        (WON | {"opponent": "greedy", "seat": 0}, ("human", "greedy"), 0, "3 in a row"),
        (WON | {"opponent": "random", "seat": 1}, ("random", "human"), 0, "3 in a row"),
        (
            {"game": "tic_tac_toe", "moves": ["a1"], "opponent": "zoo:tic_tac_toe", "seat": 0,
             "ended": "resigned", "loser": 0},
            ("human", "zoo:tic_tac_toe"), 1, "resignation",
        ),
        (
            {"game": "tic_tac_toe", "moves": ["a1"], "opponent": "human", "seat": 0,
             "ended": "time", "loser": 1},
            ("human", "human"), 0, "player_1 ran out of time",
        ),
    ],
)  # fmt: skip
def test_a_finished_game_is_kept_with_its_players(client, path, body, agents, winner, reason):
    number = client.post("/api/finish", json=body).json()["number"]
    with Store(path) as store:
        tournament, game = store.game(number)
    specs = tuple(tournament.agents[player].spec for player in game.players)
    assert (specs, game.result.winner, game.result.reason) == (agents, winner, reason)


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"moves": ["a1"]}, 409),
        ({"ended": "resigned", "loser": 0}, 409),
        ({"opponent": "python:os:system"}, 422),
        ({"seat": 2}, 422),
        ({"position": "XX1/OO1/3", "moves": ["c3"]}, 422),
    ],
)
def test_a_game_that_is_not_finished_so_is_not_kept(client, path, changes, status):
    body = WON | {"opponent": "greedy", "seat": 0} | changes
    answer = client.post("/api/finish", json=body)
    assert answer.status_code == status
    assert answer.json()["error"].endswith(".")


@pytest.mark.parametrize(
    "ending", [{}, {"ended": "resigned", "loser": 0, "moves": WON["moves"][:4]}]
)
def test_the_thinking_time_of_both_sides_is_kept_as_far_as_it_is_known(client, path, ending):
    seconds = [1.5, 0.25, None, 0.5, 2.0]
    body = WON | {"opponent": "greedy", "seat": 0} | ending
    body["seconds"] = seconds[: len(body["moves"])]
    number = client.post("/api/finish", json=body).json()["number"]
    with Store(path) as store:
        _, game = store.game(number)
    own = 1.5 if ending else 3.5
    assert game.result.seconds == (own, 0.75)
    assert game.result.decisions == (1 if ending else 2, 2)


@pytest.mark.parametrize("seconds", [[-1.0], [1e9], ["x"], [1.0] * 2000, 3])
def test_times_that_cannot_be_are_refused(client, seconds):
    body = WON | {"opponent": "greedy", "seat": 0, "seconds": seconds}
    answer = client.post("/api/finish", json=body)
    assert answer.status_code == 422
    assert answer.json()["error"].startswith("Seconds")


def game_against(spec):
    """The moves of a person who plays the first action, against an agent."""
    game = make_game("tic_tac_toe")
    position, agent = game.initial_position(), make_agent(spec, game)
    while not position.is_over:
        first = position.to_move == 0
        position.play(position.legal_actions()[0] if first else agent.act(position))
    return [game.action_to_text(action) for action in position.moves]


def test_what_a_deterministic_opponent_does_not_play_is_refused(client, path):
    for spec in ("minimax:depth=9", "solver", "zoo:tic_tac_toe", "random"):
        body = {"game": "tic_tac_toe", "opponent": spec, "seat": 0}
        moves = game_against(spec)
        if spec != "random":
            answer = client.post("/api/finish", json=body | {"moves": WON["moves"]})
            assert (answer.status_code, answer.json()["code"]) == (409, "other_move")
            assert "plays a different move 2." in answer.json()["error"]
        assert client.post("/api/finish", json=body | {"moves": moves}).status_code == 200
    with Store(path) as store:
        assert len(store.tournaments()) == 4


def test_games_of_browsers_are_marked_bounded_and_not_rated(client, path, monkeypatch):
    monkeypatch.setattr(sessions, "GAMES_AT_ONCE", 3.0)
    monkeypatch.setattr(games, "MOST_GAMES", 2)
    body = WON | {"opponent": "random", "seat": 0}
    answers = [client.post("/api/finish", json=body) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 507, 429]
    assert all(answer.json()["error"].endswith(".") for answer in answers[2:])
    with Store(path) as store:
        (tournament,) = store.tournaments()
        (report,) = report_store(store)
    assert tournament.name.endswith(", reported by browsers")
    assert "not observed by plyground" in report.unrated
    assert report.ratings is None
    assert "as a browser reports" in client.get("/games").text
    page = client.get("/ratings").text
    assert "reported by browsers" in page
    assert "<tr>" not in page
    assert "not observed by the server" in client.get("/ratings?tournament=1").text


def test_without_a_store_nothing_is_kept_and_its_pages_say_so():
    with client_of() as client:
        body = WON | {"opponent": "greedy", "seat": 0}
        assert client.post("/api/finish", json=body).json() == {"number": None}
        for page in ("/games", "/ratings", "/review?number=1"):
            answer = client.get(page)
            assert answer.status_code == 404
            assert "keeps no games" in answer.text
        assert 'href="/games"' not in client.get("/").text


def test_the_list_of_games_has_pages(client):
    for _ in range(52):
        client.post("/api/finish", json=WON | {"opponent": "greedy", "seat": 0})
    first, second = client.get("/games").text, client.get("/games?page=1").text
    assert (first.count("<tr>"), second.count("<tr>")) == (51, 3)
    assert "page=1" in first
    assert client.get("/games?agent=nobody").text.count("<tr>") == 0


def test_a_game_that_the_store_does_not_hold_is_named(client):
    client.post("/api/finish", json=WON | {"opponent": "greedy", "seat": 0})
    answer = client.get("/review?number=7")
    assert answer.status_code == 404
    assert "holds no game 7" in answer.text
    assert client.get("/ratings?tournament=9").status_code == 404


@pytest.mark.parametrize("spec", SMALL_GAMES)
def test_games_become_files(client, spec):
    game = make_game(spec)
    position = open_position(game, 4, seed=1)
    names = [game.action_to_text(action) for action in position.moves]
    query = {"game": spec, "moves": ",".join(names)}
    svg = client.get("/export/board.svg", params=query)
    assert svg.text == position.to_svg(game.text_to_action(names[-1]))
    png = Image.open(io.BytesIO(client.get("/export/board.png", params=query).content))
    gif = Image.open(io.BytesIO(client.get("/export/game.gif", params=query).content))
    assert (png.format, gif.format, gif.n_frames) == ("PNG", "GIF", len(names) + 1)
    assert "attachment" in svg.headers["content-disposition"]


RAISED_REASON = "player_0 (bad) raised an error"


@pytest.mark.parametrize(
    ("names", "winner", "reason", "fault", "english", "vietnamese"),
    [
        ("abcdef", None, drawn_reason(6), None, "drawn after 6 plies", "hòa sau 6 nước"),
        ("abcdef", 0, agreed_reason(1.0), None, "both agents see that Red wins", "Đỏ thắng"),
        ("abc", 1, RESIGNATION, None, "resignation", "xin thua"),
        ("abc", 1, RAISED_REASON, RAISED, "Red failed with an error", "Đỏ gặp lỗi"),
        ("ababaca", 0, "4 in a row", None, "4 in a row", "4 quân thẳng hàng"),
    ],
)  # fmt: skip
def test_every_end_of_a_stored_game_is_told_in_the_visitors_language(
    client, path, names, winner, reason, fault, english, vietnamese
):
    game = make_game("connect_four")
    returns = {None: (0.0, 0.0), 0: (1.0, -1.0), 1: (-1.0, 1.0)}[winner]
    forfeited = None if fault is None else 1 - winner
    moves = game.position(names).moves
    result = GameResult(moves, returns, reason, fault, forfeited, (0.0, 0.0), (3, 3))
    settings = {"game": game.spec, "draw_after": 6} if winner is None else {"game": game.spec}
    if reason == agreed_reason(1.0):
        settings["agreed_after"] = 2
    with Store(path) as store:
        store_game(store, game, (person(), person()), result)
    change_store(path, "UPDATE tournaments SET settings = ?", values=(json.dumps(settings),))
    for page in ("/games?page=0", "/review?number=1"):
        assert english in client.get(f"{page}&lang=en").text
        assert vietnamese in client.get(f"{page}&lang=vi").text


@pytest.mark.parametrize(("moves", "ended", "winner"), [("d,d", False, None), ("dcdcdcd", True, 0)])
def test_an_exported_page_says_how_the_game_stands_and_who_plays(client, moves, ended, winner):
    query = {"game": "connect_four", "agent": "greedy", "moves": moves}
    page = client.get("/export/game.html", params=query).text
    data = json.loads(re.search(r"<script[^>]*data-viewer[^>]*>(.*?)</script>", page, re.DOTALL)[1])
    (game,) = data["games"]
    assert (game["ended"], game["winner"]) == (ended, winner)
    assert data["labels"] == ["Red", "Yellow"]
    assert "X wins" not in page


def test_no_game_is_kept_in_a_store_that_does_not_check(client, path):
    body = WON | {"opponent": "greedy", "seat": 0}
    assert client.post("/api/finish", json=body).json() == {"number": 1}
    change_store(path, "UPDATE games SET return_0 = -return_0, return_1 = -return_1")
    answer = client.post("/api/finish", json=body)
    assert answer.status_code in (422, 503)
    assert "failed its checks" in answer.json()["error"]
    with Store(path) as store:
        assert len(store.game_keys(1)) == 1
