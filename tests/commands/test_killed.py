"""What is left of a command that is killed: nothing that runs, and nothing in its own way."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import httpx
import psutil
import pytest

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(os.name != "posix", reason="worker processes need POSIX"),
]

BEGIN_SECONDS = 240  # for loading and compiling, on a machine that has other work
END_SECONDS = 10
PPO = "train ppo tic_tac_toe --opponent random --evaluate random --log none --steps 100M"
SMALL = "--set games=32 --set rollout=8 --set batch_size=64 --set dense=32 --set evaluation_pairs=2"
# The command, and whether it starts processes; without, it does all in its own.
COMMANDS = {
    "seeds": (f"{PPO} --out runs --seeds 2 {SMALL}", True),
    "tune": (
        f"tune ppo tic_tac_toe --out sweep --trials 900 --steps 4k --evaluate random {SMALL} "
        "--set learning_rate=0.001..0.01",
        False,
    ),
    "tournament": (
        "tournament tic_tac_toe random mcts:simulations=800 --pairs 90000 --store games.db "
        "--runner processes --concurrency 2",
        True,
    ),
    "isolated": (
        "tournament tic_tac_toe random greedy --pairs 90000 --store games.db --isolate always",
        True,
    ),
    "alphazero": (
        "train alphazero tic_tac_toe --hours 5 --out az --concurrency 2 --evaluate random "
        "--set workers=2 --set games=8 --set simulations=8",
        True,
    ),
    "dataset": (
        "dataset connect_four --positions 40000 --plies 14-41 --out data.npz --concurrency 2",
        True,
    ),
}


def start(words, folder):
    return subprocess.Popen(
        [sys.executable, "-m", "plyground.cli", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=(folder / "errors.txt").open("w"),
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


def changed(folder) -> int:
    """When the newest file was written; locks say nothing."""
    files = [path for path in folder.rglob("*") if path.is_file() and ".lock" not in path.name]
    return max((path.stat().st_mtime_ns for path in files if path.name != "errors.txt"), default=0)


def kill(process) -> None:
    """Kill a command alone; all that it has started is gone soon."""
    children = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.communicate()
    assert psutil.wait_procs(children, END_SECONDS)[1] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_a_killed_command_leaves_no_process_and_goes_on(name, tmp_path):
    words, starts = COMMANDS[name]
    for _ in range(2):
        began, process = time.time_ns(), start(words.split(), tmp_path)
        until = time.monotonic() + BEGIN_SECONDS
        running = psutil.Process(process.pid)
        while changed(tmp_path) < began or (starts and not running.children()):
            assert process.poll() is None, (tmp_path / "errors.txt").read_text()
            assert time.monotonic() < until
            time.sleep(0.05)
        kill(process)


def test_killed_pages_leave_no_process_and_are_served_again(tmp_path):
    port = "0"
    for _ in range(2):
        words = f"web --port {port} --workers 2 --store games.db --no-warm-up".split()
        process = start(words, tmp_path)
        address = process.stdout.readline().split()[3]
        port = address.rpartition(":")[2]
        query = {"game": "gomoku", "agent": "alphabeta:time=10"}
        with httpx.stream("GET", f"{address}/api/think", params=query, timeout=120) as answer:
            next(line for line in answer.iter_lines() if line == "event: ready")
            kill(process)
