"""What is special about Kalah: captures of nothing, the end, pits of each player."""

from __future__ import annotations

import random

import gymnasium
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plyground import make_game
from plyground.envs import kalah_v0
from plyground.envs import rules as r
from plyground.envs.pictures.drawing import Ring, to_array


def position_of(first, second, stores=(0, 0), **parameters):
    """The position with these seeds in the pits and stores, player 0 to move."""
    pits, total = len(first), sum(first) + sum(second) + sum(stores)
    game = make_game("kalah", pits=pits, seeds=total // (2 * pits), **parameters)
    position = game.initial_position()
    seeds = [*first, stores[0], *second, stores[1]]
    position.record.seeds[: len(seeds)] = seeds
    assert game.position_from_observation(position.observation()) == position
    return position


def seeds_of(position):
    """The pits of both players, and the stores."""
    pits, seeds = position.game.rules.pits, position.record.seeds.tolist()
    return (seeds[:pits], seeds[pits + 1 : 2 * pits + 1], (seeds[pits], seeds[2 * pits + 1]))


@pytest.mark.parametrize(("empty_capture", "store", "pit"), [("no", 0, 1), ("yes", 1, 0)])
def test_the_last_seed_is_captured_alone_only_if_captures_of_nothing_count(
    empty_capture, store, pit
):
    position = position_of([1, 0, 1], [1, 0, 3], (0, 0), empty_capture=empty_capture)
    assert position.play("a").to_move == 1
    assert seeds_of(position) == ([0, pit, 1], [1, 0, 3], (store, 0))


@pytest.mark.parametrize(
    ("remaining", "seeds"),
    [
        ("owner", ([0, 0], [0, 0], (2, 6))),
        ("opponent", ([0, 0], [0, 0], (5, 3))),
        ("nobody", ([0, 0], [2, 1], (2, 3))),
    ],
)
def test_the_seeds_left_at_the_end_are_for_whom_the_rule_says(remaining, seeds):
    position = position_of([0, 1], [2, 1], (1, 3), remaining=remaining, reward="margin").play("b")
    assert position.is_over
    assert seeds_of(position) == seeds
    assert position.returns[0] == seeds[2][0] - seeds[2][1]


def weight(position):
    """The weight of all seeds, which the docstring of the rules bounds the length of games by."""
    pits = position.game.rules.pits
    return sum(
        seeds * (pits * (pits - 1) + pits - pit)
        for side in seeds_of(position)[:2]
        for pit, seeds in enumerate(side)
    )


@given(st.integers(2, 6), st.integers(1, 6), st.sampled_from(["no", "yes"]), st.integers(0, 2**32))
def test_every_move_takes_weight_off_the_seeds(pits, seeds, empty_capture, seed):
    game = make_game("kalah", pits=pits, seeds=seeds, empty_capture=empty_capture)
    rng, position = random.Random(seed), game.initial_position()
    assert weight(position) == game.facts.longest_game
    while not position.is_over:
        before = weight(position)
        position.play(rng.choice(position.legal_actions()))
        assert weight(position) < before


def test_moves_that_move_again_and_captures_are_tried_first():
    position = position_of([1, 0, 2, 3, 2, 0], [1, 2, 3, 4, 3, 3], (0, 0))
    order = np.array(position.legal_actions(), np.int16)
    r.order_actions(position.game.rules, position.record, order, len(order))
    names = [position.game.action_to_text(action) for action in order]
    assert names == ["e", "d", "a", "c"]  # e and d end in the store, a captures


def ring(picture):
    (found,) = (shape for shape in picture.shapes if isinstance(shape, Ring))
    return found.x, found.y


def test_pictures_mark_the_pit_of_the_player_who_sowed_it():
    position = make_game("kalah").initial_position()
    board = r.board(position.game.rules)
    areas = [*board.areas, *board.second_areas]
    for action in (2, 5, 0, 0):  # c moves again; both players sow a
        mover = position.to_move
        position.play(action)
        number = board.area_number(action, mover)
        assert ring(r.picture(position.game.rules, position.record, number)) == areas[number].centre
        assert position.to_svg(action) == position.copy().to_svg(action)
    assert areas[0].centre[1] > areas[6].centre[1]


def test_environments_mark_the_last_move_of_its_player():
    env = kalah_v0.env(render_mode="rgb_array")
    env.reset()
    env.step(2)  # player 0 moves again
    expected = np.asarray(env.unwrapped.position.to_image(2))
    assert np.array_equal(env.render(), expected)
    single = gymnasium.make(
        "plyground/Kalah-v0", opponent="random", seat=1, render_mode="rgb_array"
    )
    _, info = single.reset(seed=1)
    action = int(np.flatnonzero(info["action_mask"])[0])
    single.step(action)
    position = single.unwrapped.position
    number = r.board(position.game.rules).area_number(action, 1)
    expected = to_array(r.picture(position.game.rules, position.record, number))
    assert np.array_equal(single.render(), expected)
