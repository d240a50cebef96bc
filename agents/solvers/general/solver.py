"""The exact solver of games without a special one, by the rule functions alone.

The value of a position is the return of the side to move at the end, under best play: the result,
or the margin that the game returns. The solver does not look for the quickest win. It still wins in
the end, because a won position is kept won and every game ends. In a lost position agents ask a
search for the action that resists longest.
"""

from __future__ import annotations

import contextlib
import math
from typing import Any

from ....envs.game import Game, Position
from ....envs.specification import SpecificationError
from ..parallel import Search
from ..proving import ProvingSolver
from ..solver import DEFAULT_MEMORY_MB, register_solver
from ..table import new_table
from . import search as s
from .reach import reach_of

# Decimal orders of magnitude of the number of lines of play, see :mod:`.reach`: beyond the first a
# board is refused; below the others the rest of a game takes seconds for all actions, and 30 ms
# (docs/solver.md).
MOST, IN_SECONDS, AT_ONCE = 45, 12, 6


@register_solver()
class GeneralSolver(ProvingSolver):
    """Solves any game, on boards with few enough lines of play."""

    meaning = "The value is the return of the side to move at the end of the game, under best play."
    node_cost = 4

    def __init__(self, game: Game, memory_mb: int = DEFAULT_MEMORY_MB) -> None:
        super().__init__(game, memory_mb)
        self._reach = reach_of(game)
        self.plies_in_seconds = self._reach.plies_within(IN_SECONDS)
        self.plies_at_once = self._reach.plies_within(AT_ONCE)
        self.most = math.ceil(game.facts.max_return)  # returns are zero-sum
        self.graded = self.most > 1
        self._stack = s.new_stack(game, self._reach.words)
        self.clear()

    @classmethod
    def check_game(cls, game: Game) -> None:
        """Refuse games with too many lines of play, and returns too large for the table."""
        order = reach_of(game).orders[0]
        if order > MOST:
            raise SpecificationError(
                f"{game.spec} is beyond the solver: it takes games with some 10^{MOST} courses at "
                f"most, this one has some 10^{order:.0f}, by random games"
            )
        if not game.facts.max_return < s.HIGHEST:
            raise SpecificationError(
                f"{game.spec} is beyond the solver: it takes returns below {s.HIGHEST}, those of "
                f"this game are up to {game.facts.max_return:g}"
            )

    def prepare(self) -> None:
        position = self.game.initial_position()
        _ = position.returns  # compiles the rule
        self.ask(position, 0)
        s.run(self.game.rules, new_table(1, 1 + len(self._reach.words)), self._stack, 1)

    def clear(self) -> None:
        self._table = new_table(self.memory_mb, 1 + len(self._reach.words))

    def __getstate__(self) -> dict[str, Any]:
        """All but the stack: in a copy its positions would not share memory with their words."""
        return {name: value for name, value in vars(self).items() if name != "_stack"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._stack = s.new_stack(self.game, self._reach.words)

    def likely_value(self, position: Position) -> int:
        return int(position.returns[position.to_move])

    def ask(self, position: Position, alpha: int) -> list[Search]:
        goal = alpha + 1 if position.to_move == 0 else -alpha
        s.begin(self._stack, position.record, goal)
        return [Search(self._run_slice, self._stack.state[0])]

    def answer(self, position: Position, thread: int) -> tuple[int, int | None]:
        value = int(self._stack.state[0].value) * (1 - 2 * position.to_move)
        return value, int(self._stack.frames[0].best_action)

    def _run_slice(self, nodes: int) -> bool:
        most = max(1, nodes // self.node_cost)
        complete = bool(s.run(self.game.rules, self._table, self._stack, most))
        fault = self._stack.state[0].fault
        if fault == s.FRACTION:
            raise SpecificationError(
                f"{self.game.spec} is beyond the solver: it needs integer returns"
            )
        if fault == s.TOO_LONG:
            raise SpecificationError(
                f"{self.game.spec} goes on for more plies than the "
                f"{self.game.facts.longest_game} that it declares as its longest game"
            )
        return complete

    def value_of_end(self, position: Position, end: Position) -> int:
        return int(end.returns[position.to_move])

    def plies_left(self, position: Position) -> int:
        """Plies to the end of the longest random game; at an unknown ply its whole length."""
        ply = 0
        with contextlib.suppress(NotImplementedError):
            ply = position.ply
        return max(1, self._reach.plies - ply)

    def expected_return(self, position: Position, value: int) -> float:
        return float(value)
