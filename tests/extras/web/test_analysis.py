"""What the page of a position shows first, and what its lines and values rest on."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from helpers import GAMES, SMALL_GAMES
from playwright.sync_api import expect
from plyground import make_game
from plyground.agents.solvers.solver import make_solver
from plyground.extras.web.jobs import READY, best_lines, exact_values, has_solver, sound_scores

pytestmark = pytest.mark.thorough

ASKED = """() => {
  window.asked = [];
  const fetched = window.fetch;
  window.fetch = (address, ...rest) => {
    const labels = document.querySelectorAll(".marks .label").length;
    window.asked.push([String(address), labels]);
    return fetched(address, ...rest);
  };
}"""


@pytest.mark.parametrize("spec", SMALL_GAMES)
def test_numbers_stand_on_the_board_before_a_solver_is_asked(browser, visit, spec):
    context = browser.new_context()
    context.add_init_script(f"({ASKED})()")
    context.route("**/api/solve?**", lambda route: None)  # it never answers
    page = visit(f"/analyse?game={spec}", context=context)
    expect(page.locator(".marks .label").first).to_be_attached()
    with page.expect_request(lambda request: re.search("moves=.*seconds=1$", request.url)):
        page.locator(".area").nth(page.locator(".area").count() // 2).click()
        if page.locator(".area[aria-pressed=true]").count():  # a piece moves by a second click
            page.locator(".area[data-action]").first.click()
    assert page.locator(".marks .label").count() > 0
    strokes = "[...document.querySelectorAll('.label text')].map((e) => getComputedStyle(e).stroke)"
    assert all(stroke.startswith("oklab") for stroke in page.evaluate(strokes))  # its colour
    asked = [
        (urlsplit(address).path, parse_qs(urlsplit(address).query), labels)
        for address, labels in page.evaluate("asked")
    ]
    for moves in {str(query.get("moves")) for path, query, _ in asked if path == "/api/lines"}:
        searches = [each for each in asked if "lines" in each[0] or "solve" in each[0]]
        (first, query, _), *later = [
            each for each in searches if str(each[1].get("moves")) == moves
        ]
        assert first == "/api/lines"
        assert float(query["seconds"][0]) <= 0.3
        assert all(labels > 0 for path, _, labels in later if path == "/api/solve")
    assert has_solver(make_game(spec)) == any(path == "/api/solve" for path, *_ in asked)
    context.close()


@pytest.mark.parametrize("spec", SMALL_GAMES)
def test_nothing_is_called_even_before_there_is_a_value(browser, visit, spec):
    context, held = browser.new_context(), []
    context.route("**/api/solve?**", lambda route: None)  # it never answers
    context.route("**/api/lines?**", lambda route: held.append(route))  # noqa: PLW0108
    page = visit(f"/analyse?game={spec}", context=context)
    bar = page.locator("#bar")
    expect(bar).to_have_attribute("aria-label", "Evaluation: not known yet")
    expect(bar).to_have_class("bar unknown")
    held[0].continue_()
    expect(bar).to_have_class("bar", timeout=60_000)
    page.locator(".area").nth(page.locator(".area").count() // 2).click()
    if page.locator(".area[aria-pressed=true]").count():  # a piece moves by a second click
        page.locator(".area[data-action]").first.click()
    expect(bar).to_have_class("bar unknown")
    # the last value, dimmed
    assert bar.locator("span").evaluate("(each) => each.style.height").endswith("%")
    expect(bar).to_have_attribute("aria-label", "Evaluation: not known yet")


BOXES = """() => {
  const boxes = (which) => [...document.querySelectorAll(which)].map((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return [x, y, width, height];
  });
  return { texts: boxes(".label text"), pieces: boxes("#board .picture [data-place]") };
}"""


@pytest.mark.parametrize("spec", ["breakthrough", "kalah", "gomoku:size=9"])
def test_numbers_cover_no_pieces_and_are_told_apart(visit, spec):
    page = visit(f"/analyse?game={spec}&agent=mcts:simulations=500")
    expect(page.locator(".label").first).to_be_attached()
    expect(page.locator("#result-first .lines button").first).to_be_visible()
    found = page.evaluate(BOXES)
    for x, y, width, height in found["texts"]:
        for left, top, across, down in found["pieces"]:  # circles
            dx = max(abs(x + width / 2 - left - across / 2) - width / 2, 0)
            dy = max(abs(y + height / 2 - top - down / 2) - height / 3, 0)
            assert (dx**2 + dy**2) ** 0.5 > 0.45 * across
    numbers = [text for text in page.locator(".label text").all_text_contents() if text.isdigit()]
    assert len(set(numbers)) == len(numbers) > 0


def test_estimates_as_close_as_one_per_cent_are_dots(browser, visit):
    context, bars = browser.new_context(), [0.5, 0.49, 0.481, 0.47, -0.2]
    line = {"action": 4, "shown": None, "moves": []}
    actions = [
        {"action": action, "bar": bar, "shown": {"lines": [f"{bar}"], "kind": "guess"}}
        for action, bar in zip((4, 0, 1, 2, 3), bars)
    ]
    answer = {"bar": 0.5, "depth": 1, "nodes": 9, "actions": actions, "lines": [line]}
    body = f"event: move\ndata: {json.dumps(answer)}\n\n"
    context.route("**/api/lines?**", lambda route: route.fulfill(body=body))
    context.route("**/api/solve?**", lambda route: None)
    page = visit("/analyse?game=tic_tac_toe&agent=greedy", context=context)
    expect(page.locator(".label .close")).to_have_count(2)
    assert page.locator(".label text").all_text_contents() == ["0.5", "0.47", "-0.2"]
    expect(page.locator("#legend")).to_contain_text("dots: within 1 %")
    context.close()


@pytest.mark.parametrize("spec", sorted(GAMES))
def test_an_analysis_and_a_review_fit_a_screen(visit, spec):
    moves = make_game(spec).initial_position()
    first = moves.game.action_to_text(moves.legal_actions()[0])
    page = visit(f"/analyse?game={spec}&agent=greedy", viewport={"width": 1280, "height": 800})
    expect(page.locator("#result-first .lines button").first).to_be_visible()
    if page.locator("#exact[data-solvable='yes']").count():
        with contextlib.suppress(AssertionError):  # with the solver's words, where it is quick
            expect(page.locator("#exact-text")).not_to_be_empty(timeout=6_000)
    assert page.evaluate("document.documentElement.scrollHeight") <= 800
    page = visit(f"/review?game={spec}&moves={first}", viewport={"width": 1280, "height": 800})
    graph, board = (page.locator(part).bounding_box() for part in ("#graph", "#board"))
    assert graph["y"] > board["y"] + board["height"]
    assert page.evaluate("document.documentElement.scrollHeight") <= 800


@pytest.mark.parametrize("agent", ["alphabeta:nodes=2000,values=yes", "mcts:simulations=300"])
@pytest.mark.parametrize("spec", SMALL_GAMES)
def test_all_lines_are_of_one_search_the_best_first(spec, agent):
    game = make_game(spec)
    if agent.startswith("alphabeta") and not game.declaration.heuristics:
        agent = agent.replace(",values=yes", "")
    position, reports = game.initial_position(), []
    result = best_lines(agent, position, 1, reports.append)
    assert reports[0] is READY
    for decision, lines in (*reports[1:], result):
        scores = [score for _, score, _ in lines]
        assert decision.action in [action for action, *_ in lines]
        sound = sound_scores(decision)
        assert scores == [sound.get(action) for action, *_ in lines]
        others = [sound[action].order() for action in sound if action != decision.action]
        orders = [score.order() for score in scores if score is not None]
        assert all(score is not None for score in scores[: len(orders)])  # the others come last
        shown = [score.order() for action, score, _ in lines if action != decision.action and score]
        assert shown == sorted(others, reverse=True)[: len(shown)]  # no better one is left out
        assert orders == sorted(orders, reverse=True)
        for action, _, moves in lines:
            assert moves[0] == action
            copy = position.copy()
            for move in moves:
                copy.play(move)
    depths = [decision.depth for decision, _ in reports[1:]]
    assert depths == sorted(depths)
    if depths and depths[-1]:  # no iteration that was cut short
        assert result[0].depth == depths[-1]
        assert result == reports[-1]


@pytest.mark.parametrize("spec", SMALL_GAMES)
def test_a_solver_is_at_work_only_within_its_reach(spec, monkeypatch):
    game = make_game(spec)
    if not has_solver(game):
        return
    solver, reports = type(make_solver(game)), []
    position = game.initial_position()
    monkeypatch.setattr(solver, "plies_left", lambda self, position: self.plies_in_seconds + 1)
    assert exact_values(position, reports.append) is None
    assert reports == []
    monkeypatch.setattr(solver, "plies_left", lambda self, position: self.plies_in_seconds)
    for _ in itertools.repeat(None, max(0, game.facts.longest_game // 2)):
        following = position.after(position.legal_actions()[0])
        if following.is_over:
            break
        position = following
    assert exact_values(position, reports.append)["values"].keys() == set(position.legal_actions())
    assert reports == [READY, {}]
