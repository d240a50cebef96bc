"""A game of 30,000 actions that relies on every default rule body, played in all environments.

``python tests/many_actions.py`` plays it: a fault of memory then ends a process of its own.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import gymnasium
import numpy as np
import plyground
from plyground.envs import (
    Board,
    Facts,
    Parameter,
    check_env,
    check_game,
    declare_game,
    env_functions,
    register_game,
)
from plyground.envs import rules as r
from plyground.envs.compiled.randomness import mix64, new_stream

PLIES = 4


@register_game
@declare_game(
    name="highest_number",
    version=0,
    title="Highest Number",
    position=[("owner", np.int8, 30_000), ("ply", np.int16), ("hash", np.uint64)],
    parameters=(Parameter("numbers", int, 30_000, "how many there are", 8, 30_000),),
)
class HighestNumber(NamedTuple):
    """Players name two numbers each, in turn; the owner of the highest number named wins."""

    numbers: int = 30_000


@r.start.register_body(HighestNumber)
def start(rules, position):
    position.owner[:] = 0
    position.ply = 0
    position.hash = 0


@r.legal_actions.register_body(HighestNumber)
def legal_actions(rules, position, out):
    count = 0
    if position.ply < PLIES:
        for number in range(rules.numbers):
            if position.owner[number] == 0:
                out[count] = number
                count += 1
    return count


@r.play.register_body(HighestNumber)
def play(rules, position, action):
    player = position.ply & 1
    position.owner[action] = player + 1
    position.hash ^= mix64(np.uint64(2 * action + player + 1))
    position.ply += 1


@r.to_move.register_body(HighestNumber)
def to_move(rules, position):
    return np.int64(position.ply & 1)


@r.is_over.register_body(HighestNumber)
def is_over(rules, position):
    return position.ply == PLIES


@r.returns.register_body(HighestNumber)
def returns(rules, position, player):
    if position.ply == PLIES:
        for number in range(rules.numbers - 1, -1, -1):
            if position.owner[number] != 0:
                return 1.0 if position.owner[number] == player + 1 else -1.0
    return 0.0


@r.observe.register_body(HighestNumber)
def observe(rules, position, player, out):
    for number in range(rules.numbers):
        out[0, number, 0] = position.owner[number] == player + 1
        out[0, number, 1] = position.owner[number] == 2 - player


@r.from_observation.register_body(HighestNumber)
def from_observation(rules, observation, position):
    start(rules, position)
    count = 0
    for number in range(rules.numbers):
        count += observation[0, number, 0] + observation[0, number, 1]
    player = count & 1
    for number in range(rules.numbers):
        for plane in range(2):
            if observation[0, number, plane] != 0:
                owner = player if plane == 0 else 1 - player
                position.owner[number] = owner + 1
                position.hash ^= mix64(np.uint64(2 * number + owner + 1))
    position.ply = count


@r.key.register_body(HighestNumber)
def key(rules, position):
    return position.hash


@r.facts.register(HighestNumber)
def facts(rules: HighestNumber) -> Facts:
    return Facts(rules.numbers, PLIES, -1.0, 1.0, (1, rules.numbers, 2))


@r.board.register(HighestNumber)
@functools.cache
def board(rules: HighestNumber) -> Board:
    return Board(actions=[*map(str, range(rules.numbers))])


@r.board_text.register(HighestNumber)
def board_text(rules: HighestNumber, position) -> str:
    numbers = np.flatnonzero(position.owner)
    return " ".join(f"{number}:{position.owner[number]}" for number in numbers) or "none"


@r.outcome_reason.register(HighestNumber)
def outcome_reason(rules: HighestNumber, position) -> str:
    return f"{np.flatnonzero(position.owner)[-1]} is the highest number"


env, raw_env = env_functions(HighestNumber)


def main() -> None:
    game, last = plyground.make_game("highest_number"), 29_999

    position = game.position([last, 0, 1])
    assert position.is_legal(29_998)
    assert not position.is_legal(last)
    assert len(position.legal_actions()) == 29_997
    assert position.after(2).returns == (1.0, -1.0)
    assert r.candidates(game.rules, position.record, 0, np.empty(30_000, np.int16)) == 29_997
    drawn = r.random_action(game.rules, position.record, new_stream(1), np.empty(30_000, np.int16))
    assert position.is_legal(int(drawn))

    aec = env()
    aec.reset()
    for action in (5, last, 7, 8):
        aec.step(action)
    assert aec.rewards == {"player_0": -1.0, "player_1": 1.0}

    name = "plyground/HighestNumber-v0"
    single = gymnasium.make(name, opponent="random", seat=0).unwrapped
    single.reset(seed=1)
    single.step(np.int64(last))
    *_, terminated, _, info = single.step(np.int64(9))
    assert terminated
    assert not info["illegal_action"]

    vector = gymnasium.make_vec(name, num_envs=3, opponent="random", seat=0)
    vector.reset(seed=1)
    vector.step(np.array([last, last, last]))
    _, rewards, ends, _, _ = vector.step(np.array([9, 10, last]))
    assert ends.all()
    assert rewards.tolist() == [1.0, 1.0, -1.0]

    check_game(game, games=2)
    check_env(game, games=1)
    print("played 30000 actions")


if __name__ == "__main__":
    main()
