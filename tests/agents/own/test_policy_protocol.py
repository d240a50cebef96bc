"""Whatever plays is a policy: every player in every place, and what it must not do there."""

from __future__ import annotations

import copy
import functools
import pickle
import re

import gymnasium
import numpy as np
import pettingzoo
import pytest
import torch
from plyground import Agent, Decision, as_policy, make_agent, make_game, play_game
from plyground.agents.bots import ModelBot
from plyground.envs import IllegalActionError, SpecificationError, connect_four_v0
from plyground.evaluation import JobPlace, Plan, Store, Tournament, evaluate, ratings
from plyground.training import BoardVecEnv, make_vector_env
from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C, DQN

pytestmark = pytest.mark.thorough

NAME = "connect_four"
GAME = make_game(NAME)


def first(position):
    return position.legal_actions()[0]


def first_with_moves(position, moves):
    assert moves == position.moves
    return first(position)


def first_by_policy(observation, info):
    assert set(observation) == {"observation", "action_mask"}
    assert observation["observation"].shape == GAME.facts.observation_shape
    mask = info["action_mask"] if info else observation["action_mask"]
    assert np.array_equal(mask, observation["action_mask"])
    return int(np.argmax(mask))


def first_of_each(observations, masks):
    assert observations.shape == (len(masks), *GAME.facts.observation_shape)
    return masks.argmax(axis=1)


def first_with_depth(position, depth):
    return first(position)


def with_closure(depth):
    return lambda position: first_with_depth(position, depth)


class Holds:
    def __init__(self, value):
        self.value = value

    def act(self, position):
        return first(position)


class First:
    deterministic = True

    def act(self, position):
        return first(position)


class FirstOfEach:
    def act_batch(self, observations, masks):
        return first_of_each(observations, masks)


def model(algorithm, **settings):
    return algorithm("MlpPolicy", BoardVecEnv(NAME, 2, "random"), device="cpu", seed=1, **settings)


MODELS = {
    "MaskablePPO": model(MaskablePPO, n_steps=8, batch_size=16),
    "A2C": model(A2C),
    "DQN": model(DQN, buffer_size=100),
}
AGENTS = {
    name: name
    for name in (
        "random", "greedy", "minimax:depth=2", "alphabeta:depth=2", "montecarlo:simulations=5",
        "mcts:simulations=10", "zoo:connect_four",
    )
} | {"an agent": make_agent("alphabeta:depth=1")}  # fmt: skip
FUNCTIONS = {
    "position": first,
    "position, moves": first_with_moves,
    "observation, info": first_by_policy,
    "observations, masks": first_of_each,
    "object": First(),
    "object of batches": FirstOfEach(),
    "class": First,
}
PLAYERS = AGENTS | MODELS | FUNCTIONS
ANSWERS = {
    "np.int64": np.int64,
    "array of no dimension": np.array,
    "torch scalar": torch.tensor,
    "array of one element": lambda action: np.array([action]),
    "float": float,
}
TAKEN = tuple(ANSWERS)[:3]


