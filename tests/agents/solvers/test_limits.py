"""What solvers say under a limit by nodes: all that they claim is so, and no part is the whole."""

from __future__ import annotations

import operator
import random

import numpy as np
import pytest
from helpers import ALL_GAMES, small_game
from plyground import make_game
from plyground.agents.solvers.agent import decision_of
from plyground.agents.solvers.solution import Solution, describe, proved_optimal
from plyground.agents.solvers.solver import Solver, make_solver, solver_class_of
from plyground.envs.game import Position
from plyground.envs.registry import BUILT_IN
from plyground.envs.specification import SpecificationError

pytestmark = pytest.mark.thorough

SHARES = (0.1, 0.4, 0.7)  # limits, as shares of the nodes that the whole solution takes
AT_ONCE = 100  # nodes of a solution that no limit stops: a look into a table, a few forced moves


def within_reach(spec: str) -> bool:
    try:
        return solver_class_of(make_game(spec)) is not None
    except SpecificationError:
        return False


# The small boards of every game, its default board, and one whose game takes a while.
LONGER = [small_game(rules, 25) for rules in BUILT_IN]
BOARDS = [
    spec
    for spec in dict.fromkeys([*ALL_GAMES, *(game.spec for game in LONGER if game)])
    if within_reach(spec)
]
# Two boards of each solver.
ENDS = [
    {solver_class_of(make_game(each)): each for each in half} for half in (BOARDS, BOARDS[::-1])
]
OF_EACH_SOLVER = [spec for part in ENDS for spec in part.values()]


class Truth:
    """The values of all actions of positions of a game, by a solver without limits."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.known: dict[bytes, dict[int, int]] = {}

    def values(self, position: Position, weak: bool = False) -> dict[int, int]:
        key = position.record.tobytes()
        if key not in self.known:
            self.known[key] = self.solver.action_values(position)
        if not weak:
            return self.known[key]
        worth = self.solver.expected_return
        return {a: int(np.sign(worth(position, v))) for a, v in self.known[key].items()}

    def optimal(self, position: Position, weak: bool = False) -> tuple[int, ...]:
        values = self.values(position, weak)
        return tuple(action for action, each in values.items() if each == max(values.values()))


def falsehoods(truth: Truth, position: Position, solution: Solution) -> list[str]:
    """What a solution says that is not so; empty if all that it claims is proved."""
    weak = solution.weak
    values, optimal = truth.values(position, weak), truth.optimal(position, weak)
    value = max(truth.values(position).values())
    result = int(np.sign(truth.solver.expected_return(position, value)))
    named, bounds = set(solution.optimal_actions), solution.bounds
    claims = {
        "bounds": solution.lower <= value <= solution.upper,
        "value": solution.value in (None, value),
        "result": solution.result in (None, result),
        "an optimal action": named <= set(optimal),
        "a line": len(solution.principal_variation) == 1 or is_best(truth, position, solution),
        "the whole": not solution.exact
        or (solution.is_value_proved and solution.best_action in named),
    }
    if bounds is not None:
        proved = {action for action in values if bounds[action][0] == bounds[action][1]}
        claims |= {
            "bounds of all actions": list(bounds) == position.legal_actions(),
            "bounds of actions": all(low <= values[a] <= high for a, (low, high) in bounds.items()),
            "values": solution.values == {action: values[action] for action in sorted(proved)},
            "worse actions": set(optimal) <= named | set(solution.open_actions),
            "all optimal actions": not solution.optimal_complete or named == set(optimal),
            "the whole of the actions": solution.exact == (proved == set(values)),
            "a place for each": not named & set(solution.open_actions),
        }
    return [claim for claim, holds in claims.items() if not holds]


def is_best(truth: Truth, position: Position, solution: Solution) -> bool:
    """Whether every action of the line is one of the best in its position."""
    position = position.copy()
    for action in solution.principal_variation:
        if action not in truth.optimal(position):
            return False
        position.play(action)
    return True


def falsehoods_of_decision(truth: Truth, position: Position, solution: Solution) -> list[str]:
    """What the agent's scores and the plain data say that is not so."""
    decision, worth = decision_of(truth.solver, position, solution), truth.solver.expected_return
    returns = {a: worth(position, value) for a, value in truth.values(position).items()}
    scores = [(decision.score, max(returns.values()))]
    scores += [(score, returns[action]) for action, score in (decision.scores or {}).items()]
    holds = {"exact": operator.eq, "lower": operator.le, "upper": operator.ge}
    false = [
        f"{score} of {value}"
        for score, value in scores
        if score is not None and not holds[score.kind](score.value, value)
    ]
    data, name = describe(position, solution), position.game.action_to_text
    claims = {
        "data of the whole": data["exact"] == solution.exact,
        "data of the optimal actions": data["optimal_actions"]
        == [name(action) for action in solution.optimal_actions],
        "data of open actions": data["open_actions"] == list(map(name, solution.open_actions)),
    }
    return false + [claim for claim, holds in claims.items() if not holds]


