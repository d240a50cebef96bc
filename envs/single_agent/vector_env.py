"""Gymnasium vector environments: many games in one compiled step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from .. import rules as r
from ..environments.observations import AS_PLANES, ObservationOptions
from ..environments.rendering import check_render_mode
from ..game import Game, Position
from ..registry import make_game
from .env import begin_at, learner_spaces
from .game_batch import GameBatch
from .opponents import Opponent
from .options import VectorOptions

VECTOR_RENDER_MODES = ("rgb_array", "ansi")


def pictures_of(game: Game, games: GameBatch) -> list[np.ndarray]:
    """A picture of each position of a batch: uint8 pixels of shape (height, width, 3)."""
    from ..pictures.drawing import to_array

    records = (Position(game, record).record for record in games.arrays().positions)
    return [to_array(r.picture(game.rules, record, None)) for record in records]


def _read_autoreset_mode(mode: AutoresetMode | str) -> AutoresetMode:
    """The mode of this name: ``"next-step"``, ``"NextStep"``, ``"NEXT_STEP"``.

    Raises:
        ValueError: there is no such mode.
    """
    names = {one.name.lower().replace("_", "-"): one for one in AutoresetMode}
    if isinstance(mode, AutoresetMode):
        return mode
    for name, one in names.items():
        if mode in (name, one.name, one.value):
            return one
    raise ValueError(f"autoreset_mode={mode!r} is not possible; it is one of {', '.join(names)}")


class BoardVectorEnv(VectorEnv[Any, np.ndarray, np.ndarray]):
    """N games, each as in :class:`~plyground.envs.single_agent.env.SingleAgentEnv`.

    Observations, rewards and infos are the same.

    The end of a game is handled as in Gymnasium's vector environments:

    - ``SAME_STEP``: ``step`` returns the first observation of the next game; the last observation
      of the old one is in ``infos["final_obs"]`` and its info in ``infos["final_info"]``.
    - ``NEXT_STEP``: ``step`` returns the last observation. The next step ignores the action, starts
        the next game and returns its first observation, with a reward of 0.
    - ``DISABLED``: ``step`` returns the last observation, and the caller starts the next game by
      ``reset(options={"reset_mask": terminated})``.

    ``infos["action_mask"]`` is int8 of shape (N, num_actions); ``seat``, ``opponent`` and
    ``illegal_action`` have shape (N,).

    Without opponents the caller acts for both players. Observation, mask and ``infos["seat"]`` are
    then those of the player to move, and a reward is the gain of the player that has acted; its
    opponent got the negative of it. ``infos["final_info"]["seat"]`` says who acted last.

    Args:
        game: the game, or its specification.
        num_envs: N.
        opponents: the opponents, drawn by weight for every game; None: no opponents.
        **options: those of :class:`~plyground.envs.single_agent.options.VectorOptions`.

    Attributes:
        autoreset_mode: the mode, also in ``metadata["autoreset_mode"]``.
        games: the engine.
        observation_options: the options of observations.
    """

    batch_type: type[GameBatch] = GameBatch
    metadata: dict[str, Any] = {
        "render_modes": list(VECTOR_RENDER_MODES),
        "render_fps": 4,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        game: Game | str,
        num_envs: int,
        opponents: Sequence[Opponent] | None,
        **options: Unpack[VectorOptions],
    ) -> None:
        batch_options: dict[str, Any] = {**options}
        self.observation_options: ObservationOptions = ObservationOptions.read(
            AS_PLANES, batch_options
        )
        # then nothing is converted: it costs nothing
        self._plain = self.observation_options == AS_PLANES
        self.copy: Any = batch_options.pop("copy", True)
        self.render_mode: str | None = check_render_mode(
            batch_options.pop("render_mode", None), VECTOR_RENDER_MODES, " for many games"
        )
        self.autoreset_mode: AutoresetMode = _read_autoreset_mode(
            batch_options.pop("autoreset_mode", AutoresetMode.SAME_STEP)
        )
        self.metadata = self.metadata | {"autoreset_mode": self.autoreset_mode}
        self._restarts = self.autoreset_mode is AutoresetMode.SAME_STEP
        self.game: Game = make_game(game)
        self.games: GameBatch = self.batch_type(
            self.game, num_envs, opponents, restart=self._restarts, **batch_options
        )
        self.num_envs = num_envs
        self.single_observation_space: spaces.Space[Any]
        self.single_action_space: spaces.Discrete[np.int64]
        self.single_observation_space, self.single_action_space = learner_spaces(
            self.game, self.observation_options
        )
        self.observation_space: spaces.Space[Any] = batch_space(
            self.single_observation_space, num_envs
        )
        self.action_space: spaces.Space[Any] = batch_space(self.single_action_space, num_envs)
        self._all = np.ones(num_envs, np.bool_)
        # over and not yet restarted; always False with restarts in the same step
        self._ended = np.zeros(num_envs, np.bool_)

    @property
    def opponents(self) -> list[str]:
        """The opponents' names; ``infos["opponent"]`` holds indices into them."""
        return [opponent.label for opponent in self.games.opponents]

    def set_opponents(self, opponents: Sequence[Opponent]) -> None:
        """Replace the opponents; current games continue against one of the new ones."""
        self.games.set_opponents(opponents)

    @property
    def positions(self) -> list[Position]:
        """Copies of the positions, with the learner to move or the game over."""
        return [Position(self.game, record).copy() for record in self.games.state.positions]

    def action_masks(self) -> np.ndarray:
        """The legal actions: bool of shape (N, num_actions)."""
        masks: np.ndarray = self.games.state.masks.astype(np.bool_)
        return masks

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Start new games.

        Args:
            seed: game i gets ``seed + i``; a sequence gives each its own; None: the random streams
                continue.
            options: ``reset_mask``, bool of shape (N,): start new games only there; ``position``,
                their start: a Position, or a list of actions (numbers, or their names).

        Raises:
            ValueError: unknown options, a mask of another shape, a number of seeds that is not N,
                or a position where no game can begin.
        """
        remaining = dict(options or {})
        which, start = remaining.pop("reset_mask", None), remaining.pop("position", None)
        if remaining:
            raise ValueError(
                f"reset() knows only the options 'reset_mask' and 'position'; "
                f"{', '.join(map(repr, remaining))} was given"
            )
        if which is not None and not self._is_mask(which):
            raise ValueError(
                f"options['reset_mask'] must be a bool array of shape ({self.num_envs},)"
            )
        if start is None:
            self.games.reset(seed, which)
        else:
            begin_at(self.games, start, seed, which)
        self._ended[slice(None) if which is None else which] = False
        return self._observations(), self._infos()

    def _is_mask(self, which: Any) -> bool:
        """Whether this is bool of shape (N,)."""
        is_bool = isinstance(which, np.ndarray) and which.dtype == np.bool_
        return is_bool and which.shape == (self.num_envs,)

    def step(
        self, actions: np.ndarray
    ) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play an action in every game, and the opponents' replies.

        Raises:
            ValueError: actions of another shape or type, ``reset`` has not been called, or a game
                is over and not restarted.
            IllegalActionError: an illegal action, if ``illegal="raise"``.
        """
        if self._restarts:
            self.games.step(actions)
        else:
            self._step_without_restart(actions)
        state, infos = self.games.state, self._infos()
        infos["illegal_action"] = state.illegal.copy()
        if self._restarts and state.terminated.any():
            # for games that go on; finished games have it in final_info
            infos["illegal_action"] &= ~state.terminated
            self._add_final(infos)
        return (
            self._observations(),
            state.rewards.copy(),
            state.terminated.copy(),
            np.zeros(self.num_envs, np.bool_),
            infos,
        )

    def _step_without_restart(self, actions: np.ndarray) -> None:
        """Step the current games; restart games that ended before, if the mode says so."""
        games, over = self.games, self._ended
        if not over.any():
            games.step(actions)
        elif self.autoreset_mode is AutoresetMode.DISABLED:
            raise ValueError(
                f"games {np.flatnonzero(over).tolist()[:10]} are over; restart them by "
                f"reset(options={{'reset_mask': …}})"
            )
        else:
            games.step(actions, left_out=over)
            games.reset(None, over)
        state = games.state
        np.copyto(over, state.terminated)
        if not games.opponents and over.any():  # the player that acted last sees the end
            state.observations[over] = state.final_observations[over]
            state.seats[over] = state.final_seats[over]

    def _observations(self) -> Any:
        state = self.games.state
        observations: np.ndarray = state.observations
        if self._plain:
            return observations.copy() if self.copy else observations
        if self.copy:
            return self.observation_options.show(observations.copy(), state.masks.copy())
        return self.observation_options.show(observations, state.masks)

    def _infos(self) -> dict[str, Any]:
        state = self.games.state
        masks = state.masks.copy() if self.copy else state.masks
        infos = {
            "action_mask": masks,
            "seat": state.seats.astype(np.int64),
            "opponent": state.opponents.astype(np.int64),
            "illegal_action": np.zeros(self.num_envs, np.bool_),
        }
        return infos | {f"_{name}": self._all.copy() for name in infos}

    def _add_final(self, infos: dict[str, Any]) -> None:
        """Add the final data of the games that just ended; for others the arrays are None or 0."""
        state = self.games.state
        over = state.terminated.copy()
        observations = np.full(self.num_envs, None, object)
        for index in np.flatnonzero(over).tolist():
            planes = state.final_observations[index].copy()
            observations[index] = (
                planes
                if self._plain
                else self.observation_options.show(planes, np.zeros_like(state.masks[index]))
            )
        final = {
            "action_mask": np.zeros_like(state.masks),
            "seat": np.where(over, state.final_seats, 0).astype(np.int64),
            "opponent": np.where(over, state.final_opponents, 0).astype(np.int64),
            "illegal_action": state.illegal & over,
        }
        infos["final_obs"], infos["_final_obs"] = observations, over
        infos["final_info"] = final | {f"_{name}": over.copy() for name in final}
        infos["_final_info"] = over.copy()

    def render(self) -> tuple[Any, ...] | None:
        """A picture, or a text, of every game; the learner's last move is marked, if any.

        ``rgb_array`` gives uint8 pixels of shape (height, width, 3); None without a render mode.
        """
        if self.render_mode is None:
            return None
        if self.render_mode == "ansi":
            return tuple(str(position) for position in self.positions)
        return tuple(pictures_of(self.game, self.games))

    def tiled(self) -> np.ndarray:
        """One picture of all games, row by row: uint8 pixels of shape (height, width, 3)."""
        pictures = pictures_of(self.game, self.games)
        across = math.ceil(math.sqrt(len(pictures)))
        blank = np.zeros_like(pictures[0])
        pictures += [blank] * (-len(pictures) % across)
        rows = [
            np.concatenate(pictures[first : first + across], axis=1)
            for first in range(0, len(pictures), across)
        ]
        return np.concatenate(rows)

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads, and close the opponents that can be closed."""
        self.games.close()

    def __repr__(self) -> str:
        against = f" against {', '.join(self.opponents)}" if self.opponents else ", both sides"
        return f"<{self.num_envs} games of {self.game.spec}{against}>"
