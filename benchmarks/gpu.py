"""What a GPU brings: games that are played there, PPO, AlphaZero; Pgx and mctx beside them.

Run with ``python benchmarks/gpu.py`` (ten minutes on a machine with a GPU), or name parts and a
shorter time: ``python benchmarks/gpu.py rules forest --seconds 5``. The parts are:

- ``rules``: steps per second of every game on the GPU, by random moves, beside Pgx;
- ``replies``: the same with replies of ``alphabeta`` to depth 2 and 4; both compare the games with
  those of the processor before, to the bit (``gpu_parts/games.py``);
- ``ppo``: a minute of ``plyground train ppo connect_four`` on the GPU: steps per second, and what
  it learns (``gpu_parts/learning.py``);
- ``forest``: simulations per second of self-play wholly on the GPU, on all processors and on two,
  beside mctx (``pip install mctx pgx``); games and trees are compared with the processor's before,
  to the bit (``gpu_parts/forest.py``);
- ``leaves``: simulations per second by the plies left from which on leaves are solved;
- ``learning``: runs of ``plyground train alphazero`` of some minutes, and what they learn;
- ``learner``: training samples per second, AlphaZero's learner alone;
- ``threads``: simulations per second of self-play by threads of the processors, with the network on
  the GPU, as with several workers.

The game of ``forest``, ``learner`` and ``threads`` is connect four. Networks are CHANNELSxBLOCKS;
products are computed in bfloat16. On a GPU results are appended to docs/guide/gpu_results.jsonl.
With ``--device cpu --quick --games 64 --seconds 1`` the code for CUDA runs on the processor: then
only the comparisons say something.
"""

from __future__ import annotations

import time

import cyclopts
import numpy as np
import torch
from gpu_parts.forest import measure_forest, measure_leaves
from gpu_parts.games import measure_games
from gpu_parts.learning import measure_learning, measure_ppo
from gpu_parts.places import Place
from plyground import make_game
from plyground.envs.workers.processors import available_processors
from plyground.training.alphazero.learner import AlphaZeroLearner
from plyground.training.alphazero.window import Positions
from plyground.training.alphazero.workers import SelfPlayTask, ThreadWorkers

GAME = make_game("connect_four")
PARTS = ("rules", "replies", "ppo", "forest", "leaves", "learning", "learner", "threads")
SHAPES = ("32x3", "128x5")
POSITIONS = 400_000  # in the learner's window


def random_positions(count: int) -> Positions:
    """Random positions in the format of the replay window."""
    random = np.random.default_rng(0)
    width, actions = int(np.prod(GAME.facts.observation_shape)), GAME.facts.num_actions
    policies = random.random((count, actions), np.float32)
    arrays = (
        np.packbits(random.random((count, width)) < 0.3, axis=1),
        (policies / policies.sum(1, keepdims=True)).astype(np.float16),
        np.eye(3, dtype=np.float32)[random.integers(0, 3, count)],
        random.random(count, np.float32),
        random.random(count, np.float32),
        np.ones(count, np.int64),
    )
    return Positions(*map(torch.from_numpy, arrays))


def measure_learner(shape: str, batch: int, place: Place) -> None:
    """Training samples per second."""
    settings = place.settings(GAME, shape, batch_size=batch)
    learner = AlphaZeroLearner(GAME, settings, 1, place.device.place)
    window, steps = [random_positions(POSITIONS)], 64 if place.is_gpu else 2
    learner.learn(window, 8, 0.1)
    began, batches = time.perf_counter(), 0
    while time.perf_counter() - began < place.seconds / 3:
        losses = learner.learn(window, steps, 0.1)
        batches += steps
    rate = batches * batch / (time.perf_counter() - began)
    place.keep(
        f"learner {shape}, batch {batch}: {rate:,.0f} samples/s, losses "
        f"{[round(each, 3) for each in losses.values()]}",
        {"part": "learner", "shape": shape, "batch": batch, "samples_per_second": rate},
    )


def measure_threads(shape: str, games: int, place: Place) -> None:
    """Simulations and evaluations of self-play by threads, without learning."""
    threads, seconds = max(available_processors() - 1, 1), place.seconds / 2
    settings = place.settings(GAME, shape, games=games, simulations_per_update=10**9)
    workers = ThreadWorkers(GAME, settings, place.device.place, threads)
    weights = AlphaZeroLearner(GAME, settings, 1, place.device.place).weights()
    states: list = [{}] * 2 * threads
    simulations = 300 * games
    for turn in range(2):  # the first ones mix openings, middle games and endgames
        began = time.perf_counter()
        tasks = [SelfPlayTask(k, state, 0.5, simulations) for k, state in enumerate(states)]
        workers.begin(weights, tasks)
        results = workers.finish()
        spent = time.perf_counter() - began
        states = [result.state for result in results]
        totals = {k: sum(r.counts[k] for r in results) for k in ("simulations", "evaluations")}
        samples = sum(len(result.chunk.keys) for result in results)
        if turn == 0:
            rate = totals["simulations"] / spent
            simulations = int(max(simulations, rate * seconds / len(states)))
    workers.close()
    rates = {f"{name}_per_second": count / spent for name, count in totals.items()}
    place.keep(
        f"threads {shape}, {threads} threads, 2 × {games} games: "
        f"{rates['simulations_per_second']:,.0f} simulations/s, "
        f"{rates['evaluations_per_second']:,.0f} evaluations/s, {samples / spent:,.0f} samples/s",
        {"part": "threads", "shape": shape, "threads": threads, "games": games, **rates},
    )


def main(
    *parts: str,
    device: str = "cuda",
    seconds: float = 15.0,
    quick: bool = False,
    games: int = 1 << 20,
) -> None:
    """Measure, print, and on a GPU append the results to docs/guide/gpu_results.jsonl.

    Args:
        parts: the parts to measure; none: all
        device: the device of networks, games and trees
        seconds: duration of each measurement; runs that learn take a multiple
        quick: one measurement of each part, two games
        games: the parallel games of ``rules`` and ``replies``, at most
    """
    torch.set_num_threads(1)
    for part in parts:
        if part not in PARTS:
            raise SystemExit(f"there is no part {part!r} (there are: {', '.join(PARTS)})")
    place, chosen = Place.open(device, seconds, games, quick), parts or PARTS
    print(f"{place.name}, {available_processors()} processors, torch {torch.__version__}")
    for part in ("rules", "replies"):
        if part in chosen and not measure_games(part, place):
            raise SystemExit("the games on the device are not those of the processor")
    if "forest" in chosen and not measure_forest(place):
        raise SystemExit("self-play on the device is not that of the processor")
    if "leaves" in chosen:
        measure_leaves(place)
    if "ppo" in chosen:
        measure_ppo(place)
    if "learning" in chosen:
        measure_learning(place)
    for shape in SHAPES[: 1 if quick else None]:
        if "learner" in chosen:
            for batch in (1024,) if quick else (1024, 4096):
                measure_learner(shape, batch, place)
        if "threads" in chosen:
            measure_threads(shape, 64 if quick else 2048, place)


if __name__ == "__main__":
    cyclopts.run(main)
