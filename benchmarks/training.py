"""Steps per second of MaskablePPO at connect four, the whole training loop.

It is compared with a learner set up as in PettingZoo's tutorial on action masks. Run with ``python
benchmarks/training.py`` (three minutes). The two take turns in one process with
one thread for torch; the medians of the turns are printed. Each has its own settings. Ours are
those of ``plyground train ppo connect_four --opponent random --set dense=256,128``. The tutorial's
are one environment and what MaskablePPO does by default (updates of 2,048 steps, 10 epochs, batches
of 64); there the learner plays both sides, so no opponent costs it any time.

Then each trains anew until it scores 95 % against ``random`` over 200 paired openings of 4 plies,
or until the time given is over.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import torch
from plyground import make_game
from plyground.evaluation.gauntlet import play_gauntlet
from plyground.training.network import full_precision
from plyground.training.players import NetworkPlayer
from plyground.training.ppo.learner import Learner
from plyground.training.ppo.settings import ppo_settings
from plyground.training.sb3 import BoardVecEnv
from rich.console import Console
from rich.table import Table
from sb3_contrib import MaskablePPO
from sb3_contrib.common.wrappers import ActionMasker

TURNS = 3
SETTINGS = ["dense=256,128"]  # half of the default's width: random asks for less than search
GOAL, PAIRS, PLIES = 0.95, 200, 4


class BothSides(gymnasium.Env):
    """PettingZoo's connect four as one Gymnasium environment, in which the caller plays both sides.

    The observation is that of the player to move.
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
        observed, reward, terminated, truncated, info = self.aec.last()
        return observed["observation"], reward, terminated, truncated, info

    def action_mask(self) -> np.ndarray:
        return self.aec.observe(self.aec.agent_selection)["action_mask"]


def tutorial_learner(seed: int) -> tuple[Callable[[], int], Any]:
    """A function that makes one update and tells how many steps it took, and the policy."""
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


def our_learner(seed: int) -> tuple[Callable[[], int], Any]:
    game = make_game("connect_four")
    settings = ppo_settings("connect_four", {"opponent": "random", "steps": 10**9}, SETTINGS)
    env = BoardVecEnv(
        game,
        settings.games,
        "random",
        opening_plies=settings.opening_plies,
        symmetries=settings.symmetries,
    )
    learner = Learner(env, settings, seed)

    def update() -> int:
        learner.update()
        return settings.games * settings.rollout

    return update, learner.policy


def rate(update: Callable[[], int], seconds: float) -> float:
    """Steps per second by the clock, over whole updates."""
    steps, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        steps += update()
    return steps / (time.perf_counter() - began)


def score(policy: Any) -> float:
    player = NetworkPlayer(policy)
    if hasattr(policy.features_extractor, "reduced"):
        with full_precision(policy):
            return play_gauntlet(make_game("connect_four"), player, ["random"], PAIRS, PLIES, 1)[
                0
            ].score
    return play_gauntlet(make_game("connect_four"), player, ["random"], PAIRS, PLIES, 1)[0].score


def time_to_goal(
    make: Callable[[int], tuple[Callable[[], int], Any]], limit: float
) -> tuple[float, int, float]:
    """Seconds of training, steps and score when the goal or the limit was reached.

    The time of evaluation games is not counted.
    """
    update, policy = make(2)
    spent, steps, measured, reached = 0.0, 0, 0.0, 0.0
    while spent < limit and reached < GOAL:
        began = time.perf_counter()
        steps += update()
        spent += time.perf_counter() - began
        if spent - measured > 2.0 or spent >= limit:
            measured, reached = spent, score(policy)
    return spent, steps, reached


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=10.0, help="for each turn")
    parser.add_argument("--limit", type=float, default=120.0, help="of training for the 95 %%")
    given = parser.parse_args()
    torch.set_num_threads(1)
    makers = {"plyground": our_learner, "as in PettingZoo's tutorial": tutorial_learner}
    rates: dict[str, list[float]] = {name: [] for name in makers}
    for make in makers.values():
        make(1)[0]()  # compiles
    for turn in range(TURNS):
        for name, make in makers.items():
            rates[name].append(rate(make(turn)[0], given.seconds))
    table = Table(title=f"MaskablePPO at connect four, one thread; load {os.getloadavg()[0]:.1f}")
    for heading in (
        "learner",
        "steps/s",
        "ratio",
        "seconds of training",
        "steps",
        "score against random",
    ):
        table.add_column(heading, justify="left" if heading == "learner" else "right")
    slow = statistics.median(rates["as in PettingZoo's tutorial"])
    for name, make in makers.items():
        fast = statistics.median(rates[name])
        seconds, steps, reached = time_to_goal(make, given.limit)
        table.add_row(
            name,
            f"{fast:,.0f}",
            f"{fast / slow:.1f}",
            f"{seconds:.0f}",
            f"{steps:,}",
            f"{100 * reached:.1f} %",
        )
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
