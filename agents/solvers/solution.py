"""The solution of a position: proved values, bounds, and what is open."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ...envs.game import Position
from ...envs.pictures.tables import html_table


@dataclasses.dataclass(frozen=True)
class Solution:
    """The solution of a position, as far as it is proved.

    All values are from the side to move, in the game's natural unit. A solver stopped by a limit
    returns bounds that do not meet, never a guess: every attribute but ``best_action`` and its line
    is proved.

    Attributes:
        lower, upper: bounds on the value.
        result: +1 if the side to move wins the game, 0 for a draw, −1 if it loses; None if not
            proved.
        best_action: an action that attains the value, or the best one so far if none is proved.
            With ``weak`` an action that attains the result.
        weak: whether only win, draw or loss was requested.
        bounds: for ``moves="all"`` the bounds on the value of every legal action, ascending; with
            ``weak`` the bounds on its result, from −1 to +1. For ``moves="best"`` None.
        optimal_actions: actions proved to attain the value (with ``weak`` the result), ascending:
            with ``moves="best"`` at most one, with ``"all"`` all of them if
            :attr:`optimal_complete`.
        principal_variation: a line of best play, ``best_action`` first; it may end before the game
            does.
        nodes: positions visited.
        seconds: time spent.
        position: the solved position.
    """

    lower: int
    upper: int
    result: int | None
    best_action: int
    weak: bool = False
    bounds: Mapping[int, tuple[int, int]] | None = None
    optimal_actions: tuple[int, ...] = ()
    principal_variation: tuple[int, ...] = ()
    nodes: int = 0
    seconds: float = 0.0
    position: Position | None = dataclasses.field(default=None, repr=False, compare=False)

    def _repr_html_(self) -> str:
        """Notebooks show the board and the proved values."""
        position = self.position
        name = str if position is None else position.game.action_to_text
        mover = "the side to move" if position is None else position.mover_name
        result = {1: "wins", 0: "draws", -1: "loses", None: "is not solved"}[self.result]
        value = self.lower if self.lower == self.upper else f"{self.lower} to {self.upper}"
        best = ", ".join(map(name, self.optimal_actions or (self.best_action,)))
        line = ", ".join(map(name, self.principal_variation))
        rows: list[tuple[str, Any]] = [("value", value), ("best", best), ("line", line)]
        rows += [(name(action), f"{low} to {high}" if low != high else low)
                 for action, (low, high) in (self.bounds or {}).items()]  # fmt: skip
        rows += [("nodes", self.nodes), ("seconds", self.seconds)]
        picture = "" if position is None else position.to_svg()
        return html_table(rows, caption=f"{mover} {result}", picture=picture)

    @property
    def value(self) -> int | None:
        """The value under best play; None if only bounds or the result are proved."""
        return self.lower if self.lower == self.upper else None

    @property
    def is_value_proved(self) -> bool:
        """Whether the value of the position (with ``weak`` the result) is proved."""
        return (self.result if self.weak else self.value) is not None

    @property
    def values(self) -> dict[int, int] | None:
        """The proved values among :attr:`bounds` (with ``weak`` +1, 0, −1); None without bounds."""
        if self.bounds is None:
            return None
        return {action: lower for action, (lower, upper) in self.bounds.items() if lower == upper}

    @property
    def open_actions(self) -> tuple[int, ...]:
        """For ``moves="all"`` the actions proved neither to be optimal nor to be worse."""
        if not self.bounds:
            return ()
        best = self.result if self.weak else self.lower
        least = max(lower for lower, _ in self.bounds.values())
        least = least if best is None else max(least, best)
        return tuple(
            action
            for action, (_, upper) in self.bounds.items()
            if upper >= least and action not in self.optimal_actions
        )

    @property
    def optimal_complete(self) -> bool:
        """Whether all actions but :attr:`optimal_actions` are proved to be worse.

        With ``moves="best"`` it is not computed, and False.
        """
        return self.bounds is not None and not self.open_actions

    @property
    def exact(self) -> bool:
        """Whether everything requested is proved.

        That is the value (with ``weak`` the result), and with ``moves="best"`` an action that
        attains it, with ``moves="all"`` the value of every action.
        """
        if self.bounds is None:
            return self.is_value_proved and bool(self.optimal_actions)
        return self.is_value_proved and all(low == high for low, high in self.bounds.values())


def proved_optimal(bounds: Mapping[int, tuple[int, int]]) -> tuple[int, ...]:
    """The actions that are at least as good as all others by the bounds on their values."""
    return tuple(
        action
        for action, (lower, _) in bounds.items()
        if all(lower >= upper for other, (_, upper) in bounds.items() if other != action)
    )


def describe(position: Position, solution: Solution) -> dict[str, Any]:
    """A solution as plain data for reports: actions as text, and positions per second."""
    name = position.game.action_to_text

    def by_name(of_actions: Mapping[int, Any] | None) -> dict[str, Any] | None:
        return None if of_actions is None else {name(a): each for a, each in of_actions.items()}

    return {
        "value": solution.value,
        "result": solution.result,
        "lower": solution.lower,
        "upper": solution.upper,
        "weak": solution.weak,
        "exact": solution.exact,
        "best_action": name(solution.best_action),
        "values": by_name(solution.values),
        "bounds": by_name(solution.bounds),
        "optimal_actions": [name(action) for action in solution.optimal_actions],
        "optimal_complete": solution.optimal_complete,
        "open_actions": [name(action) for action in solution.open_actions],
        "principal_variation": [name(action) for action in solution.principal_variation],
        "nodes": solution.nodes,
        "seconds": solution.seconds,
        "nodes_per_second": (
            round(solution.nodes / solution.seconds) if solution.seconds > 0 else None
        ),
    }
