"""A training run's folder: its settings, checkpoints and metrics.

Reading it needs neither torch nor stable-baselines3.

- ``run.json``: the game, the settings, the seed, the command and the versions
- ``metrics.jsonl``: a line for every update and every evaluation; ``tensorboard/``: the same for
  TensorBoard, which is a tracker
- ``checkpoints/``: the two newest checkpoints
- ``best.onnx``: the policy that did best in the evaluations; ``best.json``: the step it is from,
  and what it reached
- ``measuring/``: the policies that are to be evaluated
- ``snapshots/``: the policies of some steps; ``ladder.db``: the games that rate them
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypedDict

from ..agents.policies.policy_file import BEST
from ..envs.game import Game
from ..envs.loading.files import read_file, written_whole
from ..envs.loading.locks import LOCK
from ..envs.loading.records import Count, Range, check_value, parse_json, read_json
from ..envs.specification import SpecificationError
from .settings import LENGTH, RunSettings

FORMAT = 1  # of the folder, in run.json and in its checkpoints; another one is refused
KIND = b"plyground checkpoint"
MAGIC = b"%s %d\n" % (KIND, FORMAT)
DIGEST_BYTES = 32
CHECKPOINTS = "checkpoints"
SNAPSHOTS, LADDER = "snapshots", "ladder.db"
MEASURING = "measuring"
METRICS = "metrics.jsonl"
EVALUATION, RATING, UPDATE = "evaluation", "rating", "update"  # kinds of its lines
RESULTS = (METRICS, BEST, SNAPSHOTS, "window")  # the results of a run, besides checkpoints
MAX_CHECKPOINTS = 2  # checkpoints: if the newest is damaged, the one before it is intact

Measured = Annotated[float, Range(-1e9, 1e9)]  # a score or a rating


class _RunDescription(TypedDict):
    """The content of ``run.json`` for every run, besides the settings of its algorithm."""

    algorithm: str
    game: str
    game_version: Count
    seed: Count


class _RunFile(TypedDict):
    """``run.json``; other entries are for people."""

    format: int
    description: _RunDescription


class _MetricsRow(TypedDict):
    """A line of metrics of any kind."""

    step: Count
    kind: str


class _EvaluationRow(TypedDict):
    """A line of metrics: the learner's score against an opponent."""

    step: Count
    kind: str
    opponent: str
    score: Measured
    low: Measured
    high: Measured


class _RatingRow(TypedDict):
    """A line of metrics: the rating of a snapshot."""

    step: Count
    kind: str
    elo: Measured
    low: Measured
    high: Measured


UpdateRow = TypedDict(
    "UpdateRow", {"step": Count, "kind": str, "time/cpu_seconds": Annotated[float, Range(low=0)]}
)
ROWS: dict[str, Any] = {EVALUATION: _EvaluationRow, RATING: _RatingRow, UPDATE: UpdateRow}


class Checkpoint(NamedTuple):
    """An intact checkpoint: its file and content."""

    path: Path
    payload: bytes


class TrainingError(ValueError):
    """A run cannot be started or continued."""


