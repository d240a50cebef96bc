"""Under which names the server answers, behind a proxy too, and who shares an allowance."""

from __future__ import annotations

import asyncio
import socket

import pytest
from fastapi.testclient import TestClient
from plyground.extras.web import guard, sessions, settings
from plyground.extras.web.app import make_app
from starlette.exceptions import HTTPException
from web_server import ADDRESS, client_of


@pytest.fixture(scope="module")
def client():
    with client_of() as visitor:
        yield visitor


@pytest.mark.parametrize(
    ("host", "names", "answered", "refused"),
    [
        ("127.0.0.1", (), "LOCALHOST:8000 [::1]:8000 127.0.0.1", "192.168.1.5 evil.example"),
        ("192.168.1.5", (), "192.168.1.5:8000 localhost", "192.168.1.6:8000"),
        ("0.0.0.0", (), f"192.168.1.6:8000 [fe80::1]:80 {socket.gethostname()}", "evil.example"),
        ("::", ("Games.example.org",), "games.example.ORG. 10.0.0.1", "x.games.example.org:80"),
    ],
)
def test_the_guard_knows_the_names_of_its_server(host, names, answered, refused):
    with client_of(host=host, allow_hosts=names) as client:
        for name in answered.split():
            origin = f"https://{name.lower()}"
            answer = client.get("/static/icon.svg", headers={"host": name, "origin": origin})
            assert answer.status_code == 200, name
        for name in refused.split():
            answer = client.get("/static/icon.svg", headers={"host": name})
            assert answer.status_code == 421
            assert "--allow-host" in answer.json()["error"]


FORWARDED = {"x-forwarded-host": "games.example.org", "x-forwarded-proto": "https"}


@pytest.mark.parametrize(
    ("client", "behind_proxy", "host", "status"),
    [
        ("127.0.0.1", True, "127.0.0.1:8000", 200),
        ("127.0.0.1", False, "127.0.0.1:8000", 403),  # the origin is not the host
        ("10.0.0.7", True, "127.0.0.1:8000", 403),  # no proxy that is trusted
        ("10.0.0.7", True, "elsewhere.example", 421),
    ],
)
def test_the_headers_of_a_trusted_proxy_count(client, behind_proxy, host, status):
    changes = {"allow_hosts": ("games.example.org",), "behind_proxy": behind_proxy}
    headers = FORWARDED | {"host": host, "origin": "https://games.example.org"}
    with client_of(client, **changes) as visitor:
        answer = visitor.get("/static/icon.svg", headers=headers)
    assert answer.status_code == status
    if status == 200:
        assert "Secure" in answer.headers["set-cookie"]


def test_behind_a_proxy_the_address_is_the_forwarded_one(monkeypatch):
    monkeypatch.setattr(sessions, "ADDRESS_AT_ONCE", 3.0)
    monkeypatch.setattr(sessions, "ADDRESS_A_SECOND", 0.001)
    with client_of(behind_proxy=True) as visitor:
        for address in ("198.51.100.1", "198.51.100.2"):
            # what the visitor claims to have been forwarded for does not count
            headers = {"x-forwarded-for": f"10.9.8.7, {address}"}
            path = "/static/icon.svg"
            statuses = [visitor.get(path, headers=headers).status_code for _ in range(4)]
            assert statuses == [200, 200, 200, 429]


def test_the_time_for_a_body_counts_while_it_is_waited_for(monkeypatch):
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.2)
    part = {"type": "http.request", "body": b"x", "more_body": True}

    async def at_once():
        return part

    async def never():
        await asyncio.sleep(60)

    async def ask():
        receive = guard.limit_time(at_once)
        await asyncio.sleep(0.3)  # in the queue of a busy server
        assert await receive() == part
        with pytest.raises(HTTPException) as refused:
            await guard.limit_time(never)()
        assert refused.value.status_code == 408

    asyncio.run(ask())


def test_the_head_of_a_page_can_be_asked_for_without_its_body(client):
    for path in ("/", "/play?game=tic_tac_toe", "/static/style.css", "/nowhere"):
        head, whole = client.head(path), client.get(path)
        assert (head.status_code, head.content) == (whole.status_code, b"")
        assert head.headers["content-length"] == str(len(whole.content))
    assert client.head("/export/game.gif?game=tic_tac_toe&moves=a1").status_code == 405


def test_requests_without_a_cookie_share_the_allowance_of_their_address():
    table = sessions.Sessions()
    name, first, _ = table.admit(None, "10.0.0.1")
    assert table.admit(None, "10.0.0.1")[1] is first
    assert table.admit("made up", "10.0.0.1")[1] is first
    assert table.admit(name, "10.0.0.1")[1] is not first
    assert table.admit(None, "10.0.0.2")[1] is not first
    one, same, other = ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1")  # networks have 64 bits
    assert table.admit(None, one)[1] is table.admit(None, same)[1]
    assert table.admit(None, one)[1] is not table.admit(None, other)[1]


def test_requests_beyond_the_limit_replace_nobody():
    """5,001 without a cookie, from one address and from 5,001: more than sessions are kept."""
    table = sessions.Sessions()
    name, _, _ = table.admit(None, "10.0.0.1")
    _, visitor, _ = table.admit(name, "10.0.0.1")
    for others in (["10.0.0.2"] * 5_001, [f"10.1.{n // 250}.{n % 250}" for n in range(5_001)]):
        answers = [table.admit(None, other) for other in others]
        assert None in answers
        table._all = sessions.Bucket(settings.ALL_AT_ONCE, settings.ALL_A_SECOND)
        again, session, is_new = table.admit(name, "10.0.0.1")
        assert (again, is_new) == (name, False)
        assert session is visitor
    assert len(table) < settings.MOST_SESSIONS


def test_a_refused_visitor_keeps_the_session_and_strangers_get_none(monkeypatch):
    monkeypatch.setattr(sessions, "MOST_SESSIONS", 3)
    monkeypatch.setattr(sessions, "REQUESTS_AT_ONCE", 2.0)
    monkeypatch.setattr(sessions, "REQUESTS_A_SECOND", 0.001)
    app = make_app(settings.ServerSettings(workers=1, no_warm_up=True))
    path = "/static/icon.svg"
    with TestClient(app, base_url=ADDRESS, client=("10.0.0.1", 1)) as visitor:
        assert "set-cookie" in visitor.get(path).headers
        stranger = TestClient(app, base_url=ADDRESS, client=("10.0.0.2", 1))
        for _ in range(20):
            refused = stranger.get(path)
            stranger.cookies.clear()
        assert refused.status_code == 429
        assert "set-cookie" not in refused.headers
        answers = [visitor.get(path) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert not any("set-cookie" in answer.headers for answer in answers)
