"""An answer that fails: it is asked again, told in a sentence, and a visitor may try once more."""

from __future__ import annotations

import json
import re
from urllib.parse import quote

import pytest
from playwright.sync_api import expect
from plyground.agents.faults import HUNG, RAISED, Fault
from plyground.envs.specification import SpecificationError
from plyground.extras.web import api
from plyground.extras.web.thinking import Decide
from web_server import Server, client_of

AGENT = "python:broken.agents:FailsUntilMended"
SENTENCES = {
    "en": f"{AGENT} failed; the server's log says why.",
    "vi": f"{AGENT} gặp lỗi; nhật ký của máy chủ nói vì sao.",
}
ASKED = f"game=tic_tac_toe&moves=b2&agent={AGENT}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("FAILURES", str(tmp_path))
    return tmp_path


@pytest.fixture
def client():
    with client_of(agents=(AGENT,)) as visitor:
        yield visitor


def last_event(text: str) -> tuple[str, dict]:
    kind, data = text.rsplit("event: ", maxsplit=1)[-1].split("\ndata: ")
    return kind, json.loads(data)


@pytest.mark.parametrize("language", SENTENCES)
@pytest.mark.parametrize("path", ["api/think", "api/lines", "export/game.html"])
@pytest.mark.fast_cases(1)
def test_what_fails_is_asked_again_in_a_fresh_process(client, folder, caplog, path, language):
    asked = f"game=hex:size=9&moves=e5&agent={AGENT}"  # beyond the solver
    address = f"/{path}?{asked}&lang={language}"
    answer = client.get(address).text
    assert len(list(folder.iterdir())) == 2  # processes
    if path.startswith("api"):
        code = {"code": "failed", "error": SENTENCES[language], "status": 503}
        assert last_event(answer) == ("error", code)
    else:
        assert "failed;" in answer or "gặp lỗi;" in answer
    assert "\x1b" not in answer
    assert "nopython" not in answer
    failures = [each for each in caplog.records if each.getMessage().endswith(" failed")]
    assert len(failures) == 2
    assert all(each.exc_info for each in failures)
    assert "Failed in nopython mode" in caplog.text
    (folder / "mended").touch()
    assert '"error"' not in client.get(address).text


@pytest.mark.parametrize(
    ("error", "code", "runs"),
    [
        (KeyError("x"), None, 2),
        (Fault(RAISED, "raised KeyError"), None, 2),
        (Fault(HUNG, "hung"), "slow", 1),
        (SpecificationError("no"), "agent", 1),
    ],
)
def test_a_second_try_may_succeed(client, monkeypatch, error, code, runs):
    run, begun = Decide.run, []

    def fail_once(self, process, *arguments):
        begun.append(process.pid)
        if len(begun) == 1:
            raise error
        return run(self, process, *arguments)

    client.get("/api/think?game=tic_tac_toe&agent=random")  # a process runs
    monkeypatch.setattr(Decide, "run", fail_once)
    kind, data = last_event(client.get("/api/think?game=tic_tac_toe&agent=random").text)
    assert (kind, data.get("code")) == ("error" if code else "move", code)
    assert len(begun) == runs
    assert begun[1:] in ([], [None])  # the process that failed has ended


def test_a_failure_of_the_server_itself_ends_the_waiting(client, monkeypatch, caplog):
    def fail(*arguments):
        raise KeyError("value")

    asked = "/api/think?game=tic_tac_toe&agent=random"
    for place, name in ((api, "_decision_json"), (Decide, "what")):
        with monkeypatch.context() as patch:
            patch.setattr(place, name, property(fail) if place is Decide else fail)
            kind, data = last_event(client.get(asked).text)
        assert (kind, data["code"], data["status"]) == ("error", "server", 500)
        assert "KeyError: 'value'" in caplog.text
        caplog.clear()


