"""The HTML report: what it holds, and what a real browser makes of it."""

from __future__ import annotations

import itertools
import json
import re
import sys

import plyground
import pytest
from command_line import done, refused
from pages import CONTRASTS
from plyground.agents import make_agent
from plyground.envs import rules as r
from plyground.envs.pictures.drawing import to_svg
from plyground.evaluation.fingerprints import Description
from plyground.evaluation.match import GameResult, play_game
from plyground.evaluation.report.display import likelihood
from plyground.evaluation.report.html import report_page
from plyground.evaluation.report.replays import ChosenGame, Frames, Gallery, _change, replay_data
from plyground.evaluation.report.report import report_store
from plyground.evaluation.statistics.ratings import Meeting, rate
from plyground.evaluation.store.store import Store, StoredGame

pytestmark = pytest.mark.thorough

GAMES = (
    "tic_tac_toe",
    "connect_four:rows=4,cols=5",
    "dots_and_boxes:rows=2,cols=2",
    "gomoku:size=7",
)
LABELS = (
    "<script>alert(1)</script>",
    'a "b" & \'c\' </script><img src="https://example.org/x.png" onerror=alert(2)>',
    "third",
)


FAULTY = {
    "returns": (-1.0, 1.0), "fault": "raised", "forfeited": 0,
    "reason": "player_0 (<script>x</script>) raised ValueError: <img src=y>",
}  # fmt: skip


