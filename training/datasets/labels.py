"""The labels of a dataset: exact values of positions and of all their legal actions."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np

from ...agents.solvers.solver import DEFAULT_MEMORY_MB, Solver, make_solver
from ...envs.game import Game
from .positions import Actions

ILLEGAL_VALUE = np.int16(-32768)  # stands in the place of an action that is not legal
ILLEGAL_RESULT = np.int8(-128)
UNKNOWN_VALUE = np.int16(-32767)  # of a legal action that a teacher did not choose
UNKNOWN_RESULT = np.int8(-127)

_solver: Solver  # of a worker process


class Labels(NamedTuple):
    """Exact values from the side of the player to move.

    Attributes:
        values: int16 of shape (positions, num_actions): the value of each action in the solver's
            unit; ``ILLEGAL_VALUE`` where an action is not legal.
        results: int8 of the same shape: +1 the action wins under best play, 0 it draws, −1 it
            loses; ``ILLEGAL_RESULT`` where it is not legal.
    """

    values: np.ndarray
    results: np.ndarray


def label(solver: Solver, positions: Sequence[Actions]) -> Labels:
    """Solve every legal action of positions that go on, given by the actions that lead to them."""
    shape = (len(positions), solver.game.facts.num_actions)
    values, results = np.full(shape, ILLEGAL_VALUE), np.full(shape, ILLEGAL_RESULT)
    for row, actions in enumerate(positions):
        position = solver.game.position(actions)
        for action, value in solver.action_values(position).items():
            values[row, action] = value
            results[row, action] = np.sign(solver.expected_return(position, value))
    return Labels(values, results)


def label_chunks(
    game: Game,
    chunks: Sequence[Sequence[Actions]],
    processes: int = 1,
    memory_mb: int = DEFAULT_MEMORY_MB,
) -> Iterator[Labels]:
    """The labels of chunks of positions, in their order, from this process or from several.

    Args:
        game: a game that has a solver.
        chunks: the positions.
        processes: how many solve at once, each with a table of its own.
        memory_mb: the size of a table in MiB.

    Raises:
        SpecificationError: the game has no solver, or the board is beyond its reach.
    """
    solver = make_solver(game, memory_mb)  # refuses here what no process could solve
    if processes == 1:
        yield from (label(solver, chunk) for chunk in chunks)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, _start, (game, memory_mb)) as pool:
        try:
            yield from pool.map(_label_here, chunks)
        finally:
            pool.shutdown(cancel_futures=True)


def _start(game: Game, memory_mb: int) -> None:
    global _solver
    _solver = make_solver(game, memory_mb)


def _label_here(chunk: Sequence[Actions]) -> Labels:
    return label(_solver, chunk)
