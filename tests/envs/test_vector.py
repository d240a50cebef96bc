"""Many games at once: compiled and Python opponents, Gymnasium's vector environments, SB3's VecEnv,
both sides played by the caller.
"""

from __future__ import annotations

import collections
import copy
import pickle

import gymnasium
import numpy as np
import pytest
from plyground import IllegalActionError, make_game
from plyground.agents.opponents import make_opponents
from plyground.envs import aec
from plyground.envs.compiled.randomness import new_stream
from plyground.envs.single_agent.game_batch import GameBatch
from plyground.envs.single_agent.opponents import Opponent
from plyground.training.environments import make_vector_env

GAMES = [
    "tic_tac_toe",
    "connect_four",
    "dots_and_boxes:rows=2,cols=2,reward=margin",
    "gomoku:size=5,connect=4",
]


def batch_of(spec, num_games, opponent, **options):
    game = make_game(spec)
    return GameBatch(
        game, num_games, None if opponent is None else make_opponents(opponent, game), **options
    )


def assert_same_state(one, other):
    for name, left, right in zip(one.state._fields, one.state, other.state):
        assert np.array_equal(left, right), name


def play_alike(one, other, steps, seed=0):
    """Step two batches with the same random legal actions and compare everything at every step."""
    stream = new_stream(seed)
    assert_same_state(one, other)
    for _ in range(steps):
        actions = one.draw_actions(stream)
        one.step(actions)
        other.step(actions)
        assert_same_state(one, other)


@pytest.mark.parametrize(
    ("spec", "opponent"),
    [
        *((spec, opponent) for spec in GAMES[:3] for opponent in ("random", "greedy")),
        (GAMES[3], "random"),
        pytest.param(GAMES[3], "greedy", marks=pytest.mark.thorough),
        ("connect_four", "minimax:depth=2"),
        ("connect_four", "alphabeta:depth=4"),
        ("connect_four", "textbook:depth=3"),
        ("connect_four", "alphabeta:depth=2,iterative=no,table=0,heuristic=none"),
        ("connect_four:rows=4,cols=5", "alphabeta:depth=7"),
        ("dots_and_boxes:rows=2,cols=2,reward=margin", "alphabeta:depth=3"),
        pytest.param("gomoku:size=9", "alphabeta:depth=2", marks=pytest.mark.slow),
        pytest.param("gomoku:size=9", "alphabeta:depth=2,heuristic=caro10", marks=pytest.mark.slow),
    ],
)
def test_compiled_and_python_opponents_play_the_same_games(spec, opponent):
    batch = batch_of(spec, 12, opponent)
    assert all(one.compiled is not None for one in batch.opponents)
    python_batch = GameBatch(spec, 12, [one._replace(compiled=None) for one in batch.opponents])
    batch.reset(seed=5)
    python_batch.reset(seed=5)
    play_alike(batch, python_batch, 40)
    assert batch.state.episodes.min() > 1
    assert {0, 1} == set(batch.state.seats.tolist())


def test_the_seed_decides_everything_and_another_seed_other_games():
    one, other, third = (batch_of("connect_four", 8, "random") for _ in range(3))
    one.reset(seed=3)
    other.reset(seed=3)
    play_alike(one, other, 30)
    third.reset(seed=4)
    stream = new_stream(0)
    for _ in range(30):
        third.step(third.draw_actions(stream))
    assert not np.array_equal(one.state.observations, third.state.observations)


def test_threads_change_nothing_but_the_speed():
    one, two = (
        batch_of("connect_four", 33, "mix:1 random,2 greedy", threads=threads) for threads in (1, 2)
    )
    one.reset(seed=1)
    two.reset(seed=1)
    play_alike(one, two, 60)
    two.close()


@pytest.mark.parametrize("opponent", ["greedy", "montecarlo:simulations=3"])
def test_copies_and_pickles_go_on_alike(opponent):
    batch = batch_of("tic_tac_toe", 3, opponent)
    batch.reset(seed=2)
    batch.step(batch.draw_actions(new_stream(1)))
    for twin in (copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))):
        branch = copy.deepcopy(batch)
        play_alike(branch, twin, 8)


