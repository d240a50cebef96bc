"""The m,n,k solver: equal to full enumeration, to known results, and consistent with itself."""

from __future__ import annotations

import random

import pytest
from helpers import cached_by_position
from plyground import make_agent, make_game
from plyground.agents.solvers.solver import make_solver, solve
from plyground.envs.specification import SpecificationError

pytestmark = pytest.mark.thorough

SMALL = [
    "tic_tac_toe",
    "tic_tac_toe:rows=3,cols=4,connect=3",
    "tic_tac_toe:rows=2,cols=5,connect=3",
    "tic_tac_toe:rows=4,cols=3,connect=2",
    "gomoku:rows=3,cols=4,connect=3",
    "gomoku:size=3,connect=3,rule=caro",
]


def enumerator(game):
    """Minimax over all positions, each valued once."""

    @cached_by_position
    def value(position):
        if position.is_over:
            return int(position.returns[position.to_move])
        return max(-value(position.after(action)) for action in position.legal_actions())

    return value


def random_position(game, rng, most_left):
    while True:
        position = game.initial_position()
        for _ in range(game.facts.num_actions - rng.randrange(1, most_left + 1)):
            if position.is_over:
                break
            position.play(rng.choice(position.legal_actions()))
        if not position.is_over:
            return position


@pytest.mark.parametrize("spec", SMALL)
def test_every_position_met_in_random_games_has_the_value_of_full_enumeration(spec):
    game, rng = make_game(spec), random.Random(0)
    value, solver = enumerator(game), make_solver(game, 1)
    for _ in range(150):
        position = random_position(game, rng, min(9, game.facts.num_actions))
        solution = solver.solve(position)
        assert (solution.value, solution.exact) == (value(position), True)
        assert -value(position.after(solution.best_action)) == solution.value


def test_all_positions_of_tic_tac_toe_have_the_value_of_full_enumeration():
    game = make_game("tic_tac_toe")
    value, solver = enumerator(game), make_solver(game, 1)
    value(game.initial_position())
    positions, frontier = {game.initial_position().key}, [game.initial_position()]
    while frontier:
        position = frontier.pop()
        if position.is_over:
            continue
        assert solver.solve(position).value == value(position)
        for action in position.legal_actions():
            child = position.after(action)
            if child.key not in positions:
                positions.add(child.key)
                frontier.append(child)
    assert len(positions) == 5478


@pytest.mark.parametrize(
    "spec",
    [
        "tic_tac_toe:size=4",
        "tic_tac_toe:rows=4,cols=5,connect=4",
        "tic_tac_toe:rows=5,cols=5,connect=4",
        "gomoku:size=7",
        "gomoku:rows=6,cols=7,connect=4",
        "gomoku:size=5,rule=standard",
        "gomoku:size=5,rule=caro_overline",
    ],
)
def test_late_positions_of_larger_boards_have_the_value_of_full_enumeration(spec):
    game, rng = make_game(spec), random.Random(1)
    value, solver = enumerator(game), make_solver(game, 4)
    for _ in range(25):
        position = random_position(game, rng, 8)
        solution = solver.solve(position, moves="all")
        assert solution.value == value(position)
        assert solution.values == {
            action: -value(position.after(action)) for action in position.legal_actions()
        }


@pytest.mark.parametrize(
    ("spec", "result"),
    [
        ("tic_tac_toe", 0),
        ("tic_tac_toe:rows=3,cols=4,connect=3", 1),
        ("tic_tac_toe:size=4", 0),
        ("tic_tac_toe:rows=4,cols=5,connect=4", 0),
        ("tic_tac_toe:rows=5,cols=5,connect=4", 0),
        ("tic_tac_toe:rows=5,cols=6,connect=4", 1),
        pytest.param("tic_tac_toe:size=5", 0, marks=pytest.mark.slow),
        pytest.param("gomoku:size=5", 0, marks=pytest.mark.slow),
    ],
)
def test_empty_boards_have_the_results_the_literature_gives(spec, result):
    # van den Herik, Uiterwijk, van Rijswijck, "Games solved: now and in the future", 2002, table of
    # m,n,k games.
    assert solve(make_game(spec).initial_position()).value == result


