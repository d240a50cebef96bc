"""The pages to analyse, watch, review, and of a store, in a real browser."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect
from plyground import make_game
from plyground.agents.solvers.solver import make_solver
from plyground.evaluation.store.store import Store
from plyground.extras.web.api import solved_json
from plyground.extras.web.jobs import solution_data
from plyground.extras.web.positions import LineOfPlay
from plyground.extras.web.wording.words import words_of
from web_server import SMALL, running

pytestmark = pytest.mark.thorough

LOST = "ccbdbdadb"  # red's last move turns a draw into a loss


@pytest.fixture(scope="module")
def server(store):
    with running("--store", str(store)) as web_server:
        yield web_server


PART = "breakthrough:rows=5,cols=4", "OOOO/O1O1/1XO1/1XX1/XXXX:X"
ANSWERED = """() => performance.getEntriesByType("resource")
  .some(({ name }) => name.includes("/api/solve"))"""


@pytest.mark.parametrize("most_nodes", [200_000, 2_000, None])
def test_the_page_says_which_part_of_the_values_is_proved(browser, visit, most_nodes):
    game = make_game(PART[0])
    position, solver = game.position_from_text(PART[1]), make_solver(game)
    solution = solver.solve(position, moves="all", most_nodes=most_nodes)
    answer = solved_json(
        LineOfPlay(position), words_of("en"), solution_data(solver, position, solution)
    )
    context = browser.new_context()
    body = f"event: move\ndata: {json.dumps(answer)}\n\n"
    context.route("**/api/solve?**", lambda route: route.fulfill(body=body))
    page = visit(f"/analyse?game={PART[0]}&position={PART[1]}&agent=greedy", context=context)
    expect(page.locator("#result-first .lines button").first).to_be_visible(timeout=90_000)
    page.wait_for_function(ANSWERED)  # the agent answers before the solver is asked
    exact_text = expect(page.locator("#exact-text"))
    names = [game.action_to_text(action) for action in solution.optimal_actions]
    others = [game.action_to_text(action) for action in solution.open_actions]
    if not solution.values:
        assert page.is_hidden("#exact")
    elif solution.exact:
        exact_text.to_have_text(f"White to move: win. Best: {', '.join(names)}")
    else:
        count = f"{len(solution.values)} of 10 moves are solved."
        best = f"Best: {', '.join(names)} Perhaps best: {', '.join(others)}"
        exact_text.to_have_text(f"White to move: win. {best} {count}")
    if solution.exact:
        assert page.locator(".label").count() > 0
        assert page.locator(".label.guess").count() == 0
    context.close()


def test_every_label_fits_its_cell(visit):
    page = visit(f"/analyse?game={SMALL}&moves=ccbbd&agent=greedy")
    expect(page.locator(".label.win, .label.draw, .label.loss").first).to_be_visible(timeout=90_000)
    sizes = page.evaluate("""() => [...document.querySelectorAll(".label text")].map((text) => {
      const box = text.getBoundingClientRect();
      const middle = (box.left + box.right) / 2;
      const frame = [...document.querySelectorAll(".area")].map((area) =>
        area.getBoundingClientRect()).find(({ left, right }) => left < middle && middle < right);
      return [box.width, frame.width, box.left - frame.left, frame.right - box.right];
    })""")
    assert sizes
    assert all(width <= frame and left >= 0 <= right for width, frame, left, right in sizes)


def test_estimates_are_told_apart_from_proofs_and_lines_are_drawn(visit):
    page = visit("/analyse?game=hex:size=9&agent=alphabeta:depth=2,values=yes")
    expect(page.locator(".lines button")).to_have_count(3, timeout=60_000)
    assert page.is_hidden("#exact")
    assert page.locator("#show option:not([hidden])").all_text_contents() == [
        "The agent's values", "Nothing"
    ]  # fmt: skip
    assert page.locator(".label.guess").count() > 3
    assert "the expected score of Blue" in page.inner_text("#legend")
    assert re.fullmatch(r"\d+ %", page.locator(".lines b").first.inner_text())
    assert "points" not in page.inner_text("#result-first")
    page.click("#result-first summary")
    assert "points" in page.inner_text("#result-first details")
    assert "alphabeta:depth=2,values=yes" in page.inner_text("#result-first details")
    page.locator(".lines button").first.click()
    assert page.locator(".ahead").count() > 1


def test_an_analysis_deepens_while_it_is_looked_at(visit):
    page = visit("/analyse?game=hex:size=9&moves=e5&agent=mcts:time=1")
    note = page.locator("#result-first .note").first
    expect(note).to_contain_text("up to 4 s", timeout=120_000)
    deep = int(re.search(r"([\d,]+)\s+simulations", note.inner_text())[1].replace(",", ""))
    expect(note).to_contain_text("up to 8 s", timeout=120_000)
    deeper = int(re.search(r"([\d,]+)\s+simulations", note.inner_text())[1].replace(",", ""))
    assert deeper > deep


def test_a_networks_choice_is_a_heat_map_beside_the_visits(visit):
    agent = "mcts:network=zoo:tic_tac_toe,simulations=60"
    page = visit(f"/analyse?game=tic_tac_toe&moves=b2&agent={agent}")
    page.locator("#show [value=network]:not([hidden])").wait_for(state="attached")
    page.select_option("#show", "network")
    page.locator(".heat").first.wait_for(state="attached", timeout=90_000)
    page.locator(".label.visits").first.wait_for(state="attached")
    assert page.locator(".heat").count() >= 4


def test_another_game_is_chosen_by_keyboard(visit):
    page = visit("/analyse?game=tic_tac_toe&agent=greedy")
    page.locator(".picker summary").press("Enter")
    page.get_by_role("link", name="Kalah").press("Enter")
    page.wait_for_url("**game=kalah**")


def test_two_agents_stand_side_by_side(visit):
    page = visit("/analyse?game=tic_tac_toe&agent=greedy&second=montecarlo:simulations=5")
    expect(page.locator("#result-second .lines button")).to_have_count(3, timeout=60_000)
    assert page.locator("#result-first .lines button").count() == 3


def test_a_line_is_stepped_through_and_left(visit):
    page = visit("/analyse?game=tic_tac_toe&moves=a1,b2,c3&agent=greedy")
    page.click("#back")
    page.wait_for_url("**moves=a1,b2&**")
    assert page.locator("#moves button").count() == 3
    page.get_by_role("button", name="Cell a3").click()
    page.wait_for_url("**moves=a1,b2,a3&**")
    page.click("#first")
    page.wait_for_url(lambda url: "moves" not in url)
    assert page.is_disabled("#back")


def test_two_agents_are_watched_step_by_step_and_on_their_own(visit):
    page = visit("/watch?game=tic_tac_toe&first=random&second=greedy")
    page.click("#step")
    expect(page.locator("#moves button")).to_have_count(1)
    page.fill("#speed", "0")
    page.click("#auto")
    page.wait_for_selector("#board[data-state=over]", timeout=60_000)
    assert "wins" in page.inner_text("#status") or "draw" in page.inner_text("#status")


def test_a_block_that_was_missed_is_named_and_marked_on_the_board(visit):
    page = visit("/review?game=connect_four&moves=adfdgfadad")
    page.wait_for_selector("body[data-reviewed]", timeout=120_000)
    lost, at_once = page.locator("#turning-points button").all_inner_texts()
    assert lost == "Red was lost from move 1 (a)."
    assert at_once == "Red let Yellow win at once with move 5 (a)."
    page.locator("#turning-points button").nth(1).click()
    expect(page.locator("#verdict")).to_contain_text("a: Mistake.")
    expect(page.locator("#verdict")).to_contain_text(
        "Missed the block: Yellow wins at once with d."
    )
    assert page.locator("#board .mark.wrong").count() == 1


def test_a_lost_game_is_reviewed_and_its_mistake_is_found(visit):
    page = visit(f"/review?game={SMALL}&moves={LOST}")
    page.wait_for_selector("body[data-reviewed]", timeout=120_000)
    assert page.locator("#graph .dot.mistake").count() >= 1
    assert page.locator("#graph .axis").count() > 5
    assert page.inner_text(".sides").split() == ["Red", "even", "Yellow"]
    assert page.inner_text("#plies").split() == ["0", "2", "4", "6", "8"]
    accuracy = page.locator("#totals tr", has_text="Accuracy").inner_text().split()[1:]
    assert all(0 < int(share) <= 100 for share in accuracy if share != "%")
    assert page.inner_text("#turning-points") == "Red was lost from move 5 (b)."
    verdict = page.inner_text("#verdict")
    assert "b: Mistake." in verdict
    assert "It turned a draw into a loss." in verdict
    assert "Better: d." in verdict
    page.click("#find")
    expect(page.locator("#verdict")).to_contain_text("find the better move")
    page.get_by_role("button", name="Column a").click()
    expect(page.locator("#verdict")).to_contain_text("a is not the best. Try again.")
    page.get_by_role("button", name="Column d").click()
    expect(page.locator("#verdict")).to_contain_text("Right! d is the better move.")
    page.click("#leave")
    page.get_by_role("button", name="Column e").click()  # a variation, which is left again
    expect(page.locator("#status")).to_contain_text("A variation")
    page.click("#leave")
    expect(page.locator("#moves button")).to_have_count(len(LOST))


def test_another_agent_grades_and_stands_in_the_address(visit):
    page = visit("/review?game=hex:size=3&moves=b2,a1,c3,a3,b1")
    page.wait_for_selector("body[data-reviewed]", timeout=120_000)
    usual = page.input_value("#grader")
    assert "agent=" not in page.get_by_role("link", name="Page (HTML)").get_attribute("href")
    page.select_option("#grader", "montecarlo:simulations=200")
    page.wait_for_url("**&agent=montecarlo:simulations=200")
    page.wait_for_selector("body[data-reviewed]", timeout=120_000)
    href = page.get_by_role("link", name="Page (HTML)").get_attribute("href")
    assert "agent=montecarlo:simulations=200" in href
    page.reload()
    page.wait_for_selector("body[data-reviewed]", timeout=120_000)
    assert page.input_value("#grader") == "montecarlo:simulations=200" != usual


def day_of(store, number: int) -> str:
    """When a game was finished, as the pages say it."""
    with Store(store) as games_store:
        return datetime.fromtimestamp(games_store.finish_time(number), UTC).date().isoformat()


def test_the_games_of_a_store_are_filtered_and_open_in_review(visit, store):
    page = visit("/games")
    assert page.locator("tbody tr").count() == 5
    page.select_option("[name=game]", "tic_tac_toe")
    page.click("main form button")
    page.wait_for_url("**game=tic_tac_toe**")
    assert page.locator("tbody tr").count() == 3
    names = page.locator("[name=game] option").all_inner_texts()
    assert names == ["all", "Connect four, rows 4, columns 5", "Tic-tac-toe"]
    names = page.locator("[name=agent] option").all_inner_texts()
    assert names == ["all", "Greedy, one move ahead", "Random moves"]
    row = page.locator("tbody tr").first
    assert "Random moves" in row.inner_text()
    assert row.locator("time").inner_text() == day_of(store, 3)
    assert row.locator("img").evaluate("(image) => image.decode().then(() => image.naturalWidth)")
    page.locator("tbody a").first.click()
    page.wait_for_selector("body[data-ready]")
    assert "Random moves – Greedy, one move ahead" in page.inner_text("main")
    assert page.locator("main time").inner_text() == day_of(store, 3)
    assert page.locator("#moves button").count() >= 5


def test_the_ratings_of_a_store(visit, store):
    page = visit("/ratings")
    with Store(store) as games_store:
        entered = [
            datetime.fromtimestamp(each.created, UTC).date() for each in games_store.tournaments()
        ]
    names = page.locator("[name=tournament] option").all_inner_texts()
    boards = ("Tic-tac-toe", "Connect four, rows 4, columns 5")
    starts = [f"{board}, {day}: " for board, day in zip(boards, entered)]
    assert [name[: len(start)] for name, start in zip(names, starts, strict=True)] == starts
    assert page.locator("tbody tr").count() == 2
    rows = page.locator("tbody tr td:nth-child(2)").all_inner_texts()
    assert sorted(rows) == ["Greedy, one move ahead", "Random moves"]


def test_a_game_that_ends_is_kept_in_the_store(visit, store):
    page = visit("/play?game=tic_tac_toe&opponent=human&moves=a1,a2,b1,b2")
    with page.expect_response("**/api/finish") as answer:
        page.get_by_role("button", name="Cell c1").click()
    number = answer.value.json()["number"]
    with Store(store) as games_store:
        tournament, game = games_store.game(number)
    assert [entry.spec for entry in tournament.agents] == ["human", "human"]
    assert (game.result.winner, len(game.result.moves)) == (0, 5)
    assert game.result.decisions == (1, 0)  # four moves came with the link
    assert 0 < game.result.seconds[0] < 600
    page.click("#undo")  # the same game is not kept again
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.get_by_role("button", name="Cell c1").click()
    page.wait_for_selector("#board[data-state=over]")
    page.reload()
    page.wait_for_selector("#board[data-state=over]")
    assert not any("finish" in url for url in requests)
    phone = visit("/games", viewport={"width": 390, "height": 844})
    row = phone.locator("tbody tr").first
    assert row.locator("td").nth(3).inner_text() == "Cross"
    box = row.locator(".ending").bounding_box()
    assert box["x"] + box["width"] <= 390


# Pages, and what is clicked on them before they are examined.
PLAY = "/play?game=connect_four&opponent=human"
EXAMINED = [
    *[("/", None), ("/", ".card summary"), (PLAY, "#menu summary"), (PLAY, "[data-opens=how]")],
    *[("/play?game=othello&opponent=human", None), ("/watch?game=tic_tac_toe", None)],
    *[("/play?game=breakthrough&opponent=human", ".area"), ("/games", None), ("/ratings", None)],
    *[("/analyse?game=tic_tac_toe&moves=b2&agent=greedy", None), ("/analyse?game=hex", "#edit")],
    ("/review?game=tic_tac_toe&moves=b2,a1,a2", None),
    *[("/analyse?game=tic_tac_toe&agent=greedy", ".picker summary"), ("/", "#others > summary")],
]


@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (360, "dark"), (1280, "dark")])
@pytest.mark.parametrize(("path", "opener"), EXAMINED)
def test_axe_finds_no_fault_and_nothing_sticks_out(visit, path, opener, width, scheme):
    from axe_playwright_python.sync_playwright import Axe

    size = {"width": width, "height": 740}
    page = visit(path, viewport=size, color_scheme=scheme, reduced_motion="reduce")
    if opener is not None:
        page.locator(opener).first.click()
    violations = Axe().run(page).response["violations"]
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in violations] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(21, 23, 28)") == (scheme == "dark")


def test_an_exported_page_needs_no_server(visit, browser, server, tmp_path):
    page = visit(f"/review?game={SMALL}&moves={LOST}")
    page.wait_for_selector("body[data-reviewed]", timeout=120_000)
    with page.expect_download(timeout=120_000) as download:
        page.get_by_role("link", name="Page (HTML)").click()
    file = tmp_path / "game.html"
    download.value.save_as(file)
    offline = browser.new_context(offline=True).new_page()
    messages = []
    offline.on("pageerror", lambda error: messages.append(str(error)))
    offline.goto(file.as_uri())
    assert "mistake" in offline.inner_text("body")
    assert offline.locator("svg circle").count() > 20
    assert messages == []
    offline.context.close()
