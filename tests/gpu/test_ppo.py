"""PPO on a device: what was lowered for CUDA runs on the processor, and the whole loop learns."""

import itertools
import json

import numpy as np
import pytest
import torch
from plyground import make_agent, make_game
from plyground.agents.policies.policy_file import BEST
from plyground.envs import SpecificationError
from plyground.envs.compiled.cuda.devices import Processor
from plyground.envs.single_agent.device_batch import DeviceBatch
from plyground.envs.single_agent.opponents import Opponent
from plyground.training.checkpoints import unpack
from plyground.training.folder import newest_checkpoint
from plyground.training.ppo import on_device
from plyground.training.ppo import train as on_processor
from plyground.training.ppo.settings import PPOSettings
from plyground.training.ppo.turns import turn_advantages

torch.set_num_threads(1)
GAMES, STEPS, GAMMA, WEIGHT = 6, 40, 0.9, 0.8
ITSELF = Opponent("self", None)
SMALL = {"games": "64", "rollout": "16", "batch_size": "256", "dense": "64", "evaluate": "none"}


def settings_of(game, **values):
    return PPOSettings.for_game(make_game(game), {**SMALL, **values})


def train(game, out, settings, by=on_device, place=None, **options):
    place = place or Processor()
    return by.train(make_game(game), settings, 1, out, {}, place, **options)


def advantage(rollout, game, start):
    """An action's advantage, by its definition: in the turns of the player that chose it."""
    movers, values = rollout.movers[:, game].tolist(), rollout.values[:, game].tolist()
    seat, total, factor, reward, value = movers[start], 0.0, 1.0, 0.0, None
    for step in range(start, STEPS):
        gained, ended = float(rollout.rewards[step, game]), bool(rollout.ended[step, game])
        if movers[step] == seat:
            if value is not None:
                total += factor * (reward + GAMMA * values[step] - value)
                factor *= GAMMA * WEIGHT
            reward, value = 0.0, values[step]
        reward += gained if movers[step] == seat else -gained
        if ended:
            return total + factor * (reward - value)
    last = values[STEPS] * (1 if movers[STEPS] == seat else -1)
    return total + factor * (reward + GAMMA * last - value)


class Noise(torch.nn.Module):
    """A policy without a preference, whose values are random."""

    def forward(self, observations):
        return torch.zeros(len(observations), self.actions), torch.randn(len(observations))


@pytest.mark.parametrize("opponents", [[ITSELF], ["random", ITSELF], ["random"]])
@pytest.mark.parametrize("spec", ["tic_tac_toe", "dots_and_boxes:rows=1,cols=2,reward=margin"])
def test_advantages_of_both_seats_are_those_of_their_own_turns(spec, opponents):
    from plyground.agents.opponents import make_opponents

    game = make_game(spec)
    made = [make_opponents(each, game)[0] if each == "random" else each for each in opponents]
    games = DeviceBatch(game, GAMES, made, device=Processor())
    games.reset(1)
    noise = Noise()
    noise.actions = game.facts.num_actions
    rollout = on_device.Rollout.new(games, STEPS)
    on_device.play(games, on_device.View(games, True), noise, rollout)
    assert rollout.ended.sum() > GAMES
    turns = rollout.rewards, rollout.values, rollout.movers, rollout.ended
    found = turn_advantages(*turns, GAMMA, WEIGHT)
    expected = [[advantage(rollout, i, step) for i in range(GAMES)] for step in range(STEPS)]
    assert np.allclose(found, expected, atol=1e-5)
    alike = [(a == b).all().item() for a, b in itertools.pairwise(rollout.movers)]
    assert not all(alike)


def test_views_are_symmetries_of_the_games():
    game = make_game("connect_four")
    games = DeviceBatch(game, 64, None, device=Processor(), opening_plies=4)
    games.reset(3)
    state, view = games.state, on_device.View(games, True)
    seen, masks = view.look(state.observations, state.masks)
    turned = [not torch.equal(a, b) for a, b in zip(seen, state.observations)]
    assert 8 < sum(turned) < 56
    for image, planes, actions in zip(
        seen, state.observations, view.actions(torch.zeros(64).long())
    ):
        assert torch.equal(image, planes if actions == 0 else planes.flip(1))
        assert actions in (0, 6)
    assert torch.equal(masks.sum(1), state.masks.sum(1))


def test_it_learns_and_its_policy_plays(tmp_path):
    out, settings = (
        tmp_path / "run",
        settings_of("tic_tac_toe", opponent="mix:0.5 random,0.5 self", steps=40_000),
    )
    assert train("tic_tac_toe", out, settings).step >= 40_000
    rows = [json.loads(line) for line in (out / "metrics.jsonl").open()]
    assert {"train/loss", "train/approx_kl", "time/steps_per_second"} <= rows[0].keys()
    returns = [row["rollout/mean_return"] for row in rows if row["kind"] == "update"]
    assert np.mean(returns[-5:]) > np.mean(returns[:5]) + 0.1  # 0.23; 0.19 with SB3
    agent = make_agent(f"policy:{out / BEST}")
    assert agent.act(make_game("tic_tac_toe").initial_position()) in range(9)


def test_a_network_is_an_opponent(tmp_path):
    settings = settings_of("tic_tac_toe", opponent="mix:0.5 zoo:tic_tac_toe,0.5 self", steps=2048)
    assert train("tic_tac_toe", tmp_path / "run", settings).step == 2048
    rows = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").open()]
    returns = [row["rollout/mean_return"] for row in rows if row["kind"] == "update"]
    assert np.mean(returns) < 0  # games against the network alone count


def learner_of(out):
    return unpack(newest_checkpoint(out))["learner"]


def test_a_run_that_was_stopped_learns_the_same(tmp_path, monkeypatch):
    monkeypatch.setenv("PLYGROUND_CHECKPOINT_SECONDS", "0")
    game = "tic_tac_toe"
    whole = settings_of(game, opponent="mix:0.5 random,0.5 self", steps=4 * 1024)
    train(game, tmp_path / "whole", whole)

    def stop(progress):
        if progress.step == 3072:  # saved is the step before
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(game, tmp_path / "parts", whole, on_progress=stop)
    run = train(game, tmp_path / "parts", whole)
    assert run.step == 4 * 1024
    both = [learner_of(tmp_path / name) for name in ("whole", "parts")]
    for name, weights in both[0]["policy"].items():
        assert torch.equal(weights, both[1]["policy"][name]), name


def test_a_run_goes_on_elsewhere(tmp_path):
    game, out = "tic_tac_toe", tmp_path / "run"
    places = [(on_device, Processor()), (on_processor, torch.device("cpu"))] * 2
    for number, (by, place) in enumerate(places):
        settings = settings_of(game, opponent="mix:0.5 random,0.5 self", steps=(number + 1) * 2048)
        assert train(game, out, settings, by, place).step == (number + 1) * 2048
    more = settings_of(game, initial=str(out), steps=1024, opponent="self")
    assert train(game, tmp_path / "more", more).step == 1024


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"regret": "minimax:depth=2"}, "regret=minimax:depth=2 is possible only with --device"),
        ({"opponent": "mcts:time=0.1"}, "the opponent mcts.* does not play on a GPU"),
        ({"opponent": "curriculum:random;mcts:time=0.1"}, "mcts.* does not play on a GPU"),
    ],
)
def test_what_does_not_run_there_is_refused(values, message, tmp_path):
    with pytest.raises(SpecificationError, match=message):
        train("tic_tac_toe", tmp_path / "run", settings_of("tic_tac_toe", **values))
    assert not (tmp_path / "run").exists()
