"""What other folders know about a game: its profile and its words, in every language."""

from __future__ import annotations

from fractions import Fraction

import pytest
from helpers import GAMES, finished_position, words
from plyground import make_agent, make_game
from plyground.envs import rules as r
from plyground.envs.profile import Elsewhere, TrainingSettings, tuned_settings
from plyground.envs.registry import games_in, profiles, usual_game


@pytest.mark.parametrize("name", GAMES)
def test_a_game_has_a_title_names_of_its_players_and_of_its_examples(name):
    own = words(name, "en")
    keys = {example.key for example in make_game(name).profile.examples}
    examples = {f"example.{key}" for key in keys - {name}}  # that of its name has its title
    assert own.keys() >= {"title", "player.0", "player.1"} | examples


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
