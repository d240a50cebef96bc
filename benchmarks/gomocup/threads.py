"""What several threads bring the engine of gomoku: positions a second, and time to a depth.

Run with ``python benchmarks/gomocup/threads.py --threads 2`` while the processors are free. Both
searches take the same positions after six stones, in turn.
"""

from __future__ import annotations

import argparse
import time

from plyground import Position, make_agent, make_game
from plyground.evaluation.openings import Openings

GAME, OPENINGS, SEED = "gomoku", "balanced:6", 5


def measure(limits: str, threads: int, positions: list[Position]) -> tuple[float, float]:
    """Seconds and positions visited, of all searches together."""
    agent = make_agent(f"gomoku:{limits},threads={threads},keep=no", GAME)
    agent.get_ready(make_game(GAME))
    began, nodes = time.perf_counter(), 0
    for position in positions:
        nodes += agent.analyse(position).nodes
    return time.perf_counter() - began, nodes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--positions", type=int, default=10)
    parser.add_argument("--depth", type=int, default=13)
    chosen = parser.parse_args()
    game = make_game(GAME)
    openings = Openings(game, OPENINGS, SEED)
    positions = [game.position(openings[number]) for number in range(chosen.positions)]
    measure("depth=1", chosen.threads, positions[:1])
    speeds, seconds = {}, {}
    for threads in (1, chosen.threads):
        spent, nodes = measure("time=0.5", threads, positions)
        speeds[threads] = nodes / spent
        seconds[threads], _ = measure(f"depth={chosen.depth}", threads, positions)
        print(
            f"threads={threads}: {speeds[threads] / 1e6:.2f} million positions/s, depth "
            f"{chosen.depth} in {seconds[threads] / len(positions):.3f} s"
        )
    ratio = speeds[chosen.threads] / speeds[1], seconds[1] / seconds[chosen.threads]
    print(f"{ratio[0]:.2f} times the positions a second, {ratio[1]:.2f} times as fast to the depth")


if __name__ == "__main__":
    main()
