"""Language models as agents, with a local stand-in for the endpoint."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from helpers import SMALL_VARIANTS, run
from plyground import make_agent, make_game
from plyground.envs.specification import SpecificationError
from plyground.evaluation.plan import Plan
from plyground.extras.bridges.adapters.prompts import describe, read_move
from plyground.extras.bridges.language_model import LanguageModelError

pytestmark = pytest.mark.thorough


class StandIn:
    """Answers each request by ``answer(messages)``; keeps what it was asked."""

    def __init__(self, answer):
        self.asked, self.headers = [], []
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                stand_in.asked.append((self.path, body))
                stand_in.headers.append(dict(self.headers))
                text = answer(body["messages"])
                status = 200 if isinstance(text, str) else text
                self.send_response(status)
                self.end_headers()
                reply = {
                    "choices": [{"message": {"role": "assistant", "content": text}}],
                    "usage": {"prompt_tokens": 100, "completion_tokens": 5},
                }
                self.wfile.write(json.dumps(reply).encode())

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def serve():
    made = []

    def start(answer):
        made.append(StandIn(answer))
        return made[-1]

    yield start
    for stand_in in made:
        stand_in.server.shutdown()
        stand_in.server.server_close()


def first_legal(messages):
    """Reads the position as a model would: the first of the legal moves listed."""
    text = next(one["content"] for one in messages if one["role"] == "user")
    legal = text.partition("Legal moves: ")[2].split(", ")
    return f"I see the board.\n**{legal[0]}**"


@pytest.mark.parametrize("spec", SMALL_VARIANTS)
def test_every_game_is_told_in_text_and_played_to_its_end(spec, serve):
    stand_in = serve(first_legal)
    game = make_game(spec)
    agent = make_agent(f"llm:small,url={stand_in.url}", game)
    position = game.initial_position()
    while not position.is_over:
        before = position.legal_actions()
        position.play(agent.act(position))
        assert position.moves[-1] == before[0]
    assert agent.tokens == (100 * len(position.moves), 5 * len(position.moves))
    path, body = stand_in.asked[0]
    assert path == "/v1/chat/completions"
    assert (body["model"], body["temperature"]) == ("small", 0.0)


def test_an_illegal_answer_is_refused_with_the_reason_and_asked_again(serve):
    answers = iter(["pass", "z9\n", "b2"])
    stand_in = serve(lambda messages: next(answers))
    position = make_game("tic_tac_toe").initial_position()
    action = make_agent(f"llm:m,url={stand_in.url},retries=2").act(position)
    assert position.game.action_to_text(action) == "b2"
    last = stand_in.asked[-1][1]["messages"]
    assert [one["role"] for one in last] == ["system", "user"] + ["assistant", "user"] * 2
    assert last[-1]["content"].startswith("'z9' is not legal. The last line must be one of: ")


def test_a_model_without_a_legal_move_forfeits_and_the_tournament_goes_on(serve, tmp_path):
    stand_in = serve(lambda messages: "I resign")
    spec = f"llm:weak,url={stand_in.url},retries=1"
    games = run(Plan("tic_tac_toe", (spec, "random"), 2), tmp_path / "store.db", isolate="never")
    assert len(games) == 4
    for game in games:
        assert game.result.fault is not None
        assert "gave no legal move: 'I resign' is not legal" in game.result.reason


@pytest.mark.parametrize("isolation", ["never", "always"])
def test_a_store_keeps_the_tokens_of_every_game(serve, tmp_path, isolation):
    spec = f"llm:small,url={serve(first_legal).url}"
    games = run(Plan("tic_tac_toe", (spec, "random"), 1), tmp_path / "s.db", isolate=isolation)
    assert len(games) == 2
    for game in games:
        seat = game.players.index(0)
        expected = [0, 0]
        expected[seat] = 105 * game.result.decisions[seat]
        assert game.result.tokens == tuple(expected)


def test_a_model_that_takes_too_long_forfeits_with_its_process(serve, tmp_path):
    silent = threading.Event()
    spec = f"llm:slow,url={serve(lambda messages: silent.wait(5) or 'a1').url}"
    games = run(
        Plan("tic_tac_toe", (spec, "random"), 1), tmp_path / "s.db", isolate="always",
        move_timeout=0.5,
    )  # fmt: skip
    silent.set()
    assert {game.result.fault for game in games} == {"hung"}
    assert {game.result.tokens for game in games} == {(0, 0)}


def test_an_endpoint_that_fails_is_reported_in_a_sentence(serve):
    position = make_game("tic_tac_toe").initial_position()
    failing = serve(lambda messages: 503)
    with pytest.raises(LanguageModelError, match="answered with status 503"):
        make_agent(f"llm:m,url={failing.url}").act(position)
    with pytest.raises(LanguageModelError, match="could not be reached"):
        make_agent("llm:m,url=http://127.0.0.1:1/v1").act(position)


def test_the_key_is_sent_to_its_own_host_alone(serve, monkeypatch):
    stand_in, position = serve(first_legal), make_game("tic_tac_toe").initial_position()
    agent = make_agent(f"llm:m,url={stand_in.url}")
    agent.act(position)
    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    agent.act(position)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    agent.act(position)
    monkeypatch.setenv("OPENAI_BASE_URL", stand_in.url)
    agent.act(position)
    keys = [headers.get("Authorization") for headers in stand_in.headers]
    assert keys == [None, None, None, "Bearer a key"]
    refusing = serve(lambda messages: 401)
    with pytest.raises(LanguageModelError, match="status 401; the key of OPENAI_API_KEY is for"):
        make_agent(f"llm:m,url={refusing.url}").act(position)


@pytest.mark.parametrize(
    ("own", "url", "sent"),
    [
        ("", "https://api.openai.com/v1", True),
        ("", "https://api.openai.com:443/v1", True),
        ("", "http://api.openai.com/v1", False),
        ("", "https://api.openai.com@elsewhere.org/v1", False),
        ("", "https://api.openai.com.elsewhere.org/v1", False),
        ("http://far.org/v1", "http://far.org/v1", False),
        ("https://far.org/v1", "https://FAR.org/other", True),
        ("http://[::1]:80/v1", "http://[::1]/v1", True),
        ("http://localhost:8000", "http://localhost:8001/v1", False),
    ],
)
def test_no_other_address_gets_the_key_nor_plain_http(own, url, sent, monkeypatch):
    headers = []

    def answer(request, timeout):
        headers.append(request.get_header("Authorization"))
        raise OSError("no network in tests")

    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    monkeypatch.setenv("OPENAI_BASE_URL", own)
    monkeypatch.setattr("urllib.request.urlopen", answer)
    with pytest.raises(LanguageModelError, match="no network in tests"):
        make_agent(f"llm:m,url={url}").act(make_game("tic_tac_toe").initial_position())
    assert headers == ["Bearer a key" if sent else None]


def test_the_key_does_not_follow_to_another_host(serve, monkeypatch):
    stand_in, position = serve(first_legal), make_game("tic_tac_toe").initial_position()
    other = serve(first_legal)
    handler = stand_in.server.RequestHandlerClass

    def send_on(self):
        self.send_response(302)
        self.send_header("Location", other.url)
        self.end_headers()

    monkeypatch.setattr(handler, "do_POST", send_on)
    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    monkeypatch.setenv("OPENAI_BASE_URL", stand_in.url)
    seen = []
    monkeypatch.setattr(
        other.server.RequestHandlerClass,
        "do_GET",
        lambda self: (seen.append(self.headers.get("Authorization")), self.send_error(404)),
        raising=False,
    )
    with pytest.raises(LanguageModelError, match="status 404"):
        make_agent(f"llm:m,url={stand_in.url}").act(position)
    assert seen == [None]


def test_a_specification_without_a_model_or_an_address_is_refused():
    with pytest.raises(SpecificationError, match="write llm:MODEL"):
        make_agent("llm")
    with pytest.raises(SpecificationError, match="is not an address"):
        make_agent("llm:m,url=localhost")
    assert make_agent("llm:m,tokens=9").spec == "llm:m,tokens=9"


@pytest.mark.parametrize(
    ("answer", "move"),
    [
        ("d", "d"),
        ("I choose **d**.", "d"),
        ("Thinking about a and b.\n\nd\n", "d"),
        ("My move: `d`", "d"),
        ("a or d", None),
        ("", None),
        ("column 4", None),
    ],
)
def test_a_move_is_read_from_the_last_line(answer, move):
    position = make_game("connect_four").initial_position()
    action, complaint = read_move(position, answer)
    assert (None if action is None else position.game.action_to_text(action)) == move
    assert bool(complaint) == (move is None)


def test_the_text_of_a_position_says_all_that_matters():
    text = describe(make_game("connect_four").position(["d", "d", "c"]))
    for part in ("connect_four", "Moves so far: d, d, c", "second player", "Legal moves: a, b, c"):
        assert part in text
