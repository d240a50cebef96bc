"""PettingZoo's own environments, and two AEC environments compared by what can be seen of them."""

from __future__ import annotations

import copy
import importlib
import re

import numpy as np
from pettingzoo.utils.env_logger import EnvLogger
from plyground.envs.rules_types import parameter_values

STATE = (
    "agents",
    "agent_selection",
    "rewards",
    "_cumulative_rewards",
    "terminations",
    "truncations",
    "num_agents",
    "possible_agents",
)


def pettingzoo_module(game):
    """PettingZoo's module of a game, with ``env`` and ``raw_env``, or None where it has none."""
    known = game.profile.elsewhere.get("pettingzoo")
    name = known and known.name_of(parameter_values(game.rules))
    if name is None:
        return None
    stem = re.sub(r"_v\d+$", "", name)
    return importlib.import_module(f"pettingzoo.classic.{stem}.{stem}")


def outcome_of(action):
    """What a call does: its value, or the exception's type and message; and the warnings logged
    meanwhile.
    """
    EnvLogger.flush()
    try:
        result = action()
    except Exception as error:
        result = (type(error), str(error))
    return result, list(EnvLogger.mqueue)


def same_observation(ours, theirs, game_over):
    assert np.array_equal(ours["observation"], theirs["observation"])
    assert ours["observation"].dtype == theirs["observation"].dtype
    # once the game is over nothing is legal here; PettingZoo goes on marking the columns that are
    # not full
    if not game_over:
        assert np.array_equal(ours["action_mask"], theirs["action_mask"])
        assert ours["action_mask"].dtype == theirs["action_mask"].dtype


def same_state(ours, theirs, names=STATE):
    for name in names:
        if name == "agent_selection" and getattr(theirs, "agents", None) == []:
            continue  # nobody is left to be selected
        mine, other = (
            outcome_of(lambda name=name: copy.copy(getattr(ours, name))),
            outcome_of(lambda name=name: copy.copy(getattr(theirs, name))),
        )
        if name == "_cumulative_rewards" and isinstance(other[0], tuple):
            # an attribute neither has yet; the message names the class
            assert mine[0][0] is other[0][0]
        else:
            assert mine == other, name
