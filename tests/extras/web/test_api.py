"""The server's answers, asked in this process."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import threading
import time

import pytest
from helpers import SMALL_VARIANTS, random_position
from plyground import make_game
from plyground.evaluation.reviews import estimator_of
from plyground.extras.web import sessions
from plyground.extras.web.opponents import PRESETS, choices, limit_spec
from plyground.extras.web.pages import STATIC
from plyground.extras.web.positions import LineOfPlay, link_text, split_moves
from plyground.extras.web.wording.words import words_of
from web_server import ADDRESS, client_of

LONG = "game=gomoku&agent=alphabeta:depth=12,radius=2"
LARGEST_PAGE = 250_000


@pytest.fixture(scope="module")
def client():
    with client_of(agents=("python:plain_agents:Leftmost",)) as client:
        yield client


def events(response) -> list[tuple[str, dict]]:
    """The server-sent events of an answer."""
    records = []
    for part in response.text.split("\n\n"):
        if part.startswith("event: "):
            kind, data = part.split("\n")
            records.append((kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return records


def think(client, query: str) -> dict:
    """The decision, or the error, that ends a search."""
    response = client.get(f"/api/think?{query}")
    assert response.status_code == 200, response.text
    return events(response)[-1][1]


# -- positions --


@pytest.mark.parametrize("spec", SMALL_VARIANTS)
@pytest.mark.fast_cases(2)
def test_a_view_has_every_legal_action_with_a_place_a_name_and_a_label(client, spec):
    game = make_game(spec)
    position = random_position(game, 4, seed=3)
    names = [game.action_to_text(action) for action in position.moves]
    view = client.post("/api/view", json={"game": spec, "moves": names, "threats": True}).json()
    assert [action["action"] for action in view["actions"]] == position.legal_actions()
    assert len({action["label"] for action in view["actions"]}) == len(view["actions"])
    for action in view["actions"]:
        numbers = action["area"] or []
        assert all(0 <= x <= view["width"] for x in numbers[::2])
        assert all(0 <= y <= view["height"] for y in numbers[1::2])
    assert view["to_move"] == position.to_move
    assert view["text"] == str(position)
    assert split_moves(game, view["link"]) == names


def test_moves_of_one_letter_need_no_commas():
    game = make_game("connect_four")
    assert split_moves(game, "ddec") == split_moves(game, "d,d,e,c") == ["d", "d", "e", "c"]
    assert link_text(game, ["d", "d"]) == "dd"
    assert link_text(make_game("gomoku"), ["h8", "h9"]) == "h8,h9"


@pytest.mark.parametrize(
    ("path", "code", "quotation"),
    [
        ("/api/check?game=chess&agent=random", "game", "There is no game 'chess'"),
        ("/api/check?game=connect_four:rows=99&agent=random", "game", "rows must be a whole"),
        ("/api/check?game=hex&agent=nobody", "agent", "There is no agent 'nobody'"),
        ("/api/think?game=tic_tac_toe&agent=random&moves=a1,a1", "move", "2"),
        ("/api/think?game=tic_tac_toe&agent=random&position=X", "position", "it has 3 rows"),
        ("/api/think?game=tic_tac_toe&agent=random&seed=x", "invalid", "Seed"),
        ("/api/think?game=tic_tac_toe", "invalid", "Agent"),
        ("/api/think?game=tic_tac_toe&agent=random&moves=a1,b1,a2,b2,a3", "over", ""),
        ("/api/solve?game=gomoku", "no_solver", "gomoku"),
        ("/api/solve?game=tic_tac_toe&position=XX2/3/3", "position", "row 1 has 3 places, not 4"),
        ("/api/lines?game=connect_four&agent=random&position=7/7/7/7/X6/7", "position", "floats"),
        (f"/api/solve?game=gomoku&position={'x' * 1001}", "invalid", "1000"),
        ("/api/review?game=tic_tac_toe&position=1X1/3/3&moves=a1", "no_game", ""),
        ("/api/review?game=tic_tac_toe", "no_moves", ""),
        ("/api/nowhere", "no_page", ""),
        ("/static/nowhere.js", "no_file", ""),
    ],
)
def test_what_is_wrong_is_told_in_the_visitors_language(client, path, code, quotation):
    joint = "&" if "?" in path else "?"
    english, vietnamese = (client.get(f"{path}{joint}lang={each}") for each in ("en", "vi"))
    assert english.status_code == vietnamese.status_code >= 400
    assert english.json()["code"] == vietnamese.json()["code"] == code
    sentence = vietnamese.json()["error"]
    assert sentence != english.json()["error"]
    assert sentence.endswith(".")
    assert quotation in sentence
    template = words_of("vi").messages[f"refused.{code}"]
    assert sentence.startswith(template.partition("{")[0])


def test_the_guard_speaks_the_visitors_language(client):
    response = client.get("/", headers={"origin": "http://elsewhere.org", "accept-language": "vi"})
    assert (response.status_code, response.json()["code"]) == (403, "origin")
    assert response.json()["error"] == words_of("vi")("refused.origin")


def test_a_review_is_graded_by_the_agent_that_is_named(client):
    request = "/api/review?game=hex:size=9&moves=b2,a1,c3"
    usual, by_agent = (
        events(client.get(f"{request}{agent}"))[-1][1]["agent"]
        for agent in ("", "&agent=mcts:simulations=30")
    )
    assert usual == estimator_of(make_game("hex:size=9"))
    assert by_agent.startswith("mcts:simulations=30")
    assert client.get(f"{request}&agent=mcts:threads=8").status_code == 422
    kind, answers = events(client.get(f"{request}&agent=random"))[-1]
    assert (kind, answers["code"]) == ("error", "agent")


def test_an_illegal_move_is_refused(client):
    request = {"game": "tic_tac_toe", "moves": ["a1"]}
    answer = client.post("/api/play", json=request | {"action": 6})
    assert (answer.status_code, answer.json()["error"]) == (409, "a1 cannot be played now.")
    assert client.post("/api/play", json=request | {"action": 900}).status_code == 409
    assert client.post("/api/play", json=request | {"action": -1}).status_code == 422


# -- agents --


NOT_FOR_VISITORS = [
    *("python:os:system", "onnx:model.onnx", "onnx:hf://owner/name", "ppo:runs/c4", "human"),
    *("alphazero:runs/c4", "alphabeta:book=openings.json", "mcts:network=model.onnx", "nobody"),
    *("mcts:network=hf://owner/name", "mcts:network=zoo:connect_four", "zoo:connect_four"),
    *("zoo:../../model", "alphabeta:time=60", "alphabeta:depth=13", "mcts:simulations=1000000"),
    *("mcts:threads=8", "solver:memory=4096", "alphabeta:" + "a" * 400),
]


@pytest.mark.parametrize("spec", NOT_FOR_VISITORS)
def test_what_a_visitor_may_not_ask_of_an_agent(client, spec):
    answer = client.get("/api/think", params={"game": "tic_tac_toe", "agent": spec})
    assert answer.status_code == 422
    assert answer.json()["error"].endswith(".")


def test_an_agent_of_the_servers_start_is_open_to_visitors(client):
    spec = "python:plain_agents:Leftmost"
    answer = client.get("/api/opponents?game=tic_tac_toe").json()
    assert spec in [choice["spec"] for choice in answer["choices"]]
    assert think(client, f"game=tic_tac_toe&agent={spec}&moves=a3")["name"] == "b3"


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.key)
def test_the_opponents_offered_can_be_made(preset):
    game = make_game(preset.game)
    answer = choices(game, ())
    assert preset.level in [choice.spec for choice in answer]
    for choice in answer:
        limit_spec(choice.spec, game)


@pytest.mark.parametrize("language", ["en", "vi"])
@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.key)
def test_no_two_opponents_of_a_board_have_the_same_name(preset, language):
    game, words = make_game(preset.game), words_of(language)
    names = [each.name(words, game) for each in choices(game, ())]
    assert len(set(names)) == len(names)


def test_every_parameter_that_can_be_set_has_a_name_and_help(client):
    agents = client.get("/api/opponents?game=gomoku&lang=vi").json()["agents"]
    for agent in agents:
        for parameter in agent["parameters"]:
            assert parameter["title"] != parameter["name"]
            assert parameter["help"]
    (alphabeta,) = (agent["parameters"] for agent in agents if agent["name"] == "alphabeta")
    assert len(alphabeta) >= 19
    assert [each["choices"] for each in alphabeta if each["name"] == "ordering"] == [
        ["default", "none"]
    ]


def test_caro_starts_by_the_rule_of_five_or_more_and_offers_the_other(client):
    home = client.get("/").text
    assert 'href="/play?game=gomoku%3Asize%3D10&amp;opponent=caro10_alphabeta"' in home
    rules = ("5 or more in a row win", "Exactly 5 in a row win, unless")
    for path in ("/play", "/analyse", "/watch"):
        page = client.get(f"{path}?game=gomoku:size=10").text
        other = client.get(f"{path}?game=gomoku:size=10,rule=caro").text
        assert all(rule in page and rule in other for rule in rules)
        assert page.index(rules[0]) < page.index(rules[1])
        assert other.index(rules[1]) < other.index(rules[0])
    assert rules[0] in client.get("/review?game=gomoku&moves=h8").text
    assert "caro10_minimax" in str(choices(make_game("gomoku:size=10,rule=caro"), ()))


def test_a_search_tells_its_progress_and_its_move(client):
    query = "game=connect_four&agent=alphabeta:depth=9&moves=dd"
    answers = events(client.get(f"/api/think?{query}"))
    kinds = [kind for kind, _ in answers]
    assert kinds[-1] == "move"
    assert "progress" in kinds[:-1]
    assert kinds.index("preparing") < kinds.index("ready") < kinds.index("progress")
    move = answers[-1][1]
    assert move["depth"] == 9
    assert -1 <= move["bar"] <= 1
    assert move["principal_variation"][0] == move["name"]
    body = {"game": "connect_four", "moves": ["d", "d"], "action": move["action"]}
    assert move["view"] == client.post("/api/play", json=body).json()
    assert all("view" not in content for _, content in answers[:-1])


def test_a_random_agent_repeats_its_move_by_the_seed_of_the_game(client):
    moves = [
        think(client, f"game=gomoku&agent=random&moves=h8&seed={seed}")["name"]
        for seed in (1, 1, 2, 3, 4)
    ]
    assert moves[0] == moves[1]
    assert len(set(moves)) > 2


@contextlib.contextmanager
def searching(client, query: str = LONG):
    """A search that waits or goes on meanwhile."""
    answers, thinkers = [], state_of(client).thinkers
    waiting = thinkers.waiting
    thread = threading.Thread(target=lambda: answers.append(client.get(f"/api/think?{query}")))
    thread.start()
    while thinkers.waiting == waiting:
        time.sleep(0.01)
    yield answers
    thread.join(60)


def state_of(client):
    """What the server keeps."""
    inner = client.app._app
    return getattr(inner, "app", inner).state.server  # below the limit of bodies


@pytest.mark.thorough
def test_a_process_that_is_killed_costs_a_retry_and_nothing_else():
    with client_of() as client:
        think(client, "game=connect_four&agent=alphabeta:time=0.1")
        (before,) = state_of(client).thinkers.pids
        with searching(client, "game=connect_four&agent=alphabeta:time=2&moves=d") as answers:
            time.sleep(0.5)
            os.kill(before, signal.SIGKILL)
        assert events(answers[0])[-1][0] == "move"
        assert state_of(client).thinkers.pids not in ([], [before])


@pytest.mark.thorough
def test_a_search_beyond_the_time_is_stopped_with_a_sentence():
    with client_of(move_seconds=0.5) as client:
        kind, content = events(client.get(f"/api/think?{LONG}"))[-1]
        assert kind == "error"
        assert "took too long and was stopped" in content["error"]


@pytest.mark.thorough
def test_a_full_queue_and_a_session_with_many_searches_are_told_to_wait():
    second = "game=gomoku&agent=alphabeta:time=1"
    with client_of(waiting=1) as client:
        client.get("/static/icon.svg")  # from now on all requests are of one session
        turns = state_of(client).thinkers.turns
        for room, searches, status, words in ((1, 2, 503, "queue is full"), (9, 4, 429, "other")):
            turns.room = room
            with contextlib.ExitStack() as stack:
                for _ in range(searches):
                    stack.enter_context(searching(client, second))
                answer = client.get("/api/think?game=tic_tac_toe&agent=random")
                assert (answer.status_code, words in answer.json()["error"]) == (status, True)


# -- safety --


def test_every_answer_carries_the_headers_and_the_cookie_is_strict(client):
    client.cookies.clear()
    for path in ("/", "/nowhere", "/static/style.css", "/api/nothing"):
        answer = client.get(path)
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
    client.cookies.clear()
    cookie = client.get("/").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "127.0.0.1.evil.example:8000"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"}, 403),
        ({"origin": ADDRESS}, 200),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, 200),
    ],
)
def test_requests_of_other_sites_are_refused(client, headers, status):
    answer = client.get("/", headers=headers)
    assert answer.status_code == status
    if status != 200:
        assert answer.json()["error"].endswith(".")


def test_a_large_body_is_refused_and_one_without_a_stated_length_cut_off(client):
    def parts():
        for _ in range(100):
            yield b"x" * 1000

    for content in (parts(), b"x" * 100_000):
        answer = client.post("/api/view", content=content)
        assert (answer.status_code, answer.json()["code"]) == (413, "long_request")
    assert client.request("GET", "/", content=b"x" * 100_000).status_code == 413


@pytest.mark.parametrize(
    "path", ["/static/../settings.py", "/static/%2e%2e%2fsettings.py", "/static/style.css%00.js",
             "/static//etc/passwd", "/nowhere"],
)  # fmt: skip
def test_no_path_leads_to_the_file_system(client, path):
    assert client.get(path).status_code == 404


def test_what_a_visitor_writes_is_text_in_a_page(client):
    answer = client.get("/play", params={"game": "<script>alert(1)</script>"})
    assert answer.status_code == 422
    assert "<h1>" in answer.text  # errors of pages are pages
    assert "There is no game" in answer.text
    assert "<script>alert" not in answer.text
    answer = client.get("/play", params={"game": "tic_tac_toe", "opponent": "<script>alert(1)"})
    assert "<script>alert" not in answer.text


def test_a_session_that_asks_too_much_is_told_to_wait(monkeypatch):
    monkeypatch.setattr(sessions, "REQUESTS_AT_ONCE", 5.0)
    monkeypatch.setattr(sessions, "REQUESTS_A_SECOND", 0.001)
    with client_of() as client:
        statuses = [client.get("/static/icon.svg").status_code for _ in range(7)]
    assert statuses == [200] * 6 + [429]  # the first one had no cookie yet


def test_sessions_expire_and_are_bounded(monkeypatch):
    monkeypatch.setattr(sessions, "MOST_SESSIONS", 10)
    table = sessions.Sessions()
    names = [table.admit(None, f"10.0.0.{number}")[0] for number in range(30)]
    assert len(table) <= 10
    assert len(table._addresses) <= 10
    assert table.admit(names[-1])[2] is False
    monkeypatch.setattr(sessions, "SESSION_SECONDS", -1.0)
    assert table.admit(names[-1])[2] is True


def loaded_by(page: str) -> set[str]:
    """The modules that a page loads, and those that they import."""
    names, modules = set(re.findall(r'src="/static/(\w+\.js)"', page)), set()
    while names:
        modules |= names
        texts = [STATIC[name].content.decode() for name in names]
        names = {name for text in texts for name in re.findall(r'from "\./(\w+\.js)"', text)}
        names -= modules
    return modules


@pytest.mark.parametrize("path", ["/", "/play?game=gomoku:size=20&opponent=medium"])
def test_a_page_in_all_is_small(client, path):
    page = client.get(path).text
    files = {"style.css", "icons.svg", *loaded_by(page)}
    assert files > {"page.js", "board.js", "motion.js"}
    sizes = [len(STATIC[name].content) for name in files]
    assert len(page.encode()) + sum(sizes) < LARGEST_PAGE


def test_a_file_is_asked_again_only_if_it_has_changed(client):
    first = client.get("/static/style.css")
    again = client.get("/static/style.css", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_form_of_a_game_leads_to_its_page(client):
    answer = client.get(
        "/new?name=gomoku&rows=10&cols=10&connect=5&rule=caro&opponent=hard&seat=1&clock=300%2B0",
        follow_redirects=False,
    )
    assert answer.status_code == 303
    assert answer.headers["location"] == (
        "/play?game=gomoku%3Asize%3D10%2Crule%3Dcaro&opponent=hard&seat=1&clock=300%2B0"
    )
    for other in ("rows=99", "rows=1_0", "rows=%D9%A3", "seat=%201", "seat=0_1"):
        assert client.get(f"/new?name=gomoku&{other}").status_code == 422
    assert client.get("/new?name=go").status_code == 422


def test_a_view_does_not_depend_on_the_language_but_for_its_words():
    line = LineOfPlay(make_game("connect_four").initial_position(), [3, 3])
    english, vietnamese = (line.view(words_of(language)) for language in ("en", "vi"))
    for key in ("svg", "moves", "to_move", "text", "width"):
        assert english[key] == vietnamese[key]
    assert english["status"] != vietnamese["status"]
