"""What environments show, how they go on after a game, whom they are played against."""

from __future__ import annotations

import gymnasium
import numpy as np
import plyground
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as wrappers
from plyground.envs import SpecificationError, connect_four_v0, dots_and_boxes_v0
from plyground.envs.aec import env as aec_env
from plyground.training.environments import make_env, make_vector_env

NAME, SMALL = "plyground/DotsAndBoxes-v0", {"rows": 2, "cols": 2, "reward": "margin"}
FORMS = [
    {"layout": "chw"},
    {"layout": "flat", "dtype": "float32"},
    {"observation": "dict"},
    {"observation": "dict", "mask_key": "mask", "planes_key": "obs", "layout": "flat"},
    {"dtype": np.float32},
]


def in_form(planes, mask, options):
    """The options' meaning, written once more."""
    layout = options.get("layout", "hwc")
    if layout == "chw":
        planes = planes.transpose(2, 0, 1)
    planes = planes.astype(options.get("dtype", np.int8))
    planes = planes.reshape(-1) if layout == "flat" else planes
    if options.get("observation") != "dict":
        return planes
    return {options.get("planes_key", "observation"): planes} | {
        options.get("mask_key", "action_mask"): mask
    }


def assert_equal(one, other):
    if isinstance(other, dict):
        assert one.keys() == other.keys()
        for key in other:
            assert_equal(one[key], other[key])
    elif other is None:
        assert one is None
    elif isinstance(other, np.ndarray) and other.dtype == object:
        for left, right in zip(one, other, strict=True):
            assert_equal(left, right)
    else:
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)


@pytest.mark.parametrize("options", FORMS, ids=str)
def test_the_three_kinds_of_environment_take_the_same_options(options):
    plain, single = (make_env("connect_four", "greedy", seat=0, **more) for more in ({}, options))
    many = make_vector_env("connect_four", 1, "greedy", seat=0, **options)
    aec = connect_four_v0.env(**({"observation": "planes"} | options))
    assert single.observation_space == many.single_observation_space
    assert single.observation_space == aec.observation_space("player_0")
    (planes, info), (observation, _), (batch, _) = (
        one.reset(seed=3) for one in (plain, single, many)
    )
    aec.reset()
    over = False
    while not over:
        expected = in_form(planes, info["action_mask"], options)
        assert observation in single.observation_space
        assert batch in many.observation_space
        assert_equal(observation, expected)
        aec.reset(options={"position": plain.position})
        assert_equal(aec.observe("player_0"), expected)
        for key, value in batch.items() if isinstance(batch, dict) else [(None, batch)]:
            assert_equal(value[0], expected if key is None else expected[key])
        action = int(info["action_mask"].argmax())
        planes, _, over, _, info = plain.step(action)
        observation = single.step(action)[0]
        batch, *_, infos = many.step(np.array([action]))
    assert_equal(infos["final_obs"][0], in_form(planes, info["action_mask"], options))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layout": "cwh"}, "layout='cwh' is not possible; it is one of hwc, chw, flat"),
        ({"observation": "rgb"}, "observation='rgb' is not possible; it is one of planes, dict"),
        ({"dtype": "complex64"}, "dtype='complex64' is not possible; it is one of int8, uint8"),
        ({"dtype": "floaty"}, "dtype='floaty' is not possible"),
        ({"mask_key": ""}, "mask_key='' is not possible; it is a text"),
        ({"mask_key": "observation"}, "mask_key and planes_key are both 'observation'"),
    ],
)
def test_options_that_are_not_possible_are_refused(options, message):
    for make in (
        lambda **form: aec_env("tic_tac_toe", **form),
        lambda **form: make_env("tic_tac_toe", **form),
        lambda **form: make_vector_env("tic_tac_toe", 2, **form),
    ):
        with pytest.raises(SpecificationError, match=message):
            make(**options)


# -- after the end of a game --


def both(mode, **options):
    """Our vector environment, and Gymnasium's own around single environments."""
    options = SMALL | {"opponent": "mix:0.3 random,0.7 greedy"} | options
    ours = gymnasium.make_vec(NAME, num_envs=5, autoreset_mode=mode, **options)
    theirs = SyncVectorEnv(
        [lambda: gymnasium.make(NAME, **options) for _ in range(5)], autoreset_mode=mode
    )
    return ours, theirs


