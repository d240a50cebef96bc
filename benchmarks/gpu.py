"""What a GPU brings: games that are played there, AlphaZero, PPO; Pgx and mctx beside them.

Run with ``python benchmarks/gpu.py`` (ten minutes on a machine with a GPU), or name parts and a
shorter time: ``python benchmarks/gpu.py learner self_play --seconds 5``. The parts are:

- ``rules``: steps per second of every game on the GPU, by random moves, beside Pgx;
- ``replies``: the same with replies of ``alphabeta`` to depth 2 and 4; both compare the games with
  those of the processor before, to the bit (see ``gpu_parts/games.py``). With ``--device cpu
  --games 64`` the code for CUDA runs on the processor;
- ``learner``: training samples per second, the learner alone;
- ``self_play``: simulations and network evaluations per second, self-play alone;
- ``training``: both together, in runs of ``plyground train alphazero``;
- ``mctx``: self-play of mctx and Pgx (``pip install mctx pgx``), with networks of the same shape;
- ``ppo``: steps per second of ``plyground train ppo``, on the processor and on the GPU.

The game of the others is connect four. Networks are CHANNELS×BLOCKS; products are computed in
bfloat16.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

import cyclopts
import numpy as np
import torch
from gpu_parts.games import measure_games
from plyground import make_game
from plyground.envs.workers.processors import available_processors
from plyground.training import train
from plyground.training.alphazero.learner import AlphaZeroLearner
from plyground.training.alphazero.settings import AlphaZeroSettings
from plyground.training.alphazero.window import Positions
from plyground.training.alphazero.workers import SelfPlayTask, ThreadWorkers

GAME = make_game("connect_four")
GAME_PARTS = ("rules", "replies")
PARTS = (*GAME_PARTS, "learner", "self_play", "training", "mctx", "ppo")
SHAPES = {"32×3": (32, 3), "128×5": (128, 5), "128×6": (128, 6)}
POSITIONS = 400_000  # in the learner's window


def settings_of(shape: str, **values) -> AlphaZeroSettings:
    """The settings of a run with a network of this shape."""
    channels, blocks = SHAPES[shape]
    texts = {"channels": channels, "blocks": blocks, "precision": "bfloat16"} | values
    return AlphaZeroSettings.for_game(GAME, {}, [f"{k}={v}" for k, v in texts.items()])


def random_positions(count: int) -> Positions:
    """Random positions in the format of the replay window."""
    random = np.random.default_rng(0)
    width, actions = int(np.prod(GAME.facts.observation_shape)), GAME.facts.num_actions
    policies = random.random((count, actions), np.float32)
    numbers = [random.random(count, np.float32) for _ in range(4)]
    arrays = (
        np.packbits(random.random((count, width)) < 0.3, axis=1),
        (policies / policies.sum(1, keepdims=True)).astype(np.float16),
        np.eye(3, dtype=np.float32)[random.integers(0, 3, count)],
        *numbers[:3],
        random.integers(-1, actions, count).astype(np.int16),
        numbers[3],
        np.zeros((0, 0), np.uint8),
        np.ones(count, np.int64),
    )
    return Positions(*map(torch.from_numpy, arrays))


def measure_learner(shape: str, batch: int, device: torch.device, seconds: float) -> None:
    """Print training samples per second."""
    settings = settings_of(shape, batch_size=batch)
    learner = AlphaZeroLearner(GAME, settings, 1, device)
    window = [random_positions(POSITIONS)]
    learner.learn(window, 8, 0.1)
    began, batches = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        losses = learner.learn(window, 64 if device.type == "cuda" else 2, 0.1)
        batches += 64 if device.type == "cuda" else 2
    rate = batches * batch / (time.perf_counter() - began)
    print(
        f"learner {shape}, batch {batch}: {rate:,.0f} samples/s, losses "
        f"{[round(each, 3) for each in losses.values()]}",
        flush=True,
    )


def measure_self_play(
    shape: str, games: int, threads: int, device: torch.device, seconds: float
) -> None:
    """Print simulations and evaluations of self-play alone."""
    settings = settings_of(shape, games=games, simulations_per_update=10**9)
    workers = ThreadWorkers(GAME, settings, device, threads)
    weights = AlphaZeroLearner(GAME, settings, 1, device).weights()
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
    size = sum(len(part) for state in states for part in state.values())
    print(
        f"self-play {shape}, {threads} threads, 2 × {games} games: "
        f"{totals['simulations'] / spent:,.0f} simulations/s, "
        f"{totals['evaluations'] / spent:,.0f} evaluations/s, {samples / spent:,.0f} samples/s, "
        f"{size / len(states) / games:.0f} bytes of a checkpoint for a game",
        flush=True,
    )


def measure_training(
    shape: str, games: int, batch: int, reuse: float, device: str, seconds: float
) -> None:
    """Print the rates of a run's later updates, and the learner's share of the time."""
    channels, blocks = SHAPES[shape]
    workers = 2 * max(available_processors() - 1, 1)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        train(
            "alphazero", GAME, out, device=device, hours=seconds / 3600, workers=workers,
            channels=channels, blocks=blocks, batch_size=batch, games=games, reuse=reuse,
            keep=0, evaluations=1, precision="bfloat16",
            simulations_per_update=workers * games * 700,
        )  # fmt: skip
        rows = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
        rows = [row for row in rows if row["kind"] == "update" and "learner/batches" in row]
        checkpoint = max((out / "checkpoints").iterdir(), key=lambda path: path.name)
        size = checkpoint.stat().st_size / 1e6
    rows = rows[-max(len(rows) // 2, 1) :]
    seconds = sum(row["time/update"] for row in rows)

    def total(name: str) -> float:
        return sum(row[name] * row["time/update"] for row in rows) / seconds

    learnt = sum(row["learner/batches"] for row in rows) * batch
    learning = sum(row["learner/seconds"] for row in rows)
    print(
        f"training {shape}, {workers} × {games} games, batch {batch}, reuse {reuse:g}: "
        f"{total('self_play/simulations_per_second'):,.0f} simulations/s, "
        f"{total('self_play/evaluations_per_second'):,.0f} evaluations/s, "
        f"{learnt / learning:,.0f} samples/s learnt while it learns, "
        f"{learning / seconds:.0%} of the time; {len(rows)} updates of "
        f"{seconds / len(rows):.1f} s; a checkpoint of {size:.1f} MB",
        flush=True,
    )


def residual_network(shape: str) -> tuple:
    """Random weights in JAX and their forward function, for plyground's network of this shape."""
    import jax
    import jax.numpy as jnp

    channels, blocks = SHAPES[shape]
    keys = iter(jax.random.split(jax.random.PRNGKey(1), 64))

    def weights(*shape):
        scale = (2.0 / np.prod(shape[:-1])) ** 0.5
        return (scale * jax.random.normal(next(keys), shape)).astype(jnp.bfloat16)

    size = 42 * channels
    net = {
        "entry": weights(3, 3, 2, channels),
        "blocks": [
            (weights(3, 3, channels, channels), weights(3, 3, channels, channels))
            for _ in range(blocks)
        ],
        "policy": (weights(size, 48), weights(48, 7)),
        "value": (weights(size, 48), weights(48, 1)),
    }

    def convolve(board, kernel):
        order = ("NHWC", "HWIO", "NHWC")
        return jax.lax.conv_general_dilated(board, kernel, (1, 1), "SAME", dimension_numbers=order)

    def evaluate(net, observations):
        board = jax.nn.relu(convolve(observations.astype(jnp.bfloat16), net["entry"]))
        for first, second in net["blocks"]:
            board = jax.nn.relu(board + convolve(jax.nn.relu(convolve(board, first)), second))
        flat = board.reshape(len(board), -1)
        policy = jax.nn.relu(flat @ net["policy"][0]) @ net["policy"][1]
        value = jnp.tanh(jax.nn.relu(flat @ net["value"][0]) @ net["value"][1])
        return policy.astype(jnp.float32), value[:, 0].astype(jnp.float32)

    return net, evaluate


