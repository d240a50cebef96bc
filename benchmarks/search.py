"""Speed of the search agents, with OpenSpiel's MCTS bot as the peer in the same run.

Run with ``python benchmarks/search.py`` (three minutes). Work on one core is timed by the process's
own processor time, contestants take turns, medians are printed; two threads against one and the
keeping of time limits need wall-clock time and a quiet machine. OpenSpiel's C++ alpha-beta is not
in its Python package, so it stands here with figures measured elsewhere on such a machine (2.3
million nodes a second; 3.05 million nodes and 1.4 s for depth 12).
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator

import caro
import pyspiel
from plyground import (
    Agent,
    Position,
    make_agent,
    make_game,
)
from rich.console import Console
from rich.table import Table

PLAIN = (
    "iterative=no,table=0,killers=no,history=no,scout=no,symmetry=no,ordering=none,heuristic=none"
)
TURNS = 5

Row = tuple[str, str, str, str, str]  # work, elsewhere, ours, ratio, wanted


def processor_seconds(work: Callable[[], object]) -> float:
    """Median processor time of a piece of work, after one run to warm up."""
    work()
    taken = []
    for _ in range(TURNS):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return statistics.median(taken)


def plain_alphabeta() -> Iterator[Row]:
    """Nodes a second of the textbook's alpha-beta on the empty 6×7 board.

    Tests compare its node counts with those of the plain reference.
    """
    position = make_game("connect_four").initial_position()
    agent = make_agent(f"alphabeta:depth=12,{PLAIN}")
    nodes = agent.analyse(position).nodes
    speed = nodes / processor_seconds(lambda: agent.act(position))
    yield (
        "plain alpha-beta, 6×7, nodes/s",
        "2.3 M (C++, elsewhere)",
        f"{speed / 1e6:.1f} M",
        f"{speed / 2.3e6:.1f}",
        "≥ 20 M",
    )


def full_alphabeta() -> Iterator[Row]:
    """Depth 12 from the empty board with every enhancement, with and without a heuristic."""
    position = make_game("connect_four").initial_position()
    for heuristic in ("none", "default"):
        agent = make_agent(f"alphabeta:depth=12,heuristic={heuristic}")
        nodes = agent.analyse(position).nodes
        seconds = processor_seconds(lambda agent=agent: agent.act(position))
        ours = f"{seconds:.3f} s, {nodes / 1e6:.2f} M nodes"
        yield (
            f"depth 12, all on, heuristic={heuristic}",
            "1.4 s, 3.05 M (C++, elsewhere)",
            ours,
            f"{1.4 / seconds:.0f}",
            "≤ 0.05 s",
        )


def monte_carlo_tree_search(simulations: int) -> Iterator[Row]:
    """Simulations a second, one uniform playout each, against OpenSpiel's C++ bot, turn by turn."""
    games = (
        ("connect four", "connect_four", "connect_four", "84,000"),
        ("dots and boxes 4×4", "dots_and_boxes", "dots_and_boxes(num_rows=4,num_cols=4)", "31,000"),
    )
    for title, ours_spec, theirs_spec, elsewhere in games:
        position, agent = (
            make_game(ours_spec).initial_position(),
            make_agent(f"mcts:simulations={simulations},reuse=no"),
        )
        peer_game = pyspiel.load_game(theirs_spec)
        bot = pyspiel.MCTSBot(
            peer_game, pyspiel.RandomRolloutEvaluator(1, 0), 1.4, simulations, 1000, False, 0, False
        )
        peer_state = peer_game.new_initial_state()
        agent.act(position)
        mine, theirs = [], []
        for _ in range(TURNS):
            mine.append(
                simulations / cost(lambda agent=agent, position=position: agent.act(position))
            )
            theirs.append(
                simulations / cost(lambda bot=bot, state=peer_state: bot.mcts_search(state))
            )
        ratio = statistics.median(a / b for a, b in zip(mine, theirs, strict=True))
        there = f"{statistics.median(theirs):,.0f} ({elsewhere} elsewhere)"
        yield (
            f"MCTS, {title}, simulations/s",
            there,
            f"{statistics.median(mine):,.0f}",
            f"{ratio:.1f}",
            "≥ 5 times",
        )


def cost(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def two_threads(simulations: int) -> Iterator[Row]:
    """Playouts a second of two threads against one, in wall-clock time, turn by turn."""
    position = make_game("connect_four").initial_position()
    agents = [
        make_agent(f"mcts:simulations={simulations},reuse=no,threads={threads}")
        for threads in (1, 2)
    ]
    ratios, speeds = [], []
    for agent in agents:
        agent.act(position)
    for _ in range(2 * TURNS):
        seconds = [agent.analyse(position).seconds for agent in agents]
        ratios.append(seconds[0] / seconds[1])
        speeds.append(simulations / seconds[1])
    yield (
        "MCTS, two threads against one",
        "—",
        f"{statistics.median(speeds):,.0f}/s",
        f"{statistics.median(ratios):.2f}",
        "≥ 1.8",
    )


def time_limits() -> Iterator[Row]:
    """The longest any of four first moves took over a limit of 0.2 s."""
    for spec in (
        "connect_four",
        "dots_and_boxes:rows=7,cols=7",
        "tic_tac_toe:size=19,connect=5",
        "gomoku",
        "gomoku:size=19",
    ):
        for name in ("alphabeta", "mcts"):
            overtime = longest_overtime(
                make_agent(f"{name}:time=0.2"), make_game(spec).initial_position()
            )
            yield f"{name}:time=0.2, {spec}", "—", f"{1000 * overtime:.0f} ms over", "", "≤ 50 ms"


def longest_overtime(agent: Agent, position: Position) -> float:
    agent.get_ready(position.game)
    over = []
    for _ in range(4):
        began = time.perf_counter()
        action = agent.act(position)
        over.append(time.perf_counter() - began - 0.2)
        position.play(action)
    return max(over)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--simulations",
        type=int,
        default=100_000,
        help="a move, in the comparisons of MCTS (default: %(default)s)",
    )
    simulations = parser.parse_args().simulations
    table = Table("work", "elsewhere", "plyground", "ratio", "wanted", title="Search")
    console = Console(width=140)
    with console.status("measuring …"):
        for rows in (
            plain_alphabeta(),
            full_alphabeta(),
            monte_carlo_tree_search(simulations),
            caro.rows(),
            two_threads(simulations),
            time_limits(),
        ):
            for row in rows:
                table.add_row(*row)
    console.print(table)


if __name__ == "__main__":
    main()
