"""Positions of connect four by phase and difficulty, for benchmarks/solver.py.

They are in benchmarks/positions. The first command checks that the files begin with the positions
of the seed, the second writes a file:

    python benchmarks/solver_positions.py
    python benchmarks/solver_positions.py "middle medium" --write --positions 1000

The classes follow Pons' tutorial "Solving Connect 4": the phase is the number of stones, the
difficulty the number of plies to the end of the game under best play. The positions of a phase are
one random stream: random legal moves up to a random number of stones; finished games and positions
with a win at once are discarded. The solver decides the class of each position, and a file has the
first positions of a class, one per line: the moves as column numbers from 1, and the value for the
side to move. This is the format of Pons' test sets.

Drawing takes longer than solving, because most positions are discarded. The means of nodes and
processor time are printed too, each position solved with an empty table.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import cyclopts
import numpy as np
from plyground import Game, Position, make_game
from plyground.agents.solvers.connect_four import ConnectFourSolver
from plyground.agents.solvers.solver import make_solver

FOLDER = Path(__file__).parent / "positions"
SEED = 0


class PositionClass(NamedTuple):
    """A phase and a difficulty, and the published cost of Pons' solver per position.

    They are ranges of stones on the board and of plies to the end, both inclusive.
    """

    name: str
    stones: tuple[int, int]
    plies: tuple[int, int]
    pons_nodes: float
    pons_microseconds: float

    @property
    def phase(self) -> str:
        return self.name.split()[0]

    @property
    def path(self) -> Path:
        return FOLDER / f"connect_four_{self.name.replace(' ', '_')}.txt"


CLASSES = (
    PositionClass("end easy", (29, 40), (0, 13), 51, 7),
    PositionClass("middle easy", (15, 28), (0, 13), 450, 64),
    PositionClass("middle medium", (15, 28), (14, 27), 39_900, 5_700),
    PositionClass("begin easy", (4, 14), (0, 13), 3_300, 470),
    PositionClass("begin medium", (4, 14), (14, 27), 1_200_000, 172_000),
    PositionClass("begin hard", (4, 14), (28, 42), 65_900_000, 9_400_000),
)
PHASES = tuple(dict.fromkeys(each.phase for each in CLASSES))


class SolvedPosition(NamedTuple):
    """A position by its moves, its value for the side to move, and the cost of solving it.

    The cost is in positions searched and in seconds of processor time.
    """

    moves: tuple[int, ...]
    value: int
    nodes: int = 0
    seconds: float = 0.0

    def line(self) -> str:
        return "".join(str(column + 1) for column in self.moves) + f" {self.value}\n"


def read_positions(position_class: PositionClass, count: int) -> list[SolvedPosition]:
    """The first positions of a class's file, with their values."""
    with position_class.path.open() as lines:
        fields = [line.split() for line, _ in zip(lines, range(count))]
    return [
        SolvedPosition(tuple(int(digit) - 1 for digit in moves), int(value))
        for moves, value in fields
    ]


def random_positions(
    game: Game, stones: tuple[int, int], seed: int
) -> Iterator[tuple[tuple[int, ...], Position]]:
    """Endless random positions with ``stones`` stones and no win at once, with their moves."""
    rng = np.random.default_rng(seed)
    while True:
        position, moves = game.initial_position(), []
        for _ in range(rng.integers(stones[0], stones[1] + 1)):
            moves.append(int(rng.choice(position.legal_actions())))
            position.play(moves[-1])
            if position.is_over:
                break
        else:
            player = position.to_move
            children = (position.after(action) for action in position.legal_actions())
            if not any(child.is_over and child.returns[player] > 0 for child in children):
                yield tuple(moves), position


