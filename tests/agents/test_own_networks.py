"""Any network becomes an agent: modules of torch in any layout, Q networks, models of SB3."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
import torch
from helpers import POLICY_GAMES, random_positions
from plyground import make_agent, make_game
from plyground.agents.policies.policy_file import load_policy_file
from plyground.envs.environments.observations import LAYOUTS, ObservationOptions
from plyground.envs.specification import SpecificationError
from plyground.training.export import export_policy, random_observations
from sb3_contrib import QRDQN
from stable_baselines3 import A2C, DQN
from torch import nn

pytestmark = pytest.mark.thorough


def dense(game, outputs):
    torch.manual_seed(1)
    size = int(np.prod(game.facts.observation_shape))
    return nn.Sequential(nn.Flatten(), nn.Linear(size, 16), nn.Tanh(), nn.Linear(16, outputs))


class Giving(nn.Module):
    """Gives its outputs as ``form`` arranges them."""

    def __init__(self, game, form):
        super().__init__()
        self.policy, self.value, self.form = (
            dense(game, game.facts.num_actions),
            dense(game, 1),
            form,
        )

    def forward(self, observations):
        return self.form(self.policy(observations), self.value(observations))


FORMS = {
    "logits": lambda logits, value: logits,
    "value": lambda logits, value: value,
    "a tuple": lambda logits, value: (logits, value),
    "value first, without its axis": lambda logits, value: (value[:, 0], logits),
    "a dictionary": lambda logits, value: {"p": logits, "v": value, "state": None},
}


# torch's exporter takes seconds: each layout once, each algorithm once
@pytest.mark.parametrize(("spec", "layout"), zip(POLICY_GAMES, LAYOUTS))
def test_a_module_is_exported_in_the_layout_it_was_trained_in(spec, layout, tmp_path):
    game = make_game(spec)
    module = Giving(game, FORMS["a tuple"])
    export_policy(module, tmp_path / "net.onnx", game, inputs=layout)
    observations = random_observations(game, 50)
    inputs = ObservationOptions(layout=layout, dtype="float32").planes(observations)
    with torch.no_grad():
        logits, value = module(torch.from_numpy(inputs))
    outputs = load_policy_file(tmp_path / "net.onnx").evaluate(observations)
    assert np.allclose(outputs[0], logits, atol=1e-5)
    assert np.allclose(outputs[1], value[:, 0], atol=1e-5)


@pytest.mark.parametrize("form", FORMS)
def test_what_a_module_gives_is_told_by_its_shape(form, tmp_path):
    game, path = make_game("connect_four"), tmp_path / "net.onnx"
    module = Giving(game, FORMS[form])
    export_policy(module, path, game, inputs="flat", value="return")
    network, observations = load_policy_file(path), random_observations(game, 20)
    logits, values = network.evaluate(observations)
    with torch.no_grad():
        flat = torch.from_numpy(observations).float().flatten(1)
        expected, worth = module.policy(flat).numpy(), module.value(flat).numpy()[:, 0]
    position = game.position(["d", "c"])
    if form == "logits":
        assert not values.any()
        assert make_agent(f"onnx:{path}").analyse(position).value is None
        with pytest.raises(SpecificationError, match="gives no value; a search needs"):
            make_agent(f"mcts:network={path}").act(position)
    else:
        assert np.allclose(values, worth, atol=1e-5)
        decision = make_agent(f"mcts:network={path},simulations=20").analyse(position)
        assert decision.action in position.legal_actions()
    if form == "value":
        assert not logits.any()
        with pytest.raises(SpecificationError, match="only evaluates positions and has no policy"):
            make_agent(f"onnx:{path}", game)
    else:
        assert np.allclose(logits, expected, atol=1e-5)
        best = max(position.legal_actions(), key=lambda action: choice(module, position)[action])
        assert make_agent(f"onnx:{path}").act(position) == best


def choice(module, position):
    with torch.no_grad():
        return module.policy(torch.from_numpy(position.observation()[None]).float())[0].flatten()


def test_modules_that_do_not_fit_are_refused_in_a_sentence(tmp_path):
    game, path = make_game("connect_four"), tmp_path / "net.onnx"
    for module, options, complaint in (
        (
            nn.Linear(84, 7),
            {},
            r"does not take observations of connect_four in the layout hwc, sha",
        ),
        (dense(game, 9), {}, r"gives neither a policy, a tensor of shape \(N, 7\), nor a value"),
        (dense(game, 7), {"inputs": "square"}, "inputs='square' is not possible; it is one of hwc"),
        (dense(game, 7), {"value": "good"}, "value='good' is not possible; it is one of to come"),
    ):
        with pytest.raises(SpecificationError, match=complaint):
            export_policy(module, path, game, **options)
    assert not path.exists()


def sb3_model(algorithm, layout, spec="tic_tac_toe"):
    env = gymnasium.make(
        f"plyground/{make_game(spec).name.title().replace('_', '')}-v0",
        layout=layout,
        dtype="float32",
    )
    options = {} if algorithm is A2C else {"buffer_size": 100, "learning_starts": 10}
    model = algorithm("MlpPolicy", env, device="cpu", seed=1, **options)
    with torch.no_grad():
        for weights in model.policy.parameters():
            weights.mul_(2.0)  # outputs that differ from action to action
    return model


@pytest.mark.parametrize(("algorithm", "layout"), zip([DQN, QRDQN, A2C], LAYOUTS))
def test_models_of_sb3_play_from_their_file_and_from_their_policy_file(algorithm, layout, tmp_path):
    model = sb3_model(algorithm, layout)
    archive = tmp_path / "model.zip"
    path = tmp_path / "net.onnx"
    model.save(archive)
    export_policy(model, path, "tic_tac_toe")
    agents = [
        make_agent(f"sb3:{archive},trained_on=tic_tac_toe"),
        make_agent(f"onnx:{path}", "tic_tac_toe"),
    ]
    options = ObservationOptions(layout=layout, dtype="float32")
    for position in random_positions("tic_tac_toe", 30):
        decisions = [agent.analyse(position) for agent in agents]
        tensor, _ = model.policy.obs_to_tensor(options.planes(position.observation())[None])
        with torch.no_grad():
            if algorithm is A2C:
                scores = model.policy.get_distribution(tensor).distribution.logits
            elif algorithm is DQN:
                scores = model.policy.q_net(tensor)
            else:
                scores = model.policy.quantile_net(tensor).mean(dim=1)
        best = max(position.legal_actions(), key=lambda action: float(scores[0, action]))
        assert [decision.action for decision in decisions] == [best, best]
        if algorithm is not A2C:
            worth = min(max(float(scores[0, best]), -1.0), 1.0)
            assert decisions[0].value == pytest.approx(worth, abs=1e-5)
            assert set(decisions[1].values) == set(position.legal_actions())


def test_a_q_network_does_not_guide_a_search(tmp_path):
    export_policy(sb3_model(DQN, "hwc"), tmp_path / "net.onnx", "tic_tac_toe")
    with pytest.raises(SpecificationError, match="gives action values; a search needs"):
        make_agent(f"mcts:network={tmp_path / 'net.onnx'}").act(
            make_game("tic_tac_toe").initial_position()
        )


def test_a_q_network_of_ones_own_values_its_actions(tmp_path):
    game = make_game("tic_tac_toe")
    module = dense(game, 9)
    export_policy(module, tmp_path / "net.onnx", game, inputs="flat", action_values=True)
    position = game.position(["b2"])
    decision = make_agent(f"onnx:{tmp_path / 'net.onnx'},symmetries=yes").analyse(position)
    assert set(decision.values) == set(position.legal_actions())
    assert decision.value == max(decision.values.values())
    assert decision.probabilities is None
