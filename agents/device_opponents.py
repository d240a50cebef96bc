"""Agents as opponents on a device, where they have another form than inside compiled loops.

Their moves are those that the agents play on a processor. The network of a policy is evaluated by
torch, in float32; what it rounds differently decides a move only where two actions are as good as
equal (see ``TIE``).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..envs.compiled.kernels import inner_kernel
from ..envs.compiled.threads import allow_threads
from ..envs.game import Game
from ..envs.single_agent.opponents import ByNetwork, Turns, choose_actions, new_turns
from .policies.policy import PolicyAgent, choose_by_logits


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


def _make_network(agent: PolicyAgent, game: Game) -> ByNetwork | None:
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


def device_form(agent: Any) -> Callable[[Game], Any] | None:
    """The function that makes an agent's form for a device; None: it has no other than compiled."""
    if isinstance(agent, PolicyAgent) and not agent.options["symmetries"]:
        return functools.partial(_make_network, agent)
    return None
