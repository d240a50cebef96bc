"""Solving chunks of positions in several processes, each with a solver of its own."""

from __future__ import annotations

import functools
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

from ...envs.game import Game
from .solver import DEFAULT_MEMORY_MB, Solver, make_solver

C = TypeVar("C")
R = TypeVar("R")

_solver: Solver  # of a worker process


def solve_chunks(
    game: Game,
    solve: Callable[[Solver, C], R],
    chunks: Sequence[C],
    processes: int = 1,
    memory_mb: int = DEFAULT_MEMORY_MB,
) -> Iterator[R]:
    """The results of chunks of positions, in their order, from this process or from several.

    Args:
        game: a game that has a solver.
        solve: what a solver does with a chunk; a function of a module, so that it can be pickled.
        chunks: the positions.
        processes: how many solve at once, each with a table of its own.
        memory_mb: the size of a table in MiB.

    Raises:
        SpecificationError: the game has no solver, or the board is beyond its reach.
    """
    solver = make_solver(game, memory_mb)  # refuses here what no process could solve
    if processes == 1:
        yield from (solve(solver, chunk) for chunk in chunks)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, _start, (game, memory_mb)) as pool:
        try:
            yield from pool.map(functools.partial(_solve_here, solve), chunks)
        finally:
            pool.shutdown(cancel_futures=True)


def _start(game: Game, memory_mb: int) -> None:
    global _solver
    _solver = make_solver(game, memory_mb)


def _solve_here(solve: Callable[[Solver, C], R], chunk: C) -> R:
    return solve(_solver, chunk)
