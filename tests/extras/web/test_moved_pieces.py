"""Moves from one cell to another: a piece is picked first, then the cell it goes to."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.thorough

BOARD = "/play?game=breakthrough:rows=4,cols=3&opponent=human"


def piece(page, name):
    return page.locator(f".area[data-piece={name}]")


def targets(page) -> list[str]:
    """What a screen reader says of the cells that the picked piece may go to."""
    return [area.get_attribute("aria-label") for area in page.locator(".area[data-action]").all()]


def moves(page) -> list[str]:
    return [button.inner_text() for button in page.locator("#moves button").all()]


def test_the_first_click_picks_a_piece_and_the_second_one_moves_it(visit):
    page = visit(BOARD)
    assert page.locator(".area").count() == 3  # pieces that can move
    assert targets(page) == []
    piece(page, "a2").click()
    expect(piece(page, "a2")).to_have_attribute("aria-pressed", "true")
    assert targets(page) == ["Move a2-b3"]
    assert page.locator(".target").count() == 1
    page.get_by_role("button", name="Move a2-b3").click()
    expect(page.locator("#moves button")).to_have_text(["a2-b3"])
    assert "moves=a2-b3" in page.url
    assert page.locator(".target").count() == 0


def test_another_piece_or_none_can_be_picked_before_the_move(visit):
    page = visit(BOARD)
    piece(page, "a2").click()
    piece(page, "b2").click()
    expect(piece(page, "a2")).to_have_attribute("aria-pressed", "false")
    assert targets(page) == ["Move b2-a3", "Move b2-c3"]
    piece(page, "b2").click()
    assert targets(page) == []
    piece(page, "c2").click()
    box = page.locator("#board").bounding_box()
    page.mouse.click(box["x"] + 4, box["y"] + 4)  # the edge of the board
    assert targets(page) == []
    assert moves(page) == []


def test_a_piece_is_moved_with_the_keyboard_and_put_back_by_escape(visit):
    page = visit(BOARD)
    piece(page, "a2").focus()
    page.keyboard.press("Enter")
    expect(piece(page, "a2")).to_be_focused()
    page.keyboard.press("Escape")
    expect(piece(page, "a2")).to_be_focused()
    expect(piece(page, "a2")).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("ArrowRight")
    expect(piece(page, "b2")).to_be_focused()
    page.keyboard.press(" ")
    page.keyboard.press("ArrowUp")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label in targets(page)
    page.keyboard.press("Enter")
    expect(page.locator("#moves button")).to_have_text([label.removeprefix("Move ")])


def test_a_hint_marks_the_way_of_the_piece(visit):
    page = visit(f"{BOARD}&moves=a2-b3,a3-b2")
    page.click("#hint")
    page.wait_for_selector("polyline.mark.hint", state="attached")
    assert page.inner_text("#status").startswith("Hint: Move ")


def test_values_stand_on_the_pieces_and_on_the_targets_of_the_picked_one(visit):
    page = visit("/analyse?game=breakthrough:rows=4,cols=3&agent=minimax:depth=2")
    expect(page.locator(".marks .label")).to_have_count(3)  # pieces that can move
    piece(page, "b2").click()
    expect(page.locator(".marks .label")).to_have_count(2)
    piece(page, "b2").click()
    expect(page.locator(".marks .label")).to_have_count(3)


def test_a_screen_reader_is_told_how_pieces_move_in_both_languages(visit):
    group = visit(BOARD).locator("svg.areas")
    assert "Enter picks a piece" in group.get_attribute("aria-description")
    page = visit(f"{BOARD}&lang=vi")
    assert "Enter chọn một quân" in page.locator("svg.areas").get_attribute("aria-description")
    assert piece(page, "a2").get_attribute("aria-label") == "Ô a2"
    page = visit("/play?game=tic_tac_toe&opponent=human")
    assert "Enter plays" in page.locator("svg.areas").get_attribute("aria-description")


def test_a_position_of_pieces_is_set_up_by_clicks(visit):
    page = visit("/analyse?game=breakthrough:rows=4,cols=3&agent=greedy")
    page.click("#edit")
    page.get_by_role("button", name="Cell a2: White").click()
    expect(page.locator("#editor-said")).to_have_text("This is a position.")
    page.click("#use")
    page.wait_for_url("**position=OOO/OOO/1XX/XXX:X&**")
    expect(page.locator(".area")).to_have_count(4)
    names = [each.get_attribute("data-piece") for each in page.locator(".area").all()]
    assert sorted(names) == ["a1", "b1", "b2", "c2"]


def test_a_position_is_taken_over_only_when_the_server_has_answered(visit):
    page = visit("/analyse?game=breakthrough:rows=4,cols=3&agent=greedy")
    page.click("#edit")
    expect(page.locator("#use")).to_be_enabled()
    waiting = []

    def hold(route):
        waiting.append(route)

    page.route("**/api/view", hold)
    page.get_by_role("button", name="Cell a2: White").click()
    expect(page.locator("#use")).to_be_disabled()
    waiting.pop().continue_()
    expect(page.locator("#use")).to_be_enabled()


def test_a_piece_is_dragged_to_its_target_or_back(visit):
    page = visit(BOARD)
    drawn = page.locator("#board .picture [data-kind]")
    before = [middle_of(each) for each in drawn.all()]
    x, y = middle_of(piece(page, "b2"))

    def drag_to(*point):
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 15, y + 15)
        page.mouse.move(*point)

    drag_to(5, 5)
    page.mouse.up()  # beside the board
    assert [middle_of(each) for each in drawn.all()] == before
    piece(page, "b2").click()
    target = middle_of(page.locator(".area[data-action]").first)
    drag_to(*target)
    followed = [middle_of(each) for each in drawn.all()]
    moved = [now for now, then in zip(followed, before) if now != pytest.approx(then, abs=0.5)]
    assert moved == [pytest.approx(target, abs=1)]
    expect(page.locator("#moves button")).to_have_count(0)
    page.mouse.up()
    expect(page.locator("#moves button")).to_have_count(1)


FINGER = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


class Finger:
    """One finger on the screen of a phone, moved as the browser's own events."""

    def __init__(self, page) -> None:
        self.session = page.context.new_cdp_session(page)

    def at(self, kind: str, *point: float) -> None:
        points = [{"x": point[0], "y": point[1]}] if point else []
        event = {"type": f"touch{kind}", "touchPoints": points}
        self.session.send("Input.dispatchTouchEvent", event)

    def drag(self, start, end, steps: int = 8) -> None:
        """Put the finger down and move it; it stays down."""
        self.at("Start", *start)
        for step in range(1, steps + 1):
            self.at("Move", *(a + (b - a) * step / steps for a, b in zip(start, end)))


