"""Self-play in a forest of search trees, with a network that is a random function."""

from __future__ import annotations

import numpy as np
from plyground.agents.search import forest_games
from plyground.agents.search.forest import SearchSettings, new_samples, search_options


def options(game, discount=1.0, **changes):
    values = {
        "simulations": "8,24", "full_share": 1.0,
        "value_scale": 0.3, "opening_plies": 0, "random_openings": 1.0,
        "discount": discount,
    }  # fmt: skip
    return search_options(game, SearchSettings(**(values | changes)), 1.0)


class Oracle:
    """A network that is a fixed random function of the observation."""

    def __init__(self, game):
        random = np.random.default_rng(5)
        self.size = int(np.prod(game.facts.observation_shape))
        self.policy = random.normal(size=(self.size, game.facts.num_actions))
        self.judgement = random.normal(size=self.size)
        self.scale = game.facts.max_return

    def evaluate(self, observations):
        flat = observations.reshape(-1, self.size).astype(np.float64)
        logits = (flat @ self.policy).astype(np.float32)
        return logits, (self.scale * np.tanh(flat @ self.judgement / 4)).astype(np.float32)

    def __call__(self, position):
        logits, values = self.evaluate(position.observation()[None])
        legal = position.legal_actions()
        return {a: float(logits[0, a]) for a in legal}, float(values[0]) / self.scale


def self_play(game, settings, count=3, entries=1, seed=1):
    play = forest_games.new_self_play(game, settings, count, seed, settings.simulations, entries)
    play = play._replace(samples=new_samples(game, 5000))
    forest_games.begin_games(game.rules, play)
    return play


def empty(game):
    return np.zeros((0, game.facts.num_actions), np.float32), np.zeros(0, np.float32)


def play_until(game, play, oracle, condition, rounds=100_000):
    """Go on until ``done()``."""
    waiting, evaluation = 0, empty(game)
    for _ in range(rounds):
        waiting = forest_games.advance(game.rules, play, waiting, *evaluation)
        evaluation = oracle.evaluate(play.forest.leaves.observations[:waiting])
        if condition():
            return
    raise AssertionError("self-play does not come to an end")
