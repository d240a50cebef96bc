"""A training run's folder: its settings, checkpoints and metrics.

Reading it needs neither torch nor stable-baselines3.

- ``run.json``: the game, the settings, the seed, the command and the versions
- ``metrics.jsonl``: a line for every update and every evaluation; ``tensorboard/``: the same for
  TensorBoard
- ``checkpoints/``: the two newest checkpoints
- ``best.onnx``: the policy that did best in the evaluations; ``best.json``: the step it is from,
  and what it reached
- ``snapshots/``: the policies of some steps; ``ladder.db``: the games that rate them
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..envs.loading.files import written_whole
from ..envs.loading.locks import LOCK
from ..envs.registry import recorded_spec, rules_type

MAGIC = b"plyground checkpoint 1\n"
DIGEST_BYTES = 32
OLD_CURRICULUM = "ladder:"  # what runs of earlier versions call a curriculum
CHECKPOINTS = "checkpoints"
SNAPSHOTS, LADDER = "snapshots", "ladder.db"
METRICS, RATING = "metrics.jsonl", "rating"
GROWING = ("steps", "hours")  # settings that may be larger when a run is taken up again
MAX_CHECKPOINTS = 2  # checkpoints: if the newest is damaged, the one before it is whole


class TrainingError(ValueError):
    """A run that cannot be begun or go on."""


def write_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all.

    Raises:
        TrainingError: it cannot be written; what stood there before still does.
    """
    try:
        with written_whole(path) as file:
            file.write(data)
    except OSError as error:
        raise TrainingError(f"{path} could not be written: {error.strerror or error}") from error


class RunFolder:
    """The folder of one run.

    Args:
        path: where it is, or will be.
        description: what decides the course of the run, as JSON values by name. A folder with
            another description is another run's; only a run's length may grow.
        facts: what else is worth knowing (command, versions).
        defaults: what a run that says nothing of a setting was begun with.

    Raises:
        TrainingError: the folder holds something else: another run, or no run at all.
    """

    def __init__(
        self,
        path: Path,
        description: dict[str, Any],
        facts: dict[str, Any],
        defaults: Mapping[str, Any] | None = None,
    ) -> None:
        self.path = path
        self._metrics = path / METRICS
        self._checkpoints = path / CHECKPOINTS
        description = json.loads(json.dumps(description))
        self.is_new: bool = not (path / "run.json").exists()
        if not self.is_new:
            if self._compare(description, defaults or {}):
                write_file(path / "run.json", _as_json({"description": description, **facts}))
            return
        if path.exists() and not (path.is_dir() and {one.name for one in path.iterdir()} <= {LOCK}):
            raise TrainingError(
                f"{path} holds something that is no training run; name another folder with --out"
            )
        try:
            self._checkpoints.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TrainingError(f"the folder {path} cannot be made: {error.strerror}") from error
        write_file(path / "run.json", _as_json({"description": description, **facts}))

    def _compare(self, description: dict[str, Any], defaults: Mapping[str, Any]) -> bool:
        """Whether the run in the folder is to become longer; TrainingError if it is another."""
        existing = {**defaults, **read_run(self.path)["description"]}
        opponent = existing.get("opponent")
        if isinstance(opponent, str) and opponent.startswith(OLD_CURRICULUM):
            existing["opponent"] = "curriculum:" + opponent.removeprefix(OLD_CURRICULUM)
        there, here = existing.get("game"), description.get("game")
        if there != here:
            raise TrainingError(
                f"{self.path} holds a run of {there}, not of {here}; name another folder with --out"
            )
        differing = [
            name
            for name in {**existing, **description}
            if existing.get(name) != description.get(name)
        ]
        grows = all(
            name in GROWING and existing.get(name) and description[name] > existing[name]
            for name in differing
        )
        if not grows:
            differences = "; ".join(
                f"{name} is {json.dumps(existing.get(name))} there and "
                f"{json.dumps(description.get(name))} here"
                for name in differing
            )
            raise TrainingError(
                f"{self.path} holds another run: {differences}. Name another folder with --out, or "
                f"give the same settings to go on (steps and hours may be more)"
            )
        return bool(differing)

    # -- checkpoints --

    def save_checkpoint(self, step: int, payload: bytes) -> None:
        """Keep a checkpoint, and with it only the newest before it.

        Raises:
            TrainingError: it cannot be written; the ones before it stay.
        """
        path = self._checkpoints / f"{step:012d}.checkpoint"
        write_file(path, MAGIC + hashlib.sha256(payload).digest() + payload)
        for old in _checkpoints_in(self.path)[MAX_CHECKPOINTS:]:
            old.unlink(missing_ok=True)

    def load_checkpoint(self) -> tuple[bytes | None, list[str]]:
        """The newest checkpoint that is whole, or None; and what is to be said of damaged ones."""
        notes: list[str] = []
        for path in _checkpoints_in(self.path):
            payload = _read_checkpoint(path)
            if payload is not None:
                return payload, notes
            notes.append(f"the checkpoint {path} is damaged; going back to the one before it")
        return None, notes

    def last_step(self) -> int | None:
        """The step of the newest checkpoint."""
        checkpoints = _checkpoints_in(self.path)
        return int(checkpoints[0].stem) if checkpoints else None

    # -- metrics --

    def add_metrics(self, row: dict[str, Any]) -> None:
        """Append a line of metrics."""
        _append(self._metrics, [row])

    def cut_metrics(self, step: int) -> None:
        """Drop what was written after ``step``: a resumed run plays it again."""
        rows = [row for row in read_metrics(self.path) if row["step"] <= step]
        write_file(self._metrics, "".join(json.dumps(row) + "\n" for row in rows).encode())

    # -- snapshots --

    def snapshot_path(self, step: int) -> Path:
        """Where the snapshot of a step goes.

        Raises:
            TrainingError: its folder cannot be made.
        """
        folder = self.path / SNAPSHOTS
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise TrainingError(f"{folder} cannot be made: {error.strerror}") from error
        return folder / f"{step:012d}.onnx"

    def cut_snapshots(self, step: int) -> None:
        """Remove those after ``step``: a resumed run takes them again."""
        for after, path in snapshots_in(self.path).items():
            if after > step:
                path.unlink(missing_ok=True)

    def write_best(self, facts: dict[str, Any]) -> None:
        """Keep what the best policy reached."""
        write_file(self.path / "best.json", _as_json(facts))


