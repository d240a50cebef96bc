"""Whether a deterministic agent ever loses: every game that can be played against it.

Run with ``python benchmarks/every_game.py``, or name an agent and a game:
``python benchmarks/every_game.py zoo:tic_tac_toe tic_tac_toe:size=4``. The opponent plays every
legal action in every position; positions that occur in several games are asked about once. The
moves of a policy are computed in batches. With ``--solve`` each of its moves is also held against
the exact solver: does it keep the result that the position has under best play?
"""

from __future__ import annotations

from collections import Counter

import cyclopts
import numpy as np
from plyground import Agent, Position, make_agent, make_game
from plyground.agents.solvers.solver import Solver, make_solver

BATCH = 4096


def replies(agent: Agent, positions: list[Position]) -> list[int]:
    """The agent's action in each position."""
    if hasattr(agent, "act_batch"):
        actions = []
        for start in range(0, len(positions), BATCH):
            part = positions[start : start + BATCH]
            observations = np.stack([position.observation() for position in part])
            masks = np.stack([position.action_mask() for position in part])
            actions += agent.act_batch(observations, masks).tolist()
        return actions
    actions = []
    for position in positions:
        agent.reset(0)
        actions.append(agent.act(position))
    return actions


def result(solver: Solver, position: Position, player: int) -> int:
    """The result of a position for a player under best play."""
    if position.is_over:
        return int(np.sign(position.returns[player]))
    value = int(np.sign(solver.solve(position, weak=True).result))
    return value if position.to_move == player else -value


def main(
    agent: str = "zoo:tic_tac_toe", game: str = "tic_tac_toe", /, *, solve: bool = False
) -> None:
    """Play every game, with the agent in each seat, and print what happened.

    Args:
        agent: its specification
        game: its specification
        solve: hold each move against the solver
    """
    board = make_game(game)
    player = make_agent(agent, board)
    solver = make_solver(board, 256) if solve else None
    for seat in (0, 1):
        results: Counter[float] = Counter()
        moves = right = 0
        level = [board.initial_position()]
        while level:
            own = [position for position in level if position.to_move == seat]
            children = [
                (position, position.after(action))
                for position, action in zip(own, replies(player, own), strict=True)
            ]
            if solver is not None:
                right += sum(
                    result(solver, a, seat) == result(solver, b, seat) for a, b in children
                )
            moves += len(own)
            children += [
                (position, position.after(action))
                for position in level
                if position.to_move != seat
                for action in position.legal_actions()
            ]
            unique = {child.record.tobytes(): child for _, child in children}.values()
            results.update(np.sign(child.returns[seat]) for child in unique if child.is_over)
            level = [child for child in unique if not child.is_over]
        remark = "" if solver is None else f"; {right:,} of its {moves:,} moves keep the result"
        print(
            f"{agent} as player_{seat} of {board.spec}: {moves:,} positions; final positions: "
            f"{results[1]:,} won, {results[0]:,} drawn, {results[-1]:,} lost{remark}"
        )


if __name__ == "__main__":
    cyclopts.run(main)
