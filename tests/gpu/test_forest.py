"""Self-play on a device: what was lowered for CUDA runs on the processor, and searches the same."""

import numpy as np
import pytest
import torch
from plyground import make_game
from plyground.agents.search import forest_games
from plyground.agents.search.device_forest import DeviceForest
from plyground.agents.search.forest import (
    GUMBEL,
    PUCT,
    SearchSettings,
    new_streams,
    search_options,
)
from plyground.agents.solvers.leaf import new_leaf_solver
from plyground.envs.compiled.cuda.devices import Processor
from plyground.envs.registry import game_names

GAMES, TURNS, MOST, ENTRIES = 3, 60, 8, 16


def both(spec, search=GUMBEL, solved=0):
    """The same games on the processor, each alone, and by code for CUDA."""
    game = make_game(spec)
    settings = SearchSettings(
        search=search, simulations=str(MOST), solved_plies=solved, opening_plies=4, full_share=0.8
    )
    options = search_options(game, settings, 0.0)
    size = MOST, ENTRIES
    alone = [forest_games.new_self_play(game, options, 1, 7, *size) for _ in range(GAMES)]
    for play, stream in zip(alone, new_streams(GAMES, 7)):
        play.games.streams[0] = stream
        forest_games.begin_games(game.rules, play)
    return game, alone, DeviceForest(game, options, GAMES, 7, *size, Processor())


def check_equality(alone, forest):
    """All games, trees and samples agree."""
    for name in ("games", "forest", "samples", "cache"):
        for field in getattr(forest._play, name)._fields:
            there = getattr(getattr(forest._play, name), field)
            for number, play in enumerate(alone):
                here = getattr(getattr(play, name), field)
                if field != "leaves":
                    row = there.values.tensor[number].numpy()
                    assert np.ascontiguousarray(here).tobytes() == row.tobytes(), (name, field)


def play_both(game, alone, forest, turns=TURNS):
    """Alternate a random network and the searches; everything stays equal."""
    random = np.random.default_rng(3)
    cells, actions = int(np.prod(game.facts.observation_shape)), game.facts.num_actions
    weights = random.normal(size=(cells, actions + 1)).astype(np.float32) / 4
    waiting, samples = np.zeros(GAMES, np.int64), 0
    for turn in range(turns):
        outputs = forest.observations.numpy().reshape(GAMES, -1).astype(np.float32) @ weights
        logits, values = outputs[:, :-1].copy(), np.tanh(outputs[:, -1])
        forest.logits.copy_(torch.from_numpy(logits))
        forest.values.copy_(torch.from_numpy(values))
        forest.advance()
        for i, play in enumerate(alone):
            answer = logits[i : i + 1], values[i : i + 1]
            waiting[i] = forest_games.advance(game.rules, play, waiting[i], *answer)
        assert forest.waiting.tolist() == waiting.tolist()
        check_equality(alone, forest)
        if turn % 10 == 9:
            samples += check_samples(alone, forest)
    tallies = [play.tally[0] for play in alone]
    assert forest.counts() == {
        name: sum(int(tally[name]) for tally in tallies) for name in tallies[0].dtype.names
    }
    return samples


def check_samples(alone, forest):
    observations, policies, marks = forest.take_samples()
    counts = [int(play.samples.count[0]) for play in alone]
    for given, name in ((observations, "observations"), (policies, "policies"), (marks, "marks")):
        made = [getattr(play.samples, name)[:count] for play, count in zip(alone, counts)]
        assert np.concatenate(made).tolist() == np.asarray(given).tolist()
    for play in alone:
        play.samples.count[0] = 0
    return sum(counts)


@pytest.mark.fast_cases(3)
@pytest.mark.parametrize("spec", game_names())
def test_every_game_is_searched_the_same_to_the_bit(spec):
    game, alone, forest = both(spec)
    play_both(game, alone, forest)
    assert forest.counts()["simulations"] > GAMES * TURNS / 2


def test_games_end_and_give_the_same_samples():
    assert play_both(*both("tic_tac_toe"), turns=200) > 20


def test_the_search_with_noise_is_the_same():
    play_both(*both("tic_tac_toe", search=PUCT), turns=100)


@pytest.mark.parametrize("spec", ["connect_four", "dots_and_boxes:rows=2,cols=2", "othello:size=6"])
def test_leaves_are_solved_the_same(spec):
    most = new_leaf_solver(make_game(spec)).most
    game, alone, forest = both(spec, solved=min(most, 9))
    play_both(game, alone, forest, turns=150)
    assert sum(int(play.tally[0].evaluations) for play in alone) > 0