def write_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all.

    Raises:
        TrainingError: it cannot be written; the previous content stays.
    """
    try:
        with written_whole(path) as file:
            file.write(data)
    except OSError as error:
        raise TrainingError(f"{path} could not be written: {error.strerror or error}") from error


class RunFolder:
    """The folder of the run with these settings, new or existing.

    Args:
        path: its path.
        game: the game.
        settings: the settings; for an existing run they may make it longer.
        seed: the seed of all random choices.
        facts: further facts (command, versions).

    Attributes:
        description: everything that decides the course of the run, as JSON values by name.

    Raises:
        TrainingError: the folder contains another run, or files that are not a run.
    """

    def __init__(
        self, path: Path, game: Game, settings: RunSettings, seed: int, facts: dict[str, Any]
    ) -> None:
        self.path = path
        self._kind, self._facts, self._grows = type(settings), facts, False
        self._metrics = path / METRICS
        self._checkpoints = path / CHECKPOINTS
        self.description: dict[str, Any] = {
            "algorithm": settings.algorithm,
            "game": game.spec,
            "game_version": game.declaration.version,
            "seed": seed,
            **settings.values(),
        }
        self.is_new: bool = not (path / "run.json").exists()
        if not self.is_new:
            self._grows = self._is_shorter(read_run(path, self._kind)["description"], path)
            return
        if path.exists() and not (path.is_dir() and {one.name for one in path.iterdir()} <= {LOCK}):
            raise TrainingError(
                f"{path} is not the folder of a training run; give another folder with --out"
            )
        try:
            self._checkpoints.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TrainingError(f"the folder {path} cannot be made: {error.strerror}") from error
        self._write_description()

    def lengthen(self) -> None:
        """Record a longer run; its checkpoint was checked before."""
        if self._grows:
            self._write_description()

    def _write_description(self) -> None:
        facts = {"format": FORMAT, "description": self.description, **self._facts}
        write_file(self.path / "run.json", _as_json(facts))

    def _is_shorter(self, existing: dict[str, Any], place: Path) -> bool:
        """Whether a run is this one but shorter; TrainingError if it is another."""
        description = self.description
        there, here = existing.get("game"), description.get("game")
        if there != here:
            raise TrainingError(
                f"{place} holds a run of {there}, not of {here}; give another folder with --out"
            )
        differing = [
            name
            for name in {**existing, **description}
            if existing.get(name) != description.get(name)
        ]
        grows = all(
            name in LENGTH and existing.get(name) and description[name] > existing[name]
            for name in differing
        )
        if not grows:
            differences = "; ".join(
                f"{name} is {json.dumps(existing.get(name))} there and "
                f"{json.dumps(description.get(name))} here"
                for name in differing
            )
            raise TrainingError(
                f"{place} holds another run: {differences}. Give another folder with --out, or "
                f"the same settings to resume (steps and hours may be higher)"
            )
        return bool(differing)

    # -- checkpoints --

    def save_checkpoint(self, step: int, payload: bytes) -> None:
        """Keep a checkpoint, and only the newest one before it.

        Raises:
            TrainingError: it cannot be written; the earlier ones stay.
        """
        path = self._checkpoints / f"{step:012d}.checkpoint"
        write_file(path, MAGIC + hashlib.sha256(payload).digest() + payload)
        for old in _checkpoints_in(self.path)[MAX_CHECKPOINTS:]:
            old.unlink(missing_ok=True)

    def load_checkpoint(self) -> tuple[Checkpoint | None, list[str]]:
        """The newest intact checkpoint, or None; and messages about damaged ones.

        Raises:
            TrainingError: none is intact, and a new run would overwrite the results of this one.
        """
        notes: list[str] = []
        for path in _checkpoints_in(self.path):
            payload = _read_checkpoint(path)
            if payload is not None:
                return Checkpoint(path, payload), notes
            notes.append(f"the checkpoint {path} is damaged; using the one before it")
        paths = _checkpoints_in(self.path)
        left = [name for name in RESULTS if _holds_something(self.path / name)]
        if paths or left:
            damage = f" ({paths[0]} is damaged)" if paths else ""
            raise TrainingError(
                f"{self.path} has no intact checkpoint{damage}, and another run would "
                f"overwrite its {' and '.join(left or [CHECKPOINTS])}: restore its {CHECKPOINTS}, "
                f"or give another folder with --out"
            )
        return None, notes

    def check_checkpoint(self, path: Path, description: str) -> None:
        """Refuse a checkpoint of another run, with a TrainingError."""
        self._is_shorter(json.loads(description), path)

    def newest_text(self) -> str:
        """A sentence about the newest checkpoint."""
        if not (paths := _checkpoints_in(self.path)):
            return "There is no checkpoint yet"
        return f"The last good checkpoint, of step {int(paths[0].stem):,}, is in {self.path}"

    # -- metrics --

    def add_metrics(self, row: dict[str, Any]) -> None:
        """Append a line of metrics."""
        _append(self._metrics, [row])

    def cut_metrics(self, step: int, evaluated: int) -> None:
        """Drop the lines after ``step``: a resumed run plays these steps again.

        Evaluations after step ``evaluated`` are dropped too: they are made again. So is a line
        truncated by the end of its run. Other invalid lines stay.

        Raises:
            TrainingError: a row has an invalid value; nothing is dropped.
        """
        for _ in read_metrics(self.path):
            pass  # invalid rows are refused before anything is dropped
        lines = list(_lines(self.path))
        last = {EVALUATION: evaluated}
        kept = [
            line
            for line, row in lines
            if row is None or row["step"] <= last.get(str(row["kind"]), step)
        ]
        if kept and not kept[-1].endswith(b"\n"):
            kept.pop()
        if len(kept) < len(lines):
            write_file(self._metrics, b"".join(kept))

    # -- policies --

    def policy_path(self, name: str, step: int) -> Path:
        """The file for the policy of a step in the folder of a name.

        Raises:
            TrainingError: this folder cannot be created.
        """
        folder = self.path / name
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise TrainingError(f"{folder} cannot be made: {error.strerror}") from error
        return folder / f"{step:012d}.onnx"

    def cut_snapshots(self, step: int) -> None:
        """Remove snapshots after ``step``: a resumed run takes them again."""
        for after, path in snapshots_in(self.path).items():
            if after > step:
                path.unlink(missing_ok=True)

    def write_best(self, policy: Path, facts: dict[str, Any]) -> None:
        """Keep a policy file as the best one, with its scores."""
        write_file(self.path / BEST, policy.read_bytes())
        write_file(self.path / "best.json", _as_json(facts))

    def drop_measured(self, waiting: Collection[int]) -> None:
        """Remove the policies that have been evaluated: all but those of the steps that wait."""
        for step, path in policies_in(self.path / MEASURING).items():
            if step not in waiting:
                path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # it is not there, or not empty
            (self.path / MEASURING).rmdir()


def snapshots_in(path: Path) -> dict[int, Path]:
    """A run's snapshots by their step, the oldest first."""
    return policies_in(path / SNAPSHOTS)