@pytest.fixture
def failing(folder):
    log = folder.parent / "log"
    with log.open("w") as errors:
        server = Server("--agent", AGENT, stderr=errors)
        yield server
        server.stop()
    assert "Failed in nopython mode" in log.read_text(encoding="utf-8")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("path", "done"),
    [
        (f"/analyse?{ASKED}", "#result-first .lines button"),
        (f"/analyse?game=tic_tac_toe&agent=greedy&second={AGENT}", "#result-second .lines button"),
        (f"/play?game=tic_tac_toe&seat=1&opponent={AGENT}", "#moves button"),
        (f"/watch?game=tic_tac_toe&first={AGENT}&second={AGENT}", "#moves button"),
        (f"/review?game=hex:size=9&moves=e5,a1&agent={AGENT}", "body[data-reviewed]"),
    ],
)
def test_a_page_says_that_an_agent_failed_and_tries_again(visit, failing, folder, path, done):
    page = visit(f"{path}&lang=vi", failing.address, viewport={"width": 360, "height": 740})
    if path.startswith("/watch"):
        page.click("#step")
    problem = page.locator("#problem")
    sentence = SENTENCES["vi"]
    if "review" in path:  # what fails is the review
        sentence = sentence.replace(AGENT, "Phần xem lại")
    expect(problem).to_have_text(f"{sentence} Thử lại")
    expect(page.locator(".busy:visible")).to_have_count(0)
    assert "Đang nghĩ…" not in page.locator("main").inner_text().split("\n")
    if "second" in path and "analyse" in path:
        expect(page.locator("#result-first .lines button").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert problem.evaluate("(box) => box.scrollWidth <= box.clientWidth")
    (folder / "mended").touch()
    problem.get_by_role("button").click()
    expect(page.locator(done).first).to_be_attached()
    expect(problem).to_be_hidden()


BUSY = {"error": "There are too many requests; wait a second."}
STEPS = "game=tic_tac_toe&moves=b2,a1,c3"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("path", "click", "done"),
    [
        (f"/analyse?{STEPS}&agent=greedy", "#back", "#moves button[data-ply='2'][aria-current]"),
        (f"/review?{STEPS}&agent=greedy", "#back", "#moves button[data-ply='2'][aria-current]"),
        (f"/watch?{STEPS}&first=random&second=random", "#step", "#moves button[data-ply='4']"),
        (f"/play?{STEPS}&opponent=human", "#undo", "#redo:enabled"),
        (f"/play?{STEPS}&opponent=human", ".area >> nth=0", "#moves button[data-ply='4']"),
        (f"/play?{STEPS}&opponent=human", "#hint", ".marks .hint"),
        ("/play?game=hex:size=6&opponent=human", "#hint", ".marks .hint"),
    ],
)
def test_every_request_that_was_refused_is_made_again(browser, visit, path, click, done):
    context = browser.new_context()
    page = visit(path, context=context)
    refused = []

    def refuse(route):
        refused.append(route.request.url)
        route.fulfill(status=429, json=BUSY)

    page.wait_for_load_state("networkidle")
    assert page.locator(done).count() == 0
    context.route(re.compile("/api/"), refuse)
    page.click(click)
    expect(page.locator("#problem")).to_have_text(f"{BUSY['error']} Try again")
    context.unroute(re.compile("/api/"))
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(done).first).to_be_attached()
    expect(page.locator("#problem")).to_be_hidden()
    assert refused
    context.close()


@pytest.mark.thorough
def test_moves_taken_back_stay_when_playing_them_again_is_refused(browser, visit):
    context = browser.new_context()
    page = visit(f"/play?{STEPS}&opponent=human", context=context)
    page.click("#undo")
    expect(page.locator("#moves button")).to_have_count(2)
    context.route(re.compile("/api/"), lambda route: route.fulfill(status=429, json=BUSY))
    for button in ("#redo", "#undo", "#redo"):
        page.click(button)
        expect(page.locator("#problem")).to_be_visible()
    context.unroute(re.compile("/api/"))
    page.click("#redo")
    expect(page.locator("#moves button")).to_have_count(3)
    assert quote("b2,a1,c3", safe=",") in page.url
    assert page.is_disabled("#redo")
    context.close()
