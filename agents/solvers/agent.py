"""The agent ``solver``: perfect play by the exact solver of its game."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from ...envs.game import Game, Position
from ...envs.specification import Parameter
from ..agent import Agent
from ..decision import Decision, Score
from ..registry import make_agent, register_agent
from .parallel import THREADS
from .solution import Solution
from .solver import MEMORY, Solver, make_solver, solver_class_of

RESISTANCE = "alphabeta:nodes=20000"


@register_agent("solver")
class SolverAgent(Agent):
    """Perfect play by exhaustive search, with quick wins, late losses and the largest margins."""

    summary = "perfect play by exhaustive search"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        MEMORY,
        Parameter(
            "time", float, None, "seconds per move, then it plays the best move so far", 0.001
        ),
        THREADS,
        Parameter(
            "moves", str, "best", "evaluate one best action or all actions", choices=("best", "all")
        ),
    )

    def check_game(self, game: Game) -> None:
        solver_class_of(game)

    def prepare(self, game: Game) -> None:
        self._solver = make_solver(game, self.options["memory"], self.options["threads"])
        self._solver.prepare()
        self._resistance = resistance_in(game, self._solver)

    @property
    def deterministic(self) -> bool:
        # Which of several best actions is returned depends on the timing of threads.
        return self.options["time"] is None and self.options["threads"] == 1

    @property
    def by_position(self) -> bool:
        return self.deterministic

    def reset(self, seed: int = 0) -> None:
        super().reset(seed)
        if self._ready_for is not None:
            self._solver.clear()

    def decide(self, position: Position) -> Decision:
        options, solver = self.options, self._solver
        solution = solver.solve(position, moves=options["moves"], time=options["time"])
        decision = decision_of(solver, position, solution)
        return resist(decision, position, self._resistance)


def resistance_in(game: Game, solver: Solver) -> Agent | None:
    """The search that chooses among lost actions; None if the solver's values do."""
    if solver.graded:
        return None
    searcher = make_agent(RESISTANCE, game)
    searcher.get_ready(game)
    return searcher


def resist(decision: Decision, position: Position, searcher: Agent | None) -> Decision:
    """The decision with the action that the searcher sees losing latest, if all are lost."""
    score = decision.score
    is_lost = score is not None and score.kind in ("exact", "upper") and score.value < 0
    if searcher is None or not is_lost:
        return decision
    other = searcher.analyse(position)
    return dataclasses.replace(
        decision, action=other.action, principal_variation=other.principal_variation
    )


def decision_of(solver: Solver, position: Position, solution: Solution) -> Decision:
    """A solution as an agent's decision, with bounds on values as scores of expected returns.

    If the bounds on a value do not meet, its score is a bound, or None if they are trivial.
    """
    least, most = position.game.facts.min_return, position.game.facts.max_return

    def score_between(low: float, high: float) -> Score | None:
        if low == high:
            return Score(low, kind="exact")
        if low > least and high >= 0:
            return Score(low, kind="lower")
        return Score(high, kind="upper") if high < most else None

    def score_of_values(lower: int, upper: int) -> Score | None:
        return score_between(*(solver.expected_return(position, each) for each in (lower, upper)))

    scores = None
    if solution.bounds is not None:
        bounded = {action: score_of_values(*bounds) for action, bounds in solution.bounds.items()}
        scores = {action: score for action, score in bounded.items() if score is not None}
    return Decision(
        solution.best_action,
        score_of_values(solution.lower, solution.upper),
        scores,
        principal_variation=solution.principal_variation or (solution.best_action,),
        nodes=solution.nodes,
    )
