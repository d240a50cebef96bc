"""The size of the code: lines, public names, lines to read for a task, files on call paths.

``make measure`` prints every figure and its recorded value in ``measure.toml``, and fails if one is
higher: a higher figure needs a line in that file with the reason. ``--write`` records lower
figures.

Lines and names are counted in the sources. The lines to read for a task are its models, the files
that ``measure.toml`` names, and the public parts of their imports. Mechanisms with several kinds
are listed there, each kind with its reason; an entry that does not exist is an error. Call paths
are traced: the files of the package whose functions run during a game of a tournament, an update of
AlphaZero or a click. The package must be this checkout's.
"""

from __future__ import annotations

import ast
import contextlib
import subprocess
import sys
import tempfile
import threading
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cyclopts

ROOT = Path(__file__).resolve().parents[2]
RECORD = Path(__file__).with_name("measure.toml")
PRODUCT = ("agents", "commands", "envs", "evaluation", "training", "extras")


def product_files() -> list[Path]:
    """The Python files of the product in git, including stubs."""
    patterns = [f"{folder}/*.{ending}" for folder in PRODUCT for ending in ("py", "pyi")]
    command = ["git", "-C", str(ROOT), "ls-files", "--", *patterns]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return [ROOT / name for name in names]


def count_names(files: list[Path]) -> dict[str, int]:
    """The numbers of lines and of public top-level names."""
    classes: list[str] = []
    lines: Counter[str] = Counter()
    functions = 0
    for path in files:
        text = path.read_text(encoding="utf-8")
        lines[_part_of(path)] += text.count("\n")
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes.append(node.name)
            functions += isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    return {
        "lines of the product": lines.total(),
        **{f"lines of {part}": count for part, count in sorted(lines.items())},
        "public classes": len(classes),
        "public functions": functions,
        "public type names used twice": sum(count > 1 for count in Counter(classes).values()),
    }


def _part_of(path: Path) -> str:
    """The core, or the extra that a file belongs to."""
    folder, *inner = path.relative_to(ROOT).parts
    if folder != "extras" or len(inner) == 1:
        return "the core"
    return "/".join((folder, *inner[: 2 if inner[0] == "games" and len(inner) > 2 else 1]))


def listed(record: dict[str, Any]) -> dict[str, int]:
    """The lines to read for each task, and the number of kinds of each mechanism."""
    figures = {}
    for task, models in record["reading"].items():
        figures[f"lines to read, to {task}"] = len(lines_to_read(models))
    for mechanism, entries in record["kinds"].items():
        for entry in entries:
            _check_entry(entry)
        figures[f"kinds of {mechanism}"] = len(entries)
    return figures


def _check_entry(entry: str) -> None:
    """Refuse ``FILE``, or ``FILE:NAME`` for a class or function, if it does not exist."""
    name, _, definition = entry.partition(":")
    if definition and not _public_part(_file_of(name), definition):
        raise SystemExit(f"{RECORD.name} names {definition} of {name}, which does not exist")


def _file_of(name: str) -> Path:
    if not (ROOT / name).is_file():
        raise SystemExit(f"{RECORD.name} names {name}, which does not exist")
    return ROOT / name


def lines_to_read(models: list[str]) -> set[tuple[Path, int]]:
    """The number of lines of models and of the public parts of their imports."""
    lines: set[tuple[Path, int]] = set()
    for model in map(_file_of, models):
        lines |= {(model, number) for number, _ in enumerate(model.read_text().splitlines())}
        for path, name in _imports_of(model):
            lines |= _public_part(path, name)
    return lines


def _imports_of(path: Path) -> Iterator[tuple[Path, str]]:
    """The file and name of each import of a file from the package; a module has no name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        place = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
        for name in (each.name for each in node.names):
            if (place / f"{name}.py").is_file():
                yield place / f"{name}.py", ""
            elif place.is_dir():
                yield place / "__init__.py", name
            else:
                yield place.with_suffix(".py"), name


def _public_part(path: Path, name: str) -> set[tuple[Path, int]]:
    """The lines of a definition without private methods; without a name, of all public ones.

    A name that the module imports is looked up in its own module.
    """
    lines: set[tuple[Path, int]] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if not any(each == name or not (name or each[0] == "_") for each in _names_of(node)):
            continue
        lines |= _lines_of(path, node)
        for inner in node.body if isinstance(node, ast.ClassDef) else ():
            if any(each[0] == "_" and each[:2] != "__" for each in _names_of(inner)):
                lines -= _lines_of(path, inner)
    if not lines and name:
        where = [place for place, imported in _imports_of(path) if imported == name]
        return _public_part(where[0], name) if where else lines
    return lines


def _names_of(node: ast.stmt) -> list[str]:
    """The names that a statement defines."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [each.id for each in targets if isinstance(each, ast.Name)]


def _lines_of(path: Path, node: ast.stmt) -> set[tuple[Path, int]]:
    """The lines of a statement with its decorators, counted from 0."""
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    return {(path, line) for line in range(first - 1, node.end_lineno or node.lineno)}


