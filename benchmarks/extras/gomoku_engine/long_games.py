"""Advantages in long games: whether the engine ``gomoku`` converts them.

    python benchmarks/extras/gomoku_engine/long_games.py

The positions are in ``gomoku_long_games.txt``, one per line: the side that is ahead, then the
stones in a possible order of play. Each is the first position of a game with an evaluation of
:data:`AHEAD` or more after :data:`PLIES` plies, :data:`PLIES_LEFT` or more plies before the end.
``--make FILE…`` draws new ones, from games of
``benchmarks/extras/gomoku_engine/pattern_games.py``.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from pathlib import Path

import cyclopts
import fours
import numpy as np
from plyground import Agent, Game, Position, make_agent, make_game
from rich.progress import track

FILE = Path(__file__).parent / "gomoku_long_games.txt"
SIDES = ("x", "o")
AHEAD, CLAIM = 350, 5000  # centipoints; from the second value on, a result is claimed
PLIES, PLIES_LEFT = 30, 40
app = cyclopts.App(help=__doc__)


def read(game: Game) -> list[tuple[int, Position]]:
    """The seat of the side that is ahead, and the position."""
    return [(SIDES.index(side), game.position(stones)) for side, stones in fours.read(FILE)]


def positions(game: Game, files: list[Path]) -> Iterator[str]:
    """Lines of positions, from files of ``pattern_games.py``."""
    for file in files:
        rows = dict(np.load(file).items())
        rows = {name: row[~np.isnan(rows["result"])] for name, row in rows.items()}
        plies, value = (rows["cells"] != 0).sum(axis=1), rows["value"]
        lengths = np.zeros(rows["game"].max() + 1, int)
        np.maximum.at(lengths, rows["game"], plies)
        is_ahead = (np.abs(value) >= AHEAD) & (np.abs(value) < CLAIM) & (plies >= PLIES)
        lasts = lengths[rows["game"]] - plies >= PLIES_LEFT
        _, first = np.unique(rows["game"][is_ahead & lasts], return_index=True)
        for row in np.flatnonzero(is_ahead & lasts)[first]:
            mover = int(rows["mover"][row])
            leader = mover if value[row] > 0 else 1 - mover
            yield " ".join([SIDES[leader], *fours.stones_of(rows["cells"][row], game)])


def play(agents: tuple[Agent, Agent], leader: int, position: Position) -> tuple[float, list[int]]:
    """The leader's return, and the depth of each search; the first agent plays for the leader."""
    position, depths = position.copy(), list[int]()
    while not position.is_over:
        decision = agents[position.to_move != leader].analyse(position)
        if decision.mate_in is None and decision.depth:
            depths.append(decision.depth)
        position.play(decision.action)
    return position.returns[leader], depths


@app.default
def main(
    *,
    agent: str = "gomoku:nodes=20000",
    defender: str = "gomoku:nodes=20000",
    make: list[Path] | None = None,
) -> None:
    """Play the positions out; print the leader's results.

    Args:
        agent: the engine that plays for the side that is ahead
        defender: the engine that plays against it
        make: first draw new positions from these files
    """
    game = make_game("gomoku")
    if make:
        lines = [
            "# Written by: python benchmarks/extras/gomoku_engine/long_games.py --make FILE..."
        ]
        FILE.write_text("\n".join([*lines, *positions(game, make)]) + "\n")
    agents = make_agent(agent, game), make_agent(defender, game)
    results, depths = list[float](), list[int]()
    for leader, position in track(read(game), "playing"):
        result, depth = play(agents, leader, position)
        results.append(result)
        depths += depth
    wins, losses = sum(each > 0 for each in results), sum(each < 0 for each in results)
    print(
        f"{len(results)} games: {wins} won by the side ahead, {losses} lost, "
        f"{len(results) - wins - losses} drawn; mean depth {statistics.mean(depths):.1f}"
    )


if __name__ == "__main__":
    app()
