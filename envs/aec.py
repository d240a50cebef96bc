"""PettingZoo AEC environments: one class for all games.

``env()`` behaves as PettingZoo's classic games do inside ``TerminateIllegalWrapper`` (illegal
reward −1), ``AssertOutOfBoundsWrapper`` and ``OrderEnforcingWrapper``, with the same errors and
messages, but the class does it itself: three wrappers cost many times as much as the move.
``raw_env()`` is the same class without these checks; it refuses an illegal action with an error.

Every built-in game has a module such as ``plyground.envs.connect_four_v0`` with ``env`` and
``raw_env``; :func:`env_functions` makes them.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from .compiled.kernels import announce_compilation, entry_point
from .environments.observations import AS_DICT, ObservationOptions, starting_position
from .environments.rendering import RENDER_MODES, RenderedBoard, check_render_mode
from .game import Game, IllegalActionError, Position
from .loading.ids import register_with_pettingzoo
from .outcome import PLAYERS
from .registry import make_game
from .rules_types import Declaration
from .specification import SpecificationError, check_names
from .stepping import describe_turn, records_of, step_turn

Observation = dict[str, np.ndarray]
OPTIONS = ("render_mode", "agents", *ObservationOptions._fields)  # besides a game's parameters

ILLEGAL_REWARD = -1.0
KNOWN_AFTER_RESET = frozenset(
    (
        "rewards",
        "terminations",
        "truncations",
        "infos",
        "agent_selection",
        "num_agents",
        "agents",
        "position",
    )
)


class IllegalMoveError(IllegalActionError, AssertionError):
    """``raw_env`` was given an illegal action.

    It is an AssertionError, as the raw environments of PettingZoo raise.
    """


class BoardEnv(RenderedBoard, AECEnv[str, Observation, int]):  # type: ignore[misc]  # PettingZoo publishes no types
    """A board game for two agents: by default ``player_0`` (who moves first) and ``player_1``.

    An observation is ``{"observation": …, "action_mask": …}``: int8 planes of shape
    ``game.facts.observation_shape`` as that agent sees the board, and an int8 mask with 1 at each
    action the agent may play. The mask is all zeros for the agent that is not to move, and for both
    once the game is over. ``infos[agent]["action_mask"]`` holds the mask too.

    Rewards are the change of the game's returns over the move, so that their sum over a game is the
    result. An agent that moves again (dots and boxes) stays selected; its cumulative reward is, as
    always in PettingZoo, what it got since its own last step.

    Wrappers may write ``terminations``, ``truncations``, ``rewards``, ``infos`` and
    ``_cumulative_rewards`` of ``env.unwrapped``. :meth:`step` makes new rewards and infos; masks
    go on showing what is legal in the position.

    Args:
        game: the game, or its specification (``"connect_four:rows=5"``).
        render_mode: ``"human"`` (a window), ``"rgb_array"`` (uint8 pixels), ``"ansi"`` (text) or
            None.
        agents: the names of the agents, the first player's name first.
        checked: whether illegal actions, actions out of bounds and calls out of order are dealt
            with as PettingZoo's wrappers do.
        **options: those of :class:`~plyground.envs.environments.observations.ObservationOptions`.

    Attributes:
        game: the game being played.
        render_mode: as given.
    """

    def __init__(
        self,
        game: Game | str,
        render_mode: str | None = None,
        *,
        agents: tuple[str, str] = PLAYERS,
        checked: bool = True,
        **options: Any,
    ) -> None:
        super().__init__()
        view = ObservationOptions.read(AS_DICT, options)
        check_names("BoardEnv() has no option", options, OPTIONS)
        self.render_mode = check_render_mode(render_mode)
        self.game: Game = make_game(game)
        self.metadata: dict[str, Any] = {
            "name": self.game.declaration.game_id,
            "render_modes": list(RENDER_MODES),
            "render_fps": 4,
            "is_parallelizable": False,
        }
        self._num_actions, self._shape = (
            self.game.facts.num_actions,
            self.game.facts.observation_shape,
        )
        self.possible_agents: list[str] = _agent_names(agents)
        self.action_spaces: dict[str, spaces.Discrete] = {
            agent: spaces.Discrete(self._num_actions) for agent in self.possible_agents
        }
        self.observation_spaces: dict[str, spaces.Dict | spaces.Box] = {
            agent: view.space(self.game) for agent in self.possible_agents
        }
        self._view = None if view == AS_DICT else view
        self._checked = checked
        self._has_reset = False
        self._has_updated = False
        self._window: Any = None
        if not checked:
            self.agents: list[str] = list(self.possible_agents)
        self._compile()

    def _compile(self) -> None:
        """Compile all kernels now, so that no step takes longer than the others."""
        self._initial = self.game.initial_position()
        arguments, blank = (
            (self.game.rules, records_of(self._initial.record)),
            self._blank_description(),
        )
        with announce_compilation(f"the environment of {self.game.name}"):
            self._describe_turn = entry_point(describe_turn, *arguments, *blank)
            self._step_turn = entry_point(step_turn, *arguments, 0, *blank)

    def _blank_description(self) -> tuple[np.ndarray, np.ndarray]:
        """The arrays that :func:`describe_turn` fills, new for each turn: users keep them."""
        return np.zeros((3, self._num_actions), np.int8), np.zeros(self._shape, np.int8)

    def __getattr__(self, name: str) -> Any:
        """Refuse an attribute that is missing (yet) as PettingZoo's OrderEnforcingWrapper does."""
        if name in KNOWN_AFTER_RESET and self.__dict__.get("_checked"):
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__ | {"_window": None}  # a copy opens its own window on its first render
        return {
            name: value
            for name, value in state.items()
            if name not in ("_describe_turn", "_step_turn", "_records")
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._compile()
        if self._has_reset:
            self._records = records_of(self._position.record)

    def observation_space(self, agent: str) -> spaces.Dict | spaces.Box:
        """The space of an agent's observations, the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete[np.int64]:
        """The space of an agent's actions, the same object at every call."""
        return self.action_spaces[agent]

    @property
    def position(self) -> Position:
        """The live position.

        Searches may read and copy it; to change it, use :meth:`step` or :meth:`set_position`.
        """
        return self._position

    def set_position(self, position: Position) -> None:
        """Continue from a copy of this position, as if the episode had started there.

        Rewards are zero, and both agents are active.

        Raises:
            ValueError: the position is of another game, or of the same game with other parameters.
        """
        if not isinstance(position, Position):
            raise TypeError(f"set_position takes a Position, not {type(position).__name__}")
        if position.game != self.game:
            raise ValueError(
                f"this environment plays {self.game.spec}; the position is one of "
                f"{position.game.spec}"
            )
        self._start_from(position.copy())

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game. It has no randomness; ``seed`` is part of the interface.

        Args:
            seed: not used.
            options: ``{"position": …}``, the start of the game: a Position, or a list of actions
                (numbers, or their names); others are ignored, as in PettingZoo's environments.

        Raises:
            ValueError: a position of another game, one that is over, or actions that lead to none.
        """
        start = (options or {}).get("position")
        position = self._initial.copy() if start is None else starting_position(self.game, start)
        self._start_from(position)

    def _start_from(self, position: Position) -> None:
        self._position = position
        self._records = records_of(position.record)  # the same memory, in the form for kernels
        self._has_reset = self._has_updated = True
        self._last_move: tuple[int, int] | None = None
        self._refused = False  # whether an illegal action ended the game
        # AECEnv keeps here the agent to select after the agents that ended have stepped
        self._skip_agent_selection = None
        agents = self.possible_agents
        self.agents = list(agents)
        self.rewards: dict[str, float] = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        masks, planes = self._blank_description()
        mover, over = self._describe_turn(self.game.rules, self._records, masks, planes)
        self.terminations: dict[Any, Any] = dict.fromkeys(agents, over)
        self.truncations: dict[str, bool] = dict.fromkeys(agents, False)
        self._publish(mover, masks, planes)

    def _publish(self, mover: int, masks: np.ndarray, planes: np.ndarray) -> None:
        """Select the agent to move and publish its observation."""
        first, second = self.possible_agents
        self.agent_selection = second if mover else first
        self.infos: dict[str, dict[str, Any]] = {
            first: {"action_mask": masks[0]},
            second: {"action_mask": masks[1]},
        }
        self._prepared: Observation | None = {"observation": planes, "action_mask": masks[2]}
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Play the selected agent's action; it must be None for an agent whose game has ended.

        Raises:
            AssertionError: ``action`` is not in the action space, or the environment was not reset.
            IllegalMoveError: ``raw_env`` only: the action may not be played. ``env`` ends the game:
                the agent gets −1, its opponent 0.
            ValueError: an action for an agent whose game has ended.
        """
        if self._checked:
            if not self._has_reset:
                EnvLogger.error_step_before_reset()
            self._has_updated = True
            if not self.agents:
                EnvLogger.warn_step_after_terminated_truncated()
                return
        agent = self.agent_selection
        is_dead = self.terminations[agent] or self.truncations[agent]  # wrappers write both
        if type(action) is not int or not 0 <= action < self._num_actions:
            action = self._check_bounds(agent, action, is_dead)
        if is_dead:
            self._was_dead_step(action)
            return
        masks, planes = self._blank_description()
        before = self._records.tobytes()
        legal, mover, over, gain_0, gain_1 = self._step_turn(
            self.game.rules, self._records, action, masks, planes
        )
        if not legal:
            self._refuse(agent, action)
            return
        first, second = self.possible_agents
        self._last_move = (action, int(agent == second))
        self._position.add_to_history(action, before)
        cumulative = self._cumulative_rewards
        cumulative[agent] = 0.0
        cumulative[first] += gain_0
        cumulative[second] += gain_1
        self.rewards = {first: gain_0, second: gain_1}
        if over:
            self.terminations = {first: True, second: True}
        self._publish(mover, masks, planes)

    def _check_bounds(self, agent: str, action: Any, is_dead: bool) -> Any:
        """An action of any type as an int, or None where None is allowed.

        Refuses actions outside the action space.
        """
        if action is None and is_dead:
            return None
        if self.action_spaces[agent].contains(action):
            return int(action)
        if self._checked:
            raise AssertionError("action is not in action space")
        if is_dead:
            return action  # AECEnv refuses it
        raise IllegalMoveError(
            f"played illegal move. {action!r} is not an action of {self.game.spec}; actions "
            f"are 0 to {self._num_actions - 1}"
        )

    def _refuse(self, agent: str, action: int | None) -> None:
        """Handle an illegal action: ``raw_env`` raises, ``env`` ends the game against the agent."""
        if not self._checked:
            try:
                self._position.play(action)  # type: ignore[arg-type]
            except IllegalActionError as error:
                raise IllegalMoveError(f"played illegal move. {error}") from None
        EnvLogger.warn_on_illegal_move()
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self.rewards = dict.fromkeys(self.agents, 0.0) | {agent: ILLEGAL_REWARD}
        self._cumulative_rewards[agent] = ILLEGAL_REWARD
        self.infos = {
            name: {"action_mask": np.zeros(self._num_actions, np.int8)} for name in self.agents
        }
        self._prepared = None
        self._refused = True
        self._deads_step_first()

    def observe(self, agent: str) -> Observation:
        """What an agent sees now; the arrays are the caller's own."""
        observation = self._observe(agent)
        if self._view is None:
            return observation
        result: Observation = self._view.show(
            observation["observation"], observation["action_mask"]
        )
        return result

    def _observe(self, agent: str) -> Observation:
        if self._checked and not self._has_reset:
            EnvLogger.error_observe_before_reset()
        ready = self._prepared
        if ready is not None and agent == self.agent_selection:
            self._prepared = None  # these arrays now belong to the caller
            return ready
        position, player = self._position, self._player(agent)
        live = position.to_move == player and not self._refused
        mask = position.action_mask() if live else np.zeros(self._num_actions, np.int8)
        return {"observation": position.observation(player), "action_mask": mask}

    def _player(self, agent: str) -> int:
        if agent in self.possible_agents:
            return self.possible_agents.index(agent)
        names = " and ".join(self.possible_agents)
        raise ValueError(f"there is no agent {agent!r}; the agents are {names}")

    def state(self) -> np.ndarray:
        """The board as the first player sees it, regardless of who is to move.

        int8 of shape ``game.facts.observation_shape``.
        """
        if self._checked and not self._has_reset:
            EnvLogger.error_state_before_reset()
        return self._position.observation(0)

    def agent_iter(self, max_iter: int = 2**63) -> Iterable[str]:
        """Yield the selected agent until the game is over.

        The loop must step or reset in between.
        """
        if self._checked and not self._has_reset:
            EnvLogger.error_agent_iter_before_reset()
        agents: Iterable[str] = super().agent_iter(max_iter)
        return self._in_order(agents) if self._checked else agents

    def _in_order(self, agents: Iterable[str]) -> Iterator[str]:
        """Detect a loop that forgets to step."""
        for agent in agents:
            assert self._has_updated, "need to call step() or reset() in a loop over `agent_iter`"
            self._has_updated = False
            yield agent

    def render(self) -> str | np.ndarray | None:
        """Render the board in the environment's render mode.

        ``ansi`` returns text, ``rgb_array`` uint8 pixels of shape (height, width, 3). ``human``
        shows the board and returns None.
        """
        if self._checked and not self._has_reset:
            EnvLogger.error_render_before_reset()
        return self._render_board(self._position)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._close_window()

    def __repr__(self) -> str:
        return f"<{'' if self._checked else 'raw '}environment of {self.game.spec}>"


def env(game: Game | str, render_mode: str | None = None, **parameters: Any) -> BoardEnv:
    """The environment of any game, by its specification or by name and parameters.

    An illegal action ends the game and its agent loses; calls out of order raise an error.
    ``agents=("player_1", "player_2")`` and the options of
    :class:`~plyground.envs.environments.observations.ObservationOptions` are keywords too.
    """
    declaration = make_game(game).declaration
    return _make(lambda left: make_game(game, left), declaration, render_mode, True, parameters)


def raw_env(game: Game | str, render_mode: str | None = None, **parameters: Any) -> BoardEnv:
    """The environment without the safety of :func:`env`.

    An illegal action raises; calls out of order are not detected.
    """
    declaration = make_game(game).declaration
    return _make(lambda left: make_game(game, left), declaration, render_mode, False, parameters)


def _make(
    game: Callable[[dict[str, Any]], Game],
    declaration: Declaration,
    render_mode: str | None,
    checked: bool,
    keywords: dict[str, Any],
) -> BoardEnv:
    """The environment; keywords are its options, and otherwise the game's parameters."""
    options = ObservationOptions.read(AS_DICT, keywords)._asdict()
    agents = keywords.pop("agents", PLAYERS)
    declaration.check_keywords(keywords, OPTIONS)
    return BoardEnv(game(keywords), render_mode, agents=agents, checked=checked, **options)


def _agent_names(agents: Any) -> list[str]:
    """The names of both agents; SpecificationError if they are not two different texts."""
    names = list(agents) if isinstance(agents, list | tuple) else []
    texts = {name for name in names if isinstance(name, str) and name}
    if len(names) == len(texts) == 2:
        return names
    raise SpecificationError(f"agents are two different names, not {agents!r}")


MakeBoardEnv = Callable[..., BoardEnv]


def env_functions(rules_type: Any) -> tuple[MakeBoardEnv, MakeBoardEnv]:
    """The functions ``env`` and ``raw_env`` of one game, with its parameters as keywords.

    The game's id is registered with PettingZoo too: ``pettingzoo.make("aec",
    "plyground/NAME-vN")``.
    """
    declaration = rules_type.declaration
    module = sys._getframe(1).f_globals["__name__"]  # as namedtuple does, so that they pickle

    def constructor(name: str, checked: bool, summary: str) -> Callable[..., BoardEnv]:
        def construct(render_mode: str | None = None, **parameters: Any) -> BoardEnv:
            return _make(
                lambda left: Game(declaration.make_rules(rules_type, left)),
                declaration,
                render_mode,
                checked,
                parameters,
            )

        function: Any = construct
        function.__name__ = function.__qualname__ = name
        function.__module__ = module
        function.__doc__ = summary + "\n\n" + "\n".join(_describe(declaration))
        function.__signature__ = _signature(declaration)
        return construct

    title = declaration.title
    env = constructor("env", True, f"{title} as a PettingZoo AEC environment.")
    raw_env = constructor(
        "raw_env",
        False,
        f"{title} without the checks of ``env``: an illegal action raises IllegalMoveError.",
    )
    register_with_pettingzoo(declaration.name, declaration.version, env)
    return env, raw_env


def _describe(declaration: Declaration) -> Iterator[str]:
    yield "Args:"
    yield f"    render_mode: one of {', '.join(RENDER_MODES)}, or None."
    yield "    agents: the names of the agents, the first player's name first."
    yield "    observation, layout, dtype, mask_key, planes_key: as ObservationOptions says."
    for parameter in declaration.parameters + declaration.short_forms:
        default = "" if parameter.default is None else f", {parameter.default} if not given"
        yield f"    {parameter.name}: {parameter.help}; {parameter.allowed()}{default}."


def _signature(declaration: Declaration) -> inspect.Signature:
    keyword = inspect.Parameter.KEYWORD_ONLY
    names = [
        inspect.Parameter(p.name, keyword, default=p.default)
        for p in declaration.parameters + declaration.short_forms
    ]
    first = inspect.Parameter("render_mode", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
    options = [
        inspect.Parameter(name, keyword, default=default)
        for name, default in AS_DICT._asdict().items()
    ]
    agents = inspect.Parameter("agents", keyword, default=PLAYERS)
    return inspect.Signature([first, agents, *names, *options], return_annotation=BoardEnv)
