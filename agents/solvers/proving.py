"""Solvers that prove bounds on one position at a time, with values from the end of the game.

A value is from the side to move. It changes sign when the turn changes.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from ...envs.game import Position
from .parallel import Search
from .solution import Solution, proved_optimal
from .solver import Monitor, Solver


class Proof(NamedTuple):
    """The proof of a position by a search: bounds on its value, and the best action.

    Without ``is_attained`` the value has another source, and the action is only the best so far.
    """

    lower: int
    upper: int
    action: int
    is_attained: bool = True

    def value(self, weak: bool) -> int | None:
        """The value, or with ``weak`` the result; None if the bounds do not prove it."""
        if self.lower == self.upper and not weak:
            return self.lower
        if self.lower > 0 or self.upper < 0:
            return (1 if self.lower > 0 else -1) if weak else None
        return 0 if self.lower == self.upper else None


class ProvingSolver(Solver):
    """Base class: a subclass proves bounds on one position at a time."""

    most: int = 1  # the largest value

    def prove(
        self, position: Position, weak: bool, monitor: Monitor, value: int | None = None
    ) -> Proof:
        """Bounds and the best action of a position, as far as the monitor allows.

        It asks whether the value is more than a number, until the bounds meet. ``value`` is the
        value of the position, if known: then the search only looks for an action that attains it.
        """
        lower, upper, action = -self.most, self.most, position.legal_actions()[0]
        alpha = 0 if weak else self.likely_value(position)
        if value is not None:
            upper, alpha = value, value - 1

        def bounds() -> tuple[int, int]:
            return lower, upper

        while lower < upper and not (weak and (lower > 0 or upper < 0)):
            alpha = min(max(alpha, lower), upper - 1)
            own, *helpers = self.ask(position, alpha)
            if not monitor.run(*own, bounds, helpers):
                break
            bound, best = self.answer(position, monitor.winner)
            if bound > alpha:
                lower = alpha = bound
                action = action if best is None else best
            else:
                upper, alpha = bound, bound - 1
        return Proof(lower, upper, action)

    def likely_value(self, position: Position) -> int:
        """The first number that the value is compared with."""
        return 0

    def ask(self, position: Position, alpha: int) -> list[Search]:
        """Searches, one for each thread, that decide whether the value is more than ``alpha``."""
        raise NotImplementedError

    def answer(self, position: Position, thread: int) -> tuple[int, int | None]:
        """The bound on the value proved by a thread, and an action that attains it."""
        raise NotImplementedError

    def stored_value(self, position: Position) -> int | None:
        """The value of a position, if known without a search."""
        return None

    def bounds(self, position: Position, weak: bool, monitor: Monitor) -> tuple[int, int]:
        """Bounds alone, without an action."""
        value = self.stored_value(position)
        return self.prove(position, weak, monitor)[:2] if value is None else (value, value)

    def actions_in_order(self, position: Position) -> list[int]:
        """The legal actions, in solving order."""
        return position.legal_actions()

    def value_of_end(self, position: Position, end: Position) -> int:
        """The value of a position whose side to move ends the game at once: ``end`` is next."""
        return int(end.returns[position.to_move])

    def search(
        self, position: Position, moves: Literal["best", "all"], weak: bool, monitor: Monitor
    ) -> Solution:
        bounds: dict[int, tuple[int, int]] | None = None
        if moves == "best":
            proof = self.prove(position, weak, monitor)
            is_optimal = proof.is_attained and proof.value(weak) is not None
            optimal: tuple[int, ...] = (proof.action,) if is_optimal else ()
        else:
            proof, bounds, optimal = self._prove_actions(position, weak, monitor)
        return Solution(
            lower=proof.lower,
            upper=proof.upper,
            result=proof.value(weak=True),
            best_action=proof.action,
            weak=weak,
            bounds=bounds,
            optimal_actions=optimal,
            principal_variation=self.principal_variation(position, proof, monitor),
        )

    def _prove_actions(
        self, position: Position, weak: bool, monitor: Monitor
    ) -> tuple[Proof, dict[int, tuple[int, int]], tuple[int, ...]]:
        """The proof of a position from its actions, their bounds, and the optimal ones."""
        proved: dict[int, tuple[int, int]] = {}  # in the order of the search
        for action in self.actions_in_order(position):
            child = position.after(action)
            if child.is_over:
                lower = upper = self.value_of_end(position, child)
            else:
                lower, upper = self.bounds(child, weak, monitor)
                if child.to_move != position.to_move:
                    lower, upper = -upper, -lower
            proved[action] = lower, upper
        lower, upper = (max(ends) for ends in zip(*proved.values()))
        stored = self.stored_value(position)
        if stored is not None:
            lower = upper = stored
        # No action is worth more than the position.
        proved = {action: (low, min(high, upper)) for action, (low, high) in proved.items()}
        bounds = {
            action: (_sign(low), _sign(high)) if weak else (low, high)
            for action, (low, high) in sorted(proved.items())
        }
        optimal = proved_optimal(bounds)
        # Of several optimal actions, or if a limit left none proved, the first in search order.
        action = max(proved, key=lambda each: (each in optimal, proved[each]))
        return Proof(lower, upper, action, bool(optimal)), bounds, optimal

    def principal_variation(
        self, position: Position, proof: Proof, monitor: Monitor
    ) -> tuple[int, ...]:
        """A line of best play; only its first action if the value of the position is not proved."""
        player, line, position = position.to_move, [proof.action], position.after(proof.action)
        while proof.is_attained and proof.lower == proof.upper and not position.is_over:
            value = proof.lower if position.to_move == player else -proof.lower
            player, proof = position.to_move, self.prove(position, False, monitor, value)
            if proof.is_attained and proof.lower == proof.upper:
                line.append(proof.action)
                position.play(proof.action)
        return tuple(line)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
