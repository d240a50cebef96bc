"""The exact solver of Othello.

The value of a position is how many discs more than the opponent the side to move has at the end,
under best play by both, with the cells that are free then if they count for the winner.
"""

from __future__ import annotations

from typing import Literal

from ....envs.compiled.bits import count_bits
from ....envs.game import Game, Position
from ....envs.games.othello.rules import MARGIN, Othello, lead
from ...score import End
from ..proving import Proof, ProvingSolver
from ..solution import Solution
from ..solver import DEFAULT_MEMORY_MB, Monitor, register_solver
from ..table import NO_ACTION, new_table
from . import leaf as leaf
from . import search as s
from .board import make_board


@register_solver(Othello)
class OthelloSolver(ProvingSolver):
    """Solves Othello on every board, as far as time allows: up to some 24 free cells."""

    meaning = (
        "The value is the margin in discs at the end, own minus the opponent's; whom free cells "
        "count for is the game's parameter empties."
    )
    plies_at_once = 16
    plies_in_seconds = 20

    def __init__(self, game: Game, memory_mb: int = DEFAULT_MEMORY_MB) -> None:
        super().__init__(game, memory_mb)
        self._board = make_board(game.rules)
        self._stack = s.new_stack(self._board)
        self._most_free = 0  # free cells of the position that is being solved
        self.clear()

    def prepare(self) -> None:
        position = self.game.initial_position()
        self._ask(position, 0)
        s.run(self._board, new_table(1, s.KEY_WORDS), self._stack, 1)

    def clear(self) -> None:
        self._table = new_table(self.memory_mb, s.KEY_WORDS)

    def search(
        self, position: Position, moves: Literal["best", "all"], weak: bool, monitor: Monitor
    ) -> Solution:
        self._most_free = self.plies_left(position)
        return super().search(position, moves, weak, monitor)

    def prove(
        self, position: Position, weak: bool, monitor: Monitor, value: int | None = None
    ) -> Proof:
        """See :meth:`ProvingSolver.prove`: null windows until the bounds meet."""
        size = self._board.size
        lower, upper, action = -size, size, position.legal_actions()[0]
        stack, state = self._stack, self._stack.state
        if value is not None:
            upper = value

        def search_slice(nodes: int) -> bool:
            return bool(s.run(self._board, self._table, stack, nodes))

        def bounds() -> tuple[int, int]:
            return lower, upper

        alpha = 0 if value is None else value - 1
        while lower < upper and not (weak and (lower > 0 or upper < 0)):
            self._ask(position, alpha)
            if not monitor.run(search_slice, state, bounds):
                break
            if state.value > alpha:
                lower, action = int(state.value), self._action(int(stack.nodes[0].best_move))
                alpha = lower
            else:
                upper = int(state.value)
                alpha = upper - 1
        return Proof(lower, upper, action)

    def _ask(self, position: Position, alpha: int) -> None:
        """Prepare the stack: is the position worth more than ``alpha``?"""
        mover = position.to_move
        discs = position.record.discs
        own, other = discs[mover], discs[1 - mover]
        s.begin(self._board, self._table, self._stack, own, other, alpha, self._most_free)

    def _action(self, cell: int) -> int:
        """The action of a cell of the bitboards, or the pass."""
        size = int(self.game.rules.size)
        return size * size if cell == NO_ACTION else cell // 8 * size + cell % 8

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
