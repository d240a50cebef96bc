"""Make the zoo: take the network of a run, measure it, write its model card.

A network and its card lie in ``agents/policies/networks/GAME``. The steps::

    python benchmarks/learning/zoo.py add runs/az_c4 connect_four   # network, curves, card
    python benchmarks/learning/zoo.py curve runs/az_c4 connect_four # only its curve again
    python benchmarks/learning/zoo.py measure                       # speed and precisions
    python benchmarks/learning/zoo.py rate connect_four             # the pool of a board
    python benchmarks/learning/zoo.py judge connect_four            # move quality on a board
    plyground zoo --out docs                                       # the pages

``add`` keeps the weights in float16, which halves the file; they are read as float32. ``machine``
describes the processor of the run. ``rate`` and ``judge`` compare all networks of a board, alone
and with search, and the usual opponents with limits on nodes or simulations: a busy machine changes
only times. They write ``boards.json`` with their commands.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import math
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from plyground import Game, make_agent, make_game
from plyground.agents.policies.compiled.words import FLOAT32, PRECISIONS
from plyground.agents.policies.policy_file import OnnxNetwork
from plyground.agents.policies.prediction import masked_softmax
from plyground.agents.policies.zoo import BOARDS, FOLDER, PREFIX, Card, ZooNetworks, cards, cards_of
from plyground.evaluation.move_quality.judge import (
    PHASES,
    MoveJudge,
    has_worse_move,
)
from plyground.evaluation.move_quality.positions import Sample, ask_agents
from plyground.evaluation.move_quality.qualities import ALL, qualities
from plyground.training.curves import read_curves
from plyground.training.export import compact_policy
from plyground.training.folder import read_metrics, read_run

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from solver_positions import CLASSES, PositionClass, read_positions

ROOT = Path(__file__).resolve().parent.parent.parent
IMAGES = ROOT / "docs" / "images" / "zoo"
USUAL = ("random", "greedy", "alphabeta:depth=2", "alphabeta:depth=4", "mcts:simulations=1000")
# The search agents of each game's pool, and the random plies that its games begin with.
POOLS = {
    "tic_tac_toe": (("random", "greedy", "alphabeta:depth=4", "mcts:simulations=200"), 2),
    "connect_four": (
        ("random", "greedy", "alphabeta:depth=2", "alphabeta:depth=4", "alphabeta:depth=8",
         "mcts:simulations=1000"),
        4,
    ),
    "dots_and_boxes": (
        ("random", "greedy", "alphabeta:depth=4", "alphabeta:nodes=10000", "mcts:simulations=1000"),
        4,
    ),
    "gomoku": (("random", "medium", "hard", "mcts:simulations=1000"), 4),
    "hex": (("random", "greedy", "alphabeta:depth=2", "mcts:simulations=1000"), 2),
    "breakthrough": (USUAL, 4),
    "kalah": (USUAL, 2),
    "ultimate_tic_tac_toe": (USUAL, 4),
    "othello": (
        ("random", "greedy", "alphabeta:depth=3", "alphabeta:depth=5", "mcts:simulations=1000"),
        4,
    ),
}  # fmt: skip
PUBLISHED_GAME = "connect_four"  # its positions by kind lie in benchmarks/positions
MOST = 50  # positions of each kind
MOST_PLIES = 27  # the others are too slow to solve with all moves
SIMULATIONS = {"connect_four": 200}  # simulations of the search with a network; others: 100
REPEATS, TURNS = 640, 7
SAMPLES = 1000  # positions of random games for the comparison of precisions


def command(*words: str) -> list[str]:
    """A plyground command for this Python."""
    return [sys.executable, "-m", "plyground.cli", *words]


def add(
    run: Path,
    name: str,
    also: list[str],
    commit: str,
    machine: str,
    learnt_from: str | None,
    processor: str | None,
) -> None:
    """Add the best network of a run to the zoo, with its curves and a card without figures."""
    best = json.loads((run / "best.json").read_text())
    data = compact_policy((run / "best.onnx").read_bytes())
    network = OnnxNetwork(str(run), data)
    sizes = board_sizes(network.game)
    stem = f"{name}_{sizes}" if sizes else name
    file = FOLDER / network.game.name / f"{stem}.onnx"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(data)
    picture = IMAGES / file.parent.name / f"{stem}.png"
    picture.parent.mkdir(exist_ok=True)
    subprocess.run(command("curves", str(run), "--out", str(picture)), check=True)
    weights = onnx.load_from_string(data).graph.initializer
    facts = read_run(run)
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
            "seed": facts["description"]["seed"],
            "commit": git("rev-parse", "--short", commit),
            **effort(run),
            "machine": machine,
            **({"learnt_from": learnt_from} if learnt_from else {}),
            "date": datetime.date.today().isoformat(),
            "best_at_step": best["step"],
            "scores": {entry["opponent"]: entry["score"] for entry in best["scores"]},
            "curves": picture.relative_to(IMAGES.parent).as_posix(),
            "curve": curve(run),
            "versions": facts["versions"],
        },
        measured=on_processor(measurements(network), processor),
    )
    write(card)
    print(f"{stem}: {len(data):,} bytes, {card.parameters:,} weights")


def board_sizes(game: Game) -> str:
    """The size of a board for file names, such as 6x7; empty if the game has one board."""
    rules: Any = game.rules
    for names in (("size", "size"), ("rows", "cols"), ("pits", "seeds")):
        if hasattr(rules, names[0]):
            return "x".join(str(getattr(rules, name)) for name in names)
    return ""


def begun_with(run: Path) -> Path | Card | None:
    """The run or the zoo network, by name or file, whose weights a run began with.

    Run folders are in the same folder.
    """
    facts = read_run(run)
    words = shlex.split(facts["command"])
    source = next((word for word in words if word.startswith("initial=")), "")
    name = Path(source.removeprefix("initial=")).name
    if name.startswith(PREFIX):
        fitting = cards_of(make_game(facts["description"]["game"]))
        return next(card for card in fitting if name == PREFIX + card.name)
    if not name:
        return None
    return next((card for card in cards() if card.path.name == name), run.parent / name)


def curve(run: Path) -> list[dict[str, Any]]:
    """The scores of a network during training, by processor hours.

    The run or shipped network that it began with comes first, unless it is for another board.
    In the rows for the opponent ``optimal moves`` the score is the share of such moves.
    """
    rows: list[dict[str, Any]] = []
    first = begun_with(run)
    if isinstance(first, Path):
        rows = curve(first)
    elif first and first.game == read_run(run)["description"]["game"]:
        rows = list(first.training["curve"])
    hours = max((row["processor_hours"] for row in rows), default=0.0)
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
    """The command of a run, and its duration.

    Paths in the command are shortened to their last part. ``before`` is the same for the run or
    network whose weights this one began with, if any.
    """
    last = [entry for entry in read_metrics(run) if entry["kind"] == "update"][-1]
    words = shlex.split(read_run(run)["command"])
    words[words.index("--out") + 1] = f"runs/{run.name}"
    first = begun_with(run)
    for index, word in enumerate(words):
        if word.startswith("initial=") and isinstance(first, Path):
            words[index] = f"initial=runs/{first.name}"
        elif words[index - 1] == "--data":
            words[index] = ";".join(Path(each).name for each in word.split(";"))
    summary: dict[str, Any] = {
        "command": shlex.join(words),
        "hours": round(last["time/seconds"] / 3600, 2),
        "processor_hours": round(last["time/cpu_seconds"] / 3600, 2),
        "steps": last["step"],
        "games": int(last.get("total/games", 0)),
        "simulations": int(last.get("total/simulations", 0)),
    }
    if isinstance(first, Path):
        summary["before"] = effort(first)
    elif first is not None:
        keys = (*summary, "before")
        summary["before"] = {key: first.training[key] for key in keys if key in first.training}
    return summary


def git(*words: str) -> str:
    """The output of a git command."""
    process = subprocess.run(
        ["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True
    )
    return process.stdout.strip()


def write(card: Card) -> None:
    """Write the card of a network."""
    write_rows(card.path.with_suffix(".json"), vars(card))


def write_rows(path: Path, data: Any) -> None:
    """Write JSON with one line per table row or curve point."""
    text = json.dumps(data, indent=1, ensure_ascii=False)
    text = re.sub(
        r'\{\s+("(?:opponent|agent)"[^{}]*?)\s+\}',
        lambda row: f"{{{' '.join(row[1].split())}}}",
        text,
    )
    path.write_text(text + "\n", encoding="utf-8")


def searching(name: str, game: Game) -> str:
    """The search with a network."""
    return f"mcts:network=zoo:{name},simulations={SIMULATIONS.get(game.name, 100)}"


def agents_of(game: Game) -> list[str]:
    """All networks of a board, alone and with search, and the usual opponents."""
    names = dict.fromkeys(
        card.name for card in cards() if game in map(make_game, (card.game, *card.also))
    )
    networks = [agent for name in names for agent in (f"zoo:{name}", searching(name, game))]
    return [*networks, *POOLS[game.name][0]]


def judge(spec: str, positions: int) -> None:
    """Judge the moves of a board's agents by the exact solver."""
    game = make_game(spec)
    words = ["quality", game.spec, *agents_of(game), "--positions", str(positions)]
    if game == make_game(PUBLISHED_GAME):  # the plies of the cards of earlier releases
        words += ["--from-ply", "12"]
    quality = json.loads(output_of(*words, "--json"))
    record(
        game,
        "quality",
        shlex.join(["plyground", *words]),
        [
            quality_row(row, row["phase"])
            for row in quality["qualities"]
            if row["phase"] not in PHASES
        ],
    )
    if game == make_game(PUBLISHED_GAME):
        kinds = [kind for kind in CLASSES if kind.plies[1] <= MOST_PLIES]
        rows = [row for kind in kinds for row in published_quality(kind, game)]
        record(game, "kinds", f"python benchmarks/learning/zoo.py judge {game.spec}", rows)


