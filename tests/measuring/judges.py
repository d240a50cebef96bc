"""What evaluates a learner in these tests; another process imports it."""

from __future__ import annotations

import functools
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
from plyground import make_game
from plyground.envs.specification import SpecificationError

GAME = make_game("tic_tac_toe")
PATIENCE_SECONDS = 120.0
START = GAME.initial_position()


def judge(player):
    """A row with the learner's first move as its score, and where it was judged."""
    observations, masks = START.observation()[None], START.action_mask()[None]
    (move,) = player.act_batch(observations, masks).tolist()
    row = {"opponent": "nobody", "score": move / 8, "low": 0.0, "high": 1.0, "move": move}
    about = {"pid": os.getpid(), "nice": os.nice(0), "torch": "torch" in sys.modules}
    return [row | about]


def judge_when(file, player):
    """Wait for a file before judging; write where it waits."""
    Path(f"{file}.pid").write_text(str(os.getpid()))
    end = time.monotonic() + PATIENCE_SECONDS
    while not Path(file).exists():
        assert time.monotonic() < end, f"nobody has written {file}"
        time.sleep(0.01)
    return judge(player)


def judge_preparing(player):
    """Take a second of CPU time in the process's first call; the row has all its CPU seconds."""
    _prepare()
    return [row | {"cpu": sum(os.times()[:4])} for row in judge(player)]


@functools.cache
def _prepare():
    end = time.process_time() + 1.0
    while time.process_time() < end:
        pass


def die_elsewhere(home, player):
    """Judge in the process of this number; any other is killed."""
    if os.getpid() != home:
        os.kill(os.getpid(), signal.SIGKILL)
    return judge(player)


def refuse(player):
    """An opponent of the user's that fails."""
    raise SpecificationError("my_agent raised ZeroDivisionError: division by zero")


def random_observations(game, count, seed=1):
    """Observations and masks of positions of random games."""
    rng, observations, masks = np.random.default_rng(seed), [], []
    position = game.initial_position()
    while len(masks) < count:
        observations.append(position.observation())
        masks.append(position.action_mask())
        position.play(int(rng.choice(position.legal_actions())))
        if position.is_over:
            position = game.initial_position()
    return np.stack(observations), np.stack(masks)
