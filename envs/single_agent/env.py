"""Gymnasium environments: one learner, and an opponent that moves inside the environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import gymnasium
import numpy as np
from gymnasium import spaces

from ..environments.observations import AS_PLANES, ObservationOptions, starting_position
from ..environments.rendering import RENDER_MODES, RenderedBoard, check_render_mode
from ..game import Game, IllegalActionError, Position
from ..registry import make_game
from .game_batch import GameBatch
from .opponents import Opponent
from .options import SingleOptions


def learner_spaces(
    game: Game, form: ObservationOptions = AS_PLANES
) -> tuple[Any, spaces.Discrete[np.int64]]:
    """The spaces of a learner's observations (int8 planes of 0 and 1) and actions."""
    return form.space(game), spaces.Discrete(game.facts.num_actions)


def begin_at(
    games: GameBatch,
    start: Any,
    seed: Any = None,
    which: np.ndarray | None = None,
    seat: int | None = None,
) -> None:
    """Start games of a batch in one position; the learner's seat is drawn if it is None.

    Raises:
        ValueError: no game can begin there, or the opponent ends it before the learner's move.
    """
    position = starting_position(games.game, start)
    records = np.repeat(np.asarray(position.record).reshape(1), games.num_games)
    seats = None if seat is None else np.full(games.num_games, seat, np.int8)
    games.start_from(records, seats, seed, which)
    over = games.state.terminated if which is None else games.state.terminated & which
    if over.any():
        raise ValueError(
            f"from the position given the opponent ends the game before the learner's first move:\n"
            f"{position}"
        )


class SingleAgentEnv(RenderedBoard, gymnasium.Env[np.ndarray, np.int64]):
    """A board game against opponents that move inside the environment.

    Each step is the learner's action and all replies of the opponent.

    Observations are the int8 planes of the position as the learner sees it, when it is its turn or
    the game is over. Rewards are the learner's gains since its last observation, including the
    opponent's moves: a loss arrives as −1 with the learner's last step. If a player can move again
    (dots and boxes), the learner does so by its next step, and all moves of the opponent's turn are
    played inside one. It is the engine of the vector environments with one game: with the seed s +
    i it plays the same as their game i with the seed s.

    ``info`` holds ``action_mask`` (int8, num_actions), ``seat`` (the learner's), ``opponent`` (an
    index into :attr:`opponents`) and ``illegal_action`` (whether an illegal action ended the game).

    Args:
        game: the game, or its specification.
        opponents: the opponents; see :class:`~plyground.envs.single_agent.opponents.Opponent`.
        **options: those of :class:`~plyground.envs.single_agent.options.SingleOptions`.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 4}

    def __init__(
        self,
        game: Game | str,
        opponents: Sequence[Opponent],
        **options: Unpack[SingleOptions],
    ) -> None:
        batch_options: dict[str, Any] = {**options}
        form = ObservationOptions.read(AS_PLANES, batch_options)
        self.render_mode: str | None = check_render_mode(batch_options.pop("render_mode", None))
        self.game: Game = make_game(game)
        self.observation_space: spaces.Space[Any]
        self.action_space: spaces.Discrete[np.int64]
        self.observation_space, self.action_space = learner_spaces(self.game, form)
        self._observation_options = None if form == AS_PLANES else form
        self._games = GameBatch(self.game, 1, opponents, restart=False, **batch_options)
        self._last_move: tuple[int, int] | None = None
        self._under_way = False
        self._window: Any = None

    @property
    def opponents(self) -> list[str]:
        """The opponents' names; ``info["opponent"]`` is an index into them."""
        return [opponent.label for opponent in self._games.opponents]

    def set_opponents(self, opponents: Sequence[Opponent]) -> None:
        """Replace the opponents; the current game continues against one of the new ones."""
        self._games.set_opponents(opponents)

    @property
    def position(self) -> Position:
        """A copy of the position, with the learner to move or the game over.

        Agents act on it, or on the environment itself.
        """
        return Position(self.game, self._games.state.positions[0]).copy()

    def action_masks(self) -> np.ndarray:
        """The legal actions in the form of sb3-contrib: bool of shape (num_actions,)."""
        mask: np.ndarray = self._games.state.masks[0].astype(np.bool_)
        return mask

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start a game: the seat is drawn, and an opponent that moves first has moved.

        Args:
            seed: the seed of the random stream; None: it continues.
            options: ``{"position": …}``, the start of the game: a Position, or a list of actions
                (numbers, or their names); optionally with ``"seat"``, the learner's.

        Raises:
            ValueError: unknown options, a position where no game can begin, or one where the
                opponent ends it at once.
        """
        super().reset(seed=seed)
        remaining = dict(options or {})
        start = remaining.pop("position", None)
        seat = None if start is None else remaining.pop("seat", None)
        if remaining or seat not in (None, 0, 1):
            raise ValueError(
                f"reset() knows only the option 'position' and with it 'seat', 0 or 1; {options} "
                f"was given"
            )
        if start is None:
            self._games.reset(seed)
        else:
            begin_at(self._games, start, seed, seat=seat)
        self._last_move, self._under_way = None, True
        self._show()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play the learner's action and the opponent's replies.

        Raises:
            ValueError: there is no game under way.
            IllegalActionError: the action is not in the action space, or is illegal and
                ``illegal="raise"``.
        """
        if not self._under_way:
            raise ValueError("there is no game under way; call reset()")
        if not self.action_space.contains(action):
            raise IllegalActionError(
                f"{action!r} is not an action of {self.game.spec}; actions are 0 to "
                f"{self.game.facts.num_actions - 1}"
            )
        self._games.step(np.array([action], np.int64))
        state = self._games.state
        self._last_move = (int(action), int(state.seats[0]))
        terminated = bool(state.terminated[0])
        self._under_way = not terminated
        self._show()
        return (
            self._observation(),
            float(state.rewards[0]),
            terminated,
            False,
            self._info(),
        )

    def _observation(self) -> Any:
        state = self._games.state
        planes = state.observations[0].copy()
        if self._observation_options is None:
            return planes
        return self._observation_options.show(planes, state.masks[0].copy())

    def _info(self) -> dict[str, Any]:
        state = self._games.state
        # Zero-dimensional arrays: TorchRL and others require them, and they work as numbers.
        return {
            "action_mask": state.masks[0].copy(),
            "seat": np.array(state.seats[0], np.int64),
            "opponent": np.array(state.opponents[0], np.int64),
            "illegal_action": np.array(state.illegal[0], np.bool_),
        }

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """Render the board in the environment's render mode.

        ``ansi`` returns text, ``rgb_array`` uint8 pixels of shape (height, width, 3). ``human``
        shows the board and returns None.

        The marked last move is the learner's; the opponent's replies came after it.
        """
        return self._render_board(self.position)

    def close(self) -> None:
        """Close the window, if there is one, and the opponents that can be closed."""
        self._close_window()
        self._games.close()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_window": None}  # a copy opens its own window when it is rendered

    def __str__(self) -> str:
        return f"<{self.game.spec} against {', '.join(self.opponents)}>"
