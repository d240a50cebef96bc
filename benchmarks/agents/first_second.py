"""Processor seconds of a new process until its first answer, with machine code on disk.

    python benchmarks/agents/first_second.py [GAME]

Each program runs in separate processes, in turns; the first run compiles what is missing and does
not count. The script prints the median, and the median minus the import of numba. GAME defaults to
connect_four; PettingZoo's environment is shown too if it has the game.
"""

from __future__ import annotations

import importlib.util
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import cyclopts
import plyground

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from timing import print_table

TURNS = 7
NUMBA = "import numba"
STEP = """
env = {name}.env()
env.reset(seed=1)
env.step(int(env.last()[0]["action_mask"].argmax()))
"""
MOVE = """
import plyground
game = plyground.make_game({spec!r})
plyground.make_agent({agent!r}, game).act(game.initial_position())
"""
COMMAND = "import sys; sys.argv = {words!r}; from plyground.cli import main; main()"


def programs(game: plyground.Game, folder: str) -> dict[str, str]:
    """The measured programs by name."""
    name, spec = game.declaration.game_id, game.spec
    store = str(Path(folder) / "games.db")
    tournament = ["plyground", "tournament", spec, "random", "alphabeta:depth=4", "--store", store]
    things = {
        NUMBA: NUMBA,
        "env(), reset, step": f"from plyground.envs import {name}" + STEP.format(name=name),
        **{
            f"{agent}, a move": MOVE.format(spec=spec, agent=agent)
            for agent in ("random", "alphabeta:depth=8", "mcts:simulations=100", f"zoo:{game.name}")
        },
        "tournament of 20 games": COMMAND.format(words=tournament),
        "play, until the first move": COMMAND.format(words=["plyground", "play", spec]),
        "plyground --help": COMMAND.format(words=["plyground", "--help"]),
    }
    if importlib.util.find_spec(f"pettingzoo.classic.{game.name}_v3"):
        step = f"from pettingzoo.classic import {game.name}_v3 as peer" + STEP.format(name="peer")
        things["PettingZoo: env(), reset, step"] = step
    return things


def seconds(program: str, folder: str) -> float:
    """The processor time of a process that runs a program."""
    Path(folder, "games.db").unlink(missing_ok=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-c", program],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main(spec: str = "connect_four", /) -> None:
    """Print the cost of the first answer, with and without the import of numba.

    Args:
        spec: the game
    """
    game = plyground.make_game(spec)
    with tempfile.TemporaryDirectory() as folder:
        things = programs(game, folder)
        times: dict[str, list[float]] = {name: [] for name in things}
        for _ in range(TURNS + 1):
            for name, program in things.items():
                times[name].append(seconds(program, folder))
    medians = {name: statistics.median(each[1:]) for name, each in times.items()}
    rows = [
        (name, f"{median:.2f}", f"{median - medians[NUMBA]:.2f}")
        for name, median in medians.items()
    ]
    print_table(f"the first second at {game.spec}", ("", "s", "above numba"), rows)


if __name__ == "__main__":
    cyclopts.run(main)
