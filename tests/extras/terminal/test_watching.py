"""``plyground replay`` and ``plyground watch``."""

from __future__ import annotations

import json

import pytest
from command_line import at_terminal, done
from command_line import plyground as command
from helpers import SMALL_GAMES, run
from plyground import make_agent, make_game
from plyground.evaluation.fingerprints import describe
from plyground.evaluation.plan import Plan
from plyground.evaluation.single_games import concession, person, store_game
from plyground.evaluation.store.store import Store


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Two games of tic-tac-toe after an opening, and two of connect four."""
    path = tmp_path_factory.mktemp("replay") / "games.db"
    run(Plan("tic_tac_toe", ("greedy", "random"), pairs=1, opening="random:2"), path)
    run(Plan("connect_four:rows=4,cols=5", ("random", "random"), pairs=1), path)
    return path


def read_game(path, number):
    with Store(path) as handle:
        return handle.game(number)


def test_the_games_of_a_store_are_listed_the_last_one_first(store):
    output = command("replay", store)
    lines = output.stdout.splitlines()
    assert lines[0].split() == ["ID", "game", "first", "second", "result", "moves"]
    assert [line.split()[0] for line in lines[1:] if line[:1].isdigit()] == ["4", "3", "2", "1"]
    rows = json.loads(command("replay", store, "--json").stdout)
    assert [row["number"] for row in rows] == [4, 3, 2, 1]
    for row in rows:
        _, game = read_game(store, row["number"])
        assert (row["plies"], row["winner"]) == (len(game.result.moves), game.result.winner)
    few = command("replay", store, "--last", "1")
    assert "These are the last 1; --last 0 lists all." in few.stdout
    assert "These are" not in command("replay", store, "--last", "0").stdout


def test_over_a_pipe_the_moves_and_the_last_position_are_printed(store):
    tournament, game = read_game(store, 1)
    output = command("replay", store, 1).stdout
    made = make_game(tournament.settings["game"])
    names = [made.action_to_text(move) for move in game.result.moves]
    assert f"opening: {', '.join(names[:2])}\nmoves: {', '.join(names[2:])}\n" in output
    positions = [str(made.position(names[:ply])) in output for ply in range(len(names) + 1)]
    assert positions == [False] * len(names) + [True]
    assert game.result.reason in output.splitlines()[-1]
    assert "\x1b" not in output


def test_a_game_that_a_person_has_left_is_replayed(tmp_path):
    game, greedy = make_game("tic_tac_toe"), describe(make_agent("greedy"))
    left = concession(game, (4,), 0, (1, 0), (1, 0), True)
    with Store(tmp_path / "games.db") as store:
        number = store_game(store, game, (person(), greedy), left)
    shown = done("replay", tmp_path / "games.db", number)
    assert f"Game {number}, tic_tac_toe" in shown.stdout
    assert "Cross left the game" in shown.stdout


def test_json_holds_the_moves_and_on_request_the_grades(store):
    _, game = read_game(store, 2)
    plain = json.loads(command("replay", store, 2, "--json").stdout)
    assert plain["actions"] == list(game.result.moves)
    assert len(plain["moves"]) == len(plain["actions"])
    graded = json.loads(command("replay", store, 2, "--json", "--review").stdout)
    assert [move["action"] for move in graded["moves"]] == plain["actions"]
    assert graded["values"][-1]["exact"]


def test_a_review_grades_every_move_and_tells_exact_from_estimated(store):
    _, game = read_game(store, 1)
    output = command("replay", store, 1, "--review").stdout
    assert "All values are exact." in output
    assert output.count("opening") == 2
    table = [line for line in output.splitlines() if line[:1].isdigit()]
    assert len(table) == len(game.result.moves)
    for player in ("greedy", "random"):
        assert player in output


@pytest.mark.thorough
def test_one_steps_forth_and_back_through_a_game(store):
    _, game = read_game(store, 1)
    last = len(game.result.moves)
    with at_terminal("replay", store, 1) as person:
        assert "Enter shows the next move" in person.see("move 0 of ")
        assert "1. Cross (X): " in person.ask("", "move 1 of ")
        person.ask("next", "move 2 of ")
        person.ask("n", "move 3 of ")
        assert "2. Ring (O): " in person.ask("back", "move 2 of ")
        assert game.result.reason in person.ask("last", f"move {last} of ")
        assert "this is its end" in person.ask("", f"move {last} of ")
        person.ask("goto 1", "move 1 of ")
        person.ask("2", "move 2 of ")
        person.ask("first", "move 0 of ")
        assert "This is the start" in person.ask("b", "move 0 of ")
        assert f"The game has {last} moves" in person.ask("99", "move 0 of ")
        assert "There is no word 'hello'" in person.ask("hello", "move 0 of ")
        assert "grade the moves" in person.ask("help", "move 0 of ")
        assert "value after" in person.ask("review", "move 0 of ")
        assert any(grade in person.ask("", "of ") for grade in ("best", "good", "mistake"))
        person.type("quit")
        assert person.wait() == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("77", "holds no game 77; its games have numbers from 1 to 4"),
        ("one", "ID"),
        ("0", "holds no game 0"),
        ("99999999999999999999999", "holds no game 99999999999999999999999"),
        ("1 --review --agent nobody", "there is no agent 'nobody'"),
        ("1 --review --agent human", "a person cannot play in a review"),
    ],
)
def test_bad_input_of_replay_is_refused(words, sentence, store):
    result = command("replay", store, *words.split())
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize("spec", SMALL_GAMES)
@pytest.mark.fast_cases(1)
def test_two_agents_are_watched(spec, tmp_path):
    store = tmp_path / "games.db"
    result = done("watch", spec, "greedy", "random", "--store", store, "--show-thinking")
    _, game = read_game(store, 1)
    made = make_game(spec)
    for ply in range(len(game.result.moves) + 1):
        assert str(made.position(game.result.moves[:ply])) in result.stdout
    ending = str(made.position(game.result.moves).outcome)
    assert ending in result.stdout
    assert "nodes" in result.stdout
    again = command("watch", spec, "greedy", "random")
    assert again.stdout.splitlines()[-1] == ending


@pytest.mark.thorough
def test_at_a_terminal_each_move_waits_for_enter():
    with at_terminal("watch", "tic_tac_toe", "greedy", "random", "--step") as person:
        person.see("Enter for the next move")
        assert "1. Cross (X): " in person.ask("", "Enter for the next move")
        assert "2. Ring (O): " in person.ask("", "Enter for the next move")
        person.type("q")
        assert person.wait() == 130


@pytest.mark.thorough
def test_at_a_terminal_one_position_takes_the_place_of_the_other():
    with at_terminal("watch", "tic_tac_toe", "greedy", "random", "--delay", "0") as person:
        person.see("in a row")
        shown = person.process.before
    positions = shown.count("a b c")
    assert positions > 5
    assert shown.count("\x1b[1A") >= 5 * (positions - 1)  # up over the position before
