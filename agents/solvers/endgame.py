"""Perfect endgames for search agents: the exact solver takes over near the end of the game."""

from __future__ import annotations

from ...envs.game import Game, Position
from ...envs.specification import Parameter
from ..agent import Agent
from ..decision import Decision
from .agent import decision_of, resist, resistance_in
from .solver import make_solver, solver_class_of

MEMORY_MB = 64

BY_THE_SOLVER = "solver"

ENDGAME = Parameter(
    "endgame",
    int,
    0,
    f"the exact solver plays the last plies of a game, at most this many; "
    f"{BY_THE_SOLVER}: as many as it solves at once; 0: never",
    0,
    400,
    choices=(BY_THE_SOLVER,),
)


class Endgame:
    """The solver of one game, used only near its end.

    ``plies`` is the maximum number of remaining plies: 0 for never, ``solver`` for as many as the
    solver solves at once.
    """

    def __init__(self, game: Game, plies: int | str) -> None:
        self._solver = (
            make_solver(game, max(MEMORY_MB, solver_class_of(game).least_memory_mb(game)))
            if plies
            else None
        )
        self._resistance: Agent | None = None
        if self._solver is not None:
            self._solver.prepare()
            self._resistance = resistance_in(game, self._solver)
            plies = self._solver.plies_at_once if plies == BY_THE_SOLVER else plies
        self._plies = int(plies)

    def clear(self) -> None:
        """Forget all positions.

        The choice among several best actions depends on what the solver has solved before.
        """
        if self._solver is not None:
            self._solver.clear()

    def decide(self, position: Position, time: float | None) -> Decision | None:
        """The exact decision, or None.

        None means that too many plies may remain, or that the position was not solved within half
        of ``time`` seconds: the other half is for the search that follows.
        """
        if self._solver is None or self._solver.plies_left(position) > self._plies:
            return None
        solution = self._solver.solve(position, time=None if time is None else time / 2)
        if not solution.exact:
            return None
        return resist(decision_of(self._solver, position, solution), position, self._resistance)
