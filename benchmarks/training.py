"""Steps per second of MaskablePPO at connect four, the whole training loop.

It is compared with a learner set up as in PettingZoo's tutorial on action masks. Run with ``python
benchmarks/training.py`` (three minutes). The two take turns in one process with one thread for
torch; the medians of the turns are printed. plyground uses the settings of ``plyground train ppo
connect_four --opponent random --set dense=256,128``. The tutorial uses one environment and the
defaults of MaskablePPO (updates of 2,048 steps, 10 epochs, batches of 64); its learner plays both
sides, so an opponent takes no time.

Then each trains from the start until it scores 95 % against ``random`` over 200 paired openings of
4 plies, or until the time limit.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import cyclopts
import gymnasium
import numpy as np
import pettingzoo
import torch
from plyground import make_game
from plyground.evaluation.gauntlet import evaluate
from plyground.training.network import full_precision
from plyground.training.players import NetworkPlayer
from plyground.training.ppo.settings import PPOSettings
from plyground.training.ppo.train import PPOLearner, new_model
from plyground.training.sb3_learner import open_games
from sb3_contrib import MaskablePPO
from sb3_contrib.common.wrappers import ActionMasker
from timing import print_table, rates

TURNS = 3
SETTINGS = ["dense=256,128"]  # half of the default width, which is enough against random
GOAL, PAIRS, PLIES = 0.95, 200, 4


class BothSides(gymnasium.Env):
    """PettingZoo's connect four as one Gymnasium environment, in which the caller plays both sides.

    The observation is for the player to move.
    """

    def __init__(self) -> None:
        self.aec = pettingzoo.make("aec", "classic/connect_four-v3")
        self.aec.reset()
        player = self.aec.possible_agents[0]
        self.observation_space = self.aec.observation_space(player)["observation"]
        self.action_space = self.aec.action_space(player)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        self.aec.reset(seed)
        return self.aec.observe(self.aec.agent_selection)["observation"], {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        self.aec.step(int(action))
        observation, reward, terminated, truncated, info = self.aec.last()
        return observation["observation"], reward, terminated, truncated, info

    def action_mask(self) -> np.ndarray:
        return self.aec.observe(self.aec.agent_selection)["action_mask"]


def tutorial_learner(seed: int) -> tuple[Callable[[], int], Any]:
    """A function that makes one update and returns its number of steps, and the policy."""
    torch.distributions.Distribution.set_default_validate_args(True)  # torch's own default
    model = MaskablePPO(
        "MlpPolicy",
        ActionMasker(BothSides(), lambda env: env.action_mask()),
        seed=seed,
        device="cpu",
    )

    def update() -> int:
        model.learn(model.n_steps, reset_num_timesteps=False)
        return model.n_steps

    return update, model.policy


def ppo_learner(
    spec: str, opponent: str, changes: Sequence[str], seed: int
) -> tuple[Callable[[], int], Any]:
    """PPO of plyground at a game: a rollout and its update, and the policy."""
    game = make_game(spec)
    settings = PPOSettings.for_game(game, {"opponent": opponent, "steps": 10**9}, changes)
    env = open_games(game, settings, seed)
    model = new_model(game, env, settings, seed, torch.device("cpu"))
    learner = PPOLearner(settings, seed, model)

    def update() -> int:
        model.collect_rollouts(env, learner.callback, model.rollout_buffer, model.n_steps)
        model.train()
        learner.finish_update()
        return settings.games * settings.rollout

    return update, model.policy


def our_learner(seed: int) -> tuple[Callable[[], int], Any]:
    return ppo_learner("connect_four", "random", SETTINGS, seed)


def score(policy: Any) -> float:
    """The score against ``random``; plyground's policy in full precision."""
    low_precision = hasattr(policy.features_extractor, "reduced")
    with full_precision(policy) if low_precision else contextlib.nullcontext():
        player = NetworkPlayer(policy)
        (row,) = evaluate(player, "connect_four", ["random"], pairs=PAIRS, opening_plies=PLIES)
        return row.score


def time_to_goal(
    make: Callable[[int], tuple[Callable[[], int], Any]], limit: float
) -> tuple[float, int, float]:
    """Seconds of training, steps and score at the goal or the limit.

    The time of evaluation games is not counted.
    """
    update, policy = make(2)
    seconds, steps, last_evaluation, best = 0.0, 0, 0.0, 0.0
    while seconds < limit and best < GOAL:
        began = time.perf_counter()
        steps += update()
        seconds += time.perf_counter() - began
        if seconds - last_evaluation > 2.0 or seconds >= limit:
            last_evaluation, best = seconds, score(policy)
    return seconds, steps, best


def rows(seconds: float, limit: float) -> Iterator[tuple[str, ...]]:
    """Measure both learners."""
    makers = {"plyground": our_learner, "as in PettingZoo's tutorial": tutorial_learner}
    updates = {name: make(1)[0] for name, make in makers.items()}
    speeds = rates(updates, seconds, TURNS, time.perf_counter)
    slow = min(speeds.values())
    for name, make in makers.items():
        duration, steps, percent = time_to_goal(make, limit)
        yield (
            name,
            f"{speeds[name]:,.0f}",
            f"{speeds[name] / slow:.1f}",
            f"{duration:.0f}",
            f"{steps:,}",
            f"{100 * percent:.1f} %",
        )


def main(seconds: float = 10.0, limit: float = 120.0) -> None:
    """Print the speed of both learners, and their times to beat random.

    Args:
        seconds: length of a turn
        limit: seconds of training for the 95 %
    """
    torch.set_num_threads(1)
    title = f"MaskablePPO at connect four, one thread; load {os.getloadavg()[0]:.1f}"
    headings = ("learner", "steps/s", "ratio", "seconds", "steps", "score against random")
    print_table(title, headings, rows(seconds, limit))


if __name__ == "__main__":
    cyclopts.run(main)
