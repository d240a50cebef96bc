"""Speed of the exact solvers.

    python benchmarks/solver.py positions --count 100     # connect four by phase and difficulty
    python benchmarks/solver.py boards                    # empty boards of several games
    python benchmarks/solver.py boards dots_and_boxes:rows=4,cols=4 --memory 2048 --moves all
    python benchmarks/solver.py boards hex:size=6 --moves all  # which openings win
    python benchmarks/solver.py boards othello:size=6,empties=nobody --memory 4096  # 13 minutes
    python benchmarks/solver.py boards breakthrough:size=5 kalah:pits=4  # the general solver
    python benchmarks/solver.py endgames                  # the basis of endgame=solver
    python benchmarks/solver.py endings othello --left 16 --left 20 --count 50
    python benchmarks/solver.py ffo                       # Othello's test positions, with scores
    python benchmarks/solver.py threads                   # two threads against one; needs two cores
    python benchmarks/solver.py openings --count 500      # connect four's stored values
    python benchmarks/solver.py games --count 100         # connect four as the pages ask it

``positions`` solves the sets in benchmarks/positions, drawn by benchmarks/solver_positions.py by
phase and difficulty as in Pons' tutorial "Solving Connect 4", each by one batch call with an empty
table, and checks the values. ``boards`` solves boards from the start and counts the nodes.
``endgames`` solves positions after random moves one by one, with the table of an agent with
``endgame=``; the number of plies to the end grows until the mean time is more than 30 ms.
``endings`` solves positions after random moves, each with an empty table: the value, then only the
result. ``ffo`` solves positions 1 to 25 and 40 to 44 of the endgame test of the French Othello
Federation (http://www.radagast.se/othello/ffotest.html) and checks scores and moves. Times are
processor time, without compilation. Only ``threads`` measures wall-clock time: one thread and
several take turns, each with an empty table. On a busy machine the processor time of the first
thread is more reliable. ``openings`` solves stored positions of connect four without the stored
values, and compares. ``games`` solves all moves in positions of agents' games after the stored
plies, each with a new solver with the table and the threads of the pages, in wall-clock time.
"""

from __future__ import annotations

import itertools
import time as clock
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import cyclopts
import numpy as np
from plyground import Game, Position, make_agent, make_game
from plyground.agents.solvers.connect_four.board import make_board
from plyground.agents.solvers.connect_four.opening import FILE, PLIES, layers, read_values
from plyground.agents.solvers.endgame import MEMORY_MB
from plyground.agents.solvers.parallel import ALL
from plyground.agents.solvers.solver import Solver, make_solver, solver_class_of
from solver_positions import CLASSES, read_positions
from timing import print_table, processor_seconds

BOARDS = (
    "connect_four:rows=5,cols=5",
    "connect_four:rows=4,cols=7",
    "connect_four",
    "dots_and_boxes:rows=3,cols=3",
    "dots_and_boxes:rows=3,cols=4",
    "dots_and_boxes:rows=3,cols=3,start=icelandic",
    "dots_and_boxes:rows=3,cols=4,start=icelandic",
    "dots_and_boxes:rows=4,cols=4,start=swedish",
    "tic_tac_toe",
    "tic_tac_toe:size=4",
    "tic_tac_toe:rows=5,cols=6,connect=4",
    "tic_tac_toe:size=5",
    "hex:size=5",
    "hex:size=6",
    "breakthrough:rows=5,cols=4",
    "kalah:pits=4,seeds=3",
    "kalah:pits=4",
)
PLAYERS = ("alphabeta:depth=8", "mcts:simulations=1000")
ENDGAMES = (
    "connect_four",
    "connect_four:rows=7,cols=8",
    "dots_and_boxes:rows=3,cols=3",
    "dots_and_boxes",
    "dots_and_boxes:rows=5,cols=5",
    "tic_tac_toe:size=5",
    "tic_tac_toe:rows=5,cols=6,connect=4",
    "gomoku:size=7",
    "othello",
    "hex:size=7",
    "hex:size=8",
)
FFO = Path(__file__).parent / "extras/games/othello/othello_ffo.txt"
ENOUGH = 0.03  # seconds on average

