"""The Gymnasium vector environment of games on a device: tensors in and out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from ..environments.observations import AS_PLANES
from ..game import Position
from .device_batch import DeviceBatch
from .vector_env import BoardVectorEnv


class DeviceVectorEnv(BoardVectorEnv):
    """A :class:`BoardVectorEnv` whose actions, observations, masks and rewards are torch tensors.

    They lie on the device of the games. Nothing is copied to the processor, and no step waits for
    the device, but for some networks: see :class:`.device_networks.AskedNetworks`. So every
    ``infos`` has the same entries: ``final_obs`` and ``final_info`` hold tensors for all games in
    each step, of which the masks ``_final_obs`` and ``_final_info`` say where they are valid.
    Everything else is as in a BoardVectorEnv.

    With ``copy=False`` observations, masks and what ends a game are the tensors of the games, which
    the next step overwrites. In the mode ``DISABLED`` a game that is over and not restarted is not
    noticed: its steps count as illegal.

    Args:
        *arguments: as in a BoardVectorEnv.
        **options: as in a BoardVectorEnv; ``device`` is a GPU.
    """

    batch_type = DeviceBatch
    games: DeviceBatch

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        if self.observation_options != AS_PLANES:
            raise ValueError(
                "observation, layout, dtype and the keys of dictionaries have their defaults on a "
                "GPU; tensors are converted there by torch"
            )
        if self.render_mode is not None:
            raise ValueError(f"render_mode={self.render_mode!r} is possible only with device='cpu'")
        state = self.games.state
        self._all = state.terminated.new_ones(self.num_envs)
        self._none = state.terminated.new_zeros(self.num_envs)
        self._ended: Any = state.terminated.new_zeros(self.num_envs)

    @property
    def positions(self) -> list[Position]:
        """Copies of the positions, with the learner to move or the game over."""
        return [Position(self.game, record).copy() for record in self.games.records()]

    def action_masks(self) -> Any:
        """The legal actions: bool of shape (N, num_actions)."""
        return self.games.state.masks.bool()

    def _is_mask(self, which: Any) -> bool:
        return getattr(which, "dtype", None) == self._none.dtype and len(which) == self.num_envs

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Start new games, as in a BoardVectorEnv; ``reset_mask`` is a tensor or an array."""
        options = dict(options or {})
        if isinstance(options.get("reset_mask"), np.ndarray):
            options["reset_mask"] = self.games.mask(options["reset_mask"])
        return super().reset(seed=seed, options=options)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play an action in every game, and the opponents' replies.

        Raises:
            ValueError: actions of another shape or type, or ``reset`` has not been called.
        """
        self.games.step(actions)
        if self.autoreset_mode is AutoresetMode.NEXT_STEP:
            self.games.restart(self._ended)
        state = self.games.state
        if not self._restarts:
            self._ended.copy_(state.terminated)
            self._show_ends()
        infos = self._infos()
        infos["illegal_action"] = state.illegal.clone()
        if self._restarts:
            infos["illegal_action"] &= ~state.terminated
            self._add_final(infos)
        return (
            self._observations(),
            self._shown(state.rewards),
            self._shown(state.terminated),
            self._none,
            infos,
        )

    def _show_ends(self) -> None:
        """Where the caller acts for both players, the one who acted last sees the end."""
        state, over = self.games.state, self._ended
        if not self.games.opponents:
            rows = over.reshape(-1, 1, 1, 1)
            state.observations.copy_(state.final_observations.where(rows, state.observations))
            state.seats.copy_(state.final_seats.where(over, state.seats))

    def _shown(self, tensor: Any) -> Any:
        return tensor.clone() if self.copy else tensor

    def _observations(self) -> Any:
        return self._shown(self.games.state.observations)

    def _infos(self) -> dict[str, Any]:
        state = self.games.state
        infos = {
            "action_mask": self._shown(state.masks),
            "seat": state.seats.long(),
            "opponent": state.opponents.long(),
            "illegal_action": self._none,
        }
        return infos | {f"_{name}": self._all for name in infos}

    def _add_final(self, infos: dict[str, Any]) -> None:
        state = self.games.state
        over = self._shown(state.terminated)
        final = {
            "action_mask": state.masks.new_zeros(state.masks.shape),
            "seat": state.final_seats.long() * over,
            "opponent": state.final_opponents.long() * over,
            "illegal_action": state.illegal & over,
        }
        infos["final_obs"], infos["_final_obs"] = self._shown(state.final_observations), over
        infos["final_info"] = final | {f"_{name}": over for name in final}
        infos["_final_info"] = over
