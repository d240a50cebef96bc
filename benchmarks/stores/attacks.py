"""Attacks on the files that plyground reads: the cache, a run, a dataset, a store, a policy.

    python benchmarks/stores/attacks.py               # damage them, each in its way

After each attack a command must repair the file or refuse it in a sentence that names it, without a
forfeited game or a traceback. The script prints a line for each attack; the exit status is 1 if one
fails.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import cyclopts

GAME = "tic_tac_toe"
TRAIN = f"train ppo {GAME} --out run --steps 128 --seed 1 --opponent random --evaluate random "
TRAIN += "--set games=4 --set rollout=8 --set batch_size=16 --set evaluation_pairs=1"
MORE, LONGER = TRAIN.replace("128", "192"), TRAIN.replace("128", "256")
STUDY = f"train supervised {GAME} --data data.npz --out taught --set steps=4"
PLAY = f"tournament {GAME} greedy random --pairs 3 --store games.db"
MAKE = (
    f"tournament {GAME} greedy random --pairs 2 --store games.db",
    f"dataset {GAME} --positions 40 --out data.npz",
    f"book {GAME} --plies 1 --agent greedy --out first.book",
    TRAIN,
    MORE,  # a second checkpoint
)
REFUSED, HEALED = 2, 0


class Way(NamedTuple):
    """A way to damage files, and the expected outcome.

    Attributes:
        what: the damage in words.
        files: the pattern of the files in the folder; the error must name the last one.
        damage: the function that changes them.
        words: the command that reads them next.
        status: its expected exit status.
    """

    what: str
    files: str
    damage: Callable[[list[Path]], None]
    words: str
    status: int = REFUSED


def cut(paths: list[Path]) -> None:
    """Leave the first 60 bytes."""
    for path in paths:
        path.write_bytes(path.read_bytes()[:60])


def halve(paths: list[Path]) -> None:
    """Leave the first half."""
    for path in paths:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(paths: list[Path]) -> None:
    """Change bits in every kilobyte."""
    for path in paths:
        content, rng = bytearray(path.read_bytes()), random.Random(path.name)
        for begin in range(0, len(content), 1024):
            place = rng.randrange(begin, min(begin + 1024, len(content)))
            content[place] ^= 1 << rng.randrange(8)
        path.write_bytes(content)


def replace(paths: list[Path]) -> None:
    """Replace the content by a text."""
    for path in paths:
        path.write_text("This is something else.\n", encoding="utf-8")


def wipe(paths: list[Path]) -> None:
    """Replace the content by zeros."""
    for path in paths:
        path.write_bytes(bytes(path.stat().st_size))


def rotate(paths: list[Path]) -> None:
    """Give each file the content of the next."""
    contents = [path.read_bytes() for path in paths]
    for path, content in zip(paths, contents[1:] + contents[:1]):
        path.write_bytes(content)


def block(paths: list[Path]) -> None:
    """Replace the folder by a file."""
    shutil.rmtree(paths[0].parent)
    paths[0].parent.write_text("in the way\n", encoding="utf-8")


def edit(before: str, after: str) -> Callable[[list[Path]], None]:
    """Replace a text by another, once in each file."""

    def damage(paths: list[Path]) -> None:
        for path in paths:
            text = path.read_text(encoding="utf-8")
            assert before in text, f"{path} does not hold {before!r}"
            path.write_text(text.replace(before, after, 1), encoding="utf-8")

    return damage


def not_finite(paths: list[Path]) -> None:
    """Make the weights of a policy file infinite."""
    import numpy as np
    import onnx

    model = onnx.load(str(paths[0]))
    for tensor in model.graph.initializer:
        array = onnx.numpy_helper.to_array(tensor)
        if array.dtype == np.float32:
            tensor.CopyFrom(onnx.numpy_helper.from_array(np.full_like(array, np.inf), tensor.name))
    onnx.save(model, str(paths[0]))


FOLLOW = f"tournament {GAME} policy:run random --pairs 1 --store new.db"
READ = f"tournament {GAME} alphabeta:depth=1,book=first.book random --pairs 1 --store new.db"
CACHE_WAYS = (
    Way("the indexes are cut", "cache/**/*.nbi", cut, PLAY, HEALED),
    Way("the code is cut", "cache/**/*.nbc", cut, PLAY, HEALED),
    Way("bits of the code are changed", "cache/**/*.nbc", flip, PLAY, HEALED),
    Way("functions have the code of others", "cache/**/*.nbc", rotate, PLAY, HEALED),
    Way("all files are texts", "cache/**/*.nb?", replace, PLAY, HEALED),
    Way("a file stands where the folder was", "cache/*", block, PLAY, HEALED),
)
WAYS = (
    Way("a run's description is cut", "run/run.json", cut, LONGER),
    Way("a run's description is a text", "run/run.json", replace, "curves run"),
    Way("a run's description is zeros", "run/run.json", wipe, LONGER),
    Way("a run's metrics are zeros", "run/metrics.jsonl", wipe, "curves run"),
    Way(
        "a run's metrics lack a score",
        "run/metrics.jsonl",
        edit('"score"', '"scare"'),
        "curves run",
    ),
    Way("a run's newest checkpoint is cut", "run/checkpoints/*192*", cut, LONGER, HEALED),
    Way("bits of all checkpoints are changed", "run/checkpoints/*", flip, LONGER),
    Way("a run's policy is cut", "run/best.onnx", halve, FOLLOW),
    Way("a policy is zeros", "run/best.onnx", wipe, FOLLOW),
    Way("a policy's weights are infinite", "run/best.onnx", not_finite, FOLLOW),
    Way("a dataset is cut", "data.npz", halve, STUDY),
    Way("a dataset is a text", "data.npz", replace, STUDY),
    Way("bits of a dataset are changed", "data.npz", flip, STUDY),
    Way("a store is cut", "games.db", halve, PLAY),
    Way("a store is a text", "games.db", replace, PLAY),
    Way("a store is zeros", "games.db", wipe, PLAY),
    Way("bits of a store are changed", "games.db", flip, "report games.db"),
    Way("a book's moves are changed", "first.book", edit('"best": {"', '"best": {"x'), READ),
)


def complaint(way: Way, folder: Path, status: int, errors: str, name: str) -> str | None:
    """The error in the outcome of a way, or None."""
    if "Traceback" in errors or "internal error" in errors:
        return f"a trace or an unexpected error: {errors[-400:]}"
    if status != way.status:
        return f"status {status}, not {way.status}: {errors[-400:]}"
    if name not in " ".join(errors.split()):
        return f"{name} is not named: {errors[-400:]}"
    for store in folder.glob("*.db") if status == HEALED else ():
        with contextlib.closing(sqlite3.connect(store)) as connection:
            (faults,) = connection.execute(
                "SELECT count(*) FROM games WHERE fault IS NOT NULL"
            ).fetchone()
        if faults:
            return f"{faults} games were forfeited"
    return None


def run_here(words: str, folder: Path) -> tuple[int, str]:
    """Exit status and standard error of a command run in this process, in a folder."""
    from plyground.commands.app import run

    output, errors = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(errors),
    ):
        status = run(words.split())
    return status, errors.getvalue()


def run_apart(words: str, folder: Path) -> tuple[int, str]:
    """The same in a separate process, with the cache of the folder."""
    process = subprocess.run(
        [sys.executable, "-m", "plyground.cli", *words.split()],
        cwd=folder,
        env=os.environ | {"PLYGROUND_CACHE": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    return process.returncode, process.stderr


def make(folder: Path, commands: Iterable[str] = MAKE) -> None:
    """Create the files to damage, except the cache."""
    for words in commands:
        status, errors = run_here(words, folder)
        assert status == 0, f"{words}: {errors}"


def apply(way: Way, whole: Path, folder: Path) -> str | None:
    """Damage a copy of the sound files; returns the error in the outcome, or None."""
    shutil.copytree(whole, folder)
    paths, in_cache = sorted(folder.glob(way.files)), way in CACHE_WAYS
    way.damage(paths)
    name = str(folder / "cache") if in_cache else str(paths[-1].relative_to(folder))
    status, errors = (run_apart if in_cache else run_here)(way.words, folder)
    wrong = complaint(way, folder, status, errors, name)
    if wrong is None and in_cache and way.damage is not block:
        status, errors = run_apart(way.words.replace("games.db", "again.db"), folder)
        wrong = complaint(way, folder, status, errors, "")
        if wrong is None and "machine code" in errors:
            wrong = f"it is not healed: {errors[-400:]}"
    return wrong


def main() -> int:
    """Apply all ways; returns the exit status."""
    right = True
    with tempfile.TemporaryDirectory() as temporary:
        whole = Path(temporary) / "whole"
        whole.mkdir()
        make(whole)
        warm = Path(temporary) / "warm"
        warm.mkdir()
        status, errors = run_apart(PLAY, warm)
        assert status == 0, errors
        (warm / "games.db").unlink()
        for number, way in enumerate((*CACHE_WAYS, *WAYS)):
            source = warm if way in CACHE_WAYS else whole
            wrong = apply(way, source, Path(temporary) / str(number))
            print(f"{way.files}: {way.what}: {wrong or 'as it should be'}", flush=True)
            right = right and wrong is None
    return 0 if right else 1


if __name__ == "__main__":
    cyclopts.run(main)
