"""The exact solver of the m,n,k games: tic-tac-toe, larger boards and freestyle gomoku.

Values are results: +1 the side to move wins, 0 a draw, −1 it loses. The solver does not look for
the quickest win. It still wins in the end, because a won position is kept won and the board fills
up.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ....envs.game import Game, Position
from ....envs.games.gomoku.rules import FREESTYLE, Gomoku
from ....envs.games.tic_tac_toe.rules import TicTacToe
from ....envs.specification import SpecificationError
from ..solver import (
    DEFAULT_MEMORY_MB,
    Monitor,
    Solution,
    Solver,
    register_solver,
)
from . import search as s
from .board import MOST_CELLS, make_board
from .table import NO_MOVE, new_table


@register_solver(Gomoku)
@register_solver(TicTacToe)
class MnkSolver(Solver):
    """Solves m,n,k games on boards with rows · (cols + 1) of at most 64.

    Gomoku is one of them if every row of ``connect`` or more stones wins: under the freestyle rule,
    and where no longer row fits on the board.
    """

    meaning = "+1: the side to move wins; 0: a draw; −1: it loses."
    plies_at_once = 18

    def __init__(self, game: Game, memory_mb: int = DEFAULT_MEMORY_MB) -> None:
        super().__init__(game, memory_mb)
        self._board = make_board(game.rules)
        self._stack = s.new_stack(self._board)
        self.clear()

    @classmethod
    def check_game(cls, game: Game) -> None:
        rows, cols = game.rules.rows, game.rules.cols
        if rows * (cols + 1) > MOST_CELLS:
            raise SpecificationError(
                f"{game.spec} is beyond the solver: rows * (cols + 1) may be at most "
                f"{MOST_CELLS}, here it is {rows * (cols + 1)}"
            )
        if (
            isinstance(game.rules, Gomoku)
            and game.rules.rule != FREESTYLE
            and max(rows, cols) > game.rules.connect
        ):
            raise SpecificationError(
                f"{game.spec} is beyond the solver: it takes gomoku with rule=freestyle, other "
                f"rules only where no more than {game.rules.connect} "
                "stones fit in a row"
            )

    def prepare(self) -> None:
        s.begin(self._stack, np.uint64(0), np.uint64(0), 0, 1)
        s.run(self._board, new_table(1), self._stack, 1)

    def clear(self) -> None:
        self._table = new_table(self.memory_mb)

    def search(
        self, position: Position, moves: Literal["best", "all"], weak: bool, monitor: Monitor
    ) -> Solution:
        if moves == "all":
            return self._search_all(position, monitor)
        lower, upper, action = self._bounds(position, monitor)
        proved = lower == upper
        return _solution(
            lower,
            upper,
            action,
            optimal_actions=(action,) if proved else (),
            principal_variation=self._line(position, action, proved, monitor),
        )

    def _bounds(self, position: Position, monitor: Monitor) -> tuple[int, int, int]:
        """(lower, upper, best action) of a position.

        Asks whether the side to move wins, and if not, whether it holds a draw.
        """
        lower, upper, action = -1, 1, position.legal_actions()[0]
        own, opp = self._stones(position)
        for alpha in (0, -1):
            s.begin(self._stack, own, opp, alpha, alpha + 1)
            known = lower, upper
            if not monitor.run(self._search_slice, lambda known=known: known):  # type: ignore[misc]
                break
            value, move = int(self._stack.state.value), int(self._stack.nodes[0].best_move)
            if value > alpha:
                lower = value
                if move != NO_MOVE:
                    action = self._action(move)
                break
            upper = min(upper, value)
            if upper == lower:
                break
        return lower, upper, action

    def _search_slice(self, portion: int) -> tuple[bool, int]:
        """Continue the search for a slice: whether it is complete, and the nodes visited."""
        before = int(self._stack.state.nodes)
        finished = s.run(self._board, self._table, self._stack, portion)
        return finished, int(self._stack.state.nodes) - before

    def _search_all(self, position: Position, monitor: Monitor) -> Solution:
        """Solve every legal action, one by one with one table."""
        bounds: dict[int, tuple[int, int]] = {}
        for action in position.legal_actions():
            child = position.after(action)
            if child.is_over:
                bounds[action] = (int(child.returns[position.to_move]),) * 2
            else:
                low, high, _ = self._bounds(child, monitor)
                bounds[action] = -high, -low
        lower = max(low for low, _ in bounds.values())
        upper = max(high for _, high in bounds.values())
        values = {action: low for action, (low, high) in bounds.items() if low == high}
        proved = lower == upper
        optimal = tuple(action for action, value in values.items() if proved and value == lower)
        best = optimal[0] if optimal else max(bounds, key=lambda each: bounds[each])
        return _solution(
            lower,
            upper,
            best,
            values=values,
            optimal_actions=optimal,
            principal_variation=self._line(position, best, proved, monitor),
        )

    def _line(
        self, position: Position, action: int, proved: bool, monitor: Monitor
    ) -> tuple[int, ...]:
        """A line of best play that starts with an action; only the action if it is not proved."""
        line, position = [action], position.after(action)
        while proved and not position.is_over:
            lower, upper, action = self._bounds(position, monitor)
            if lower != upper:
                break
            line.append(action)
            position.play(action)
        return tuple(line)

    def _stones(self, position: Position) -> tuple[np.uint64, np.uint64]:
        """The stones of the side to move and of the other side."""
        rules, sides = position.game.rules, [0, 0]
        for cell in range(rules.rows * rules.cols):
            stone = int(position.record.cells[cell])
            if stone:
                sides[stone - 1] |= 1 << cell // rules.cols * (rules.cols + 1) + cell % rules.cols
        mover = position.to_move
        return np.uint64(sides[mover]), np.uint64(sides[1 - mover])

    def _action(self, move: int) -> int:
        cols = int(self.game.rules.cols)
        return move // (cols + 1) * cols + move % (cols + 1)


def _solution(lower: int, upper: int, action: int, **others: Any) -> Solution:
    """A solution with these bounds: value and result are the same in m,n,k games."""
    proved = lower == upper
    value = lower if proved else None
    return Solution(value, value, lower, upper, proved, action, **others)
