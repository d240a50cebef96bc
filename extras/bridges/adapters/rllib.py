"""Games as environments of RLlib (its new API stack), one by one or many in one compiled loop.

``config.environment(**board("tic_tac_toe"))`` is all that RLlib needs. With
``config.env_runners(gym_env_vectorize_mode="vector_entry_point", num_envs_per_env_runner=64)`` an
env runner steps its games together; the other modes of RLlib step them one by one. Observations
have the form of RLlib's own module for action masks: a dictionary with ``observations`` (float32,
one row) and ``action_mask``.

PettingZoo's environments for both players, ``plyground.envs.connect_four_v0``, need no adapter but
RLlib's ``PettingZooEnv``.
"""

from __future__ import annotations

from typing import Any

from ....envs.game import Game
from ....envs.registry import make_game
from .environments import make_single, make_vector

try:
    from ray.tune.registry import register_env
except ImportError as error:
    raise ImportError(
        'plyground.extras.bridges.adapters.rllib needs: pip install "ray[rllib]"'
    ) from error

NAME = "plyground"  # the name of the environments in RLlib


def board(game: Game | str, **options: Any) -> dict[str, Any]:
    """The arguments of ``config.environment`` for a game.

    Args:
        game: the game, or its specification.
        **options: as for ``gymnasium.make``: ``opponent="greedy"``, ``layout="hwc"``.
    """
    view = {
        "observation": "dict",
        "planes_key": "observations",
        "layout": "flat",
        "dtype": "float32",
    }
    register_env(NAME, make_env)
    return {"env": NAME, "env_config": {"game": make_game(game).spec, **view, **options}}


def make_env(config: Any) -> Any:
    """Create the environment described by ``env_config``; with ``num_envs``, a vector one."""
    options = dict(config)
    game, count = options.pop("game"), options.pop("num_envs", None)
    if count is None:
        return make_single(game, **options)
    # RLlib treats the step after the end of a game as the start of the next one
    return make_vector(game, count, autoreset_mode="next-step", **options)
