"""Environments for learners by name: ``gymnasium.make`` and ``gymnasium.make_vec``.

An example is ``gymnasium.make("plyground/ConnectFour-v0", opponent="alphabeta:depth=2")``.
Importing plyground registers them. ``gymnasium.make("plyground:plyground/ConnectFour-v0")`` imports
plyground itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

from ..agents.judges import make_judge
from ..agents.opponents import make_opponents
from ..envs.game import Game
from ..envs.registry import make_game
from ..envs.single_agent.device_env import DeviceVectorEnv
from ..envs.single_agent.env import SingleAgentEnv
from ..envs.single_agent.opponents import Opponent
from ..envs.single_agent.options import SingleOptions, VectorOptions
from ..envs.single_agent.vector_env import BoardVectorEnv
from ..envs.specification import SpecificationError


class ReplaceableOpponents:
    """``set_opponent`` for environments with opponents given as text or objects."""

    game: Game

    if TYPE_CHECKING:

        def set_opponents(self, opponents: Sequence[Opponent]) -> None: ...

    def set_opponent(self, opponent: Any) -> None:
        """Change the opponents; games in progress continue against one of the new ones.

        Args:
            opponent: as for :func:`make_env`.
        """
        self.set_opponents(make_opponents(opponent, self.game))


class LearnerEnv(ReplaceableOpponents, SingleAgentEnv):
    """The environment that :func:`make_env` makes."""


class LearnerVectorEnv(ReplaceableOpponents, BoardVectorEnv):
    """The environment that :func:`make_vector_env` makes."""


class LearnerDeviceEnv(ReplaceableOpponents, DeviceVectorEnv):
    """The environment that :func:`make_vector_env` makes for a GPU."""


def make_env(
    game: Game | str, opponent: Any = "random", **options: Unpack[SingleOptions]
) -> LearnerEnv:
    """A :class:`~plyground.envs.single_agent.env.SingleAgentEnv` with ``set_opponent``.

    Args:
        game: the game, or its specification.
        opponent: what :func:`~plyground.agents.opponents.make_opponents` takes: a specification, an
            agent, ``"mix:0.3 random,0.7 greedy"``, a list.
        **options: options of :class:`~plyground.envs.single_agent.options.SingleOptions`; other
            keywords are parameters of the game, such as ``rows=5``.

    Raises:
        UnknownOptionError: a keyword that is neither.
    """
    board = read_game(game, options, SingleOptions, "opponent")
    return LearnerEnv(board, make_opponents(opponent, board), **options)


def make_vector_env(
    game: Game | str, num_envs: int, opponent: Any = "random", **options: Unpack[VectorOptions]
) -> LearnerVectorEnv | LearnerDeviceEnv:
    """A :class:`~plyground.envs.single_agent.vector_env.BoardVectorEnv` with ``set_opponent``.

    With ``device="cuda"`` it is a
    :class:`~plyground.envs.single_agent.device_env.DeviceVectorEnv`.

    With ``opponent=None`` the caller acts for both players. The rest is as in :func:`make_env`,
    with the options of :class:`~plyground.envs.single_agent.options.VectorOptions`.
    """
    board = read_game(game, options, VectorOptions, "num_envs", "opponent")
    opponents = None if opponent is None else make_opponents(opponent, board)
    device = options.pop("device", "cpu")
    if device == "cpu":
        return LearnerVectorEnv(board, num_envs, opponents, **options)
    return LearnerDeviceEnv(board, num_envs, opponents, device=device, **options)


class UnknownOptionError(SpecificationError, TypeError):
    """An unknown keyword.

    Also a TypeError, as for any function: TorchRL tries keywords.
    """


def read_game(game: Game | str, keywords: Any, kind: Any, *names: str) -> Game:
    """The game with its parameters, which are removed from the keywords; creates a judge too.

    Args:
        game: the game, or its specification.
        keywords: options and parameters by name.
        kind: the possible options, a TypedDict.
        *names: the environment's other arguments.

    Raises:
        UnknownOptionError: a keyword that is neither.
        SpecificationError: a judge that does not exist or cannot play the game.
    """
    options = kind.__annotations__
    parameters = {name: keywords.pop(name) for name in [*keywords] if name not in options}
    declaration = make_game(game).declaration
    try:
        declaration.check_keywords(parameters, [*names, *options])
    except SpecificationError as error:
        raise UnknownOptionError(str(error)) from None
    board = make_game(game, parameters)
    if keywords.get("regret") is not None:
        keywords["regret"] = make_judge(keywords["regret"], board)
    return board