class Trace:
    """The files of the package whose functions have run; SystemExit if it is another checkout."""

    def __init__(self) -> None:
        import plyground

        package = Path(plyground.__file__).resolve().parent
        if package != ROOT:
            raise SystemExit(
                f"plyground is imported from {package}, not from {ROOT}; install this "
                f"checkout, or run make measure"
            )
        self.files: set[str] = set()
        self._names: dict[str, str | None] = {}

    def __call__(self, frame: Any, event: str, argument: Any) -> None:
        """The trace function."""
        code = frame.f_code
        if event != "call" or code.co_name == "<module>":
            return
        path = code.co_filename
        if path not in self._names:
            resolved = Path(path).resolve()
            inside = (
                resolved.is_relative_to(ROOT) and resolved.relative_to(ROOT).parts[0] in PRODUCT
            )
            self._names[path] = resolved.relative_to(ROOT).as_posix() if inside else None
        name = self._names[path]
        if name is not None:
            self.files.add(name)


def files_of_a_game(isolation: str) -> set[str]:
    """The files on the call path of a game of a tournament, including its store."""
    from plyground.evaluation import Plan, Store, Tournament

    trace = Trace()
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "games.db") as store:
        plan = Plan("tic_tac_toe", ("alphabeta:depth=2", "greedy"), 2, isolate=isolation)
        tournament = Tournament(plan, store)
        count = 0

        def on_game(game: Any) -> None:
            nonlocal count
            count += 1
            sys.setprofile(trace if count == 1 else None)  # the second game

        tournament.run(on_game)
    return trace.files


def files_of_an_update() -> set[str]:
    """The files on the call path of an update of AlphaZero: self-play, learning, export."""
    from plyground.training import train

    trace, updates = Trace(), 0

    def on_progress(progress: Any) -> None:
        nonlocal updates
        updates += 1
        is_traced = updates == 2
        threading.setprofile(trace if is_traced else None)
        sys.setprofile(trace if is_traced else None)
        if updates == 3:
            raise _Enough

    small = {"channels": 8, "blocks": 1, "games": 16, "simulations": 4, "evaluations": 1}
    small["simulations_per_update"] = 2000
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(_Enough):
        train("alphazero", "tic_tac_toe", folder, on_progress=on_progress, **small)
    return trace.files


class _Enough(Exception):
    """Ends the run after its third update."""


def files_of_a_click() -> set[str]:
    """The files on the call path of a click on a board, from request to the opponent's reply."""
    from fastapi.testclient import TestClient
    from plyground.extras.web import settings
    from plyground.extras.web.app import make_app

    app = make_app(settings.ServerSettings(workers=1, no_warm_up=True))
    trace, game, agent = Trace(), "tic_tac_toe", "greedy"
    # The server's threads start with the first request, and are traced from then on.
    threading.setprofile(trace)
    with TestClient(app, base_url="http://127.0.0.1:8000") as client:
        for first in (True, False):  # the first click compiles and starts the opponent
            if not first:
                trace.files.clear()
            for answer in (
                client.post("/api/play", json={"game": game, "moves": [], "action": 4}),
                client.get("/api/think", params={"game": game, "moves": "b2", "agent": agent}),
            ):
                answer.raise_for_status()
    threading.setprofile(None)
    return trace.files


WAYS: dict[str, Callable[[], set[str]]] = {
    "a game of a tournament": lambda: files_of_a_game("never"),
    "a game of a tournament, isolated (its own process aside)": lambda: files_of_a_game("always"),
    "an update of AlphaZero": files_of_an_update,
    "a click": files_of_a_click,
}


def main(*, write: bool = False, list_files: bool = False) -> int:
    """Print all figures and their recorded values; exit status 1 if one is higher.

    Args:
        write: record lower and new figures.
        list_files: print the files of each call path.
    """
    record = tomllib.loads(RECORD.read_text(encoding="utf-8"))
    figures = count_names(product_files()) | listed(record)
    for name, way in WAYS.items():
        files = way()
        if not files:
            raise SystemExit(f"no file was seen on the way of {name}: nothing is measured")
        figures[f"files on the way of {name}"] = len(files)
        if list_files:
            print(f"{name}:", *sorted(files), sep="\n  ")
    limits: dict[str, int] = record["figures"]
    higher = [name for name, value in figures.items() if value > limits.get(name, -1)]
    width = max(map(len, figures))
    print(f"{'figure':{width}} {'now':>8} {'on record':>10}")
    for name, value in figures.items():
        note = "  higher: say why in measure.toml" if name in higher else ""
        print(f"{name:{width}} {value:8,} {limits.get(name, 0):10,}{note}")
    if write:
        lowest = {name: min(value, limits.get(name, value)) for name, value in figures.items()}
        lines = "".join(f'"{name}" = {value}\n' for name, value in lowest.items())
        head, rest = RECORD.read_text(encoding="utf-8").split("[figures]\n")
        RECORD.write_text(
            f"{head}[figures]\n{lines}\n{rest[rest.index('[reasons]') :]}", encoding="utf-8"
        )
    return int(bool(higher))


if __name__ == "__main__":
    app = cyclopts.App(default_command=main, help=__doc__)
    sys.exit(app())
