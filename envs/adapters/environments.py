"""Environments that adapters are built on, made through Gymnasium's registry."""

from __future__ import annotations

from typing import Any

import gymnasium

from ..game import Game
from ..loading.ids import gymnasium_id
from ..registry import make_game
from ..single_agent.env import SingleAgentEnv
from ..single_agent.vector_env import BoardVectorEnv


def make_single(game: Game | str, **options: Any) -> SingleAgentEnv:
    """The environment of one game; options as for ``gymnasium.make`` of its id."""
    board = make_game(game)
    made: Any = gymnasium.make(
        gymnasium_id(board.declaration.name, board.declaration.version),
        game=board,
        disable_env_checker=True,
        **options,
    ).unwrapped
    assert isinstance(made, SingleAgentEnv)
    return made


def make_vector(game: Game | str, num_envs: int, **options: Any) -> BoardVectorEnv:
    """The environment of many games; options as for ``gymnasium.make_vec`` of its id."""
    board = make_game(game)
    made: Any = gymnasium.make_vec(
        gymnasium_id(board.declaration.name, board.declaration.version),
        num_envs=num_envs,
        game=board,
        **options,
    ).unwrapped
    assert isinstance(made, BoardVectorEnv)
    return made