app = cyclopts.App(help=__doc__)


def empty_solver(game: Game, memory: int) -> Solver:
    """A solver with an empty table, its kernels loaded."""
    solver = make_solver(game, memory)
    solver.prepare()
    solver.clear()
    return solver


def duration_text(seconds: float) -> str:
    """A time in the unit that suits it."""
    if seconds < 1e-3:
        return f"{1e6 * seconds:.1f} µs"
    return f"{1e3 * seconds:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"


@app.command
def positions(*classes: str, count: int = 20, memory: int = 1024) -> None:
    """Print the cost of connect-four positions, compared with Pons' solver.

    Args:
        classes: only these, such as "middle easy"
        count: largest number of positions of each class
        memory: MiB for the table
    """
    solver = empty_solver(make_game("connect_four"), memory)

    def rows() -> Iterator[tuple[str, ...]]:
        for each in CLASSES:
            if classes and each.name not in classes:
                continue
            entries = read_positions(each, count)
            records = solver.records_of(solver.game.position(entry.moves) for entry in entries)
            solver.solve_batch(records[:1])  # so that loading the kernels is not timed
            solver.clear()
            seconds, values = processor_seconds(solver.solve_batch, records)
            if values.tolist() != [entry.value for entry in entries]:
                raise SystemExit(f"{each.path}: values differ from those in the file")
            yield (
                each.name,
                str(len(entries)),
                f"{solver.nodes / len(entries):,.0f}",
                duration_text(seconds / len(entries)),
                f"{solver.nodes / seconds:,.0f}",
                f"{each.pons_nodes:,.0f}",
                duration_text(each.pons_microseconds / 1e6),
            )

    headings = ("class", "positions", "searched each", "time each", "searched/s", "Pons: searched",
                "at 7 M/s")  # fmt: skip
    print_table(f"connect four, table {memory} MiB", headings, rows())


@app.command
def boards(
    *games: str,
    memory: int = 1024,
    moves: Literal["best", "all"] = "best",
    time: float | None = None,
) -> None:
    """Print the cost of solving boards from the start, and their values.

    Args:
        games: specifications of the boards
        memory: MiB for the table
        moves: value one best action, or all
        time: time limit per board in seconds
    """

    def rows() -> Iterator[tuple[str, ...]]:
        for spec in games or BOARDS:
            solver = empty_solver(make_game(spec), memory)
            start = solver.game.initial_position()
            seconds, solution = processor_seconds(solver.solve, start, moves=moves, time=time)
            values = dict(solution.values or {solution.best_action: solution.value})
            best = " ".join(
                f"{solver.game.action_to_text(action)} {value}" for action, value in values.items()
            )
            yield (
                spec,
                " to ".join(f"{value:+d}" for value in sorted({solution.lower, solution.upper})),
                f"{solution.nodes:,}",
                f"{seconds:.2f}",
                f"{solution.nodes / seconds:,.0f}",
                best,
            )

    headings = ("board", "value", "positions searched", "seconds", "positions/s", "actions")
    print_table(f"boards, table {memory} MiB", headings, rows())


def random_position(solver: Solver, left: int, rng: np.random.Generator) -> Position:
    """An unfinished position of random play with at most ``left`` plies left."""
    while True:
        position = solver.game.initial_position()
        while not position.is_over:
            if solver.plies_left(position) <= left:
                return position
            position.play(int(rng.choice(position.legal_actions())))


