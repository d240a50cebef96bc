"""plyground as an engine: games of a manager, its limits and its protocol.

``python benchmarks/extras/gomoku_engine/manager.py`` plays 200 games of one process of ``plyground
gomocup`` against the level medium, and prints the numbers of invalid and of late answers, and the
memory. ``--load 2`` keeps two processors busy meanwhile.
"""

from __future__ import annotations

import os
import random
import re
import statistics
import subprocess
import sys
import time
from collections import Counter

import cyclopts
import psutil
from plyground import make_agent
from plyground.envs.games.gomoku.gomocup import RULES, cell_text
from plyground.extras.gomoku_engine.gomocup.engine import Engine
from plyground.extras.gomoku_engine.gomocup.protocol import cell_at, make_board

MIB = 1 << 20
BUSY = "while True: pass"
CELL = re.compile(r"(\d+),(\d+)")
PATIENCE = 600.0  # seconds for an answer


class Manager:
    """A manager that starts the engine and keeps its clock.

    Args:
        milliseconds: the time per move.
        agent: the specification of the engine's agent.
        opponent: the specification of its opponent.
    """

    def __init__(self, milliseconds: int, agent: str, opponent: str) -> None:
        self.engine = Engine([sys.executable, "-m", "plyground.cli", "gomocup", "--agent", agent])
        self.milliseconds, self.opponent = milliseconds, make_agent(opponent)
        self.faults: list[str] = []
        self.seconds: list[float] = []
        self.memory = 0

    def play(self, number: int) -> str:
        """A game against the opponent; returns how it ended for the engine."""
        rng, rule = random.Random(number), list(RULES)[number % len(RULES)]
        game = make_board(15, 15, rule)
        if self.engine.ask("START 15", seconds=PATIENCE) != "OK":
            self.faults.append(f"game {number}: START was not answered by OK")
        self.engine.tell(f"INFO rule {rule}", f"INFO timeout_turn {self.milliseconds}")
        position = game.initial_position()
        self.opponent.get_ready(game)
        self.opponent.reset(number)
        lines = ["BEGIN"]
        stones = number // len(RULES) % 4
        engine = stones % 2  # the seat that is to move after them
        if stones:
            lines = ["BOARD"]
            for ply, action in enumerate(rng.sample(range(game.facts.num_actions), stones)):
                position.play(action)
                lines.append(f"{cell_text(game.rules, action)},{1 + (ply + engine) % 2}")
            lines.append("DONE")
        while not position.is_over:
            if position.to_move != engine:
                reply = self.opponent.act(position)
                position.play(reply)
                lines = [f"TURN {cell_text(game.rules, reply)}"]
                continue
            began = time.perf_counter()
            answer = self.engine.ask(*lines, seconds=PATIENCE)
            self.seconds.append(time.perf_counter() - began)
            try:
                column, row = map(int, CELL.fullmatch(answer).groups())
                position.play(cell_at(game, column, row))
            except (AttributeError, ValueError) as error:
                complaint = f"game {number}: {lines[-1]} was answered by {answer!r}: {error}"
                self.faults.append(complaint)
                return "fault"
        children = psutil.Process().children(recursive=True)
        self.memory = max(self.memory, *(child.memory_info().rss for child in children))
        winner = position.outcome.winner
        return "drawn" if winner is None else "won" if winner == engine else "lost"


def main(
    games: int = 200,
    milliseconds: int = 100,
    load: int = 0,
    agent: str = "gomoku",
    opponent: str = "medium",
) -> None:
    """Play the games and print the results.

    Args:
        games: number of games
        milliseconds: the time per move
        load: number of processes that keep processors busy
        agent: the engine's agent
        opponent: its opponent
    """
    busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(load)]
    manager = Manager(milliseconds, agent, opponent)
    try:
        ends = Counter(manager.play(number) for number in range(games))
    finally:
        for process in busy:
            process.kill()
        manager.engine.close()
    late = sum(1000 * seconds > milliseconds for seconds in manager.seconds)
    print(f"{games} games, {len(manager.seconds)} moves, {milliseconds} ms a move")
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print(f"protocol faults: {len(manager.faults)}", *manager.faults[:5], sep="\n  ")
    print(f"late answers: {late}, the latest {max(manager.seconds) * 1000:.1f} ms")
    print(f"median answer: {statistics.median(manager.seconds) * 1000:.1f} ms")
    print(f"memory: {manager.memory / MIB:.0f} MiB")
    for end, count in sorted(ends.items()):
        print(f"  {count:4} {end}")


if __name__ == "__main__":
    cyclopts.run(main)
