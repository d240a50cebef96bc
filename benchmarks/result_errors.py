"""How often agents change the result of connect-four positions under best play.

Run with ``python benchmarks/result_errors.py`` (minutes; early positions are solved again after the
agent's move), or name agents. The classes of benchmarks/positions are phase and difficulty. An
error is a move after which the result under best play (win, draw or loss) is worse for the mover.
Published for AlphaZero.jl (trained with a GPU, 1.6 M weights, 600 simulations): 0 % on easy
positions, 2.1 to 2.2 % on medium, 7.5 % on hard ones.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import cyclopts
import numpy as np
from plyground import make_agent, make_game
from plyground.agents.solvers.solver import make_solver
from solver_positions import CLASSES, read_positions
from timing import print_table

AGENTS = (
    "zoo:connect_four",
    "mcts:network=zoo:connect_four,simulations=200",
    "mcts:network=zoo:connect_four,simulations=600",
    "alphabeta:depth=8",
)
GAME = make_game("connect_four")
SOLVER = make_solver(GAME, 1024)


@functools.cache
def result_after(moves: tuple[int, ...]) -> int:
    """The result of a game after these moves, for the side that played the last move."""
    position = GAME.position(moves)
    if position.is_over:
        return int(np.sign(position.returns[1 - len(moves) % 2]))
    return -int(np.sign(SOLVER.solve(position).value))


def rows(specs: tuple[str, ...], positions: int) -> Iterator[tuple[str, ...]]:
    """Measure each class."""
    agents = [make_agent(spec, GAME) for spec in specs]
    for each in CLASSES:
        entries = read_positions(each, positions)
        errors = np.zeros(len(agents), int)
        for entry in entries:
            for number, agent in enumerate(agents):
                agent.reset(0)
                action = agent.act(GAME.position(entry.moves))
                errors[number] += result_after((*entry.moves, action)) < np.sign(entry.value)
        shares = (f"{100 * count / len(entries):.1f} %" for count in errors)
        yield each.name, str(len(entries)), *shares


def main(*agents: str, positions: int = 1000) -> None:
    """Print the share of errors of each agent in each class.

    Args:
        agents: their specifications
        positions: largest number of positions of each class
    """
    specs = agents or AGENTS
    print_table("errors", ("class", "positions", *specs), rows(specs, positions))


if __name__ == "__main__":
    cyclopts.run(main)
