"""The exact solver of dots and boxes, for any board of at most 64 edges.

The value of a position is the margin in boxes, own minus the opponent's, of the rest of the game
for the side to move, under best play by both. It depends on the free edges only. Positions with
boxes to capture are reduced to quiet ones (:mod:`.captures`). Null-window searches (:mod:`.search`)
narrow the bounds of their value: is it at least this much? Boards of at most 17 edges are looked up
(:mod:`.value_tables`).

The proofs that the reductions are sound are in :mod:`.captures` and :mod:`.chains`. For solved
boards see docs/solver_dots_and_boxes.md.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from ....envs.game import Game, Position
from ....envs.games.dots_and_boxes.board import MARGIN, count_edges
from ....envs.games.dots_and_boxes.rules import DotsAndBoxes
from ....envs.loading.locks import locked
from ....envs.specification import SpecificationError
from ...decision import End
from ..parallel import Search, new_paths
from ..solution import Solution, proved_optimal
from ..solver import DEFAULT_MEMORY_MB, Monitor, Solver, register_solver
from . import leaf as leaf
from . import search as s
from .board import as_free_set, canonical_edges, edge_bits, free_sets, make_board
from .captures import Captures
from .chains import make_collections
from .nodes import NO_LINKS, complete_node
from .proof import MOST_EDGES, NO_BOUNDS, PLIES, TABLE, Bounds, BoxesProof
from .table import new_table, probe, table_in_file, useful_buckets
from .value_tables import SMALL, value_table

CODE_BITS = 15  # at most 2^15 numbered collections


class Goal(NamedTuple):
    """The goal of a proof: bounds on a value that are ``enough``.

    ``aim`` is the expected value.
    """

    enough: Callable[[int, int], bool]
    aim: int


def exact_value(aim: int = 1) -> Goal:
    """The value itself."""
    return Goal(lambda lower, upper: lower == upper, aim)


def _game_result(ahead: int) -> Goal:
    """Who wins, if the side to move is ahead by this many boxes."""
    return Goal(lambda lower, upper: _sign(ahead + lower) == _sign(ahead + upper), -ahead)


def at_least(target: int) -> Goal:
    """Whether the value is at least ``target``."""
    return Goal(lambda lower, upper: lower >= target or upper < target, target)


@register_solver(DotsAndBoxes)
class DotsAndBoxesSolver(Solver):
    """Solves dots and boxes on boards of at most 64 edges."""

    meaning = (
        "The value is the margin in boxes, own minus the opponent's, over the rest of the game."
    )
    plies_at_once = 18
    takes_threads = True

    def __init__(self, game: Game, memory_mb: int = DEFAULT_MEMORY_MB, threads: int = 1) -> None:
        super().__init__(game, memory_mb, threads)
        rows, cols = game.rules.rows, game.rules.cols
        self._board = make_board(rows, cols)
        self._edges = count_edges(rows, cols)
        self._collections = make_collections(
            rows * cols, 1 << min(CODE_BITS, MOST_EDGES - self._edges)
        )
        self._captures = Captures(rows, cols)
        action_of = {
            64 * which + bit: action for action, (which, bit) in enumerate(edge_bits(rows, cols))
        }
        self._order = [action_of[bit] for bit in self._board.order[: self._edges].tolist()]
        self._lookup = value_table(rows, cols) if self._edges <= SMALL else None
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
        position = self.game.initial_position()
        _ = position.is_over, position.to_move  # compiles the rules
        board = as_free_set(self._board, 0)
        self._known_bounds(board)
        # The number of boxes decides this window.
        self._null_window(board, -self._captures.boxes, Monitor(), Bounds(0, 0))
        self._action_key(*self._captures.draw(board, 0))

    def clear(self) -> None:
        self._proof: BoxesProof | None = None
        self._table = new_table(self.memory_mb, self._edges)
        paths = new_paths(self.threads, self._edges, s.LEAST_FREE)
        self._stacks = [s.new_stack(self._edges, each) for each in paths]

    def search(
        self, position: Position, moves: Literal["best", "all"], weak: bool, monitor: Monitor
    ) -> Solution:
        free = self._free_edges(position)
        if self._proof is not None:
            self._proof.job_edges = free.bit_count() - PLIES
        ahead = _ahead(position)
        goal = _game_result(ahead) if weak else exact_value()
        bounds = self._bounds(free, goal, monitor)
        by_action: dict[int, Bounds] | None = None
        if moves == "all":
            bounds, by_action = self._all_bounds(free, goal, bounds, monitor)
        proved = goal.enough(*bounds)
        if weak and proved and free.bit_count() <= self.plies_at_once:
            # Among the actions with the best result, prefer the largest margin.
            lower, upper = self._bounds(free, exact_value(), monitor)
            bounds = Bounds(max(bounds.lower, lower), min(bounds.upper, upper))
        optimal = proved_optimal(by_action) if by_action and not weak else ()
        target = _target_of(bounds, ahead, weak)
        best, good = (
            (optimal[0], True) if optimal else self._best_action(free, target, weak, monitor)
        )
        if by_action is None:
            optimal = (best,) if proved and good else ()
        else:
            if good and not optimal:
                by_action[best] = Bounds(max(by_action[best].lower, target), by_action[best].upper)
            if weak:
                by_action = {
                    action: Bounds(_sign(ahead + each.lower), _sign(ahead + each.upper))
                    for action, each in by_action.items()
                }
            optimal = proved_optimal(by_action)
        return Solution(
            lower=bounds.lower,
            upper=bounds.upper,
            result=_sign(ahead + bounds.lower) if _game_result(ahead).enough(*bounds) else None,
            best_action=best,
            weak=weak,
            bounds=by_action,
            optimal_actions=optimal,
            principal_variation=self._principal_variation(free, best, bounds.lower, monitor)
            if good and bounds.lower == bounds.upper
            else (best,),
        )

    @contextlib.contextmanager
    def proving(self, folder: Path) -> Iterator[BoxesProof]:
        folder.mkdir(parents=True, exist_ok=True)
        rows, cols = self.game.rules.rows, self.game.rules.cols
        with locked(folder, "continued"):
            proof = BoxesProof(folder, self.game)
            buckets = useful_buckets(self.memory_mb, self._edges)
            self._table = table_in_file(folder / TABLE, rows, cols, buckets)
            self._proof = proof
            for answer in proof.answers:
                self._learn(proof, proof.free_edges(answer), answer.at_least, answer.holds)
            try:
                yield proof
            finally:
                self.clear()

    def check_proof(
        self, folder: Path, count: int, progress: Callable[[int, int], None]
    ) -> tuple[int, list[str]]:
        proof = BoxesProof(folder, self.game)
        sample = random.Random(0).sample(proof.answers, min(count, len(proof.answers)))
        board, wrong = self._board, []
        self.clear()
        self._board = make_board(self.game.rules.rows, self.game.rules.cols, middle_first=False)
        try:
            for count, answer in enumerate(sample, 1):
                monitor, target = Monitor(), answer.at_least
                bounds = self._bounds(proof.free_edges(answer), at_least(target), monitor)
                if monitor.interrupted:
                    raise KeyboardInterrupt
                if (bounds.lower >= target) != answer.holds:
                    wrong.append(answer.drawn)
                progress(count, len(sample))
        finally:
            self._board = board
            self.clear()
        return len(sample), wrong

    def search_action_values(self, position: Position, monitor: Monitor) -> dict[int, int]:
        free = self._free_edges(position)
        bounds = self._bounds(free, exact_value(), monitor)
        _, action_bounds = self._all_bounds(free, exact_value(), bounds, monitor)
        return {action: each.lower for action, each in action_bounds.items()}

    def _free_edges(self, position: Position) -> int:
        """The set of free edges; bit a is action a."""
        drawn = np.flatnonzero(position.record.edges[: self._edges])
        return as_free_set(self._board, sum(1 << edge for edge in drawn.tolist()))

    def expected_return(self, position: Position, value: int) -> float:
        """The return of the side to move if the rest of the game has the margin ``value``."""
        margin = _ahead(position) + value
        return float(margin if position.game.rules.reward == MARGIN else _sign(margin))

    def end_of(self, position: Position, value: int) -> End:
        return End(margin=_ahead(position) + value)

    # -- values --

    def _bounds(self, free: int, goal: Goal, monitor: Monitor) -> Bounds:
        """Bounds on the value of a position, narrowed until the goal is reached or time is up."""
        if self._lookup is not None:
            monitor.nodes += 1
            value = int(self._lookup[as_free_set(self._board, free)])
            return Bounds(value, value)
        rest, worth = self._captures.settle(free)

        def outcomes(lower: int, upper: int) -> Bounds:
            margins = worth[self._captures.boxes + lower : self._captures.boxes + upper + 1 : 2]
            return Bounds(int(margins.min()), int(margins.max()))

        lower, upper = self._known_bounds(rest)
        while not goal.enough(*outcomes(lower, upper)):
            gamma = _next_gamma(lower, upper, lambda a, b: goal.enough(*outcomes(a, b)), goal.aim)
            answer = self._null_window(rest, gamma, monitor, outcomes(lower, upper))
            if answer is None:
                break
            lower, upper = (
                (max(lower, answer), upper) if answer >= gamma else (lower, min(upper, answer))
            )
        return outcomes(lower, upper)

    def _known_bounds(self, free: int) -> Bounds:
        """The bounds on V of a quiet position without a search."""
        root = self._fill_root(free, self._stacks[0])
        if root.lower == root.upper:
            return Bounds(int(root.lower), int(root.upper))
        if self._proof is not None and free.bit_count() >= self._proof.job_edges:
            lower, upper = self._proof.bounds.get(int(root.hash), NO_BOUNDS)
            return Bounds(max(int(root.lower), lower), min(int(root.upper), upper))
        return Bounds(*probe(self._table, root.hash, root.boxes))

    def _fill_root(self, free: int, stack: s.DotsAndBoxesStack) -> Any:
        """Put a quiet position at the root of a stack."""
        root = stack.nodes[0]
        root.horizontal, root.vertical = free_sets(self.game.rules.rows, self.game.rules.cols, free)
        root.code = root.captured = root.spare = 0
        complete_node(self._board, self._collections, root, stack.scratch, NO_LINKS)
        return root

    def _null_window(self, free: int, gamma: int, monitor: Monitor, bounds: Bounds) -> int | None:
        """A bound on V that decides whether V is at least ``gamma``; None if time was up.

        It is a lower bound if V is at least ``gamma``, else an upper one.
        """
        if monitor.should_stop(*bounds):
            return None
        proof = self._proof
        if proof is None or free.bit_count() < proof.job_edges:
            return self._search_window(free, gamma, monitor, bounds)
        is_job = free.bit_count() == proof.job_edges
        nodes, seconds = monitor.nodes, time.process_time()
        ask = self._search_window if is_job else self._ask_moves
        answer = ask(free, gamma, monitor, bounds)
        if answer is None:
            return None
        holds = answer >= gamma
        self._learn(proof, free, gamma, holds)
        if is_job:
            cost = round(time.process_time() - seconds, 3)
            proof.add(free, gamma, holds, monitor.nodes - nodes, cost)
        return gamma if holds else gamma - 2

    def _learn(self, proof: BoxesProof, free: int, at_least: int, holds: bool) -> None:
        """Report the answer about a quiet position to a proof."""
        proof.learn(int(self._fill_root(free, self._stacks[0]).hash), at_least, holds)

    def _ask_moves(self, free: int, gamma: int, monitor: Monitor, bounds: Bounds) -> int | None:
        """The result of :meth:`_null_window`, by questions about the moves, answered ones first."""
        actions: dict[tuple[int, int], int] = {}
        for action in self._ordered_actions(free):
            actions.setdefault(self._action_key(*self._captures.draw(free, action)), action)
        settled_moves = Goal(lambda lower, upper: True, gamma)
        for goal in settled_moves, at_least(gamma):
            for action in actions.values():
                lower, upper = self._action_bounds(free, action, goal, monitor)
                if lower >= gamma:
                    return gamma
                if upper >= gamma and goal is not settled_moves:
                    return None
        return gamma - 2

    def _search_window(self, free: int, gamma: int, monitor: Monitor, bounds: Bounds) -> int | None:
        """The result of :meth:`_null_window`, by a search."""

        def search(stack: s.DotsAndBoxesStack) -> Search:
            self._fill_root(free, stack)
            s.begin(stack, gamma)
            kernel_arguments = self._board, self._collections, self._table, stack
            return Search(lambda most: bool(s.search(*kernel_arguments, most)), stack.state)

        own, *helpers = [search(stack) for stack in self._stacks]
        complete = monitor.run(*own, lambda: bounds, helpers)
        return int(self._stacks[monitor.winner].state.result) if complete else None

    # -- actions --

    def _ordered_actions(self, free: int) -> list[int]:
        """The legal actions, in the order in which the search tries edges."""
        return [action for action in self._order if free >> action & 1]

    def _action_key(self, after: int, gain: int) -> tuple[int, int]:
        """A key for an action to these free edges; equivalent actions have equal keys."""
        edges = free_sets(self.game.rules.rows, self.game.rules.cols, after)
        return gain, int(canonical_edges(self._board, *edges))

    def _action_bounds(self, free: int, action: int, goal: Goal, monitor: Monitor) -> Bounds:
        """Bounds on the value of an action for its player."""
        after, gain = self._captures.draw(free, action)

        def worth(lower: int, upper: int) -> Bounds:
            """Bounds for the player, from those after the action."""
            return Bounds(gain + lower, gain + upper) if gain else Bounds(-upper, -lower)

        aim = goal.aim - gain if gain else -goal.aim
        goal_after = Goal(lambda lower, upper: goal.enough(*worth(lower, upper)), aim)
        return worth(*self._bounds(after, goal_after, monitor))

    def _all_bounds(
        self, free: int, goal: Goal, bounds: Bounds, monitor: Monitor
    ) -> tuple[Bounds, dict[int, Bounds]]:
        """Bounds on the position's value, and bounds on the value of every action, ascending."""
        by_key: dict[Any, Bounds] = {}
        action_bounds = {}
        for action in self._ordered_actions(free):
            key = self._action_key(*self._captures.draw(free, action))
            if key not in by_key:
                by_key[key] = self._action_bounds(
                    free,
                    action,
                    Goal(goal.enough, bounds.lower if bounds.lower == bounds.upper else goal.aim),
                    monitor,
                )
            action_bounds[action] = by_key[key]
        lower = max(bounds.lower, *(each.lower for each in by_key.values()))
        upper = min(bounds.upper, max(each.upper for each in by_key.values()))
        # No action is better than the position.
        return Bounds(lower, upper), {
            action: Bounds(each.lower, min(each.upper, upper))
            for action, each in sorted(action_bounds.items())
        }

    def _best_action(
        self, free: int, target: int, captures_first: bool, monitor: Monitor
    ) -> tuple[int, bool]:
        """An action of value at least ``target``, and True.

        If time is up, the most promising action, and False. With ``captures_first`` an action that
        completes boxes is preferred.
        """
        actions = self._ordered_actions(free)
        if captures_first:
            actions.sort(key=lambda action: -self._captures.draw(free, action)[1])
        ranks = {}
        for action in actions:
            action_bounds = self._action_bounds(free, action, at_least(target), monitor)
            if action_bounds.lower >= target:
                return action, True
            after, gain = self._captures.draw(free, action)
            safe = all(
                self._captures.valence(after, box) != 1 for box in self._captures.beside[action]
            )
            ranks[action] = (action_bounds.lower, gain, safe, action_bounds.upper)
        return max(ranks, key=lambda action: ranks[action]), False

    def _principal_variation(
        self, free: int, action: int, value: int, monitor: Monitor
    ) -> tuple[int, ...]:
        """The line of best play that begins with ``action``; it ends when time is up."""
        line = [action]
        while True:
            free, gain = self._captures.draw(free, action)
            value = value - gain if gain else -value
            if free == 0:
                return tuple(line)
            action, is_best = self._best_action(free, value, False, monitor)
            if not is_best:
                return tuple(line)
            line.append(action)


def _next_gamma(lower: int, upper: int, enough: Callable[[int, int], bool], aim: int) -> int:
    """A number between the bounds to compare V with.

    It is one whose answer is enough either way, if there is one, and the nearest to ``aim`` of
    these.
    """
    numbers = range(lower + 2, upper + 1, 2)
    decisive = [number for number in numbers if enough(lower, number - 2) and enough(number, upper)]
    return min(decisive or numbers, key=lambda number: abs(number - aim))


def _target_of(bounds: Bounds, ahead: int, weak: bool) -> int:
    """The value that an action needs to be as good as the position.

    With ``weak`` and an unknown value it is no more than the result requires.
    """
    if not weak or bounds.lower == bounds.upper or ahead + bounds.lower < 0:
        return bounds.lower
    return -ahead if ahead + bounds.lower == 0 else 1 - ahead


def _ahead(position: Position) -> int:
    """The number of boxes by which the side to move is ahead."""
    return int(position.record.score[position.to_move]) - int(
        position.record.score[1 - position.to_move]
    )


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
