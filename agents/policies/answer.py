"""Policies as opponents on a device: torch evaluates the network, a kernel chooses by its answer.

Moves are those that the agents play on a processor. What torch rounds differently decides one only
where two actions are as good as equal (see ``TIE``).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...envs.compiled.kernels import inner_kernel
from ...envs.compiled.threads import allow_threads
from ...envs.game import Game
from ...envs.single_agent.opponents import ByNetwork, Turns, choose_actions, new_turns
from .policy import PolicyAgent, choose_by_logits


class _Answer(NamedTuple):
    """A network's answer for one game, and the choice by it."""

    temperature: float
    turns: Turns
    logits: Any  # float32, (1, num_actions)
    values: Any  # float32, (1,)
    probabilities: Any  # float64, (num_actions,)


allow_threads(_Answer)


@choose_actions.register_body(_Answer)
@inner_kernel
def _choose_by_answer(opponent, streams, count):
    """As on a processor; a network that returns NaN or infinity plays its first legal action."""
    turns = opponent.turns
    for turn in range(count):
        action = choose_by_logits(
            opponent.logits[turn],
            opponent.values[turn],
            turns.masks[turn],
            opponent.temperature,
            streams[turns.games[turn]],
            opponent.probabilities,
        )
        if action < 0:
            action = 0
            while turns.masks[turn, action] == 0:
                action += 1
        turns.actions[turn] = action
    return True


def answering(agent: PolicyAgent, game: Game) -> ByNetwork | None:
    """A policy's form for a device; None: torch does not evaluate its network."""
    module = agent.network.as_module()
    if module is None:
        return None
    count = game.facts.num_actions
    answer = _Answer(
        agent.options["temperature"],
        new_turns(game, 1),
        np.zeros((1, count), np.float32),
        np.zeros(1, np.float32),
        np.zeros(count),
    )
    return ByNetwork(answer, module)