class AgentAnswers(Agent):
    """An agent of a user's own whose answers are of a kind."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def decide(self, position):
        return Decision(self.kind(first(position)))


WAYS_TO_WRITE = ("position", "observation, info", "observations, masks", "an agent")


def answering(way, kind):
    """A player that is written in one of these ways and whose answers are of a kind."""
    return {
        "position": lambda position: kind(first(position)),
        "observation, info": lambda observation, info: kind(first_by_policy(observation, info)),
        "observations, masks": lambda observations, masks: [*map(kind, masks.argmax(axis=1))],
        "an agent": AgentAnswers(kind),
    }[way]


def aec_loop(env):
    def play(player):
        policy = as_policy(player, NAME)
        env.reset(seed=1)
        count = 0
        for _ in env.agent_iter():
            observation, _, termination, truncation, info = env.last()
            over = termination or truncation
            action = None if over else policy(observation, info)
            assert over or observation["action_mask"][action]
            env.step(action)
            count += not over
        assert count > 6

    return play


def gymnasium_loop(**options):
    def play(player):
        policy = as_policy(player, NAME)
        env = gymnasium.make("plyground/ConnectFour-v0", opponent="random", **options)
        observation, info = env.reset(seed=1)
        over = False
        while not over:
            action = policy(observation, info)
            assert info["action_mask"][action]
            observation, _, over, _, info = env.step(action)

    return play


def vector_loop(player):
    policy = as_policy(player, NAME)
    env = make_vector_env(NAME, 5, opponent="random")
    observations, infos = env.reset(seed=1)
    for _ in range(12):
        actions = policy(observations, infos)
        assert actions.shape == (5,)
        assert infos["action_mask"][np.arange(5), actions].all()
        observations, _, _, _, infos = env.step(actions)


def sb3_loop(player):
    policy = as_policy(player, NAME)
    env = BoardVecEnv(NAME, 3, "random")
    observations = env.reset()
    for _ in range(8):
        masks = env.action_masks()
        actions = policy(observations, {"action_mask": masks})
        assert masks[np.arange(3), actions].all()
        observations, _, _, infos = env.step(actions)
        assert policy(observations, infos).shape == (3,)


def a_game(player):
    result = play_game(NAME, ["random", player])
    assert (result.fault, len(result.moves) > 6) == (None, True)


def a_tournament(player):
    table = ratings(Plan(NAME, (player, "random"), pairs=1))
    assert len(table.labels) == 2


def a_measurement(player):
    (result,) = evaluate(player, NAME, ["random"], pairs=2)
    assert result.games > 0


def an_opponent(player):
    env = gymnasium.make("plyground/ConnectFour-v0", opponent=player, seat=1)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        *_, over, _, info = env.step(int(info["action_mask"].argmax()))


def opponents_of_a_vector(player):
    env = BoardVecEnv(NAME, 3, [player, "random"])
    env.seed(1)
    env.reset()
    for _ in range(8):
        env.step(env.action_masks().argmax(axis=1))


PLACES = {
    "env": aec_loop(connect_four_v0.env()),
    "raw_env": aec_loop(connect_four_v0.raw_env()),
    "PettingZoo's own": aec_loop(pettingzoo.make("aec", "classic/connect_four-v3")),
    "Gymnasium": gymnasium_loop(),
    "Gymnasium, dict": gymnasium_loop(observation="dict"),
    "vector": vector_loop,
    "stable-baselines3": sb3_loop,
    "game": a_game,
    "tournament": a_tournament,
    "evaluate": a_measurement,
    "opponent": an_opponent,
    "opponents of a vector": opponents_of_a_vector,
}


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("place", PLACES)
def test_every_player_plays_in_every_place(player, place):
    PLACES[place](PLAYERS[player])


@pytest.mark.parametrize("answer", TAKEN)
@pytest.mark.parametrize("way", WAYS_TO_WRITE)
@pytest.mark.parametrize("place", PLACES)
def test_every_place_takes_the_whole_numbers_of_every_library(place, way, answer):
    PLACES[place](answering(way, ANSWERS[answer]))


@pytest.mark.parametrize("answer", [answer for answer in ANSWERS if answer not in TAKEN])
@pytest.mark.parametrize("way", WAYS_TO_WRITE)
@pytest.mark.parametrize("place", PLACES)
def test_every_place_refuses_what_is_no_whole_number_in_a_sentence(place, way, answer):
    player = answering(way, ANSWERS[answer])
    message = r"returned .+, which is no action; an action is a whole number"
    if answer == "array of one element":
        message = r"returned array\(\[\d\]\), which is no action; .* return int\(action\)"
    if place == "game":
        assert re.search(message, play_game(NAME, ["random", player]).reason)
    elif place == "tournament":
        assert re.search(message, str(ratings(Plan(NAME, (player, "random"), pairs=1))))
    else:
        with pytest.raises(IllegalActionError, match=message):
            PLACES[place](player)


@pytest.mark.parametrize("player", [*AGENTS, "DQN", *FUNCTIONS])
def test_the_protocol_chooses_what_act_chooses(player):
    policy, other = as_policy(PLAYERS[player], NAME), as_policy(PLAYERS[player], NAME)
    env = connect_four_v0.env()
    for column in (3, 3, 2, 4):
        env.reset(seed=1)
        env.step(column)
        observation, *_, info = env.last()
        position = env.unwrapped.position
        policy.reset(1)
        other.reset(1)
        assert policy(observation, info) == other.act(position)


@pytest.mark.parametrize("layout", ["hwc", "chw", "flat"])
@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("player", ["alphabeta:depth=4", "zoo:connect_four"])
def test_observations_in_any_layout_are_read(layout, dtype, player):
    single = gymnasium.make("plyground/ConnectFour-v0", opponent="random", seat=0, layout=layout)
    many = make_vector_env(NAME, 4, opponent="random", layout=layout, dtype=dtype)
    policy = as_policy(player, NAME)
    observation, info = single.reset(seed=1, options={"position": [3, 3, 3, 3]})
    position = GAME.position([3, 3, 3, 3])
    assert policy(observation, info) == make_agent(player).act(position)
    observations, infos = many.reset(seed=1)
    plain, _ = make_vector_env(NAME, 4, opponent="random").reset(seed=1)
    assert policy(observations, infos).tolist() == [policy(each) for each in plain]


def test_where_nothing_is_to_be_decided_a_batch_gives_0_and_a_position_an_error():
    policy = as_policy("greedy", NAME)
    planes = np.stack([GAME.initial_position().observation()] * 2)
    masks = np.array([[0] * 7, [1] * 7], np.int8)
    assert policy(planes, {"action_mask": masks})[0] == 0
    assert policy(planes[:1], {"action_mask": masks[:1]}).tolist() == [0]
    with pytest.raises(ValueError, match="nothing to decide"):
        policy(planes[0], {"action_mask": masks[0]})


@pytest.mark.parametrize("player", ["alphabeta", "zoo:connect_four"])
def test_a_policy_without_a_game_says_what_to_write(player):
    planes = GAME.initial_position().observation()
    with pytest.raises(ValueError, match=r"make_agent\(spec, game=…\) or as_policy\(agent, game\)"):
        as_policy(make_agent(player))(planes)
    assert as_policy(make_agent(player), NAME)(planes) in range(7)


@pytest.mark.parametrize(
    ("observation", "message"),
    [
        (np.zeros((3, 3, 2), np.int8), r"is observed as .*\(6, 7, 2\).* not \(3, 3, 2\)"),
        ({"a": 1, "b": 2}, "a dictionary of planes and action_mask, not of a, b"),
        ({}, "not of nothing"),
    ],
)
def test_what_is_no_observation_is_refused_in_a_sentence(observation, message):
    with pytest.raises(ValueError, match=message):
        as_policy("greedy", NAME)(observation)


def test_a_game_that_an_agent_cannot_play_is_refused():
    for player in ("zoo:connect_four", make_agent("zoo:connect_four")):
        with pytest.raises(SpecificationError, match="connect_four"):
            as_policy(player, "gomoku")


@pytest.mark.parametrize("action", [7, -1, 99])
def test_an_action_that_does_not_exist_is_refused_in_a_sentence(action):
    for player in (lambda position: action, lambda observations, masks: masks[:, 0] * 0 + action):
        with pytest.raises(
            IllegalActionError, match=f"chose the illegal action {action}; legal actions:"
        ):
            evaluate(player, NAME, ["random"], pairs=1)


def test_models_draw_by_the_seed_of_the_agent():
    start = GAME.initial_position()
    for bot in (ModelBot(MODELS["MaskablePPO"]), ModelBot(MODELS["MaskablePPO"])):
        bot.reset(5)
        actions = [bot.act(start) for _ in range(20)]
        bot.reset(5)
        assert [bot.act(start) for _ in range(20)] == actions
        assert len(set(actions)) > 1
    assert as_policy(MODELS["DQN"]).deterministic


@pytest.mark.parametrize("player", FUNCTIONS.values(), ids=FUNCTIONS)
def test_policies_are_copied_and_pickled(player):
    policy, start = as_policy(player, NAME), GAME.initial_position()
    for other in (copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))):
        assert other.act(start) == policy.act(start)


def test_a_tournament_goes_on_with_the_same_model_only(tmp_path):
    mine = model(MaskablePPO, n_steps=8, batch_size=16)

    def name(player):
        return Tournament(Plan(NAME, (player, "random"), pairs=1), store).name

    with Store(tmp_path / "games.db") as store:
        before = name(mine)
        assert name(mine) == before
        mine.learn(32)
        assert name(mine) != before
        assert name(First()) == name(First())
        assert name(first) != name(First())
        assert name(lambda position: 0) != name(lambda position: 1)
        assert name(with_closure(2)) == name(with_closure(2)) != name(with_closure(3))
        assert name(functools.partial(first_with_depth, depth=2)) != name(
            functools.partial(first_with_depth, depth=3)
        )
        assert name(Holds(2).act) == name(Holds(2).act) != name(Holds(3).act)
        assert name(Holds(open)) != name(Holds(lambda: 0))


def test_objects_play_in_this_process_only(tmp_path):
    plan, message = Plan(NAME, (first, "random"), pairs=1), "first is an object of this process "
    with (
        Store(tmp_path / "games.db") as store,
        pytest.raises(SpecificationError, match=f"{message}.*policy:"),
    ):
        Tournament(plan, store, place=JobPlace("processes", concurrency=1))


def test_a_tournament_leaves_lent_objects_open():
    class Connection(First):
        is_open = True

        def close(self):
            self.is_open = False

    connection = Connection()
    ratings(Plan(NAME, (connection, "random"), pairs=1))
    assert connection.is_open
