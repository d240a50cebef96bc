"""The exact solver of Othello.

The value of a position is the margin in discs of the side to move at the end, under best play by
both, including free cells if they count for the winner.
"""

from __future__ import annotations

from typing import Literal

from .....agents.decision import End
from .....agents.solvers.parallel import Search
from .....agents.solvers.proving import ProvingSolver
from .....agents.solvers.solution import Solution
from .....agents.solvers.solver import DEFAULT_MEMORY_MB, Monitor, register_solver
from .....envs.compiled.bits import count_bits
from .....envs.game import Game, Position
from ..rules import MARGIN, Othello, lead
from . import leaf as leaf
from . import search as s
from .board import make_board
from .table import NO_CELL, new_table


@register_solver(Othello)
class _OthelloSolver(ProvingSolver):
    """Solves Othello on every board, in practice up to about 24 free cells."""

    meaning = (
        "The value is the margin in discs at the end, own minus the opponent's; the game's "
        "parameter empties says for whom free cells count."
    )
    plies_at_once = 16
    plies_in_seconds = 20

    def __init__(self, game: Game, memory_mb: int = DEFAULT_MEMORY_MB) -> None:
        super().__init__(game, memory_mb)
        self._board = make_board(game.rules)
        self._stack = s.new_stack(self._board)
        self.most = self._board.size
        self._most_free = 0  # free cells of the position to solve
        self.clear()

    def prepare(self) -> None:
        position = self.game.initial_position()
        self.ask(position, 0)
        s.run(self._board, new_table(1), self._stack, 1)

    def clear(self) -> None:
        self._table = new_table(self.memory_mb)

    def search(
        self, position: Position, moves: Literal["best", "all"], weak: bool, monitor: Monitor
    ) -> Solution:
        self._most_free = self.plies_left(position)
        return super().search(position, moves, weak, monitor)

    def ask(self, position: Position, alpha: int) -> list[Search]:
        mover, discs = position.to_move, position.record.discs
        arguments = self._board, self._table, self._stack
        s.begin(*arguments, discs[mover], discs[1 - mover], alpha, self._most_free)
        return [Search(lambda nodes: bool(s.run(*arguments, nodes)), self._stack.state)]

    def answer(self, position: Position, thread: int) -> tuple[int, int | None]:
        size, cell = int(self.game.rules.size), int(self._stack.nodes[0].best_move)
        action = size * size if cell == NO_CELL else cell // 8 * size + cell % 8
        return int(self._stack.state.value), action

    def value_of_end(self, position: Position, end: Position) -> int:
        return int(lead(end.game.rules, end.record, position.to_move))

    def plies_left(self, position: Position) -> int:
        """The free cells: passes are not counted."""
        discs = position.record.discs
        return self._board.size - int(count_bits(discs[0] | discs[1]))

    def expected_return(self, position: Position, value: int) -> float:
        if position.game.rules.reward == MARGIN:
            return float(value)
        return super().expected_return(position, value)

    def end_of(self, position: Position, value: int) -> End:
        return End(margin=value)
