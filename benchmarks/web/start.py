"""How soon after its start the server shows the first page, a game, and an agent's first move.

    python benchmarks/web/start.py

Times are those on the wall, and in brackets those of the processors, of the server and all its
processes together: on a machine with other work only these say much. Everything is compiled before
(``plyground warm-up``): a first start, which is not measured, sees to it.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time

import httpx
import psutil

PATIENCE = 600.0  # seconds for an answer, on a machine that has other work


def processor_seconds(process: psutil.Process) -> float:
    """What the process and its children have used, those that have ended included."""
    found = [process, *process.children(recursive=True)]
    return sum(sum(each.cpu_times()[:4]) if each is process else sum(each.cpu_times()[:2])
               for each in found)  # fmt: skip


def started(game: str, agent: str) -> list[tuple[str, float, float]]:
    """The stages of one start: what is reached, after how many seconds, of how many processors."""
    began, stages = time.perf_counter(), []
    words = [sys.executable, "-m", "plyground.cli", "web", "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        server = psutil.Process(process.pid)

        def reached(what: str) -> None:
            seconds = time.perf_counter() - began
            stages.append((what, seconds, processor_seconds(server)))

        try:
            address = re.search(r"http://[\w.:]+", process.stdout.readline())[0]
            reached("the address is told")
            with httpx.Client(base_url=address, timeout=PATIENCE) as client:
                client.get("/").raise_for_status()
                reached("the first page")
                client.get("/play", params={"game": game}).raise_for_status()
                reached("a game")
                asked = {"game": game, "agent": agent}
                client.get("/api/think", params=asked).raise_for_status()
                reached("the agent's first move")
        finally:
            process.terminate()
    return stages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="gomoku:size=10,rule=caro")
    parser.add_argument("--agent", default="caro10_alphabeta")
    parser.add_argument("--starts", type=int, default=3)
    args = parser.parse_args()
    started(args.game, args.agent)
    runs = [started(args.game, args.agent) for _ in range(args.starts)]
    for stage in zip(*runs):
        wall, busy = (min(numbers) for numbers in list(zip(*stage))[1:])
        print(f"{stage[0][0]:24} {wall:6.2f} s  ({busy:.2f} s)")


if __name__ == "__main__":
    main()