def plies_to_the_end(value: int, left: int) -> int:
    """Plies to the end of a game with ``left`` free cells and this ``value``."""
    if value > 0:
        return 2 * ((left + 1) // 2 - value) + 1
    return 2 * (left // 2 + value + 1) if value < 0 else left


def ends_within(solver: ConnectFourSolver, position: Position, left: int, plies: int) -> bool:
    """Whether the game ends within a number of plies under best play.

    One or two null-window searches decide this, which are cheaper than the value.
    """
    if left <= plies:
        return True
    won = [value for value in range(1, left) if plies_to_the_end(value, left) <= plies]
    lost = [value for value in range(-left, 0) if 0 <= plies_to_the_end(value, left) <= plies]
    if won and solver.at_least([position], np.array(won[:1]))[0]:
        return True
    return bool(lost) and not solver.at_least([position], np.array(lost[-1:]) + 1)[0]


def class_of(
    solver: ConnectFourSolver, position: Position, classes: Iterable[PositionClass]
) -> PositionClass | None:
    """The class of a position among the wanted classes, or None.

    The classes are of one phase, easier ones first. Null-window searches decide it.
    """
    left = position.game.facts.longest_game - int(position.record.ply)
    for candidate in classes:
        if ends_within(solver, position, left, candidate.plies[1]):
            return (
                None
                if candidate.plies[0] > 0
                and ends_within(solver, position, left, candidate.plies[0] - 1)
                else candidate
            )
    return None


def draw(
    counts: dict[PositionClass, int], memory_mb: int
) -> Iterator[tuple[PositionClass, SolvedPosition]]:
    """The first positions of classes of a phase, a number of each, class by class."""
    game = make_game("connect_four")
    solver = make_solver(game, memory_mb)
    assert isinstance(solver, ConnectFourSolver)
    # so that loading the kernels is not timed
    solver.solve_batch([game.position([3] * 6 + [2] * 6)])
    missing = dict(counts)
    for moves, position in random_positions(game, next(iter(counts)).stones, SEED):
        position_class = class_of(solver, position, missing)
        if position_class is None:
            continue
        # The value is searched with an empty table.
        solver.clear()
        began = time.thread_time()
        value = int(solver.solve_batch([position])[0])
        seconds = time.thread_time() - began
        assert (
            position_class.plies[0]
            <= plies_to_the_end(value, game.facts.longest_game - len(moves))
            <= position_class.plies[1]
        )
        yield position_class, SolvedPosition(moves, value, solver.nodes, seconds)
        missing[position_class] -= 1
        if missing[position_class] == 0:
            del missing[position_class]
        if not missing:
            return


def main(*classes: str, positions: int = 10, memory: int = 1024, write: bool = False) -> None:
    """Draw positions, and write the files or compare with them.

    Args:
        classes: only these, such as "begin medium"
        positions: in each class
        memory: MiB for the table
        write: write the files, position by position; without, compare with them
    """
    for phase in PHASES:
        counts = {
            each: positions
            for each in CLASSES
            if each.phase == phase and (not classes or each.name in classes)
        }
        if not counts:
            continue
        costs: dict[PositionClass, list[tuple[int, float]]] = {each: [] for each in counts}
        with contextlib.ExitStack() as stack:
            files = {
                each: stack.enter_context(each.path.open("w" if write else "r")) for each in counts
            }
            for each, position in draw(counts, memory):
                costs[each].append((position.nodes, position.seconds))
                if write:
                    files[each].write(position.line())
                    files[each].flush()
                elif files[each].readline() != position.line():
                    raise SystemExit(
                        f"{each.path} does not hold the positions that the seed gives: line "
                        f"{len(costs[each])}"
                    )
                progress = ", ".join(f"{len(costs[each])} {each.name}" for each in costs)
                print(f"\r  {phase}: {progress}", end="", file=sys.stderr)
        print(file=sys.stderr)
        for each, pairs in costs.items():
            nodes, seconds = np.mean(pairs, axis=0)
            print(
                f"{each.name}: {len(pairs)} positions, solved in {1e3 * seconds:,.3f} ms with "
                f"{nodes:,.0f} positions searched each"
            )


if __name__ == "__main__":
    cyclopts.run(main)
