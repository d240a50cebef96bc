"""One name for one thing: every text for people calls players and games as the game's words do."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from xml.etree import ElementTree

import numpy as np
import pytest
from command_line import plyground
from helpers import GAMES
from plyground import evaluate, make_env, make_game, solve
from plyground.agents import Prediction
from plyground.agents.faults import ILLEGAL_ACTION
from plyground.agents.human import HumanAgent
from plyground.agents.registry import make_agent
from plyground.envs.aec import env as game_env
from plyground.envs.game import Game, IllegalActionError, IllegalPositionError
from plyground.envs.outcome import PLAYERS
from plyground.envs.pictures.tables import ResultList, html_table
from plyground.evaluation import Store
from plyground.evaluation.fingerprints import describe
from plyground.evaluation.match import GameResult, play_game
from plyground.evaluation.single_games import concession, person, store_game
from plyground.evaluation.statistics.ratings import Meeting, rate
from web_server import client_of

LANGUAGES = ("en", "vi")
# A mark of the board in place of a name; "Red (X) to move" names both.
VERBS = "to move|is to move|has won|wins|loses|begins|resigned|and move|your move"
MARK = rf"(?<![(\w])[{{}}],? ({VERBS})"
# Pictures, what is no text, a heading, and the board as it is printed, which is English.
LEFT_OUT = (
    "<svg.*?</svg>", "<style.*?</style>", "<script>.*?</script>", "Cross table",
    '<pre id="board-text">.*?</pre>', r'"text": "(?:[^"\\]|\\.)*"',
)  # fmt: skip
OTHER_TITLES = {"gomoku": "caro"}  # that a game goes by elsewhere
RULES = {"gomoku": {"caro"}}  # values of parameters
COMMANDS = {
    "analyse": "analyse {game} --agent random",
    "static": "analyse {game} --static",
    "match": "match {game} random random --show",
    "play": "play {game} --against random",
    "watch": "watch {game} random random",
    "size": "size {game}",
    "report": "report {store}",
    "replay list": "replay {store}",
    "replay": "replay {store} 1",
    "replay left": "replay {store} 2",
    "replay fault": "replay {store} 3",
    "verify": "verify {store}",
}

TYPED = "help\nmoves\nnothing\nswap\nresign\nquit\n"  # to ``play``
LONG_COMMANDS = {
    "report page": "report {store} --html {folder}/report.html",
    "review": "replay {store} 4 --review --agent alphabeta:depth=1",
    "review page": "replay {store} 4 --html {folder}/game.html --agent alphabeta:depth=1",
}
PAGES = ("play", "analyse", "review")


def players(game: Game, language: str) -> tuple[str, str]:
    return game.declaration.player_names(language)


def wrong_names(game: Game, text: str, language: str = "en") -> set[str]:
    """Names of players and of the game in a text for people that are not those of its words."""
    games = map(make_game, GAMES)
    others = {each for other in games for code in LANGUAGES for each in players(other, code)}
    others -= {*players(game, language)}
    wrong = {name for name in others if re.search(rf"(?<!\w){name}(?!\w)", text)}
    wrong |= {name for name in PLAYERS if name in text}
    marks = "".join(game.declaration.marks)
    wrong |= {match[0] for match in re.finditer(MARK.format(marks), text)}
    return wrong | _wrong_titles(game, text)


def _wrong_titles(game: Game, text: str) -> set[str]:
    """The game's title as its words do not write it: a sentence may begin with another letter.

    A specification (``connect_four``) is none.
    """
    title = game.declaration.title
    pattern = "|".join(filter(None, (re.sub("[ -]", "[ -]?", title), OTHER_TITLES.get(game.name))))
    titles = {match[0] for match in re.finditer(rf"\b({pattern})\b", text, re.IGNORECASE)}
    return titles - {title, title[0].lower() + title[1:], game.name} - RULES.get(game.name, set())


def moves_of(game: Game) -> tuple[int, ...]:
    """A game to its end."""
    return play_game(game, ["random", "random"]).moves


def texts_of_boards(game: Game) -> Iterator[str]:
    over = game.position(moves_of(game))
    yield from (str(over), repr(over), repr(game.initial_position()), str(over.outcome))
    yield str(play_game(game, ["random", "python:broken.agents:PlaysIllegally"]))
    with pytest.raises(IllegalActionError) as error:
        over.play(over.moves[-1])
    yield str(error.value)
    rows = game.initial_position().to_text().rpartition(":")[0]
    for turn in ("Z", game.declaration.marks[1]):
        try:
            game.position_from_text(f"{rows}:{turn}")
        except IllegalPositionError as refusal:
            yield str(refusal).partition(game.spec)[2]
    first, asked = game.action_to_text(over.moves[0]), []
    agent = HumanAgent()
    agent.ask, agent.tell = lambda text: asked.append(text) or first, asked.append
    agent.decide(game.initial_position())
    yield from asked


@pytest.mark.parametrize("name", GAMES)
def test_boards_errors_and_questions(name):
    game = make_game(name)
    for text in texts_of_boards(game):
        assert wrong_names(game, text) == set(), text


@pytest.fixture(scope="module")
def store_of(tmp_path_factory):
    """The store of a game: one to its end, one that a person left, a fault, and a short one."""
    folder, paths = tmp_path_factory.mktemp("names"), {}

    def path_of(name: str):
        if name not in paths:
            paths[name] = folder / f"{name}.db"
            game, agents = make_game(name), [make_agent("random"), make_agent("random")]
            entries = (describe(agents[0]), describe(agents[1])._replace(label="another"))
            best, moves = game.facts.max_return, moves_of(game)[:2]
            fault = f"{PLAYERS[0]} (random) played the illegal action 0"
            lost, none = (-best, best), (0.0, 0.0)
            illegal = GameResult(moves, lost, fault, ILLEGAL_ACTION, 0, none, (2, 1))
            with Store(paths[name]) as store:
                store_game(store, game, entries, play_game(game, agents, seeds=(1, 2)))
                left = concession(game, moves, 0, (1.0, 0.0), (1, 1), True)
                store_game(store, game, (person(), entries[1]), left)
                store_game(store, game, entries, illegal)
                resigned = concession(game, moves, 0, (1.0, 0.0), (1, 1))
                store_game(store, game, (person(), entries[1]), resigned)
        return paths[name]

    return path_of


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.fast_cases(2)
def test_commands(name, command, store_of, tmp_path):
    check_command(make_game(name), COMMANDS[command], store_of, tmp_path)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("command", LONG_COMMANDS)
@pytest.mark.thorough
def test_long_commands(name, command, store_of, tmp_path):
    check_command(make_game(name), LONG_COMMANDS[command], store_of, tmp_path)


def check_command(game, line, store_of, tmp_path):
    store = store_of(game.name) if "{store}" in line else ""
    words = line.format(game=game.name, store=store, folder=tmp_path)
    result = plyground(*words.split(), stdin=TYPED)
    assert result.exit_code in (0, 1), result.output
    text = result.output.replace(str(store), "").replace(str(tmp_path), "")
    assert wrong_names(game, text) == set(), text
    for page in tmp_path.glob("*.html"):
        assert wrong_names(game, seen(page.read_text("utf-8"))) == set()


def seen(page: str) -> str:
    """The words of a page, and the data of its scripts, without pictures."""
    return html.unescape(re.sub("|".join(LEFT_OUT), "", page, flags=re.DOTALL))


@pytest.fixture(scope="module")
def client():
    with client_of() as visitor:
        yield visitor


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.fast_cases(2)
def test_pages_and_their_data(client, name, language):
    game = make_game(name)
    all_moves = [game.action_to_text(action) for action in moves_of(game)]
    for address in PAGES:
        page = client.get(f"/{address}?game={name}&moves={all_moves[0]}&lang={language}")
        assert wrong_names(game, seen(page.text), language) == set()
    for moves in ([], all_moves[:3], all_moves):
        body = {"game": name, "moves": moves, "threats": True}
        view = client.post(f"/api/view?lang={language}", json=body).json()
        for key in ("text", "svg", "svg_text"):
            view.pop(key, None)
        assert {player["name"] for player in view["players"]} == {*players(game, language)}
        assert wrong_names(game, str(view), language) == set(), view


def notebook_objects(game: Game) -> Iterator[tuple[object, bool]]:
    """What a student prints first, and whether it names who is to move."""
    position = game.position(moves_of(game)[:2])
    environment = game_env(game)
    environment.reset(options={"position": position})
    learner = make_env(game.spec, opponent="random")
    learner.reset(seed=1)
    yield game, True
    yield make_agent("random", game).analyse(position), True
    yield environment, True
    yield learner.unwrapped, True
    yield play_game(game, ["random", "random"]), False


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.fast_cases(2)
def test_what_notebooks_show_is_well_formed_and_has_the_names(name):
    game = make_game(name)
    for thing, has_mover in notebook_objects(game):
        text = thing._repr_html_()
        root = ElementTree.fromstring(text)
        assert root.find(".//{http://www.w3.org/2000/svg}svg") is not None
        assert wrong_names(game, seen(text)) == set(), text
        assert not has_mover or any(each in text for each in game.declaration.player_names())


def first_legal(position):
    return position.legal_actions()[0]


def test_solutions_and_lists_of_results_are_tables():
    position = make_game("tic_tac_toe").position(["b2", "a1"])
    solution = ElementTree.fromstring(solve(position, moves="all")._repr_html_())
    assert solution.findtext(".//caption") == "Cross (X) draws"
    table = ElementTree.fromstring(
        rate(["a", "b"], [Meeting("a", "b", (0, 1, 2, 3, 4))])._repr_html_()
    )
    assert [row[1].text for row in table.findall(".//tr")] == ["agent", "a", "b"]
    prediction = Prediction(np.array([[0.25, 0.75, 0.0]] * 30), np.full(30, 0.5))
    shown = ElementTree.fromstring(prediction._repr_html_())
    assert [cell.text for cell in shown.findall(".//tr")[1]] == ["0", "0.5", "1: 75.0 %, 0: 25.0 %"]
    assert shown.findtext("./p") == "and 10 more positions"
    results = evaluate(first_legal, "tic_tac_toe", ("random", "greedy"), pairs=1)
    rows = ElementTree.fromstring(results._repr_html_()).findall(".//tr")
    assert [row[0].text for row in rows] == ["opponent", "random", "greedy"]
    assert ElementTree.fromstring(ResultList()._repr_html_()) is not None
    assert "&lt;b&gt;" in html_table([("<b>", 0.5)], caption="<i>")
