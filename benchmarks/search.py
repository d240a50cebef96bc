"""Speed of the search agents, compared with OpenSpiel's MCTS bot in the same run.

Run with ``python benchmarks/search.py`` (three minutes). The rows of two threads and of time limits
use wall-clock time and need an idle machine. OpenSpiel's C++ alpha-beta is not in its Python
package, so its figures were measured separately on a similar machine (2.3 million nodes per second;
3.05 million nodes and 1.4 s for depth 12).
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

import caro
import cyclopts
import pyspiel
from caro import HEADINGS, Row, longest_overtime
from plyground import make_agent, make_game
from timing import print_table, processor_seconds, rates

PLAIN = (
    "iterative=no,table=0,killers=no,history=no,scout=no,symmetry=no,ordering=none,heuristic=none"
)
TURNS = 5
PEERS = (  # title, game, OpenSpiel's name, simulations per second measured elsewhere
    ("connect four", "connect_four", "connect_four", "84,000"),
    ("dots and boxes 4×4", "dots_and_boxes", "dots_and_boxes(num_rows=4,num_cols=4)", "31,000"),
)
TIME_LIMIT_GAMES = (
    "connect_four",
    "dots_and_boxes:rows=7,cols=7",
    "tic_tac_toe:size=19,connect=5",
    "gomoku",
    "gomoku:size=19",
)


def alphabeta() -> Iterator[Row]:
    """Depth 12 from the empty 6×7 board: the textbook search, then every enhancement.

    Tests compare the node counts of the textbook search with the plain reference.
    """
    position = make_game("connect_four").initial_position()
    for title, options in (
        ("plain", PLAIN),
        ("all on, heuristic=none", "heuristic=none"),
        ("all on", "heuristic=default"),
    ):
        agent = make_agent(f"alphabeta:depth=12,{options}")
        nodes = agent.analyse(position).nodes
        seconds = statistics.median(processor_seconds(agent.act, position)[0] for _ in range(TURNS))
        speed = nodes / seconds
        if options is PLAIN:
            ours, ratio = f"{speed / 1e6:.1f} M nodes/s", f"{speed / 2.3e6:.1f}"
            yield f"alpha-beta, 6×7, {title}", "2.3 M nodes/s (C++)", ours, ratio, "≥ 20 M"
        else:
            ours, ratio = f"{seconds:.3f} s, {nodes / 1e6:.2f} M nodes", f"{1.4 / seconds:.0f}"
            yield f"depth 12, {title}", "1.4 s, 3.05 M (C++)", ours, ratio, "≤ 0.05 s"


def monte_carlo_tree_search(simulations: int) -> Iterator[Row]:
    """Simulations a second, one uniform playout each, against OpenSpiel's C++ bot, turn by turn."""
    for title, name, peer_name, elsewhere in PEERS:
        position = make_game(name).initial_position()
        agent = make_agent(f"mcts:simulations={simulations}")
        game = pyspiel.load_game(peer_name)
        evaluator, state = pyspiel.RandomRolloutEvaluator(1, 0), game.new_initial_state()
        bot = pyspiel.MCTSBot(game, evaluator, 1.4, simulations, 1000, False, 0, False)
        speeds = rates(
            {
                "ours": lambda a=agent, p=position: (a.reset(), a.act(p), simulations)[-1],
                "theirs": lambda b=bot, s=state: (b.mcts_search(s), simulations)[1],
            },
            1e-9,  # one search a turn
            TURNS,
        )
        ratio = speeds["ours"] / speeds["theirs"]
        there = f"{speeds['theirs']:,.0f} ({elsewhere} elsewhere)"
        work = f"MCTS, {title}, simulations/s"
        yield work, there, f"{speeds['ours']:,.0f}", f"{ratio:.1f}", "≥ 5 times"


def two_threads(simulations: int) -> Iterator[Row]:
    """Playouts per second of two threads and of one, in wall-clock time, in turns."""
    position = make_game("connect_four").initial_position()
    agents = {
        str(threads): make_agent(f"mcts:simulations={simulations},threads={threads}")
        for threads in (1, 2)
    }
    work = {
        name: lambda agent=agent: (agent.reset(), agent.act(position), simulations)[-1]
        for name, agent in agents.items()
    }
    speeds = rates(work, 1e-9, 2 * TURNS, time.perf_counter)
    ratio = f"{speeds['2'] / speeds['1']:.2f}"
    yield "MCTS, two threads against one", "—", f"{speeds['2']:,.0f}/s", ratio, "≥ 1.8"


def time_limits() -> Iterator[Row]:
    """The longest excess of four first moves over a limit of 0.2 s."""
    for spec in TIME_LIMIT_GAMES:
        for agent in ("alphabeta:time=0.2", "mcts:time=0.2"):
            overtime = longest_overtime(agent, spec, 4)
            yield f"{agent}, {spec}", "—", f"{1000 * overtime:.0f} ms over", "", "≤ 50 ms"


def rows(simulations: int) -> Iterator[Row]:
    """All rows of the table."""
    yield from alphabeta()
    yield from monte_carlo_tree_search(simulations)
    yield from caro.rows()
    yield from two_threads(simulations)
    yield from time_limits()


def main(simulations: int = 100_000) -> None:
    """Print the speed of the searches.

    Args:
        simulations: simulations per move in the comparisons of MCTS
    """
    print_table("Search", HEADINGS, rows(simulations))


if __name__ == "__main__":
    cyclopts.run(main)
