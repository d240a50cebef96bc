"""The vector environment for stable-baselines3 and sb3-contrib.

MaskablePPO of sb3-contrib takes its action masks.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, Unpack

import numpy as np

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError(
        'plyground.training.sb3 needs stable-baselines3: pip install "plyground[train]"'
    ) from error

from ..agents.opponents import make_opponents
from ..envs.environments.observations import AS_PLANES, ObservationOptions
from ..envs.environments.rendering import check_render_mode
from ..envs.game import Game
from ..envs.single_agent.batches import make_batch
from ..envs.single_agent.env import learner_spaces
from ..envs.single_agent.game_batch import GameBatch
from ..envs.single_agent.options import LearnerOptions
from ..envs.single_agent.vector_env import pictures_of
from .environments import read_game
from .symmetry import SymmetricView

RENDER_MODES = ("rgb_array",)
OWN_ARGUMENTS = ("num_envs", "opponent", "threads", "symmetries", "render_mode", "device")


class BoardVecEnv(VecEnv):
    """N games against built-in opponents, as an SB3 ``VecEnv``.

    By default observations are int8 of shape (N, rows, columns, planes). New games follow finished
    ones, whose infos contain ``terminal_observation``, ``TimeLimit.truncated`` (False),
    ``episode`` as in SB3's Monitor and VecMonitor (r, l, t), ``seat``, ``opponent``.

    Args:
        game: the game, or its specification.
        num_envs: N.
        opponent: see :func:`~plyground.agents.opponents.make_opponents`.
        threads: threads that share the games; only for compiled opponents.
        symmetries: whether the learner sees the board through a new random symmetry in every step
            (see :mod:`plyground.training.symmetry`).
        render_mode: ``"rgb_array"``, which SB3 also shows as ``"human"``, or None.
        device: ``"cpu"``, or a GPU, ``"cuda"`` or ``"cuda:1"``: games and opponents stay there, and
            each step copies its results to the processor, where SB3 takes them.
        **options: options of :class:`~plyground.envs.single_agent.options.LearnerOptions`; other
            keywords are parameters of the game, such as ``rows=5``.
    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int,
        opponent: Any = "random",
        *,
        threads: int = 1,
        symmetries: bool = False,
        render_mode: str | None = None,
        device: Any = "cpu",
        **options: Unpack[LearnerOptions],
    ) -> None:
        batch_options: dict[str, Any] = {**options}
        self.game: Game = read_game(game, batch_options, LearnerOptions, *OWN_ARGUMENTS)
        self._observation_options = ObservationOptions.read(AS_PLANES, batch_options)
        opponents = make_opponents(opponent, self.game)
        self.games: GameBatch = make_batch(
            self.game, num_envs, opponents, threads=threads, device=device, **batch_options
        )
        self._state = self.games.arrays()
        self._view = (
            SymmetricView(self.game, num_envs)
            if symmetries and len(self.game.symmetries) > 1
            else None
        )
        # attributes that SB3 expects of each of the N environments
        mode = check_render_mode(render_mode, RENDER_MODES, " for a VecEnv")
        self._given: dict[str, Any] = {"render_mode": mode, "spec": None}
        self._began = time.time()
        self._chosen: np.ndarray | None = None
        super().__init__(num_envs, *learner_spaces(self.game, self._observation_options))

    @property
    def opponents(self) -> list[str]:
        """The opponents' names; ``info["opponent"]`` is an index into them."""
        return [opponent.label for opponent in self.games.opponents]

    def set_opponent(self, opponent: Any) -> None:
        """Change the opponents; games in progress continue against one of the new ones."""
        self.games.set_opponents(make_opponents(opponent, self.game))

    def action_masks(self) -> np.ndarray:
        """The legal actions: bool of shape (N, num_actions)."""
        masks: np.ndarray = self._state.masks.astype(np.bool_)
        if self._view is not None:
            masks = self._view.masks(masks)
        return masks

    def observations(self) -> Any:
        """The learner's observations, as set by the options; by default the int8 planes."""
        state = self._state
        planes, masks = state.observations, state.masks
        if self._view is None:
            planes, masks = planes.copy(), masks.copy()
        else:
            self._view.draw(state.episodes, state.lengths)
            planes, masks = self._view.observations(planes), self._view.masks(masks)
        return self._observation_options.show(planes, masks)

    def reset(self) -> Any:
        """Start new games and return their observations.

        Uses the seeds of :meth:`seed` if it was called since the last reset.
        """
        has_seeds = any(seed is not None for seed in self._seeds)
        self.games.reset(self._seeds if has_seeds else None)
        self._state = self.games.arrays()
        self._reset_seeds()
        self._reset_options()
        return self.observations()

    def step_async(self, actions: np.ndarray) -> None:
        """Store the actions for the next :meth:`step_wait`."""
        self._chosen = actions if self._view is None else self._view.actions(actions)

    def step_wait(self) -> tuple[Any, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play them; returns observations, rewards (float32), dones, and infos."""
        self.games.step(self._chosen)
        state = self._state = self.games.arrays()
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for index in np.flatnonzero(state.terminated).tolist():
            infos[index] = self._final_info(index)
        return self.observations(), state.rewards.astype(np.float32), state.terminated.copy(), infos

    def _final_info(self, index: int) -> dict[str, Any]:
        state = self._state
        episode = {
            "r": float(state.final_returns[index]),
            "l": int(state.final_lengths[index]),
            "t": round(time.time() - self._began, 6),
        }
        nothing = np.zeros_like(state.masks[index])
        return {
            "terminal_observation": self._observation_options.show(
                state.final_observations[index].copy(), nothing
            ),
            "TimeLimit.truncated": False,
            "episode": episode,
            "seat": int(state.final_seats[index]),
            "opponent": int(state.final_opponents[index]),
            "illegal_action": bool(state.illegal[index]),
        }

    def has_attr(self, attr_name: str) -> bool:
        """Whether each of the N environments has this attribute."""
        return attr_name == "action_masks" or attr_name in self._given

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """The attribute of each environment."""
        if attr_name not in self._given:
            raise AttributeError(
                f"the games of a BoardVecEnv have no attribute {attr_name!r}; they have "
                f"{', '.join(self._given)}"
            )
        return [self._given[attr_name] for _ in self._get_indices(indices)]

    def set_attr(
        self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None
    ) -> None:
        """Set an attribute of all environments."""
        self._given[attr_name] = value

    def env_method(
        self,
        method_name: str,
        *method_args: Any,
        indices: int | Iterable[int] | None = None,
        **method_kwargs: Any,
    ) -> list[Any]:
        """``action_masks``, the one method of the environments."""
        if method_name != "action_masks":
            raise AttributeError(
                f"the games of a BoardVecEnv have no method {method_name!r}; they have action_masks"
            )
        masks = self.action_masks()
        return (
            list(masks)
            if indices is None
            else [masks[index] for index in self._get_indices(indices)]
        )

    def env_is_wrapped(
        self, wrapper_class: type, indices: int | Iterable[int] | None = None
    ) -> list[bool]:
        """Whether the environments have this wrapper: only Monitor, whose work they do."""
        return [issubclass(wrapper_class, Monitor) for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[np.ndarray | None]:
        """A picture of every game: uint8 of shape (height, width, 3); None without a mode."""
        if self.render_mode is None:
            return [None for _ in range(self.num_envs)]
        return pictures_of(self.game, self.games)

    def close(self) -> None:
        """Stop the threads, and close the opponents that can be closed."""
        self.games.close()