def without_endings(infos, over):
    """Infos of a reset by mask: Gymnasium leaves out the others, ours describes all."""
    return {name: np.where(over[:, None], infos[name], 0) for name in ("action_mask",)}


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize(
    "form",
    [{}, {"observation": "dict", "layout": "flat"}, {"opponent": "montecarlo:simulations=3"}],
    ids=str,
)
def test_every_autoreset_mode_does_what_gymnasiums_own_environment_does(mode, form):
    ours, theirs = both(mode, **form)
    assert ours.autoreset_mode is ours.metadata["autoreset_mode"] is mode
    one, other = ours.reset(seed=7), theirs.reset(seed=7)
    assert_equal(one[0], other[0])
    assert_equal(one[1], other[1])
    rng, games, illegal = np.random.default_rng(3), 0, 0
    for _ in range(60):
        masks = one[-1]["action_mask"]
        actions = np.array(
            [
                rng.choice(np.flatnonzero(mask)) if mask.any() and rng.random() < 0.95 else 3
                for mask in masks
            ]
        )
        one, other = ours.step(actions), theirs.step(actions)
        for left, right in zip(one, other, strict=True):
            assert_equal(left, right)
        over = one[2]
        games += over.sum()
        illegal += one[-1]["illegal_action"].sum()
        if mode is AutoresetMode.DISABLED and over.any():
            with pytest.raises(ValueError, match=r"are over; restart them by reset"):
                ours.step(actions)
            one, other = (env.reset(options={"reset_mask": over.copy()}) for env in (ours, theirs))
            assert_equal(one[0], other[0])
            assert_equal(without_endings(one[1], over), without_endings(other[1], over))
    assert games > 15
    assert illegal > 0 or mode is AutoresetMode.SAME_STEP


def test_an_ended_games_action_is_left_out_also_where_illegal_ones_raise():
    envs = make_vector_env("tic_tac_toe", 4, illegal="raise", autoreset_mode="next-step")
    _, infos = envs.reset(seed=1)
    starts = 0
    for _ in range(40):
        before = infos["action_mask"]
        observations, rewards, over, _, infos = envs.step(before.argmax(axis=1))
        anew = ~before.any(axis=1)
        starts += anew.sum()
        assert not rewards[anew].any()
        assert not over[anew].any()
        assert (observations[anew].sum(axis=(1, 2, 3)) <= 1).all()
    assert starts > 10


@pytest.mark.parametrize("mode", ["next-step", "disabled"])
def test_who_acts_for_both_players_sees_the_end_as_the_player_that_acted(mode):
    envs = make_vector_env("connect_four", 1, None, autoreset_mode=mode)
    envs.reset()
    for column in (0, 1, 0, 1, 0, 1, 0):
        observation, rewards, over, _, infos = envs.step(np.array([column]))
    assert (rewards[0], over[0], infos["seat"][0]) == (1.0, True, 0)
    assert observation[0, :, 0, 0].sum() == 4


@pytest.mark.parametrize("mode", ["same-step", "SameStep", "SAME_STEP", AutoresetMode.SAME_STEP])
def test_autoreset_modes_may_be_named(mode):
    envs = make_vector_env("tic_tac_toe", 2, autoreset_mode=mode)
    assert envs.autoreset_mode is AutoresetMode.SAME_STEP


# -- Gymnasium's wrappers --

WRAPPERS = {
    "ClipReward": lambda env: wrappers.ClipReward(env, -1, 1),
    "DictInfoToList": wrappers.DictInfoToList,
    "DtypeObservation": lambda env: wrappers.DtypeObservation(env, np.float64),
    "FilterObservation": lambda env: wrappers.FilterObservation(env, ["observation"]),
    "FlattenObservation": wrappers.FlattenObservation,
    "NormalizeObservation": wrappers.NormalizeObservation,
    "NormalizeReward": wrappers.NormalizeReward,
    "RecordEpisodeStatistics": wrappers.RecordEpisodeStatistics,
    "RescaleObservation": lambda env: wrappers.RescaleObservation(env, -1.0, 1.0),
    "TransformAction": lambda env: wrappers.TransformAction(env, lambda action: action),
    "TransformObservation": lambda env: wrappers.TransformObservation(env, lambda planes: planes),
}


def outcome(env, wrap):
    """None if the wrapper works on the environment for twenty steps, or the type of its error."""
    try:
        wrapper = wrap(env)
        observation, _ = wrapper.reset(seed=1)
        for _ in range(20):
            observation, *_ = wrapper.step(wrapper.action_space.sample())
        if isinstance(observation, np.ndarray):
            assert observation.shape == wrapper.observation_space.shape
    except Exception as error:
        return type(error)
    finally:
        env.close()
    return None