def position_within_reach(solver: Solver, rng: random.Random) -> Position:
    """A position after random moves whose actions are all valued quickly."""
    while True:
        position = solver.game.initial_position()
        while solver.plies_left(position) > solver.plies_at_once or rng.random() < 0.5:
            if position.is_over:
                break
            position.play(rng.choice(position.legal_actions()))
        if not position.is_over:
            return position


@pytest.mark.parametrize(
    ("spec", "count"),
    [(spec, 2) for spec in OF_EACH_SOLVER]
    + [pytest.param(spec, 50, marks=pytest.mark.slow) for spec in BOARDS],
)
def test_nothing_is_claimed_under_a_limit_that_is_not_proved(spec, count):
    rng, game = random.Random(0), make_game(spec)
    least = solver_class_of(game).least_memory_mb(game)
    solver, truth = make_solver(game, least), Truth(make_solver(game, max(16, least)))
    wrong, parts, limited, most = [], 0, 0, 0
    for _ in range(count):
        position = position_within_reach(solver, rng)
        for moves in ("best", "all"):
            for weak in (False, True):
                solver.clear()
                whole = solver.solve(position, moves=moves, weak=weak)
                assert whole.exact
                solutions = [whole]
                for share in SHARES:
                    solver.clear()
                    limit = max(1, int(share * whole.nodes))
                    options = {"moves": moves, "weak": weak}
                    solutions.append(solver.solve(position, **options, most_nodes=limit))
                # what the limit left in the table proves nothing false either
                solutions.append(solver.solve(position, moves=moves, weak=weak))
                assert solutions[-1].exact
                for solution in solutions:
                    found = falsehoods(truth, position, solution)
                    if not weak:
                        found += falsehoods_of_decision(truth, position, solution)
                    wrong += [f"{position.to_text()} {moves} {weak}: {each}" for each in found]
                limited += len(SHARES)
                parts += sum(not solution.exact for solution in solutions)
                most = max(most, whole.nodes)
    print(f"{spec}: {limited} limited results, {parts} in part, {len(wrong)} claims not proved")
    assert not wrong
    assert parts or most < AT_ONCE


def test_the_list_of_best_actions_is_complete_once_all_others_are_worse():
    """That takes no value of every action: bounds are enough."""
    bounds = {0: (1, 1), 1: (-2, 0), 2: (1, 3), 3: (2, 2)}
    solution = Solution(2, 3, 1, 3, bounds=bounds, optimal_actions=proved_optimal(bounds))
    assert (solution.optimal_actions, solution.open_actions) == ((), (2, 3))
    bounds[2] = (2, 3)
    solution = Solution(2, 3, 1, 2, bounds=bounds, optimal_actions=proved_optimal(bounds))
    assert (solution.value, solution.optimal_actions, solution.open_actions) == (None, (2,), (3,))
    bounds[3] = (0, 1)
    solution = Solution(2, 3, 1, 2, bounds=bounds, optimal_actions=proved_optimal(bounds))
    assert (solution.optimal_actions, solution.optimal_complete) == ((2,), True)
    assert (solution.values, solution.exact) == ({0: 1}, False)
