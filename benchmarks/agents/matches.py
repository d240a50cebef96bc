"""Games a second of agents against themselves, with every game committed to a store on disk.

    python benchmarks/agents/matches.py [GAME]

Each agent plays a tournament of GAME (default connect_four), and the same games one at a time. If
OpenSpiel is installed and has the game, its random bots and tree search play in ``evaluate_bots``,
which stores no games. Times are medians of processor time; all contestants take turns.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cyclopts
import plyground
from plyground.evaluation.plan import Plan
from plyground.evaluation.runners import contest
from plyground.evaluation.store.store import Store
from plyground.evaluation.tournament import Tournament

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from timing import print_table, rates

SECONDS, TURNS = 0.2, 5
SIMULATIONS, EXPLORATION = 100, 1.4
TREE_SEARCH = f"mcts:simulations={SIMULATIONS}"
# Pairs of games of a tournament, and the random plies of its openings: enough that deterministic
# agents repeat no game.
AGENTS = {
    ("random", "random"): (5000, 2),
    ("greedy", "greedy"): (2000, 2),
    ("alphabeta:depth=2", "random"): (1000, 2),
    ("alphabeta:depth=4", "random"): (400, 2),
    ("alphabeta:depth=4", "alphabeta:depth=4"): (2500, 6),
    (TREE_SEARCH, TREE_SEARCH): (300, 0),
}
AT_ONCE = contest.FEWEST_AT_ONCE


def tournament(plan: Plan, at_once: bool) -> Callable[[], int]:
    """Plays a tournament into a new store; returns its games."""

    def play() -> int:
        contest.FEWEST_AT_ONCE = AT_ONCE if at_once else sys.maxsize
        with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "games.db") as store:
            one = Tournament(plan, store)
            one.run()
            return one.schedule.total

    return play


def openspiel_bots(game: str) -> dict[tuple[str, str], Callable[[], int]]:
    """OpenSpiel's games of the same kinds, if it has the game."""
    try:
        import pyspiel

        theirs = pyspiel.load_game(game)
    except (ImportError, RuntimeError):
        return {}

    def tree_search(seat: int) -> Any:
        playouts = pyspiel.RandomRolloutEvaluator(1, seat)
        limits = EXPLORATION, SIMULATIONS, 100  # the last is memory in MB
        return pyspiel.MCTSBot(theirs, playouts, *limits, True, seat, False)

    def games(make_bot: Callable[[int], Any], count: int) -> Callable[[], int]:
        bots = [make_bot(seat) for seat in (0, 1)]

        def play() -> int:
            for number in range(count):
                pyspiel.evaluate_bots(theirs.new_initial_state(), bots, number)
            return count

        return play

    return {
        ("random", "random"): games(lambda seat: pyspiel.make_uniform_random_bot(seat, seat), 1000),
        (TREE_SEARCH, TREE_SEARCH): games(tree_search, 5),
    }


def main(spec: str = "connect_four", /) -> None:
    """Print games a second.

    Args:
        spec: the game
    """
    game = plyground.make_game(spec)
    theirs = openspiel_bots(game.spec)
    rows = []
    for agents, (pairs, plies) in AGENTS.items():
        plan = Plan(game.spec, agents, pairs, f"random:{plies}")
        few = plan.replace(pairs=max(pairs // 10, 20))
        work = {
            "at once": tournament(plan, at_once=True),
            "one by one": tournament(few, at_once=False),
        }
        if agents in theirs:
            work["OpenSpiel"] = theirs[agents]
        speed = rates(work, SECONDS, TURNS)
        peer = speed.get("OpenSpiel")
        ours = [f"{speed[name]:,.0f}" for name in ("at once", "one by one")]
        compared = [f"{peer:,.0f}", f"{speed['at once'] / peer:.2f}"] if peer else ["", ""]
        rows.append((" – ".join(agents), *ours, *compared))
    headings = "agents", "at once", "one by one", "OpenSpiel", "ratio"
    print_table(f"games/s at {game.spec}", headings, rows)


if __name__ == "__main__":
    cyclopts.run(main)
