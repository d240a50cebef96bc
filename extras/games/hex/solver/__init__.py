"""The exact solver of Hex.

Values are results: +1 the side to move wins, −1 it loses. The solver does not search for the
shortest win. It still wins, because it keeps the position won and the board fills up. In a lost
position agents use a search to find the action that resists longest.

With the swap rule the second player always wins: if the first stone wins for the first player, the
swap makes it a winning stone of the second player.
"""

from __future__ import annotations

import numpy as np

from .....agents.solvers.proving import Proof, ProvingSolver
from .....agents.solvers.solver import DEFAULT_MEMORY_MB, Monitor, register_solver
from .....envs.game import Game, Position
from .....envs.specification import SpecificationError
from ..rules import YES, Hex
from . import search as s
from .board import MOST_CELLS, make_board
from .connections import new_net
from .table import new_table


@register_solver(Hex)
class _HexSolver(ProvingSolver):
    """Solves Hex on boards of at most 8 × 8 cells, with and without the swap rule."""

    meaning = "+1: the side to move wins; −1: it loses."
    plies_at_once = 36
    plies_in_seconds = 40
    graded = False
    node_cost = 256

    def __init__(self, game: Game, memory_mb: int = DEFAULT_MEMORY_MB) -> None:
        super().__init__(game, memory_mb)
        self._board = make_board(game.rules)
        self._stack = s.new_stack(self._board)
        self._nets = new_net(self._board), new_net(self._board)
        self.clear()

    @classmethod
    def check_game(cls, game: Game) -> None:
        if game.rules.size**2 > MOST_CELLS:
            raise SpecificationError(
                f"{game.spec} is beyond the solver: it takes boards of at most {MOST_CELLS} cells, "
                f"this one has {game.rules.size**2}"
            )

    def prepare(self) -> None:
        s.begin(self._board, self._stack, np.uint64(0), np.uint64(0), 0)
        s.run(self._board, new_table(1), self._stack, *self._nets, 1)

    def clear(self) -> None:
        self._table = new_table(self.memory_mb)

    def prove(
        self, position: Position, weak: bool, monitor: Monitor, value: int | None = None
    ) -> Proof:
        """See :meth:`ProvingSolver.prove`; ``value`` is not used."""
        legal, swap = position.legal_actions(), self.game.rules.swap == YES
        if swap and position.record.ply == 0:
            return Proof(-1, -1, legal[0])
        stack, state = self._stack, self._stack.state
        first, second = (
            np.uint64(sum(1 << cell for cell in np.flatnonzero(position.record.cells == player)))
            for player in (1, 2)
        )
        s.begin(self._board, stack, first, second, position.to_move)

        def search_slice(nodes: int) -> bool:
            most = max(1, nodes // self.node_cost)
            return bool(s.run(self._board, self._table, stack, *self._nets, most))

        if not monitor.run(search_slice, state, lambda: (-1, 1)):
            return Proof(-1, 1, legal[0])
        if stack.nodes[0].phi == 0:
            return Proof(1, 1, legal[0] if state.action == s.NO_CELL else int(state.action))
        if swap and position.record.ply == 1:
            return Proof(1, 1, legal[-1])
        intrusions = [cell for cell in legal if int(stack.nodes[0].region) >> cell & 1]
        return Proof(-1, -1, (intrusions or legal)[0])

    def bounds(self, position: Position, weak: bool, monitor: Monitor) -> tuple[int, int]:
        if self.game.rules.swap == YES and position.record.ply == 1:
            return 1, 1
        return super().bounds(position, weak, monitor)
