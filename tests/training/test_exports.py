"""Policy files play as the model did where it learnt: on normalised observations, on a GPU."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from plyground import make_game
from plyground.agents.bots import ModelBot
from plyground.agents.policies.policy_file import load_policy_file
from plyground.envs.specification import SpecificationError
from plyground.training.export import PolicyExporter, export_policy, random_observations
from plyground.training.sb3 import BoardVecEnv
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN
from stable_baselines3.common.vec_env import VecNormalize
from torch.nn import functional

pytestmark = pytest.mark.thorough

torch.set_num_threads(1)  # several threads wait for each other where the processor is shared
GAME = make_game("connect_four")
POSITIONS = random_observations(GAME, 844)


def normalised_model(algorithm, **options):
    """A model under VecNormalize whose outputs differ clearly from position to position."""
    env = VecNormalize(BoardVecEnv(GAME, 8, "random"))
    model = algorithm("MlpPolicy", env, device="cpu", seed=1, **options)
    model.learn(256)
    return model, env


def outputs(model, env):
    """What SB3 makes of the positions: what it chooses by, and the value of each position."""
    tensor = torch.as_tensor(env.normalize_obs(POSITIONS))
    unit = np.sqrt(env.ret_rms.var + env.epsilon)
    with torch.no_grad():
        if isinstance(model, DQN):
            worth = model.q_net(tensor).numpy() * unit
            return worth, np.zeros(len(worth))
        logits = model.policy.get_distribution(tensor).distribution.logits.numpy()
        return logits, model.policy.predict_values(tensor).numpy()[:, 0] * unit


@pytest.mark.parametrize(
    ("algorithm", "options"),
    [(MaskablePPO, {"n_steps": 16, "batch_size": 128}), (DQN, {"learning_starts": 64})],
)
def test_a_model_under_vecnormalize_plays_the_same_moves_from_its_file(
    algorithm, options, tmp_path
):
    model, env = normalised_model(algorithm, **options)
    exporter, path = PolicyExporter(model, GAME), tmp_path / "policy.onnx"
    for _ in range(2):  # the second time with other statistics
        exporter.write(path)
        choice, values = load_policy_file(path).evaluate(POSITIONS)
        expected_choice, expected_values = outputs(model, env)
        assert (choice.argmax(1) == expected_choice.argmax(1)).all()
        assert np.allclose(values, expected_values, atol=1e-4)
        assert np.abs(env.normalize_obs(POSITIONS) - POSITIONS).max() > 0.5
        masks = np.ones((len(POSITIONS), 7), np.int8)
        bot = ModelBot(model, deterministic=True)
        assert (bot.act_batch(POSITIONS, masks) == choice.argmax(1)).all()
        model.learn(256, reset_num_timesteps=False)


def test_a_saved_model_whose_statistics_are_elsewhere_is_refused(tmp_path):
    model, _ = normalised_model(MaskablePPO, n_steps=16, batch_size=128)
    model.save(tmp_path / "model.zip")
    with pytest.raises(
        SpecificationError, match="does not contain the statistics; load it in Python"
    ):
        export_policy(MaskablePPO.load(tmp_path / "model.zip"), tmp_path / "p.onnx", GAME)


def tf32(tensor):
    """The numbers with mantissas of 10 bits, as the tensor cores of GPUs multiply them."""
    return ((tensor.view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32)


class OnGpu:
    """A layer that computes as on a GPU with its own weights; with a copy of them it does not.

    The graph of it that is exported holds products in full.
    """

    def inputs(self, tensor):
        if isinstance(self.weight, torch.nn.Parameter) and not torch.compiler.is_exporting():
            return tf32(tensor), tf32(self.weight)
        return tensor, self.weight


class Linear(OnGpu, torch.nn.Linear):
    def forward(self, tensor):
        return functional.linear(*self.inputs(tensor), self.bias)


class Conv2d(OnGpu, torch.nn.Conv2d):
    def forward(self, tensor):
        return functional.conv2d(*self.inputs(tensor), self.bias, padding=1)


def test_a_network_on_a_gpu_that_rounds_products_is_exported(tmp_path):
    torch.manual_seed(1)
    network = torch.nn.Sequential(
        Conv2d(2, 16, 3, padding=1), torch.nn.ReLU(), torch.nn.Flatten(), Linear(16 * 42, 7)
    )
    planes = torch.as_tensor(POSITIONS, dtype=torch.float32).permute(0, 3, 1, 2)
    rounded = network(planes).detach().numpy()
    export_policy(network, tmp_path / "policy.onnx", GAME, inputs="chw")
    logits, _ = load_policy_file(tmp_path / "policy.onnx").evaluate(POSITIONS)
    assert 1e-5 < np.abs(logits - rounded).max() < 1e-2
