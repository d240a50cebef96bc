"""Nodes per second of alpha-beta at connect four, with the game's functions and with a user's.

    python benchmarks/agents/own_functions.py

The user's functions run compiled and interpreted. The result is the best processor time of some
runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import cyclopts
from plyground import make_agent, make_game
from plyground.agents import register_heuristic, register_ordering

RUNS = 7
# options of `textbook`, and a depth that takes some milliseconds
CASES = {
    "heuristic=threats,ordering=default": 9,
    "heuristic=windows,ordering=default": 9,
    "heuristic=centre,ordering=default": 9,
    "heuristic=centre_python,ordering=default": 6,
    "heuristic=none,ordering=default": 10,
    "heuristic=none,ordering=middle": 10,
    "heuristic=none,ordering=middle_python": 6,
}


def centre(position: Any, player: int) -> int:
    """Discs near the centre."""
    discs, points = position.observation(player), 0
    for row in range(discs.shape[0]):
        for column in range(discs.shape[1]):
            near = 3 - abs(3 - column)
            points += near * (int(discs[row, column, 0]) - int(discs[row, column, 1]))
    return points


def middle(position: Any, action: int) -> int:
    """The columns from the middle."""
    return -abs(3 - action)


def in_python(function: Callable[[Any, int], int]) -> Callable[[Any, int], int]:
    """The same function in a form that numba does not compile."""
    return lambda position, number: int(function(position, number))


def main() -> None:
    """Print nodes a second with each function."""
    register_heuristic("connect_four", "centre", centre)
    register_heuristic("connect_four", "centre_python", in_python(centre))
    register_ordering("connect_four", "middle", middle)
    register_ordering("connect_four", "middle_python", in_python(middle))
    start = make_game("connect_four").initial_position()
    for options, depth in CASES.items():
        agent = make_agent(f"textbook:depth={depth},{options}", start.game)
        best = 0.0
        for _ in range(RUNS):
            began = time.process_time()
            nodes = agent.analyse(start).nodes
            best = max(best, nodes / (time.process_time() - began))
        print(f"{options:45} depth {depth:2}  {nodes:7,} nodes  {best:12,.0f} nodes/s")


if __name__ == "__main__":
    cyclopts.run(main)
