"""Exact solvers: perfect play as a function, :func:`solve`.

A game has a :class:`Solver` subclass that is registered for its rules type
(:func:`register_solver`), or the general solver (:mod:`.general`). Values are from the side to
move, in the game's natural unit, which the solver's module explains.

Searches run in slices. A kernel returns after a bounded number of positions with its stack of plies
in arrays, and continues from them on the next call. Between slices the solver handles Ctrl-C, time
limits and progress reports.
"""

from __future__ import annotations

import dataclasses
import math
import time as clock
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

import numpy as np

from ...envs import rules as r
from ...envs.compiled.kernels import announce_compilation, kernel
from ...envs.game import Game, Position
from ...envs.specification import Parameter, SpecificationError
from ..deadline import Deadline
from ..decision import End
from .knowledge import OTHERS, SOLVERS, learn
from .parallel import HELPER_PORTION, Helpers, Search, thread_count
from .solution import Solution

DEFAULT_MEMORY_MB = 512
MEMORY = Parameter(
    "memory", int, DEFAULT_MEMORY_MB, "memory limit of the transposition table, in MiB", 1, 1 << 20
)
# Positions searched between two checks of the clock: less than a tenth of a second without a time
# limit; with one they adapt to the duration of a slice.
UNTIMED_PORTION, FIRST_PORTION = 1 << 17, 1 << 10
SLICE_SECONDS = 0.005

S = TypeVar("S", bound="type[Solver]")

_ready: set[tuple[type, type]] = set()  # solver classes and rules types whose kernels are compiled


class SolverProgress(NamedTuple):
    """A solver's progress: positions visited, seconds spent, and the bounds proved so far."""

    nodes: int
    seconds: float
    lower: int
    upper: int


class SolveInterrupted(KeyboardInterrupt):
    """Ctrl-C while solving; ``solution`` holds the bounds proved until then."""

    def __init__(self, solution: Solution) -> None:
        super().__init__(f"interrupted: the value is from {solution.lower} to {solution.upper}")
        self.solution = solution