def record(game: Game, what: str, command_line: str, rows: list[dict[str, Any]]) -> None:
    """Write the figures of a board."""
    boards = json.loads(BOARDS.read_text()) if BOARDS.exists() else {}
    boards.setdefault(game.spec, {})[what] = {"command": command_line, "rows": rows}
    write_rows(BOARDS, dict(sorted(boards.items())))


def quality_row(row: Any, phase: str) -> dict[str, Any]:
    """The share of an agent's optimal moves in some positions, with its 95 % interval."""
    return {
        "agent": row["agent"],
        "phase": phase,
        "moves": row["moves"],
        **{key: round(share, 4) for key, share in row["optimal"].items()},
    }


def published_quality(kind: PositionClass, game: Game) -> list[dict[str, Any]]:
    """The quality of a board's agents in the first positions of a published kind."""
    move_judge, agents = MoveJudge(game, time_limit=math.inf), agents_of(game)
    positions = [game.position(list(each.moves)) for each in read_positions(kind, MOST)]
    tests = [each for each in positions if has_worse_move(move_judge.values(each) or {})]
    sample = Sample([(each, 0) for each in tests], {})
    players = [make_agent(each, game) for each in agents]
    evidence = ask_agents(move_judge, sample, players, agents, 1)
    return [
        quality_row(row.to_json(), kind.name) for row in qualities(evidence) if row.phase == ALL
    ]


