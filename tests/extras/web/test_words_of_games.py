"""What is said of games, and of how they end, in every language."""

from __future__ import annotations

import re

import pytest
from broken.games import Line
from helpers import ALL_GAMES, GAMES, finished_position, words
from plyground import make_game
from plyground.envs import rules as r
from plyground.envs.game import Game
from plyground.envs.profile import Profile, tuned_settings
from plyground.extras.web.wording.words import LANGUAGES, words_of


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_game_has_the_same_words_in_every_language(name, language):
    english, own = words(name, "en"), words(name, language)
    assert list(own) == list(english)
    for key, text in own.items():
        assert text.strip()
        assert re.findall(r"\{(\w+)\}", text) == re.findall(r"\{(\w+)\}", english[key]), key


@pytest.mark.parametrize("name", ALL_GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_the_end_of_a_game_is_a_key_and_values_with_words_in_every_language(name, seed):
    position = finished_position(make_game(name), seed)
    ending = r.outcome_reason(position.game.rules, position.record)
    for language in LANGUAGES:
        text = words_of(language).ending(position.game, ending)
        assert text == words(name, language)[f"ending.{ending.key}"].format_map(ending.values)
    assert position.outcome.reason == words_of("en").ending(position.game, ending)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_are_told_in_five_lines_at_most_and_a_game_that_is_won(name, language):
    game = make_game(name)
    lines = words_of(language).how_to_play(game)
    assert 3 <= len(lines) <= 5
    assert lines[0] == words_of(language).rule(game)
    assert "how.5" not in words(name, language)
    won = make_game(game.profile.won_game.game)
    assert won.name == name
    position = won.position(game.profile.won_game.moves.split(","))
    assert position.outcome.winner is not None


def test_a_game_of_a_users_own_needs_no_profile():
    game = Game(Line())
    assert game.profile == Profile()
    words = words_of("vi")
    assert words.title(game) == game.declaration.title
    assert words.action(game, "7") == words.place(game, "7") == "7"
    assert words.ending(game, "all is said") == "all is said"
    assert words.how_to_play(game) == []
    assert r.score(game.rules, game.initial_position().record) is None
    assert tuned_settings(game.profile.training.get("ppo", ()), 9) == {}


@pytest.mark.parametrize("spec", ALL_GAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rule_of_every_board_is_told_in_words(spec, language):
    text = words_of(language).rule(spec)
    assert text.endswith(".")
    assert "{" not in text


def test_every_rule_of_a_row_is_told_apart():
    gomoku = make_game("gomoku").declaration.parameters
    (rule,) = [parameter for parameter in gomoku if parameter.name == "rule"]
    texts = {words_of("en").rule(f"gomoku:rule={value}") for value in rule.choices}
    assert len(texts) == len(rule.choices)
    assert words_of("en").rule("gomoku:size=9,connect=4").startswith("4 or more in a row")
