"""What each setting of AlphaZero is worth: connect four, the same processor time for every run.

One run for each change of one setting. Its best network is then judged without search: the share of
optimal moves in random positions that the exact solver knows::

    python benchmarks/learning/alphazero_settings.py --minutes 5 --out runs/settings

A run that is finished is not run again, so that the command goes on where it was stopped. Runs
differ by chance as well: ``base`` is run with three seeds, which shows by how much.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from plyground import make_agent, make_game
from plyground.evaluation.gauntlet import OptimalityTest

GAME = "connect_four"
POSITIONS = 1000
SEED_OF_POSITIONS = 7
SOLVING_SECONDS = 10.0
# The row's name in the table, the seed, and the settings that are changed.
RUNS: list[tuple[str, int, tuple[str, ...]]] = [
    ("as it is", 1, ()),
    ("as it is, seed 2", 2, ()),
    ("as it is, seed 3", 3, ()),
    ("completed Q values weigh three times as much", 1, ("value_scale=0.3",)),
    ("completed Q values weigh ten times as much", 1, ("value_scale=1",)),
    ("PUCT with Dirichlet noise", 1, ("search=puct",)),
    ("the same, no forced visits, targets not pruned", 1, ("search=puct", "forced=0")),
    ("every move searched in full and recorded", 1, ("full_share=1",)),
    ("simulations do not grow", 1, ("first_simulations=96",)),
    ("no openings without search", 1, ("opening_plies=0",)),
    ("all openings random", 1, ("random_openings=1",)),
    ("all openings drawn from the policy", 1, ("random_openings=0",)),
    ("value learns the result alone", 1, ("result_share=1",)),
    ("value learns the search's value alone", 1, ("result_share=0",)),
    ("positions weigh as often as they were met", 1, ("count_exponent=1",)),
    ("positions weigh the same however often met", 1, ("count_exponent=0",)),
    ("no discount: a late win is worth an early one", 1, ("discount=1",)),
    ("plies left are not learnt", 1, ("length_weight=0", "discount=1")),
    ("sides resign", 1, ("resign_below=-0.9",)),
    ("no average of weights", 1, ("averaging=0",)),
    ("float32", 1, ("precision=float32",)),
    ("no cache", 1, ("cache=0",)),
    ("a dense network", 1, ("trunk=dense",)),
]


def folder_of(out: Path, seed: int, changes: tuple[str, ...]) -> Path:
    """The folder of a run, named by what is changed."""
    return out / f"{'_'.join(changes).replace('=', '-') or 'base'}_{seed}"


def train(folder: Path, seed: int, changes: tuple[str, ...], minutes: float) -> None:
    """Run a training, or its rest."""
    words = [sys.executable, "-m", "plyground.cli", "train", "alphazero", GAME]
    words += ["--out", str(folder), "--hours", f"{minutes / 60:.6f}", "--workers", "1"]
    words += ["--seed", str(seed), "--evaluate", "none", "--set", "evaluations=4"]
    for change in ("clock=processor", "window_smallest=30000", *changes):
        words += ["--set", change]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Train and judge all runs, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=5.0, help="processor time of each run")
    parser.add_argument("--out", type=Path, default=Path("runs/settings"), help="folder of runs")
    options = parser.parse_args()
    test: OptimalityTest | None = None
    print("| change | samples | optimal moves | settings |\n|---|---|---|---|")
    for name, seed, changes in RUNS:
        folder = folder_of(options.out, seed, changes)
        result_file = folder / "judged.json"
        if not result_file.exists():
            train(folder, seed, changes, options.minutes)
            game = make_game(GAME)
            test = test or OptimalityTest(game, POSITIONS, SEED_OF_POSITIONS, SOLVING_SECONDS)
            quality = test.score(make_agent(f"alphazero:{folder}", game))
            lines = (folder / "metrics.jsonl").read_text().splitlines()
            last = [entry for entry in map(json.loads, lines) if entry["kind"] == "update"][-1]
            result = {"share": quality.score, "margin": (quality.high - quality.low) / 2}
            result_file.write_text(json.dumps(result | {"samples": last["total/samples"]}))
        row = json.loads(result_file.read_text())
        print(
            f"| {name} | {row['samples']:,.0f} | {100 * row['share']:.1f} ± "
            f"{100 * row['margin']:.1f} % | {', '.join(changes) or '-'} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
