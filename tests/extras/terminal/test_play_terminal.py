"""``plyground play`` at a pseudo-terminal: every word and every bad input, in every game."""

from __future__ import annotations

import json
import re

import pytest
from command_line import at_terminal
from helpers import GAMES, SMALL_GAMES
from plyground import make_game
from plyground.envs.optional.defaults import action_cells
from plyground.evaluation.store.store import Store

pytestmark = pytest.mark.thorough

PROMPT, OVER = "): ", "or quit: "
BAD = {
    "": "nothing was entered",
    "hello there": "Try again",
    "-1": "Try again",
    "9999": "Try again",
    "99 99": "Try again",
    "1.5": "Try again",
    "ö€": "Try again",
    "undo 3": "Try again",
    "a" * 300: "Try again",
}


@pytest.mark.parametrize("spec", SMALL_GAMES)
def test_all_words_and_bad_inputs(spec, tmp_path):
    game, store, path = make_game(spec), tmp_path / "games.db", tmp_path / "game.json"
    with at_terminal("play", spec, "--against", "random", "--store", store) as person:
        assert f"you are {game.declaration.player_names(marked=True)[0]} and" in person.see(PROMPT)
        for text, output in BAD.items():
            assert output in person.ask(text, PROMPT), text
        assert "resign, new" in person.ask("help", PROMPT)
        names = map(game.action_to_text, game.initial_position().legal_actions())
        first = next(name for name in names if game.position([name]).to_move == 1)  # not again
        assert first in person.ask("moves", PROMPT).partition("Legal moves: ")[2]
        assert "no move of yours" in person.ask("undo", PROMPT)
        assert "There is no move to review" in person.ask("review", PROMPT)
        assert "there is no agent 'nobody'" in person.ask("level nobody", PROMPT)
        assert "against greedy now" in person.ask("level greedy", PROMPT)
        assert "is shown" in person.ask("thinking", PROMPT)
        output = person.ask(first, PROMPT)
        assert output.index("greedy plays") > 0
        assert "nothing to play again" in person.ask("redo", PROMPT)
        person.ask("undo", PROMPT)
        assert "greedy plays" not in person.ask("redo", PROMPT)
        assert "value after" in person.ask("review", PROMPT)
        assert "would play" in person.ask("hint", PROMPT)
        assert f"{path}: " in person.ask(f"save {path}", PROMPT)
        assert json.loads(path.read_text())["moves"][0] == first
        assert f"You are {game.declaration.player_names(marked=True)[1]} now" in person.ask(
            "swap", PROMPT
        )
        assert "plyground replay" in person.ask("resign", OVER)
        for text in ("resign", "hint", first):
            assert "The game is over" in person.ask(text, OVER), text
        person.ask("new", PROMPT)
        person.type("quit")
        assert "You left the game" in person.see("the game.") + "the game."
        assert person.wait() == 0
    with Store(store) as file:
        games = [each for _, _, each in file.numbered_games()]
    assert games[-1].result.reason == "resignation"
    assert games[-1].result.winner == 0  # the person had swapped to the second seat
    assert games[-1].result.moves[0] == game.text_to_action(first)


@pytest.mark.parametrize("spec", GAMES)
def test_every_board_has_coordinates_by_which_moves_are_named(spec):
    """Coordinates of a move's name stand at the sides of the board; where a cell has several
    actions, one more word tells them apart.
    """
    game = make_game(spec)
    marks = str(game.initial_position()).split()
    more_words = 1 if action_cells(game.rules)[:, 2].max() > 0 else 0
    for action in game.initial_position().legal_actions():
        parts = re.findall(r"[a-z]+|\d+", game.action_to_text(action))
        assert sum(part not in marks for part in parts) <= more_words, parts


def test_lines_can_be_edited_and_called_back():
    """Arrow up brings the line before; backspace corrects."""
    with at_terminal("play", "tic_tac_toe", "--against", "random") as person:
        person.see(PROMPT)
        assert "Legal moves" in person.ask("movex\x7fs", PROMPT)
        assert "Legal moves" in person.ask("\x1b[A", PROMPT)
        person.type("quit")
        assert person.wait() == 0


def test_ctrl_c_leaves_and_the_game_is_kept(tmp_path):
    store = tmp_path / "games.db"
    words = ("play", "tic_tac_toe", "--against", "random", "--store", store)
    with at_terminal(*words) as person:
        person.see(PROMPT)
        person.ask("b2", PROMPT)
        person.process.sendintr()
        person.see("You left the game")
        assert person.wait() == 0
    with Store(store) as games:
        (game,) = [game for _, _, game in games.numbered_games()]
    assert (game.result.fault, game.result.forfeited) == ("abandoned", 0)
