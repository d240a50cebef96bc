"""What notebooks show: games with their reviews, tables and reports, in a real browser's frame."""

from __future__ import annotations

import json
import re

import plyground
import pytest
from command_line import done
from command_line import plyground as command
from helpers import SMALL_GAMES, run
from pages import CONTRASTS
from plyground import make_agent, make_game
from plyground.envs import rules as r
from plyground.envs.pictures.drawing import to_svg
from plyground.envs.specification import SpecificationError
from plyground.evaluation.match import play_game
from plyground.evaluation.pages import frame
from plyground.evaluation.plan import Plan
from plyground.evaluation.played_game import PlayedGame
from plyground.evaluation.report.game_page import game_page
from plyground.evaluation.report.report import report_store
from plyground.evaluation.statistics.cross_table import CrossTable
from plyground.evaluation.store.store import Store, StoreError
from plyground.evaluation.tournament import Tournament
from plyground.extras.perfect_play.reviews.reviewer import review

pytestmark = pytest.mark.thorough

BLUNDER = ["a", "a", "b", "b", "c", "e", "d"]  # player_1 must stop three in a row at d, and plays e
GAME = "connect_four:rows=5,cols=5"
MARKUP = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("notebook") / "games.db"
    run(Plan("tic_tac_toe", ("greedy", "random"), pairs=2), path)
    run(Plan(GAME, ("greedy", "random"), pairs=1), path)
    return path


