"""The pages in Firefox at the widths of a desk and of a phone, in both colour schemes.

Playwright reaches an unpatched Firefox over WebDriver BiDi, which has no touch.
"""

from __future__ import annotations

import re

import pytest
from command_line import plyground
from pages import CONTRASTS, firefox
from playwright.sync_api import expect
from web_server import SMALL, running

pytestmark = pytest.mark.thorough

DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
GROUNDS = {"light": "rgb(243, 241, 236)", "dark": "rgb(21, 23, 28)"}
GROUND = "getComputedStyle(document.body).backgroundColor"
VISIBLE = "document.documentElement.clientWidth"  # the window less its scroll bar
PAGES = [
    "/",
    "/play?game=breakthrough&opponent=human&moves=a2-b3",
    "/play?game=gomoku&opponent=human&moves=h8",
    "/analyse?game=tic_tac_toe&moves=b2&agent=greedy",
    "/watch?game=hex&first=random&second=random",
    f"/review?game={SMALL}&moves=ccbdbdadb",
    "/games",
    "/ratings",
]
once = pytest.mark.parametrize("scheme", ["light"], indirect=True)


@pytest.fixture(scope="module")
def server(store):
    with running("--store", str(store)) as web_server:
        yield web_server


@pytest.fixture(scope="module", params=GROUNDS)
def scheme(request):
    return request.param


@pytest.fixture(scope="module")
def browser(scheme):
    with firefox(scheme) as instance:
        yield instance


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_legible_and_as_wide_as_the_window(visit, scheme, path):
    page = visit(path, viewport=DESK)
    if path.startswith("/review"):
        page.wait_for_selector("body[data-reviewed]")
    assert page.evaluate(GROUND) == GROUNDS[scheme]
    assert_fit(page, "#board, .cards svg, .scroll")


def test_the_report_is_legible_and_as_wide_as_the_window(browser, store, tmp_path):
    file = tmp_path / "report.html"
    assert plyground("report", str(store), "--html", str(file)).exit_code == 0
    page, faults = browser.new_page(), []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(file.as_uri())
    assert_fit(page, ".viewer svg")
    page.close()
    assert faults == []


def assert_fit(page, shown: str) -> None:
    """At both widths nothing sticks out of the page, all text is legible, and something shows."""
    for size in (DESK, PHONE):
        page.set_viewport_size(size)
        assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate(VISIBLE)
        assert [each for each in page.evaluate(CONTRASTS) if each[0] < 4.5] == []
        box = page.locator(shown).first.bounding_box()
        assert min(box["width"], box["height"]) > 60
        assert 0 <= box["x"] <= box["x"] + box["width"] <= size["width"]


@once
def test_a_piece_is_moved_by_two_clicks_and_answered(visit):
    page = visit(
        "/play?game=breakthrough:rows=5,cols=3&opponent=random", viewport=PHONE, locale="vi-VN"
    )
    page.locator(".area[data-piece=b2]").click()
    page.locator(".area[data-action]").first.click()
    expect(page.locator("#moves button")).to_have_count(2)
    assert re.search("moves=b2-[abc]3,", page.url)
    assert page.inner_text("#status") == "Đến lượt bạn"


@once
def test_the_keyboard_moves_and_its_focus_is_seen(visit):
    page = visit("/play?game=tic_tac_toe&opponent=human", viewport=DESK)
    page.focus(".area[tabindex='0']")
    page.keyboard.press("ArrowRight")
    focused = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert page.evaluate("getComputedStyle(document.activeElement).stroke") == "rgb(11, 87, 208)"
    page.keyboard.press("Enter")
    expect(page.locator("#moves button")).to_have_text([focused.removeprefix("Cell ")])


@once
def test_a_picked_piece_keeps_its_colour_under_the_focus(visit):
    page = visit("/play?game=breakthrough&opponent=human", viewport=DESK)
    page.focus(".area[data-piece=d2]")
    page.keyboard.press("Enter")
    area = page.locator(".area[data-piece=d2][aria-pressed=true]")
    expect(area).to_be_focused()
    assert area.evaluate("each => getComputedStyle(each).filter") == "none"


@once
def test_the_link_of_the_page_and_of_the_game_are_in_sight(visit):
    page = visit("/watch?game=kalah&first=random&second=random", viewport=PHONE)
    for link in page.locator("nav [aria-current]").all():
        box = link.bounding_box()
        assert 0 <= box["x"] <= box["x"] + box["width"] <= PHONE["width"]


@once
def test_an_opponent_streams_its_thinking(visit):
    page = visit("/play?game=connect_four&opponent=alphabeta:depth=4", viewport=DESK)
    page.click("#menu summary")
    page.check("#show-thinking")
    page.get_by_role("button", name="Column d").click()
    page.wait_for_selector("#thinking dl")
    assert "depth" in page.inner_text("#thinking")


@once
def test_a_button_changes_the_colours_and_a_reload_keeps_them(visit):
    page = visit("/")
    page.click("#theme")
    page.reload()
    assert page.evaluate(GROUND) == GROUNDS["dark"]
