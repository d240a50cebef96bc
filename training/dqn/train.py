"""DQN as a training run: DQN of stable-baselines3 with action masks against a curriculum."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import torch
from stable_baselines3.common.type_aliases import TrainFreq, TrainFrequencyUnit

from ...agents.opponents import MakeAgent
from ...agents.registry import make_agent
from ...envs.game import Game
from ..curriculum import Curriculum
from ..export import PolicyExporter
from ..players import NetworkPlayer
from ..run import TrainingRun
from ..sb3 import BoardVecEnv
from ..sb3_learner import CPU, Sb3Learner, from_bytes, open_games, to_bytes
from .masked import MaskedDQN, MaskedDQNPolicy, MaskedTrunk, PlainQNetwork
from .settings import DQNSettings

GRADIENT_NORM = 10.0  # to which gradients are clipped: stable-baselines3's default


def train(
    game: Game,
    settings: DQNSettings,
    seed: int,
    out: Path,
    facts: dict[str, Any],
    device: torch.device = CPU,
    *,
    make: MakeAgent = make_agent,
    **options: Any,
) -> TrainingRun:
    """Start or resume a DQN run and finish it.

    The network plays and learns on ``device``; ``make`` creates its opponents, see
    :func:`~plyground.agents.opponents.make_opponents`. The rest is as for
    :class:`~plyground.training.TrainingRun`. Invalid opponents and judges are refused before a
    folder is created.
    """
    # refuse invalid ones before a folder is created
    Curriculum(settings, game, NetworkPlayer(None), make)
    with (
        closing(open_games(game, settings, seed, "dict")) as env,
        TrainingRun(game, settings, seed, out, facts, **options) as run,
    ):
        model = new_model(env, settings, seed, device)
        learner = _DQNLearner(settings, seed, model, make, versions=True)
        network = PlainQNetwork(model.policy)
        exporter = PolicyExporter(network, game, "dqn", action_values=True)
        run.resume(learner)
        while run.goes_on():
            left = learner.share_left(run.progress)
            # play, with a share of random actions that falls during the run
            model._total_timesteps = learner.steps_in_all(run.progress)
            rollout = TrainFreq(settings.rollout, TrainFrequencyUnit.STEP)
            model.collect_rollouts(
                env, learner.callback, rollout, model.replay_buffer, None, settings.first_steps
            )
            # learn from the replay buffer, at the rate of this update
            if learner.step > settings.first_steps:
                model._current_progress_remaining = left
                model.train(settings.minibatches, settings.batch_size)
            run.log(learner.finish_update())
            run.measure(exporter.write)
            run.save()
    return run


def new_model(env: BoardVecEnv, settings: DQNSettings, seed: int, device: torch.device) -> Any:
    """The network with its initial weights, and the algorithm."""
    trunk = {"channels": settings.channels, "layers": settings.layers, "dense": settings.units}
    model = MaskedDQN(
        MaskedDQNPolicy,
        env,
        learning_rate=lambda left: settings.learning_rate * left,
        buffer_size=settings.memory,
        learning_starts=settings.first_steps,
        batch_size=settings.batch_size,
        gamma=settings.gamma,
        target_update_interval=max(settings.target_every, settings.games),
        exploration_fraction=settings.exploration_share,
        exploration_final_eps=settings.exploration,
        max_grad_norm=GRADIENT_NORM,
        policy_kwargs={
            "net_arch": [],
            "features_extractor_class": MaskedTrunk,
            "features_extractor_kwargs": trunk,
        },
        seed=seed,
        device=device,
    )
    model.exploration_rate = 1.0  # SB3 sets it to 0 before the first actions
    return model


class _DQNLearner(Sb3Learner):
    """The state of DQN in a checkpoint."""

    def model_state(self) -> dict[str, Any]:
        """The state of the model, its games and its replay buffer."""
        model, buffer = self.model, self.model.replay_buffer
        rows = buffer.buffer_size if buffer.full else buffer.pos
        return {
            **super().model_state(),
            "calls": model._n_calls,
            "exploration": model.exploration_rate,
            "memory": {name: to_bytes(part[:rows]) for name, part in _parts(buffer).items()},
            "place": [buffer.pos, bool(buffer.full)],
        }

    def load_model_state(self, state: dict[str, Any]) -> None:
        """Restore a state that :meth:`model_state` returned."""
        super().load_model_state(state)
        model, buffer = self.model, self.model.replay_buffer
        model._n_calls, model.exploration_rate = state["calls"], state["exploration"]
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
