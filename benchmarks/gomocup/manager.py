"""plyground as an engine: games of a manager, its limits and its protocol.

``python benchmarks/gomocup/manager.py`` plays 200 games against ``plyground gomocup``, one process,
and prints how many answers were no answers of the protocol, how many came after the time was up,
and the memory used. ``--load 2`` keeps two processors busy meanwhile; ``--games 20`` plays less.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import statistics
import subprocess
import sys
import time

import psutil
from plyground import make_game

MIB = 1 << 20
BUSY = "while True: pass"
CELL = re.compile(r"\d+,\d+")
RULES = {0: "freestyle", 1: "standard", 8: "caro_overline", 9: "caro"}


class Manager:
    """A manager that starts the engine and keeps its clock.

    Args:
        milliseconds: the time for a move.
        words: arguments of the engine.
    """

    def __init__(self, milliseconds: int, words: list[str]) -> None:
        command = [sys.executable, "-m", "plyground.cli", "gomocup", *words]
        self.engine = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.milliseconds = milliseconds
        self.faults: list[str] = []
        self.seconds: list[float] = []
        self.memory = 0

    def send(self, *lines: str) -> None:
        for line in lines:
            self.engine.stdin.write(line + "\r\n")

    def answer(self) -> str:
        """The next line that is no remark."""
        while True:
            line = self.engine.stdout.readline()
            if not line:
                raise SystemExit("the engine has ended")
            if not line.startswith("MESSAGE"):
                return line.strip()

    def move(self, *lines: str) -> str:
        """A move of the engine, which is timed."""
        began = time.perf_counter()
        self.send(*lines)
        answer = self.answer()
        self.seconds.append(time.perf_counter() - began)
        return answer

    def play(self, number: int) -> str:
        """A game against random moves near the stones; returns how it ended."""
        rng, rule = random.Random(number), list(RULES)[number % len(RULES)]
        game = make_game(f"gomoku:rule={RULES[rule]}")
        self.send("START 15")
        if self.answer() != "OK":
            self.faults.append(f"game {number}: START was not answered by OK")
        self.send(f"INFO rule {rule}", f"INFO timeout_turn {self.milliseconds}")
        position = game.initial_position()
        lines = ["BEGIN"]
        if number % 3:
            lines = ["BOARD"]
            for ply, action in enumerate(rng.sample(range(game.facts.num_actions), number % 3 * 2)):
                position.play(action)
                lines.append(f"{action % 15},{action // 15},{1 + ply % 2}")
            lines.append("DONE")
        while True:
            answer = self.move(*lines)
            if not CELL.fullmatch(answer):
                self.faults.append(f"game {number}: {lines[-1]} was answered by {answer!r}")
                return "fault"
            column, row = map(int, answer.split(","))
            if not (column < 15 and row < 15 and position.is_legal(row * 15 + column)):
                self.faults.append(f"game {number}: {answer} is illegal")
                return "fault"
            position.play(row * 15 + column)
            if position.is_over:
                break
            reply = opponents_move(position, rng)
            position.play(reply)
            if position.is_over:
                break
            lines = [f"TURN {reply % 15},{reply // 15}"]
        self.memory = max(self.memory, psutil.Process(self.engine.pid).memory_info().rss)
        return str(position.outcome)


def opponents_move(position, rng: random.Random) -> int:
    """A random free cell within two rows and columns of a stone."""
    stones = position.moves
    near = [
        action
        for action in position.legal_actions()
        if any(
            max(abs(action % 15 - stone % 15), abs(action // 15 - stone // 15)) <= 2
            for stone in stones
        )
    ]
    return rng.choice(near)


def main() -> None:
    """Play the games and print what was met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--milliseconds", type=int, default=100)
    parser.add_argument("--load", type=int, default=0, help="processes that compute all the time")
    parser.add_argument("--agent", default="alphabeta")
    given = parser.parse_args()
    busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(given.load)]
    manager = Manager(given.milliseconds, ["--agent", given.agent])
    ends: dict[str, int] = {}
    try:
        for number in range(given.games):
            end = manager.play(number)
            ends[end] = ends.get(end, 0) + 1
    finally:
        for process in busy:
            process.kill()
    manager.send("END")
    status = manager.engine.wait(10)
    limit = given.milliseconds / 1000
    late = [seconds for seconds in manager.seconds if seconds > limit]
    print(f"{given.games} games, {len(manager.seconds)} moves, {given.milliseconds} ms a move")
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print(f"protocol faults: {len(manager.faults)}", *manager.faults[:5], sep="\n  ")
    print(f"late answers: {len(late)}, the latest {max(manager.seconds) * 1000:.1f} ms")
    print(f"median answer: {statistics.median(manager.seconds) * 1000:.1f} ms")
    print(f"memory: {manager.memory / MIB:.0f} MiB; exit status {status}")
    for end, count in sorted(ends.items()):
        print(f"  {count:4} {end}")


if __name__ == "__main__":
    main()
