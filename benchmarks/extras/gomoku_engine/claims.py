"""Forced wins claimed by the engine, played out.

Run with ``python benchmarks/extras/gomoku_engine/claims.py --claims 1000``. The engine plays itself
until it first claims a forced win. Then it plays the winning side against a search that tries all
moves, with three times the nodes. A claim is false if the losing side does not lose, and late if it
loses after more plies than claimed. A false claim is printed as the moves of the game.
"""

from __future__ import annotations

import cyclopts
from plyground import Agent, Game, Position, make_agent, make_game
from plyground.agents import Decision
from plyground.evaluation.openings import Openings
from plyground.evaluation.plan import Plan
from plyground.extras.gomoku_engine.engine import GomokuEngine
from plyground.extras.gomoku_engine.engine_kernels import EngineOptions

# tries all moves
WIDE = EngineOptions(
    radius=5, width=225, near_width=225, reductions=0, futility=0, margin=0, razoring=0, late=0
)
STEP = 25  # claims between two lines of progress
app = cyclopts.App(help=__doc__)


def first_claim(agent: Agent, position: Position) -> Decision | None:
    """Play until the agent claims a result; None if the game ends without a claim."""
    while not position.is_over:
        decision = agent.analyse(position)
        if decision.mate_in is not None and abs(decision.mate_in) > 1:
            return decision
        position.play(decision.action)
    return None


def plies_to_win(agent: Agent, defender: Agent, position: Position, winner: int) -> int | None:
    """The plies until the claimed winner has won; None if it does not win."""
    position, plies = position.copy(), 0
    while not position.is_over:
        position.play((agent if position.to_move == winner else defender).act(position))
        plies += 1
    return plies if position.returns[winner] > 0 else None


@app.default
def main(
    *,
    game: str = "gomoku",
    agent: str = "gomoku:nodes=100000",
    defender: str = "gomoku:nodes=300000",
    claims: int = 1000,
    opening: str = "balanced:5",
    seed: int = 1,
) -> None:
    """Print the numbers of true claims of wins and of losses.

    Args:
        game: the board
        agent: the engine and its options
        defender: the engine that plays the side claimed to lose, with all moves
        claims: number of claims, one per game
        opening: the openings, as in plyground tournament
        seed: the seed of the openings
    """
    board: Game = make_game(game)
    engine, other = make_agent(agent, board), make_agent(defender, board)
    assert isinstance(other, GomokuEngine)
    other.selection = WIDE
    openings = Openings(Plan(opening=opening, seed=seed), board)
    counts, number = {"wins": [0, 0, 0], "losses": [0, 0, 0]}, 0
    while sum(count[0] for count in counts.values()) < claims:
        position = board.position(list(openings[number]))
        number += 1
        decision = first_claim(engine, position)
        if decision is None:
            continue
        assert decision.mate_in is not None
        wins = decision.value > 0
        winner = position.to_move if wins else 1 - position.to_move
        plies = plies_to_win(engine, other, position, winner)
        count = counts["wins" if wins else "losses"]
        count[0] += 1
        count[1] += plies is None
        count[2] += plies is not None and plies > abs(decision.mate_in)
        if plies is None:
            text = " ".join(map(board.action_to_text, position.moves))
            print(f"{'win' if wins else 'loss'} in {abs(decision.mate_in)}: {text}", flush=True)
        done = sum(count[0] for count in counts.values())
        if done % STEP == 0:
            print(f"{done} claims, {sum(count[1] for count in counts.values())} false", flush=True)
    for kind, (total, false, late) in counts.items():
        print(f"{kind} claimed: {total}, false: {false}, later than claimed: {late}")
    print(f"games: {number}")


if __name__ == "__main__":
    app()
