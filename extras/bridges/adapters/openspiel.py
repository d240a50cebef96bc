"""Games of plyground as Python games of OpenSpiel, for its algorithms.

``load_game("connect_four:rows=5")`` creates one. :func:`register_games` registers all in OpenSpiel,
so that ``pyspiel.load_game("plyground_connect_four(rows=5)")`` does the same. Actions, turns and
returns are plyground's; a game with intermediate rewards returns their sum at the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....envs.game import Game, Position
from ....envs.registry import game_names, make_game
from ....envs.rules_types import parameter_values

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ImportError as error:
    raise ImportError(
        "plyground.extras.bridges.adapters.openspiel needs: pip install open-spiel"
    ) from error

PREFIX = "plyground_"


def _game_type(game: Game) -> Any:
    """The game type registered in OpenSpiel for all boards of a game."""
    kinds = pyspiel.GameType
    return kinds(
        short_name=PREFIX + game.name,
        long_name=f"{game.name} of plyground",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.DETERMINISTIC,
        information=kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=parameter_values(game.rules),
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel publishes no types
    """A game of plyground.

    Attributes:
        game: the game.
    """

    def __init__(self, game: Game) -> None:
        self.game: Game = game
        facts = game.facts
        info = pyspiel.GameInfo(
            num_distinct_actions=facts.num_actions,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=float(facts.min_return),
            max_utility=float(facts.max_return),
            utility_sum=0.0,
            max_game_length=facts.longest_game,
        )
        super().__init__(_game_type(game), info, parameter_values(game.rules))

    def new_initial_state(self, state: Any = None) -> SpielState:
        """The initial position."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """The observer for both players, with full information."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return PlanesObserver(self.game)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A position, as OpenSpiel's algorithms play on it.

    Attributes:
        position: the :class:`~plyground.envs.game.Position`.
    """

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.position: Position = game.game.initial_position()

    def current_player(self) -> int:
        """The player to move."""
        if self.position.is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        return self.position.to_move

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal_actions()

    def _apply_action(self, action: int) -> None:
        self.position.play(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.position.game.action_to_text(action)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.position.is_over

    def returns(self) -> list[float]:
        """Both players' returns, zeros before the end."""
        if not self.position.is_over:
            return [0.0, 0.0]
        return [float(value) for value in self.position.returns]

    def __str__(self) -> str:
        return str(self.position)


class PlanesObserver:
    """Writes the planes of plyground's observations.

    Attributes:
        tensor: float32, all planes in a row.
        dict: ``{"observation": planes}`` of shape (rows, columns, planes), the same memory.
    """

    def __init__(self, game: Game) -> None:
        shape = game.facts.observation_shape
        self.tensor: np.ndarray = np.zeros(int(np.prod(shape)), np.float32)
        self.dict: dict[str, np.ndarray] = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write what a player sees."""
        self.dict["observation"][:] = state.position.observation(player)

    def string_from(self, state: SpielState, player: int) -> str:
        """The board as text."""
        return str(state.position)


def load_game(game: Game | str) -> SpielGame:
    """A game for OpenSpiel, from the game or its specification."""
    return SpielGame(make_game(game))


def register_games() -> list[str]:
    """Register all games for ``pyspiel.load_game``; returns their names."""
    spiel_names = set(pyspiel.registered_names())
    names = []
    for name in game_names():
        game = make_game(name)
        names.append(PREFIX + game.name)
        if names[-1] not in spiel_names:
            pyspiel.register_game(_game_type(game), _registered_class(game.name))
    return names


def _registered_class(name: str) -> type[SpielGame]:
    """The class from which OpenSpiel creates boards of one game, by its own parameters.

    OpenSpiel keeps registrations beyond the end of the interpreter, which a class survives.
    """

    class RegisteredGame(SpielGame):
        def __init__(self, params: dict[str, Any] | None = None) -> None:
            super().__init__(make_game(name, dict(params or {})))

    return RegisteredGame


def own_game(game: Game) -> str | None:
    """OpenSpiel's own game with the same rules and actions, or None."""
    known = game.profile.elsewhere.get("openspiel")
    return known and known.name_of(parameter_values(game.rules))


def as_bot(agent: Any, game: Game | str) -> AgentBot:
    """An agent of plyground as a bot of OpenSpiel; see :class:`AgentBot`."""
    return AgentBot(agent, make_game(game))


class AgentBot(pyspiel.Bot):  # type: ignore[misc]
    """An agent of plyground as a bot of OpenSpiel.

    It plays games of this adapter, and games of OpenSpiel with the same actions.

    Args:
        agent: an object with ``act(position)``, such as an agent.
        game: the game it plays.
    """

    def __init__(self, agent: Any, game: Game) -> None:
        super().__init__()
        self._agent, self._game = agent, game

    def step(self, state: Any) -> int:
        """The agent's action."""
        position = getattr(state, "position", None)
        if position is None:
            position = self._game.position(state.history())
        return int(self._agent.act(position.copy()))

    def restart(self) -> None:
        """Nothing: agents look at the position only."""

    def restart_at(self, state: Any) -> None:
        """Nothing: agents look at the position only."""
