"""Whether a run on a Ray cluster that loses machines ends with the weights of an undisturbed run.

    python benchmarks/learning/lost_machines.py --nodes 20 --drivers 5

A cluster of several nodes runs on this machine. During a run of AlphaZero, every 20 seconds a node
is killed and another node joins, and the run's process is killed several times and restarted with
the same command. At the end weights, metrics and totals are compared with the same run on one
process. The run must be longer than the disturbance: ``--steps``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import cyclopts
import torch
from plyground.training.checkpoints import initial_learner

SETTINGS = (
    "hours=0", "games=64", "simulations_per_update=60000", "simulations=24,32", "channels=16",
    "blocks=1", "evaluations=1", "window=5000,2000000",
)  # fmt: skip
MEMORY = 200 << 20  # of Ray's object store of each node, in bytes
TIMES = ("time/", "per_second", "cpu_", "network_bytes")  # values that depend on the machine


def command(folder: Path, game: str, steps: int, workers: int, place: list[str]) -> list[str]:
    """The run's command line."""
    words = [sys.executable, "-m", "plyground.cli", "train", "alphazero", game]
    words += ["--out", str(folder), "--workers", str(workers), "--keep", "0"]
    for setting in (*SETTINGS, f"steps={steps}"):
        words += ["--set", setting]
    return [*words, "--evaluate", "none", *place]


def updates_of(folder: Path) -> list[dict[str, Any]]:
    """The updates of a run, without machine-dependent values."""
    lines = (folder / "metrics.jsonl").read_text().splitlines()
    return [
        {name: value for name, value in row.items() if not any(word in name for word in TIMES)}
        for row in map(json.loads, lines)
        if row["kind"] == "update"
    ]


def disturb(words: list[str], cluster: Any, nodes: int, drivers: int, every: float) -> list[int]:
    """Run the command to its end through all losses; returns the numbers of losses.

    Args:
        words: the command line.
        cluster: Ray's ``cluster_utils.Cluster``.
        nodes: number of nodes killed.
        drivers: number of processes of the command killed.
        every: seconds between two killed nodes.
    """

    def add_node() -> Any:
        while True:
            try:
                return cluster.add_node(num_cpus=1, object_store_memory=MEMORY)
            except Exception as error:  # a machine that is too busy is late
                print(f"a node has not started: {error}", file=sys.stderr, flush=True)

    environment = os.environ | {"RAY_USAGE_STATS_ENABLED": "0", "PLYGROUND_CHECKPOINT_SECONDS": "5"}
    alive = [add_node() for _ in range(2)]
    lost, began = [0, 0], time.monotonic()
    process = subprocess.Popen(words, stderr=subprocess.DEVNULL, env=environment)
    while process.poll() is None or process.returncode < 0:
        time.sleep(0.5)
        if process.returncode is not None:
            process = subprocess.Popen(words, stderr=subprocess.DEVNULL, env=environment)
        if time.monotonic() < began + every or lost[0] == nodes:
            continue
        began = time.monotonic()
        cluster.remove_node(alive.pop(0), allow_graceful=False)
        alive.append(add_node())
        lost[0] += 1
        if lost[0] * drivers // nodes > lost[1]:
            process.kill()
            lost[1] += 1
        print(f"{lost[0]} nodes and {lost[1]} drivers killed", file=sys.stderr, flush=True)
    if process.returncode:
        raise SystemExit(f"the run has failed with status {process.returncode}")
    return lost


def main(
    *,
    game: str = "connect_four",
    steps: int = 2_500_000,
    workers: int = 3,
    nodes: int = 20,
    drivers: int = 5,
    every: float = 20.0,
) -> None:
    """Compare a disturbed run with an undisturbed one.

    Args:
        game: specification of the board.
        steps: total actions of self-play.
        workers: chunks between two updates.
        nodes: number of nodes killed.
        drivers: how often the run's process is killed.
        every: seconds between two killed nodes.
    """
    from ray.cluster_utils import Cluster

    with tempfile.TemporaryDirectory() as folder:
        quiet, away = Path(folder) / "quiet", Path(folder) / "away"
        began = time.monotonic()
        words = command(quiet, game, steps, workers, ["--runner", "local"])
        subprocess.run(words, check=True, stderr=subprocess.DEVNULL)
        print(f"quiet: {time.monotonic() - began:.0f} s", flush=True)
        head = {"num_cpus": 0, "include_dashboard": False, "object_store_memory": MEMORY}
        cluster = Cluster(initialize_head=True, head_node_args=head)
        began = time.monotonic()
        try:
            place = ["--runner", "ray", "--address", cluster.address]
            words = command(away, game, steps, workers, place)
            lost = disturb(words, cluster, nodes, drivers, every)
        finally:
            cluster.shutdown()
        seconds = time.monotonic() - began
        print(f"with {lost[0]} nodes and {lost[1]} drivers killed: {seconds:.0f} s")
        ours, theirs = initial_learner(quiet), initial_learner(away)
        equal = all(torch.equal(ours["average"][name], theirs["average"][name])
                    for name in ours["average"])  # fmt: skip
        one, other = updates_of(quiet), updates_of(away)
        print(f"weights: {'equal' if equal else 'DIFFERENT'}")
        print(f"updates: {len(one)} and {len(other)}, {'equal' if one == other else 'DIFFERENT'}")
    raise SystemExit(0 if equal and one == other and lost == [nodes, drivers] else 1)


if __name__ == "__main__":
    cyclopts.run(main)
