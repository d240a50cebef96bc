"""The first page in a real browser: its games and opponents, and the agents that play on it."""

from __future__ import annotations

import re

import pytest
from helpers import GAMES
from playwright.sync_api import expect
from plyground import make_game

pytestmark = pytest.mark.thorough


def test_the_first_page_has_a_button_a_game_and_a_level_of_three(visit):
    page = visit("/")
    assert "Connect four" in page.locator(".card").first.inner_text()
    for card in page.locator(".card").all():
        assert 3 <= len(card.locator(".about .note").inner_text().split()) <= 12
        assert card.locator(".button").count() == 1
        assert card.locator(":checked").count() == 1
        assert 3 <= card.locator("[type=radio]").count() <= 4
        assert card.locator(".picture svg").count() == 1
    card = page.locator(".card", has_text="Othello")
    card.get_by_text("Hard", exact=True).click()
    card.locator(".button").click()
    page.wait_for_selector("body[data-ready]")
    assert page.input_value("#level") == make_game("othello").profile.levels[2]


def test_networks_are_opponents_with_a_name_and_a_line(visit):
    page = visit("/")
    card = page.locator(".card", has_text="Dots and boxes")
    card.locator("summary").click()
    scholar = card.get_by_role("link", name="Scholar")
    assert re.search(r"Network, taught by the solver, \d+ % best moves", scholar.inner_text())
    scholar.click()
    page.wait_for_selector("body[data-ready]")
    assert page.inner_text("#player-1 strong").startswith("Scholar – Network, taught by the solver")


def test_two_networks_of_a_game_have_two_names_and_the_stronger_looks_it(visit):
    page = visit("/")
    page.locator(".card summary").first.click()
    names = page.locator(".card").first.locator(".opponents strong").all_inner_texts()
    assert len(set(names)) == len(names)
    lines = page.locator(".card").first.locator(".opponents li").all_inner_texts()
    elo = {line.split("\n")[0]: int(re.search(r"(\d+) Elo", line)[1]) for line in lines
           if "Elo" in line}  # fmt: skip
    assert elo["Great Hermit"] > elo["Hermit"]


def test_other_boards_stand_behind_one_button(visit):
    page = visit("/")
    boards = page.locator("#others > details")
    assert boards.count() == len(GAMES)
    expect(boards.first).to_be_hidden()
    page.locator("#others > summary").press("Enter")
    expect(boards.first).to_be_visible()


def thoughts_asked(page) -> int:
    """How many decisions of agents the page has asked for."""
    names = "performance.getEntriesByType('resource').map((each) => each.name)"
    return sum("/api/think" in name for name in page.evaluate(names))


def test_two_agents_play_on_the_first_page_until_they_are_stopped(visit):
    page = visit("/")
    before = page.inner_html("#board .picture")
    assert page.inner_text("#live-said") == (
        "Hermit, a network that taught itself, against Alpha-beta, depth 4"
    )
    changed = "before => document.querySelector('#board .picture').innerHTML !== before"
    page.wait_for_function(changed, arg=before)
    expect(page.locator("#bar")).to_have_class("bar")  # the evaluation is known
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("#live")).to_have_attribute("data-state", "waiting")
    count = thoughts_asked(page)
    page.wait_for_timeout(2000)
    assert thoughts_asked(page) == count
    with page.expect_request("**/api/think**"):
        page.get_by_role("button", name="Run").click()


def test_the_live_board_stops_while_nobody_can_see_it(visit):
    page = visit("/")
    live = page.locator("#live")
    expect(live).to_have_attribute("data-state", "running")
    page.evaluate("""() => {
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }""")
    expect(live).to_have_attribute("data-state", "waiting")
    page.evaluate("""() => {
      delete document.hidden;
      document.dispatchEvent(new Event("visibilitychange"));
    }""")
    expect(live).to_have_attribute("data-state", "running")
    page.set_viewport_size({"width": 390, "height": 500})
    page.mouse.wheel(0, 3000)
    expect(live).to_have_attribute("data-state", "waiting")


def test_the_live_board_begins_by_itself_only_where_motion_is_wanted(visit):
    page = visit("/", reduced_motion="reduce")
    page.wait_for_timeout(1500)
    assert thoughts_asked(page) == 0
    page.get_by_role("button", name="Run").click()
    expect(page.locator("#live")).to_have_attribute("data-state", "running")


def test_a_game_on_the_first_page_is_followed_by_the_next(browser, visit):
    context = browser.new_context(reduced_motion="reduce")
    context.add_init_script(
        "{ const wait = setTimeout; window.setTimeout = (call) => wait(call); }"
    )
    page = visit("/", context=context)
    expect(page.locator("#live-title")).to_have_text("Connect four")
    page.get_by_role("button", name="Run").click()
    expect(page.locator("#live-title")).to_have_text("Gomoku (caro) 10×10")
    context.close()
