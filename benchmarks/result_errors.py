"""How often agents change the result of connect-four positions under best play.

Run with ``python benchmarks/result_errors.py`` (minutes; positions of the beginning are solved
again after the agent's move), or name agents. The classes are those of benchmarks/positions: phase
and difficulty. An error is a move after which the result under best play, win, draw or loss, is
worse for the mover than before it. Published for AlphaZero.jl (trained with a GPU, 1.6 M weights,
600 simulations): 0 % on easy positions, 2.1 to 2.2 % on medium, 7.5 % on hard ones.
"""

from __future__ import annotations

import argparse

import numpy as np
from plyground import make_agent, make_game
from plyground.agents.solvers.solver import make_solver
from solver_positions import CLASSES, read_positions

AGENTS = (
    "zoo:connect_four",
    "mcts:network=zoo:connect_four,simulations=200",
    "mcts:network=zoo:connect_four,simulations=600",
    "alphabeta:depth=8",
)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("agents", nargs="*", default=AGENTS)
    parser.add_argument("--positions", type=int, default=1000, help="of each class, at most")
    arguments = parser.parse_args()
    game = make_game("connect_four")
    solver = make_solver(game, 1024)
    agents = [make_agent(spec, game) for spec in arguments.agents]
    known: dict[bytes, int] = {}

    def result_after(position, action):
        after = position.after(action)
        if after.is_over:
            return int(np.sign(after.returns[position.to_move]))
        key = after.record.tobytes()
        if key not in known:
            known[key] = -int(np.sign(solver.solve(after).value))
        return known[key]

    print(f"{'class':16}{'positions':>10}" + "".join(f"{spec:>50}" for spec in arguments.agents))
    for each in CLASSES:
        solved = read_positions(each, arguments.positions)
        errors = np.zeros(len(agents), int)
        for entry in solved:
            position = game.position(entry.moves)
            best = int(np.sign(entry.value))
            for number, agent in enumerate(agents):
                agent.reset(0)
                errors[number] += result_after(position, agent.act(position)) < best
        shares = "".join(f"{100 * count / len(solved):49.1f}%" for count in errors)
        print(f"{each.name:16}{len(solved):10}{shares}", flush=True)


if __name__ == "__main__":
    main()