@pytest.mark.parametrize("spec", GAMES)
def test_both_sides_in_a_batch_play_the_aec_environments_games(spec):
    batch, rng = batch_of(spec, 4, None), np.random.default_rng(1)
    state = batch.state
    batch.reset(seed=0)
    environments = [aec.env(spec) for _ in range(4)]
    for environment in environments:
        environment.reset()
    for _ in range(60):
        actors = [environment.agent_selection for environment in environments]
        for game, environment in enumerate(environments):
            observation = environment.observe(environment.agent_selection)
            assert environment.possible_agents[state.seats[game]] == environment.agent_selection
            assert np.array_equal(observation["observation"], state.observations[game])
            assert np.array_equal(observation["action_mask"], state.masks[game])
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in state.masks])
        batch.step(actions)
        for game, (environment, actor) in enumerate(zip(environments, actors)):
            environment.step(int(actions[game]))
            assert environment.rewards[actor] == state.rewards[game]
            assert environment.terminations[actor] == state.terminated[game]
            if state.terminated[game]:
                assert np.array_equal(
                    environment.observe(actor)["observation"], state.final_observations[game]
                )
                environment.reset()
    assert state.episodes.min() > 1


def test_the_learner_sits_in_both_seats_equally_often():
    batch, stream = batch_of("tic_tac_toe", 256, "random"), new_stream(5)
    batch.reset(seed=9)
    seats = collections.Counter()
    for _ in range(60):
        batch.step(batch.draw_actions(stream))
        seats.update(batch.state.final_seats[batch.state.terminated].tolist())
    assert seats.total() > 3000
    assert abs(seats[0] / seats.total() - 0.5) < 0.03  # more than three standard errors


@pytest.mark.parametrize("seat", [0, 1])
def test_a_fixed_seat_is_kept(seat):
    batch, stream = batch_of("connect_four", 8, "random", seat=seat), new_stream(5)
    batch.reset(seed=9)
    for _ in range(40):
        assert set(batch.state.seats.tolist()) == {seat}
        assert set((batch.state.observations.sum(axis=(1, 2, 3)) % 2).tolist()) == {seat}
        batch.step(batch.draw_actions(stream))


@pytest.mark.parametrize(
    ("opponent", "share"),
    [
        ("mix:1 random,3 greedy", 0.25),
        (["random", "greedy"], 0.5),
        (["random", "mix:5 random,5 greedy"], 0.75),
    ],
)
def test_a_mixture_is_met_by_its_weights_and_a_pool_equally(opponent, share):
    batch, stream = batch_of("tic_tac_toe", 256, opponent), new_stream(5)
    batch.reset(seed=9)
    met = collections.Counter()
    for _ in range(30):
        batch.step(batch.draw_actions(stream))
        ended = batch.state.final_opponents[batch.state.terminated]
        met.update(batch.opponents[choice].label for choice in ended)
    assert abs(met["random"] / met.total() - share) < 0.05


class Lowest:
    """Plays the lowest legal action, game by game."""

    def act(self, position):
        return position.legal_actions()[0]


class LowestOfBatch:
    """The same for many positions at once, from what the side to move sees."""

    def act_batch(self, observations, masks):
        assert observations.shape[0] == masks.shape[0] > 0
        # The side to move has never more stones than the other.
        assert np.all(
            observations[..., 0].sum(axis=(1, 2)) <= observations[..., 1].sum(axis=(1, 2))
        )
        return masks.argmax(axis=1)


def test_an_opponent_may_answer_for_all_games_at_once():
    one, other = batch_of("connect_four", 9, Lowest()), batch_of("connect_four", 9, LowestOfBatch())
    one.reset(seed=1)
    other.reset(seed=1)
    play_alike(one, other, 40)


def test_all_moves_of_an_opponents_turn_are_played_inside_one_step():
    class Boxes:
        def act_batch(self, observations, masks):
            assert np.all(observations[..., 4] == 1)  # the side that is asked is to move
            return masks.argmax(axis=1)

    spec = "dots_and_boxes:rows=2,cols=2,reward=margin"
    batch, twin, stream = batch_of(spec, 16, Boxes()), batch_of(spec, 16, Lowest()), new_stream(1)
    batch.reset(seed=1)
    twin.reset(seed=1)
    play_alike(batch, twin, 20)
    drawn = batch.state.observations[..., :2].sum(axis=(1, 2, 3))
    most = 0
    for _ in range(40):
        # whenever the learner is asked, it is to move
        assert np.all(batch.state.observations[..., 4] == 1)
        before, drawn = drawn, batch.state.observations[..., :2].sum(axis=(1, 2, 3))
        most = max(most, int((drawn - before).max()))
        batch.step(batch.draw_actions(stream))
    assert most > 3


