"""Random games of the compiled rules beside the plain-Python ones and beside OpenSpiel's.

``cd tests && python -m reference.compare GAME GAMES`` plays so many games with each of both, and
stops at the first difference.
"""

from __future__ import annotations

import random
import sys

import numpy as np
from plyground import make_game

from . import make_reference, openspiel_actions, openspiel_pairs


def next_action(rng, legal, last, cols):
    """A random legal action, often one near the last, so that rows and boxes come about."""
    if last is not None and rng.random() < 0.6:
        near = [
            action
            for action in legal
            if abs(action - last) % cols in (0, 1, cols - 1) and abs(action - last) <= 2 * cols
        ]
        legal = near or legal
    return rng.choice(legal)


def assert_same_game(game, seed):
    """Play one random game on both sides and compare everything at every ply; returns the plies."""
    rng = random.Random(seed)
    position = game.initial_position()
    reference = make_reference(game)
    last = None
    plies = 0
    while True:
        legal = reference.legal_actions()
        assert position.legal_actions() == legal
        assert np.flatnonzero(position.action_mask()).tolist() == legal
        assert [
            action for action in range(-1, game.facts.num_actions + 1) if position.is_legal(action)
        ] == legal
        assert position.to_move == reference.to_move
        assert position.is_over == reference.is_over()
        assert position.returns == reference.returns()
        for player in (0, 1):
            np.testing.assert_array_equal(
                position.observation(player), reference.observation(player)
            )
        assert game.position_from_observation(position.observation()) == position
        if reference.is_over():
            break
        last = next_action(rng, legal, last, game.facts.observation_shape[1])
        position.play(last)
        reference.play(last)
        plies += 1
    assert plies <= game.facts.longest_game
    assert all(
        game.facts.min_return <= value <= game.facts.max_return for value in position.returns
    )
    return plies


def assert_same_as_openspiel(ours, theirs, seed):
    """Play one random game beside OpenSpiel's; its plies and returns."""
    import pyspiel

    rng, game, other_game = random.Random(seed), make_game(ours), pyspiel.load_game(theirs)
    position, state, plies = game.initial_position(), other_game.new_initial_state(), 0
    while not state.is_terminal():
        numbers = openspiel_actions(game, state)
        assert position.legal_actions() == sorted(numbers)
        assert position.to_move == state.current_player()
        action = rng.choice(sorted(numbers))
        position.play(action)
        for number in np.atleast_1d(numbers[action]).tolist():
            state.apply_action(number)
        plies += 1
    assert position.is_over
    assert list(position.returns) == state.returns()
    return plies, position.returns


def main(spec: str, games: int) -> None:
    """Play the games, and say how many moves were compared."""
    game = make_game(spec)
    moves = [assert_same_game(game, seed) for seed in range(games)]
    print(f"{spec}: {games:,} games, {sum(moves):,} moves as in the reference")
    for ours, theirs in openspiel_pairs():
        if make_game(ours) == game:
            moves = [assert_same_as_openspiel(ours, theirs, seed)[0] for seed in range(games)]
            print(f"{spec}: {games:,} games, {sum(moves):,} moves as in OpenSpiel's {theirs}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