def measure_mctx(shape: str, batch: int, simulations: int, seconds: float) -> None:
    """Print simulations and evaluations of mctx's Gumbel search over Pgx's connect four."""
    import jax
    import jax.numpy as jnp
    import mctx
    import pgx

    env = pgx.make("connect_four")
    net, evaluate = residual_network(shape)
    keys = iter(jax.random.split(jax.random.PRNGKey(0), 64))
    step = jax.vmap(env.step)

    def recurrent(net, key, action, state):
        player = state.current_player
        state = step(state, action)
        logits, value = evaluate(net, state.observation)
        logits = jnp.where(state.legal_action_mask, logits, jnp.finfo(jnp.float32).min)
        reward = state.rewards[jnp.arange(len(player)), player]
        ended = state.terminated
        return mctx.RecurrentFnOutput(
            reward=reward,
            discount=jnp.where(ended, 0.0, -1.0),
            prior_logits=logits,
            value=jnp.where(ended, 0.0, value),
        ), state

    @jax.jit
    def play(net, state, key):
        def move(state, key):
            logits, value = evaluate(net, state.observation)
            root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state)
            output = mctx.gumbel_muzero_policy(
                net, key, root, recurrent, simulations,
                invalid_actions=~state.legal_action_mask, max_num_considered_actions=7,
            )  # fmt: skip
            state = step(state, output.action)
            fresh = jax.vmap(env.init)(jax.random.split(key, batch))
            ended = state.terminated | state.truncated

            def choose(a, b):
                return jnp.where(ended.reshape(-1, *(1,) * (a.ndim - 1)), a, b)

            return jax.tree.map(choose, fresh, state), None

        return jax.lax.scan(move, state, jax.random.split(key, 8))[0]

    state = jax.vmap(env.init)(jax.random.split(next(keys), batch))
    state = jax.block_until_ready(play(net, state, next(keys)))
    began, turns = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        state = jax.block_until_ready(play(net, state, next(keys, jax.random.PRNGKey(1))))
        turns += 1
    moves = turns * 8 * batch / (time.perf_counter() - began)
    print(
        f"mctx and Pgx {shape}, {batch} games, {simulations} simulations: "
        f"{moves * simulations:,.0f} simulations/s, {moves * (simulations + 1):,.0f} evaluations/s",
        flush=True,
    )


