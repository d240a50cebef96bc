"""Scores after the first minutes of plain training commands, by game, algorithm and budget.

    python benchmarks/learning/first_minutes.py --only "ppo connect_four 180" --seeds 3

A run is ``plyground train ALGORITHM GAME --hours …`` with its defaults; hours are processor time.
AlphaZero has one worker; its 1,200 seconds with ``--workers 2`` are ten minutes of two cores.
``--package FOLDER`` trains with another version of the package. The best network then plays,
without search, 400 games against each opponent, from the same random openings. The table shows the
mean over the seeds, the lowest and the highest, and the processor time of the whole command,
including start and compilation. On a busy machine, processor time is accurate to about 20 %.

Every finished run is written to ``results.json`` in the folder of the runs and reused, so the same
command resumes. ``--curves FILE`` draws the finished runs.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import cyclopts
from plyground.evaluation import evaluate
from plyground.training.curves import read_curves

PAIRS, OPENINGS_SEED = 200, 11
SECONDS = (60, 180, 900)
ALGORITHMS = ("ppo", "dqn", "alphazero")

OPPONENTS = (
    "random",
    "greedy",
    "alphabeta:depth=2",
    "alphabeta:depth=3",
    "alphabeta:depth=4",
)
IN_CURVES = "greedy"
PLIES = 4  # random ones, at the beginning of each game
BOARDS = (
    "connect_four",
    "othello:size=6",
    "hex:size=7",
    "gomoku:size=9",
    "breakthrough:size=6",
    "dots_and_boxes",
)


class Case(NamedTuple):
    """A run for each seed."""

    algorithm: str
    game: str
    seconds: int

    def __str__(self) -> str:
        return f"{self.algorithm} {self.game} {self.seconds}"


CASES = [
    Case(algorithm, game, seconds)
    for game in BOARDS
    for seconds in SECONDS
    for algorithm in ALGORITHMS
]
# Two more, whose settings docs/alphazero.md compares; and ten minutes of two cores.
CASES += [
    Case("alphazero", "othello:size=6", 720),
    Case("alphazero", "breakthrough:size=6", 480),
    *(Case("alphazero", game, 1200) for game in BOARDS),
]


def train(
    case: Case, seed: int, folder: Path, workers: int, package: Path | None
) -> dict[str, Any]:
    """Run the command and measure its network."""
    words = ["train", case.algorithm, case.game, "--out", str(folder), "--seed", str(seed)]
    words += ["--hours", f"{case.seconds / 3600:.6f}", "--set", "clock=processor"]
    if case.algorithm == "alphazero":
        words += ["--workers", str(workers)]
    environment = None if package is None else os.environ | {"PYTHONPATH": str(package)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "plyground.cli", *words], check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    curves, clock = read_curves(folder)
    seconds_at = dict(clock)
    agent = f"{case.algorithm}:{folder}"
    rows = evaluate(
        agent,
        case.game,
        against=OPPONENTS,
        pairs=PAIRS,
        opening_plies=PLIES,
        seed=OPENINGS_SEED,
    )
    return {
        "steps": clock[-1][0],
        "cpu_seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "scores": {row.opponent: row.score for row in rows},
        "curves": {
            name: [[seconds_at[row["step"]], row["score"]] for row in rows]
            for name, rows in curves.items()
        },
    }


def text(values: list[float]) -> str:
    """The mean in per cent, and the range if there are several values."""
    mean = f"{100 * sum(values) / len(values):.0f}"
    return mean if len(values) == 1 else f"{mean} ({100 * min(values):.0f}–{100 * max(values):.0f})"


def table_row(case: Case, runs: list[dict[str, Any]]) -> tuple[str, ...]:
    """The results of a case."""
    return (
        f"`{case.game}`",
        case.algorithm,
        str(case.seconds),
        f"{sum(run['cpu_seconds'] for run in runs) / len(runs):.0f}",
        f"{sum(run['steps'] for run in runs) / len(runs):,.0f}",
        str(len(runs)),
        *(text([run["scores"][name] for run in runs]) for name in OPPONENTS),
    )


def read(store: Path) -> dict[str, dict[str, Any]]:
    """The finished runs: by case, then by seed."""
    results: dict[str, dict[str, Any]] = json.loads(store.read_text()) if store.exists() else {}
    return results


def draw(results: dict[str, dict[str, Any]], cases: list[Case], out: Path) -> None:
    """A figure of each game: the scores of every run over its processor time."""
    from matplotlib.figure import Figure

    games = list(dict.fromkeys(case.game for case in cases))
    figure = Figure(figsize=(6.4 * len(games), 4.4), layout="constrained")
    for place, game in enumerate(games, 1):
        axes, opponent = figure.add_subplot(1, len(games), place), IN_CURVES
        for color, case in enumerate(case for case in cases if case.game == game):
            for number, run in enumerate(results[str(case)].values()):
                points = run["curves"].get(opponent, [])
                label = f"{case.algorithm}, {case.seconds} s" if number == 0 else None
                seconds, scores = [x for x, _ in points], [100 * score for _, score in points]
                axes.plot(seconds, scores, color=f"C{color}", label=label, marker=".")
        axes.set(
            title=f"{game} against {opponent}", xlabel="processor seconds", ylabel="score in %"
        )
        axes.set_ylim(0, 100)
        axes.legend(fontsize=8)
    figure.savefig(out)


def main(
    *,
    only: tuple[str, ...] = (),
    seeds: int = 3,
    workers: int = 1,
    package: Path | None = None,
    out: Path = Path("runs/first_minutes"),
    curves: Path | None = None,
) -> None:
    """Run the missing cases, and print the table; scores in per cent.

    Args:
        only: cases to run, each as "ppo connect_four 180"; none: all.
        seeds: runs of each case.
        workers: threads of AlphaZero's self-play.
        package: the folder that contains the package plyground of the version that trains; this
            version measures its networks.
        out: folder of the runs and of results.json.
        curves: a picture to draw, of the games of these cases.
    """
    store = out / "results.json"
    names = [str(case) for case in CASES]
    if unknown := set(only) - set(names):
        raise SystemExit(f"there is no case {sorted(unknown)[0]!r}; there are: {'; '.join(names)}")
    for case in CASES:
        if only and str(case) not in only:
            continue
        for seed in range(1, seeds + 1):
            if str(seed) in read(store).get(str(case), {}):
                continue
            folder = out / re.sub("[^a-z0-9]+", "_", f"{case} {seed}")
            run = train(case, seed, folder, workers, package)
            results = read(store)  # another process may have written to it
            results.setdefault(str(case), {})[str(seed)] = run
            store.write_text(json.dumps(results, indent=1))
    results = read(store)
    names = [f"`{name}`" for name in OPPONENTS]
    headings = ("game", "algorithm", "seconds", "with start", "steps", "seeds", *names)
    print(f"| {' | '.join(headings)} |\n|{'---|' * len(headings)}")
    for case in CASES:
        if runs := results.get(str(case)):
            print(f"| {' | '.join(table_row(case, list(runs.values())))} |")
    if curves is not None:
        games = {case.game for case in CASES if not only or str(case) in only}
        draw(
            results, [case for case in CASES if case.game in games and str(case) in results], curves
        )


if __name__ == "__main__":
    cyclopts.run(main)
