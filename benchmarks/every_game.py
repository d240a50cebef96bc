"""Whether a deterministic agent ever loses: all possible games against it.

Run with ``python benchmarks/every_game.py``, or name an agent and a game:
``python benchmarks/every_game.py zoo:tic_tac_toe tic_tac_toe:size=4``. The opponent plays every
legal action in every position; a position of several games is evaluated once. The moves of a policy
are computed in batches. With ``--solve`` each of its moves is also compared with the exact solver:
does it keep the result under best play?
"""

from __future__ import annotations

from collections import Counter

import cyclopts
import numpy as np
from plyground import Agent, Game, Position, make_agent, make_game
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


def play_every_game(
    agent: Agent, game: Game, seat: int, solver: Solver | None = None
) -> tuple[Counter[int], Counter[int], int, int]:
    """Follow all replies to an agent in a seat.

    Returns:
        the numbers of games and of final positions by result for it (1, 0 or -1), the number of
        positions where it moved, and the number of its moves that keep the result under best play,
        if there is a solver.
    """
    games, finals = Counter[int](), Counter[int]()
    moves = right = 0
    level = {b"": (game.initial_position(), 1)}  # and the number of games that lead to it
    while level:
        own = [position for position, _ in level.values() if position.to_move == seat]
        actions = iter(replies(agent, own))
        moves += len(own)
        following: dict[bytes, tuple[Position, int]] = {}
        for position, ways in level.values():
            is_own = position.to_move == seat
            for action in [next(actions)] if is_own else position.legal_actions():
                child = position.after(action)
                _, others = following.get(child.record.tobytes(), (child, 0))
                following[child.record.tobytes()] = child, others + ways
                if is_own and solver is not None:
                    right += result(solver, position, seat) == result(solver, child, seat)
        level = {key: entry for key, entry in following.items() if not entry[0].is_over}
        for child, ways in following.values():
            if child.is_over:
                games[int(np.sign(child.returns[seat]))] += ways
                finals[int(np.sign(child.returns[seat]))] += 1
    return games, finals, moves, right


def main(
    agent: str = "zoo:tic_tac_toe", game: str = "tic_tac_toe", /, *, solve: bool = False
) -> None:
    """Play every game, with the agent in each seat, and print the results.

    Args:
        agent: its specification
        game: its specification
        solve: compare each move with the solver
    """
    board = make_game(game)
    player = make_agent(agent, board)
    solver = make_solver(board, 256) if solve else None
    for seat in (0, 1):
        games, finals, moves, right = play_every_game(player, board, seat, solver)
        ends = "; ".join(
            f"{sum(counts.values()):,} {what}: {counts[1]:,} won, {counts[0]:,} drawn, "
            f"{counts[-1]:,} lost"
            for what, counts in (("games", games), ("final positions", finals))
        )
        remark = "" if solver is None else f"; {right:,} of its {moves:,} moves keep the result"
        print(f"{agent} as player_{seat} of {board.spec}: {moves:,} positions; {ends}{remark}")


if __name__ == "__main__":
    cyclopts.run(main)
