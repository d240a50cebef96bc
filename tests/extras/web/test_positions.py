"""Positions that were set up: in the interface, in links, and by hand in a real browser."""

from __future__ import annotations

import pytest
from helpers import SMALL_VARIANTS, random_position
from pages import in_words, proved_labels
from playwright.sync_api import expect
from plyground import make_game
from plyground.agents import solve
from plyground.envs import rules as r
from web_server import client_of

SMALL = "connect_four:rows=4,cols=5"


@pytest.fixture(scope="module")
def client():
    with client_of() as visitor:
        yield visitor


@pytest.mark.parametrize(
    "spec", [spec for spec in SMALL_VARIANTS if r.board(make_game(spec).rules).places]
)
@pytest.mark.fast_cases(2)
def test_a_view_of_a_position_is_that_of_the_moves_that_lead_to_it(client, spec):
    position = random_position(make_game(spec), 5, seed=2)
    request = {"game": spec, "position": position.to_text()}
    view = client.post("/api/view", json=request).json()
    assert (view["text"], view["to_move"]) == (str(position), position.to_move)
    assert (view["position"], view["board"]) == (position.to_text(), position.to_text())
    assert [each["action"] for each in view["actions"]] == position.legal_actions()
    action = position.legal_actions()[0]
    after = client.post("/api/play", json=request | {"action": action}).json()
    assert after["board"] == position.after(action).to_text()
    assert after["position"] == position.to_text()


@pytest.mark.thorough
def test_a_link_with_a_position_is_analysed_and_played_on(visit):
    board = "5/5/1XO2/1OXX1:O"
    page = visit(f"/analyse?game={SMALL}&position={board}&agent=greedy")
    expect(page.locator(".label.win, .label.draw, .label.loss").first).to_be_visible(timeout=90_000)
    expect(page.locator("#exact-text")).to_contain_text("Best:")
    position = make_game(SMALL).position_from_text(board)
    values = solve(position, moves="all").values
    labels = [in_words(position.after(action), value) for action, value in values.items()]
    assert proved_labels(page) == labels
    page.get_by_role("button", name="Column e").click()
    page.wait_for_url(f"**position={board}&moves=e&**")
    page.click("#play-on")
    page.wait_for_url("**/play?**")
    page.wait_for_selector("body[data-ready]")
    assert f"position={board}&moves=e" in page.url
    assert page.locator("#moves button").count() == 1
    page.get_by_role("button", name="Column d").click()
    expect(page.locator("#moves button")).to_have_count(3, timeout=60_000)
    assert f"position={board}&moves=ed" in page.url


def test_a_position_is_set_up_by_clicks(visit):
    page = visit("/analyse?game=tic_tac_toe&agent=greedy")
    page.click("#edit")
    page.get_by_role("button", name="Cell b2: free").click()
    expect(page.locator("#editor-said")).to_have_text("This is a position.")
    page.get_by_role("button", name="Cell a1: free").click()
    expect(page.locator("#editor-said")).to_contain_text("2 Cross (X) and 0 Ring (O) cannot be")
    assert page.is_enabled("#use")  # it can be analysed all the same
    page.click("#tools button:nth-child(2)")
    page.get_by_role("button", name="Cell c3: free").click()
    expect(page.locator("#editor-said")).to_have_text("This is a position.")
    assert page.get_by_role("button", name="Cell c3: Ring").count() == 1
    page.click("#use")
    page.wait_for_url("**position=2O/1X1/X2:O&**")
    assert page.inner_text("#status") == "Ring to move"
    page.reload()
    page.wait_for_selector("body[data-ready]")
    expect(page.locator("#board .area")).to_have_count(6)
    page.click("#edit")
    page.click("#tools button:nth-child(3)")
    page.get_by_role("button", name="Cell c3: Ring").click()
    expect(page.locator("#editor-said")).to_contain_text("2 Cross (X) and 0 Ring (O)")
    page.click("#leave")
    assert "position=2O/1X1/X2:O" in page.url
    assert page.locator("#board .area").count() == 6


def test_a_click_before_the_first_answer_stands(visit):
    """The answer about the board that the editor began with comes last; it changes nothing."""
    page = visit("/analyse?game=tic_tac_toe&agent=greedy")
    held = []
    page.route("**/api/view", lambda route: held.append(route) if not held else route.continue_())
    page.click("#edit")
    page.get_by_role("button", name="Cell b2: free").click()
    expect(page.locator("#editor-said")).to_have_text("This is a position.")
    with page.expect_response("**/api/view"):
        held[0].continue_()
    page.evaluate("() => new Promise((done) => setTimeout(done, 50))")  # the page reads it
    assert page.input_value("#turn") == ""
    assert page.get_by_role("button", name="Cell b2: Cross").count() == 1


@pytest.mark.thorough
def test_edges_boxes_and_the_turn_are_set_up_with_the_keyboard(visit):
    page = visit("/analyse?game=dots_and_boxes:dots=2x3&agent=greedy")
    page.focus("#edit")
    page.keyboard.press("Enter")
    expect(page.locator("#tools button").first).to_be_focused()
    for row, column, kind in ((0, 0, "Horizontal"), (1, 0, "Horizontal"),
                              (0, 0, "Vertical"), (0, 1, "Vertical")):  # fmt: skip
        edge = page.get_by_role("button", name=f"{kind} line, row {row}, column {column}: free")
        edge.focus()
        page.keyboard.press("Enter")
    expect(page.locator("#editor-said")).to_contain_text("box 0 0 needs an owner")
    page.get_by_role("button", name="Box, row 0, column 0: free").focus()
    page.keyboard.press(" ")
    expect(page.locator("#editor-said")).to_have_text("This is a position.")
    page.select_option("#turn", "A")
    expect(page.locator("#editor-said")).to_contain_text("Yellow (B) is to move, not Red (A)")
    page.select_option("#turn", "")
    page.click("#use")
    page.wait_for_url("**position=_1/IAI2/_1:B&**")


@pytest.mark.parametrize(
    "spec", ["connect_four", "hex:size=4,swap=yes", "othello", "gomoku:size=9"]
)
@pytest.mark.thorough
def test_the_editor_begins_with_the_position_shown(visit, spec):
    game = make_game(spec)
    position, names = game.initial_position(), []
    for action in (3, 2):
        action = position.legal_actions()[action]
        names.append(game.action_to_text(action))
        position.play(action)
    page = visit(f"/analyse?game={spec}&moves={','.join(names)}&agent=greedy")
    page.click("#edit")
    expect(page.locator("#editor-said")).to_have_text("This is a position.")
    page.click("#use")
    page.wait_for_url(lambda url: f"position={position.to_text()}" in url)
