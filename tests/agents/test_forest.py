"""The forest of search trees against the same search in plain Python, and against its formulas."""

from __future__ import annotations

import numpy as np
import pytest
from plyground import make_game
from plyground.agents.search import forest_games, forest_kernels, puct_kernels
from plyground.agents.search.forest import SearchOptions, considered_visits, new_samples
from plyground.agents.search.mcts_kernels import EXACT, ROOT
from plyground.envs import rules as r
from reference.gumbel import Search

GAMES = [
    ("tic_tac_toe", 0.98),
    ("connect_four:rows=4,cols=4", 0.99),
    ("dots_and_boxes:rows=2,cols=2", 1.0),
    ("dots_and_boxes:rows=2,cols=2,reward=margin", 1.0),
    ("othello:size=4", 0.99),
]


# Legal actions of positions that plain minimax can solve here.
FEW = {"tic_tac_toe": 6, "connect_four": 2, "dots_and_boxes": 6, "othello": 0}


def options(game, discount=1.0, **changes):
    guided = puct_kernels.guided_options(game, 1.5, discount=discount)
    chosen = {
        "gumbel": 1, "full": 24, "fast": 8, "full_share": 1.0, "considered": 4,
        "visit_offset": 50.0, "value_scale": 0.3, "noise_share": 0.25, "noise_alpha": 10.0,
        "forced": 2.0, "sampled_plies": 4, "opening_plies": 0, "random_openings": 1.0,
        "resign_below": -2.0, "resign_share": 0.0,
    }  # fmt: skip
    return SearchOptions(guided, **(chosen | changes))


class Oracle:
    """A network that is a fixed random function of the observation."""

    def __init__(self, game):
        random = np.random.default_rng(5)
        self.size = int(np.prod(game.facts.observation_shape))
        self.policy = random.normal(size=(self.size, game.facts.num_actions))
        self.judgement = random.normal(size=self.size)
        self.scale = game.facts.max_return

    def evaluate(self, observations):
        flat = observations.reshape(-1, self.size).astype(np.float64)
        logits = (flat @ self.policy).astype(np.float32)
        return logits, (self.scale * np.tanh(flat @ self.judgement / 4)).astype(np.float32)

    def __call__(self, position):
        logits, values = self.evaluate(position.observation()[None])
        legal = position.legal_actions()
        return {a: float(logits[0, a]) for a in legal}, float(values[0]) / self.scale


def self_play(game, chosen, count=3, entries=1, seed=1):
    play = forest_games.new_self_play(game, chosen, count, seed, chosen.full, entries)
    play = play._replace(samples=new_samples(game, 5000))
    forest_games.begin_games(game.rules, play)
    return play


def empty(game):
    return np.zeros((0, game.facts.num_actions), np.float32), np.zeros(0, np.float32)


def play_until(game, play, oracle, done, rounds=100_000):
    """Go on until ``done()``."""
    waiting, given = 0, empty(game)
    for _ in range(rounds):
        waiting = forest_games.advance(game.rules, play, waiting, *given)
        given = oracle.evaluate(play.forest.leaves.observations[:waiting])
        if done():
            return
    raise AssertionError("self-play does not come to an end")


def random_position(game, random, plies):
    while True:
        position = game.initial_position()
        for _ in range(plies):
            if not position.is_over:
                position.play(int(random.choice(position.legal_actions())))
        if not position.is_over and len(position.legal_actions()) > 1:
            return position


def search_once(game, chosen, position, oracle):
    """Search one position with the forest and play the move; returns the self-play as it stands
    then, the noise of the root's children, and the tree if it is still there.
    """
    play = self_play(game, chosen, 1)
    play.games.positions[0] = position.record
    waiting, given, noise = 0, empty(game), None
    while True:
        if waiting and play.games.done[0] >= play.games.goals[0]:
            # the last simulation: nothing is left of the tree when its move is played
            forest_games.take_in(play, 0, *given)
            tree = play.forest.nodes[0].copy()
            waiting, given = 0, empty(game)
        else:
            tree = None
        waiting = forest_games.advance(game.rules, play, waiting, *given)
        if noise is None:
            noise = play.games.noise[0].copy()
        if play.games.plies[0] > 0 or play.games.numbers[0] > 1:
            return play, noise, tree
        given = oracle.evaluate(play.forest.leaves.observations[:waiting])


def in_order(position):
    """The legal actions in the order in which the game wants them searched."""
    actions = np.array(position.legal_actions(), np.int16)
    r.order_actions(position.game.rules, position.record, actions, len(actions))
    return actions.tolist()


