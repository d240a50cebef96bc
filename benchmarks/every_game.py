"""Whether a deterministic agent ever loses: every game that can be played against it.

Run with ``python benchmarks/every_game.py``, or name an agent and a game:
``python benchmarks/every_game.py zoo:tic_tac_toe tic_tac_toe:size=4``. The opponent plays every
legal action in every position; positions that occur in several games are asked about once. The
moves of a policy are computed in batches. With ``--solve`` each of its moves is also held against
the exact solver: does it keep the result that the position has under best play?
"""

from __future__ import annotations

import argparse

import numpy as np
from plyground import make_agent, make_game
from plyground.agents.solvers.solver import make_solver

BATCH = 4096


def replies(agent, positions):
    """The agent's action in each position."""
    chosen = []
    for start in range(0, len(positions), BATCH):
        part = positions[start : start + BATCH]
        if hasattr(agent, "act_batch"):
            observations = np.stack([position.observation() for position in part])
            masks = np.stack([position.action_mask() for position in part])
            chosen += agent.act_batch(observations, masks).tolist()
        else:
            for position in part:
                agent.reset(0)
                chosen.append(agent.act(position))
    return chosen


def main() -> None:
    """Play every game, with the agent in each seat, and print what happened."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("agent", nargs="?", default="zoo:tic_tac_toe")
    parser.add_argument("game", nargs="?", default="tic_tac_toe")
    parser.add_argument("--solve", action="store_true", help="hold each move against the solver")
    arguments = parser.parse_args()
    game = make_game(arguments.game)
    agent = make_agent(arguments.agent, game)
    solver = make_solver(game, 256) if arguments.solve else None

    def result(position, player):
        if position.is_over:
            return int(np.sign(position.returns[player]))
        value = int(np.sign(solver.solve(position, weak=True).result))
        return value if position.to_move == player else -value

    for seat in (0, 1):
        ends = {1: 0, 0: 0, -1: 0}
        asked = kept = 0
        level = [game.initial_position()]
        while level:
            own = [position for position in level if position.to_move == seat]
            after = {}
            for position, action in zip(own, replies(agent, own)):
                child = position.after(action)
                if solver is not None:
                    kept += result(child, seat) == result(position, seat)
                after[child.record.tobytes()] = child
            asked += len(own)
            for position in level:
                if position.to_move != seat:
                    for action in position.legal_actions():
                        child = position.after(action)
                        after[child.record.tobytes()] = child
            level = []
            for child in after.values():
                if child.is_over:
                    ends[int(np.sign(child.returns[seat]))] += 1
                else:
                    level.append(child)
        solved = "" if solver is None else f"; {kept:,} of its {asked:,} moves keep the result"
        print(
            f"{arguments.agent} as player_{seat} of {game.spec}: {asked:,} positions; final "
            f"positions: {ends[1]:,} won, {ends[0]:,} drawn, {ends[-1]:,} lost{solved}"
        )


if __name__ == "__main__":
    main()
