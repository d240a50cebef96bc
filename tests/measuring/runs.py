"""A run that learns nothing and takes no time; its policy of update N prefers action N."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import numpy as np
from networks import write_network
from plyground.training import TrainingRun, clock
from plyground.training.alphazero.settings import AlphaZeroSettings

from .judges import GAME, judge_when


class Learner:
    """Counts its updates; of those of ``idle`` the network learns nothing."""

    stage, step, updates = "nobody", 0, 0

    def __init__(self, idle=()):
        self.idle = idle

    def export(self, path):
        """Write the policy."""
        write_network(path, GAME, bias=np.eye(9)[self.updates % 9])

    def state(self):
        """For checkpoints."""
        return {"step": self.step, "updates": self.updates}

    def load_state(self, state):
        """From a checkpoint."""
        self.step, self.updates = state["step"], state["updates"]


def run(folder, evaluate, learner=None, steps=4, evaluations=2, keep=0, **options):
    """Train in a folder, with an evaluation in every second of four updates."""
    learner = learner or Learner()
    values = {"steps": steps, "hours": 0.0, "keep": keep, "evaluate": "none"}
    settings = AlphaZeroSettings.for_game(GAME, values | {"evaluations": evaluations})
    given = {"evaluate": evaluate, "log": "none", **options}
    with TrainingRun(GAME, settings, 1, Path(folder), {}, **given) as training:
        training.resume(learner)
        while training.goes_on():
            learner.step += 1
            learner.updates += learner.step not in learner.idle
            training.log({"loss": 0.0})
            training.measure(learner.export)
            training.save()
    return training


if __name__ == "__main__":  # a run whose measurement never ends
    clock.LONG_SECONDS = 0.0
    folder, file = sys.argv[1:]
    run(folder, partial(judge_when, file))
