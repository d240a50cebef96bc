"""What evaluates the positions of self-play."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from plyground import make_game
from plyground.agents.policies.compiled.words import PRECISIONS
from plyground.agents.policies.policy_file import WHOLE_RETURN, OnnxNetwork, policy_metadata
from plyground.training.alphazero.evaluator import (
    STEP,
    CompiledEvaluator,
    TorchEvaluator,
    TorchNetwork,
    make_evaluator,
    torch_network,
)
from plyground.training.alphazero.learner import make_network
from plyground.training.alphazero.network import PolicyAndValue
from plyground.training.alphazero.settings import AlphaZeroSettings
from plyground.training.export import NetworkExporter, random_observations

pytestmark = pytest.mark.thorough

SMALL = ("channels=16", "blocks=2")
CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("spec", "changes"),
    [("tic_tac_toe", []), ("dots_and_boxes:rows=2,cols=2,reward=margin", ["trunk=pooled"])],
)
def test_the_kernel_of_self_play_computes_what_torch_computes(spec, changes):
    game = make_game(spec)
    options = AlphaZeroSettings.for_game(game, {}, ["precision=float32", *SMALL, *changes])
    observations = random_observations(game, STEP)
    kernel = make_evaluator(game, options, CPU)
    assert isinstance(kernel, CompiledEvaluator)
    torch_evaluator = TorchEvaluator(TorchNetwork(make_network(game, options, 0), CPU, False))
    outputs = []
    for seed in (1, 2):
        weights = make_network(game, options, seed).state_dict()
        kernel.load(weights)
        torch_evaluator.load(weights)
        outputs.append(kernel.evaluate(observations, 40))
        for ours, theirs in zip(outputs[-1], torch_evaluator.evaluate(observations, 40)):
            assert np.allclose(ours, theirs, atol=1e-5)
    assert not np.allclose(outputs[0][0], outputs[1][0])


@pytest.mark.parametrize("precision", [name for name in PRECISIONS if PRECISIONS[name].is_possible])
@pytest.mark.parametrize(
    ("spec", "changes"),
    [
        ("tic_tac_toe", ["trunk=dense"]),
        ("connect_four", ["trunk=pooled"]),
        ("othello:size=4", ["trunk=pooled"]),  # which has a pass
        ("dots_and_boxes:rows=2,cols=2,reward=margin", []),
    ],
)
def test_weights_that_are_taken_over_give_the_bits_of_their_policy_file(
    spec, changes, precision, tmp_path
):
    game = make_game(spec)
    options = AlphaZeroSettings.for_game(game, {}, [f"precision={precision}", *SMALL, *changes])
    observations = random_observations(game, STEP)
    kernel = make_evaluator(game, options, CPU)
    for seed in (1, 2):
        network = make_network(game, options, seed)
        with torch.no_grad():  # blocks begin as the identity
            for weights in network.parameters():
                weights += 0.1 * torch.randn(weights.shape, generator=torch.manual_seed(seed))
        kernel.load(network.state_dict())
        metadata = policy_metadata(game, "alphazero", WHOLE_RETURN, options.discount)
        content = NetworkExporter(PolicyAndValue(network.eval()), game, metadata).content()
        file = OnnxNetwork("the file", content, precision=precision)
        assert "compiled kernel" in file.evaluator
        expected = file.run(observations[:40].astype(np.float32))
        for ours, theirs in zip(kernel.evaluate(observations, 40), expected):
            assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize(("spec", "discount"), [("connect_four", 0.99), ("othello:size=6", 1.0)])
def test_a_predecessor_in_torch_computes_what_its_policy_file_computes(spec, discount):
    game = make_game(spec)
    name = f"zoo:{game.name}"
    options = AlphaZeroSettings.for_game(
        game, {}, ["precision=float32", f"predecessor={name}", f"discount={discount}", *SMALL]
    )
    network, kernel = torch_network(game, options, CPU), make_evaluator(game, options, CPU)
    weights = make_network(game, options, 0).state_dict()
    observations = random_observations(game, STEP)
    for evaluator in (TorchEvaluator(network), kernel):
        evaluator.load(weights)  # it keeps its own
    for ours, theirs in zip(
        TorchEvaluator(network).evaluate(observations, 40), kernel.evaluate(observations, 40)
    ):
        assert np.abs(ours - theirs).max() < 2e-3
