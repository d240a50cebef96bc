"""The exact solver of connect four: bounds, best actions and lines of play from the search kernels.

Values are +k if the side to move wins when it has k of its stones left, the winning one included:
with its own (rows·cols/2 + 1 − k)-th stone. 0 is a draw, −k a loss to the other side's k-th last
stone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from ....envs.game import Game, Position
from ....envs.games.connect_four.rules import ConnectFour
from ....envs.specification import SpecificationError
from ..solver import (
    DEFAULT_MEMORY_MB,
    Monitor,
    Solution,
    Solver,
    register_solver,
)
from . import search as s
from . import table as t
from .board import make_board

MOST_BITS = 64


@register_solver(ConnectFour)
class ConnectFourSolver(Solver):
    """Solves connect four on boards with (rows + 1) · cols of at most 64."""

    meaning = (
        "+k: wins with the k-th last of its own stones; 0: a draw; −k: loses to the k-th last of "
        "the opponent's."
    )
    plies_at_once = 28

    def __init__(self, game: Game, memory_mb: int = DEFAULT_MEMORY_MB) -> None:
        super().__init__(game, memory_mb)
        self._key_bits = _key_bits(game)
        self._board = make_board(game.rules)
        self._stack = s.new_stack(self._board.cells, self._board.cols)
        self._table = t.new_table(memory_mb, self._key_bits)
        self._most_nodes = 0  # of all searches since the table was empty

    @classmethod
    def check_game(cls, game: Game) -> None:
        """Refuse boards whose columns with a spare bit each do not fit 64 bits."""
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
        s.begin(self._stack)
        tasks = self._tasks(*self._stones(self.game.new_records(1)))
        s.solve_positions(self._board, table, self._stack, tasks, False, 1)
        t.part_in_use(table, 0)

    def clear(self) -> None:
        buckets, _ = t.part_in_use(self._table, self._most_nodes)
        self._table.entries[: 2 * (int(buckets) + 1)] = 0
        self._most_nodes = 0

    def __getstate__(self) -> dict[str, Any]:
        """All but the stack: a record that is copied alone no longer shares the stack's memory."""
        return {name: value for name, value in vars(self).items() if name != "_stack"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._stack = s.new_stack(self._board.cells, self._board.cols)

    def search(
        self, position: Position, moves: Literal["best", "all"], weak: bool, monitor: Monitor
    ) -> Solution:
        if moves == "all":
            return self._search_all(position, weak, monitor)
        tasks = self._tasks(*self._stones_of(position))
        self._solve(tasks, weak, monitor)
        lower, upper, action = int(tasks.lower[0]), int(tasks.upper[0]), int(tasks.column[0])
        optimal = () if _value(lower, upper, weak) is None else (action,)
        return _solution(
            lower,
            upper,
            weak,
            action,
            optimal_actions=optimal,
            principal_variation=self._line(position, action, lower, upper, monitor),
        )

    def solve_batch(
        self, positions: Iterable[Position] | np.ndarray, *, weak: bool = False
    ) -> np.ndarray:
        tasks = self._tasks(*self._stones(self.records_of(positions)))
        self._solve_all_of(tasks, weak)
        values = np.sign(tasks.lower + tasks.upper) if weak else tasks.lower
        return np.asarray(values, np.int16)

    def at_least(
        self, positions: Iterable[Position] | np.ndarray, values: np.ndarray
    ) -> np.ndarray:
        """Whether positions that are not over are worth at least these values.

        Cheaper than their values, the more so the quicker a win or loss is asked for.

        Returns:
            bool of shape (positions,), for the sides to move.
        """
        tasks = self._tasks(*self._stones(self.records_of(positions)))
        tasks.lower, tasks.upper = values - 1, values
        self._solve_all_of(tasks, False)
        return np.asarray(tasks.lower >= values)

    def _search_all(self, position: Position, weak: bool, monitor: Monitor) -> Solution:
        """Solve every legal action, from the middle outwards.

        The middle comes first because it fills the table for the others.
        """
        bounds: dict[int, tuple[int, int]] = {}
        for action in sorted(
            position.legal_actions(), key=lambda column: abs(2 * column - self._board.cols + 1)
        ):
            child = position.after(action)
            if child.is_over:
                value = int(child.returns[position.to_move]) * self._stones_left(position)
                bounds[action] = value, value
            else:
                tasks = self._tasks(*self._stones_of(child))
                self._solve(tasks, weak, monitor)
                bounds[action] = -int(tasks.upper[0]), -int(tasks.lower[0])
        lower = max(low for low, _ in bounds.values())
        upper = max(high for _, high in bounds.values())
        proved = {action: _value(*bounds[action], weak) for action in sorted(bounds)}
        values = {action: value for action, value in proved.items() if value is not None}
        best = _value(lower, upper, weak)
        optimal = tuple(action for action, value in values.items() if value == best)
        # Of several optimal actions, and where a time limit left none proved, the first in the
        # order of the search.
        action = max(bounds, key=lambda each: (each in optimal, bounds[each]))
        return _solution(
            lower,
            upper,
            weak,
            action,
            values=values,
            optimal_actions=optimal,
            principal_variation=self._line(position, action, lower, upper, monitor),
        )

    def _line(
        self, position: Position, action: int, lower: int, upper: int, monitor: Monitor
    ) -> tuple[int, ...]:
        """A line of best play that starts with an action.

        It has only that action if its value, between these bounds, is not proved.
        """
        line, value = [action], lower
        position = position.after(action)
        while lower == upper and not position.is_over:
            value = -value
            tasks = self._tasks(*self._stones_of(position), known=value)
            if not self._solve(tasks, False, monitor):
                break
            line.append(int(tasks.column[0]))
            position.play(line[-1])
        return tuple(line)

    def plies_left(self, position: Position) -> int:
        return self._board.cells - int(position.record.ply)

    def _stones_left(self, position: Position) -> int:
        """How many stones the side to move still has."""
        return (self._board.cells - int(position.record.ply) + 1) // 2

    def _stones_of(self, position: Position) -> tuple[np.ndarray, np.ndarray]:
        stones, player = position.record.stones, position.to_move
        return np.array([stones[player]]), np.array([stones[1 - player]])

    def _stones(self, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The stones (uint64) of the sides to move, and of the other sides, of position records."""
        stones, mover, rows = records["stones"], records["ply"] & 1, np.arange(len(records))
        return stones[rows, mover], stones[rows, 1 - mover]

    def _tasks(self, owns: np.ndarray, opps: np.ndarray, known: int | None = None) -> Any:
        """Positions to be solved, as TASK records.

        With ``known`` the value is given, and only a move that attains it is looked for.
        """
        most = (self._board.cells + 1) // 2
        tasks: Any = np.zeros(len(owns), s.TASK).view(np.recarray)
        tasks.own, tasks.opp = owns, opps
        tasks.lower, tasks.upper = (-most, most) if known is None else (known, known)
        return tasks

    def _solve_all_of(self, tasks: Any, weak: bool) -> None:
        """Solve all tasks and set :attr:`nodes`; KeyboardInterrupt if Ctrl-C comes first."""
        monitor = Monitor()
        self._solve(tasks, weak, monitor)
        self.nodes = monitor.nodes
        if monitor.interrupted:
            raise KeyboardInterrupt

    def _solve(self, tasks: Any, weak: bool, monitor: Monitor) -> bool:
        """Narrow the bounds of all tasks; False if the monitor stopped it before the end."""
        state = self._stack.state
        s.begin(self._stack)

        def search_slice(portion: int) -> tuple[bool, int]:
            before = int(state.nodes)
            limit = before + portion
            finished = s.solve_positions(self._board, self._table, self._stack, tasks, weak, limit)
            self._most_nodes = max(self._most_nodes, int(state.nodes))
            return finished, int(state.nodes) - before

        return monitor.run(
            search_slice,
            lambda: (int(tasks.lower[state.index]), int(tasks.upper[state.index])),
        )


def _key_bits(game: Game) -> int:
    return int((game.rules.rows + 1) * game.rules.cols)


def _value(lower: int, upper: int, weak: bool) -> int | None:
    """What the bounds prove: the value, or with ``weak`` its sign; None if they do not."""
    if weak:
        return 1 if lower > 0 else -1 if upper < 0 else 0 if lower == upper else None
    return lower if lower == upper else None


def _solution(lower: int, upper: int, weak: bool, action: int, **others: Any) -> Solution:
    value, result = _value(lower, upper, False), _value(lower, upper, True)
    exact = (result if weak else value) is not None
    return Solution(value, result, lower, upper, exact, action, **others)
