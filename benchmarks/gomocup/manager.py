"""plyground as an engine: games of a manager, its limits and its protocol.

``python benchmarks/gomocup/manager.py`` plays 200 games of ``plyground gomocup``, one process,
against the level medium, and prints how many answers were no answers of the protocol, how many came
after the time was up, and the memory used. ``--load 2`` keeps two processors busy meanwhile.
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
from plyground import make_agent, make_game

MIB = 1 << 20
BUSY = "while True: pass"
CELL = re.compile(r"\d+,\d+")
RULES = {0: "freestyle", 1: "standard", 8: "caro_overline", 9: "caro"}


class Manager:
    """A manager that starts the engine and keeps its clock.

    Args:
        milliseconds: the time for a move.
        words: arguments of the engine.
        opponent: the specification of the agent that it plays against.
    """

    def __init__(self, milliseconds: int, words: list[str], opponent: str) -> None:
        command = [sys.executable, "-m", "plyground.cli", "gomocup", *words]
        self.engine = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.milliseconds, self.opponent = milliseconds, make_agent(opponent)
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
        """A game against the opponent; returns how it ended for the engine."""
        rng, rule = random.Random(number), list(RULES)[number % len(RULES)]
        game = make_game(f"gomoku:rule={RULES[rule]}")
        self.send("START 15")
        if self.answer() != "OK":
            self.faults.append(f"game {number}: START was not answered by OK")
        self.send(f"INFO rule {rule}", f"INFO timeout_turn {self.milliseconds}")
        position = game.initial_position()
        self.opponent.get_ready(game)
        self.opponent.reset(number)
        lines = ["BEGIN"]
        stones = number // len(RULES) % 4
        engine = stones % 2  # the seat: it is to move once they are set
        if stones:
            lines = ["BOARD"]
            for ply, action in enumerate(rng.sample(range(game.facts.num_actions), stones)):
                position.play(action)
                lines.append(f"{action % 15},{action // 15},{1 + (ply + engine) % 2}")
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
            reply = self.opponent.act(position)
            position.play(reply)
            if position.is_over:
                break
            lines = [f"TURN {reply % 15},{reply // 15}"]
        self.memory = max(self.memory, psutil.Process(self.engine.pid).memory_info().rss)
        winner = position.outcome.winner
        return "drawn" if winner is None else "won" if winner == engine else "lost"


def main() -> None:
    """Play the games and print what was met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--milliseconds", type=int, default=100)
    parser.add_argument("--load", type=int, default=0, help="processes that compute all the time")
    parser.add_argument("--agent", default="gomoku")
    parser.add_argument("--opponent", default="medium")
    options = parser.parse_args()
    busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(options.load)]
    manager = Manager(options.milliseconds, ["--agent", options.agent], options.opponent)
    ends: dict[str, int] = {}
    try:
        for number in range(options.games):
            end = manager.play(number)
            ends[end] = ends.get(end, 0) + 1
    finally:
        for process in busy:
            process.kill()
    manager.send("END")
    status = manager.engine.wait(10)
    limit = options.milliseconds / 1000
    late = [seconds for seconds in manager.seconds if seconds > limit]
    print(f"{options.games} games, {len(manager.seconds)} moves, {options.milliseconds} ms a move")
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print(f"protocol faults: {len(manager.faults)}", *manager.faults[:5], sep="\n  ")
    print(f"late answers: {len(late)}, the latest {max(manager.seconds) * 1000:.1f} ms")
    print(f"median answer: {statistics.median(manager.seconds) * 1000:.1f} ms")
    print(f"memory: {manager.memory / MIB:.0f} MiB; exit status {status}")
    for end, count in sorted(ends.items()):
        print(f"  {count:4} {end}")


if __name__ == "__main__":
    main()