def played_game(spec: str, seed: int, players: tuple[int, int], pair: int) -> StoredGame:
    result = play_game(spec, [make_agent("random"), make_agent("random")], seeds=(seed, seed + 1))
    return StoredGame(pair, players, result.moves[:1], (seed, seed + 1), result)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A tournament of each game, played at random by agents with names that are markup; some games
    are forfeited.
    """
    path = tmp_path_factory.mktemp("html") / "results.db"
    with Store(path) as open_store:
        for spec in GAMES:
            entries = [
                Description("random", {"note": "<u>"}, "1 <s>", label=label) for label in LABELS
            ]
            settings = {"game": spec, "seed": 1, "opening": "<i>none</i>"}
            command = "plyground tournament '<script>alert(3)</script>'"
            number = open_store.enter_tournament(
                f"<b>{spec}</b>", settings, entries, 3, command=command
            )
            for pair, players in itertools.product(range(3), itertools.permutations(range(3), 2)):
                seed = 100 * pair + 10 * players[0] + players[1]
                game = played_game(spec, seed, players, pair)
                if (pair, players[0]) == (2, 0):
                    game = game._replace(result=game.result._replace(**FAULTY))
                open_store.add(number, game)
    return path


@pytest.fixture(scope="module")
def page_file(store):
    page = store.with_name("report.html")
    done("report", store, "--html", page, "--anchor", "third=0")
    return page


@pytest.fixture
def open_page(browser, page_file):
    """Opens the report; afterwards nothing may have gone wrong in it, and nothing have been asked
    of the network.
    """
    messages, urls, contexts = [], [], []

    def opener(width=1200, height=900, scheme="light"):
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on(
            "dialog", lambda dialog: (messages.append(f"dialog {dialog.message}"), dialog.dismiss())
        )
        page.on("request", lambda request: urls.append(request.url))
        page.goto(page_file.as_uri())
        return page

    yield opener
    for context in contexts:
        context.close()
    assert messages == []
    assert set(urls) == {page_file.as_uri()}


@pytest.mark.parametrize(
    "spec", [*GAMES, "dots_and_boxes:rows=1,cols=3,start=icelandic", "gomoku:size=9,rule=caro"]
)
def test_changes_add_up_to_the_picture_of_every_position(spec):
    game = plyground.make_game(spec)
    frames = Frames(game)
    for seed in range(3):
        moves = play_game(game, ["random", "random"], seeds=(seed, seed + 7)).moves
        changes, movers = frames.of(moves)
        board, position = list(frames.start), game.initial_position()
        for action, mover, (deletions, insertions) in zip(moves, movers, changes, strict=True):
            assert str(position.to_move) == mover
            position.play(action)
            for place in reversed(deletions):
                del board[place]
            for place, number in zip(insertions[::2], insertions[1::2]):
                board.insert(place, number)
            picture = r.picture(game.rules, position.record, action)
            assert to_svg(picture).endswith(
                "".join(frames.shapes[number] for number in board) + "</svg>"
            )


def test_shapes_that_change_their_order_or_stand_there_twice_are_drawn_anew():
    for before, after in (
        ([1, 2, 3], [3, 2, 1]),
        ([1, 1, 2], [1, 2]),
        ([1, 2], [1, 1, 2]),
        ([], [5]),
        ([4, 5], []),
    ):
        deletions, insertions = _change(before, after)
        board = list(before)
        for place in reversed(deletions):
            del board[place]
        for place, number in zip(insertions[::2], insertions[1::2]):
            board.insert(place, number)
        assert board == after


def test_moves_that_the_rules_do_not_allow_end_what_is_shown():
    game = plyground.make_game("tic_tac_toe")
    result = GameResult((4, 4, 0), (1.0, -1.0), "3 in a row", None, None, (0.0, 0.0), (1, 1))
    chosen = ChosenGame(StoredGame(0, (0, 1), (), (1, 2), result), "")
    (entry,) = replay_data(game, [chosen])["games"]
    assert entry["moves"] == ["b2"]
    note = "The rules of tic_tac_toe as installed do not allow move 2 of this game."
    assert entry["note"] == note


def result_of(number: int, won: float, fault: str | None = None, length: int = 9) -> GameResult:
    moves, forfeited = (number, *range(length - 1)), None if fault is None else 0
    return GameResult(moves, (won, -won), "", fault, forfeited, (0.0, 0.0), (1, 1))


def test_a_few_games_are_all_shown_and_repeated_ones_once():
    gallery = Gallery(10)
    for pair in range(6):
        gallery.note(StoredGame(pair, (0, 1), (), (1, 2), result_of(pair // 2, 1.0)))
    assert [choice.game.pair for choice in gallery.choose(None)] == [0, 2, 4]


def test_of_many_games_the_telling_ones_are_shown_first():
    gallery = Gallery(8)
    for pair in range(500):
        fault = "raised" if pair in (400, 401, 402, 403, 404, 405) else None
        # agent 0 is the weaker one
        won = -1.0 if fault else 1.0 if pair in (77, 333) else 0.0 if pair % 2 else -1.0
        length = 5 if pair == 200 else 30 if pair == 201 else 9
        gallery.note(StoredGame(pair, (0, 1), (), (1, 2), result_of(pair, won, fault, length)))
    ratings = rate(["weak", "strong"], [Meeting("weak", "strong", singles=(249, 249, 2))])
    choices = gallery.choose(ratings)
    assert [(each.game.pair, each.why) for each in choices] == [
        *((pair, "forfeit") for pair in (400, 401, 402, 403)),
        *((77, "upset"), (333, "upset")),
        *((200, "shortest"), (201, "longest")),
    ]
    assert len(Gallery(3).choose(None)) == 0


def test_the_page_is_one_file_without_links_to_others(page_file):
    text = page_file.read_text("utf-8")
    link = r"<(?:link|script|img|iframe|object|embed)\b[^>]*(?:src|href)=[\"'](?!data:|#)"
    assert re.findall(link, text) == []
    assert "@import" not in text
    assert re.findall(r"url\((?!#)", text) == []
    assert [path.name for path in page_file.parent.glob("*.part")] == []


def test_nothing_of_the_machine_or_its_folders_is_told(page_file):
    import getpass
    import socket

    text = (
        page_file.read_text("utf-8")
        .replace(f"plyground report {page_file.with_name('results.db')}", "")
        .replace(f"--html {page_file}", "")
    )
    assert str(page_file.parent) not in text
    assert f">{socket.gethostname()}<" not in text
    assert f">{getpass.getuser()}<" not in text


def test_names_are_shown_as_they_are_and_never_run(open_page):
    page = open_page()
    assert page.locator("script").count() == len(GAMES) + 1
    assert page.locator("img").count() == 0
    for label in LABELS:
        assert page.locator("#t1 th.agent", has_text=label).count() >= 2
        assert page.locator("#t1-viewer .side", has_text=label).count() >= 1
    assert page.locator("#t1 > .name").inner_text() == f"<b>{GAMES[0]}</b>"
    command = page.locator("#t1 pre").first.inner_text()
    assert command == "plyground tournament '<script>alert(3)</script>'"
    warning = page.locator("#t1 .note.warn").first.inner_text()
    assert "in the first it (<script>x</script>) raised ValueError: <img src=y>" in warning


@pytest.mark.parametrize("index", range(len(GAMES)))
def test_the_browser_draws_every_position_as_the_rules_do(open_page, index):
    page = open_page()
    game = plyground.make_game(GAMES[index])
    move_lists = page.evaluate(f"viewers[{index}].data.games.map((game) => game.moves)")
    assert len(move_lists) == 18
    for number, names in enumerate(move_lists[:4]):
        page.evaluate(f"viewers[{index}].show(viewers[{index}].data.games[{number}])")
        position, expected = game.initial_position(), [game.initial_position().to_svg()]
        for name in names:
            action = game.text_to_action(name)
            expected.append(position.play(action).to_svg(action))
        same = page.evaluate(
            """([index, expected]) => expected.map((svg, ply) => {
                const wanted = document.createElement("div");
                wanted.innerHTML = svg;
                viewers[index].go(ply);
                return viewers[index].board.firstChild.innerHTML === wanted.firstChild.innerHTML;
            })""",
            [index, expected],
        )
        assert same == [True] * len(expected)


def test_arrow_keys_buttons_slider_and_moves_step_through_a_game(open_page):
    page = open_page()
    status, board = page.locator("#t2-viewer .status"), page.locator("#t2-viewer .board")
    page.locator("#t2-viewer .list button").nth(1).click()
    last = page.evaluate("viewers[1].game.moves.length")
    assert status.inner_text().startswith(f"Move {last} of {last}: ")
    final = board.inner_html()
    page.keyboard.press("ArrowLeft")
    assert status.inner_text().startswith(f"Move {last - 1} of {last}: ")
    assert board.inner_html() != final
    page.keyboard.press("Home")
    assert status.inner_text() == "Before the first move"
    assert page.locator("#t2-viewer button[title^='One move back']").is_disabled()
    page.keyboard.press("ArrowRight")
    assert status.inner_text().startswith(f"Move 1 of {last}: ")
    page.locator("#t2-viewer button[title^='One move on']").click()
    assert status.inner_text().startswith(f"Move 2 of {last}: ")
    page.locator("#t2-viewer input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    assert status.inner_text().startswith(f"Move 3 of {last}: ")
    page.locator("#t2-viewer .moves button").nth(4).click()
    assert status.inner_text().startswith(f"Move 5 of {last}: ")
    page.keyboard.press("End")
    assert board.inner_html() == final.replace("Before the first move", "")


def test_games_are_filtered_by_agents_and_result(open_page):
    page = open_page()
    agent, opponent, result = (page.locator("#t1-viewer select").nth(number) for number in range(3))
    entries = page.locator("#t1-viewer .list button")
    assert entries.count() == 18
    agent.select_option("0")
    assert entries.count() == 12
    opponent.select_option("2")
    assert entries.count() == 6
    assert LABELS[1] not in entries.all_inner_texts()[0]
    result.select_option("won")
    won = page.evaluate("viewers[0].shown.every((game) => game.players[game.winner] === 0)")
    assert won
    opponent.select_option("0")
    assert page.locator("#t1-viewer .none").inner_text() == "No game here fits."
    agent.select_option("")
    opponent.select_option("")
    result.select_option("forfeit")
    assert entries.count() == 2


@pytest.mark.parametrize("width", [320, 360, 768, 1200])
def test_the_page_never_scrolls_sideways(open_page, width):
    page = open_page(width=width, height=740)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_what_lies_behind_it(open_page, scheme):
    page = open_page(scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(15, 19, 23)") == (scheme == "dark")
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 300
    assert contrasts[0][0] >= 4.5, contrasts[:5]


def test_paper_gets_the_games_without_controls_in_light_colours(open_page):
    page = open_page(scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("#t1-viewer .controls").is_visible()
    assert page.locator("#t1-viewer .board").is_visible()
    assert page.locator("details:not([open]) td").first.is_visible()
    assert page.pdf()[:4] == b"%PDF"


@pytest.mark.parametrize("width", [718, 739], ids=["A4", "Letter"])
def test_no_column_is_cut_off_on_paper(open_page, width):
    page = open_page(width=width, height=1000)  # between margins of 1 cm, at 96 pixels an inch
    page.emulate_media(media="print")
    ends = page.evaluate(
        "[...document.querySelectorAll('th, td, svg')].map((e) => e.getBoundingClientRect().right)"
    )
    assert len(ends) > 100
    assert max(ends) <= width


def test_a_store_of_one_tournament_has_no_list_of_tournaments(store):
    with Store(store) as open_store:
        reports = report_store(open_store, replays=5)
    page = report_page(reports[:1], "one", ["plyground report"])
    assert 'class="tournaments"' not in page
    data = re.search(r'data-viewer="t1-viewer">(.*?)</script>', page, re.DOTALL)[1]
    assert len(json.loads(data)["games"]) == 5
    assert 'data-viewer="' not in report_page(report_store(Store(store)), "none", [])


def test_a_game_that_is_not_installed_is_reported_without_boards(tmp_path):
    with Store(tmp_path / "store.db") as open_store:
        agents = [Description(label, {}, "1", label=label) for label in "ab"]
        number = open_store.enter_tournament("own", {"game": "chess_boxing"}, agents, 1)
        open_store.add(number, StoredGame(0, (0, 1), (), (1, 2), result_of(0, 1.0)))
        (report,) = report_store(open_store, replays=5)
    page = report_page([report], "store.db", [])
    assert "chess_boxing" in page
    assert 'data-viewer="' not in page


def test_where_no_html_can_be_written_one_sentence_says_so(store, tmp_path, monkeypatch):
    said = refused("report", store, "--html", tmp_path / "none" / "report.html")
    assert "none/report.html cannot be written: No such file or directory" in said
    monkeypatch.setitem(sys.modules, "jinja2", None)
    said = refused("report", store, "--html", tmp_path / "report.html")
    assert said == 'plyground: an HTML page needs jinja2: pip install "plyground[report]"\n'
    assert not (tmp_path / "report.html").exists()


def test_a_table_that_is_wider_than_its_place_says_so(open_page):
    overflows = {}
    for width in (390, 1600):
        page = open_page(width=width)
        hints, scrolls = page.locator("#t1 .swipe"), page.locator("#t1 .swipe + .scroll")
        for index in range(hints.count()):
            overflow = scrolls.nth(index).evaluate(
                "each => each.scrollWidth > each.clientWidth + 1"
            )
            assert hints.nth(index).is_visible() == overflow
            overflows[width, index] = overflow
    assert overflows[390, 0]  # the standings
    assert overflows[390, 2]  # the pairs
    assert not overflows[1600, 1]  # the cross table


def test_no_likelihood_claims_certainty():
    texts = [likelihood(probability) for probability in (1.0, 0.9995, 0.95, 0.0)]
    assert texts == ["> 99.9", "> 99.9", "95.0", "< 0.1"]
