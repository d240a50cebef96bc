"""The exact solver of dots and boxes, for any board of at most 64 edges.

The value of a position is the margin in boxes, own minus the opponent's, of the rest of the game
for the side to move, under best play by both; it depends on the free edges only. Positions with
boxes to capture are reduced to quiet ones (:mod:`.solver_dots_and_boxes_captures`), whose value is
narrowed down by questions to the search (:mod:`.solver_dots_and_boxes_search`): is it at least so
much? Boards of at most 17 edges, and those of at most 24 whose table is at hand, are looked up
(:mod:`.solver_dots_and_boxes_tables`).

How it works, why each reduction is sound, and what it has solved: docs/solver_dots_and_boxes.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from ....envs.game import Game, Position
from ....envs.games.dots_and_boxes import MARGIN, DotsAndBoxes, count_edges
from ....envs.specification import SpecificationError
from ..solver import (
    DEFAULT_MEMORY_MB,
    Solution,
    Solver,
    Watch,
    register_solver,
)
from .board import (
    as_free_set,
    canonical_edges,
    free_sets,
    make_board,
)
from .captures import Captures
from .chains import make_collections
from .search import (
    NO_LINKS,
    fill_node,
    look_up,
    make_stack,
    make_table,
    search,
)
from .tables import is_at_hand, value_table

MOST_EDGES = 64
SLICE = 1 << 17  # positions between two looks at the clock: less than a tenth of a second
CODE_BITS = 15  # at most so many collections are numbered


class Bounds(NamedTuple):
    """Proved bounds on a value."""

    lower: int
    upper: int


class Goal(NamedTuple):
    """What is to be proved of a value: bounds that are ``enough``, and about where the value is
    expected.
    """

    enough: Callable[[int, int], bool]
    aim: int

    def of_rest(self, completed: int) -> Goal:
        """The goal for the position after a move that completed so many boxes: without any, the
        opponent is to move there.
        """
        if completed:
            return Goal(
                lambda lower, upper: self.enough(completed + lower, completed + upper),
                self.aim - completed,
            )
        return Goal(lambda lower, upper: self.enough(-upper, -lower), -self.aim)


def exact_value(aim: int = 1) -> Goal:
    """The value itself."""
    return Goal(lambda lower, upper: lower == upper, aim)


def game_result(ahead: int) -> Goal:
    """Who wins, if the side to move is ahead by so many boxes."""
    return Goal(lambda lower, upper: _sign(ahead + lower) == _sign(ahead + upper), -ahead)


def at_least(target: int) -> Goal:
    """Whether the value is at least ``target``."""
    return Goal(lambda lower, upper: lower >= target or upper < target, target)


@register_solver(DotsAndBoxes)
class DotsAndBoxesSolver(Solver):
    """Solves dots and boxes; keeps its table of positions from one call to the next."""

    meaning = (
        "The value is the margin in boxes, own minus the opponent's, over the rest of the game."
    )
    plies_at_once = 18

    def __init__(self, game: Game, memory_mb: int = DEFAULT_MEMORY_MB) -> None:
        super().__init__(game, memory_mb)
        rows, cols = game.rules.rows, game.rules.cols
        self._board = make_board(rows, cols)
        self._edges = count_edges(rows, cols)
        self._collections = make_collections(
            rows * cols, 1 << min(CODE_BITS, MOST_EDGES - self._edges)
        )
        self._captures = Captures(rows, cols)
        self._lookup = value_table(rows, cols) if is_at_hand(rows, cols) else None
        self._positions = 0
        self.clear()

    @classmethod
    def check_game(cls, game: Game) -> None:
        """Refuse boards of more than 64 edges."""
        edges = count_edges(game.rules.rows, game.rules.cols)
        if edges > MOST_EDGES:
            raise SpecificationError(
                f"the exact solver takes boards of at most {MOST_EDGES} edges; {game.spec} has "
                f"{edges}"
            )

    def prepare(self) -> None:
        """Compile the kernels: the rules by an initial position, the search by a question that the
        number of boxes answers.
        """
        position = self.game.initial_position()
        _ = position.is_over, position.to_move
        board = as_free_set(self._board, 0)
        self._known_bounds(board)
        self._ask(board, -self._captures.boxes, Watch(), Bounds(0, 0))
        self._after(board, 0)

    def clear(self) -> None:
        """Forget all positions."""
        self._table = make_table(self.memory_mb, self.game.facts.longest_game)
        self._stack = make_stack(self._edges, self._table)

    def search(
        self, position: Position, moves: Literal["best", "all"], weak: bool, watch: Watch
    ) -> Solution:
        """Solve a position; its value, its best action, and with ``moves="all"`` every action's
        value.
        """
        self._positions = 0
        free = as_free_set(
            self._board,
            sum(1 << edge for edge in range(self._edges) if position.record.edges[edge]),
        )
        ahead = _ahead(position)
        goal = game_result(ahead) if weak else exact_value()
        bounds = self._bounds(free, goal, watch)
        values: dict[int, int] | None = None
        optimal: tuple[int, ...] = ()
        if moves == "all":
            bounds, proved = self._all_bounds(free, goal, bounds, watch)
            values = {
                action: _sign(ahead + each.lower) if weak else each.lower
                for action, each in proved.items()
            }
            if goal.enough(*bounds):
                optimal = tuple(
                    action for action, value in values.items() if value == max(values.values())
                )
        best, good = (
            (optimal[0], True)
            if optimal
            else self._best_action(free, _least_that_counts(bounds, ahead, weak), watch)
        )
        exact = goal.enough(*bounds)
        known = bounds.lower == bounds.upper
        return Solution(
            value=bounds.lower if known else None,
            result=_sign(ahead + bounds.lower) if game_result(ahead).enough(*bounds) else None,
            lower=bounds.lower,
            upper=bounds.upper,
            exact=exact,
            best_action=best,
            values=values,
            optimal_actions=optimal or ((best,) if exact and good else ()),
            principal_variation=self._principal_variation(free, best, bounds.lower, watch)
            if good and known
            else (best,),
            nodes=self._positions,
        )

    def expected_return(self, position: Position, value: int) -> float:
        """The return that the side to move gets in the end if the rest of the game is worth
        ``value`` boxes to it.
        """
        margin = _ahead(position) + value
        return float(margin if position.game.rules.reward == MARGIN else _sign(margin))

    # -- values --

    def _bounds(self, free: int, goal: Goal, watch: Watch) -> Bounds:
        """Bounds on the value of any position, narrowed until the goal is reached or time is up."""
        if self._lookup is not None:
            self._positions += 1
            value = int(self._lookup[as_free_set(self._board, free)])
            return Bounds(value, value)
        rest, worth = self._captures.settle(free)

        def outcomes(lower: int, upper: int) -> Bounds:
            reached = worth[self._captures.boxes + lower : self._captures.boxes + upper + 1 : 2]
            return Bounds(int(reached.min()), int(reached.max()))

        lower, upper = self._known_bounds(rest)
        while not goal.enough(*outcomes(lower, upper)):
            gamma = _next_question(
                lower, upper, lambda a, b: goal.enough(*outcomes(a, b)), goal.aim
            )
            answer = self._ask(rest, gamma, watch, outcomes(lower, upper))
            if answer is None:
                break
            lower, upper = (
                (max(lower, answer), upper) if answer >= gamma else (lower, min(upper, answer))
            )
        return outcomes(lower, upper)

    def _known_bounds(self, free: int) -> Bounds:
        """What is known of V of a quiet position without a search."""
        root = self._fill_root(free)
        if root.lower == root.upper:
            return Bounds(int(root.lower), int(root.upper))
        shift = np.uint64(self._stack.control.shift)
        bucket, rest = root.hash >> shift, root.hash & ((np.uint64(1) << shift) - np.uint64(1))
        return Bounds(*look_up(self._table[bucket], rest, root.boxes))

    def _fill_root(self, free: int) -> Any:
        """Put a quiet position at the bottom of the stack."""
        root = self._stack.nodes[0]
        fill_node(
            self._board,
            self._collections,
            root,
            self._stack.scratch,
            *free_sets(self.game.rules.rows, self.game.rules.cols, free),
            0,
            NO_LINKS,
            0,
            0,
        )
        return root

    def _ask(self, free: int, gamma: int, watch: Watch, known: Bounds) -> int | None:
        """A bound on V that tells whether V is at least ``gamma``: a lower one if it is at least
        that, else an upper one; None if time was up.
        """
        if self._stopped(watch, known):
            return None
        root, control = self._fill_root(free), self._stack.control
        root.gamma, root.count, root.cursor = gamma, 0, 0
        control.ply, control.positions, control.entering, control.done = 0, 0, True, False
        before = self._positions
        while True:
            try:
                search(self._board, self._collections, self._table, *self._stack, SLICE)
            except KeyboardInterrupt:
                watch.interrupted = True
            self._positions = before + int(control.positions)
            if control.done:
                return int(control.result)
            if self._stopped(watch, known):
                return None

    def _stopped(self, watch: Watch, known: Bounds) -> bool:
        """Report progress; whether the time is up or Ctrl-C was pressed."""
        try:
            return watch.interrupted or watch.stopped(self._positions, *known)
        except KeyboardInterrupt:
            watch.interrupted = True
            return True

    # -- actions --

    def _ordered_actions(self, free: int) -> list[int]:
        """The legal actions, in the order in which the search tries edges."""
        vertical = (self.game.rules.rows + 1) * self.game.rules.cols
        stride = self.game.rules.cols + 1
        actions = [
            vertical + int(bit) - 64
            if bit >= 64
            else int(bit) // stride * (stride - 1) + int(bit) % stride
            for bit in self._board.order
        ]
        return [action for action in actions if free >> action & 1]

    def _after(self, free: int, action: int) -> tuple[int, int, Any]:
        """The free edges after an action, the boxes it completes, and a key that equivalent actions
        share.
        """
        after, completed = self._captures.draw(free, action)
        return (
            after,
            completed,
            (
                completed,
                int(
                    canonical_edges(
                        self._board, *free_sets(self.game.rules.rows, self.game.rules.cols, after)
                    )
                ),
            ),
        )

    def _action_bounds(self, free: int, action: int, goal: Goal, watch: Watch) -> Bounds:
        """Bounds on what an action is worth to its player."""
        after, completed, _ = self._after(free, action)
        lower, upper = self._bounds(after, goal.of_rest(completed), watch)
        return Bounds(completed + lower, completed + upper) if completed else Bounds(-upper, -lower)

    def _all_bounds(
        self, free: int, goal: Goal, bounds: Bounds, watch: Watch
    ) -> tuple[Bounds, dict[int, Bounds]]:
        """Bounds on the position's value, and for every action, ascending, for which the goal is
        reached, bounds on its worth.
        """
        by_key: dict[Any, Bounds] = {}
        reached = {}
        for action in self._ordered_actions(free):
            key = self._after(free, action)[2]
            if key not in by_key:
                by_key[key] = self._action_bounds(
                    free,
                    action,
                    Goal(goal.enough, bounds.lower if bounds.lower == bounds.upper else goal.aim),
                    watch,
                )
            if goal.enough(*by_key[key]):
                reached[action] = by_key[key]
        lower = max(bounds.lower, *(each.lower for each in by_key.values()))
        upper = min(bounds.upper, max(each.upper for each in by_key.values()))
        return Bounds(lower, upper), dict(sorted(reached.items()))

    def _best_action(self, free: int, target: int, watch: Watch) -> tuple[int, bool]:
        """An action worth at least ``target``, and True; or where time is up the most promising
        one, and False.
        """
        promises = {}
        for action in self._ordered_actions(free):
            found = self._action_bounds(free, action, at_least(target), watch)
            if found.lower >= target:
                return action, True
            after, completed, _ = self._after(free, action)
            safe = all(
                self._captures.valence(after, box) != 1 for box in self._captures.beside[action]
            )
            promises[action] = (found.lower, completed, safe, found.upper)
        return max(promises, key=lambda action: promises[action]), False

    def _principal_variation(
        self, free: int, action: int, value: int, watch: Watch
    ) -> tuple[int, ...]:
        """The line of best play that begins with ``action``; it ends where time is up."""
        line = [action]
        while True:
            free, completed, _ = self._after(free, action)
            value = value - completed if completed else -value
            if free == 0:
                return tuple(line)
            action, proved = self._best_action(free, value, watch)
            if not proved:
                return tuple(line)
            line.append(action)


def _next_question(lower: int, upper: int, enough: Callable[[int, int], bool], aim: int) -> int:
    """A number in the gap that V may be compared with: one that settles the matter either way, or
    else the one nearest to ``aim``.
    """
    numbers = range(lower + 2, upper + 1, 2)
    decisive = [number for number in numbers if enough(lower, number - 2) and enough(number, upper)]
    return min(decisive or numbers, key=lambda number: abs(number - aim))


def _least_that_counts(bounds: Bounds, ahead: int, weak: bool) -> int:
    """What an action must be worth to be as good as the position: for a result, no more than that
    result takes.
    """
    if not weak or ahead + bounds.lower < 0:
        return bounds.lower
    return -ahead if ahead + bounds.lower == 0 else 1 - ahead


def _ahead(position: Position) -> int:
    """By how many boxes the side to move is ahead."""
    return int(position.record.score[position.to_move]) - int(
        position.record.score[1 - position.to_move]
    )


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