def rate(spec: str, pairs: int) -> None:
    """Rate a board's agents in one pool."""
    game = make_game(spec)
    with tempfile.TemporaryDirectory() as folder:
        words = ["tournament", game.spec, *agents_of(game), "--pairs", str(pairs)]
        words += ["--opening", f"random:{POOLS[game.name][1]}"]
        store = str(Path(folder) / "pool.db")
        output_of(*words, "--store", store, "--isolate", "never", "--concurrency", "1")
        report = json.loads(output_of("report", store, "--json", "--anchor", "random=0"))
    record(game, "ratings", shlex.join(["plyground", *words]), ratings_of(report))


def ratings_of(report: Any) -> list[dict[str, Any]]:
    """The rows of a report's only tournament, best first."""
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
    """The standard output of a plyground command."""
    process = subprocess.run(command(*words), capture_output=True, text=True, check=False)
    if process.returncode:
        sys.exit(f"{shlex.join(words)}: {process.stderr}")
    return process.stdout


def measurements(network: OnnxNetwork, precisions: Iterable[str] = PRECISIONS) -> dict[str, Any]:
    """The speed in each precision of this processor, and the errors of the smaller ones.

    The errors are differences of the probabilities of legal actions, and of values.
    """
    game, rng = network.game, np.random.default_rng(0)
    samples, position = [], game.initial_position()
    while len(samples) < SAMPLES:
        samples.append((position.observation(), position.action_mask()))
        position = position.after(int(rng.choice(position.legal_actions())))
        position = game.initial_position() if position.is_over else position
    observations, masks = map(np.stack, zip(*samples))
    logits, exact_values = network.evaluate(observations)
    exact = masked_softmax(logits, masks)
    measured: dict[str, Any] = {}
    for precision in precisions:
        if not PRECISIONS[precision].is_possible:
            continue
        agent = network.in_precision(precision)
        if precision == FLOAT32.name:
            measured["speed"] = speed(agent)
            continue
        logits, values = agent.evaluate(observations)
        rounded = masked_softmax(logits, masks)
        errors = {"probability": np.abs(exact - rounded).max(axis=1)}
        errors["value"] = np.abs(exact_values - values)
        measured[precision] = {
            "speed": speed(agent),
            **{
                name: {"mean": round(float(error.mean()), 5), "most": round(float(error.max()), 4)}
                for name, error in errors.items()
            },
            "same_move": round(float((exact.argmax(1) == rounded.argmax(1)).mean()), 4),
        }
    return measured


