"""Make the zoo: take the network of a run, measure it, write its model card.

A network and its card lie in ``agents/policies/networks/GAME``. The steps::

    python benchmarks/learning/zoo.py add runs/az_c4 connect_four   # network, curves, card
    python benchmarks/learning/zoo.py curve runs/az_c4 connect_four # its curve alone, once more
    python benchmarks/learning/zoo.py measure connect_four          # figures into the card
    plyground zoo --markdown > docs/zoo.md

``add`` keeps the weights in float16, which halves the file; they are read as float32. ``measure``
runs the commands that the card then names. ``machine`` describes the processor the run used.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from plyground import make_game
from plyground.agents.policies.policy_file import OnnxNetwork
from plyground.agents.policies.zoo import FOLDER, Card, ZooNetworks
from plyground.training.curves import read_curves
from plyground.training.export import compact_policy

ROOT = Path(__file__).resolve().parent.parent.parent
IMAGES = ROOT / "docs" / "images"
# The search agents of each game's pool, and the random plies that its games begin with.
POOLS = {
    "tic_tac_toe": (("random", "greedy", "alphabeta:depth=4", "mcts:simulations=200"), 2),
    "connect_four": (
        ("random", "greedy", "alphabeta:depth=2", "alphabeta:depth=4", "alphabeta:depth=8",
         "mcts:simulations=1000"),
        4,
    ),
    "dots_and_boxes": (
        ("random", "greedy", "alphabeta:depth=4", "alphabeta:time=0.01", "mcts:time=0.01"), 4,
    ),
    "gomoku": (("random", "easy", "medium", "hard", "mcts:simulations=1000"), 4),
}  # fmt: skip
EXACT = ("tic_tac_toe", "connect_four", "dots_and_boxes")  # games that the solvers reach
SIMULATIONS = {"connect_four": 200}  # of the search beside the network; others: 100
REPEATS = 300


def command(*words: str) -> list[str]:
    """A command of plyground for this Python."""
    return [sys.executable, "-m", "plyground.cli", *words]


def add(
    run: Path, name: str, also: list[str], commit: str, machine: str, learnt_from: str | None
) -> None:
    """Take the best network of a run into the zoo, with its curves and a card without figures."""
    best = json.loads((run / "best.json").read_text())
    data = compact_policy((run / "best.onnx").read_bytes())
    network = OnnxNetwork(str(run), data)
    rules: Any = network.game.rules
    stem = f"{name}_{rules.rows}x{rules.cols}"
    file = FOLDER / network.game.name / f"{stem}.onnx"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(data)
    picture = IMAGES / f"zoo_{stem}.png"
    subprocess.run(command("curves", str(run), "--out", str(picture)), check=True)
    weights = onnx.load_from_string(data).graph.initializer
    description = json.loads((run / "run.json").read_text())
    card = Card(
        name=name,
        game=network.game.spec,
        also=[make_game(spec).spec for spec in also],
        file=file.relative_to(FOLDER).as_posix(),
        sha256=hashlib.sha256(data).hexdigest(),
        bytes=len(data),
        parameters=sum(
            int(np.prod(tensor.dims)) for tensor in weights if tensor.data_type in (1, 10)
        ),
        algorithm=network.kind,
        training={
            "seed": description["description"]["seed"],
            "commit": git("rev-parse", "--short", commit),
            **effort(run),
            "machine": machine,
            **({"learnt_from": learnt_from} if learnt_from else {}),
            "date": datetime.date.today().isoformat(),
            "best_at_step": best["step"],
            "scores": {entry["opponent"]: entry["score"] for entry in best["scores"]},
            "curves": picture.name,
            "curve": curve(run),
            "versions": description["versions"],
        },
        measured={},
    )
    write(card)
    print(f"{stem}: {len(data):,} bytes, {card.parameters:,} weights")


def begun_with(run: Path) -> Path | None:
    """The run whose weights a run began with, if there is one; run folders lie side by side."""
    words = shlex.split(json.loads((run / "run.json").read_text())["command"])
    runs = [Path(word.removeprefix("initial=")) for word in words if word.startswith("initial=")]
    return run.parent / runs[0].name if runs else None


def curve(run: Path) -> list[dict[str, Any]]:
    """What a network scored while it learnt, by processor hours; the run it began with comes first.

    In the rows for the opponent ``optimal moves`` the score is the share of such moves.
    """
    before = begun_with(run)
    rows = curve(before) if before else []
    hours = effort(before)["processor_hours"] if before else 0.0
    curves, clock = read_curves(run)
    steps, seconds = zip(*clock)
    for opponent, points in curves.items():
        rows += [
            {
                "opponent": opponent,
                "processor_hours": round(
                    hours + float(np.interp(row["step"], steps, seconds)) / 3600, 4
                ),
                **{key: round(row[key], 4) for key in ("score", "low", "high")},
            }
            for row in points
        ]
    return rows


def effort(run: Path) -> dict[str, Any]:
    """The command of a run, and how long it took.

    The command names the runs' folders only. ``before`` is the same of the run whose weights this
    one began with, if there is one.
    """
    lines = (run / "metrics.jsonl").read_text().splitlines()
    last = [entry for entry in map(json.loads, lines) if entry["kind"] == "update"][-1]
    words = shlex.split(json.loads((run / "run.json").read_text())["command"])
    words[words.index("--out") + 1] = f"runs/{run.name}"
    summary: dict[str, Any] = {}
    for index, word in enumerate(words):
        if word.startswith("initial="):
            words[index] = f"initial=runs/{Path(word).name}"
        elif words[index - 1] == "--data":
            words[index] = Path(word).name
    before = begun_with(run)
    if before is not None:
        summary["before"] = effort(before)
    return {
        "command": shlex.join(words),
        "hours": round(last["time/seconds"] / 3600, 2),
        "processor_hours": round(last["time/cpu_seconds"] / 3600, 2),
        "steps": last["step"],
        "games": int(last.get("total/games", 0)),
        "simulations": int(last.get("total/simulations", 0)),
        **summary,
    }


def git(*words: str) -> str:
    """What git prints."""
    process = subprocess.run(
        ["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True
    )
    return process.stdout.strip()


def write(card: Card) -> None:
    """Write a card beside its network."""
    text = json.dumps(vars(card), indent=1, ensure_ascii=False)
    # each point of the curve on a line of its own
    text = re.sub(r'\{\s+("opponent"[^{}]*?)\s+\}', lambda row: f"{{{_one_line(row[1])}}}", text)
    card.path.with_suffix(".json").write_text(text + "\n", encoding="utf-8")


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def measure(card: Card, pairs: int, positions: int) -> None:
    """Measure the network of a card and write the figures into it."""
    game = make_game(card.game)
    alone = f"zoo:{card.name}"
    searching = f"mcts:network={alone},simulations={SIMULATIONS.get(game.name, 100)}"
    figures: dict[str, Any] = {"speed": speed(card)}
    if game.name in EXACT:
        words = ["quality", card.game, alone, searching, "--positions", str(positions)]
        quality = json.loads(output_of(*words, "--json"))
        figures["quality"] = {
            "command": shlex.join(["plyground", *words]),
            "rows": [
                {
                    "agent": row["agent"],
                    "phase": row["phase"],
                    "moves": row["moves"],
                    "optimal": row["optimal"]["share"],
                }
                for row in quality["qualities"]
            ],
        }
    agents, plies = POOLS[game.name]
    with tempfile.TemporaryDirectory() as folder:
        words = ["tournament", card.game, alone, searching, *agents, "--pairs", str(pairs)]
        words += ["--opening", f"random:{plies}"]
        store = str(Path(folder) / "pool.db")
        output_of(*words, "--store", store, "--isolate", "never", "--concurrency", "1")
        report = json.loads(output_of("report", store, "--json", "--anchor", "random=0"))
        figures["ratings"] = {
            "command": shlex.join(["plyground", *words]),
            "rows": ratings_of(report),
        }
    write(Card(**{**vars(card), "measured": figures}))


def ratings_of(report: Any) -> list[dict[str, Any]]:
    """The rows of the one tournament in a report, best first."""
    tournament = report["tournaments"][0]
    elo = {row["agent"]: row for row in tournament["ratings"]["agents"]}
    rows = [
        {
            "agent": row["agent"],
            "elo": round(elo[row["agent"]]["elo"]),
            "error": round(elo[row["agent"]]["margin"]),
            "score": row["score"],
            "games": row["games"],
            "seconds": row["seconds_per_move"],
        }
        for row in tournament["agents"]
    ]
    return sorted(rows, key=lambda row: -row["elo"])


def output_of(*words: str) -> str:
    """The standard output of a command of plyground."""
    process = subprocess.run(command(*words), capture_output=True, text=True, check=False)
    if process.returncode:
        sys.exit(f"{shlex.join(words)}: {process.stderr}")
    return process.stdout


def speed(card: Card) -> dict[str, float]:
    """Microseconds for a position, alone and in a batch of 64, on one thread."""
    network = ZooNetworks(card.name).for_game(make_game(card.game))
    shape = network.game.facts.observation_shape
    microseconds = {}
    for batch in (1, 64):
        observations = np.zeros((batch, *shape), np.int8)
        network.evaluate(observations)
        began = time.process_time()
        for _ in range(REPEATS):
            network.evaluate(observations)
        microseconds[f"batch_{batch}"] = round(
            (time.process_time() - began) / REPEATS / batch * 1e6, 1
        )
    return microseconds


def main() -> None:
    """Add or measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    steps = parser.add_subparsers(dest="step", required=True)
    adding = steps.add_parser("add")
    adding.add_argument("run", type=Path)
    adding.add_argument("name")
    adding.add_argument("--also", action="append", default=[], help="another game that it plays")
    adding.add_argument("--commit", default="HEAD", help="of the code that the run used")
    adding.add_argument("--machine", default="one core of an AMD EPYC (bfloat16), others busy")
    adding.add_argument("--learnt-from", help="in words, where it did not learn from its own games")
    drawing = steps.add_parser("curve")
    drawing.add_argument("run", type=Path)
    drawing.add_argument("name")
    measuring = steps.add_parser("measure")
    measuring.add_argument("name")
    measuring.add_argument("--game", help="only the network of this board")
    measuring.add_argument("--pairs", type=int, default=50)
    measuring.add_argument("--positions", type=int, default=300)
    arguments = parser.parse_args()
    if arguments.step == "add":
        a = arguments
        add(a.run, a.name, a.also, a.commit, a.machine, a.learnt_from)
    elif arguments.step == "curve":
        game = make_game(
            json.loads((arguments.run / "run.json").read_text())["description"]["game"]
        )
        for card in ZooNetworks(arguments.name).cards:
            if make_game(card.game) == game:
                training = {**card.training, "curve": curve(arguments.run)}
                write(Card(**{**vars(card), "training": training}))
    else:
        spec = arguments.game and make_game(arguments.game).spec
        for card in ZooNetworks(arguments.name).cards:
            if spec in (None, card.game):
                measure(card, arguments.pairs, arguments.positions)


if __name__ == "__main__":
    main()
