"""Solving chunks of positions in several processes or machines, each with its own solver."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...envs.game import Game
from ...envs.workers.jobs import HERE, JobPlace, Needs, Work
from .solver import DEFAULT_MEMORY_MB, Solver, make_solver, solver_class_of


def solve_chunks(
    game: Game,
    solve: Callable[[Solver, Any], Any],
    chunks: Sequence[Any],
    place: JobPlace = HERE,
    memory_mb: int = DEFAULT_MEMORY_MB,
) -> Iterator[tuple[int, Any]]:
    """The number and the result of each chunk of positions, as soon as it is solved.

    Args:
        game: a game that has a solver.
        solve: solves a chunk with a solver; a module-level function, so that it can be pickled.
        chunks: the positions.
        place: where they are solved; each process has its own table.
        memory_mb: the size of a table in MiB.

    Raises:
        SpecificationError: the game has no solver, or the board is beyond its reach.
        RunnerError: the place cannot be used.
    """
    solver_class_of(game)  # refuse here a game that no process could solve
    modules = (type(game.rules).__module__, solve.__module__)
    work = Work(solve, functools.partial(make_solver, game, memory_mb), Needs(modules))
    with place.open(work) as jobs:
        yield from jobs.results(chunks)
