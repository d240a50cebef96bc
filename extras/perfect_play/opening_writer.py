"""Solving the opening of connect four: all positions of one ply, somewhere, resumed."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ...agents.solvers.chunks import solve_chunks
from ...agents.solvers.connect_four.board import make_board
from ...agents.solvers.connect_four.opening import UNSOLVED, layers, read_values
from ...agents.solvers.solver import Solver, solver_class_of
from ...envs.game import Game
from ...envs.games.connect_four.rules import ConnectFour
from ...envs.loading.files import written_whole
from ...envs.loading.locks import locked
from ...envs.specification import SpecificationError
from ...envs.workers.jobs import JobPlace

CHUNK = 16  # positions that a process solves at a time; neighbours share its table
SECONDS_BETWEEN_FILES = 20.0


def write_openings(
    path: Path,
    game: Game,
    plies: int,
    place: JobPlace,
    memory_mb: int,
    progress: Callable[[int, int], None],
) -> int:
    """Solve every position of a ply and write the values; how many positions there are.

    What the file holds already is not solved again: an interrupted call is continued by the same
    call. The file is complete when none of its values is ``UNSOLVED``.

    Args:
        path: the file, read by :func:`~.opening.read_values`.
        game: connect four, on any board that the solver takes.
        plies: the ply whose positions are solved.
        place: where they are solved; each process has a table of its own.
        memory_mb: the size of a table in MiB.
        progress: is told the number of positions solved, and of all.

    Raises:
        SpecificationError: another game, a board beyond the solver's reach, a ply that no game
            reaches, a file that holds something else, or that another process makes.
    """
    if not isinstance(game.rules, ConnectFour):
        raise SpecificationError(f"exact openings are those of connect four, not of {game.spec}")
    solver_class_of(game)  # refuses boards beyond its reach
    layer = next(itertools.islice(layers(make_board(game.rules)), plies, None), None)
    if layer is None or not len(layer.keys):
        raise SpecificationError(f"no game of {game.spec} goes on after {plies} plies")
    with locked(path, "made"):
        values = np.full(len(layer.keys), UNSOLVED)
        if path.exists():
            values = read_values(path, len(values))
        records = game.new_records(len(values))
        rows, mover = np.arange(len(values)), plies % 2
        records["stones"][rows, mover], records["stones"][rows, 1 - mover] = layer.own, layer.opp
        records["ply"] = plies
        gaps = np.flatnonzero(values == UNSOLVED)
        chunks = np.split(gaps, range(CHUNK, len(gaps), CHUNK))
        count, last_write = len(values) - len(gaps), time.monotonic()
        try:
            parts = [records[chunk] for chunk in chunks]
            results = solve_chunks(game, _solve, parts, place, memory_mb)
            for number, result in results:
                chunk = chunks[number]
                values[chunk] = result
                count += len(chunk)
                progress(count, len(values))
                if time.monotonic() - last_write > SECONDS_BETWEEN_FILES:
                    _write(path, values)
                    last_write = time.monotonic()
        finally:
            _write(path, values)
    return len(values)


def _write(path: Path, values: np.ndarray) -> None:
    with written_whole(path) as file:
        np.save(file, values)


def _solve(solver: Solver, records: np.ndarray) -> np.ndarray:
    return solver.solve_batch(records)
