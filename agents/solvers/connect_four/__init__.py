"""The exact solver of connect four: bounds, best actions and lines of play from the search kernels.

A value of +k means that the side to move wins with its k-th last stone, its (rows·cols/2 + 1 −
k)-th. 0 is a draw, −k a loss to the other side's k-th last stone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ....envs.game import Game, Position
from ....envs.games.connect_four.rules import ConnectFour
from ....envs.specification import SpecificationError
from ....envs.stepping import records_of
from ...decision import End
from ..parallel import Search, new_paths
from ..proving import Proof, ProvingSolver
from ..solver import DEFAULT_MEMORY_MB, Monitor, register_solver
from . import leaf as leaf
from . import search as s
from . import table as t
from .board import make_board
from .opening import has_openings, openings_of

MOST_BITS = 64


@register_solver(ConnectFour)
class ConnectFourSolver(ProvingSolver):
    """Solves connect four on boards with (rows + 1) · cols of at most 64."""

    meaning = (
        "+k: wins with the k-th last of its own stones; 0: a draw; −k: loses to the k-th last of "
        "the opponent's."
    )
    plies_at_once = 28
    takes_threads = True

    def __init__(self, game: Game, memory_mb: int = DEFAULT_MEMORY_MB, threads: int = 1) -> None:
        super().__init__(game, memory_mb, threads)
        self._key_bits = _key_bits(game)
        self._board = make_board(game.rules)
        self._stacks = self._new_stacks()
        self._table = t.new_table(memory_mb, self._key_bits)
        self._most_nodes = 0  # the most of any search since the table was empty
        self._most = (self._board.cells + 1) // 2  # the largest value
        if has_openings(game.rules):
            self.plies_in_seconds = self._board.cells

    @classmethod
    def check_game(cls, game: Game) -> None:
        """Refuse boards whose columns, with a spare bit each, do not fit 64 bits."""
        bits = _key_bits(game)
        if bits > MOST_BITS:
            raise SpecificationError(
                f"the exact solver takes boards of (rows + 1) * cols at most {MOST_BITS}; "
                f"{game.spec} has {bits}"
            )

    @classmethod
    def least_memory_mb(cls, game: Game) -> int:
        return t.least_memory_mb(_key_bits(game))

    def prepare(self) -> None:
        self.records_of(self.game.new_records(1))
        table = t.new_table(t.least_memory_mb(self._key_bits), self._key_bits)
        stack = self._stacks[0]
        s.begin(stack)
        tasks = self._tasks(self.game.new_records(1))
        s.solve_positions(self._board, table, stack, tasks.view(np.recarray), False, 1)
        t.part_in_use(table, 0)

    def clear(self) -> None:
        buckets, _ = t.part_in_use(self._table, self._most_nodes)
        self._table.bounds.entries[: int(buckets) + 1] = 0
        self._most_nodes = 0

    def __getstate__(self) -> dict[str, Any]:
        """All but the stacks: a pickled record would not share its stack's memory."""
        return {name: value for name, value in vars(self).items() if name != "_stacks"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._stacks = self._new_stacks()

    def _new_stacks(self) -> list[s.ConnectFourStack]:
        paths = new_paths(self.threads, self._board.cells, s.LEAST_FREE)
        return [s.new_stack(self._board.cells, self._board.cols, each) for each in paths]

    def prove(
        self, position: Position, weak: bool, monitor: Monitor, value: int | None = None
    ) -> Proof:
        tasks = self._tasks(records_of(position.record))
        if value is None:
            value = self.stored_value(position)
        if value is not None:
            tasks["lower"] = tasks["upper"] = value
            column = self._opening_column(position, value)
            if column is not None:
                return Proof(value, value, column)
        complete = self._solve(tasks, weak, monitor)
        lower, upper, column = (int(tasks[0][name]) for name in ("lower", "upper", "column"))
        left = self.plies_left(position)  # a game is won or lost by a stone that is left
        lower, upper = max(lower, -(left // 2)), min(upper, (left + 1) // 2)
        return Proof(lower, upper, column, complete or value is None)

    def principal_variation(
        self, position: Position, proof: Proof, monitor: Monitor
    ) -> tuple[int, ...]:
        """A line of best play; from an opening position it ends where the stored values end."""
        if self.stored_value(position) is None:
            return super().principal_variation(position, proof, monitor)
        actions, value = [proof.action], proof.lower
        while proof.is_attained and not (position := position.after(actions[-1])).is_over:
            value = -value
            column = self._opening_column(position, value)
            if column is None:
                break
            actions.append(column)
        return tuple(actions)

    def stored_value(self, position: Position) -> int | None:
        """The stored value of an opening position."""
        openings = openings_of(self.game.rules, int(position.record.ply))
        return None if openings is None else openings.value(*sides_of(position))

    def _opening_column(self, position: Position, value: int) -> int | None:
        """A column that attains the value according to the stored values."""
        openings = openings_of(self.game.rules, int(position.record.ply))
        return None if openings is None else openings.best_column(*sides_of(position), value)

    def actions_in_order(self, position: Position) -> list[int]:
        """From the middle outwards: searching the middle fills the table for the others."""
        return sorted(
            position.legal_actions(), key=lambda column: abs(2 * column - self._board.cols + 1)
        )

    def value_of_end(self, position: Position, end: Position) -> int:
        stones = (self.plies_left(position) + 1) // 2  # of the side to move
        return super().value_of_end(position, end) * stones

    def end_of(self, position: Position, value: int) -> End:
        left = self.plies_left(position)
        if value > 0:  # it wins with its ``value``-th last stone
            return End(plies=2 * ((left + 1) // 2 - value) + 1)
        return End(plies=2 * (left // 2 + value) + 2 if value < 0 else None)

    def solve_batch(
        self, positions: Iterable[Position] | np.ndarray, *, weak: bool = False
    ) -> np.ndarray:
        tasks = self._tasks(self.records_of(positions))
        self._solve_all_of(tasks, weak)
        lower, upper = tasks["lower"], tasks["upper"]
        values = np.sign(lower + upper) if weak else lower
        return np.asarray(values, np.int16)

    def at_least(
        self, positions: Iterable[Position] | np.ndarray, values: np.ndarray
    ) -> np.ndarray:
        """Whether the values of positions that are not over are at least these.

        Cheaper than computing the values, above all for quick wins or losses.

        Returns:
            bool of shape (positions,), for the sides to move.
        """
        tasks = self._tasks(self.records_of(positions))
        tasks["lower"], tasks["upper"] = values - 1, values
        self._solve_all_of(tasks, False)
        return np.asarray(tasks["lower"] >= values)

    def plies_left(self, position: Position) -> int:
        return self._board.cells - position.ply

    def _tasks(self, records: np.ndarray) -> np.ndarray:
        """The tasks (TASK records) for solving the positions of these records."""
        tasks = np.zeros(len(records), s.TASK)
        stones, mover, rows = records["stones"], records["ply"] & 1, np.arange(len(records))
        tasks["own"], tasks["opp"] = stones[rows, mover], stones[rows, 1 - mover]
        tasks["lower"], tasks["upper"] = -self._most, self._most
        return tasks

    def _solve_all_of(self, tasks: np.ndarray, weak: bool) -> None:
        """Solve all tasks and set :attr:`nodes`; KeyboardInterrupt on Ctrl-C."""
        monitor = Monitor()
        self._solve(tasks, weak, monitor)
        self.nodes: int = monitor.nodes
        if monitor.interrupted:
            raise KeyboardInterrupt

    def _solve(self, tasks: np.ndarray, weak: bool, monitor: Monitor) -> bool:
        """Narrow the bounds of all tasks; False if the monitor stopped the search."""
        copies = [tasks] + [tasks.copy() for _ in self._stacks[1:]]
        state = self._stacks[0].state

        def search(stack: s.ConnectFourStack, records: np.ndarray) -> Search:
            s.begin(stack)

            def search_slice(nodes: int) -> bool:
                limit = int(stack.state.nodes) + nodes
                return bool(
                    s.solve_positions(self._board, self._table, stack, records, weak, limit)
                )

            return Search(search_slice, stack.state)

        def bounds() -> tuple[int, int]:
            return int(tasks["lower"][state.index]), int(tasks["upper"][state.index])

        searches = [
            search(stack, copy.view(np.recarray)) for stack, copy in zip(self._stacks, copies)
        ]
        complete = monitor.run(*searches[0], bounds, searches[1:])
        tasks[:] = copies[monitor.winner]
        nodes = sum(int(each.state.nodes) for each in searches)
        self._most_nodes = max(self._most_nodes, nodes)
        return complete


def sides_of(position: Position) -> tuple[np.uint64, np.uint64]:
    """The stones of the side to move, and of the other side."""
    stones, mover = position.record.stones, int(position.record.ply) & 1
    return stones[mover], stones[1 - mover]


def _key_bits(game: Game) -> int:
    return int((game.rules.rows + 1) * game.rules.cols)
