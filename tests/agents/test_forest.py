"""The forest of search trees against the same search in plain Python, and against its formulas."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from helpers import best_of_mover, run_python
from plyground import make_game
from plyground.agents.search import forest_games, forest_kernels
from plyground.agents.search.descent import EXACT, ROOT
from plyground.agents.search.forest import considered_visits
from plyground.envs import rules as r
from plyground.envs.game import Position
from reference.gumbel import Search
from self_play.forest import Oracle, empty, options, play_until, self_play

pytestmark = pytest.mark.thorough

GAMES = [
    ("tic_tac_toe", 0.98),
    ("dots_and_boxes:rows=2,cols=2", 1.0),
    ("dots_and_boxes:rows=2,cols=2,reward=margin", 1.0),
]
if numba.config.DISABLE_JIT:  # each kind of game takes half a minute to compile
    GAMES += [("connect_four:rows=4,cols=4", 0.99), ("othello:size=4", 0.99)]
SMALL = make_game("tic_tac_toe:rows=3,cols=4,connect=3")


# Legal actions of positions that plain minimax can solve here.
FEW = {"tic_tac_toe": 6, "connect_four": 2, "dots_and_boxes": 6, "othello": 0}


def random_position(game, random, number):
    """The ``number``-th position with a choice of actions, counted around, of a random game."""
    position, positions = game.initial_position(), []
    while not position.is_over:
        if len(position.legal_actions()) > 1:
            positions.append(position.copy())
        position.play(int(random.choice(position.legal_actions())))
    return positions[number % len(positions)]


def search_once(game, settings, position, oracle):
    """Search one position with the forest and play the move; returns the self-play as it stands
    then, the noise of the root's children, and the tree if it is still there.
    """
    play = self_play(game, settings, 1)
    play.games.positions[0], play.games.states[0].plies = position.record, 0
    waiting, evaluation, noise = 0, empty(game), None
    while True:
        if waiting and play.games.states[0].done >= play.games.states[0].goal:
            # the last simulation: nothing is left of the tree when its move is played
            forest_games.process_evaluation(play, 0, *evaluation)
            tree = play.forest.nodes[0].copy()
            waiting, evaluation = 0, empty(game)
        else:
            tree = None
        waiting = forest_games.advance(game.rules, play, waiting, *evaluation)
        if noise is None:
            noise = play.games.noise[0].copy()
        if play.games.states[0].plies > 0 or play.games.states[0].number > 1:
            return play, noise, tree
        evaluation = oracle.evaluate(play.forest.leaves.observations[:waiting])


def in_order(position):
    """The legal actions in the order in which the game wants them searched."""
    actions = np.array(position.legal_actions(), np.int16)
    r.order_actions(position.game.rules, position.record, actions, len(actions))
    return actions.tolist()


@pytest.mark.parametrize("actions", [1, 2, 3, 4, 7, 16])
@pytest.mark.parametrize("simulations", [1, 2, 5, 16, 50])
def test_sequential_halving_visits_by_rounds_of_half_as_many_actions(actions, simulations):
    row = considered_visits(actions, simulations)[actions]
    # the schedule written down by rounds, as in the paper's algorithm 1
    expected, left, visits = [], actions, 0
    phases = int(np.ceil(np.log2(actions))) if actions > 1 else 1
    while len(expected) < simulations:
        each = max(1, int(simulations / (phases * left))) if actions > 1 else simulations
        for _ in range(each):
            expected += [visits] * left
            visits += 1
        left = max(2, left // 2) if actions > 1 else 1
    assert row.tolist() == expected[:simulations]


@pytest.mark.parametrize(("spec", "discount"), GAMES)
def test_the_forest_searches_as_the_plain_search_does(spec, discount):
    game = make_game(spec)
    oracle, random = Oracle(game), np.random.default_rng(1)
    reference = Search(oracle, in_order, discount)
    settings = options(game, discount)
    trees = proofs = moves = 0
    for trial in range(24):
        position = random_position(game, random, trial)
        play, noise, tree = search_once(game, settings, position, oracle)
        root, raw, action = reference.halving(
            position, dict(zip(in_order(position), noise)), 24, 16, 50.0, settings.value_scale
        )
        policy = play.games.policies[0, 0]
        policy = {each: float(policy[each]) for each in root.children}
        if root.proven is not None:
            proofs += 1
            results = {a: c.proven for a, c in root.children.items() if c.proven is not None}
            best = max(root.sign() * result for result in results.values())
            top = [a for a, result in results.items() if root.sign() * result > best - 1e-6]
            assert policy == {a: pytest.approx((a in top) / len(top)) for a in policy}
            assert play.games.values[0, 0] == pytest.approx(root.proven)
            continue
        expected = reference.improved_policy(root, raw, 50.0, settings.value_scale)
        assert policy == {a: pytest.approx(expected[a], abs=1e-4) for a in policy}
        value = sum(expected[a] * q for a, q in reference.completed(root, raw).items())
        assert play.games.values[0, 0] == pytest.approx(root.sign() * value, abs=1e-4)
        if play.games.states[0].plies == 1 and play.games.states[0].number == 1:
            moves += 1
            assert play.games.positions[0].tobytes() == position.after(action).record.tobytes()
        if tree is not None:
            trees += 1
            first = tree[ROOT].children
            children = {int(c.action): c for c in tree[first : first + tree[ROOT].count]}
            for each, child in root.children.items():
                assert children[each].visits == child.visits
                assert children[each].total == pytest.approx(child.total, abs=1e-4)
                assert (children[each].proven == EXACT) == (child.proven is not None)
    assert min(trees, moves) >= 3
    assert proofs >= 1


@pytest.mark.parametrize(("spec", "discount"), GAMES)
@pytest.mark.parametrize("search", ["puct", "gumbel"])
def test_samples_hold_the_mover_s_side_of_every_game(spec, discount, search):
    game = make_game(spec)
    play = self_play(game, options(game, discount, search=search, opening_plies=3))
    play_until(game, play, Oracle(game), lambda: play.tally[0].games >= 12)
    samples, count = play.samples, int(play.samples.count[0])
    assert count > 12
    assert (samples.policies[:count].sum(axis=1) == pytest.approx(1.0, abs=1e-4)) is True
    for index in range(count):
        position = game.position_from_observation(samples.observations[index])
        illegal = position.action_mask() == 0
        assert not samples.policies[index][illegal].any()
        assert 1 <= samples.marks[index].left <= game.facts.longest_game
        assert -1 <= samples.marks[index].outcome <= 1
        few = len(position.legal_actions()) <= FEW[game.name]
        if samples.marks[index].exact and few:
            # a proven value is that of perfect play
            assert np.sign(samples.marks[index].root) == np.sign(best_of_mover(position))


def test_the_outcome_of_a_sample_is_the_return_of_its_mover_also_after_moving_again():
    game = make_game("dots_and_boxes:rows=1,cols=2,reward=margin")
    play = self_play(game, options(game, simulations=2), count=1, seed=3)
    oracle = Oracle(game)
    play_until(game, play, oracle, lambda: play.tally[0].games >= 1)
    samples = play.samples
    for index in range(int(samples.count[0])):
        position = game.position_from_observation(samples.observations[index])
        # boxes that are owned now count for the mover
        own, other = position.returns[position.to_move], position.returns[1 - position.to_move]
        assert own == -other
        left = int(samples.marks[index].left)
        assert left == len(position.legal_actions())
        if left == 1:
            after = position.after(position.legal_actions()[0])
            won = after.returns[position.to_move] / game.facts.max_return
            assert samples.marks[index].outcome == pytest.approx(won)


@pytest.mark.parametrize("entries", [1, 1 << 12])
def test_the_cache_spares_evaluations_and_changes_nothing(entries):
    game = make_game("tic_tac_toe")
    settings = options(game, 0.98, simulations=16)
    play = self_play(game, settings, count=1, entries=entries, seed=9)
    play_until(game, play, Oracle(game), lambda: play.tally[0].games >= 8)
    plain = self_play(game, settings, count=1, entries=1, seed=9)
    play_until(game, plain, Oracle(game), lambda: plain.tally[0].games >= 8)
    count = min(int(play.samples.count[0]), int(plain.samples.count[0]))
    assert count > 20
    assert np.array_equal(play.samples.policies[:count], plain.samples.policies[:count])
    assert np.array_equal(play.samples.marks.outcome[:count], plain.samples.marks.outcome[:count])
    if entries > 1:
        assert int(play.tally[0].evaluations) < int(plain.tally[0].evaluations)


def test_a_share_of_the_moves_is_searched_in_full_and_recorded():
    game = SMALL
    play = self_play(game, options(game, full_share=0.25, simulations="4,8"), count=8)
    play_until(game, play, Oracle(game), lambda: play.tally[0].games >= 150)
    share = int(play.samples.count[0]) / int(play.tally[0].plies)
    assert 0.15 < share < 0.3  # moves without a choice are not searched


def test_openings_are_random_or_the_network_s():
    class Corner:
        def evaluate(self, observations):
            logits = np.zeros((len(observations), 12), np.float32)
            logits[:, 0], logits[:, 1] = 40.0, 20.0
            return logits, np.zeros(len(observations), np.float32)

    def first_cells(random_openings):
        settings = options(SMALL, simulations=2, opening_plies=2, random_openings=random_openings)
        play = self_play(SMALL, settings, count=1, seed=2)
        play_until(SMALL, play, Corner(), lambda: play.tally[0].games >= 60)
        samples = play.samples
        boards = samples.observations[: int(samples.count[0])].sum(axis=3).reshape(-1, 12)
        # a game whose opening is of two plies is first recorded with two stones
        return {tuple(np.flatnonzero(board)) for board in boards if board.sum() == 2}

    drawn = first_cells(0.0)
    assert (0, 1) in drawn
    assert all(0 in cells for cells in drawn)
    assert len(first_cells(1.0)) > len(drawn)


@pytest.mark.parametrize("spec", ["tic_tac_toe", "dots_and_boxes:rows=2,cols=2"])
def test_the_first_games_begin_at_every_ply_of_random_games(spec):
    game = make_game(spec)
    play = self_play(game, options(game, opening_plies=2), count=400)
    plies = play.games.states.plies
    for index in range(0, 400, 8):
        position = Position(game, play.games.positions[index])
        assert not position.is_over
        assert game.facts.num_actions - len(position.legal_actions()) == plies[index]
    assert set(plies.tolist()) >= set(range(5))
    # so the first games end after the first moves
    play_until(game, play, Oracle(game), lambda: play.samples.count[0] > 40)
    assert play.samples.marks.left[:40].max() <= 3


def test_noise_has_the_distributions_it_is_named_for():
    stream = np.array([7], np.uint64)
    draws = np.zeros(20_000)
    forest_kernels.draw_gumbels(stream, draws, draws.size)
    assert draws.mean() == pytest.approx(0.5772, abs=0.03)
    assert draws.var() == pytest.approx(np.pi**2 / 6, abs=0.08)
    shares = np.zeros((4000, 3))
    for row in shares:
        forest_kernels.draw_dirichlet(stream, row, 3, 0.5)
    assert shares.sum(axis=1) == pytest.approx(1.0)
    assert shares.mean(axis=0) == pytest.approx(1 / 3, abs=0.02)
    assert shares.var(axis=0) == pytest.approx((1 / 3) * (2 / 3) / 2.5, abs=0.01)


def test_forced_visits_that_found_nothing_are_taken_back_from_the_target():
    game = SMALL
    settings = options(game, search="puct", simulations=48)
    oracle = Oracle(game)
    position = game.position([0, 1, 2])
    _, noise, nodes = search_once(game, settings, position, oracle)
    root = nodes[ROOT]
    target, weights = np.zeros(12), np.zeros(12)
    forest_kernels.write_visit_policy(settings, nodes, noise, weights, target)
    children = nodes[root.children : root.children + root.count]
    top = int(np.argmax(children.visits))
    assert target.sum() == pytest.approx(1)
    assert weights[top] == children.visits[top]
    assert (weights[: root.count] <= children.visits).all()
    assert weights.sum() < children.visits.sum()


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="is what that process runs")
def test_without_compilation_the_forest_searches_the_same():
    words = ["-m", "pytest", "-q", "-m", "", "-p", "no:cacheprovider", "-W", "ignore", __file__]
    assert "passed" in run_python(*words, "-k", "plain_search", NUMBA_DISABLE_JIT="1")