def policies_in(folder: Path) -> dict[int, Path]:
    """The policies in a folder by their step, the oldest first."""
    return {int(file.stem): file for file in _numbered(folder, ".onnx")}


def add_ratings(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Add ratings of a run's snapshots to its metrics, if they differ from the newest there."""
    present = ratings_in(path)
    _append(path / METRICS, [row for row in rows if row != present.get(row["step"])])


def ratings_in(path: Path) -> dict[int, dict[str, Any]]:
    """The newest rating of each of a run's snapshots, by its step."""
    rows = [row for row in read_metrics(path) if row["kind"] == RATING]
    return {row["step"]: row for row in sorted(rows, key=lambda row: int(row["step"]))}


def newest_checkpoint(path: Path) -> bytes | None:
    """The newest intact checkpoint in a run's folder, or None."""
    payloads = (_read_checkpoint(checkpoint) for checkpoint in _checkpoints_in(path))
    return next((payload for payload in payloads if payload is not None), None)


def _checkpoints_in(path: Path) -> list[Path]:
    return _numbered(path / CHECKPOINTS, ".checkpoint")[::-1]


def _numbered(folder: Path, suffix: str) -> list[Path]:
    """The files named by a step, sorted by name."""
    return sorted(path for path in folder.glob(f"*{suffix}") if path.stem.isdecimal())


def _holds_something(path: Path) -> bool:
    return any(path.iterdir()) if path.is_dir() else path.is_file() and path.stat().st_size > 0


def _read_checkpoint(path: Path) -> bytes | None:
    """The content of a checkpoint, or None if it is damaged.

    Raises:
        TrainingError: it is of another format.
    """
    try:
        data = path.read_bytes()
    except OSError:
        return None
    kind, _, number = data[:64].partition(b"\n")[0].rpartition(b" ")
    if kind == KIND and number.isdigit() and int(number) != FORMAT:
        raise TrainingError(
            f"{path} is a checkpoint of format {int(number)}, this plyground reads format {FORMAT}"
        )
    start = len(MAGIC) + DIGEST_BYTES
    digest, payload = data[len(MAGIC) : start], data[start:]
    is_whole = data.startswith(MAGIC) and hashlib.sha256(payload).digest() == digest
    return payload if is_whole else None


def read_run(path: Path, kind: type[RunSettings] = RunSettings) -> dict[str, Any]:
    """The content of a run's ``run.json``.

    Args:
        path: the run's folder.
        kind: the settings class of the expected algorithm; common settings are checked in any
            case.

    Raises:
        TrainingError: it is missing or unreadable, or a value in it is invalid.
    """
    place = f"{path} is not the folder of a training run: {path / 'run.json'}"
    with _as_training_errors():
        if not (path / "run.json").exists():
            raise TrainingError(f"{place} does not exist")
        facts = read_json(path / "run.json")
        check_value(facts, _RunFile, str(path / "run.json"), more=True)
        if facts["format"] != FORMAT:
            raise TrainingError(
                f"{path} is a run of format {facts['format']}, this plyground reads format {FORMAT}"
            )
        description = facts["description"]
        known = kind if description["algorithm"] == kind.algorithm else RunSettings
        check_value(description, known, str(path / "run.json"), "description", more=True)
    return dict(facts)


def begun_settings(path: Path | None, kind: type[RunSettings]) -> dict[str, Any]:
    """The settings of an algorithm's run in a folder; empty if there is no run yet.

    Raises:
        TrainingError: its ``run.json`` is unreadable, or a value in it is invalid.
    """
    if path is None or not (path / "run.json").exists():
        return {}
    description: dict[str, Any] = read_run(path, kind)["description"]
    return description if description["algorithm"] == kind.algorithm else {}


def read_metrics(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a run's metrics in the order written; invalid lines are skipped.

    Raises:
        TrainingError: a row has an invalid value.
    """
    for number, (_, row) in enumerate(_lines(path), 1):
        if row is not None:
            place = f"{path / METRICS}, line {number}"
            with _as_training_errors():
                kind = row.get("kind")
                check_value(
                    row,
                    ROWS.get(kind if isinstance(kind, str) else "", _MetricsRow),
                    place,
                    more=True,
                )
            yield row


def _lines(path: Path) -> Iterator[tuple[bytes, dict[str, Any] | None]]:
    """Each line of a run's metrics, with its row or None."""
    if not (path / METRICS).exists():
        return
    with _as_training_errors():
        data = read_file(path / METRICS)
    for line in data.splitlines(keepends=True):
        row = None
        with contextlib.suppress(SpecificationError):
            row = parse_json(line, METRICS)
        yield line, row if isinstance(row, dict) else None


@contextlib.contextmanager
def _as_training_errors() -> Iterator[None]:
    try:
        yield
    except SpecificationError as error:
        raise TrainingError(str(error)) from None


def _append(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write("".join(json.dumps(row) + "\n" for row in rows))
    except OSError as error:
        raise TrainingError(f"{path} could not be written: {error.strerror}") from error


def _as_json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