def measure_ppo(device: str, seconds: float) -> None:
    """Print steps per second of PPO."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        train("ppo", GAME, out, device=device, hours=seconds / 3600, evaluations=1)
        rows = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    rows = [row for row in rows if row["kind"] == "update"]
    print(f"ppo on {device}: {rows[-1]['time/steps_per_second']:,.0f} steps/s", flush=True)


def main(
    *parts: str,
    device: str = "cuda",
    seconds: float = 15.0,
    quick: bool = False,
    games: int = 1 << 20,
) -> None:
    """Print the table.

    Args:
        parts: the parts to measure; none: all
        device: the device of networks and games
        seconds: duration of each measurement
        quick: one measurement of each part, two games
        games: the parallel games of ``rules`` and ``replies``, at most
    """
    torch.set_num_threads(1)
    where, threads = torch.device(device), max(available_processors() - 1, 1)
    name = torch.cuda.get_device_name(where) if where.type == "cuda" else "the processor"
    print(f"{name}, {available_processors()} processors, torch {torch.__version__}", flush=True)
    for part in parts or PARTS:
        if part not in PARTS:
            raise SystemExit(f"there is no part {part!r} (there are: {', '.join(PARTS)})")
    chosen = parts or PARTS
    for part in GAME_PARTS:
        if part in chosen and not measure_games(part, device, games, seconds / 15, quick):
            raise SystemExit("the games on the device are not those of the processor")
    if "learner" in chosen:
        for shape in ("32×3",) if quick else ("32×3", "128×5"):
            for batch in (1024,) if quick else (1024, 4096):
                measure_learner(shape, batch, where, seconds / 3)
    if "self_play" in chosen:
        for shape in ("32×3",) if quick else ("32×3", "128×5", "128×6"):
            measure_self_play(shape, 64 if quick else 2048, threads, where, seconds / 2)
    if "training" in chosen:
        for shape in ("32×3",) if quick else ("32×3", "128×5"):
            measure_training(shape, 64 if quick else 2048, 4096, 4.0, device, 3 * seconds)
    if "mctx" in chosen:
        for shape in ("32×3",) if quick else ("32×3", "128×6"):
            measure_mctx(shape, 64 if quick else 4096, 32, seconds / 2)
    if "ppo" in chosen:
        for each in ("cpu", device):
            measure_ppo(each, seconds)


if __name__ == "__main__":
    cyclopts.run(main)
