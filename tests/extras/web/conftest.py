"""A server as people start it, and pages of a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from plyground import make_agent, make_game
from plyground.evaluation.fingerprints import describe
from plyground.evaluation.match import play_game
from plyground.evaluation.single_games import store_game
from plyground.evaluation.store.store import Store
from web_server import SMALL, running

PATIENCE_MS = 90_000  # an opponent may have to be compiled, on a machine that has other work
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Games of two agents at two games."""
    path = tmp_path_factory.mktemp("web") / "games.db"
    with Store(path) as games_store:
        for spec, seeds in (("tic_tac_toe", (1, 2, 3)), (SMALL, (1, 2))):
            agents = [make_agent("random"), make_agent("greedy")]
            entries = tuple(describe(agent) for agent in agents)
            for seed in seeds:
                result = play_game(spec, agents, seeds=(seed, seed))
                store_game(games_store, make_game(spec), entries, result)
    return path


@pytest.fixture(scope="session")
def server():
    with running() as web_server:
        yield web_server


@pytest.fixture
def visit(browser, server):
    """Opens pages; afterwards nothing may have gone wrong in them, and nothing have been asked of
    another host.
    """
    messages, requests, contexts = [], [], []

    def opener(path, address=None, context=None, **settings):
        if context is None:
            settings.setdefault("viewport", {"width": 1100, "height": 800})
            context = browser.new_context(**settings)
            contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto((address or server.address) + path)
        if page.query_selector("#board"):
            page.wait_for_selector("body[data-ready]")
        return page

    opener.said = messages
    yield opener
    for context in contexts:
        context.close()
    faults = [text for text in messages if "status of 4" not in text]
    assert faults == []
    assert {url.split("/")[2].split(":")[0] for url in requests} <= {"127.0.0.1"}
