"""Threads that play chunks of self-play, and the games under way that a checkpoint holds."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from plyground import make_game
from plyground.agents.search.forest import new_games
from plyground.envs.workers.jobs import HERE
from plyground.training.alphazero.learner import AlphaZeroLearner
from plyground.training.alphazero.self_play import SelfPlayer, pack_games, unpack_games
from plyground.training.alphazero.settings import AlphaZeroSettings
from plyground.training.alphazero.workers import JobWorkers, SelfPlayTask, ThreadWorkers, seed_of
from self_play.runs import CPU, GAME, settings

pytestmark = pytest.mark.thorough

CHUNKS = 5


def play_rounds(workers, weights, rounds=2):
    """The chunks of some rounds, one after another."""
    states, results = [{} for _ in range(CHUNKS)], []
    for number in range(rounds):
        tasks = [
            SelfPlayTask(seed_of(1, chunk), state, number / rounds, 500)
            for chunk, state in enumerate(states)
        ]
        workers.begin(weights, tasks)
        parts = workers.finish()
        states = [part.state for part in parts]
        results += [part._replace(state={}) for part in parts]
    workers.close()
    return results


def test_chunks_are_the_same_whoever_plays_them_and_however_many_threads():
    options = settings()
    weights = AlphaZeroLearner(GAME, options, 1, CPU).weights()
    jobs = play_rounds(JobWorkers(GAME, options, CPU, HERE), weights)
    assert sum(len(part.chunk.keys) for part in jobs) > 50
    for count in (1, 2, 4):
        threads = play_rounds(ThreadWorkers(GAME, options, CPU, count), weights)
        for ours, theirs in zip(threads, jobs, strict=True):
            assert all(np.array_equal(a, b) for a, b in zip(ours.chunk, theirs.chunk))
            assert ours.counts == {name: theirs.counts[name] for name in ours.counts}


def test_an_error_in_a_thread_reaches_the_learner():
    from plyground.training.folder import TrainingError

    options = settings()
    weights = AlphaZeroLearner(GAME, options, 1, CPU).weights()
    wrong = {name: torch.full_like(value, float("nan")) for name, value in weights.items()}
    workers = ThreadWorkers(GAME, options, CPU, 2)
    workers.begin(wrong, [SelfPlayTask(1, {}, 0.0, 500)])
    with pytest.raises(TrainingError, match="NaN or infinity"):
        workers.finish()
    workers.close()


def test_games_under_way_go_on_from_their_packed_state_as_if_nothing_had_been():
    options = settings()
    weights = AlphaZeroLearner(GAME, options, 1, CPU).weights()
    players = [SelfPlayer(GAME, options, CPU, seed) for seed in (1, 2)]
    for number in range(3):
        players[0].play(weights, 0.0, 700 + number)
        players[1].load_state(players[0].state())
        chunks = [player.play(weights, 0.5, 900).chunk for player in players]
        assert len(chunks[0].keys) > 10
        assert all(np.array_equal(ours, theirs) for ours, theirs in zip(*chunks))


def test_a_packed_state_of_another_form_or_size_is_refused():
    games = new_games(GAME, 4, 1)
    state = pack_games(games)
    unpack_games(state, new_games(GAME, 4, 2))
    cut = {**state, "past": state["past"][:-3]}
    other = new_games(make_game("tic_tac_toe:size=4"), 4, 1)
    for wrong, target in (
        ({}, games),
        (cut, games),
        (state, new_games(GAME, 5, 1)),
        (state, other),
    ):
        with pytest.raises(ValueError, match=r"\w"):
            unpack_games(wrong, target)


def test_networks_on_a_gpu_are_larger_and_a_trial_chooses_their_games():
    usual = AlphaZeroSettings.for_game(GAME)
    large = AlphaZeroSettings.for_game(GAME, gpu=True)
    assert (large.network.channels, large.network.blocks) == (16, 5)  # of dense layers: as usual
    assert (large.games.games, large.games.workers) == (0, 1)
    assert large.learning.batch_size > usual.learning.batch_size
    wide = AlphaZeroSettings.for_game(make_game("gomoku:size=19"), gpu=True)
    assert (wide.network.channels, wide.network.blocks) == (128, 5)
    # a run that goes on keeps what its device decided
    again = AlphaZeroSettings.for_game(GAME, begun=large.values())
    assert again == large
