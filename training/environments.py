"""Environments for learners by name: ``gymnasium.make`` and ``gymnasium.make_vec``.

An example is ``gymnasium.make("plyground/ConnectFour-v0", opponent="alphabeta:depth=2")``.
Importing plyground registers them. ``gymnasium.make("plyground:plyground/ConnectFour-v0")`` imports
plyground by itself.
"""

from __future__ import annotations

from typing import Any

from gymnasium.vector import AutoresetMode

from ..agents.opponents import make_opponents
from ..envs.game import Game
from ..envs.observations import AS_PLANES, ObservationOptions
from ..envs.registry import make_game
from ..envs.single_agent.env import SingleAgentEnv
from ..envs.single_agent.vector_env import BoardVectorEnv
from ..envs.specification import SpecificationError


class LearnerEnv(SingleAgentEnv):
    """The environment that :func:`make_env` makes: opponents are given as text or objects."""

    def set_opponent(self, opponent: Any) -> None:
        """Play against others from now on; the game under way goes on against one of them.

        Args:
            opponent: as for :func:`make_env`.
        """
        self.set_opponents(make_opponents(opponent, self.game))


class LearnerVectorEnv(BoardVectorEnv):
    """The environment that :func:`make_vector_env` makes."""

    def set_opponent(self, opponent: Any) -> None:
        """Play against others from now on; games under way go on against one of them.

        Args:
            opponent: as for :func:`make_env`.
        """
        self.set_opponents(make_opponents(opponent, self.game))


def make_env(
    game: Game | str,
    opponent: Any = "random",
    seat: int | str = "random",
    illegal: str = "penalty",
    opening_plies: int = 0,
    render_mode: str | None = None,
    **parameters: Any,
) -> LearnerEnv:
    """A :class:`~plyground.envs.single_agent.env.SingleAgentEnv` with ``set_opponent``.

    Args:
        game: the game, or its specification.
        opponent: what :func:`~plyground.agents.opponents.make_opponents` takes: a specification, an
            agent, ``"mix:0.3 random,0.7 greedy"``, a list.
        seat: the learner's: 0 (moves first), 1, or ``"random"``.
        illegal: ``"penalty"`` or ``"raise"``, as for the class.
        opening_plies: as for the class.
        render_mode: as for the class.
        **parameters: the game's, ``rows=5``, and the options of
            :class:`~plyground.envs.observations.ObservationOptions`.

    Raises:
        UnknownOptionError: a keyword that is neither.
    """
    shown = ObservationOptions.read(AS_PLANES, parameters)
    board = _board(game, parameters)
    opponents = make_opponents(opponent, board)
    return LearnerEnv(
        board,
        opponents,
        seat=seat,
        illegal=illegal,
        opening_plies=opening_plies,
        render_mode=render_mode,
        **shown._asdict(),
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
    autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    render_mode: str | None = None,
    **parameters: Any,
) -> LearnerVectorEnv:
    """A :class:`~plyground.envs.single_agent.vector_env.BoardVectorEnv` with ``set_opponent``.

    With ``opponent=None`` the caller acts for both players. The rest is as in :func:`make_env`.
    """
    shown = ObservationOptions.read(AS_PLANES, parameters)
    board = _board(game, parameters)
    opponents = None if opponent is None else make_opponents(opponent, board)
    return LearnerVectorEnv(
        board,
        num_envs,
        opponents,
        seat=seat,
        illegal=illegal,
        opening_plies=opening_plies,
        threads=threads,
        copy=copy,
        autoreset_mode=autoreset_mode,
        render_mode=render_mode,
        **shown._asdict(),
    )


class UnknownOptionError(SpecificationError, TypeError):
    """A keyword that nobody knows.

    It is a TypeError too, as for any other function: TorchRL tries keywords out.
    """


def _board(game: Game | str, parameters: dict[str, Any]) -> Game:
    """The game with these parameters."""
    try:
        return make_game(game, parameters)
    except SpecificationError as error:
        declaration = make_game(game).declaration
        known = {known.name for known in declaration.parameters + declaration.short_forms}
        unknown = [name for name in parameters if name not in known]
        if not unknown:
            raise
        raise UnknownOptionError(
            f"{error}; it is an unexpected keyword argument {unknown[0]!r}"
        ) from None
