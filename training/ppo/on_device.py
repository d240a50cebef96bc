"""PPO as a training run on a GPU: games, network, advantages and updates stay in its memory.

Settings, loss and network are those of MaskablePPO. In games of the learner against itself the
actions of both players are samples; against others its own. A step of all games launches a kernel,
and nothing waits for the device before the end of an update.

Sources: Schulman, Wolski, Dhariwal, Radford, Klimov, "Proximal policy optimization algorithms",
2017; Schulman, Moritz, Levine, Jordan, Abbeel, "High-dimensional continuous control using
generalized advantage estimation", ICLR 2016; Huang, Ontañón, "A closer look at invalid action
masking in policy gradient algorithms", 2020.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch.nn.functional import mse_loss

from ...agents.opponents import MakeAgent
from ...agents.policies.heads import ActorCriticHeads
from ...agents.policies.policy_file import TO_COME, policy_metadata
from ...agents.registry import make_agent
from ...envs.compiled.cuda.devices import Device
from ...envs.game import Game
from ...envs.single_agent.device_batch import DeviceBatch
from ...envs.single_agent.env import learner_spaces
from ...envs.single_agent.opponents import index_of_learner
from ...envs.specification import SpecificationError
from ..curriculum import Curriculum
from ..export import NetworkExporter
from ..network import full_precision
from ..run import TrainingRun
from ..sb3_learner import (
    LONG_OPENING_PLIES,
    OpposedLearner,
    from_bytes,
    generators,
    set_generators,
    to_bytes,
)
from ..symmetry import observation_symmetries
from .policy import GRADIENT_NORM, kind_of_policy
from .settings import PPOSettings
from .taught import TaughtPolicy
from .turns import turn_advantages

IMPOSSIBLE = -1e8  # the logit of an illegal action
LOGGED = (
    "loss",
    "policy_gradient_loss",
    "value_loss",
    "entropy_loss",
    "approx_kl",
    "clip_fraction",
)


def train(
    game: Game,
    settings: PPOSettings,
    seed: int,
    out: Path,
    facts: dict[str, Any],
    device: Device,
    *,
    make: MakeAgent = make_agent,
    **options: Any,
) -> TrainingRun:
    """Start or resume a PPO run and finish it, all on this device.

    The rest is as for :func:`plyground.training.ppo.train.train`, whose runs this one continues,
    and which continues this one's.

    Raises:
        SpecificationError: a setting or an opponent is not possible on a GPU.
    """
    games, curriculum = open_games(game, settings, seed, device, make)
    with TrainingRun(game, settings, seed, out, facts, **options) as run:
        torch.manual_seed(seed)
        learner = DeviceLearner(settings, games, curriculum)
        heads, optimizer = learner.heads, learner.policy.optimizer
        metadata = policy_metadata(game, settings.algorithm, TO_COME)
        exporter = NetworkExporter(heads, game, metadata)
        rollout, view = Rollout.new(games, settings.rollout), View(games, settings.symmetries)
        run.resume(learner)
        while run.goes_on():
            # the rates of this update
            left = learner.share_left(run.progress)
            for group in optimizer.param_groups:
                group["lr"] = settings.learning_rate * left
            # play
            play(games, view, heads, rollout)
            # learn
            turns = rollout.rewards, rollout.values, rollout.movers, rollout.ended
            advantages = turn_advantages(*turns, settings.gamma, settings.gae_lambda)
            means = learn(heads, optimizer, rollout, advantages, settings, settings.entropy * left)
            run.log(learner.finish_update(rollout, means))
            with full_precision(learner.policy):  # as it is exported
                run.measure(exporter.write)
            run.save()
    return run


def open_games(
    game: Game, settings: PPOSettings, seed: int, device: Device, make: MakeAgent
) -> tuple[DeviceBatch, Curriculum]:
    """The N parallel games of a run, begun against its first opponents, and all of these.

    Raises:
        SpecificationError: a setting or an opponent of any stage is not possible on a GPU.
    """
    if settings.regret:
        raise SpecificationError(
            f"regret={settings.regret} is possible only with --device cpu: no judge runs on a GPU"
        )
    curriculum = Curriculum(settings, game, None, make)
    with refused_in_a_sentence():
        games = DeviceBatch(
            game,
            settings.games,
            curriculum.opponents,
            device=device,
            opening_plies=settings.opening_plies,
            long_openings=settings.long_openings,
            long_opening_plies=LONG_OPENING_PLIES,
        )
        games.check_opponents(curriculum.of_all_stages)
        games.reset(seed)
    return games, curriculum


@contextlib.contextmanager
def refused_in_a_sentence() -> Iterator[None]:
    """Convert errors about what does not run on a GPU to a SpecificationError."""
    try:
        yield
    except ValueError as error:
        raise SpecificationError(str(error)) from None


class Rollout(NamedTuple):
    """The samples of T steps of N games, all on the device, and the games that ended."""

    observations: torch.Tensor  # int8 (T, N, rows, columns, planes)
    masks: torch.Tensor  # bool (T, N, actions)
    actions: torch.Tensor  # int64 (T, N)
    log_probs: torch.Tensor  # float32 (T, N): of the actions
    values: torch.Tensor  # float32 (T + 1, N)
    rewards: torch.Tensor  # float32 (T, N): of who acted
    ended: torch.Tensor  # bool (T, N): the step ended a game
    movers: torch.Tensor  # int64 (T + 1, N): the player to move
    # of the games that ended:
    opponents: torch.Tensor  # int64 (T, N)
    returns: torch.Tensor  # float32 (T, N)
    lengths: torch.Tensor  # int64 (T, N)

    @classmethod
    def new(cls, games: DeviceBatch, steps: int) -> Rollout:
        """Room for this many steps."""
        facts, count, place = games.game.facts, games.num_games, games.device.place

        def zeros(dtype: torch.dtype, *shape: int, more: int = 0) -> torch.Tensor:
            return torch.zeros((steps + more, count, *shape), dtype=dtype, device=place)

        return cls(
            observations=zeros(torch.int8, *facts.observation_shape),
            masks=zeros(torch.bool, facts.num_actions),
            actions=zeros(torch.int64),
            log_probs=zeros(torch.float32),
            values=zeros(torch.float32, more=1),
            rewards=zeros(torch.float32),
            ended=zeros(torch.bool),
            movers=zeros(torch.int64, more=1),
            opponents=zeros(torch.int64),
            returns=zeros(torch.float32),
            lengths=zeros(torch.int64),
        )


class View:
    """Shows each game through a random symmetry, drawn anew in every step.

    :mod:`plyground.training.symmetry` says why this keeps PPO exact.

    Args:
        games: the games.
        is_random: whether it is drawn; otherwise games are shown as they are.
    """

    def __init__(self, games: DeviceBatch, is_random: bool) -> None:
        game, place = games.game, games.device.place
        self._count: int = len(game.symmetries) if is_random else 1
        if self._count == 1:
            return
        self._cells: torch.Tensor = torch.from_numpy(observation_symmetries(game)).to(place)
        images = torch.from_numpy(game.symmetries).long().to(place)
        self._originals: torch.Tensor = images.argsort(dim=1)  # action in the image -> in the game

    def look(
        self, observations: torch.Tensor, masks: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Images of observations (N, rows, columns, planes) and of masks (N, actions)."""
        if self._count == 1:
            return observations, masks
        drawn = torch.randint(self._count, (len(masks),), device=masks.device)
        self._actions: torch.Tensor = self._originals[drawn]
        planes = observations.flatten(1).gather(1, self._cells[drawn])
        return planes.view_as(observations), masks.gather(1, self._actions)

    def actions(self, actions: torch.Tensor) -> torch.Tensor:
        """The actions in the games, int64 (N,), for actions chosen in these images."""
        if self._count == 1:
            return actions
        return self._actions.gather(1, actions[:, None])[:, 0]


