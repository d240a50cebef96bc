"""The environments behind the adapters, created through Gymnasium's registry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium

from ....envs.game import Game
from ....envs.loading.ids import gymnasium_id
from ....envs.registry import make_game
from ....envs.single_agent.env import SingleAgentEnv
from ....envs.single_agent.vector_env import BoardVectorEnv


def _make(function: Callable[..., Any], game: Game | str, **options: Any) -> Any:
    board = make_game(game)
    env_id = gymnasium_id(board.declaration.name, board.declaration.version)
    return function(env_id, game=board, **options).unwrapped


def make_single(game: Game | str, **options: Any) -> SingleAgentEnv:
    """The environment of one game; options as for ``gymnasium.make`` of its id."""
    made: SingleAgentEnv = _make(gymnasium.make, game, disable_env_checker=True, **options)
    return made


def make_vector(game: Game | str, num_envs: int, **options: Any) -> BoardVectorEnv:
    """The environment of many games; options as for ``gymnasium.make_vec`` of its id."""
    made: BoardVectorEnv = _make(gymnasium.make_vec, game, num_envs=num_envs, **options)
    return made
