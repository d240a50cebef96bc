"""Caro on 15×15: cost of ``hard``, depth and speed of the engines, two threads, time limits.

Run with ``python benchmarks/caro.py`` (two minutes). Moves of ``hard`` are timed by processor time;
the engines play against the clock, so their depth needs a machine with a free core, and two threads
need two. The column of figures elsewhere comes from the course project on caro that this suite
started from.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

import cyclopts
from plyground import Position, make_agent, make_game
from timing import print_table

Row = tuple[str, str, str, str, str]
HEADINGS = ("work", "elsewhere", "plyground", "ratio", "wanted")
GAME, FREESTYLE = "gomoku:rule=caro", "gomoku"
DEFAULT, ENGINE = "alphabeta:time=0.5", "gomoku:time=1"
FIRST_MOVE = """
from plyground import make_agent, make_game
game = make_game("gomoku:size=19")
agent = make_agent("alphabeta:time=0.5")
agent.get_ready(game)
print(agent.analyse(game.position(["j10", "k11", "l10"])).seconds)
"""


def opening(seed: int, game: str = GAME, stones: int = 2) -> Position:
    """Some stones within three cells of the centre."""
    cells = [15 * row + column for row in range(4, 11) for column in range(4, 11)]
    return make_game(game).position(random.Random(seed).sample(cells, stones))


def hard_level(games: int) -> Iterator[Row]:
    """``hard`` in whole games against ``medium``: processor time and nodes per move.

    The nodes of the same search without pruning are printed too.
    """
    hard, medium = make_agent("hard"), make_agent("medium")
    plain = make_agent("minimax:depth=3,radius=2,heuristic=caro15_open")
    hard.act(opening(0))
    seconds, nodes, pairs = [], [], []
    for seed in range(games):
        position = opening(seed)
        while not position.is_over:
            if position.to_move != seed % 2:
                position.play(medium.act(position))
                continue
            start = time.process_time()
            decision = hard.analyse(position)
            seconds.append(time.process_time() - start)
            nodes.append(decision.nodes)
            if len(seconds) % 20 == 10 and decision.depth == 3:
                pairs.append((decision.nodes, plain.analyse(position).nodes))
            position.play(decision.action)
    mean = statistics.mean(seconds)
    ours, ratio = f"{1000 * mean:.1f} ms", f"{0.51 / mean:.0f}"
    yield "hard, a move, mean over games", "0.51 s", ours, ratio, "≤ 2 ms"
    yield "hard, nodes a move", "423,500", f"{statistics.mean(nodes):,.0f}", "", ""
    if pairs:
        fewer, full = (statistics.mean(column) for column in zip(*pairs, strict=True))
        work = f"hard, {len(pairs)} positions: nodes pruned / not"
        yield work, "423,500 / 847,250", f"{fewer:,.0f} / {full:,.0f}", "", ""


def search_engine(games: int, spec: str, aim: tuple[str, str], game: str = GAME) -> Iterator[Row]:
    """An agent at plies 10 to 30 of games of ``alphabeta:depth=4`` against itself.

    Positions with a proven result are skipped.
    """
    agent, quick, depths, speeds = make_agent(spec), make_agent("alphabeta:depth=4"), [], []
    for seed in range(games):
        position = opening(seed, game)
        for ply in range(2, 31):
            if ply % 4 == 2 and ply >= 10 and not position.is_over:
                start = time.process_time()
                decision = agent.analyse(position)
                if decision.mate_in is None:
                    depths.append(decision.depth)
                    speeds.append(decision.nodes / (time.process_time() - start))
            if not position.is_over:
                position.play(quick.act(position))
    work = f"{spec}, {game}, {len(depths)} positions at plies 10–30"
    if not depths:
        yield f"{work}: all decided, more --games have others", "", "", "", ""
        return
    ours = f"depth {statistics.median(depths):.0f} ({min(depths)} to {max(depths)})"
    yield work, "depth 3" if game == GAME else "", ours, "", aim[0]
    speed = statistics.median(speeds)
    ours, ratio = f"{speed / 1e6:.2f} M", f"{speed / 830_000:.1f}"
    yield f"{spec}, {game}, nodes a second", "0.83 M", ours, ratio, aim[1]


def two_threads(positions: int = 10, depth: int = 13) -> Iterator[Row]:
    """Nodes per second and time to depth of the engine, with one thread and with two."""
    starts = [opening(seed, FREESTYLE, 6) for seed in range(positions)]
    speeds, seconds = [], []
    for threads in (1, 2):
        for limit in ("depth=1", "time=0.5", f"depth={depth}"):
            agent = make_agent(f"gomoku:{limit},threads={threads}", FREESTYLE)
            agent.get_ready(starts[0].game)
            start = time.perf_counter()
            nodes = 0
            for position in starts:
                agent.reset()  # the table is not kept
                nodes += agent.analyse(position).nodes
            duration = time.perf_counter() - start
            if limit == "time=0.5":
                speeds.append(nodes / duration)
        seconds.append(duration)
    ours, ratio = f"{speeds[1] / 1e6:.2f} M", f"{speeds[1] / speeds[0]:.2f}"
    yield "gomoku:threads=2, nodes a second against one", "—", ours, ratio, "≥ 1.6"
    ours, ratio = f"{seconds[1] / positions:.2f} s", f"{seconds[0] / seconds[1]:.2f}"
    yield f"gomoku:threads=2, time to depth {depth}", "—", ours, ratio, ""


def longest_overtime(spec: str, game: str, moves: int) -> float:
    """The longest excess over a limit of 0.2 s in some first moves, in seconds."""
    agent, position, overtime = make_agent(spec), make_game(game).initial_position(), []
    agent.get_ready(position.game)
    for _ in range(moves):
        start = time.perf_counter()
        action = agent.act(position)
        overtime.append(time.perf_counter() - start - 0.2)
        position.play(action)
    return max(overtime)


def time_limits() -> Iterator[Row]:
    """The excess over the limit in the first eight moves, and in a new process's first move."""
    for game in (GAME, "gomoku:size=19"):
        overtime = longest_overtime("alphabeta:time=0.2", game, 8)
        work = f"alphabeta:time=0.2, {game}, longest overtime"
        yield work, "—", f"{1000 * overtime:.0f} ms", "", "≤ 50 ms"
    output = subprocess.run(
        [sys.executable, "-c", FIRST_MOVE], capture_output=True, text=True, check=True
    ).stdout
    work = "time=0.5, 19×19, first move in a fresh process, overtime"
    yield work, "—", f"{1000 * (float(output) - 0.5):.0f} ms", "", "≤ 50 ms"


def rows(games: int = 8) -> Iterator[Row]:
    """All rows of the table."""
    yield from hard_level(games)
    yield from search_engine(games, DEFAULT, ("≥ 8", ""))
    for game in (GAME, FREESTYLE):
        yield from search_engine(games, ENGINE, ("≥ 14", "≥ 1 M"), game)
    yield from two_threads()
    yield from time_limits()


def main(games: int = 8) -> None:
    """Print the figures of caro.

    Args:
        games: number of games of each kind
    """
    print_table("Caro", HEADINGS, rows(games))


if __name__ == "__main__":
    cyclopts.run(main)
