"""Environments for learners by name: ``gymnasium.make`` and ``gymnasium.make_vec``.

An example is ``gymnasium.make("plyground/ConnectFour-v0", opponent="alphabeta:depth=2")``.
Importing plyground registers them. ``gymnasium.make("plyground:plyground/ConnectFour-v0")`` imports
plyground by itself.
"""

from __future__ import annotations

from typing import Any

import gymnasium

from ..agents.opponents import make_opponents
from ..envs.game import Game
from ..envs.registry import BUILT_IN, make_game
from ..envs.single_agent.env import SingleAgentEnv
from ..envs.single_agent.vector_env import BoardVectorEnv


def make_env(
    game: Game | str,
    opponent: Any = "random",
    seat: int | str = "random",
    illegal: str = "penalty",
    opening_plies: int = 0,
    render_mode: str | None = None,
    **parameters: Any,
) -> SingleAgentEnv:
    """A :class:`~plyground.envs.single_agent.env.SingleAgentEnv`.

    Args:
        game: the game, or its specification.
        opponent: what :func:`~plyground.agents.opponents.make_opponents` takes: a specification, an
            agent, ``"mix:0.3 random,0.7 greedy"``, a list.
        seat: the learner's: 0 (moves first), 1, or ``"random"``.
        illegal: ``"penalty"`` or ``"raise"``, as for the class.
        opening_plies: as for the class.
        render_mode: as for the class.
        **parameters: the game's, ``rows=5``.
    """
    board = make_game(game, parameters)
    opponents = make_opponents(opponent, board)
    return SingleAgentEnv(
        board,
        opponents,
        seat=seat,
        illegal=illegal,
        opening_plies=opening_plies,
        render_mode=render_mode,
    )


def make_vector_env(
    game: Game | str,
    num_envs: int,
    opponent: Any = "random",
    seat: int | str = "random",
    illegal: str = "penalty",
    opening_plies: int = 0,
    threads: int = 1,
    copy: bool = True,
    **parameters: Any,
) -> BoardVectorEnv:
    """A :class:`~plyground.envs.single_agent.vector_env.BoardVectorEnv`.

    With ``opponent=None`` the caller acts for both players. The rest is as in :func:`make_env`.
    """
    board = make_game(game, parameters)
    opponents = None if opponent is None else make_opponents(opponent, board)
    return BoardVectorEnv(
        board,
        num_envs,
        opponents,
        seat=seat,
        illegal=illegal,
        opening_plies=opening_plies,
        threads=threads,
        copy=copy,
    )


def environment_id(declaration: Any) -> str:
    """The id of a game's Gymnasium environment: ``plyground/ConnectFour-v0``."""
    return f"plyground/{declaration.name.title().replace('_', '')}-v{declaration.version}"


def register_environment(rules_type: Any) -> str:
    """Make the environments of a game known to Gymnasium; returns their id."""
    name = environment_id(rules_type.declaration)
    if name not in gymnasium.registry:
        single, vector = f"{__name__}:make_env", f"{__name__}:make_vector_env"
        gymnasium.register(
            name,
            entry_point=single,
            vector_entry_point=vector,
            kwargs={"game": rules_type.declaration.name},
        )
    return name


def register_environments() -> list[str]:
    """Register the environments of all games that come with plyground; returns their ids."""
    return [register_environment(rules_type) for rules_type in BUILT_IN]