def test_opponents_can_be_replaced_while_games_are_under_way():
    batch, stream = batch_of("connect_four", 16, "random"), new_stream(1)
    batch.reset(seed=1)
    batch.step(batch.draw_actions(stream))
    batch.set_opponents(make_opponents(["greedy", "alphabeta:depth=4", Lowest()], batch.game))
    for _ in range(30):
        batch.step(batch.draw_actions(stream))
    assert set(batch.state.opponents.tolist()) == {0, 1, 2}
    batch.set_opponents(make_opponents("random", batch.game))
    assert set(batch.state.opponents.tolist()) == {0}
    batch.step(batch.draw_actions(stream))


def test_where_the_opponent_would_end_the_game_at_once_another_is_begun():
    # one edge is left, and whoever draws it has both boxes
    spec = "dots_and_boxes:rows=1,cols=2,start=swedish"
    batch, stream = batch_of(spec, 8, "random"), new_stream(1)
    batch.reset(seed=1)
    for _ in range(5):
        assert set(batch.state.seats.tolist()) == {0}
        batch.step(batch.draw_actions(stream))
        assert np.all(batch.state.rewards == 1.0)
        assert np.all(batch.state.terminated)
    with pytest.raises(
        ValueError, match="the opponent ends the game before the learner's first move"
    ):
        batch_of(spec, 8, "random", seat=1).reset(seed=1)


# -- illegal actions --


def columns_full(batch):
    """Fill column 0 in every game by both sides in turn."""
    batch.reset(seed=0)
    for _ in range(6):
        batch.step(np.zeros(batch.num_games, np.int64))


def test_an_illegal_action_of_either_side_loses():
    batch = batch_of("connect_four", 3, None)
    columns_full(batch)
    batch.step(np.array([0, 1, 99]))
    assert batch.state.illegal.tolist() == batch.state.terminated.tolist() == [True, False, True]
    assert batch.state.rewards.tolist() == [-1.0, 0.0, -1.0]


def test_an_illegal_action_brings_the_sum_of_rewards_to_the_games_lowest_return():
    batch = batch_of("dots_and_boxes:rows=2,cols=2,reward=margin", 16, "greedy")
    stream = new_stream(1)
    batch.reset(seed=0)
    sums = np.zeros(16)
    for _ in range(4):
        batch.step(batch.draw_actions(stream))
        sums = np.where(batch.state.terminated, 0, sums + batch.state.rewards)
    batch.step(np.full(16, 99))
    assert (sums + batch.state.rewards).tolist() == [-4.0] * 16
    assert np.ptp(sums) > 0


def test_an_illegal_action_can_raise_and_then_changes_nothing():
    batch, twin = (
        batch_of("connect_four", 3, None, illegal=illegal) for illegal in ("raise", "penalty")
    )
    columns_full(batch)
    columns_full(twin)
    message = r"action 0 is not legal in game 2 of 3 of connect_four; legal actions: \[1, 2, 3, 4"
    with pytest.raises(IllegalActionError, match=message):
        batch.step(np.array([1, 1, 0]))
    assert_same_state(batch, twin)


def step_often(batch):
    """Fill the first column, then the second."""
    for _ in range(8):
        batch.step(np.where(batch.state.masks[:, 0] == 1, 0, 1))


def test_an_opponents_illegal_action_is_reported_with_its_name():
    class Zero:
        def act(self, position):
            return 0

    class ZeroForAll:
        def act_batch(self, observations, masks):
            return np.zeros(len(masks), np.int64)

    for opponent in (Zero(), ZeroForAll()):
        batch = batch_of("connect_four", 2, opponent, seat=1)
        batch.reset(seed=0)
        message = f"the opponent {type(opponent).__name__} played"
        with pytest.raises(IllegalActionError, match=message):
            step_often(batch)


