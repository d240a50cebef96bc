"""Several seeds of a training command in parallel: each runs the same command with one seed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from ...envs.loading.interruption import DelayedInterrupt
from ...envs.loading.packages import OWN
from ...envs.workers.children import ChildProcess, orphan_check
from ...training.folder import TrainingError
from ..app import Interruption, same_command, words_with
from ..output import note

POLL_SECONDS = 0.2  # between two checks for Ctrl-C


def train_seeds(folders: dict[int, Path], at_once: int) -> list[dict[str, Any]]:
    """Run the command line once for each seed; a stopped or finished seed is resumed.

    After Ctrl-C each of them writes a checkpoint.

    Args:
        folders: the folder of each seed's run.
        at_once: the number of seeds trained at the same time.

    Returns:
        The JSON output of each command.

    Raises:
        TrainingError: some runs failed; their messages were shown.
        Interruption: Ctrl-C.
    """
    note(f"{len(folders)} seeds, {min(at_once, len(folders))} at once")
    running: dict[int, ChildProcess] = {}
    commands = {seed: _command(seed, out) for seed, out in folders.items()}
    with DelayedInterrupt() as interrupt, ThreadPoolExecutor(at_once) as pool:
        runs = {seed: pool.submit(_train, seed, words, running) for seed, words in commands.items()}
        stopped: set[int] = set()
        try:
            while wait(runs.values(), POLL_SECONDS).not_done:
                if interrupt.came:
                    _stop(runs, running, stopped)
        except KeyboardInterrupt:  # pressed again
            for process in list(running.values()):
                process.kill_all()
            raise
    if interrupt.came:
        out = next(iter(folders.values())).parent
        text = f"stopped; the checkpoints are in {out}. To go on:\n  {same_command()}"
        raise Interruption(text)
    results = {seed: run.result() for seed, run in runs.items()}
    failures = [str(seed) for seed, result in results.items() if result is None]
    if failures:
        raise TrainingError(
            f"seed {', '.join(failures)}: the run did not finish; the reason is shown "
            f"above. The same command resumes it: {same_command()}"
        )
    return [result for result in results.values() if result]


def _stop(
    runs: dict[int, Future[Any]], running: dict[int, ChildProcess], stopped: set[int]
) -> None:
    """Start no further runs, and forward Ctrl-C to those that have not received it."""
    for run in runs.values():
        run.cancel()
    for seed, process in list(running.items()):
        if seed not in stopped:
            process.send_signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGINT)
            stopped.add(seed)


def _command(seed: int, out: Path) -> list[str]:
    words = words_with({"--seed": str(seed), "--out": str(out), "--seeds": None})
    start = f"{orphan_check()}; from {OWN}.cli import main; main()"
    return [sys.executable, "-c", start, *words, *([] if "--json" in words else ["--json"])]


def _train(
    seed: int, command: list[str], running: dict[int, ChildProcess]
) -> dict[str, Any] | None:
    """Train one seed; returns the JSON output of its command, None if it failed."""
    with ChildProcess(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        running[seed] = process
        assert process.stdout is not None
        assert process.stderr is not None
        for line in process.stderr:
            note(f"seed {seed}: {line.rstrip()}")
        written = process.stdout.read()
    del running[seed]
    return dict(json.loads(written)) if process.returncode == 0 else None
