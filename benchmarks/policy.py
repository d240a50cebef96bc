"""Speed of trained policies at connect four, alone and inside MCTS in place of playouts.

Run with ``python benchmarks/policy.py [--policy FILE.onnx]`` (a minute). Without a policy file the
networks are untrained ones, which compute as much as trained ones: stable-baselines3's default, two
fully connected layers of 64, and two convolutions of 32 channels before it.

Rates are per second of the process's processor time on one core, the median of several rounds, so
that other work on the machine hardly touches them.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import plyground
from plyground.agents.policies.policy_file import load_policy_file
from rich.console import Console
from rich.table import Table

GAME = "connect_four"
ROUNDS = 5
BATCHES = (1, 8, 32)
SIMULATIONS = 200
POSITIONS = 256


def untrained(folder: Path) -> Iterator[tuple[str, Path]]:
    """Policy files of networks that have learned nothing."""
    from plyground.training.export import export_policy
    from plyground.training.sb3 import BoardVecEnv
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from torch import nn

    class Convolutions(BaseFeaturesExtractor):
        def __init__(self, space):
            rows, columns, planes = space.shape
            super().__init__(space, 32 * rows * columns)
            first, second = nn.Conv2d(planes, 32, 3, padding=1), nn.Conv2d(32, 32, 3, padding=1)
            self.layers = nn.Sequential(first, nn.ReLU(), second, nn.ReLU(), nn.Flatten())

        def forward(self, observations):
            return self.layers(observations.permute(0, 3, 1, 2))

    for name, options in (
        ("fully connected", {}),
        ("convolutional", {"features_extractor_class": Convolutions}),
    ):
        path = folder / f"{name.partition(' ')[0]}.onnx"
        env = BoardVecEnv(GAME, 2)
        export_policy(
            MaskablePPO(
                "MlpPolicy",
                env,
                n_steps=2,
                batch_size=4,
                device="cpu",
                seed=1,
                policy_kwargs=options,
            ),
            path,
            GAME,
        )
        yield name, path


def rate(work: Callable[[], int], seconds: float) -> float:
    """What ``work`` does (it returns how much that was) for a second of processor time."""
    found = []
    work()
    for _ in range(ROUNDS):
        began, done = time.process_time(), 0
        while time.process_time() - began < seconds / ROUNDS:
            done += work()
        found.append(done / (time.process_time() - began))
    return statistics.median(found)


def positions() -> list[plyground.Position]:
    """Positions of random games."""
    rng, game = np.random.default_rng(1), plyground.make_game(GAME)
    found, position = [], game.initial_position()
    while len(found) < POSITIONS:
        found.append(position)
        position = position.after(int(rng.choice(position.legal_actions())))
        if position.is_over:
            position = game.initial_position()
    return found


def measure(path: Path, seconds: float, add: Callable[[str, float, str], None]) -> None:
    """Everything about one network."""
    agent, asked = plyground.make_agent(f"onnx:{path}", GAME), positions()
    agent.get_ready(plyground.make_game(GAME))
    observations = np.stack([position.observation() for position in asked])
    masks = np.stack([position.action_mask() for position in asked])

    def one_by_one() -> int:
        for position in asked:
            agent.act(position)
        return len(asked)

    def together() -> int:
        agent.act_batch(observations, masks)
        return len(asked)

    add("raw play, one by one", rate(one_by_one, seconds), "positions")
    add(f"raw play, {POSITIONS} at once", rate(together, seconds), "positions")
    network = load_policy_file(path)
    for batch in BATCHES:
        search = plyground.make_agent(
            f"mcts:simulations={SIMULATIONS},network={path},batch={batch},reuse=no", GAME
        )
        search.get_ready(plyground.make_game(GAME))

        def simulate(search: plyground.Agent = search) -> int:
            return sum(search.analyse(position).simulations for position in asked[::16])

        found = rate(simulate, seconds)
        add(f"mcts:simulations={SIMULATIONS}, batch={batch}", found, "simulations")
        some = observations[:batch]
        alone = rate(lambda some=some: len(network.evaluate(some)[1]), seconds / 2)
        add(f"  the network alone, {batch} at once", alone, "positions")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--policy", type=Path, help="a policy file for connect four to measure")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each measurement")
    arguments = parser.parse_args()
    table = Table(title="connect four, per second of processor time on one core")
    for heading in ("network", "work", "a second", "of"):
        table.add_column(heading, justify="right" if heading == "a second" else "left")
    with tempfile.TemporaryDirectory() as folder:
        chosen = (
            [(arguments.policy.name, arguments.policy)]
            if arguments.policy
            else untrained(Path(folder))
        )
        for name, path in chosen:
            measure(
                path,
                arguments.seconds,
                lambda work, found, unit, name=name: table.add_row(
                    name, work, f"{found:,.0f}", unit
                ),
            )
    Console().print(table)


if __name__ == "__main__":
    main()
