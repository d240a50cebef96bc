"""Speed of the exact solvers.

    python benchmarks/solver.py connect_four --positions 100
    python benchmarks/solver.py connect_four_boards

The first solves sets of random positions, by phase and difficulty as in Pons' tutorial "Solving Connect 4": the phase is the number of stones, the
difficulty the number of plies to the end of the game under best play. A set is drawn by its seed: random legal moves up to a random number of
stones, games that ended and positions with a win at once thrown away. Each set is solved by one batch call with an empty table. Positions
searched are those whose children were looked at; the clock is the process's own processor time, so that other work on the machine
hardly matters. The second solves empty boards.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
from plyground import Game, make_game
from plyground.agents.solver import make_solver
from plyground.agents.solver_connect_four import ConnectFourSolver
from rich.console import Console
from rich.table import Table

CONSOLE = Console()


class PositionClass(NamedTuple):
    """Positions of a phase and a difficulty: ranges of stones on the board and of plies to the end, both inclusive."""

    name: str
    stones: tuple[int, int]
    plies: tuple[int, int]
    pons_nodes: float
    pons_microseconds: float


CLASSES = (
    PositionClass("end easy", (29, 40), (0, 13), 51, 7),
    PositionClass("middle easy", (15, 28), (0, 13), 450, 64),
    PositionClass("middle medium", (15, 28), (14, 27), 39_900, 5_700),
    PositionClass("begin easy", (4, 14), (0, 13), 3_300, 470),
    PositionClass("begin medium", (4, 14), (14, 27), 1_200_000, 172_000),
    PositionClass("begin hard", (4, 14), (28, 42), 65_900_000, 9_400_000),
)


def plies_to_the_end(value: int, left: int) -> int:
    """How many plies a game with ``left`` free cells goes on, if it is worth ``value`` to the side to move."""
    if value > 0:
        return 2 * ((left + 1) // 2 - value) + 1
    return 2 * (left // 2 + value + 1) if value < 0 else left


def ends_within(solver: ConnectFourSolver, records: np.ndarray, left: int, plies: int) -> bool:
    """Whether the game ends within so many plies under best play, by one or two questions that are cheaper than the value."""
    if left <= plies:
        return True
    won = [value for value in range(1, left) if plies_to_the_end(value, left) <= plies]
    lost = [value for value in range(-left, 0) if 0 <= plies_to_the_end(value, left) <= plies]
    if won and solver.at_least(records, np.array(won[:1]))[0]:
        return True
    return bool(lost) and not solver.at_least(records, np.array(lost[-1:]) + 1)[0]


def random_positions(game: Game, chosen: PositionClass, seed: int) -> Iterator[np.ndarray]:
    """Random positions with a number of stones of the class and no win at once, as arrays of one record; without end."""
    rng = np.random.default_rng(seed)
    while True:
        position = game.initial_position()
        for _ in range(rng.integers(chosen.stones[0], chosen.stones[1] + 1)):
            position.play(int(rng.choice(position.legal_actions())))
            if position.is_over:
                break
        else:
            player = position.to_move
            children = (position.after(action) for action in position.legal_actions())
            if not any(child.is_over and child.returns[player] > 0 for child in children):
                yield np.array([position.record], game.declaration.dtype)


def positions_of_class(game: Game, chosen: PositionClass, count: int, seed: int, memory_mb: int) -> np.ndarray:
    """``count`` records of a class, drawn by a seed."""
    solver = make_solver(game, memory_mb)
    assert isinstance(solver, ConnectFourSolver)
    found: list[np.ndarray] = []
    for records in random_positions(game, chosen, seed):
        left = game.facts.longest_game - int(records["ply"][0])
        if ends_within(solver, records, left, chosen.plies[1]) and not ends_within(solver, records, left, chosen.plies[0] - 1):
            found.append(records)
            if len(found) == count:
                break
    return np.concatenate(found)


def connect_four(count: int, seed: int, memory_mb: int, names: list[str]) -> None:
    """The classes of positions, each solved by one batch call."""
    game = make_game("connect_four")
    table = Table(title=f"connect four, {count} positions each, seed {seed}, table {memory_mb} MiB")
    for heading in ("class", "searched per position", "CPU time per position", "positions/s", "Pons: searched", "time at 7 M/s"):
        table.add_column(heading, justify="left" if heading == "class" else "right")
    for chosen in CLASSES:
        if names and chosen.name not in names:
            continue
        records = positions_of_class(game, chosen, count, seed, memory_mb)
        solver = make_solver(game, memory_mb)
        solver.solve_batch(records[:1])  # so that loading the kernels is not timed
        solver.clear()
        began = time.process_time()
        solver.solve_batch(records)
        seconds = time.process_time() - began
        nodes = solver.nodes
        table.add_row(
            chosen.name,
            f"{nodes / count:,.0f}",
            time_text(1e6 * seconds / count),
            f"{nodes / seconds:,.0f}",
            f"{chosen.pons_nodes:,.0f}",
            time_text(chosen.pons_microseconds),
        )
    CONSOLE.print(table)


def connect_four_boards(specs: list[str], memory_mb: int, moves: Literal["best", "all"]) -> None:
    """Empty boards: the value for the first player and of a best or of all actions; the time includes the line of best play."""
    table = Table(title=f"empty boards, table {memory_mb} MiB")
    for heading in ("board", "value", "actions", "positions searched", "CPU seconds", "positions/s"):
        table.add_column(heading, justify="left" if heading == "board" else "right")
    for spec in specs:
        game = make_game(spec)
        solver = make_solver(game, memory_mb)
        solver.solve(game.initial_position(), time=1e-3)  # so that loading the kernels is not timed
        solver.clear()
        began = time.process_time()
        solution = solver.solve(game.initial_position(), moves=moves)
        seconds = time.process_time() - began
        values = list((solution.values or {solution.best_action: solution.value}).items())
        listed = " ".join(f"{game.action_to_text(action)} {value:+d}" for action, value in values)
        table.add_row(spec, str(solution.value), listed, f"{solution.nodes:,}", f"{seconds:.2f}", f"{solution.nodes / seconds:,.0f}")
    CONSOLE.print(table)


def time_text(microseconds: float) -> str:
    """A time in the unit that suits it."""
    if microseconds < 1000:
        return f"{microseconds:.1f} µs"
    return f"{microseconds / 1e3:.2f} ms" if microseconds < 1e6 else f"{microseconds / 1e6:.2f} s"


def main() -> None:
    """Parse the command line and run one measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", default="connect_four", choices=["connect_four", "connect_four_boards"])
    parser.add_argument("--positions", type=int, default=20, help="positions in each class")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--memory", type=int, default=1024, help="MiB for the table")
    parser.add_argument("--classes", nargs="*", default=[], choices=[each.name for each in CLASSES], help="only these classes")
    parser.add_argument("--boards", nargs="*", default=["connect_four:rows=5,cols=5", "connect_four:rows=4,cols=7", "connect_four"])
    parser.add_argument("--moves", default="best", choices=["best", "all"], help="value one best action of the boards, or all")
    arguments = parser.parse_args()
    if arguments.what == "connect_four":
        connect_four(arguments.positions, arguments.seed, arguments.memory, arguments.classes)
    else:
        connect_four_boards(arguments.boards, arguments.memory, arguments.moves)


if __name__ == "__main__":
    main()
