"""Files of every kind that plyground reads, damaged in every way, and the commands that read them.

``cd tests && python -m fuzzing.damaged_files 1000`` tries so many cases and counts them by kind of
file; tests/commands/test_damaged_files.py tries some of them in every run. A case is known by its
number.
A command must succeed, or refuse in one sentence with status 2. A file that was there is never
lost: where a command refuses, every file is as it was; where it succeeds, files have only grown.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import random
import re
import shutil
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from command_line import Result
from plyground.agents.policies import zoo

from fuzzing.cases import VALUES, Case, Playground, try_cases
from fuzzing.sound_files import (
    BOOK,
    CARD,
    DATASET,
    PACKAGED,
    PROOF,
    SETTINGS,
    STEPS,
    copy_sound,
    training,
)

CHECKSUM = hashlib.sha256().digest_size
MAGIC = b"plyground checkpoint 1\n"
NUMBERS = (-1, 0, 1, 2, 0.5, -0.5, 2**31, 2**63, 10**30, 1e308, float("nan"), float("inf"))
OTHERS = (None, True, False, "", "x", "3", "zoo:nothing", [], [1], {}, {"x": 1}, [[[]]], "\ud800")
USED = ("algorithm", "game", "seed", "steps", "hours", "evaluate", "evaluation_pairs", "opponent")
KINDS = (
    *("run.json", "checkpoint", "emptied", "window", "metrics", "dataset", "parts of a dataset"),
    *("book", "TOML", "card", "proof"),
)


class FileCase(Case):
    """A copy of the sound files, of which one is damaged, and a command line that reads it."""

    def __init__(self, number: int, folder: Path, sound: Path) -> None:
        self.draw, self.folder, self._sound = random.Random(number), folder, sound
        makers = (
            *(self.description, self.checkpoint, self.emptied, self.window, self.metrics),
            *(self.dataset, self.parts, self.book, self.toml, self.card, self.proof),
        )
        self.kind, make = list(zip(KINDS, makers, strict=True))[number % len(KINDS)]
        self.words = make()
        self._before = {path: path.read_bytes() for path in self._files()}

    def take(self, *names: str) -> None:
        """Copy sound files or folders into the case's folder; what is asked for first is made."""
        copy_sound(self._sound, self.folder, *names)

    def _files(self) -> list[Path]:
        return [path for path in self.folder.rglob("*") if path.is_file()]

    # -- kinds of files --

    def description(self) -> list[str]:
        run = self.run()
        path, other = (self.folder / each / "run.json" for each in (run, f"{run}_other"))
        if self.draw.random() < 0.5:  # what commands use beside comparing it
            facts = json.loads(path.read_text())
            name = self.draw.choice([name for name in USED if name in facts["description"]])
            facts["description"][name] = self.altered(facts["description"][name])
            path.write_bytes(dump(facts))
        else:
            self.damage_json(path, other)
        return self.reading_a_run(run)

    def checkpoint(self) -> list[str]:
        run = self.run()
        path = max((self.folder / run).glob("checkpoints/*"))
        other = max((self.folder / f"{run}_other").glob("checkpoints/*"))
        self.damage(path, self.checkpoint_content, other)
        return self.reading_a_run(run)

    def emptied(self) -> list[str]:
        """Files of a run are gone."""
        run = self.run()
        folder = self.folder / run
        gone = self.draw.choice(("checkpoints/*", "checkpoints", "run.json", "metrics.jsonl"))
        for path in [*folder.glob(gone)]:
            if path.is_dir():
                shutil.rmtree(path)
            elif self.draw.random() < 0.5:
                path.unlink()
            else:
                path.write_bytes(b"")
        return self.reading_a_run(run)

    def window(self) -> list[str]:
        self.take("alphazero", "alphazero_other")
        files = sorted((self.folder / "alphazero" / "window").iterdir())
        others = sorted((self.folder / "alphazero_other" / "window").iterdir())
        self.damage(self.draw.choice(files), self.chunk_content, self.draw.choice(others))
        return self.reading_a_run("alphazero")

    def metrics(self) -> list[str]:
        run = self.run()
        path, other = (self.folder / each / "metrics.jsonl" for each in (run, f"{run}_other"))
        self.damage(path, self.lines_content, other)
        return self.reading_a_run(run)

    def dataset(self) -> list[str]:
        name = self.draw.choice(("plain.npz", "plain.npz", "plain.parquet"))
        self.take(*dict.fromkeys(("plain.npz", "supervised", "other.npz", name)))
        path = self.folder / name
        content = self.npz_content if name == "plain.npz" else self.parquet_content
        self.damage(path, content, self.folder / "other.npz")
        words = training("supervised", self.draw.choice(("supervised", "new")))
        return [name if word == "plain.npz" else word for word in words]

    def parts(self) -> list[str]:
        self.take("parts.npz.parts", "other.npz")
        path = self.draw.choice(sorted((self.folder / "parts.npz.parts").iterdir()))
        if path.suffix == ".json":
            self.damage_json(path, self.folder / "other.npz")
        else:
            self.damage(path, self.npz_content, self.folder / "other.npz")
        return DATASET

    def book(self) -> list[str]:
        self.take("plain.book", "other.book")
        path = self.folder / "plain.book"
        self.damage(path, self.book_content, self.folder / "other.book")
        return BOOK

    def toml(self) -> list[str]:
        self.take("plain.toml", "plain.book")
        path = self.folder / "plain.toml"
        self.damage(path, self.toml_content, self.folder / "plain.book")
        return ["tournament", "plain.toml", "--store", "new.db"]

    def card(self) -> list[str]:
        """A model card or the table of boards, among those of the package."""
        self.take("networks")
        name = self.draw.choice((CARD, "boards.json"))
        path = self.folder / "networks" / name
        other = {"boards.json": CARD}.get(name, "boards.json")
        self.damage_json(path, self.folder / "networks" / other)
        return self.draw.choice(
            (["zoo"], ["match", "tic_tac_toe", "zoo:tic_tac_toe", "random", "--seed", "1"])
        )

    def proof(self) -> list[str]:
        self.take("proof", "other.book")
        path = self.draw.choice(sorted((self.folder / "proof").iterdir()))
        self.damage(path, self.lines_content, self.folder / "other.book")
        return [*PROOF, *self.draw.choice(([], ["--check", "2"]))]

    def run(self) -> str:
        """The folder of a run of any algorithm; that of another one lies beside it."""
        run = self.draw.choice(tuple(SETTINGS))
        if run == "supervised":
            self.take("plain.npz")
        self.take(run, f"{run}_other")
        return run

    def reading_a_run(self, run: str) -> list[str]:
        longer = training(run, run, steps=2 * STEPS[run])
        first = [*training(run, "new"), "--set", f"initial={run}"]
        return self.draw.choice(
            (
                *(training(run, run), training(run, run), longer, ["curves", run]),
                *(
                    ["ladder", run, "--pairs", "1"],
                    ["curves", run] if run == "supervised" else first,
                ),
            )
        )

    # -- damages --

    def damage(self, path: Path, content: Callable[[bytes], bytes], other: Path) -> None:
        """Damage a file by its content, by its bytes, or as a whole."""
        data = path.read_bytes()
        kind = self.draw.randrange(20)
        if kind < 11:
            path.write_bytes(content(data))
        elif kind < 14:
            path.write_bytes(self.mutate(data))
        elif kind == 14:
            path.write_bytes(data[: self.draw.randrange(len(data) + 1)])
        elif kind == 15:
            path.write_bytes(b"\xef\xbb\xbf" + data)
        elif kind == 16:
            path.write_bytes(self.draw.choice((b"", b"\n", b"\0" * 100, self.draw.randbytes(99))))
        elif kind == 17:
            path.unlink()
            if self.draw.random() < 0.5:
                path.mkdir()
        else:
            shutil.copy(other, path)

    def damage_json(self, path: Path, other: Path) -> None:
        self.damage(path, lambda data: dump(self.altered(json.loads(data))), other)

    def altered(self, value: Any) -> Any:
        """A value of which one part is of another type or size, gone, added or doubled."""
        draw = self.draw
        is_container = isinstance(value, dict | list) and len(value) > 0
        if not is_container or draw.random() < 0.1:
            return draw.choice((*NUMBERS, *OTHERS, *VALUES[:12]))
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        key, kind = draw.choice(keys), draw.randrange(10)
        value = value.copy()
        if kind == 0:
            del value[key]
        elif kind == 1 and isinstance(value, dict):
            value[draw.choice(("x", "", "\x1b[31m", "steps", "version"))] = value[key]
        elif kind == 1:
            value.insert(key, draw.choice(OTHERS))
        elif kind == 2:
            value[key] = value[draw.choice(keys)]
        else:
            value[key] = self.altered(value[key])
        return value

    def lines_content(self, data: bytes) -> bytes:
        lines = data.splitlines()
        if not lines:
            return b"x"
        number, kind = self.draw.randrange(len(lines)), self.draw.randrange(8)
        if kind == 0:
            del lines[number]
        elif kind == 1:
            lines.insert(number, self.draw.choice(lines))
        elif kind == 2:
            lines[number] = lines[number][: len(lines[number]) // 2]
        else:
            with contextlib.suppress(ValueError):
                lines[number] = dump(self.altered(json.loads(lines[number])))
        return b"\n".join(lines) + b"\n"

    def book_content(self, data: bytes) -> bytes:
        """Header or positions changed, and the checksum made right again."""
        first, _, body = data.partition(b"\n")
        header = json.loads(first)
        if self.draw.random() < 0.5:
            header = self.altered(header)
        else:
            body = self.lines_content(body)
            header["sha256"] = hashlib.sha256(body).hexdigest()
        return dump(header) + b"\n" + body

    def toml_content(self, data: bytes) -> bytes:
        content = tomllib.loads(data.decode())
        content = self.altered(content)
        if not isinstance(content, dict):
            return data
        tables = content.pop("tournament", [])
        lines = [f"{name} = {toml_value(value)}" for name, value in content.items()]
        for table in tables if isinstance(tables, list) else []:
            lines.append("[[tournament]]")
            if isinstance(table, dict):
                lines += [f"{name or 'x'} = {toml_value(value)}" for name, value in table.items()]
        return "\n".join(lines).encode(errors="replace")

    def checkpoint_content(self, data: bytes) -> bytes:
        """The state changed, and the checksum made right again."""
        import torch

        payload = data[len(MAGIC) + CHECKSUM :]
        state = torch.load(io.BytesIO(payload), weights_only=True)
        buffer = io.BytesIO()
        torch.save(self.altered(state), buffer)
        payload = self.draw.choice((*[buffer.getvalue()] * 4, self.mutate(payload)))
        return MAGIC + hashlib.sha256(payload).digest() + payload

    def chunk_content(self, data: bytes) -> bytes:
        payload = self.npz_content(data[CHECKSUM:])
        return hashlib.sha256(payload).digest() + payload

    def npz_content(self, data: bytes) -> bytes:
        """A column gone, added, of another type or shape, or with other numbers."""
        with np.load(io.BytesIO(data)) as file:
            arrays = dict(file)
        if "plyground" in arrays and self.draw.random() < 0.4:
            text = dump(self.altered(json.loads(str(arrays["plyground"])))).decode()
            arrays["plyground"] = np.array(text)
        else:
            arrays = self.altered_arrays(arrays)
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        return buffer.getvalue()

    def parquet_content(self, data: bytes) -> bytes:
        import pyarrow as pa
        import pyarrow.parquet

        table = pa.parquet.read_table(io.BytesIO(data))
        metadata = dict(table.schema.metadata)
        name, kind = self.draw.choice(table.column_names), self.draw.randrange(4)
        if kind == 0:
            table = table.drop_columns([name])
        elif kind == 1:
            values = [self.draw.choice((None, 1, -5)) for _ in range(table.num_rows)]
            place = table.column_names.index(name)
            table = table.set_column(place, name, pa.array(values, pa.int64()))
        elif kind == 2:
            table = table.slice(0, self.draw.choice((0, 1, 2)))
        else:
            text = dump(self.altered(json.loads(metadata[b"plyground"])))
            metadata[b"plyground"] = text
        buffer = io.BytesIO()
        pa.parquet.write_table(table.replace_schema_metadata(metadata), buffer)
        return buffer.getvalue()

    def altered_arrays(self, arrays: dict[str, Any]) -> dict[str, Any]:
        draw = self.draw
        name, kind = draw.choice(sorted(arrays)), draw.randrange(6)
        array = arrays[name]
        if kind == 0:
            del arrays[name]
        elif kind == 1:
            arrays[draw.choice(("x", "keys", "moves"))] = array
        elif kind == 2:
            arrays[name] = array.astype(draw.choice((np.float64, np.int64, np.bool_, "U9")))
        elif kind == 3:
            arrays[name] = array[: draw.choice((0, 1, len(array) // 2))] if array.ndim else array
        elif kind == 4:
            arrays[name] = array.reshape(draw.choice(((-1,), (1, -1), (-1, 1))))
        elif array.dtype.kind in "iuf" and array.size:
            array = array.copy()
            greatest = np.nan if array.dtype.kind == "f" else np.iinfo(array.dtype).max
            array.reshape(-1)[draw.randrange(array.size)] = greatest
            arrays[name] = array
        return arrays

    # -- what must hold --

    def complaint(self, result: Result) -> str | None:
        resumed = re.search(r"resumed at step ([\d,]+)", result.stderr)
        step = int(resumed[1].replace(",", "")) if resumed else None
        for path, before in self._before.items():
            name = path.relative_to(self.folder).as_posix()
            after = path.read_bytes() if path.is_file() else None
            if after != before and not self._may_be(name, before, after, result.exit_code, step):
                what = "lost" if after is None else "changed"
                return f"{name} is {what} (status {result.exit_code}): {result.stderr[-300:]}"
        return None

    def _may_be(
        self, name: str, before: bytes, after: bytes | None, status: int, step: int | None
    ) -> bool:
        """Whether a file may have another content after the command, or be gone.

        A run that goes on from a step, an older checkpoint's perhaps, plays what came later again.
        """
        if name.endswith("metrics.jsonl") and after is not None:
            whole = before[: before.rfind(b"\n") + 1]  # what was cut off is no line
            kept = [line for line in whole.splitlines() if step is None or step_of(line) <= step]
            return (status == 0 or step is not None) and after.splitlines()[: len(kept)] == kept
        if step is not None:
            parts = Path(name).parts
            replaced = ("checkpoints", "window", "snapshots")
            return after is not None or (len(parts) == 3 and parts[1] in replaced)
        if status == 0:
            grows = name.endswith(("ladder.db", "proof/table"))
            return name.startswith("parts.npz.parts") or (grows and after is not None)
        return False


def step_of(line: bytes) -> float:
    """The step of a line of metrics; of what is no row that of the run's beginning."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return 0
    return row["step"] if isinstance(row, dict) and isinstance(row.get("step"), int) else 0


def dump(value: Any) -> bytes:
    return json.dumps(value).encode(errors="surrogatepass")


def toml_value(value: Any) -> str:
    if isinstance(value, float) and value != value:
        return "nan"
    text = "{}" if isinstance(value, dict) else json.dumps(value)
    return {"null": "1979-05-27", "Infinity": "inf"}.get(text, text)


class FilePlayground(Playground):
    """A folder for cases, with sound files to start from."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.sound = folder / "sound"
        self.sound.mkdir()

    def make(self, number: int, folder: Path) -> FileCase:
        case = FileCase(number, folder, self.sound)
        if case.kind == "card":  # the package's own files are not to be damaged
            _read_networks_of(folder / "networks")
        return case

    def complaint(self, number: int) -> str | None:
        try:
            return super().complaint(number)
        finally:
            _read_networks_of(PACKAGED)


def _read_networks_of(folder: Path) -> None:
    zoo.FOLDER, zoo.BOARDS = folder, folder / "boards.json"
    for cached in (zoo.cards, zoo.boards, zoo._load, zoo._playing):
        cached.cache_clear()


if __name__ == "__main__":
    try_cases(FilePlayground, sys.argv[1:])
