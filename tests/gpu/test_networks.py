"""Networks as opponents on a device: torch evaluates them between two kernels."""

import contextlib

import numpy as np
import pytest
import torch
from broken import graphs
from gpu.device_games import batches, check_equality, play_both
from plyground import make_agent, make_game
from plyground.agents.opponents import make_opponents
from plyground.agents.policies.policy_file import OnnxNetwork
from plyground.agents.policies.zoo import cards
from plyground.envs import SpecificationError
from plyground.envs.compiled.cuda.devices import Processor
from plyground.envs.single_agent.device_batch import DeviceBatch
from plyground.training.export import random_observations

torch.set_num_threads(1)
MIXTURE = "mix:0.3 zoo:tic_tac_toe,0.3 random,0.4 zoo:tic_tac_toe,temperature=1"
ROUNDING = 1e-5  # of the outputs, in parts of the largest


def difference(network, observations):
    """Between the outputs of the module and of the compiled kernel, in parts of the largest."""
    with torch.no_grad():
        answers = network.as_module()(torch.from_numpy(observations).float())
    return max(
        float(np.abs(one - two.numpy()).max() / max(1.0, np.abs(one).max()))
        for one, two in zip(network.evaluate(observations), answers)
    )


@pytest.mark.parametrize("card", cards(), ids=lambda card: card.file)
def test_torch_evaluates_the_networks_of_the_zoo_as_the_kernel_does(card):
    for spec in (card.game, *card.also):
        game = make_game(spec)
        observations = random_observations(game, 16)
        assert difference(card.network().playing(game), observations) < ROUNDING


def test_torch_evaluates_random_graphs_as_the_kernel_does():
    compared = 0
    for seed in range(60):
        _, data = graphs.policy_of(seed)
        with contextlib.suppress(SpecificationError):
            network = OnnxNetwork("the file", data)
            if network.evaluator.startswith("compiled"):
                inputs = np.random.default_rng(seed).integers(0, 2, (3, *graphs.SHAPE))
                assert difference(network, inputs) < graphs.MOST
                compared += 1
    assert compared > 10


@pytest.mark.parametrize(
    ("spec", "opponent", "options"),
    [
        ("tic_tac_toe", "zoo:tic_tac_toe", {}),
        ("tic_tac_toe", "zoo:tic_tac_toe,temperature=0.7", {"opening_plies": 5}),
        # it ends some games before the learner's first move
        ("tic_tac_toe", MIXTURE, {"opening_plies": 8, "seat": 1}),
        ("connect_four", "mix:0.5 zoo:connect_four_ppo,0.5 greedy", {"opening_plies": 4}),
        # a player moves again
        ("dots_and_boxes:rows=3,cols=3", "zoo:dots_and_boxes", {}),
        ("kalah:pits=4,seeds=3", "mix:0.5 zoo:kalah,0.5 random", {"opening_plies": 9}),
    ],
)
def test_networks_reply_with_the_same_moves(spec, opponent, options):
    play_both(*batches(spec, opponent, games=32, **options))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "opponent"),
    [
        ("breakthrough:size=6", "zoo:breakthrough"),
        ("gomoku:size=9", "zoo:gomoku"),
        ("hex:size=5", "zoo:hex"),
        ("othello:size=6", "zoo:othello"),
        ("ultimate_tic_tac_toe", "zoo:ultimate_tic_tac_toe"),
    ],
)
def test_networks_of_other_games_reply_with_the_same_moves(spec, opponent):
    play_both(*batches(spec, opponent, games=8, opening_plies=6))


def test_games_begin_at_positions_and_against_networks():
    ours, theirs = batches("tic_tac_toe", "random", games=16)
    position = make_game("tic_tac_toe").initial_position()
    position.play(4)
    records = np.repeat(np.asarray(position.record).reshape(1), 16)
    for batch in (ours, theirs):
        batch.set_opponents(make_opponents(["zoo:tic_tac_toe", "random"], batch.game))
        batch.start_from(records, np.arange(16) % 2, seed=3)
    check_equality(ours, theirs)
    for batch in (ours, theirs):
        batch.set_opponents(make_opponents("zoo:tic_tac_toe", batch.game))
        batch.step(batch.state.masks.argmax(1))
    check_equality(ours, theirs)


def test_nothing_waits_for_the_device_where_players_alternate(monkeypatch):
    def refuse(*arguments):
        raise AssertionError("the device is waited for")

    _, games = batches("tic_tac_toe", "zoo:tic_tac_toe", games=8)
    games.reset(seed=1)
    for name in ("nonzero", "item", "tolist", "cpu", "__bool__"):
        monkeypatch.setattr(torch.Tensor, name, refuse)
    games.step(games.state.masks.argmax(1))


class Broken(torch.nn.Module):
    """A network that returns NaN."""

    def forward(self, observations):
        nothing = torch.full((len(observations), 9), torch.nan)
        return nothing, nothing[:, 0]


def test_a_broken_network_plays_its_first_legal_action():
    game = make_game("tic_tac_toe")
    agent = make_agent("zoo:tic_tac_toe", game)
    (opponent,) = make_opponents(agent, game)

    def broken(game):
        return opponent.on_device(game)._replace(network=Broken())

    games = DeviceBatch(game, 4, [opponent._replace(on_device=broken)], device=Processor(), seat=0)
    games.reset(seed=1)
    games.step(torch.tensor([0, 1, 2, 3]))
    assert games.state.masks.argmin(1).tolist() == [0, 0, 0, 0]
    assert games.state.masks.sum(1).tolist() == [7, 7, 7, 7]
