"""The exact solver of the m,n,k games: who wins tic-tac-toe and its larger relatives, freestyle
gomoku among them.

Values are results: +1 the side to move wins, 0 a draw, −1 it loses. How long a win takes is not
asked; it comes in the end all the same, since a won position is kept won and the board fills up.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ....envs.game import Game, Position
from ....envs.games.gomoku import FREESTYLE, Gomoku
from ....envs.games.tic_tac_toe import TicTacToe
from ....envs.specification import SpecificationError
from ..solver import (
    DEFAULT_MEMORY_MB,
    Solution,
    Solver,
    Watch,
    register_solver,
)
from . import search as s

NODES_PER_SLICE = 1 << 17  # about a twentieth of a second


@register_solver(Gomoku)
@register_solver(TicTacToe)
class MnkSolver(Solver):
    """Solves m,n,k games whose rows with a spare column fit 64 bits, as far as time and table go.

    Gomoku is one of them if every row of ``connect`` or more stones wins: under the freestyle rule,
    and where no longer row fits on the board.
    """

    meaning = "+1: the side to move wins; 0: a draw; −1: it loses."
    plies_at_once = 18

    def __init__(self, game: Game, memory_mb: int = DEFAULT_MEMORY_MB) -> None:
        super().__init__(game, memory_mb)
        self._board = s.make_board(game.rules)
        self._stack = s.make_stack(self._board)
        self.clear()

    @classmethod
    def check_game(cls, game: Game) -> None:
        rows, cols = game.rules.rows, game.rules.cols
        if rows * (cols + 1) > s.MOST_CELLS:
            raise SpecificationError(
                f"{game.spec} is beyond the solver: rows * (cols + 1) may be at most "
                f"{s.MOST_CELLS}, here it is {rows * (cols + 1)}"
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
        s.run(self._board, s.make_table(1), self._stack, 1)

    def clear(self) -> None:
        self._table = s.make_table(self.memory_mb)

    def search(
        self, position: Position, moves: Literal["best", "all"], weak: bool, watch: Watch
    ) -> Solution:
        if moves == "all":
            return self._search_all(position, watch)
        lower, upper, action, nodes = self._bounds(position, watch, 0)
        line = [action]
        if lower == upper:
            line, nodes = self._line(position, action, watch, nodes)
        proved = lower == upper
        return Solution(
            value=lower if proved else None,
            result=lower if proved else None,
            lower=lower,
            upper=upper,
            exact=proved,
            best_action=action,
            optimal_actions=(action,) if proved else (),
            principal_variation=tuple(line),
            nodes=nodes,
        )

    def _bounds(self, position: Position, watch: Watch, nodes: int) -> tuple[int, int, int, int]:
        """(lower, upper, best action, nodes): asks whether the side to move wins, and if not,
        whether it holds a draw.
        """
        lower, upper, action = -1, 1, position.legal_actions()[0]
        own, opp = self._stones(position)
        for alpha in (0, -1):
            s.begin(self._stack, own, opp, alpha, alpha + 1)
            finished = self._run(watch, nodes, lower, upper)
            nodes += int(self._stack.registers[3])
            if not finished:
                break
            value, move = int(self._stack.registers[2]), int(self._stack.bests[0, 1])
            if value > alpha:
                lower = value
                if move != s.NO_MOVE:
                    action = self._action(move)
                break
            upper = min(upper, value)
            if upper == lower:
                break
        return lower, upper, action, nodes

    def _run(self, watch: Watch, nodes: int, lower: int, upper: int) -> bool:
        """Search slice by slice until the question is answered (True), or the watch or Ctrl-C stops
        it (False).
        """
        try:
            while not watch.interrupted:
                if s.run(self._board, self._table, self._stack, NODES_PER_SLICE):
                    return True
                if watch.stopped(nodes + int(self._stack.registers[3]), lower, upper):
                    return False
        except KeyboardInterrupt:
            watch.interrupted = True
        return False

    def _search_all(self, position: Position, watch: Watch) -> Solution:
        """Every legal action, solved one by one with one table."""
        bounds: dict[int, tuple[int, int]] = {}
        nodes = 0
        for action in position.legal_actions():
            child = position.after(action)
            if child.is_over:
                bounds[action] = (int(child.returns[position.to_move]),) * 2
            else:
                low, high, _, nodes = self._bounds(child, watch, nodes)
                bounds[action] = -high, -low
        lower, upper = (
            max(low for low, _ in bounds.values()),
            max(high for _, high in bounds.values()),
        )
        values = {action: low for action, (low, high) in bounds.items() if low == high}
        proved = lower == upper
        optimal = tuple(action for action, value in values.items() if proved and value == lower)
        best = optimal[0] if optimal else max(bounds, key=lambda each: bounds[each])
        line = [best]
        if proved:
            line, nodes = self._line(position, best, watch, nodes)
        value = lower if proved else None
        return Solution(
            value, value, lower, upper, proved, best, values, optimal, tuple(line), nodes
        )

    def _line(
        self, position: Position, action: int, watch: Watch, nodes: int
    ) -> tuple[list[int], int]:
        """A line of best play that starts with ``action``."""
        line, position = [action], position.after(action)
        while not position.is_over:
            lower, upper, action, nodes = self._bounds(position, watch, nodes)
            if lower != upper:
                break
            line.append(action)
            position.play(action)
        return line, nodes

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
