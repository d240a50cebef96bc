"""What is asked of every adapter."""

from __future__ import annotations

import importlib.metadata
import json
import os
import time
from pathlib import Path

import numpy as np
from helpers import ROOT, script
from plyground import make_agent
from plyground.envs.conformance.ledger import Ledger, Transition, numbers_of
from plyground.training.environments import make_vector_env

MARK = "# plyground"


def own_lines(name: str) -> int:
    """How many lines of an example are marked as plyground's."""
    text = (ROOT / "examples" / "adapters" / f"{name}.py").read_text(encoding="utf-8")
    return sum(line.rstrip().endswith(MARK) for line in text.splitlines())


def scores_by_seat(agent: str, game: str = "tic_tac_toe", games: int = 400) -> list[float]:
    """What an agent scores against ``random`` in each seat, a draw being half a point."""
    player = make_agent(agent, game)
    scores = []
    for seat in (0, 1):
        envs = make_vector_env(game, games, "random", seat=seat, autoreset_mode="disabled")
        envs.reset(seed=1)
        state = envs.games.state
        results, going = np.zeros(games), np.ones(games, bool)
        while going.any():
            actions = np.zeros(games, np.int64)
            actions[going] = player.act_batch(state.observations[going], state.masks[going])
            envs.games.step(actions, ~going)
            is_over = going & state.terminated
            results[is_over] = state.final_returns[is_over]
            going &= ~is_over
        scores.append(float((np.sign(results) + 1).mean() / 2))
    return scores


def check_that_it_learns(name: str, library: str, package: str, folder: Path) -> None:
    """An example beats ``random`` from both seats, with at most two lines of plyground's own."""
    script(f"examples/adapters/{name}.py").main(out=str(folder / "net.onnx"))
    scores = scores_by_seat(f"onnx:{folder / 'net.onnx'}")
    version = importlib.metadata.version(package)
    note(library=f"{library} {version}", scores=scores, lines=own_lines(name))
    assert min(scores) >= 0.9
    assert own_lines(name) <= 2


def record(games: object) -> Ledger:
    """A ledger of all that a batch of games plays from now on, whatever steps it."""
    ledger, state, step = Ledger(), games.state, games.step

    def traced(actions, left_out=None):
        observations = [numbers_of(row) for row in state.observations]
        masks, seats, over = state.masks.copy(), state.seats.copy(), state.terminated.copy()
        step(actions, left_out)
        restarts = bool(games._options.restart)
        for game, action in enumerate(np.asarray(actions).tolist()):
            if (left_out is not None and left_out[game]) or (over[game] and not restarts):
                continue
            is_last = bool(state.terminated[game])
            after = state.final_observations if is_last else state.observations
            ledger.add(
                Transition(
                    int(seats[game]),
                    observations[game],
                    action,
                    float(state.rewards[game]),
                    numbers_of(after[game]),
                    is_last,
                    bool(masks[game][action]),
                )
            )
            if is_last and restarts:
                ledger.add_start(state.observations[game])

    games.step = traced
    return ledger


def rate(step, seconds: float = 3.0) -> float:
    """Steps a second of ``step()``, which returns how many it took."""
    step()
    count, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        count += step()
    return count / (time.perf_counter() - began)


def note(**facts: object) -> None:
    """Keep what was found; ``python tests/adapters/table.py`` makes the table of the docs of it."""
    folder = Path(os.environ.get("PLYGROUND_ADAPTER_RESULTS", ROOT / "build" / "adapters"))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{os.environ['PLYGROUND_ADAPTER']}.json"
    table = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(table | facts, indent=1) + "\n")
