"""Solving the opening of connect four: all positions of one ply, resumable, on any runner."""

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

CHUNK = 16  # positions per job; neighbours share the table of a process
SECONDS_BETWEEN_FILES = 20.0


def write_openings(
    path: Path,
    game: Game,
    plies: int,
    place: JobPlace,
    memory_mb: int,
    progress: Callable[[int, int], None],
) -> int:
    """Solve every position of a ply and write the values; returns the number of positions.

    Values already in the file are not solved again: the same call resumes an interrupted one. The
    file is complete when none of its values is ``UNSOLVED``.

    Args:
        path: the file, read by :func:`~.opening.read_values`.
        game: connect four, on any board that the solver takes.
        plies: the ply whose positions are solved.
        place: where they are solved; each process has its own table.
        memory_mb: the size of a table in MiB.
        progress: called with the number of solved positions and their total.

    Raises:
        SpecificationError: another game, a board too large for the solver, an impossible ply, a
            file with other content, or a file that another process is writing.
    """
    if not isinstance(game.rules, ConnectFour):
        raise SpecificationError(f"exact openings exist for connect four only, not for {game.spec}")
    solver_class_of(game)  # refuses boards that are too large
    layer = next(itertools.islice(layers(make_board(game.rules)), plies, None), None)
    if layer is None or not len(layer.keys):
        raise SpecificationError(f"all games of {game.spec} end within {plies} plies")
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