def speed(network: OnnxNetwork) -> dict[str, float]:
    """Microseconds per position, alone and in a batch of 64, on one thread."""
    shape = network.game.facts.observation_shape
    microseconds = {}
    for batch in (1, 64):
        observations = np.zeros((batch, *shape), np.int8)
        best = math.inf  # turns; the best counts, as the machine may be busy
        for _ in range(TURNS):
            began = time.process_time()
            for _ in range(REPEATS // batch):
                network.evaluate(observations)
            best = min(best, (time.process_time() - began) / (REPEATS // batch) / batch)
        microseconds[f"batch_{batch}"] = round(best * 1e6, 1)
    return microseconds


def measure(precisions: Iterable[str], processor: str | None) -> None:
    """Measure every network; figures of other precisions stay in the card.

    If a processor is named, earlier figures of the same precisions stay too.
    """
    for card in cards():
        new = measurements(card.network(), precisions)
        if processor:
            new = {name: each for name, each in new.items() if name not in card.measured}
        measured = card.measured | on_processor(new, processor)
        write(Card(**{**vars(card), "measured": measured}))


def on_processor(measured: dict[str, Any], processor: str | None) -> dict[str, Any]:
    """Measurements with the name of their processor, if one is named."""
    named = {"processor": processor} if processor else {}
    return {name: {**each, **named} for name, each in measured.items()}


def main() -> None:
    """Add a network, or measure the networks of a board."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    steps = parser.add_subparsers(dest="step", required=True)
    adding = steps.add_parser("add")
    adding.add_argument("run", type=Path)
    adding.add_argument("name")
    adding.add_argument("--also", action="append", default=[], help="another game that it plays")
    adding.add_argument("--commit", default="HEAD", help="of the code that the run used")
    adding.add_argument("--machine", default="one core of an AMD EPYC (bfloat16), others busy")
    adding.add_argument("--learnt-from", help="in words, where it did not learn from its own games")
    adding.add_argument("--processor", help="its name, where other cards' speeds are of another")
    drawing = steps.add_parser("curve")
    drawing.add_argument("run", type=Path)
    drawing.add_argument("name")
    measuring = steps.add_parser("measure")
    measuring.add_argument("--precision", choices=PRECISIONS, help="only this one")
    measuring.add_argument("--processor", help="its name, where the other speeds are of another")
    rating = steps.add_parser("rate")
    rating.add_argument("game")
    rating.add_argument("--pairs", type=int, default=25)
    judging = steps.add_parser("judge")
    judging.add_argument("game")
    judging.add_argument("--positions", type=int, default=300)
    arguments = parser.parse_args()
    if arguments.step == "add":
        a = arguments
        add(a.run, a.name, a.also, a.commit, a.machine, a.learnt_from, a.processor)
    elif arguments.step == "curve":
        game = make_game(
            json.loads((arguments.run / "run.json").read_text())["description"]["game"]
        )
        for card in ZooNetworks(arguments.name).cards:
            if make_game(card.game) == game:
                training = {**card.training, "curve": curve(arguments.run)}
                write(Card(**{**vars(card), "training": training}))
    elif arguments.step == "measure":
        measure([arguments.precision] if arguments.precision else PRECISIONS, arguments.processor)
    elif arguments.step == "rate":
        rate(arguments.game, arguments.pairs)
    else:
        judge(arguments.game, arguments.positions)


if __name__ == "__main__":
    main()
