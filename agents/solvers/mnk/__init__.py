"""The exact solver of the m,n,k games: tic-tac-toe, larger boards and freestyle gomoku.

Values are results: +1 if the side to move wins, 0 for a draw, −1 if it loses. The solver does not
look for the quickest win. It still wins in the end, because a won position is kept won and the
board fills up. In a lost position agents ask a search for the action that resists longest.
"""

from __future__ import annotations

import numpy as np

from ....envs.game import Game, Position
from ....envs.games.gomoku.patterns import FREESTYLE
from ....envs.games.gomoku.rules import Gomoku
from ....envs.games.tic_tac_toe.rules import TicTacToe
from ....envs.specification import SpecificationError
from ..parallel import Search, new_paths
from ..proving import Proof, ProvingSolver
from ..solver import DEFAULT_MEMORY_MB, Monitor, register_solver
from ..table import new_table
from . import search as s
from .board import MOST_CELLS, make_board


@register_solver(Gomoku)
@register_solver(TicTacToe)
class _MnkSolver(ProvingSolver):
    """Solves m,n,k games on boards with rows · (cols + 1) of at most 64.

    Gomoku is one of them if every row of ``connect`` or more stones wins: under the freestyle rule,
    and where no longer row fits on the board.
    """

    meaning = "+1: the side to move wins; 0: a draw; −1: it loses."
    plies_at_once = 18
    takes_threads = True
    graded = False

    def __init__(self, game: Game, memory_mb: int = DEFAULT_MEMORY_MB, threads: int = 1) -> None:
        super().__init__(game, memory_mb, threads)
        self._board = make_board(game.rules)
        paths = new_paths(threads, self._board.cells, s.LEAST_FREE)
        self._stacks = [s.new_stack(self._board, each) for each in paths]
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
        stack = self._stacks[0]
        s.begin(stack, np.uint64(0), np.uint64(0), 0)
        s.run(self._board, new_table(1, s.KEY_WORDS, s.BUCKET), stack, 1)

    def clear(self) -> None:
        self._table = new_table(self.memory_mb, s.KEY_WORDS, s.BUCKET)

    def prove(
        self, position: Position, weak: bool, monitor: Monitor, value: int | None = None
    ) -> Proof:
        """See :meth:`ProvingSolver.prove`; ``value`` is not used."""
        return super().prove(position, weak, monitor)

    def ask(self, position: Position, alpha: int) -> list[Search]:
        stones = self._stones(position)

        def search(stack: s.MnkStack) -> Search:
            s.begin(stack, *stones, alpha)
            arguments = self._board, self._table, stack
            return Search(lambda nodes: bool(s.run(*arguments, nodes)), stack.state)

        return [search(stack) for stack in self._stacks]

    def answer(self, position: Position, thread: int) -> tuple[int, int | None]:
        stack, cols = self._stacks[thread], int(self.game.rules.cols)
        row, col = divmod(int(stack.nodes[0].best_move), cols + 1)
        is_move = stack.nodes[0].best_move != s.NO_MOVE
        return int(stack.state.value), row * cols + col if is_move else None

    def _stones(self, position: Position) -> tuple[np.uint64, np.uint64]:
        """The stones of the side to move and of the other side."""
        rules, sides = position.game.rules, [0, 0]
        for cell, stone in enumerate(position.record.cells[: rules.rows * rules.cols].tolist()):
            if stone:
                sides[stone - 1] |= 1 << cell // rules.cols * (rules.cols + 1) + cell % rules.cols
        mover = position.to_move
        return np.uint64(sides[mover]), np.uint64(sides[1 - mover])
