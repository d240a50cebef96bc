"""The page to play on, in a real browser, against a real server."""

from __future__ import annotations

import itertools
import random
import re
from urllib.parse import quote, urlsplit

import pytest
from helpers import GAMES, SMALL_GAMES
from playwright.sync_api import expect
from plyground import make_game
from web_server import running

pytestmark = pytest.mark.thorough

QUIET = "opponent=random"
# A board on which the opponent thinks until it is told to stop.
SLOW = "/play?game=gomoku:size=15&opponent=alphabeta:depth=12,radius=2"


def wait_for_moves(page, count: int) -> None:
    """Until the list holds so many moves, or more."""
    page.locator("#moves button").nth(count - 1).wait_for()


def count_moves(page) -> int:
    return page.locator("#moves button").count()


def wait_for_turn(page):
    """Until the person may move, or the game is over."""
    page.wait_for_selector(
        "#board[data-state=yours].enabled, #board[data-state=yours] ~ #elsewhere button, "
        "#board[data-state=over], #elsewhere button"
    )


def play_to_the_end(page, press) -> None:
    """Play random legal actions until the game is over; ``press`` plays a located one."""
    rng = random.Random(1)
    for _ in range(200):
        wait_for_turn(page)
        if page.get_attribute("#board", "data-state") == "over":
            return
        choices = page.locator(".area, #elsewhere button")
        before = count_moves(page)
        choice = choices.nth(rng.randrange(choices.count()))
        is_piece = choice.get_attribute("data-piece") is not None
        press(choice)
        if is_piece:  # which moves by a second click
            targets = page.locator(".area[data-action]")
            press(targets.nth(rng.randrange(targets.count())))
        wait_for_moves(page, before + 1)
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("spec", SMALL_GAMES)
def test_a_whole_game_by_clicks(visit, spec):
    page = visit(f"/play?game={spec}&{QUIET}")
    play_to_the_end(page, lambda choice: choice.click())
    assert re.match(r"(You win!|You lose\.|A draw\.) ", page.inner_text("#status"))
    names = [button.inner_text() for button in page.locator("#moves button").all()]
    assert make_game(spec).position(names).is_over


def test_a_whole_game_by_keyboard(visit):
    page = visit(f"/play?game=tic_tac_toe&{QUIET}")
    page.focus(".area[tabindex='0']")

    def press(choice):
        target = choice.get_attribute("data-action")
        for _ in range(20):  # arrows lead from everywhere to everywhere
            focus = page.evaluate("document.activeElement.dataset.action")
            if focus == target:
                break
            now, then = divmod(int(focus), 3), divmod(int(target), 3)
            key = (
                "ArrowDown" if then[0] > now[0] else "ArrowUp" if then[0] < now[0] else
                "ArrowRight" if then[1] > now[1] else "ArrowLeft"
            )  # fmt: skip
            page.keyboard.press(key)
            if page.evaluate("document.activeElement.dataset.action") == focus:
                page.keyboard.press("End")
        if page.evaluate("document.activeElement.dataset.action") != target:
            choice.focus()
        page.keyboard.press("Enter")

    play_to_the_end(page, press)
    assert page.inner_text("#said")  # the live region tells the end


def test_a_finger_on_a_small_cell_aims_before_it_plays(visit):
    page = visit(
        "/play?game=gomoku:size=20&opponent=human",
        viewport={"width": 360, "height": 740},
        has_touch=True,
        is_mobile=True,
    )
    page.get_by_role("button", name="Cell k10").tap()
    page.get_by_role("button", name="Cell k11").tap()
    assert count_moves(page) == 0
    page.get_by_role("button", name="Play k11").tap()
    wait_for_moves(page, 1)
    page.get_by_role("button", name="Cell k10").tap()
    page.get_by_role("button", name="Cell k10").tap()
    wait_for_moves(page, 2)
    assert "moves=k11,k10" in page.url


def test_a_link_without_an_opponent_gets_that_of_the_preset(visit):
    assert "opponent=greedy" in visit("/play?game=tic_tac_toe").url
    assert "opponent=alphabeta:depth=3" in visit("/play?game=dots_and_boxes:rows=1,cols=2").url


def test_a_player_who_closes_a_box_moves_again(visit):
    moves = "h 0 0,v 0 0,v 0 1"
    page = visit(f"/play?game=dots_and_boxes:rows=1,cols=2&{QUIET}&seat=1&moves={quote(moves)}")
    page.get_by_role("button", name="Horizontal line, row 1, column 0").click()
    wait_for_moves(page, 4)
    assert page.inner_text("#status") == "Your turn again"
    assert page.inner_text("#player-0").split()[-2:] == ["1", "boxes"]


