"""Boards on the pages: stopped half way, pieces are seen between two places; nights are dark."""

from __future__ import annotations

import io

import numpy as np
import pytest
from helpers import GAMES
from PIL import Image
from playwright.sync_api import expect

pytestmark = pytest.mark.thorough

# Every motion is stopped at its half; then it is where `half` says, in the end where `end` says.
HALF_WAY = """() => {
  window.motions = [];
  const box = (element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return [x + width / 2, y + height / 2, width, height].map(Math.round);
  };
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (keyframes, timing) {
    const motion = animate.call(this, keyframes, timing);
    if (!this.dataset.kind) return motion;
    motion.pause();
    const at = (time) => ((motion.currentTime = time), box(this));
    const { delay } = timing;
    const [start, end, half] = [0, 0.999, 0.5].map((share) => at(delay + share * timing.duration));
    const opacity = Number(getComputedStyle(this).opacity);
    const { kind } = this.dataset;
    const { duration } = timing;
    window.motions.push({ kind, delay, duration, start, end, half, opacity, keyframes });
    return motion;
  };
}"""


def play_one(page, name=None):
    """Play an action by clicks: of a piece, if there are pieces to be moved, and of its target."""
    areas = page.locator(".area")
    (areas.first if name is None else page.get_by_role("button", name=name, exact=True)).click()
    if page.locator(".area[aria-pressed=true]").count():
        page.locator(".area[data-action]").first.click()


@pytest.mark.parametrize("spec", sorted(GAMES))
def test_a_piece_is_seen_between_two_places(browser, visit, spec):
    context = browser.new_context(viewport={"width": 1100, "height": 800})
    context.add_init_script(f"({HALF_WAY})()")
    page = visit(f"/play?game={spec}&opponent=human", context=context)
    play_one(page)
    expect(page.locator("#moves button")).to_have_count(1)
    motions = page.evaluate("motions")
    assert motions
    for motion in motions:
        assert motion["duration"] <= (400 if spec == "connect_four" else 250)
        assert motion["start"] != motion["half"] != motion["end"] or 0 < motion["opacity"] < 1
    page.click("#undo")  # and back
    expect(page.locator("#moves button")).to_have_count(0)
    assert len(page.evaluate("motions")) > len(motions)
    context.close()


@pytest.mark.parametrize("spec", sorted(GAMES))
def test_nothing_moves_where_a_person_wants_no_motion(browser, visit, spec):
    context = browser.new_context(reduced_motion="reduce")
    context.add_init_script(f"({HALF_WAY})()")
    page = visit(f"/play?game={spec}&opponent=human", context=context)
    play_one(page)
    expect(page.locator("#moves button")).to_have_count(1)
    assert page.evaluate("motions") == []
    assert page.evaluate("document.querySelector('#board').getAnimations({subtree: true})") == []
    context.close()


# What happens in a position: the first frames of each motion, in order.
MOTIONS = {
    ("connect_four", "d,d", "Column d"): ["translateY"],
    ("othello", "d3,c3", "Cell c4"): ["scale(0)", "none", "scaleX(0)"],
    ("hex:swap=yes", "c5", "Take over the first stone (swap rule)"): ["scale(0)", "none"],
    ("breakthrough:rows=4,cols=3", "", None): ["translate(", "none"],  # a capture
    ("kalah", "", "Pit c"): ["translate("] * 4,
    ("kalah", "a", "Pit f"): ["translate("] * 4,
    ("dots_and_boxes", "h 0 0,v 0 0,v 0 1", "Horizontal line, row 1, column 0"): [
        "scale(0)",
        "scaleX(0)",
    ],
}


@pytest.mark.parametrize(("spec", "moves", "name"), MOTIONS)
def test_a_move_is_shown_as_what_it_does(browser, visit, spec, moves, name):
    context = browser.new_context()
    context.add_init_script(f"({HALF_WAY})()")
    page = visit(f"/play?game={spec}&opponent=human&moves={moves}", context=context)
    play_one(page, name)
    expect(page.locator("#moves button")).to_have_count(moves.count(",") + (moves > "") + 1)
    motions = page.evaluate("motions")
    first = [motion["keyframes"].get("transform", ["none"])[0] for motion in motions]
    wanted = MOTIONS[spec, moves, name]
    assert [frame[: len(start)] for frame, start in zip(first, wanted, strict=True)] == wanted
    delays = [motion["delay"] for motion in motions if motion["kind"] == "seed"]
    assert delays == [70 * number for number in range(len(delays))]  # seed by seed
    context.close()


def test_a_deeper_fall_takes_longer(browser, visit):
    context, seconds = browser.new_context(), []
    context.add_init_script(f"({HALF_WAY})()")
    for moves in ("", "ddddd"):
        page = visit(f"/play?game=connect_four&opponent=human&moves={moves}", context=context)
        play_one(page, "Column d")
        expect(page.locator("#moves button")).to_have_count(len(moves) + 1)
        seconds.append(page.evaluate("motions[0].duration"))
    assert seconds[0] > 2 * seconds[1]
    context.close()


@pytest.mark.parametrize("spec", sorted(GAMES))
def test_no_board_glares_at_night(visit, spec):
    page = visit(f"/play?game={spec}&opponent=human", color_scheme="dark")
    picture = Image.open(io.BytesIO(page.locator("#board .picture").screenshot()))
    grey = np.asarray(picture.convert("L"))
    assert np.mean(grey > 200) < 0.2  # pieces and letters, no ground