def snapshots_in(path: Path) -> dict[int, Path]:
    """A run's snapshots by their step, the oldest first."""
    files = sorted((path / SNAPSHOTS).glob("*.onnx"))
    return {int(file.stem): file for file in files if file.stem.isdigit()}


def add_ratings(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Add ratings of a run's snapshots to its metrics, those that differ from the newest there."""
    present = ratings_in(path)
    _append(path / METRICS, [row for row in rows if row != present.get(row["step"])])


def ratings_in(path: Path) -> dict[int, dict[str, Any]]:
    """The newest rating of each of a run's snapshots, by its step."""
    rows = [row for row in read_metrics(path) if row["kind"] == RATING]
    return {row["step"]: row for row in sorted(rows, key=lambda row: int(row["step"]))}


def newest_checkpoint(path: Path) -> bytes | None:
    """The newest checkpoint of a run's folder that is whole, or None."""
    payloads = (_read_checkpoint(checkpoint) for checkpoint in _checkpoints_in(path))
    return next((payload for payload in payloads if payload is not None), None)


def _checkpoints_in(path: Path) -> list[Path]:
    return sorted((path / CHECKPOINTS).glob("*.checkpoint"), reverse=True)


def _read_checkpoint(path: Path) -> bytes | None:
    """The content of a checkpoint, or None if it is damaged."""
    data = path.read_bytes()
    start = len(MAGIC) + DIGEST_BYTES
    digest, payload = data[len(MAGIC) : start], data[start:]
    is_whole = data.startswith(MAGIC) and hashlib.sha256(payload).digest() == digest
    return payload if is_whole else None


def read_run(path: Path) -> dict[str, Any]:
    """What a run's ``run.json`` says.

    Raises:
        TrainingError: there is none, or it cannot be read.
    """
    try:
        facts = json.loads((path / "run.json").read_text(encoding="utf-8"))
        facts["description"]["game"]
    except (OSError, ValueError, KeyError, TypeError):
        raise TrainingError(
            f"{path} is no folder of a training run: {path / 'run.json'} cannot be read"
        ) from None
    _read_game(facts["description"])
    return dict(facts)


def _read_game(description: dict[str, Any]) -> None:
    """Put the game that has the rules of the run today in place of the one that had them then."""
    spec = str(description["game"])
    name = spec.partition(":")[0]
    description["game"] = recorded_spec(spec, f"{name}_v{description.get('game_version')}")
    if description["game"] != spec:
        description["game_version"] = rules_type(name).declaration.version


def read_metrics(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a run's metrics, in the order written; lines that are none are left out."""
    metrics = path / METRICS
    if not metrics.exists():
        return
    for line in metrics.read_text(encoding="utf-8", errors="replace").splitlines():
        with contextlib.suppress(ValueError, RecursionError):
            row = json.loads(line)
            if isinstance(row, dict) and type(row.get("step")) is int and "kind" in row:
                yield row


def _append(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write("".join(json.dumps(row) + "\n" for row in rows))
    except OSError as error:
        raise TrainingError(f"{path} could not be written: {error.strerror}") from error


def _as_json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