@torch.no_grad()
def play(games: DeviceBatch, view: View, heads: ActorCriticHeads, rollout: Rollout) -> None:
    """Fill a rollout by the policy's own moves."""
    state = games.state
    for step in range(len(rollout.actions)):
        observations, masks = view.look(state.observations, state.masks)
        rollout.observations[step], rollout.masks[step] = observations, masks.bool()
        rollout.movers[step] = state.seats
        logits, rollout.values[step] = heads(observations)
        log_probs = log_policy(logits, rollout.masks[step])
        # the first of exponential clocks with these rates: a draw by the probabilities
        clocks = torch.empty_like(log_probs).exponential_()
        actions = (log_probs.exp() / clocks).argmax(dim=1)
        rollout.actions[step] = actions
        rollout.log_probs[step] = of_actions(log_probs, actions)
        games.step(view.actions(actions))
        rollout.rewards[step], rollout.ended[step] = state.rewards, state.terminated
        rollout.opponents[step] = state.final_opponents
        rollout.returns[step] = state.final_returns
        rollout.lengths[step] = state.final_lengths
    rollout.movers[-1] = state.seats
    _, rollout.values[-1] = heads(view.look(state.observations, state.masks)[0])


def log_policy(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Logarithms of the probabilities of actions, (N, actions); illegal ones have none."""
    return logits.masked_fill(~masks, IMPOSSIBLE).log_softmax(dim=1)


def of_actions(log_probs: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
    """The entries of these actions, (N,)."""
    return log_probs.gather(1, actions[:, None])[:, 0]


def learn(
    heads: ActorCriticHeads,
    optimizer: torch.optim.Optimizer,
    rollout: Rollout,
    advantages: torch.Tensor,
    settings: PPOSettings,
    entropy_weight: float,
) -> torch.Tensor:
    """Pass over the samples several times; returns the means of :data:`LOGGED`, on the device."""
    of_samples = [each.flatten(0, 1) for each in rollout[:4]]
    returns = (advantages + rollout.values[:-1]).flatten()
    sums = torch.zeros(len(LOGGED), device=returns.device)
    minibatches = 0
    for _ in range(settings.epochs):
        order = torch.randperm(len(returns), device=returns.device)
        for rows in torch.split(order, settings.batch_size):
            observations, masks, actions, before = (each[rows] for each in of_samples)
            gains = advantages.flatten()[rows]
            if len(rows) > 1:
                gains = (gains - gains.mean()) / (gains.std() + 1e-8)
            logits, values = heads(observations)
            log_probs = log_policy(logits, masks)
            change = of_actions(log_probs, actions) - before
            ratio = change.exp()
            clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
            policy_loss = -torch.min(gains * ratio, gains * clipped).mean()
            value_loss = mse_loss(values, returns[rows])
            entropy_loss = (log_probs.exp() * log_probs).sum(dim=1).mean()  # minus the entropy
            loss = policy_loss + entropy_weight * entropy_loss + settings.value_weight * value_loss
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(heads.parameters(), GRADIENT_NORM)
            optimizer.step()
            with torch.no_grad():
                divergence, far = (ratio - 1 - change).mean(), (ratio != clipped).float().mean()
                sums += torch.stack([loss, policy_loss, value_loss, entropy_loss, divergence, far])
            minibatches += 1
    return sums / minibatches


class DeviceLearner(OpposedLearner):
    """The policy, its games and its opponents, as restored by a checkpoint.

    Args:
        settings: the settings.
        games: its games.
        curriculum: their opponents.

    Attributes:
        heads: the policy as a function of observations, to logits and values.
    """

    games: DeviceBatch

    def __init__(self, settings: PPOSettings, games: DeviceBatch, curriculum: Curriculum) -> None:
        self._place = games.device.place
        kind, network = kind_of_policy(games.game, settings, self._place)
        spaces = learner_spaces(games.game)
        policy: Any = kind(*spaces, lambda left: settings.learning_rate, **network)
        super().__init__(settings, policy.to(self._place), games)
        self.curriculum = curriculum
        self.heads: ActorCriticHeads = ActorCriticHeads(self.policy, "hwc")
        self._step = self._updates = 0

    def load_initial(self, run: str) -> None:
        """As for all learners, unless the policy is a network that others left."""
        if not isinstance(self.policy, TaughtPolicy):
            super().load_initial(run)

    @property
    def step(self) -> int:
        """Actions that the learner has taken, in both seats of games against itself."""
        return self._step

    @property
    def updates(self) -> int:
        """Passes over the samples of an update, as stable-baselines3 counts them."""
        return self._updates

    def finish_update(self, rollout: Rollout, means: torch.Tensor) -> dict[str, float]:
        """Choose the next opponents by the finished games; returns the values to log.

        Raises:
            TrainingError: a loss or a weight is NaN or infinite.
        """
        values = {f"train/{name}": value for name, value in zip(LOGGED, means.tolist())}
        self.check_finite(values["train/loss"], self._step)
        self._step += rollout.actions.numel()
        self._updates += self.settings.epochs
        itself = index_of_learner(self.games.opponents)
        counted = rollout.ended & (rollout.opponents != itself)
        opponents, returns = rollout.opponents[counted].tolist(), rollout.returns[counted]
        if opponents:
            values["rollout/mean_return"] = float(returns.mean())
            values["rollout/mean_length"] = float(rollout.lengths[counted].float().mean())
        self.add_results(opponents, returns.tolist())
        return values | {"curriculum/stage": self.curriculum.stage}

    # -- checkpoints: those of PPOLearner --

    def state(self) -> dict[str, Any]:
        """The state of the learner, its games and its opponents, for a checkpoint."""
        games = {
            name: to_bytes(values.cpu().numpy())
            for name, values in self.games.state._asdict().items()
        }
        games["positions"] = games["positions"].flatten()  # as records are written
        learner = {
            "step": self._step,
            "updates": self._updates,
            "policy": self.policy.state_dict(),
            "optimizer": self.policy.optimizer.state_dict(),
            **generators(self._place),
            "games": games,
            "starts": self.games.state.terminated.cpu(),
        }
        curriculum = self.curriculum.state()
        return {"learner": learner, "curriculum": curriculum, "snapshots": None, "snapped": 0}

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore a state that :meth:`state` returned, of this class or of PPOLearner."""
        self.curriculum.load_state(state["curriculum"])
        self.games.set_opponents(self.curriculum.opponents)
        learner = state["learner"]
        self._step, self._updates = learner["step"], learner["updates"]
        self.policy.load_state_dict(learner["policy"])
        self.policy.optimizer.load_state_dict(learner["optimizer"])
        for name, tensor in self.games.state._asdict().items():
            values = tensor.cpu().numpy()
            from_bytes(learner["games"][name], values)
            tensor.copy_(torch.from_numpy(values))
        set_generators(learner, self._place)
