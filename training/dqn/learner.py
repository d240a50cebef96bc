"""DQN as a run uses it: its settings, its updates and its checkpoints."""

from __future__ import annotations

import contextlib
from contextlib import AbstractContextManager
from typing import Any

from stable_baselines3.common.type_aliases import TrainFreq, TrainFrequencyUnit

from ...envs.game import Game
from ..export import PolicyExporter
from ..sb3 import BoardVecEnv
from ..sb3_learner import Sb3Learner, from_bytes, to_bytes
from .masked import MaskedDQN, MaskedDQNPolicy, MaskedTrunk, PlainQNetwork
from .settings import DQNSettings


class DQNLearner(Sb3Learner):
    """A :class:`~plyground.training.dqn.masked.MaskedDQN`, one update at a time.

    Args:
        env: the games, which show dictionaries.
        settings: everything else.
        seed: of the weights, the games and the choices.
    """

    def __init__(self, env: BoardVecEnv, settings: DQNSettings, seed: int) -> None:
        self.env, self.settings = env, settings
        env.seed(seed)
        trunk = {"channels": settings.channels, "layers": settings.layers, "dense": settings.units}
        self.model = MaskedDQN(
            MaskedDQNPolicy,
            env,
            learning_rate=self.learning_rate,
            buffer_size=settings.memory,
            learning_starts=settings.first_steps,
            batch_size=settings.batch_size,
            gamma=settings.gamma,
            target_update_interval=max(settings.target_every, settings.games),
            exploration_fraction=settings.exploration_share,
            exploration_final_eps=settings.exploration,
            max_grad_norm=settings.gradient_norm,
            policy_kwargs={
                "net_arch": [],
                "features_extractor_class": MaskedTrunk,
                "features_extractor_kwargs": trunk,
            },
            seed=seed,
            device="cpu",
        )
        self.set_up()
        self._frequency = TrainFreq(settings.rollout, TrainFrequencyUnit.STEP)

    def update(self) -> dict[str, float]:
        """Play a rollout and learn from what is kept; returns what is to be logged.

        Raises:
            TrainingError: a loss or a weight is no longer a number.
        """
        model, settings = self.model, self.settings
        began = self.step
        buffer = model.replay_buffer
        assert buffer is not None
        model.collect_rollouts(
            self.env,
            self._callback,
            self._frequency,
            buffer,
            learning_starts=settings.first_steps,
        )
        if self.step > settings.first_steps:
            model.train(settings.minibatches, settings.batch_size)
        return self.checked_values(began)

    def exporter(self, game: Game) -> PolicyExporter:
        """Writes the values of actions as policy files."""
        return PolicyExporter(PlainQNetwork(self.policy), game, "dqn", action_values=True)

    def full_precision(self) -> AbstractContextManager[None]:
        """Nothing: DQN always computes in float32."""
        return contextlib.nullcontext()

    def state(self) -> dict[str, Any]:
        """The state of the learner, its games and what it remembers, for a checkpoint."""
        model: Any = self.model
        buffer = model.replay_buffer
        rows = buffer.buffer_size if buffer.full else buffer.pos
        return {
            **super().state(),
            "calls": model._n_calls,
            "exploration": model.exploration_rate,
            "memory": {name: to_bytes(part[:rows]) for name, part in _parts(buffer).items()},
            "place": [buffer.pos, bool(buffer.full)],
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore a state that :meth:`state` returned."""
        super().load_state(state)
        model: Any = self.model
        model._n_calls, model.exploration_rate = state["calls"], state["exploration"]
        buffer = model.replay_buffer
        buffer.pos, buffer.full = state["place"]
        rows = buffer.buffer_size if buffer.full else buffer.pos
        for name, part in _parts(buffer).items():
            from_bytes(state["memory"][name], part[:rows])


def _parts(buffer: Any) -> dict[str, Any]:
    """The arrays of a replay buffer by name; the first axis is the order of the transitions."""
    parts = {name: getattr(buffer, name) for name in ("actions", "rewards", "dones", "timeouts")}
    for name in ("observations", "next_observations"):
        parts |= {f"{name}/{key}": part for key, part in getattr(buffer, name).items()}
    return parts
