"""The speed of self-play on processes and on a Ray cluster, and the network traffic.

    python benchmarks/learning/self_play_places.py --minutes 2 --workers 2

Runs with the same settings take turns on processes and on a Ray cluster of this machine. A rate is
the simulations of a run divided by the time of its updates, without the first two. The ratio of
neighbouring runs is shown with its minimum and maximum. ``--game`` and ``--set`` choose other
networks.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import cyclopts

PLACES = ("processes", "ray")
WARM_UP = 2  # updates
NETWORK_BYTES = "self_play/network_bytes"


def updates_of(folder: Path) -> list[dict[str, Any]]:
    """The updates of a run, without the first."""
    lines = (folder / "metrics.jsonl").read_text().splitlines()
    entries = [entry for entry in map(json.loads, lines) if entry["kind"] == "update"]
    return entries[WARM_UP:]


def play(game: str, place: str, workers: int, minutes: float, settings: list[str]) -> list[Any]:
    """The updates of a new run."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "plyground.cli", "train", "alphazero", game]
        words += ["--out", f"{folder}/run", "--workers", str(workers), "--runner", place]
        words += ["--hours", str(minutes / 60), "--keep", "0", "--evaluate", "none"]
        for setting in ("evaluations=1", *settings):
            words += ["--set", setting]
        environment = os.environ | {"RAY_USAGE_STATS_ENABLED": "0"}
        subprocess.run(words, check=True, stderr=subprocess.DEVNULL, env=environment)
        return updates_of(Path(folder) / "run")


def rate(updates: list[Any]) -> float:
    """Simulations a second."""
    simulations = updates[-1]["total/simulations"] - updates[0]["total/simulations"]
    seconds: float = sum(entry["time/update"] for entry in updates[1:])
    return float(simulations) / seconds


def main(
    *,
    game: str = "connect_four",
    workers: int = 2,
    minutes: float = 2.0,
    rounds: int = 3,
    settings: Annotated[list[str] | None, cyclopts.Parameter(name="--set")] = None,
) -> None:
    """Compare processes with Ray."""
    ratios = []
    for number in range(rounds):
        updates = {place: play(game, place, workers, minutes, settings or []) for place in PLACES}
        rates = {place: rate(each) for place, each in updates.items()}
        ratios.append(rates["ray"] / rates["processes"])
        last = updates["ray"][-1]
        seconds = last["time/update"]
        print(
            f"round {number + 1}: {rates['processes']:,.0f} simulations/s on processes, "
            f"{rates['ray']:,.0f} on Ray ({ratios[-1]:.2f}); an update carries "
            f"{last[NETWORK_BYTES]:,.0f} bytes in {seconds:.1f} s: "
            f"{last[NETWORK_BYTES] / seconds / workers / 1e3:,.0f} kB/s for each worker",
            flush=True,
        )
    ratios.sort()
    print(f"Ray / processes: {ratios[len(ratios) // 2]:.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")


if __name__ == "__main__":
    cyclopts.run(main)
