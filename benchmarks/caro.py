"""Caro on 15×15: cost of ``hard``, depth and speed of the engines, time limits kept.

Run with ``python benchmarks/caro.py`` (a minute). Moves of ``hard`` are timed by the process's own
processor time; the engines play against the clock, so their depth needs a machine with a free core.
Figures elsewhere are those of the course project on caro that this suite started from.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

from plyground import Position, make_agent, make_game
from rich.console import Console
from rich.table import Table

Row = tuple[str, str, str, str, str]  # work, elsewhere, ours, ratio, wanted

GAME, FREESTYLE = "gomoku:rule=caro", "gomoku"
DEFAULT, ENGINE = "alphabeta:time=0.5", "gomoku:time=1"
FIRST_MOVE = """
from plyground import make_agent, make_game
game = make_game("gomoku:size=19")
agent = make_agent("alphabeta:time=0.5")
agent.get_ready(game)
print(agent.analyse(game.position(["j10", "k11", "l10"])).seconds)
"""


def opening(seed: int, game: str = GAME) -> Position:
    """Two stones within three cells of the centre."""
    cells = [15 * row + column for row in range(4, 11) for column in range(4, 11)]
    return make_game(game).position(random.Random(seed).sample(cells, 2))


def hard_level(games: int) -> Iterator[Row]:
    """``hard`` in whole games against ``medium``: processor time and nodes a move.

    The nodes of the same search without pruning are printed beside them.
    """
    hard, medium = make_agent("hard"), make_agent("medium")
    unpruned = make_agent("minimax:depth=3,radius=2,heuristic=caro15_open")
    hard.act(opening(0))
    seconds, nodes, pairs = [], [], []
    for seed in range(games):
        position = opening(seed)
        while not position.is_over:
            if position.to_move != seed % 2:
                position.play(medium.act(position))
                continue
            began = time.process_time()
            decision = hard.analyse(position)
            seconds.append(time.process_time() - began)
            nodes.append(decision.nodes)
            if len(seconds) % 20 == 10 and decision.depth == 3:
                pairs.append((decision.nodes, unpruned.analyse(position).nodes))
            position.play(decision.action)
    mean = statistics.mean(seconds)
    yield (
        "hard, a move, mean over games",
        "0.51 s",
        f"{1000 * mean:.1f} ms",
        f"{0.51 / mean:.0f}",
        "≤ 2 ms",
    )
    yield "hard, nodes a move", "423,500", f"{statistics.mean(nodes):,.0f}", "", ""
    with_pruning, without = (statistics.mean(column) for column in zip(*pairs, strict=True))
    yield (
        f"hard, {len(pairs)} positions: nodes pruned / not",
        "423,500 / 847,250",
        f"{with_pruning:,.0f} / {without:,.0f}",
        "",
        "",
    )


def search_engine(
    games: int, spec: str, wanted: tuple[str, str], game: str = GAME
) -> Iterator[Row]:
    """An agent at plies 10 to 30 of games that ``alphabeta:depth=4`` plays with itself.

    Only positions without a proven result are taken.
    """
    agent, quick, depths, speeds = make_agent(spec), make_agent("alphabeta:depth=4"), [], []
    for seed in range(games):
        position = opening(seed, game)
        for ply in range(2, 31):
            if ply % 4 == 2 and ply >= 10 and not position.is_over:
                began = time.process_time()
                decision = agent.analyse(position)
                if decision.mate_in is None:
                    depths.append(decision.depth)
                    speeds.append(decision.nodes / (time.process_time() - began))
            if not position.is_over:
                position.play(quick.act(position))
    ours = f"depth {statistics.median(depths):.0f} ({min(depths)} to {max(depths)})"
    work = f"{spec}, {game}, {len(depths)} positions at plies 10–30"
    yield work, "depth 3" if game == GAME else "", ours, "", wanted[0]
    yield (
        "the same, nodes a second",
        "0.83 M",
        f"{statistics.median(speeds) / 1e6:.2f} M",
        f"{statistics.median(speeds) / 830_000:.1f}",
        wanted[1],
    )


def time_limits() -> Iterator[Row]:
    """How far the first eight moves exceed their limit, and the first move of a fresh process."""
    for spec in (GAME, "gomoku:size=19"):
        agent, position, over = (
            make_agent("alphabeta:time=0.2"),
            make_game(spec).initial_position(),
            [],
        )
        agent.get_ready(position.game)
        for _ in range(8):
            began = time.perf_counter()
            action = agent.act(position)
            over.append(time.perf_counter() - began - 0.2)
            position.play(action)
        yield (
            f"alphabeta:time=0.2, {spec}, longest overtime",
            "—",
            f"{1000 * max(over):.0f} ms",
            "",
            "≤ 50 ms",
        )
    printed = subprocess.run(
        [sys.executable, "-c", FIRST_MOVE], capture_output=True, text=True, check=True
    ).stdout
    yield (
        "time=0.5, 19×19, first move in a fresh process, overtime",
        "—",
        f"{1000 * (float(printed) - 0.5):.0f} ms",
        "",
        "≤ 50 ms",
    )


def rows(games: int = 8) -> Iterator[Row]:
    """All rows of the table."""
    yield from hard_level(games)
    yield from search_engine(games, DEFAULT, ("≥ 8", ""))
    for game in (GAME, FREESTYLE):
        yield from search_engine(games, ENGINE, ("≥ 14", "≥ 1 M"), game)
    yield from time_limits()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--games", type=int, default=8, help="games of each kind (default: %(default)s)"
    )
    games = parser.parse_args().games
    table = Table("work", "elsewhere", "plyground", "ratio", "wanted", title="Caro")
    console = Console(width=140)
    with console.status("measuring …"):
        for row in rows(games):
            table.add_row(*row)
    console.print(table)


if __name__ == "__main__":
    main()
