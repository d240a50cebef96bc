"""The exact solver of connect four: bounds, best actions and lines of play from the search kernels.

Values are +k if the side to move wins when it has k of its stones left, the winning one included:
with its own (rows·cols/2 + 1 − k)-th stone. 0 is a draw, −k a loss to the other side's k-th last
stone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from ....envs.game import Game, Position
from ....envs.games.connect_four import ConnectFour
from ....envs.specification import SpecificationError
from ..solver import (
    DEFAULT_MEMORY_MB,
    Solution,
    Solver,
    Watch,
    register_solver,
)
from . import search as s
from .board import make_board

NODES_PER_SLICE = 1 << 18  # about a tenth of a second


@dataclasses.dataclass
class Run:
    """Positions being solved: what
    :func:`~plyground.agents.solvers.connect_four.search.solve_positions` takes and fills.
    """

    owns: np.ndarray
    opps: np.ndarray
    lowers: np.ndarray
    uppers: np.ndarray
    columns: np.ndarray
    state: np.ndarray


@register_solver(ConnectFour)
class ConnectFourSolver(Solver):
    """Solves connect four on every board that a 64-bit word holds."""

    meaning = (
        "+k: wins with the k-th last of its own stones; 0: a draw; −k: loses to the k-th last of "
        "the opponent's."
    )
    plies_at_once = 28

    def __init__(self, game: Game, memory_mb: int = DEFAULT_MEMORY_MB) -> None:
        super().__init__(game, memory_mb)
        self._key_bits = _key_bits(game)
        self._board = make_board(game.rules)
        self._stack = s.make_stack(self._board.cells, self._board.cols)
        self._table = s.make_table(self._key_bits, memory_mb)
        self._most_nodes = 0  # of all searches since the table was empty

    @classmethod
    def check_game(cls, game: Game) -> None:
        """Refuse boards that a 64-bit word does not hold."""
        bits = (game.rules.rows + 1) * game.rules.cols
        if bits > 64:
            raise SpecificationError(
                f"the exact solver takes boards of (rows + 1) * cols at most 64; {game.spec} has "
                f"{bits}"
            )

    @classmethod
    def least_memory_mb(cls, game: Game) -> int:
        return s.least_memory_mb(_key_bits(game))

    def prepare(self) -> None:
        self.records_of(self.game.new_records(1))
        table = s.make_table(self._key_bits, s.least_memory_mb(self._key_bits))
        run = self._start(*self._stones(self.game.new_records(1)))
        s.solve_positions(
            self._board,
            table,
            self._stack,
            run.state,
            run.owns,
            run.opps,
            run.lowers,
            run.uppers,
            run.columns,
            False,
            1,
        )
        s.part_of(table, 0)

    def clear(self) -> None:
        used, _ = s.part_of(self._table, self._most_nodes)
        self._table.entries[: 2 * (int(used.buckets) + 1)] = 0
        self._most_nodes = 0

    def search(
        self, position: Position, moves: Literal["best", "all"], weak: bool, watch: Watch
    ) -> Solution:
        if moves == "all":
            return self._search_all(position, weak, watch)
        run = self._start(*self._stones_of(position))
        self._advance(run, weak, watch)
        lower, upper, action, nodes = (
            int(run.lowers[0]),
            int(run.uppers[0]),
            int(run.columns[0]),
            int(run.state[s.NODES]),
        )
        proved = _value(lower, upper, weak) is not None
        line, line_nodes = (
            self._line(position, action, lower, watch) if lower == upper else ((action,), 0)
        )
        return _solution(
            lower,
            upper,
            weak,
            action,
            optimal_actions=(action,) if proved else (),
            principal_variation=line,
            nodes=nodes + line_nodes,
        )

    def solve_batch(
        self, positions: Iterable[Position] | np.ndarray, *, weak: bool = False
    ) -> np.ndarray:
        run = self._start(*self._stones(self.records_of(positions)))
        if not self._advance(run, weak, Watch()):
            raise KeyboardInterrupt
        self.nodes = int(run.state[s.NODES])
        values = np.sign(run.lowers + run.uppers) if weak else run.lowers
        return values.astype(np.int16)

    def at_least(
        self, positions: Iterable[Position] | np.ndarray, values: np.ndarray
    ) -> np.ndarray:
        """Whether positions that are not over are worth at least these values to their sides to
        move: bool of shape (positions,).

        Cheaper than their values, the more so the quicker a win or loss is asked for.
        """
        run = self._start(*self._stones(self.records_of(positions)))
        run.lowers[:], run.uppers[:] = values - 1, values
        if not self._advance(run, False, Watch()):
            raise KeyboardInterrupt
        return run.lowers >= values

    def _search_all(self, position: Position, weak: bool, watch: Watch) -> Solution:
        """Every legal action, from the middle outwards because the first searches fill the table
        for the others.
        """
        bounds: dict[int, tuple[int, int]] = {}
        nodes = 0
        for action in sorted(
            position.legal_actions(), key=lambda column: abs(2 * column - self._board.cols + 1)
        ):
            child = position.after(action)
            if child.is_over:
                value = int(child.returns[position.to_move]) * self._stones_left(position)
                bounds[action] = value, value
            else:
                run = self._start(*self._stones_of(child))
                self._advance(run, weak, watch, nodes_before=nodes)
                nodes += int(run.state[s.NODES])
                bounds[action] = -int(run.uppers[0]), -int(run.lowers[0])
        lower, upper = (
            max(low for low, _ in bounds.values()),
            max(high for _, high in bounds.values()),
        )
        proved = {action: _value(*bounds[action], weak) for action in sorted(bounds)}
        values = {action: value for action, value in proved.items() if value is not None}
        best = _value(lower, upper, weak)
        optimal = tuple(action for action, value in values.items() if value == best)
        # Of several optimal actions, and where a time limit left none proved, the first in the
        # order of the search.
        action = max(bounds, key=lambda each: (each in optimal, bounds[each]))
        line, line_nodes = (
            self._line(position, action, lower, watch) if lower == upper else ((action,), 0)
        )
        return _solution(
            lower,
            upper,
            weak,
            action,
            values=values,
            optimal_actions=optimal,
            principal_variation=line,
            nodes=nodes + line_nodes,
        )

    def _line(
        self, position: Position, action: int, value: int, watch: Watch
    ) -> tuple[tuple[int, ...], int]:
        """A line of best play that starts with an action of the value given, and the nodes that
        finding it took.
        """
        line, nodes = [action], 0
        position = position.after(action)
        while not position.is_over:
            value = -value
            run = self._start(*self._stones_of(position), known=value)
            finished = self._advance(run, False, watch, nodes_before=nodes)
            nodes += int(run.state[s.NODES])
            if not finished:
                break
            line.append(int(run.columns[0]))
            position.play(line[-1])
        return tuple(line), nodes

    def plies_left(self, position: Position) -> int:
        return self._board.cells - int(position.record.ply)

    def _stones_left(self, position: Position) -> int:
        """How many stones the side to move still has."""
        return (self._board.cells - int(position.record.ply) + 1) // 2

    def _stones_of(self, position: Position) -> tuple[np.ndarray, np.ndarray]:
        stones, player = position.record.stones, position.to_move
        return np.array([stones[player]]), np.array([stones[1 - player]])

    def _stones(self, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The stones of the sides to move, and of the other sides, of an array of position records:
        uint64.
        """
        stones, mover, rows = records["stones"], records["ply"] & 1, np.arange(len(records))
        return stones[rows, mover], stones[rows, 1 - mover]

    def _start(self, owns: np.ndarray, opps: np.ndarray, known: int | None = None) -> Run:
        """Begin to solve positions; with ``known`` the value is given and only a move that attains
        it is looked for.
        """
        most = (self._board.cells + 1) // 2
        lowers = np.full(len(owns), -most if known is None else known, np.int64)
        uppers = np.full(len(owns), most if known is None else known, np.int64)
        return Run(
            owns,
            opps,
            lowers,
            uppers,
            np.zeros(len(owns), np.int64),
            np.zeros(s.STATE_SIZE, np.int64),
        )

    def _advance(self, run: Run, weak: bool, watch: Watch, *, nodes_before: int = 0) -> bool:
        """Search slice by slice until all is proved (True), or the watch or Ctrl-C stops it
        (False).
        """
        state = run.state
        try:
            while not watch.interrupted:
                limit = state[s.NODES] + NODES_PER_SLICE
                done = s.solve_positions(
                    self._board,
                    self._table,
                    self._stack,
                    state,
                    run.owns,
                    run.opps,
                    run.lowers,
                    run.uppers,
                    run.columns,
                    weak,
                    limit,
                )
                if done:
                    return True
                i = state[s.INDEX]
                if watch.stopped(
                    nodes_before + int(state[s.NODES]), int(run.lowers[i]), int(run.uppers[i])
                ):
                    return False
        except KeyboardInterrupt:
            watch.interrupted = True
        finally:
            self._most_nodes = max(self._most_nodes, int(state[s.NODES]))
        return False


def _key_bits(game: Game) -> int:
    return int((game.rules.rows + 1) * game.rules.cols)


def _value(lower: int, upper: int, weak: bool) -> int | None:
    """What the bounds prove: the value, or with ``weak`` its sign; None if they do not."""
    if weak:
        return 1 if lower > 0 else -1 if upper < 0 else 0 if lower == upper else None
    return lower if lower == upper else None


def _solution(lower: int, upper: int, weak: bool, action: int, **others: Any) -> Solution:
    value, result = _value(lower, upper, False), _value(lower, upper, True)
    return Solution(
        value, result, lower, upper, (result if weak else value) is not None, action, **others
    )