@pytest.mark.parametrize("name", WRAPPERS)
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_gymnasiums_wrappers_do_on_ours_what_they_do_on_its_own_environment(name, mode):
    """Ours shows numbers as CartPole does, in a row of float32, and only then can be compared."""
    form = {"layout": "flat", "dtype": "float32", "render_mode": "rgb_array"}
    # CartPole's observations have no bounds to rescale
    other = "Acrobot-v1" if name == "RescaleObservation" else "CartPole-v1"
    sync = {"vectorization_mode": "sync", "vector_kwargs": {"autoreset_mode": mode}}
    make = gymnasium.make_vec
    ours = make("plyground/TicTacToe-v0", num_envs=3, autoreset_mode=mode, **form)
    expected = outcome(make(other, num_envs=3, **sync), WRAPPERS[name])
    assert outcome(ours, WRAPPERS[name]) is expected
    if "Observation" in name and name != "FilterObservation":
        assert expected is None or mode is AutoresetMode.SAME_STEP


# -- positions, pictures, opponents --


def test_games_begin_in_the_position_that_reset_is_given():
    game = plyground.make_game("connect_four")
    for options in (["d", "d"], [3, 3], game.position([3, 3])):
        single = make_env("connect_four", "random", seat=0)
        single.reset(seed=1, options={"position": options})
        assert single.position == game.position([3, 3])
        many = make_vector_env("connect_four", 3, "random", seat=0)
        many.reset(seed=1)
        many.step(np.array([0, 0, 0]))
        many.reset(options={"position": options, "reset_mask": np.array([True, False, True])})
        starts = [position == game.position([3, 3]) for position in many.positions]
        assert starts == [True, False, True]
        aec = connect_four_v0.env()
        aec.reset(options={"position": options})
        assert (aec.position, aec.position.moves) == (game.position([3, 3]), (3, 3))


@pytest.mark.parametrize("opponent", [None, "random"])
def test_rewards_after_a_position_with_boxes_are_the_gains_from_there(opponent):
    spec = "dots_and_boxes:rows=2,cols=2,reward=margin"
    game = plyground.make_game(spec)
    start = position_with_a_box(game)
    assert start.returns[0] != 0.0
    env = make_vector_env(spec, 1, opponent, seat=1, autoreset_mode="disabled")
    env.reset(seed=1, options={"position": start})
    total, over = 0.0, np.array([False])
    while not over[0]:
        seat = env.games.state.seats[0]
        _, rewards, over, _, _ = env.step(env.action_masks().argmax(axis=1))
        total += rewards[0] * (1 if seat == 0 else -1)
    assert start.returns[0] + total == env.positions[0].returns[0]


def position_with_a_box(game):
    position = game.initial_position()
    while position.returns[0] == 0.0:
        position.play(position.legal_actions()[0])
    return position


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (["a"] * 7, "not legal here"),
        (list("abababa"), "no game can begin where it is over"),
        ("dd", "is a Position or a list of actions"),
    ],
)
def test_positions_where_no_game_can_begin_are_refused(start, message):
    for env in (
        make_env("connect_four"),
        make_vector_env("connect_four", 2),
        connect_four_v0.env(),
    ):
        with pytest.raises(ValueError, match=message):
            env.reset(options={"position": start})
    other = plyground.make_game("tic_tac_toe").initial_position()
    with pytest.raises(ValueError, match="this is an environment of connect_four"):
        make_env("connect_four").reset(options={"position": other})
    with pytest.raises(ValueError, match="the opponent ends the game before the learner's first"):
        make_env("connect_four", "greedy", seat=1).reset(options={"position": list("ababab")})


def test_many_games_are_drawn_one_by_one_and_as_one_picture():
    envs = gymnasium.make_vec("plyground/TicTacToe-v0", num_envs=3, render_mode="rgb_array")
    envs.reset(seed=1)
    frames = envs.render()
    assert len(frames) == 3
    height, width, _ = frames[0].shape
    picture = envs.unwrapped.tiled()
    assert picture.shape == (2 * height, 2 * width, 3)
    assert np.array_equal(picture[height:, :width], frames[2])
    assert not picture[height:, width:].any()
    text = make_vector_env("tic_tac_toe", 2, render_mode="ansi", seat=0)
    text.reset()
    assert text.render() == tuple(str(position) for position in text.positions)