def test_a_pass_is_a_button_beside_the_board(visit):
    spec, names = _game_up_to_a_pass()
    mover = make_game(spec).position(names).to_move
    page = visit(f"/play?game={spec}&{QUIET}&seat={mover}&moves={','.join(names)}")
    page.locator("#elsewhere button", has_text="Pass").click()
    wait_for_moves(page, len(names) + 1)


def _game_up_to_a_pass() -> tuple[str, list[str]]:
    spec = "othello:size=4"
    game = make_game(spec)
    for seed in range(200):
        rng, position, names = random.Random(seed), game.initial_position(), []
        while not position.is_over:
            action = rng.choice(position.legal_actions())
            if game.action_to_text(action) == "pass":
                return spec, names
            names.append(game.action_to_text(action))
            position.play(action)
    raise AssertionError("no game with a pass was found")


def test_undo_while_the_opponent_thinks_ends_its_search(visit, server):
    page = visit(SLOW)
    page.get_by_role("button", name="Cell h8").click()
    page.wait_for_selector("#player-1 .busy")
    page.get_by_role("button", name="Undo").click()
    page.wait_for_selector("#board[data-state=yours].enabled")
    assert count_moves(page) == 0
    # the only process is free again: a quick opponent answers
    quick = visit(f"/play?game=tic_tac_toe&{QUIET}")
    quick.locator(".area").first.click()
    wait_for_moves(quick, 2)


def test_undo_and_redo_go_over_ones_own_moves(visit):
    page = visit("/play?game=tic_tac_toe&opponent=greedy")
    for _ in range(2):
        wait_for_turn(page)
        before = count_moves(page)
        page.locator(".area").first.click()
        wait_for_moves(page, before + 2)
    moves = page.inner_text("#moves")
    page.click("#undo")
    expect(page.locator("#moves button")).to_have_count(2)
    page.click("#undo")
    expect(page.locator("#moves button")).to_have_count(0)
    page.click("#redo")
    wait_for_moves(page, 2)
    page.click("#redo")
    wait_for_moves(page, 4)
    assert page.inner_text("#moves") == moves


def test_a_reload_and_a_link_in_another_browser_go_on_with_the_game(visit):
    page = visit("/play?game=connect_four&opponent=human")
    for name in "dde":
        before = count_moves(page)
        page.get_by_role("button", name=f"Column {name}").click()
        wait_for_moves(page, before + 1)
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert count_moves(page) == 3
    other = visit(urlsplit(page.url).path + "?" + urlsplit(page.url).query)
    assert other.inner_text("#moves") == page.inner_text("#moves")
    assert "moves=dde" in other.url


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ("tic_tac_toe&moves=a1,b1,a2,b2", "Cell a3"),
        ("connect_four", "Column d"),  # the only move that wins; a search of a second plays b
        ("gomoku:size=9&moves=e5,e6,f5,f6,g5,g6,h5,h6", "Cell d5"),  # beyond the solver
    ],
)
def test_a_hint_marks_an_action_and_says_it(visit, start, words):
    page = visit(f"/play?game={start}&opponent=human")
    page.click("#hint")
    page.wait_for_selector(".mark.hint", state="attached")
    assert words in page.inner_text("#status")


def test_a_ghost_stands_where_the_stone_will_and_so_does_the_hint(visit):
    page = visit("/play?game=connect_four&opponent=human&moves=dedece")
    page.get_by_role("button", name="Column e").hover()
    ghost = page.locator(".ghost")
    expect(ghost).to_have_count(1)
    assert ghost.get_attribute("fill") == "#d7263d"  # red moves next
    height = float(ghost.get_attribute("cy"))
    assert 2.3 < height < 3.3  # three stones lie below
    page.mouse.move(5, 5)
    expect(ghost).to_have_count(0)
    page.click("#hint")
    page.wait_for_selector(".mark.hint", state="attached")
    assert page.inner_text("#status") == "Hint: Column e"  # stops four in a row
    assert float(page.locator(".mark.hint").get_attribute("cy")) == pytest.approx(height)


def test_othello_shows_its_discs_and_legal_moves(visit):
    page = visit("/play?game=othello&opponent=human&moves=d3")
    assert page.inner_text("#player-1").split() == ["White", "1", "discs"]
    assert page.inner_text("#player-0").split() == ["Black", "4", "discs"]
    assert page.locator(".legal").count() == page.locator(".area").count() == 3
    page = visit("/play?game=tic_tac_toe&opponent=human")
    assert page.locator(".legal").count() == 0


