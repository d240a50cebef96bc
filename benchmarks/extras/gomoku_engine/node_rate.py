"""Nodes per second of the engine ``gomoku``, relative to other loops of the same run.

Run with ``python benchmarks/extras/gomoku_engine/node_rate.py`` (two minutes). Processors differ,
so the result is the ratio to loops of other code: ``alphabeta`` by runs, and random games, on the
same boards. The exit status is 1 if a ratio is a fifth below its value in :data:`RATIOS`, for
instance if the update of the network is not vectorised.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import cyclopts
from plyground import Agent, Position, make_agent, make_game
from plyground.evaluation.openings import Openings
from plyground.evaluation.plan import Plan

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from timing import print_table, rates

# Nodes of the engine per node or move of the other loop, by game.
RATIOS = {
    "gomoku": {"alphabeta": 0.25, "random games": 9.4},
    "gomoku:rule=caro": {"alphabeta": 0.26, "random games": 9.4},
}
LEAST = 0.8  # of these
POSITIONS, NODES, PLAYOUTS = 12, 50_000, 100
app = cyclopts.App(help=__doc__)


def search_all(agent: Agent, positions: list[Position]) -> int:
    """Search all positions; returns the number of nodes or games."""
    decisions = [agent.analyse(position) for position in positions]
    return sum(each.nodes or each.simulations for each in decisions)


def rows(seconds: float, turns: int, failures: list[str]) -> Iterator[tuple[str, ...]]:
    """A row for each board and loop; the too slow ones are added to ``failures``."""
    for spec, references in RATIOS.items():
        game = make_game(spec)
        openings = Openings(Plan(opening="balanced:8"), game)
        positions = [game.position(openings[i]) for i in range(POSITIONS)]
        agents = {
            "gomoku": make_agent(f"gomoku:nodes={NODES}", game),
            "alphabeta": make_agent(f"alphabeta:nodes={NODES},heuristic=caro15,table=0", game),
            "random games": make_agent(f"montecarlo:simulations={PLAYOUTS}", game),
        }
        works = {
            name: lambda agent=agent, positions=positions: search_all(agent, positions)
            for name, agent in agents.items()
        }
        speeds = rates(works, seconds, turns)
        for name, reference in references.items():
            ratio = speeds["gomoku"] / speeds[name]
            if ratio < LEAST * reference:
                failures.append(f"{spec} against {name}")
            yield (
                f"{spec}, against {name}",
                f"{speeds['gomoku'] / 1e6:.2f} M",
                f"{speeds[name] / 1e6:.3f} M",
                f"{ratio:.2f}",
                f"≥ {LEAST * reference:.2f}",
            )


@app.default
def main(*, seconds: float = 1.0, turns: int = 5) -> None:
    """Print nodes per second; exit status 1 if a ratio has fallen by a fifth.

    Args:
        seconds: processor time of a turn
        turns: turns of each loop; the median counts
    """
    failures: list[str] = []
    headings = ("board and loop", "gomoku, nodes/s", "the other, a second", "ratio", "wanted")
    print_table("Engine gomoku", headings, rows(seconds, turns, failures))
    if failures:
        sys.exit(f"the engine is slower than it was: {'; '.join(failures)}")


if __name__ == "__main__":
    app()
