"""Whether plyground works without extras: the core alone, and without each extra in turn.

The extra's folder, its tests and its lines in ``pyproject.toml`` are removed from a copy of the
repository, which is installed into a separate folder. There the command line lists games and
agents, agents play a tournament with a report, and a game is learned; for the core alone, tests run
too::

    make without-extras             # the core alone, in CI
    make without-extras EACH=--each # without each in turn, a line each
    make without-extras EACH="--each ray hub" # without each of these in turn
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

import cyclopts

ROOT = Path(__file__).resolve().parents[2]
# the tests to run without extras
TESTS = (
    "envs",
    "agents/test_mcts.py",
    "agents/test_random_graphs.py",
    "agents/solvers/test_connect_four.py",
    "evaluation/test_schedule.py",
    "evaluation/test_ratings.py",
)
# An installation of the checkout would replace the missing parts.
NO_CHECKOUT = """
import sys

sys.meta_path[:] = [each for each in sys.meta_path if "editable" not in each.__module__]
"""
CARD = """
import plyground
from plyground.envs import connect_four_v0

env = connect_four_v0.env()
env.reset(seed=1)
specs = dict(zip(env.possible_agents, ("alphabeta:depth=2", "mcts:simulations=50")))
agents = {name: plyground.make_agent(spec, "connect_four") for name, spec in specs.items()}
for name in env.agent_iter():
    observation, _, terminated, truncated, info = env.last()
    done = terminated or truncated
    env.step(None if done else agents[name](observation, info))
"""


def extras() -> list[str]:
    """The extras; each game is one extra."""
    folders = [path for path in (ROOT / "extras").iterdir() if (path / "__init__.py").is_file()]
    games = [f"games/{name}" for name in games_of(".")]
    return sorted([*(path.name for path in folders if path.name != "games"), *games])


def games_of(removed: Sequence[str]) -> list[str]:
    """The games of some extras; "." stands for all extras."""
    names = sorted(path.parent.name for path in (ROOT / "extras/games").glob("*/rules.py"))
    return [name for name in names if "." in removed or f"games/{name}" in removed]


def check_without(removed: Sequence[str], tests: Sequence[str]) -> None:
    """Remove extras from a copy, install it and use it; CalledProcessError if it fails.

    Args:
        removed: the extras; "." stands for all.
        tests: folders and files of tests to run afterwards, without cases of removed games and of
            commands.
    """
    with tempfile.TemporaryDirectory() as place:
        copy, target = Path(place) / "core_alone", Path(place) / "installed"
        names = subprocess.run(
            ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=True
        ).stdout
        for name in filter(None, names.split("\0")):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
        before = _entries(copy)
        project = (copy / "pyproject.toml").read_text(encoding="utf-8")
        for extra in removed:
            shutil.rmtree(copy / "extras" / extra)
            shutil.rmtree(copy / "tests" / "extras" / extra, ignore_errors=True)
            module = ".".join(["plyground.extras", *extra.strip(".").split("/")]).strip(".")
            project = re.sub(rf'.*"{re.escape(module)}\b.*\n', "", project)
        (copy / "pyproject.toml").write_text(project, encoding="utf-8")
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        subprocess.run([*install, "--target", str(target), str(copy)], check=True)
        # the checkout is installed too; the first match on the path counts
        (target / "sitecustomize.py").write_text(NO_CHECKOUT, encoding="utf-8")
        environment = os.environ | {"PYTHONPATH": str(target)}
        for extra in removed:
            name = f"plyground.extras.{extra.replace('/', '.')}".rstrip(".")
            question = f"import importlib.util as u; raise SystemExit(bool(u.find_spec({name!r})))"
            subprocess.run([sys.executable, "-c", question], env=environment, check=True)
        store = str(Path(place) / "games.db")
        players = ("random", "minimax:depth=2", "alphabeta:depth=4", "zoo:connect_four")
        run = str(Path(place) / "run")
        for words in (
            ("--help",),
            ("games",),
            ("agents",),
            ("zoo",),
            ("tournament", "connect_four", *players, "--pairs", "2", "--store", store),
            ("report", store),
            ("train", "ppo", "tic_tac_toe", "--out", run, "--steps", "2000"),
        ):
            command = [sys.executable, "-m", "plyground.cli", *words]
            subprocess.run(command, cwd=place, env=environment, check=True, capture_output=True)
        subprocess.run([sys.executable, "-c", CARD], cwd=place, env=environment, check=True)
        if tests:
            paths = [str(copy / "tests" / path) for path in tests]
            absent = [*games_of(removed), *before - _entries(copy)]
            environment["PLYGROUND_ABSENT"] = " ".join(absent)
            command = [sys.executable, "-m", "pytest", "-q", "-c", str(copy / "pyproject.toml")]
            command += ["--numprocesses", "2", "--dist", "loadfile"]
            subprocess.run([*command, *paths], cwd=copy, env=environment, check=True)


def _entries(copy: Path) -> set[str]:
    """The one-word commands and the export file endings of a copy."""
    project = tomllib.loads((copy / "pyproject.toml").read_text(encoding="utf-8"))
    commands = project["project"]["entry-points"].get("plyground.commands", ())
    plugins = copy / "extras" / "plugins.py"
    text = plugins.read_text(encoding="utf-8") if plugins.exists() else ""
    exports = re.findall(r'\(EXPORTS, "(\w+)", "(\w+)', text)
    endings = (ending for ending, extra in exports if (copy / "extras" / extra).exists())
    return {name for name in (*commands, *endings) if " " not in name}


def main(*chosen: str, each: bool = False) -> None:
    """Check the core alone, or the package without each extra.

    Args:
        chosen: with --each, the extras to remove in turn
        each: remove one extra at a time
    """
    if not each:
        check_without(["."], TESTS)
        print("the core alone works")
        return
    for extra in chosen or extras():
        check_without([extra], ())
        print(f"works without {extra}", flush=True)


if __name__ == "__main__":
    try:
        cyclopts.run(main)
    except subprocess.CalledProcessError as error:
        print((error.stderr or b"").decode(errors="replace"), file=sys.stderr)
        sys.exit(f"failed: {error.cmd}")