def test_values_are_consistent_and_mirror_images_equal():
    game, rng = make_game("tic_tac_toe:size=4"), random.Random(2)
    solver = make_solver(game, 16)
    for _ in range(20):
        position = random_position(game, rng, 12)
        solution = solver.solve(position, moves="all")
        assert solution.value == max(solution.values.values())
        assert set(solution.optimal_actions) == {
            a for a, v in solution.values.items() if v == solution.value
        }
        for symmetry in range(8):
            assert solver.solve(position.transformed(symmetry)).value == solution.value


def test_the_solver_agent_never_loses_a_drawn_game_and_wins_a_won_one():
    for spec, expected in (("tic_tac_toe", 0.0), ("tic_tac_toe:rows=3,cols=4,connect=3", 1.0)):
        for seed in range(10):
            position, agents = (
                make_game(spec).initial_position(),
                [make_agent("solver"), make_agent("random", seed=seed)],
            )
            while not position.is_over:
                position.play(agents[position.to_move].act(position))
            assert position.returns[0] >= expected


def test_with_a_time_limit_it_returns_bounds_and_a_move():
    solution = solve(make_game("tic_tac_toe:size=6").initial_position(), time=0.2)
    assert (solution.exact, solution.lower, solution.upper) == (False, -1, 1)
    assert solution.nodes > 0


def test_a_board_beyond_its_reach_is_refused_with_the_limit():
    with pytest.raises(
        SpecificationError, match=r"rows \* \(cols \+ 1\) may be at most 64, here it is 72"
    ):
        solve(make_game("tic_tac_toe:size=8").initial_position())
    with pytest.raises(
        SpecificationError,
        match=(
            r"gomoku is beyond the solver: rows \* \(cols \+ 1\) may be at most 64, here it is 240"
        ),
    ):
        solve(make_game("gomoku").initial_position())
    with pytest.raises(
        SpecificationError,
        match=(
            "takes gomoku with rule=freestyle, other rules only where no more than 5 stones fit in "
            "a row"
        ),
    ):
        solve(make_game("gomoku:size=7,rule=standard").initial_position())


def test_gomoku_is_solved_as_the_mnk_game_with_the_same_row():
    gomoku, mnk = (
        make_game("gomoku:rows=4,cols=5,connect=4"),
        make_game("tic_tac_toe:rows=4,cols=5,connect=4"),
    )
    assert gomoku.initial_position().legal_actions() == mnk.initial_position().legal_actions()
    first, second = solve(gomoku.initial_position()), solve(mnk.initial_position())
    assert (first.value, first.nodes, first.principal_variation) == (
        second.value,
        second.nodes,
        second.principal_variation,
    )


@pytest.mark.parametrize("agent", ["solver:memory=4", "alphabeta:depth=1,endgame=20"])
@pytest.mark.parametrize("spec", SMALL[:2])
def test_in_a_lost_position_the_agent_holds_out_as_long_as_it_can(spec, agent):
    @cached_by_position
    def worth(position):  # 100 less the plies to a win; a loss is the other way round
        if position.is_over:
            return 100 * int(position.returns[position.to_move])
        best = max(-worth(position.after(action)) for action in position.legal_actions())
        return best - (best > 0) + (best < 0)

    game, rng, player = make_game(spec), random.Random(2), make_agent(agent)
    lost = []
    while len(lost) < 12:
        position = random_position(game, rng, 6)
        if worth(position) < 0 and len(position.legal_actions()) > 2:
            lost.append(position)
    for position in lost:
        decision = player.analyse(position)
        assert (decision.value, decision.exact) == (-1, True)
        assert -worth(position.after(decision.action)) + 1 == worth(position)
