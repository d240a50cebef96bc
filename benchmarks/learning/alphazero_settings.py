"""A comparison of AlphaZero settings: runs of equal processor time, several seeds each.

    python benchmarks/learning/alphazero_settings.py "" "reuse=8" "value_scale=0.5 reuse=2"

Each argument is a list of settings, "" the defaults. The network of a run is judged without search:
the share of optimal moves in random positions that the solver solves and, with ``--pairs``, the
score against each agent of ``--against``. Runs differ by chance: the table shows the mean over the
seeds and half of its 95 % interval (Student's t). Finished runs are reused, so the same command
resumes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cyclopts
import numpy as np
import scipy.stats

COMMON = (
    "clock=processor",
    "evaluations=4",
    "window=30000,2000000",
    # settings of long runs
    "games=512",
    "simulations_per_update=1500000",
    "simulations=24,64",
)
RESULT = "judged.json"


def command(*words: str) -> str:
    """The output of a plyground command."""
    process = subprocess.run(
        [sys.executable, "-m", "plyground.cli", *words],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return process.stdout


def judge(
    folder: Path, game: str, positions: int, pairs: int, opponents: Sequence[str]
) -> dict[str, float]:
    """The samples of a run; its network's share of optimal moves and scores, without search."""
    agent = f"policy:{folder}"
    lines = (folder / "metrics.jsonl").read_text().splitlines()
    updates = [entry for entry in map(json.loads, lines) if entry["kind"] == "update"]
    result = {"samples": updates[-1]["total/samples"]}
    if positions:
        words = ["quality", game, agent, "--positions", str(positions), "--from-ply", "12"]
        for row in json.loads(command(*words, "--json"))["qualities"]:
            if row["phase"] in ("all", "quiet"):
                result[f"optimal ({row['phase']})"] = row["optimal"]["share"]
    for opponent in opponents if pairs else ():
        words = ["tournament", game, agent, opponent, "--pairs", str(pairs), "--json"]
        words += ["--opening", "random:4", "--store", str(folder / "games.db")]
        words += ["--isolate", "never"]
        agents = json.loads(command(*words))["agents"]
        scores = {row["agent"]: row["score"] for row in agents}
        result[f"against {opponent}"] = 1.0 - scores[opponent]
    return result


def results(
    out: Path, game: str, changes: str, seed: int, minutes: float, **judged: Any
) -> dict[str, float]:
    """Train and judge, or read earlier results."""
    name = "_".join(changes.split()).replace("=", "-") or "defaults"
    folder = out / f"{name}_{seed}"
    if not (folder / RESULT).exists():
        words = ["train", "alphazero", game, "--out", str(folder), "--hours", f"{minutes / 60:.6f}"]
        words += ["--workers", "1", "--seed", str(seed), "--evaluate", "none", "--keep", "0"]
        for change in (*COMMON, *changes.split()):
            words += ["--set", change]
        command(*words)
        (folder / RESULT).write_text(json.dumps(judge(folder, game, **judged)))
    result: dict[str, float] = json.loads((folder / RESULT).read_text())
    return result


def mean_text(values: list[float], scale: float) -> str:
    """A mean, and half of its interval if there are several values."""
    numbers = scale * np.array(values)
    if len(numbers) == 1:
        return f"{numbers[0]:,.1f}"
    margin = scipy.stats.t.ppf(0.975, len(numbers) - 1) * scipy.stats.sem(numbers)
    return f"{numbers.mean():,.1f} ± {margin:,.1f}"


def rows(settings: tuple[str, ...], seeds: int, **options: Any) -> Iterator[dict[str, str]]:
    """A row of the table for each list of settings."""
    for changes in settings:
        runs = [results(changes=changes, seed=seed, **options) for seed in range(1, seeds + 1)]
        yield {"settings": f"`{changes}`" if changes else "defaults"} | {
            name: mean_text([run[name] for run in runs], 1 if name == "samples" else 100)
            for name in runs[0]
        }


def main(
    *settings: str,
    game: str = "connect_four",
    seeds: int = 3,
    minutes: float = 4.0,
    out: Path = Path("runs/settings"),
    positions: int = 1000,
    pairs: int = 0,
    against: tuple[str, ...] = ("alphabeta:depth=4",),
) -> None:
    """Train and judge, and print a table as Markdown; shares in percent.

    Args:
        settings: lists of settings, such as "reuse=8 batch_size=512"; "" for the defaults.
        game: specification of a game.
        seeds: runs of each list.
        minutes: processor time of a run.
        out: folder of the runs.
        positions: random positions in which an exact solver judges a network; 0: none.
        pairs: of games against each opponent.
        against: opponents.
    """
    options = {"game": game, "minutes": minutes, "positions": positions, "out": out}
    options |= {"pairs": pairs, "opponents": against}
    for number, row in enumerate(rows(settings or ("",), seeds, **options)):
        if number == 0:
            print(f"| {' | '.join(row)} |\n|{'---|' * len(row)}")
        print(f"| {' | '.join(row.values())} |", flush=True)


if __name__ == "__main__":
    cyclopts.run(main)
