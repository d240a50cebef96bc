"""Pgx: its connect four and tic-tac-toe have our actions, observations and rewards."""

from __future__ import annotations

import importlib.metadata

import jax
import numpy as np
import pgx
import pytest
from checks import note
from plyground import make_game


@pytest.mark.parametrize("name", ["connect_four", "tic_tac_toe"])
def test_random_games_look_the_same(name):
    env, game, rng = pgx.make(name), make_game(name), np.random.default_rng(1)
    init, step = jax.jit(env.init), jax.jit(env.step)
    assert env.observation_shape == game.facts.observation_shape
    for seed in range(20):
        state, position = init(jax.random.PRNGKey(seed)), game.initial_position()
        first = int(state.current_player)  # Pgx draws which player begins
        while not position.is_over:
            assert np.array_equal(state.observation, position.observation())
            assert np.array_equal(state.legal_action_mask, position.action_mask())
            assert int(state.current_player) == (first + position.to_move) % 2
            action = int(rng.choice(position.legal_actions()))
            state = step(state, action)
            position.play(action)
        assert bool(state.terminated)
        rewards = [float(state.rewards[(first + player) % 2]) for player in (0, 1)]
        assert rewards == list(position.returns)
    note(library=f"Pgx {importlib.metadata.version('pgx')}")
