"""The server as a process: how it stops, and what it does for visitors who have left."""

from __future__ import annotations

import contextlib
import io
import signal
import subprocess
import threading
import time
import weakref

import httpx
import pytest
from PIL import Image
from plyground import make_game
from plyground.envs.game import Position
from plyground.extras.web import jobs
from web_server import Server

pytestmark = pytest.mark.thorough

LONG = "game=gomoku&agent=alphabeta:depth=12,radius=2"
QUICK = "/api/think?game=tic_tac_toe&agent=random"


@contextlib.contextmanager
def asking(server, path: str, seconds: float):
    """A request under way, from a visitor who leaves after so many seconds."""

    def ask():
        with contextlib.suppress(httpx.HTTPError):
            httpx.get(server.address + path, timeout=seconds)

    thread = threading.Thread(target=ask)
    thread.start()
    yield
    thread.join()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("path", [f"/api/think?{LONG}", "/export/game.html?game=hex&moves=a1,b2"])
def test_a_server_that_is_stopped_says_no_more_than_that(number, path):
    server = Server(stderr=subprocess.PIPE)
    httpx.get(server.address + QUICK, timeout=120)
    with asking(server, path, 60):
        time.sleep(1)
        began = time.monotonic()
        server.process.send_signal(number)
        _, errors = server.process.communicate(timeout=30)
    assert time.monotonic() - began < 5
    assert errors.strip() in ("", "stopped")


def test_an_export_ends_when_its_visitor_leaves():
    server = Server()
    try:
        httpx.get(server.address + QUICK, timeout=120)
        moves = "a1,b2,c3,d4,e5,f6,g7,h8,i9,a2,b3,c4,d5,e6"
        with asking(server, f"/export/game.html?game=hex&agent=mcts:time=10&moves={moves}", 5):
            pass
        began = time.monotonic()
        httpx.get(server.address + QUICK, timeout=120)
        assert time.monotonic() - began < 60  # its searches would take 150 s
    finally:
        server.stop()


def test_the_frames_of_an_animation_are_not_kept_as_they_are_drawn(monkeypatch):
    images, kept, draw = [], [], Position.to_image

    def counted(position, last, side):
        kept.append(sum(image() is not None for image in images))
        image = draw(position, last, side)
        images.append(weakref.ref(image))
        return image

    monkeypatch.setattr(Position, "to_image", counted)
    game = make_game("connect_four")
    actions = [game.text_to_action(name) for name in "ddeecfdcb"]
    content = jobs.animation(game.initial_position(), actions, 120, lambda report: None)
    assert len(kept) == len(actions) + 2
    assert max(kept) <= 1
    assert Image.open(io.BytesIO(content)).n_frames == len(actions) + 1