def test_the_rules_open_and_close_by_keyboard(visit):
    page = visit("/play?game=hex:size=5,swap=yes&opponent=human")
    rules, button = page.locator("#how"), page.get_by_role("button", name="How to play")
    expect(rules).to_be_hidden()
    button.focus()
    page.keyboard.press("Enter")
    assert rules.locator("li").count() == 5
    assert "Blue connects the top edge with the bottom edge" in rules.inner_text()
    assert rules.locator("figcaption").inner_text() == "Blue wins: top and bottom connected"
    expect(rules.get_by_role("button", name="Close")).to_be_focused()
    page.keyboard.press("Escape")
    expect(rules).to_be_hidden()
    expect(button).to_be_focused()


def test_two_buttons_of_hex_have_two_names(visit):
    page = visit("/play?game=hex:size=5,swap=yes&opponent=human&moves=c3")
    swap = page.locator("#elsewhere button")
    assert swap.inner_text() == "Take over the first stone (swap rule)"
    page.click("#menu summary")
    assert page.inner_text("#swap") == "Change seats"


@pytest.mark.parametrize("spec", sorted(GAMES))
def test_board_moves_and_controls_stand_above_the_fold(visit, spec):
    page = visit(f"/play?game={spec}&opponent=greedy", viewport={"width": 1280, "height": 800})
    parts = ("h1", "[data-opens=how]", "#board", "#player-0", "#player-1", "#status", "#moves")
    for part in (*parts, "#undo", "#hint", "#resign", "#level", "#menu > summary"):
        box = page.locator(part).bounding_box()
        assert 0 <= box["y"] <= box["y"] + box["height"] <= 800, part


@pytest.mark.parametrize("spec", ["kalah", "hex:size=9,swap=yes"])
def test_a_wide_board_uses_the_width(visit, spec):
    page = visit(f"/play?game={spec}&opponent=human", viewport={"width": 1280, "height": 800})
    board, side = (page.locator(part).bounding_box() for part in ("#board", ".side"))
    assert board["width"] > 0.95 * side["width"] > 750


def test_a_level_is_a_segment_by_keyboard(visit):
    page = visit("/play?game=tic_tac_toe&opponent=greedy")
    expect(page.get_by_role("radio", name="Medium")).to_be_checked()
    page.get_by_role("radio", name="Medium").press("ArrowRight")
    page.wait_for_function("document.getElementById('level').value !== 'greedy'")
    assert page.input_value("#level") == make_game("tic_tac_toe").profile.levels[2]
    assert page.inner_text("#player-0 .badge") == "✕"


def test_threats_are_marked_on_request(visit):
    page = visit("/play?game=tic_tac_toe&opponent=human&moves=a1,b2,a2")
    assert page.locator(".mark").count() == 0
    page.click("#menu summary")
    page.check("#show-threats")
    page.wait_for_selector(".mark.holds", state="attached")
    assert page.locator(".mark").count() == 1  # only a3 stops the row


def test_the_level_changes_in_mid_game_and_seats_are_swapped(visit):
    page = visit(f"/play?game=tic_tac_toe&{QUIET}")
    page.locator(".area").first.click()
    wait_for_moves(page, 2)
    page.select_option("#level", "greedy")
    assert "opponent=greedy" in page.url
    page.click("#menu summary")
    page.click("#swap")
    wait_for_moves(page, 3)
    assert "seat=1" in page.url


def test_an_agent_is_set_up_by_its_parameters(visit):
    page = visit("/play?game=tic_tac_toe&opponent=random")
    page.select_option("#level", "")
    page.select_option("#agent-name", "alphabeta")
    page.fill("[name=depth]", "99")
    page.click("#agent-use")
    page.wait_for_selector("#agent-problem:not([hidden])")
    assert "depth is at most 12" in page.inner_text("#agent-problem")
    page.fill("[name=depth]", "3")
    page.click("#agent-use")
    page.wait_for_selector("#agent", state="hidden")
    assert "opponent=alphabeta:depth=3" in page.url


def test_a_resigned_game_is_lost_and_a_rematch_changes_seats(visit):
    page = visit("/play?game=connect_four&opponent=random&moves=dd")
    page.on("dialog", lambda dialog: dialog.accept())
    page.click("#resign")
    page.wait_for_selector("#board[data-state=over]")
    assert page.inner_text("#status") == "You lose. Red resigned."
    page.reload()
    page.wait_for_selector("#board[data-state=over]")
    assert page.inner_text("#status") == "You lose. Red resigned."
    assert page.is_visible("#next") is False  # a game against random moves has no level
    page.click("#again")
    page.wait_for_url("**&seat=1&**")
    assert page.is_hidden("#end")
    wait_for_moves(page, 1)
    assert "ended" not in page.url


