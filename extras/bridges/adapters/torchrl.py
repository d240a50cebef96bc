"""Many games as one batched environment of TorchRL, with no Python for each game.

The tensors that a step returns are the arrays of one compiled loop. ``GymWrapper`` and ``GymEnv``
of TorchRL take plyground's Gymnasium environments too; this one needs no conversion game by game.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....envs.game import Game
from ....envs.single_agent.vector_env import BoardVectorEnv
from .environments import make_vector

try:
    import torch
    from tensordict import TensorDict
    from torchrl.data import Binary, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase
except ImportError as error:
    raise ImportError(
        "plyground.extras.bridges.adapters.torchrl needs: pip install torchrl"
    ) from error


def make_envs(game: Game | str, num_envs: int, device: Any = None, **options: Any) -> TorchRLEnv:
    """N games as one environment of batch size N.

    Args:
        game: the game, or its specification.
        num_envs: N.
        device: where its tensors are.
        **options: as for ``gymnasium.make_vec``: ``opponent="greedy"``, ``layout="flat"``.
    """
    view = {"dtype": "float32"} | options
    return TorchRLEnv(make_vector(game, num_envs, autoreset_mode="disabled", **view), device)


class TorchRLEnv(EnvBase):  # type: ignore[misc]  # an untyped base where TorchRL is not installed
    """A :class:`~plyground.envs.single_agent.vector_env.BoardVectorEnv` as TorchRL steps it.

    Its tensors are ``observation`` (float32), ``action_mask`` (bool), ``action`` (int64),
    ``reward``, ``done`` and ``terminated``. ``ActionMask`` transforms and masked distributions find
    the mask under its usual name.

    Args:
        envs: the games, with ``autoreset_mode="disabled"``.
        device: where its tensors are.
    """

    def __init__(self, envs: BoardVectorEnv, device: Any = None) -> None:
        count = envs.num_envs
        super().__init__(device=device, batch_size=torch.Size([count]))
        self.envs = envs
        space: Any = envs.single_observation_space
        actions = int(envs.game.facts.num_actions)
        kind = torch.from_numpy(np.empty(0, space.dtype)).dtype
        self.observation_spec: Any = Composite(
            observation=Unbounded((count, *space.shape), dtype=kind, device=device),
            action_mask=Binary(n=actions, shape=(count, actions), dtype=torch.bool, device=device),
            shape=(count,),
            device=device,
        )
        self.action_spec: Any = Categorical(
            actions, shape=(count,), dtype=torch.int64, device=device
        )
        self.reward_spec: Any = Unbounded((count, 1), dtype=torch.float32, device=device)
        self.done_spec: Any = Composite(
            done=Categorical(2, shape=(count, 1), dtype=torch.bool, device=device),
            terminated=Categorical(2, shape=(count, 1), dtype=torch.bool, device=device),
            shape=(count,),
            device=device,
        )
        self._seeds: int | None = None

    def _observations(self) -> dict[str, torch.Tensor]:
        state = self.envs.games.state
        planes = self.envs.observation_options.show(state.observations, state.masks)
        return {
            "observation": torch.tensor(planes, device=self.device),
            "action_mask": torch.tensor(state.masks, dtype=torch.bool, device=self.device),
        }

    def _ends(self, ends: np.ndarray) -> dict[str, torch.Tensor]:
        signal = torch.tensor(ends, device=self.device)[:, None]
        return {"done": signal, "terminated": signal.clone()}

    def _reset(self, tensordict: Any = None, **options: Any) -> Any:
        mask = None if tensordict is None else tensordict.get("_reset", None)
        which = None if mask is None else mask.cpu().numpy().reshape(-1)
        self.envs.games.reset(self._seeds, which)
        self._seeds = None
        ends = np.zeros(self.envs.num_envs, np.bool_)
        return TensorDict(
            {**self._observations(), **self._ends(ends)}, self.batch_size, device=self.device
        )

    def _step(self, tensordict: Any) -> Any:
        games = self.envs.games
        games.step(tensordict["action"].cpu().numpy())
        state = games.state
        rewards = torch.tensor(state.rewards, dtype=torch.float32, device=self.device)
        return TensorDict(
            {**self._observations(), "reward": rewards[:, None], **self._ends(state.terminated)},
            self.batch_size,
            device=self.device,
        )

    def _set_seed(self, seed: int | None) -> None:
        self._seeds = seed

    def set_opponent(self, opponent: Any) -> None:
        """Change the opponents."""
        envs: Any = self.envs
        envs.set_opponent(opponent)
