"""What a board is trained with if nothing is said: facts and what experiments found."""

from __future__ import annotations

import pytest
from plyground import make_game
from plyground.envs.registry import game_names
from plyground.envs.specification import SpecificationError
from plyground.training.alphazero.self_play import check_solved_plies
from plyground.training.alphazero.settings import AlphaZeroSettings
from plyground.training.dqn.settings import DQNSettings
from plyground.training.ppo.settings import PPOSettings


@pytest.mark.parametrize(
    ("kind", "spec", "expected"),
    [
        (PPOSettings, "connect_four", {"gamma": 0.95, "steps": 16_000_000, "gae_lambda": 0.9}),
        (PPOSettings, "connect_four", {"layers": 2, "dense": "256", "long_openings": 0.3}),
        (PPOSettings, "gomoku:size=9", {"gamma": 0.99, "dense": "none", "layers": 3}),
        (DQNSettings, "dots_and_boxes", {"gamma": 1.0, "steps": 2_000_000}),
        (AlphaZeroSettings, "tic_tac_toe", {"hours": 0.1, "channels": 16, "opening_plies": 6}),
        (AlphaZeroSettings, "tic_tac_toe:size=4", {"hours": 1.0, "channels": 32}),
        (AlphaZeroSettings, "connect_four", {"opening_plies": 16, "hidden": 48}),
        (
            AlphaZeroSettings,
            "dots_and_boxes:rows=3,cols=3",
            {"trunk": "dense", "opening_plies": 12, "channels": 48, "discount": 1.0},
        ),
        (
            AlphaZeroSettings,
            "dots_and_boxes:rows=4,cols=4",
            {"trunk": "pooled", "opening_plies": 36, "channels": 32, "discount": 1.0},
        ),
        (AlphaZeroSettings, "gomoku:size=10", {"games": 256}),
        (AlphaZeroSettings, "othello:size=6", {"simulations": "24,48", "blocks": 2}),
        (AlphaZeroSettings, "othello", {"full_share": 1.0, "simulations": "24,64", "blocks": 3}),
    ],
)
def test_the_defaults_of_a_board_follow_from_facts_and_from_the_profile(kind, spec, expected):
    settings = kind.for_game(make_game(spec))
    assert settings.values() | expected == settings.values()


def short_entries(kind, name, gpu):
    """What the algorithm and the game have for short runs, and on a GPU for runs there."""
    entries = (*kind.budgets, *make_game(name).profile.training.get(kind.algorithm, ()))
    here = [entry for entry in entries if entry.gpu in (None, gpu)]
    return [entry for entry in here if entry.is_short or entry.gpu]


@pytest.mark.parametrize("gpu", [False, True])
@pytest.mark.parametrize("name", game_names())
@pytest.mark.parametrize("kind", [PPOSettings, DQNSettings, AlphaZeroSettings])
def test_short_runs_have_settings_of_their_own_and_what_is_set_stands(kind, name, gpu):
    game, entries = make_game(name), short_entries(kind, name, gpu)
    assert entries
    for entry in entries:
        lengths = {"steps": entry.steps, "hours": entry.hours}
        for length in ({key: value} for key, value in lengths.items() if value is not None):
            short = kind.for_game(game, length, gpu=gpu).values()
            longer = {key: 1000 * value for key, value in length.items()}
            long = kind.for_game(game, longer, gpu=gpu).values()
            for key in entry.settings:
                assert short[key] in [each.settings.get(key) for each in entries]
                given = kind.for_game(game, length | {key: long[key]}, gpu=gpu).values()
                assert given[key] == long[key]
            # a run that is made longer keeps what it began with
            assert kind.for_game(game, longer, begun=short, gpu=gpu).values() == short | longer


def test_what_is_for_short_runs_of_an_algorithm_replaces_what_is_for_all_runs_of_a_game():
    game = make_game("tic_tac_toe")
    runs = [AlphaZeroSettings.for_game(game, {"hours": hours}) for hours in (0.05, 3.0)]
    values = [(run.judged, run.search.full_share, run.network.channels) for run in runs]
    assert values == [(0, 1.0, 16), (200, 0.25, 16)]


@pytest.mark.parametrize(
    ("spec", "judged"), [("connect_four", 200), ("connect_four:rows=8,cols=8", 0), ("hex", 0)]
)
def test_moves_are_compared_with_perfect_play_where_it_is_known(spec, judged):
    settings = AlphaZeroSettings.for_game(make_game(spec))
    assert settings.judged == judged
    assert settings.opponents_to_measure == [
        "greedy", "alphabeta:depth=2", "alphabeta:depth=4"
    ]  # fmt: skip
    only = PPOSettings.for_game(make_game(spec), {"evaluate": "optimal moves"})
    assert (only.judged, only.opponents_to_measure) == (200, [])


@pytest.mark.parametrize(
    ("spec", "plies"), [("connect_four", 20), ("connect_four:rows=8,cols=8", 0), ("hex", 0)]
)
def test_leaves_are_solved_by_default_where_the_solver_answers_at_once(spec, plies):
    game = make_game(spec)
    settings = AlphaZeroSettings.for_game(game, {"hours": 0.05})
    assert settings.search.solved_plies == plies
    check_solved_plies(game, settings.search)


@pytest.mark.parametrize("kind", [PPOSettings, DQNSettings, AlphaZeroSettings])
def test_a_run_that_ends_by_the_time_has_no_limit_of_steps(kind):
    game = make_game("connect_four")
    by_time = kind.for_game(game, {"hours": 0.5})
    assert (by_time.time_limit, by_time.steps) == (1800.0, 10**12)
    both = kind.for_game(game, {"hours": 0.5}, ["steps=2M", "clock=processor"])
    assert (both.time_limit, both.steps, both.counts_processor_time) == (1800.0, 2_000_000, True)
    with pytest.raises(SpecificationError, match="hours=soon is not possible"):
        kind.for_game(game, {}, ["hours=soon"])