class View:
    """The output of a cell, in a page as a notebook makes it."""

    def __init__(self, browser, output: str, width: int = 900, scheme: str = "light") -> None:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.page = context.new_page()
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.errors.append(message.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("dialog", lambda dialog: self.errors.append(dialog.message))
        self.page.set_content(f"<!DOCTYPE html><body>{output}</body>")
        frame = self.page.query_selector("iframe")
        self.frame = None if frame is None else frame.content_frame()

    def text(self, selector: str) -> str:
        return self.frame.locator(selector).first.inner_text()

    def close(self) -> None:
        """No request, no error, no message may have come up."""
        assert [url for url in self.requests if not url.startswith(("about:", "data:"))] == []
        assert self.errors == []
        self.page.context.close()


def data_of(page: str) -> list[dict]:
    blocks = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    return [json.loads(text) for text in blocks]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_reviewed_game_is_stepped_through_inside_a_frame(browser, scheme):
    widget = plyground.show(GAME, BLUNDER, players=("one", MARKUP))
    view = View(browser, widget._repr_html_(), scheme=scheme)
    frame = view.frame
    assert "Before the first move" in view.text(".status")
    mistake = frame.locator(".moves button.mistake").last
    assert mistake.inner_text() == "e?"
    mistake.click()
    assert "Red wins" in view.text(".verdict")
    assert "to lost" in view.text(".verdict")
    line = frame.locator(".line button")
    assert line.first.inner_text() == "d"
    line.first.click()
    assert view.text(".status") == "Instead of e: d"
    better = make_game(GAME).position([*BLUNDER[:5], "d"])
    expected = to_svg(r.picture(better.game.rules, better.record, 3))
    assert frame.locator(".board circle").count() == expected.count("<circle")
    frame.locator(".moves button").first.focus()
    view.page.keyboard.press("Home")
    assert "Before the first move" in view.text(".status")
    view.page.keyboard.press("ArrowRight")
    assert "Move 1 of 7: a (one)" in view.text(".status")
    frame.locator(".graph").click(position={"x": 5, "y": 20})
    assert "Before the first move" in view.text(".status")
    assert MARKUP in view.text(".totals")
    assert "All values are exact." in view.text(".totals")
    frame.wait_for_function("window.frameElement.offsetHeight > 400")
    height = frame.evaluate("document.documentElement.offsetHeight")
    assert abs(frame.evaluate("window.frameElement.offsetHeight") - height) <= 2
    contrast, text = frame.evaluate(CONTRASTS)[0]
    assert contrast >= 4.5, text
    view.close()


def test_nothing_is_wider_than_a_narrow_cell(browser):
    view = View(browser, plyground.show(GAME, BLUNDER)._repr_html_(), width=360)
    assert view.frame.evaluate("document.documentElement.scrollWidth") <= 360
    view.close()


def test_the_games_of_a_store_share_a_list_for_each_kind(browser, store):
    widget = plyground.show(store)
    view = View(browser, widget._repr_html_())
    assert view.frame.locator(".viewer").count() == 2
    assert [len(data["games"]) for data in data_of(widget.page)] == [2, 4]
    assert view.frame.locator(".viewer").nth(1).locator(".list button").count() == 4
    assert not view.frame.locator(".graph").first.is_visible()
    view.close()
    with Store(store) as open_store:
        assert len(data_of(plyground.show(open_store, games=1).page)[0]["games"]) == 1
    sections = data_of(plyground.show(store, review=True, games=3).page)
    assert all("review" in game for data in sections for game in data["games"])


@pytest.mark.parametrize("spec", SMALL_GAMES)
def test_the_page_of_every_game_holds_its_moves_and_values(spec):
    game = make_game(spec)
    result = play_game(game, [make_agent("greedy"), make_agent("random")], seeds=(1, 2))
    (data,) = data_of(plyground.show(game, result, agent="alphabeta:depth=2").page)
    (game_data,) = data["games"]
    names = [game.action_to_text(action) for action in result.moves]
    assert game_data["moves"] == names
    assert game_data["reason"] == result.reason
    grades = game_data["review"]
    assert len(grades["scores"]) == len(grades["values"]) == len(names) + 1
    assert len(grades["moves"]) == len(names)
    for entry in grades["moves"]:
        if "line" in entry:
            assert len(entry["line"]["names"]) == len(entry["line"]["changes"])


def test_objects_show_themselves(browser, store):
    """Each by its own ``_repr_html_``: a review, a game, a report, a tournament's table."""
    result = review(GAME, BLUNDER)
    with Store(store) as open_store:
        report = report_store(open_store)[0]
    for thing, words in (
        (result, "mistake"),
        (PlayedGame.of_actions(GAME, BLUNDER), "Red"),
        (report, "Ratings"),
    ):
        view = View(browser, thing._repr_html_())
        assert words in view.frame.content()
        view.close()


def test_a_tournaments_table_is_a_plain_table(browser, store):
    with Store(store) as open_store:
        (first, *_) = open_store.tournaments()
        table = CrossTable([MARKUP, "random"], None, open_store.games(first.number))
    view = View(browser, table._repr_html_())
    rows = view.page.locator("tr")
    assert rows.count() == 3
    assert MARKUP in view.page.inner_text("table")
    assert "4 games" in view.page.inner_text("body")
    view.close()
    with Store(store) as open_store:
        tournament = Tournament(Plan("tic_tac_toe", ("greedy", "random"), pairs=2), open_store)
        assert "<td>greedy</td>" in tournament._repr_html_()
        assert "<caption>4 games</caption>" in tournament._repr_html_()


def test_replay_writes_the_page(store, tmp_path):
    page = tmp_path / "game.html"
    done("replay", store, 1, "--html", page)
    (data,) = data_of(page.read_text("utf-8"))
    with Store(store) as open_store:
        _, game = open_store.game(1)
    assert len(data["games"][0]["moves"]) == len(game.result.moves)
    assert "review" in data["games"][0]
    assert command("replay", store, 1, "--html", "no/such/folder/x.html").exit_code == 2


def test_a_widget_can_be_saved(tmp_path):
    widget = plyground.show("tic_tac_toe", [4, 0])
    widget.save(tmp_path / "game.html")
    assert (tmp_path / "game.html").read_text("utf-8") == widget.page
    assert "kB" in repr(widget)


def test_a_frame_holds_any_page():
    assert 'srcdoc="&lt;p title=&quot;a&quot;&gt;"' in frame('<p title="a">')


def test_what_cannot_be_shown_is_refused(tmp_path):
    with pytest.raises(StoreError, match="there is no store"):
        plyground.show(tmp_path / "nowhere.db")
    Store(tmp_path / "empty.db").open().close()
    with pytest.raises(StoreError, match="holds no games that can be shown"):
        plyground.show(tmp_path / "empty.db")
    with pytest.raises(SpecificationError, match="there is no game"):
        plyground.show("chess", [1])
    with pytest.raises(ValueError, match="not legal"):
        plyground.show("tic_tac_toe", [1, 1])
    with pytest.raises(TypeError, match="a review, a game"):
        plyground.show(3)


def test_an_unfinished_game_is_shown_up_to_where_it_got():
    (data,) = data_of(game_page([PlayedGame.of_actions("tic_tac_toe", [4, 0])]))
    assert data["games"][0]["reason"] == ""