def test_the_end_of_a_game_offers_the_next_level_and_a_review(visit):
    page = visit("/play?game=tic_tac_toe&opponent=human&moves=a1,a2,b1,b2")
    assert page.is_hidden("#end")
    levels = page.locator("#level optgroup").first.locator("option")
    specs = [option.get_attribute("value") for option in levels.all()]
    for now, following in itertools.pairwise(specs):
        page = visit(f"/play?game=tic_tac_toe&opponent={quote(now)}&moves=a1,a2,b1,b2,c1")
        assert page.locator("#end > *").first.get_attribute("id") == "next"
        assert page.is_visible("#again")
        assert "moves=a1,a2,b1,b2,c1" in page.get_attribute("#review", "href")
        page.click("#next")
        page.wait_for_url(f"**opponent={following}&**")
        assert page.is_hidden("#end")
        assert page.input_value("#level") == following
    page = visit(f"/play?game=tic_tac_toe&opponent={quote(specs[-1])}&moves=a1,a2,b1,b2,c1")
    assert page.is_visible("#again")
    assert page.is_hidden("#next")
    page = visit("/play?game=tic_tac_toe&opponent=greedy&seat=1&moves=a1,a2,b1,b2,c1")
    assert page.locator("#end > .primary").get_attribute("id") == "review"
    assert page.locator("#end > *").first.get_attribute("id") == "review"


def test_the_focus_stays_at_the_board_when_the_game_ends(visit):
    page = visit("/play?game=tic_tac_toe&opponent=human&moves=a1,a2,b1,b2")
    page.get_by_role("button", name="Cell c1").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#board[data-state=over]")
    assert page.is_hidden("#end")  # the end is seen before anything is offered
    assert page.evaluate("document.activeElement.id") == "board"
    expect(page.locator("#end")).to_be_visible()
    page.keyboard.press("Alt+ArrowLeft")
    page.wait_for_selector("#board[data-state=yours].enabled")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Cell c1"


def test_a_phone_on_its_side_shows_the_status_beside_the_board(visit):
    page = visit("/play?game=othello&opponent=human", viewport={"width": 740, "height": 360})
    for element in ("#status", "#player-0"):
        box = page.locator(element).bounding_box()
        assert box["y"] + box["height"] <= 360, element
    assert page.evaluate("document.documentElement.scrollWidth") <= 740


def test_the_first_compilation_is_announced(visit):
    page = visit("/play?game=gomoku:size=9&opponent=human&moves=e5")
    page.evaluate("""() => {
      const { fetch } = window;
      window.fetch = (address, options) => {
        if (!String(address).startsWith("/api/think")) return fetch(address, options);
        const start = (controller) => { window.controller = controller; };
        return Promise.resolve(new Response(new ReadableStream({ start })));
      };
      window.send = (text) => controller.enqueue(new TextEncoder().encode(text));
    }""")
    page.click("#hint")
    page.evaluate("send('event: preparing\\ndata: {}\\n\\n')")
    announced = page.locator("#compiling")
    expect(announced).to_have_text(re.compile(r"Compiling, once: \d+ s, of usually"))
    page.evaluate("send('event: ready\\ndata: {}\\n\\n')")
    expect(announced).to_be_hidden()


def test_a_clock_runs_and_loses_the_game(visit):
    page = visit("/play?game=connect_four&opponent=human&clock=1%2B0&moves=dd")
    page.wait_for_selector("#board[data-state=over]")
    assert "Red ran out of time" in page.inner_text("#status")


def test_a_move_and_its_answer_cost_two_requests(visit):
    page, paths = visit(f"/play?game=connect_four&{QUIET}"), []
    page.on("request", lambda request: paths.append(urlsplit(request.url).path))
    page.get_by_role("button", name="Column d").click()
    wait_for_moves(page, 2)
    wait_for_turn(page)
    assert [path for path in paths if "/api/" in path] == ["/api/play", "/api/think"]


def test_the_page_speaks_vietnamese_by_browser_and_by_link(visit):
    page = visit(f"/play?game=tic_tac_toe&{QUIET}", locale="vi-VN")
    assert page.get_attribute("html", "lang") == "vi"
    assert page.inner_text("#status") == "Đến lượt bạn"
    page.click("[data-language=en]")
    page.wait_for_selector("html[lang=en] body[data-ready]")
    page.goto(page.url.split("?")[0] + "?game=tic_tac_toe")  # the choice is remembered
    assert page.get_attribute("html", "lang") == "en"


def test_the_page_goes_on_after_the_server_was_restarted(visit):
    with running() as own:
        page = visit("/play?game=tic_tac_toe&opponent=random", own.address)
        page.locator(".area").first.click()
        wait_for_moves(page, 2)
        own.stop()
        page.locator(".area").first.click()
        page.wait_for_selector("#problem:not([hidden])")
        assert "does not answer" in page.inner_text("#problem")
        own.start()
        page.locator(".area").first.click()
        wait_for_moves(page, 4)
    visit.said[:] = [text for text in visit.said if "ERR_CONNECTION_REFUSED" not in text]