class Monitor:
    """Limits, Ctrl-C, node count and progress reports of one call of a solver.

    A solver stops when :meth:`run` or :meth:`should_stop` says so, and returns its bounds so far.

    Attributes:
        nodes: positions visited.
        interrupted: whether Ctrl-C was pressed.
        winner: which search of the latest :meth:`run` is complete: 0 for the main one, else the
            number of a helper, from 1.
        portion: positions that the next slice may visit. Under a time limit it adapts to the speed
            of the search, so that slices stay short on a busy machine.
    """

    def __init__(
        self,
        time: float | None = None,
        progress: Callable[[SolverProgress], None] | None = None,
        most_nodes: int | None = None,
    ) -> None:
        self.nodes: int = 0
        self._most_nodes = math.inf if most_nodes is None else most_nodes
        self.interrupted: bool = False
        self.winner: int = 0
        self.portion = UNTIMED_PORTION if time is None else FIRST_PORTION
        self._began = clock.perf_counter()
        self._clock = Deadline(math.inf if time is None else self._began + time)
        self._timed = time is not None
        self._progress = progress

    @property
    def seconds(self) -> float:
        """Seconds since the call began."""
        return clock.perf_counter() - self._began

    def run(
        self,
        search_slice: Callable[[int], bool],
        state: Any,
        bounds: Callable[[], tuple[int, int]],
        help_from: Sequence[Search] = (),
    ) -> bool:
        """Search slice by slice; True once complete, False if time or Ctrl-C stopped the search.

        Args:
            search_slice: continues the search for a limited number of positions; returns whether it
                is complete.
            state: a record whose field ``nodes`` counts the positions visited.
            bounds: the bounds proved so far, for the progress report.
            help_from: searches of other threads, which ask the same question and share the table.
                They begin after the first slice. :attr:`winner` says which search is complete.
        """
        searches = Search(search_slice, state), *help_from

        def count() -> int:
            return sum(int(each.state.nodes) for each in searches)

        before = self.nodes - count()
        helpers = Helpers(help_from)
        complete = False
        try:
            with helpers:
                while not (self.interrupted or helpers.complete):
                    most = min(self.portion, HELPER_PORTION) if helpers.searches else self.portion
                    self._clock.begin()
                    left = max(1, self._most_nodes - self.nodes)
                    complete = search_slice(int(min(most, left)))
                    over = self._clock.end()
                    self.nodes = before + count()
                    if self._timed and self._clock.seconds < SLICE_SECONDS / 2:
                        self.portion = min(2 * self.portion, UNTIMED_PORTION)
                    elif self._timed and self._clock.seconds > 2 * SLICE_SECONDS:
                        self.portion = max(self.portion // 2, FIRST_PORTION)
                    if complete or self.should_stop(*bounds()) or over:
                        break
                    helpers.begin()
        except KeyboardInterrupt:
            self.interrupted = True
        self.nodes = before + count()
        self.winner = 0 if complete or not helpers.complete else helpers.complete[0]
        return complete or bool(helpers.complete)

    def should_stop(self, lower: int, upper: int) -> bool:
        """Report progress; returns whether a limit is reached or Ctrl-C was pressed."""
        try:
            if self._progress is not None:
                self._progress(SolverProgress(self.nodes, self.seconds, lower, upper))
        except KeyboardInterrupt:
            self.interrupted = True
        return self.interrupted or self._clock.left <= 0 or self.nodes >= self._most_nodes


@kernel
def first_finished(rules, records):
    """The index of the first position whose game is over, or −1."""
    for index in range(len(records)):
        if r.is_over(rules, records[index]):
            return index
    return -1


class Solver(ABC):
    """An exact solver of one game, which keeps its transposition table between calls.

    Attributes:
        game: the game it solves.
        memory_mb: the memory limit of its table, in MiB.
        threads: the number of parallel searches that share the table.
        nodes: positions visited by the latest batch.
        meaning: a sentence for people that explains the values of this game.
        graded: whether values distinguish late or narrow losses, so that the best action resists.
        plies_at_once: positions with at most this many plies to go take 30 ms or less on average
            (benchmarks/solver.py endgames).
        plies_in_seconds: with at most this many to go, all actions of most positions are evaluated
            within seconds.
        node_cost: the time of one node, in nodes of the other solvers.
        takes_threads: whether ``threads`` is an argument; other solvers use one thread.
    """

    meaning: ClassVar[str] = ""
    plies_at_once: int = 0
    plies_in_seconds: int = 30
    graded: bool = True
    node_cost: ClassVar[int] = 1
    takes_threads: ClassVar[bool] = False

    def __init__(self, game: Game, memory_mb: int = DEFAULT_MEMORY_MB, threads: int = 1) -> None:
        self.check_game(game)
        least = self.least_memory_mb(game)
        if memory_mb < least:
            raise SpecificationError(
                f"memory={memory_mb} is not enough for solving {game.spec}: "
                f"its table takes at least {least} MiB"
            )
        self.game = game
        self.memory_mb = memory_mb
        self.threads = threads
        self.nodes: int = 0

    @classmethod
    def check_game(cls, game: Game) -> None:
        """Refuse a board that is too large, with a SpecificationError that names the limit."""

    @classmethod
    def least_memory_mb(cls, game: Game) -> int:
        """The smallest table with which the solver can work, in MiB."""
        return 1

    @abstractmethod
    def prepare(self) -> None:
        """Compile the kernels by running them, so that no time limit is spent on compilation."""

    @abstractmethod
    def clear(self) -> None:
        """Forget all positions."""

    @abstractmethod
    def search(
        self, position: Position, moves: Literal["best", "all"], weak: bool, monitor: Monitor
    ) -> Solution:
        """Solve a position of this game that is not over.

        The caller fills in ``nodes`` and ``seconds`` of the solution.
        """

    def solve(
        self,
        position: Position,
        *,
        moves: Literal["best", "all"] = "best",
        weak: bool = False,
        time: float | None = None,
        most_nodes: int | None = None,
        progress: Callable[[SolverProgress], None] | None = None,
    ) -> Solution:
        """Solve one position; see :func:`solve`. ``most_nodes`` limits the positions visited."""
        self._check_goes_on(position)
        if moves not in ("best", "all"):
            raise ValueError(f"moves={moves!r} is not possible: moves must be 'best' or 'all'")
        if time is not None and not time > 0:
            raise ValueError(
                f"time={time!r} is not possible: time must be a positive number of seconds"
            )
        self._prepare_once()
        monitor = Monitor(time, progress, most_nodes)
        solution = self.search(position, moves, weak, monitor)
        solution = dataclasses.replace(
            solution, nodes=monitor.nodes, seconds=monitor.seconds, position=position.copy()
        )
        if monitor.interrupted:
            raise SolveInterrupted(solution)
        return solution

    def action_values(self, position: Position) -> dict[int, int]:
        """The value of every legal action of a position that is not over.

        It can take less time than :meth:`solve`, since it computes no line of best play.
        """
        self._check_goes_on(position)
        self._prepare_once()
        monitor = Monitor()
        values = self.search_action_values(position, monitor)
        if monitor.interrupted:
            raise KeyboardInterrupt
        return values

    def search_action_values(self, position: Position, monitor: Monitor) -> dict[int, int]:
        """The result of :meth:`action_values`, for a checked position."""
        return dict(self.search(position, "all", False, monitor).values or {})

    def proving(self, folder: Path) -> AbstractContextManager[Any]:
        """Keep proof and table in a folder during the body, and resume from its content.

        The body gets an object whose ``answers`` have ``nodes`` and ``seconds``.

        Raises:
            SpecificationError: this solver does not support proofs, another process uses the
                folder, or its content is damaged or for another board.
            OSError: the folder is not writable.
        """
        raise SpecificationError(f"the solver of {self.game.name} keeps no proofs")

    def check_proof(
        self, folder: Path, count: int, progress: Callable[[int, int], None]
    ) -> tuple[int, list[str]]:
        """Solve answers of a proof again, from an empty table, with another move order.

        Returns:
            the number solved again, and the positions whose answers differ.

        Raises:
            SpecificationError: see :meth:`proving`.
        """
        raise SpecificationError(f"the solver of {self.game.name} keeps no proofs")

    def _check_goes_on(self, position: Position) -> None:
        """Refuse a position of another game, and one whose game is over."""
        self._check_game_of(position)
        if position.is_over:
            raise ValueError(f"there is nothing to solve: the game is over ({position.outcome})")

    def solve_batch(
        self, positions: Iterable[Position] | np.ndarray, *, weak: bool = False
    ) -> np.ndarray:
        """The values (with ``weak`` the results) of many positions that are not over.

        Args:
            positions: positions of this game, or an array of their records.
            weak: compute only win, draw or loss: +1, 0, −1.

        Returns:
            int16 of shape (positions,), from the sides to move.
        """
        solutions = [
            self.solve(Position(self.game, record), weak=weak)
            for record in self.records_of(positions).view(np.recarray)
        ]
        self.nodes = sum(solution.nodes for solution in solutions)
        return np.array(
            [solution.result if weak else solution.value for solution in solutions], np.int16
        )

    def records_of(self, positions: Iterable[Position] | np.ndarray) -> np.ndarray:
        """The records of positions to solve, as an array of shape (positions,).

        Raises:
            ValueError: a position of another game, or one whose game is over.
        """
        if isinstance(positions, np.ndarray):
            records = positions
            if records.dtype != self.game.declaration.dtype or records.ndim != 1:
                raise ValueError(
                    f"an array of positions must be a one-dimensional array of records of "
                    f"{self.game.spec}"
                )
        else:
            position_list = list(positions)
            for position in position_list:
                self._check_game_of(position)
            records = self.game.new_records(len(position_list))
            for index, position in enumerate(position_list):
                records[index] = position.record
        over = first_finished(self.game.rules, records.view(np.recarray))
        if over >= 0:
            raise ValueError(f"there is nothing to solve: the game of position {over} is over")
        return records

    def _prepare_once(self) -> None:
        kernels = type(self), type(self.game.rules)
        if kernels not in _ready:
            with announce_compilation(f"the solver of {self.game.name}"):
                self.prepare()
            _ready.add(kernels)

    def _check_game_of(self, position: Position) -> None:
        if position.game != self.game:
            raise ValueError(
                f"this solver was made for {self.game}, the position is one of {position.game}"
            )

    def plies_left(self, position: Position) -> int:
        """The most plies left in the game, or an estimate from typical games."""
        return len(position.legal_actions())

    def expected_return(self, position: Position, value: int) -> float:
        """The return of the side to move if the rest of the game is worth ``value`` to it."""
        return float(np.sign(value))

    def end_of(self, position: Position, value: int) -> End:
        """The information in a value on the game's end besides the result."""
        return End()


def register_solver(rules_type: Any = None) -> Callable[[S], S]:
    """Class decorator: register the solver of a rules type's game, or of games without one."""

    def decorate(solver_class: S) -> S:
        SOLVERS.add(OTHERS if rules_type is None else rules_type.declaration.name, solver_class)
        return solver_class

    return decorate


def solver_class_of(game: Game) -> type[Solver]:
    """The solver class registered for a game, or the general one.

    Raises:
        SpecificationError: the board is beyond its reach.
    """
    learn(game.name)
    solver_class: type[Solver] = SOLVERS.find(game.name) or SOLVERS.get(OTHERS)
    solver_class.check_game(game)
    return solver_class


def has_solver(game: Game, memory_mb: float = math.inf) -> bool:
    """Whether a solver takes the game's board, and this much memory is enough for it."""
    try:
        return solver_class_of(game).least_memory_mb(game) <= memory_mb
    except SpecificationError:
        return False


def make_solver(game: Game, memory_mb: int = DEFAULT_MEMORY_MB, threads: int | str = 1) -> Solver:
    """A solver for a game, to solve several positions with one transposition table.

    ``threads`` is the number of parallel searches, ``"all"`` one for each processor. Only a single
    thread visits the same positions every time; values do not depend on the threads.

    Raises:
        SpecificationError: a board beyond the solver's reach, or a memory or number of threads
            that is not possible.
    """
    memory = MEMORY.convert(memory_mb, "solver")
    solver_class, count = solver_class_of(game), thread_count(threads)
    return solver_class(game, memory, *([count] if solver_class.takes_threads else []))


def solve(
    position: Position,
    *,
    moves: Literal["best", "all"] = "best",
    weak: bool = False,
    memory_mb: int = DEFAULT_MEMORY_MB,
    threads: int | str = 1,
    time: float | None = None,
    progress: Callable[[SolverProgress], None] | None = None,
) -> Solution:
    """Solve a position that is not over.

    Args:
        position: the position.
        moves: ``"best"`` finds the value and one best action, ``"all"`` the value of every legal
            action.
        weak: compute only win, draw or loss, which is faster.
        memory_mb: the memory limit of the transposition table, in MiB.
        threads: see :func:`make_solver`.
        time: a limit in seconds, after which the bounds proved so far are returned;
            :attr:`Solution.exact` says whether everything requested is proved.
        progress: called between slices of the search with a :class:`SolverProgress`.

    Raises:
        SpecificationError: a board beyond the solver's reach, or a memory or number of threads
            that is not possible.
        SolveInterrupted: Ctrl-C; a KeyboardInterrupt that carries the bounds proved so far.
        ValueError: the game is over, or an argument is not possible.
    """
    return make_solver(position.game, memory_mb, threads).solve(
        position, moves=moves, weak=weak, time=time, progress=progress
    )
