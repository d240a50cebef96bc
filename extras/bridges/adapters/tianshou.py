"""Many games as one vector environment of Tianshou 2.

Its collectors step all games in one compiled loop. Observations are batches with ``obs`` (float32
planes) and ``mask`` (int8), which Tianshou's Q-learning policies look for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....envs.game import Game
from ....envs.single_agent.vector_env import BoardVectorEnv
from .environments import make_vector

try:
    from tianshou.data import Batch
    from tianshou.env import BaseVectorEnv
except ImportError as error:
    raise ImportError(
        "plyground.extras.bridges.adapters.tianshou needs: pip install tianshou"
    ) from error


def make_envs(game: Game | str, num_envs: int, **options: Any) -> BoardEnvs:
    """N games for Tianshou's collectors.

    Args:
        game: the game, or its specification.
        num_envs: N.
        **options: as for ``gymnasium.make_vec``: ``opponent="greedy"``, ``layout="flat"``.
    """
    view = {"observation": "dict", "planes_key": "obs", "mask_key": "mask", "dtype": "float32"}
    return BoardEnvs(make_vector(game, num_envs, autoreset_mode="disabled", **(view | options)))


class BoardEnvs(BaseVectorEnv):  # type: ignore[misc]  # its own workers are not used
    """A :class:`~plyground.envs.single_agent.vector_env.BoardVectorEnv` as Tianshou steps it.

    Args:
        envs: the games, with ``autoreset_mode="disabled"``.
    """

    def __init__(self, envs: BoardVectorEnv) -> None:
        self.envs: BoardVectorEnv = envs
        self.env_num: int = envs.num_envs
        self.wait_num: int = envs.num_envs
        self.timeout: None = None
        self.is_async: bool = False
        self.is_closed: bool = False
        self.waiting_id: list[int] = []
        self.ready_id: list[int] = list(range(envs.num_envs))
        self._infos = np.array([{"env_id": number} for number in range(envs.num_envs)])

    def get_env_attr(self, key: str, id: Any = None) -> list[Any]:
        """An attribute of each game: the spaces, ``metadata``, ``spec``."""
        names = {
            "observation_space": "single_observation_space",
            "action_space": "single_action_space",
        }
        return [getattr(self.envs, names.get(key, key)) for _ in self._wrap_id(id)]

    def set_env_attr(self, key: str, value: Any, id: Any = None) -> None:
        """Set an attribute, which all games share."""
        setattr(self.envs, key, value)

    def set_opponent(self, opponent: Any) -> None:
        """Change the opponents."""
        envs: Any = self.envs
        envs.set_opponent(opponent)

    def reset(self, env_id: Any = None, **options: Any) -> tuple[Any, np.ndarray]:
        """Restart games: all, or the given ones."""
        ids = np.asarray(self._wrap_id(env_id))
        which = np.zeros(self.env_num, np.bool_)
        which[ids] = True
        reset_options = {**(options.pop("options", None) or {}), "reset_mask": which}
        observations, _ = self.envs.reset(options=reset_options, **options)
        return self._rows(observations, ids), self._infos[ids]

    def step(self, action: Any, id: Any = None) -> tuple[Any, Any, Any, Any, Any]:
        """Play an action in all games, or in the given ones; the others do not change."""
        ids = np.asarray(self._wrap_id(id))
        games = self.envs.games
        actions, left_out = np.zeros(self.env_num, np.int64), np.ones(self.env_num, np.bool_)
        actions[ids], left_out[ids] = np.asarray(action), False
        before = [part[left_out].copy() for part in games.state] if left_out.any() else None
        games.step(actions, left_out)
        state = games.state
        observations = self.envs.observation_options.show(state.observations, state.masks)
        result = (
            self._rows(observations, ids),
            state.rewards[ids],
            state.terminated[ids],
            np.zeros(len(ids), np.bool_),
            self._infos[ids],
        )
        if before is not None:
            for part, values in zip(state, before):
                part[left_out] = values
        return result

    def _rows(self, observations: Any, ids: np.ndarray) -> Any:
        if isinstance(observations, dict):
            return Batch({name: values[ids] for name, values in observations.items()})
        return observations[ids]

    def seed(self, seed: Any = None) -> list[Any]:
        """Restart the games with seeds."""
        self.reset(seed=seed)
        return [seed]

    def render(self, **options: Any) -> Any:
        """A picture or a text of each game."""
        return list(self.envs.render() or ())

    def close(self) -> None:
        """Close the games."""
        self.envs.close()
        self.is_closed = True
