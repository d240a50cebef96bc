"""What other folders know about a game: its profile and its words, in every language."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import pytest
from broken.games import Line
from helpers import ALL_GAMES, GAMES, finished_position
from plyground import make_agent, make_game
from plyground.envs import rules as r
from plyground.envs.game import Game
from plyground.envs.profile import Elsewhere, Profile, TrainingSettings, tuned_settings
from plyground.envs.registry import games_in, profiles, usual_game
from plyground.extras.web.wording.words import LANGUAGES, words_of


def words(name: str, language: str) -> dict[str, str]:
    folder = make_game(name).profile.words
    return json.loads((folder / f"{language}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_game_has_the_same_words_in_every_language(name, language):
    english, own = words(name, "en"), words(name, language)
    assert list(own) == list(english)
    for key, text in own.items():
        assert text.strip()
        assert re.findall(r"\{(\w+)\}", text) == re.findall(r"\{(\w+)\}", english[key]), key


@pytest.mark.parametrize("name", GAMES)
def test_a_game_has_a_title_names_of_its_players_and_of_its_examples(name):
    own = words(name, "en")
    examples = {f"example.{example.key}" for example in make_game(name).profile.examples}
    assert own.keys() >= {"title", "player.0", "player.1"} | examples


@pytest.mark.parametrize("name", GAMES)
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


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", range(2))
def test_the_score_is_the_margin_and_has_a_unit_in_words(name, seed):
    for position in games_of_all_rewards(name, seed):
        rules, record = position.game.rules, position.record
        counts = r.score(rules, record)
        if counts is None:
            assert "score" not in words(name, "en")
            continue
        assert words(name, "en")["score"]
        if position.game.facts.max_return == 1:
            assert counts[0] - counts[1] == r.margin(rules, record, 0)
        elif position.is_over:
            assert counts[0] - counts[1] == position.returns[0]


def games_of_all_rewards(name: str, seed: int):
    """The positions of a random game, once for each reward where the game has several."""
    parameters = {each.name: each for each in make_game(name).declaration.parameters}
    rewards = parameters["reward"].choices if "reward" in parameters else (None,)
    for reward in rewards:
        game = make_game(name, **({} if reward is None else {"reward": reward}))
        end, position = finished_position(game, seed), game.initial_position()
        for action in end.moves:
            yield position
            position = position.after(action)
        yield position


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


@pytest.mark.parametrize("name", GAMES)
def test_the_agents_and_boards_that_a_profile_names_exist(name):
    profile = make_game(name).profile
    for example in profile.examples:
        game = make_game(example.game)
        assert game.name == name
        make_agent(example.level, game)
        for opponent in example.modes:
            make_agent(opponent, game)
        moves = example.moves.split(",") if "," in example.moves else example.moves
        assert len(game.position(moves).moves) == len(moves)
        for other in example.also:
            assert make_game(other).facts.num_actions == game.facts.num_actions
    for level in profile.levels:
        make_agent(level, make_game(name))


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


def test_the_examples_of_all_games_have_an_order_and_one_game_is_the_usual_one():
    orders = [entry.order for profile in profiles().values() for entry in profile.examples]
    assert sorted(orders) == list(range(1, len(orders) + 1))
    assert [name for name, profile in profiles().items() if profile.is_usual] == [usual_game()]
    assert games_in("gomocup") == ["gomoku"]
    assert games_in("kaggle") == ["connect_four"]
    assert games_in("pettingzoo") == ["tic_tac_toe", "connect_four"]


def test_a_board_is_known_elsewhere_only_with_the_values_that_it_must_have():
    other = Elsewhere("hex(size={size},swap={swap})", {"rule": "free"}, {"yes": "true"})
    square = {"rows": 5, "cols": 5, "rule": "free", "swap": "yes"}
    assert other.name_of(square) == "hex(size=5,swap=true)"
    assert other.name_of({**square, "rule": "strict"}) is None
    assert other.name_of({**square, "cols": 4}) is None


def test_settings_are_tuned_by_the_number_of_actions():
    small = TrainingSettings({"units": 64, "opening_plies": Fraction(1, 2)}, most=24)
    entries = (TrainingSettings({"units": 32, "games": 8}), small)
    assert tuned_settings(entries, 24) == {"units": 64, "games": 8, "opening_plies": 12}
    assert tuned_settings(entries, 25) == {"units": 32, "games": 8}
    assert tuned_settings((), 25) == {}


@pytest.mark.parametrize(
    ("steps", "hours", "units"),
    [
        (10**6, 0.0, 16), (10**6 + 1, 0.0, 32), (10**12, 0.0, 32),
        (10**12, 0.5, 16), (10**12, 0.6, 32), (10**6, 0.6, 16),
    ],
)  # fmt: skip
def test_settings_are_tuned_by_the_length_of_a_run(steps, hours, units):
    entries = (
        TrainingSettings({"units": 32, "games": 8}),
        TrainingSettings({"units": 16}, steps=10**6, hours=0.5),
    )
    assert tuned_settings(entries, 9, steps, hours) == {"units": units, "games": 8}
    assert tuned_settings(entries, 9)["units"] == 32
