"""The agent ``solver``: perfect play by the exact solver of its game."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from ...envs.game import Game, Position
from ...envs.specification import Parameter
from ..agent import Agent, Decision
from ..book import BOOK_PARAMETERS
from ..registry import make_agent, register_agent
from ..score import Kind, PlainScores, Score
from .parallel import THREADS
from .solver import MEMORY, Solution, Solver, make_solver, solver_class_of

RESISTANCE = "alphabeta:nodes=20000"


@register_agent("solver")
class SolverAgent(Agent):
    """Perfect play by exhaustive search: quick wins, late losses, and as many boxes as possible."""

    summary = "perfect play by exhaustive search"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        MEMORY,
        Parameter("time", float, None, "seconds a move; then it plays the best move known", 0.001),
        THREADS,
        Parameter("weak", bool, False, "prove only win, draw or loss, which is quicker"),
        Parameter(
            "moves", str, "best", "value one best action or all actions", choices=("best", "all")
        ),
        *BOOK_PARAMETERS,
    )

    def check_game(self, game: Game) -> None:
        solver_class_of(game)

    def prepare(self, game: Game) -> None:
        self._solver = make_solver(game, self.options["memory"], self.options["threads"])
        self._solver.prepare()
        self._resistance = resistance_in(game, self._solver, self.options["weak"])

    @property
    def deterministic(self) -> bool:
        # Which of several best actions is found depends on who is faster.
        return self.options["time"] is None and self.options["threads"] == 1

    def reset(self, seed: int = 0) -> None:
        super().reset(seed)
        if self._ready_for is not None:
            self._solver.clear()

    def decide(self, position: Position) -> Decision:
        options, solver = self.options, self._solver
        solution = solver.solve(
            position, moves=options["moves"], weak=options["weak"], time=options["time"]
        )
        decision = decision_of(solver, position, solution, options["weak"])
        return resist(decision, position, self._resistance)


def resistance_in(game: Game, solver: Solver, weak: bool = False) -> Agent | None:
    """Who chooses among the actions of a lost position; None if the solver's values do."""
    if solver.graded and not weak:
        return None
    searcher = make_agent(RESISTANCE, game)
    searcher.get_ready(game)
    return searcher


def resist(decision: Decision, position: Position, searcher: Agent | None) -> Decision:
    """The decision with the action that loses as late as the searcher sees, if all are lost."""
    if searcher is None or not decision.exact or decision.value != -1:
        return decision
    other = searcher.analyse(position)
    return dataclasses.replace(
        decision, action=other.action, principal_variation=other.principal_variation
    )


def decision_of(
    solver: Solver, position: Position, solution: Solution, weak: bool = False
) -> Decision:
    """A solution as an agent's decision: values become expected returns."""
    if solution.value is not None:
        value: float | None = solver.expected_return(position, solution.value)
    else:
        value = None if solution.result is None else float(solution.result)
    kind: Kind = "exact" if solution.exact else "estimate"
    scores = None
    if solution.values is not None:
        worth = float if weak else (lambda each: solver.expected_return(position, each))
        values = {action: worth(each) for action, each in solution.values.items()}
        scores = PlainScores(values, kind=kind)
    return Decision(
        solution.best_action,
        None if value is None else Score(value, kind=kind),
        scores,
        principal_variation=solution.principal_variation or (solution.best_action,),
        nodes=solution.nodes,
    )
