"""What learns on a GPU, and how fast: parts ``ppo`` and ``learning`` of ``../gpu.py``.

Runs are those of the commands that they print, with their defaults. The best network of a run then
plays without search, 200 games against each opponent, from random openings of four plies.
"""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from plyground.commands.app import run as cli_run
from plyground.evaluation import evaluate
from plyground.training.folder import read_metrics

from .places import Place

PAIRS, OPENING_PLIES = 100, 4
PPO = "train", "ppo", "connect_four"
SIZES = ("--set", "layers=4", "--set", "channels=64", "--set", "dense=none",
         "--set", "games=16384", "--set", "batch_size=32768")  # fmt: skip  # for a GPU
LEARNING = (
    (("train", "alphazero", "othello"), 245, ("greedy", "alphabeta:depth=3")),
    (("train", "alphazero", "connect_four"), 270, ("greedy", "alphabeta:depth=4")),
)


def run(words: tuple[str, ...], seconds: float, place: Place, folder: Path) -> dict[str, Any]:
    """Run a command of plyground here; returns what its metrics say."""
    device = str(place.device.place)
    options = ("--out", str(folder), "--device", device, "--hours", f"{seconds / 3600:.5f}")
    began = time.time()
    if cli_run([*words, *options]):
        raise SystemExit(f"{' '.join(words)} failed")
    rows = [row for row in read_metrics(folder) if row["kind"] == "update"]
    first = next((row for row in rows if row.get("total/samples")), rows[0])
    return {
        "command": " ".join(("plyground", *words, *options[2:])),
        "wall_seconds": time.time() - began,
        "updates": len(rows),
        "steps_per_second": rows[-1]["step"] / rows[-1]["time/seconds"],
        "first_samples_after": first["time/seconds"],
        "learner_share": sum(row.get("learner/seconds", 0.0) for row in rows)
        / rows[-1]["time/seconds"],
    }


def scores(agent: str, game: str, opponents: tuple[str, ...]) -> dict[str, float]:
    """The points of an agent in per cent."""
    results = evaluate(
        agent, game, against=list(opponents), pairs=PAIRS, opening_plies=OPENING_PLIES, seed=11
    )
    return {each.opponent: 100 * each.score for each in results}


def measure_ppo(place: Place) -> None:
    """PPO for a minute."""
    words = (*PPO, *SIZES) if place.is_gpu else PPO
    _measure("ppo", words, 4 * place.seconds, ("alphabeta:depth=2", "alphabeta:depth=4"), place)


def measure_learning(place: Place) -> None:
    """AlphaZero for some minutes."""
    for words, seconds, opponents in LEARNING[: 1 if place.quick else None]:
        _measure("learning", words, seconds * place.seconds / 15, opponents, place)


def _measure(
    part: str, words: tuple[str, ...], seconds: float, opponents: tuple[str, ...], place: Place
) -> None:
    with TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        row = {
            "part": part,
            "game": words[2],
            "seconds": seconds,
            **run(words, seconds, place, out),
        }
        row["scores"] = scores(f"policy:{out}", words[2], opponents)
    row["command"] = row["command"].replace(folder, "…")
    points = ", ".join(f"{score:.1f} % against {name}" for name, score in row["scores"].items())
    place.keep(
        f"{part} {words[2]}, {seconds:.0f} s: {row['steps_per_second']:,.0f} steps/s, "
        f"{row['updates']} updates, first samples after {row['first_samples_after']:.1f} s; "
        f"{points}",
        row,
    )