@pytest.mark.parametrize("considered", [1, 2, 3, 4, 7, 16])
@pytest.mark.parametrize("simulations", [1, 2, 5, 16, 50])
def test_sequential_halving_visits_by_rounds_of_half_as_many_actions(considered, simulations):
    row = considered_visits(considered, simulations)[considered]
    # the schedule written down by rounds, as in the paper's algorithm 1
    wanted, left, visits = [], considered, 0
    phases = int(np.ceil(np.log2(considered))) if considered > 1 else 1
    while len(wanted) < simulations:
        each = max(1, int(simulations / (phases * left))) if considered > 1 else simulations
        for _ in range(each):
            wanted += [visits] * left
            visits += 1
        left = max(2, left // 2) if considered > 1 else 1
    assert row.tolist() == wanted[:simulations]


@pytest.mark.parametrize(("spec", "discount"), GAMES)
def test_the_forest_searches_as_the_plain_search_does(spec, discount):
    game = make_game(spec)
    oracle, random = Oracle(game), np.random.default_rng(1)
    reference = Search(oracle, in_order, discount)
    chosen = options(game, discount)
    trees = proofs = moves = 0
    for trial in range(24):
        plies = trial % max(1, game.facts.longest_game - 3)
        position = random_position(game, random, plies)
        play, noise, tree = search_once(game, chosen, position, oracle)
        root, raw, action = reference.halving(
            position, dict(zip(in_order(position), noise)), 24, 4, 50.0, chosen.value_scale
        )
        found = play.games.policies[0, 0]
        found = {each: float(found[each]) for each in root.children}
        if root.proven is not None:
            proofs += 1
            results = {a: c.proven for a, c in root.children.items() if c.proven is not None}
            best = max(root.sign() * result for result in results.values())
            top = [a for a, result in results.items() if root.sign() * result > best - 1e-6]
            assert found == {a: pytest.approx((a in top) / len(top)) for a in found}
            assert play.games.values[0, 0] == pytest.approx(root.proven)
            continue
        wanted = reference.improved_policy(root, raw, 50.0, chosen.value_scale)
        assert found == {a: pytest.approx(wanted[a], abs=1e-4) for a in found}
        value = sum(wanted[a] * q for a, q in reference.completed(root, raw).items())
        assert play.games.values[0, 0] == pytest.approx(root.sign() * value, abs=1e-4)
        if play.games.plies[0] == 1 and play.games.numbers[0] == 1:
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
@pytest.mark.parametrize("gumbel", [0, 1])
def test_samples_hold_the_mover_s_side_of_every_game(spec, discount, gumbel):
    game = make_game(spec)
    play = self_play(game, options(game, discount, gumbel=gumbel, opening_plies=3))
    play_until(game, play, Oracle(game), lambda: play.tally.games[0] >= 12)
    samples, count = play.samples, int(play.samples.count[0])
    assert count > 12
    assert (samples.policies[:count].sum(axis=1) == pytest.approx(1.0, abs=1e-4)) is True
    for index in range(count):
        position = game.position_from_observation(samples.observations[index])
        illegal = position.action_mask() == 0
        assert not samples.policies[index][illegal].any()
        assert 1 <= samples.left[index] <= game.facts.longest_game
        assert -1 <= samples.outcomes[index] <= 1
        few = len(position.legal_actions()) <= FEW[game.name]
        if samples.exact[index] and few:
            # a proven value is that of perfect play
            assert np.sign(samples.roots[index]) == np.sign(perfect_value(position))


def perfect_value(position):
    """The return of perfect play for the player to move."""
    mover = position.to_move
    if position.is_over:
        return position.returns[mover]
    best = max(value_for(position.after(a), mover) for a in position.legal_actions())
    return best


def value_for(position, player):
    value = position.returns[player] if position.is_over else perfect_value(position)
    return value if position.is_over or position.to_move == player else -value


def test_the_outcome_of_a_sample_is_the_return_of_its_mover_also_after_moving_again():
    game = make_game("dots_and_boxes:rows=1,cols=2,reward=margin")
    play = self_play(game, options(game, full=2, considered=2), count=1, seed=3)
    oracle = Oracle(game)
    play_until(game, play, oracle, lambda: play.tally.games[0] >= 1)
    samples = play.samples
    for index in range(int(samples.count[0])):
        position = game.position_from_observation(samples.observations[index])
        # boxes that are owned now count for the mover
        own, other = position.returns[position.to_move], position.returns[1 - position.to_move]
        assert own == -other
        left = int(samples.left[index])
        assert left == len(position.legal_actions())
        if left == 1:
            after = position.after(position.legal_actions()[0])
            won = after.returns[position.to_move] / game.facts.max_return
            assert samples.outcomes[index] == pytest.approx(won)


@pytest.mark.parametrize("entries", [1, 1 << 12])
def test_the_cache_spares_evaluations_and_changes_nothing(entries):
    game = make_game("tic_tac_toe")
    chosen = options(game, 0.98, full=16)
    play = self_play(game, chosen, count=1, entries=entries, seed=9)
    play_until(game, play, Oracle(game), lambda: play.tally.games[0] >= 8)
    plain = self_play(game, chosen, count=1, entries=1, seed=9)
    play_until(game, plain, Oracle(game), lambda: plain.tally.games[0] >= 8)
    count = min(int(play.samples.count[0]), int(plain.samples.count[0]))
    assert count > 20
    assert np.array_equal(play.samples.policies[:count], plain.samples.policies[:count])
    assert np.array_equal(play.samples.outcomes[:count], plain.samples.outcomes[:count])
    if entries > 1:
        assert int(play.tally.evaluations[0]) < int(plain.tally.evaluations[0])


def test_a_share_of_the_moves_is_searched_in_full_and_recorded():
    game = make_game("connect_four:rows=4,cols=4")
    play = self_play(game, options(game, full_share=0.25, full=8, fast=2), count=8)
    play_until(game, play, Oracle(game), lambda: play.tally.games[0] >= 150)
    share = int(play.samples.count[0]) / int(play.tally.plies[0])
    assert 0.15 < share < 0.3  # moves without a choice are not searched


def test_openings_are_random_or_the_network_s():
    game = make_game("connect_four:rows=4,cols=4")

    class Column:
        def evaluate(self, observations):
            logits = np.zeros((len(observations), 4), np.float32)
            logits[:, 2] = 20.0
            return logits, np.zeros(len(observations), np.float32)

    def first_columns(random_openings):
        chosen = options(
            game, full=2, considered=2, opening_plies=2, random_openings=random_openings
        )
        play = self_play(game, chosen, count=1, seed=2)
        play_until(game, play, Column(), lambda: play.tally.games[0] >= 60)
        samples = play.samples
        found = set()
        for index in range(int(samples.count[0])):
            stones = samples.observations[index].sum(axis=(0, 2))
            if stones.sum() == 2:
                found.add(tuple(stones.tolist()))
        return found

    assert first_columns(0.0) <= {(0, 0, 2, 0)} | {
        (1, 0, 1, 0), (0, 1, 1, 0), (0, 0, 1, 1), (2, 0, 0, 0), (0, 2, 0, 0), (0, 0, 0, 2),
        (1, 1, 0, 0), (1, 0, 0, 1), (0, 1, 0, 1),
    }  # fmt: skip
    assert len(first_columns(1.0)) > 3


def test_a_side_that_may_resign_does_so_when_its_value_is_low():
    game = make_game("connect_four:rows=4,cols=4")
    resigning = options(game, full=4, considered=2, resign_below=-0.01, resign_share=1.0)
    play = self_play(game, resigning, count=4)
    play_until(game, play, Oracle(game), lambda: play.tally.games[0] >= 30)
    known = play.samples.left[: int(play.samples.count[0])]
    assert (known == forest_games.UNKNOWN_LENGTH).any()
    stubborn = self_play(game, options(game, full=4, considered=2), count=4)
    play_until(game, stubborn, Oracle(game), lambda: stubborn.tally.games[0] >= 30)
    assert int(play.tally.plies[0]) < int(stubborn.tally.plies[0])


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
    game = make_game("connect_four:rows=4,cols=4")
    chosen = options(game, gumbel=0, full=40, forced=8.0, noise_share=0.5)
    oracle = Oracle(game)
    position = game.position([0, 1, 2])
    _, noise, nodes = search_once(game, chosen, position, oracle)
    root = nodes[ROOT]
    pruned, plain = np.zeros(4), np.zeros(4)
    weights = np.zeros(4)
    forest_kernels.write_visit_policy(chosen, nodes, noise, weights, pruned)
    bare = chosen._replace(forced=0.0)
    forest_kernels.write_visit_policy(bare, nodes, noise, weights, plain)
    children = nodes[root.children : root.children + root.count]
    top = int(children[int(np.argmax(children.visits))].action)
    assert plain.sum() == pytest.approx(1)
    assert pruned.sum() == pytest.approx(1)
    assert pruned[top] >= plain[top]
