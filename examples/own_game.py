"""A game of one's own: Twenty-One. Players add 1, 2 or 3 to a count in turn; whoever reaches 21
wins.

Run it with ``python examples/own_game.py``: the game is checked, played by agents, and stepped as a
PettingZoo environment.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

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
from plyground.envs.compiled.randomness import mix64


@register_game
@declare_game(
    name="twenty_one",
    version=0,
    title="Twenty-One",
    # one position is one record of these fields
    position=[("count", np.int16), ("mover", np.int8)],
    parameters=(
        Parameter("goal", int, 21, "the number that wins", 2, 100),
        Parameter("most", int, 3, "the most one may add", 2, 10),
    ),
)
class TwentyOne(NamedTuple):
    goal: int = 21
    most: int = 3


# The rules. Each is compiled; `rules` is a TwentyOne, `position` a record.


@r.start.register_body(TwentyOne)
def start(rules, position):
    position.count = 0
    position.mover = 0


@r.legal_actions.register_body(TwentyOne)
def legal_actions(rules, position, out):
    legal = min(rules.most, rules.goal - position.count)  # action a adds a + 1
    for action in range(legal):
        out[action] = action
    return legal


@r.play.register_body(TwentyOne)
def play(rules, position, action):
    position.count += action + 1
    position.mover = 1 - position.mover


@r.to_move.register_body(TwentyOne)
def to_move(rules, position):
    return np.int64(position.mover)


@r.is_over.register_body(TwentyOne)
def is_over(rules, position):
    return position.count == rules.goal


@r.returns.register_body(TwentyOne)
def returns(rules, position, player):
    if position.count < rules.goal:
        return 0.0
    return -1.0 if position.mover == player else 1.0  # the one to move next did not reach it


@r.observe.register_body(TwentyOne)
def observe(rules, position, player, out):
    out[0, position.count, 0] = 1
    out[0, :, 1] = player == 0


@r.from_observation.register_body(TwentyOne)
def from_observation(rules, observation, position):
    for count in range(rules.goal + 1):
        if observation[0, count, 0] != 0:
            position.count = count
    position.mover = 0 if observation[0, 0, 1] != 0 else 1


@r.key.register_body(TwentyOne)
def key(rules, position):
    return mix64(np.uint64(2 * position.count + position.mover))


# What the game says of itself, in plain Python.


@r.facts.register(TwentyOne)
def facts(rules: TwentyOne) -> Facts:
    return Facts(
        num_actions=rules.most,
        longest_game=rules.goal,
        min_return=-1.0,
        max_return=1.0,
        observation_shape=(1, rules.goal + 1, 2),
    )


@r.board.register(TwentyOne)
@functools.cache
def board(rules: TwentyOne) -> Board:
    return Board(actions=[f"+{number}" for number in range(1, rules.most + 1)], kind="move")


@r.board_text.register(TwentyOne)
def board_text(rules: TwentyOne, position: Any) -> str:
    return f"{position.count} of {rules.goal}"


@r.outcome_reason.register(TwentyOne)
def outcome_reason(rules: TwentyOne, position: Any) -> str:
    return f"{rules.goal} reached"


# The environments; also pettingzoo.make("aec", "plyground/twenty_one-v0").
env, raw_env = env_functions(TwentyOne)


def main() -> None:
    check_game("twenty_one")
    check_env("twenty_one")
    print("twenty_one conforms")

    agent = plyground.make_agent("alphabeta:depth=10")
    environment = env(goal=10, render_mode="ansi")
    environment.reset()
    for player in environment.agent_iter():
        _, reward, terminated, _, _ = environment.last()
        print(
            environment.render(), f"{player} got {reward:g}" if terminated else f"{player} to move"
        )
        environment.step(None if terminated else agent.act(environment))


if __name__ == "__main__":
    main()
