"""PPO as a training run: MaskablePPO of sb3-contrib against a curriculum of opponents.

On a GPU :mod:`.on_device` is the run, in place of it.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import torch

from ...agents.opponents import MakeAgent
from ...agents.registry import make_agent
from ...envs.game import Game
from ..curriculum import Curriculum
from ..export import PolicyExporter
from ..run import TrainingRun
from ..sb3 import BoardVecEnv
from ..sb3_learner import CPU, Sb3Learner, open_games
from .settings import PPOSettings

try:
    from sb3_contrib import MaskablePPO
except ImportError as error:
    raise ImportError('training needs sb3-contrib: pip install "plyground[train]"') from error

from ..network import full_precision
from .policy import GRADIENT_NORM, kind_of_policy
from .taught import TaughtPolicy
from .turns import TurnBuffer


def train(
    game: Game,
    settings: PPOSettings,
    seed: int,
    out: Path,
    facts: dict[str, Any],
    device: torch.device = CPU,
    *,
    make: MakeAgent = make_agent,
    **options: Any,
) -> TrainingRun:
    """Start or resume a PPO run and finish it.

    The network plays and learns on ``device``; ``make`` creates its opponents, see
    :func:`~plyground.agents.opponents.make_opponents`. The rest is as for
    :class:`~plyground.training.TrainingRun`. Invalid opponents and judges are refused before a
    folder is created.
    """
    if device.type == "cuda":
        # imported only here: on a processor it would lengthen the start
        from ...envs.compiled.cuda.devices import open_device
        from . import on_device

        with on_device.refused_in_a_sentence():
            gpu = open_device(str(device))
        return on_device.train(game, settings, seed, out, facts, gpu, make=make, **options)
    Curriculum(settings, game, None, make)  # refuse invalid ones before a folder is created
    with (
        closing(open_games(game, settings, seed)) as env,
        TrainingRun(game, settings, seed, out, facts, **options) as run,
    ):
        model = new_model(game, env, settings, seed, device)
        learner = PPOLearner(settings, seed, model, make)
        exporter = PolicyExporter(model, game)
        run.resume(learner)
        while run.goes_on():
            # the rates of this update
            left = model._current_progress_remaining = learner.share_left(run.progress)
            model.ent_coef = settings.entropy * left
            # play and learn
            model.collect_rollouts(env, learner.callback, model.rollout_buffer, model.n_steps)
            model.train()
            run.log(learner.finish_update())
            with full_precision(model.policy):  # as it is exported
                run.measure(exporter.write)
            run.save()
    return run


def new_model(
    game: Game, env: BoardVecEnv, settings: PPOSettings, seed: int, device: torch.device
) -> Any:
    """The network with its initial weights, and the algorithm."""
    # saves a tenth of the time; NaN is detected after the update
    torch.distributions.Distribution.set_default_validate_args(False)
    kind, network = kind_of_policy(game, settings, device)
    return MaskablePPO(
        kind,
        env,
        learning_rate=lambda left: settings.learning_rate * left,
        n_steps=settings.rollout,
        batch_size=settings.batch_size,
        n_epochs=settings.epochs,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip,
        ent_coef=settings.entropy,
        vf_coef=settings.value_weight,
        max_grad_norm=GRADIENT_NORM,
        policy_kwargs=network,
        rollout_buffer_class=TurnBuffer,
        rollout_buffer_kwargs={"games": env.games},
        seed=seed,
        device=device,
    )


class PPOLearner(Sb3Learner):
    """The state of PPO in a checkpoint."""

    def load_initial(self, run: str) -> None:
        """As for all learners, unless :func:`new_model` took a network that others left."""
        if not isinstance(self.policy, TaughtPolicy):
            super().load_initial(run)

    def model_state(self) -> dict[str, Any]:
        """The state of the model and its games, and which of these have just begun."""
        starts = torch.from_numpy(self.model._last_episode_starts.copy())
        return {**super().model_state(), "starts": starts}

    def load_model_state(self, state: dict[str, Any]) -> None:
        """Restore a state that :meth:`model_state` returned."""
        super().load_model_state(state)
        self.model._last_episode_starts = state["starts"].numpy()