def middle_of(locator) -> list[float]:
    box = locator.bounding_box()
    return [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]


@pytest.mark.parametrize("picked", [False, True])
def test_a_piece_is_dragged_by_a_finger(visit, picked):
    page = visit("/play?game=breakthrough&opponent=human&moves=d2-d3,d7-d6", **FINGER)
    finger, drawn = Finger(page), page.locator("#board .picture [data-kind]")
    before = [middle_of(each) for each in drawn.all()]
    (x, y), (right, below) = middle_of(piece(page, "d3")), middle_of(piece(page, "e2"))
    target = [right, 2 * y - below]
    if picked:
        piece(page, "d3").tap()
    finger.drag((x, y), target)
    expect(page.get_by_role("button", name="Move d3-e4")).to_have_count(1)
    moved = [now for now, then in zip((middle_of(each) for each in drawn.all()), before)
             if now != pytest.approx(then, abs=0.5)]  # fmt: skip
    assert moved == [pytest.approx(target, abs=1)]
    finger.at("End")
    expect(page.locator("#moves button")).to_have_text(["d2-d3", "d7-d6", "d3-e4"])
    assert page.evaluate("scrollY") == 0


def test_a_piece_that_a_finger_drags_beside_the_board_goes_back(visit):
    page = visit("/play?game=breakthrough&opponent=human", **FINGER)
    finger, drawn = Finger(page), page.locator("#board .picture [data-kind]")
    before = [middle_of(each) for each in drawn.all()]
    finger.drag(middle_of(piece(page, "d2")), middle_of(page.locator("#player-0")))
    finger.at("End")
    expect(page.locator(".target")).to_have_count(0)
    assert [middle_of(each) for each in drawn.all()] == before
    assert page.locator("#moves button").count() == 0
    page.evaluate("scrollTo(0, 0)")
    finger.drag(middle_of(page.locator("#status")), (180, 100))  # elsewhere it scrolls the page
    finger.at("End")
    page.wait_for_function("scrollY > 0")