def test_the_vecenv_of_stable_baselines3_draws_its_games_as_gymnasiums_does():
    from plyground.training.sb3 import BoardVecEnv

    env = BoardVecEnv("tic_tac_toe", 3, seat=0, render_mode="rgb_array")
    same = make_vector_env("tic_tac_toe", 3, seat=0, render_mode="rgb_array")
    env.seed(1)
    env.reset()
    same.reset(seed=1)
    for action in (np.array([0, 4, 8]), np.array([5, 1, 3])):
        env.step(action)
        same.step(action)
    assert np.array_equal(env.get_images(), same.render())
    assert np.array_equal(env.render(), same.tiled())
    assert env.metadata["render_modes"] == ["human", "rgb_array"]
    assert BoardVecEnv("tic_tac_toe", 2).get_images() == [None, None]
    with pytest.raises(ValueError, match="render_mode='ansi' is not possible for a VecEnv"):
        BoardVecEnv("tic_tac_toe", 2, render_mode="ansi")


def highest(position):
    return position.legal_actions()[-1]


@pytest.mark.parametrize("make", [make_env, lambda *a, **k: make_vector_env(a[0], 1, *a[1:], **k)])
def test_the_opponent_is_replaced_and_may_be_a_function(make):
    env = make("connect_four", "random", seat=0)
    env.reset(seed=1)
    env.set_opponent(highest)
    assert env.opponents == ["highest"]
    observation = env.step(np.array([0]) if hasattr(env, "num_envs") else 0)[0].reshape(6, 7, 2)
    assert observation[5, 6, 1] == 1
    env.set_opponent("mix:1 random,2 greedy")
    assert env.opponents == ["random", "greedy"]


@pytest.mark.parametrize("form", [{}, {"layout": "flat"}, {"layout": "chw", "dtype": "float32"}])
@pytest.mark.parametrize("algorithm", ["PPO", "DQN", "MaskablePPO"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_model_of_stable_baselines3_is_an_opponent_that_plays_legally(algorithm, form):
    library = "sb3_contrib" if algorithm == "MaskablePPO" else "stable_baselines3"
    kind = getattr(pytest.importorskip(library), algorithm)
    model = kind("MlpPolicy", make_env("tic_tac_toe", **form), device="cpu", seed=1)
    envs = make_vector_env("tic_tac_toe", 16, model, illegal="raise")
    assert envs.opponents == [algorithm]
    _, infos = envs.reset(seed=1)
    games = 0
    for _ in range(20):
        *_, over, _, infos = envs.step(infos["action_mask"].argmax(axis=1))
        games += over.sum()
    assert games > 40


def test_a_model_of_another_game_is_refused_when_it_is_asked():
    ppo = pytest.importorskip("stable_baselines3").PPO
    model = ppo("MlpPolicy", make_env("tic_tac_toe"), device="cpu")
    envs = make_vector_env("connect_four", 2, model, seat=1)
    with pytest.raises(ValueError, match="cannot play a game that is observed as"):
        envs.reset()


def test_an_unknown_keyword_is_a_type_error_as_other_libraries_expect():
    for make in (gymnasium.make, lambda name, **more: gymnasium.make_vec(name, 2, **more)):
        with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'"):
            make("plyground/TicTacToe-v0", frameskip=1)
    _, info = make_env("tic_tac_toe").reset(seed=1)
    assert {type(value) for value in info.values()} == {np.ndarray}


def test_environments_of_every_kind_may_be_copied_with_their_options():
    import copy

    env = dots_and_boxes_v0.env(layout="chw", dots=(3, 3))
    env.reset()
    assert copy.deepcopy(env).observe("player_0")["observation"].shape == (6, 3, 3)


@pytest.mark.parametrize("symmetries", [False, True])
@pytest.mark.parametrize("options", FORMS)
def test_the_environment_for_sb3_takes_the_same_options(options, symmetries):
    from plyground.training.sb3 import BoardVecEnv

    common = {"opponent": "random", "symmetries": symmetries}
    plain, env = (BoardVecEnv("connect_four", 8, **common, **more) for more in ({}, options))
    for one in (plain, env):
        one.seed(5)
    observation, form = plain.reset(), env.reset()
    ends = 0
    for _ in range(60):
        masks = env.action_masks()
        assert np.array_equal(masks, plain.action_masks())
        for game in range(8):
            row = (
                {name: part[game] for name, part in form.items()}
                if isinstance(form, dict)
                else form[game]
            )
            assert row in env.observation_space
            assert_equal(row, in_form(observation[game], masks[game].astype(np.int8), options))
        actions = masks.argmax(axis=1)
        (observation, _, over, infos), (form, _, _, other) = plain.step(actions), env.step(actions)
        for game in np.flatnonzero(over):
            last = infos[game]["terminal_observation"]
            expected = in_form(last, np.zeros(7, np.int8), options)
            assert_equal(other[game]["terminal_observation"], expected)
            ends += 1
    assert ends > 10
