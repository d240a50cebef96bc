"""The memory of replies changes no game, has its space, and gives up where it is of no use."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import SMALL_GAMES
from plyground import make_agent, make_game
from plyground.agents.opponents import make_opponents
from plyground.envs.compiled.kernels import kernel
from plyground.envs.compiled.randomness import new_stream
from plyground.envs.single_agent.game_batch import GameBatch
from plyground.envs.single_agent.replies import (
    ASKED,
    MOST_BYTES,
    NOTHING,
    OFF,
    RECALLED,
    TRIAL,
    new_memory,
    recall,
    store_reply,
)

GAMES_AT_ONCE, STEPS = 32, 60


@kernel
def ask(memory, rules, position):
    return recall(memory, rules, position)


def games(spec, opponent, remembers):
    """The positions of many games, step by step."""
    game = make_game(spec)
    opponents = [
        each._replace(by_position=each.by_position and remembers)
        for each in make_opponents(opponent, game)
    ]
    batch = GameBatch(game, GAMES_AT_ONCE, opponents, opening_plies=2)
    batch.reset(seed=5)
    stream, positions = new_stream(6), [batch.state.positions.copy()]
    for _ in range(STEPS):
        batch.step(batch.draw_actions(stream))
        positions.append(batch.state.positions.copy())
    return np.stack(positions)


@pytest.mark.fast_cases(3)
@pytest.mark.parametrize(
    ("spec", "opponent"),
    [
        ("tic_tac_toe", "solver:memory=4"),
        ("tic_tac_toe", "mix:0.5 minimax:depth=3,0.5 greedy"),
        ("dots_and_boxes:rows=2,cols=2", "alphabeta:depth=2"),
        ("dots_and_boxes:rows=2,cols=2", "solver:memory=4"),
        *((spec, "alphabeta:depth=2") for spec in SMALL_GAMES),
    ],
)
def test_games_are_the_same_with_and_without_a_memory(spec, opponent):
    assert np.array_equal(games(spec, opponent, True), games(spec, opponent, False))


def test_only_agents_that_answer_by_the_position_alone_are_remembered():
    game = make_game("connect_four")
    by_position = {
        text: make_agent(text).by_position
        for text in (
            "random",
            "greedy",
            "mcts:simulations=5",
            "alphabeta:depth=2",
            "alphabeta:time=1",
            "minimax",
            "solver",
            "solver:threads=2",
        )
    }
    assert {text for text, is_so in by_position.items() if is_so} == {
        "alphabeta:depth=2",
        "minimax",
        "solver",
    }
    assert not any(each.by_position for each in make_opponents("mix:1 random,1 greedy", game))


@pytest.mark.fast_cases(3)
@pytest.mark.parametrize("spec", SMALL_GAMES)
def test_positions_are_compared_whole(spec):
    game = make_game(spec)
    memory, position = new_memory(game, 1, True), game.initial_position()
    # every position falls to the same place
    memory = memory._replace(positions=memory.positions[:1], actions=memory.actions[:1])
    first = position.copy()
    store_reply(memory, game.rules, first.record, 3)
    assert ask(memory, game.rules, first.record) == 3
    position.play(position.legal_actions()[-1])
    assert ask(memory, game.rules, position.record) == NOTHING
    store_reply(memory, game.rules, position.record, 1)
    assert ask(memory, game.rules, position.record) == 1
    assert ask(memory, game.rules, first.record) == NOTHING
    assert memory.counts[[ASKED, RECALLED, OFF]].tolist() == [4, 2, 0]


@pytest.mark.parametrize(("hits", "is_off"), [(TRIAL // 2 - 1, True), (TRIAL // 2, False)])
def test_a_memory_of_few_hits_is_given_up(hits, is_off):
    game = make_game("connect_four")
    memory, position = new_memory(game, 1, True), game.initial_position()
    for number in range(TRIAL):
        if number == TRIAL - 1 - hits:
            store_reply(memory, game.rules, position.record, 3)
        ask(memory, game.rules, position.record)
    assert memory.counts[OFF] == is_off
    assert (ask(memory, game.rules, position.record) == NOTHING) == is_off


@pytest.mark.parametrize("spec", SMALL_GAMES)
def test_the_memories_of_a_batch_have_their_space(spec):
    game = make_game(spec)
    for memories in (1, 3, 64):
        memory = new_memory(game, memories, True)
        assert memories * (memory.positions.nbytes + memory.actions.nbytes) <= MOST_BYTES
        assert memory.actions.size & (memory.actions.size - 1) == 0
    assert new_memory(game, 1, False).counts[OFF] == 1