@app.command
def endgames(*games: str, count: int = 20, step: int = 2) -> None:
    """Print the mean and the longest time by plies left for each game.

    Args:
        games: specifications of the boards
        count: positions of each number of plies left
        step: step between the numbers of plies left
    """
    for spec in games or ENDGAMES:
        game, rng = make_game(spec), np.random.default_rng(0)
        memory = max(MEMORY_MB, solver_class_of(game).least_memory_mb(game))
        solver = make_solver(game, memory)
        solver.solve(random_position(solver, 4, rng))  # so that loading the kernels is not timed

        def rows(solver: Solver = solver, rng: np.random.Generator = rng):
            for left in range(8, solver.plies_left(solver.game.initial_position()) + 1, step):
                sample = [random_position(solver, left, rng) for _ in range(count)]
                seconds = [processor_seconds(solver.solve, position)[0] for position in sample]
                yield str(left), duration_text(np.mean(seconds)), duration_text(max(seconds))
                if np.mean(seconds) > ENOUGH:
                    return

        headings = ("plies left at most", "mean", "longest")
        print_table(f"{spec}: {count} positions each", headings, rows())


@app.command
def endings(
    game: str, *, left: tuple[int, ...] = (12, 16, 20), count: int = 50, memory: int = 512
) -> None:
    """Print the cost of positions after random moves, value and result, with empty tables.

    Args:
        game: specification of the board
        left: numbers of plies left
        count: positions of each number
        memory: MiB for the table
    """
    solver = empty_solver(make_game(game), memory)

    def rows() -> Iterator[tuple[str, ...]]:
        for plies in left:
            rng = np.random.default_rng(0)
            sample = [random_position(solver, plies, rng) for _ in range(count)]
            for weak in (False, True):
                costs = []
                for position in sample:
                    solver.clear()
                    seconds, solution = processor_seconds(solver.solve, position, weak=weak)
                    costs.append((solution.nodes, seconds))
                nodes, seconds = np.mean(costs, axis=0)
                yield (
                    str(plies),
                    "result" if weak else "value",
                    f"{nodes:,.0f}",
                    duration_text(seconds),
                    duration_text(max(each for _, each in costs)),
                    f"{nodes / seconds:,.0f}",
                )

    headings = ("plies left", "asked", "searched each", "time each", "longest", "searched/s")
    print_table(f"{game}: {count} positions each, table {memory} MiB", headings, rows())


@app.command
def ffo(*, memory: int = 512) -> None:
    """Print the cost of positions of Othello's FFO test, and check scores and moves.

    Args:
        memory: MiB for the table
    """
    solver = empty_solver(make_game("othello"), memory)

    def rows() -> Iterator[tuple[str, ...]]:
        for line in FFO.read_text().splitlines():
            number, text, moves = line.split()
            values = {move: int(value) for move, value in (m.split(":") for m in moves.split(","))}
            position = solver.game.position_from_text(text)
            solver.clear()
            seconds, solution = processor_seconds(solver.solve, position)
            move = solver.game.action_to_text(solution.best_action)
            if not solution.value == values.get(move) == max(values.values()):
                raise SystemExit(f"FFO {number}: {solution.value} {move}, not the best of {moves}")
            left = str(solver.plies_left(position))
            speed = f"{solution.nodes / seconds:,.0f}"
            cost = (f"{solution.nodes:,}", duration_text(seconds), speed)
            yield (number, left, f"{solution.value:+d}", move, *cost)

    headings = ("position", "free cells", "value", "move", "searched", "time", "searched/s")
    print_table(f"FFO, table {memory} MiB", headings, rows())