# -- Gymnasium --


@pytest.mark.parametrize("mode", [None, "vector_entry_point"])
def test_make_vec_makes_the_compiled_environment_with_masks_for_every_game(mode):
    env = gymnasium.make_vec(
        "plyground/ConnectFour-v0", num_envs=1024, vectorization_mode=mode, rows=5
    )
    observations, infos = env.reset(seed=1)
    assert observations.shape == (1024, 5, 7, 2)
    assert observations in env.observation_space
    assert infos["action_mask"].shape == (1024, 7)
    assert env.spec.id == "plyground/ConnectFour-v0"
    observations, rewards, terminated, truncated, infos = env.step(env.action_space.sample())
    assert rewards.shape == terminated.shape == truncated.shape == (1024,)
    env.close()


def test_only_without_copying_does_a_step_overwrite_what_was_returned():
    for copies in (True, False):
        env = make_vector_env("connect_four", 2, seat=0, copy=copies)
        first, _ = env.reset(seed=1)
        before = first.copy()
        env.step(np.array([3, 3]))
        assert np.array_equal(first, before) == copies


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs=0 is not possible; it is a whole number of at least 1"),
        ({"num_envs": 2.5}, "num_envs=2.5 is not possible"),
        ({"threads": 0}, "threads=0 is not possible"),
        ({"threads": 2, "opponent": "montecarlo"}, "only for opponents that are compiled, and mo"),
        ({"seat": 2}, "seat=2 is not possible; it is 0 .* 1 or 'random'"),
        ({"seat": True}, "seat=True is not possible"),
        ({"illegal": "ignore"}, "illegal='ignore' is not possible; it is one of penalty, raise"),
        ({"opponent": "alphabetta"}, "there is no agent 'alphabetta'; did you mean 'alphabeta'"),
        ({"opponent": "alphabeta:deep=2"}, "alphabeta has no parameter 'deep'"),
        ({"opponent": "mix:random,greedy"}, "'random,greedy' in .* not of the form WEIGHT AGENT"),
        ({"opponent": "mix:0 random"}, "'0 random' in .* is not of the form WEIGHT AGENT"),
        ({"opponent": "mix:"}, "'' in 'mix:' is not of the form WEIGHT AGENT"),
        ({"opponent": []}, "a pool of opponents needs at least one"),
        ({"opponent": "greedy:heuristic=lines"}, "connect_four has no heuristic 'lines'"),
        ({"rows": 1000}, "rows=1000 is not possible"),
        ({"colour": "red"}, "connect_four got an unexpected keyword argument 'colour'"),
        ({"autoreset_mode": "never"}, "it is one of next-step, same-step, disabled"),
        ({"render_mode": "human"}, "render_mode='human' is not possible for many games"),
    ],
)
def test_what_is_wrong_with_the_options_is_said_clearly(options, message):
    with pytest.raises(ValueError, match=message):
        make_vector_env("connect_four", **{"num_envs": 2} | options)


def test_an_object_that_cannot_play_is_refused():
    with pytest.raises(TypeError, match="7 is not an opponent"):
        make_vector_env("connect_four", 2, 7)
    with pytest.raises(ValueError, match="opponents need weights above 0"):
        GameBatch("connect_four", 2, [Opponent("nobody", Lowest(), weight=0.0)])


def test_wrong_calls_are_refused_clearly():
    env = make_vector_env("connect_four", 2)
    with pytest.raises(ValueError, match=r"call reset\(\) before the first step"):
        env.step(np.zeros(2, np.int64))
    with pytest.raises(ValueError, match="and 'position'; 'opening' was given"):
        env.reset(options={"opening": [3]})
    with pytest.raises(ValueError, match=r"must be a bool array of shape \(2,\)"):
        env.reset(options={"reset_mask": np.ones(3, np.bool_)})
    with pytest.raises(ValueError, match="3 seeds were given for 2 games"):
        env.reset(seed=[1, 2, 3])
    env.reset(seed=1)
    for actions in (np.zeros(3, np.int64), np.zeros(2), 3):
        with pytest.raises(ValueError, match=r"actions are whole numbers of shape \(2,\)"):
            env.step(actions)
