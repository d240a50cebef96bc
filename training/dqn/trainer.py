"""DQN as a training run uses it: DQN of stable-baselines3 with action masks."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ClassVar, Literal

from stable_baselines3.common.type_aliases import TrainFreq, TrainFrequencyUnit

from ..export import PolicyExporter
from ..run import TrainingRun
from ..sb3_trainer import Sb3Trainer, from_bytes, to_bytes, train_sb3
from .masked import MaskedDQN, MaskedDQNPolicy, MaskedTrunk, PlainQNetwork


class DQNTrainer(Sb3Trainer):
    """A :class:`~plyground.training.dqn.masked.MaskedDQN` against a curriculum."""

    observation: ClassVar[Literal["planes", "dict"]] = "dict"

    def make_model(self, seed: int) -> MaskedDQN:
        """The model on ``env``, with its initial weights."""
        settings = self.settings
        trunk = {"channels": settings.channels, "layers": settings.layers, "dense": settings.units}
        return MaskedDQN(
            MaskedDQNPolicy,
            self.env,
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
            device=self.device,
        )

    def learn(self) -> None:
        """Play a rollout and learn from what is remembered."""
        model, settings = self.model, self.settings
        model._total_timesteps = self.steps_in_all  # which its schedules follow
        model.collect_rollouts(
            self.env,
            self.callback,
            TrainFreq(settings.rollout, TrainFrequencyUnit.STEP),
            model.replay_buffer,
            learning_starts=settings.first_steps,
        )
        if self.step > settings.first_steps:
            model.train(settings.minibatches, settings.batch_size)

    def make_exporter(self) -> PolicyExporter:
        """Writes the values of actions as policy files."""
        return PolicyExporter(PlainQNetwork(self.policy), self.game, "dqn", action_values=True)

    def learner_state(self) -> dict[str, Any]:
        """The state of the model, its games and what it remembers."""
        model = self.model
        buffer = model.replay_buffer
        rows = buffer.buffer_size if buffer.full else buffer.pos
        return {
            **super().learner_state(),
            "calls": model._n_calls,
            "exploration": model.exploration_rate,
            "memory": {name: to_bytes(part[:rows]) for name, part in _parts(buffer).items()},
            "place": [buffer.pos, bool(buffer.full)],
        }

    def load_learner_state(self, state: dict[str, Any]) -> None:
        """Restore a state that :meth:`learner_state` returned."""
        super().load_learner_state(state)
        model = self.model
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


# Begins or resumes a run; see :func:`~plyground.training.sb3_trainer.train_sb3`.
train: Callable[..., TrainingRun] = functools.partial(train_sb3, DQNTrainer)