@app.command
def threads(
    *games: str, count: int = 4, turns: int = 3, memory: int = 1024, threads: int = 2
) -> None:
    """Print wall-clock times of one thread and of several, in turns.

    Args:
        games: boards to solve from the start, besides begin-hard positions of connect four
        count: begin-hard positions
        turns: turns of each; the quickest counts
        memory: MiB for the table
        threads: number of threads
    """
    connect_four = make_game("connect_four")
    entries = read_positions(CLASSES[-1], count)
    starts = [("begin hard", connect_four.position(entry.moves)) for entry in entries]
    starts += [(spec, make_game(spec).initial_position()) for spec in games]

    def rows() -> Iterator[tuple[str, ...]]:
        sums = np.zeros((3, 2))
        for name, position in starts:
            best, values = np.full((3, 2), np.inf), set()
            for _ in range(turns):
                for index, number in enumerate((1, threads)):
                    solver = make_solver(position.game, memory, number)
                    solver.prepare()
                    began = np.array([0, clock.perf_counter(), clock.thread_time()])
                    values.update(solver.solve_batch([position]).tolist())
                    end = solver.nodes, clock.perf_counter(), clock.thread_time()
                    best[:, index] = np.minimum(best[:, index], end - began)
            assert len(values) == 1
            sums += best
            yield _compared(name, best)
        yield _compared("all", sums)

    headings = ("from", "one thread", f"{threads} threads", "times as fast", "own time, times less",
                "positions, times as many")  # fmt: skip
    print_table(f"threads, table {memory} MiB", headings, rows())


@app.command
def openings(*, count: int = 500, memory: int = 2048) -> None:
    """Solve stored positions of connect four again, and compare.

    Args:
        count: random positions of the last stored ply
        memory: MiB for the table
    """
    game, values = make_game("connect_four"), read_values(FILE)
    layer = next(itertools.islice(layers(make_board(game.rules)), PLIES, None))
    sample = np.random.default_rng(0).choice(len(values), count, replace=False)
    records = game.new_records(count)
    mover = PLIES % 2
    records["stones"][:, mover], records["stones"][:, 1 - mover] = (
        layer.own[sample],
        layer.opp[sample],
    )
    records["ply"] = PLIES
    solver = empty_solver(game, memory)
    seconds, answers = processor_seconds(solver.solve_batch, records)
    wrong = int((answers != values[sample]).sum())
    print(f"{count} of {len(values):,} positions: {wrong} differ, {duration_text(seconds)}")


@app.command
def games(*, count: int = 100, limit: float = 1.0, memory: int = 128) -> None:
    """Print the number of positions of games that are solved with all values within a time.

    Args:
        count: games, of two search agents after two random moves
        limit: seconds
        memory: MiB for the table
    """
    game, rng = make_game("connect_four"), np.random.default_rng(0)
    agents = [make_agent(spec, game, 1) for spec in PLAYERS]
    seconds: dict[int, list[float]] = {}
    make_solver(game, memory, ALL).prepare()
    for number in range(count):
        position = game.position([int(action) for action in rng.integers(game.rules.cols, size=2)])
        while not position.is_over:
            if position.ply >= PLIES:
                solver = make_solver(game, memory, ALL)
                began = clock.perf_counter()
                solver.solve(position, moves="all")
                seconds.setdefault(position.ply, []).append(clock.perf_counter() - began)
            agent = agents[(position.ply + number) % 2]
            position = position.after(agent.analyse(position).action)
    every = np.concatenate(list(seconds.values()))
    rows = [(str(ply), *_shares(np.array(seconds[ply]), limit)) for ply in sorted(seconds)]
    headings = ("ply", "positions", f"within {limit:g} s", "mean", "longest")
    title = f"connect_four: {count} games of {' and '.join(PLAYERS)}, by the clock"
    print_table(title, headings, iter([*rows, ("all", *_shares(every, limit))]))


def _shares(seconds: np.ndarray, limit: float) -> tuple[str, ...]:
    share = f"{100 * (seconds <= limit).mean():.1f} %"
    return str(len(seconds)), share, duration_text(seconds.mean()), duration_text(seconds.max())


def _compared(name: str, measures: np.ndarray) -> tuple[str, ...]:
    """A row of positions, wall-clock seconds and processor seconds of the first thread."""
    nodes, seconds, own_seconds = measures
    return (
        name,
        *map(duration_text, seconds),
        f"{seconds[0] / seconds[1]:.2f}",
        f"{own_seconds[0] / own_seconds[1]:.2f}",
        f"{nodes[1] / nodes[0]:.2f}",
    )


if __name__ == "__main__":
    app()
