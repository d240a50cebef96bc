"""Trained policies as agents: exported exactly, played without torch, refused where they do not
fit.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import onnx
import plyground
import pytest
import torch
from helpers import POLICY_GAMES, run_python
from models import Convolutions, new_model
from networks import write_network
from plyground import make_agent, make_game
from plyground.agents.compiled_opponents import AT_ONCE
from plyground.agents.opponents import make_opponents
from plyground.agents.policies.policy_file import FORMAT, TO_COME, load_policy_file, policy_metadata
from plyground.envs.compiled.randomness import new_stream
from plyground.envs.single_agent.game_batch import GameBatch
from plyground.envs.specification import SpecificationError
from plyground.training.export import (
    NetworkExporter,
    PolicyExporter,
    export_policy,
    random_observations,
)
from stable_baselines3 import PPO

pytestmark = pytest.mark.thorough


def torch_outputs(model, observations):
    """What SB3 itself makes of observations: logits relative to each other, and values."""
    model.policy.set_training_mode(False)
    tensor = torch.as_tensor(observations)
    with torch.no_grad():
        return model.policy.get_distribution(
            tensor
        ).distribution.logits.numpy(), model.policy.predict_values(tensor).numpy()[:, 0]


def relative(logits):
    """Logits as log-probabilities."""
    differences = logits - logits.max(axis=1, keepdims=True)
    return differences - np.log(np.exp(differences).sum(axis=1, keepdims=True))


def assert_agrees(model, path, spec):
    observations = random_observations(make_game(spec), 1000)
    logits, values = load_policy_file(path).evaluate(observations)
    wanted_logits, wanted_values = torch_outputs(model, observations)
    assert np.ptp(wanted_logits) > 0.5
    assert np.allclose(relative(logits), wanted_logits, rtol=1e-5, atol=1e-5)
    assert np.allclose(values, wanted_values, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("spec", POLICY_GAMES)
def test_the_file_computes_what_the_model_computes(spec, models, files):
    assert_agrees(models[spec], files[spec], spec)


def test_a_model_without_masks_and_with_two_extractors_is_exported_too(tmp_path):
    model = new_model(
        "connect_four", PPO, features_extractor_class=Convolutions, share_features_extractor=False
    )
    export_policy(model, tmp_path / "policy.onnx", "connect_four")
    assert_agrees(model, tmp_path / "policy.onnx", "connect_four")


def test_a_model_that_was_trained_on_is_exported_as_it_is_then(tmp_path):
    model = new_model("connect_four", features_extractor_class=Convolutions)
    exporter = PolicyExporter(model, "connect_four")
    exporter.write(tmp_path / "policy.onnx")
    first = (tmp_path / "policy.onnx").read_bytes()
    model.learn(128)
    exporter.write(tmp_path / "policy.onnx")
    assert_agrees(model, tmp_path / "policy.onnx", "connect_four")
    assert (tmp_path / "policy.onnx").read_bytes() != first


def test_a_file_that_computes_something_else_is_not_written(tmp_path, monkeypatch):
    model = new_model("tic_tac_toe")
    exporter = PolicyExporter(model, "tic_tac_toe")
    exporter.write(tmp_path / "policy.onnx")
    before = (tmp_path / "policy.onnx").read_bytes()
    model.learn(64)
    monkeypatch.setattr(exporter, "_refresh_weights", lambda proto: None)
    with pytest.raises(SpecificationError, match="of the file and of the model differ by up to"):
        exporter.write(tmp_path / "policy.onnx")
    assert (tmp_path / "policy.onnx").read_bytes() == before


def test_modules_of_one_structure_that_compute_differently_have_files_of_their_own(tmp_path):
    game = make_game("tic_tac_toe")

    class Heads(torch.nn.Module):
        def __init__(self, factor):
            super().__init__()
            self.layer, self.factor = torch.nn.Linear(18, 9), factor

        def forward(self, observations):
            logits = self.layer(observations.flatten(1)) * self.factor
            return logits, logits.mean(1)

    for factor in (1.0, 2.0):
        heads = Heads(factor)
        NetworkExporter(heads, game, policy_metadata(game, "own", TO_COME)).write(tmp_path / "own")
        observations = random_observations(game, 20)
        logits, _ = load_policy_file(tmp_path / "own").evaluate(observations)
        expected, _ = heads(torch.as_tensor(observations, dtype=torch.float32))
        assert np.allclose(logits, expected.detach().numpy(), atol=1e-5)


def test_exporting_leaves_the_model_as_it_was(tmp_path):
    model = new_model("connect_four", features_extractor_class=Convolutions)
    model.policy.set_training_mode(True)
    before = {name: value.clone() for name, value in model.policy.state_dict().items()}
    objects = [id(weights) for weights in model.policy.parameters()]
    export_policy(model, tmp_path / "policy.onnx", "connect_four")
    assert model.policy.training
    assert [id(weights) for weights in model.policy.parameters()] == objects
    assert all(
        torch.equal(value, before[name]) for name, value in model.policy.state_dict().items()
    )
    model.learn(64)


def test_the_file_states_what_it_is_for(files):
    metadata = {
        entry.key: entry.value for entry in onnx.load(files[POLICY_GAMES[2]]).metadata_props
    }
    assert metadata == {
        "plyground.format": FORMAT,
        "plyground.game": "dots_and_boxes:rows=2,cols=2,reward=margin,start=empty",
        "plyground.rules": "dots_and_boxes_v0",
        "plyground.version": plyground.__version__,
        "plyground.kind": "ppo",
        "plyground.value": "to come",
    }


# -- playing --


@pytest.mark.parametrize("spec", POLICY_GAMES)
def test_the_most_probable_legal_action_is_played_and_analysed(spec, models, files):
    agent, position = make_agent(f"onnx:{files[spec]}", spec), make_game(spec).initial_position()
    while not position.is_over:
        decision = agent.analyse(position)
        legal = position.legal_actions()
        logits, values = torch_outputs(models[spec], position.observation()[None])
        weights = np.exp(logits[0][legal])
        assert list(decision.probabilities) == legal
        assert np.allclose(
            list(decision.probabilities.values()), weights / weights.sum(), atol=1e-5
        )
        assert decision.action == legal[int(np.argmax(weights))]
        assert decision.principal_variation == (decision.action,)
        low, high = position.game.facts.min_return, position.game.facts.max_return
        return_so_far = position.returns[position.to_move]
        assert decision.value == pytest.approx(
            np.clip(values[0] + return_so_far, low, high), abs=1e-5
        )
        position.play(decision.action)


@pytest.mark.parametrize("spec", POLICY_GAMES)
def test_with_symmetries_images_are_played_alike(spec, files):
    agent, game = make_agent(f"onnx:{files[spec]},symmetries=yes", spec), make_game(spec)
    position = game.initial_position()
    for action in (1, 3):
        position.play(action)
    plain = agent.analyse(position)
    for number, permutation in enumerate(game.symmetries):
        image = agent.analyse(position.transformed(number))
        assert image.value == pytest.approx(plain.value, abs=1e-5)
        for action, probability in plain.probabilities.items():
            assert image.probabilities[int(permutation[action])] == pytest.approx(
                probability, abs=1e-5
            )
    assert (
        make_agent(f"onnx:{files[spec]}", spec).analyse(position).probabilities
        != plain.probabilities
    )


def test_a_temperature_draws_actions_as_often_as_the_probabilities_say(files):
    agent = make_agent(f"onnx:{files['connect_four']},temperature=2")
    position = make_game("connect_four").initial_position()
    expected = np.array(list(agent.analyse(position).probabilities.values())) ** 0.5
    counts = np.bincount([agent.act(position) for _ in range(4000)], minlength=7)
    assert np.allclose(counts / 4000, expected / expected.sum(), atol=0.03)
    agent.reset(5)
    first = [agent.act(position) for _ in range(20)]
    agent.reset(5)
    assert [agent.act(position) for _ in range(20)] == first


class OneByOne:
    """An agent without its way to answer for many games at once."""

    def __init__(self, agent):
        self.agent = agent
        self.reset, self.act = agent.reset, agent.act

    @property
    def stream(self):
        return self.agent.stream

    @stream.setter
    def stream(self, stream):
        self.agent.stream = stream


@pytest.mark.parametrize(
    "options", ["", ",symmetries=yes", ",temperature=1", ",temperature=0.5,symmetries=yes"]
)
@pytest.mark.parametrize("spec", POLICY_GAMES)
def test_a_batch_of_games_is_played_as_one_by_one(spec, options, files):
    game = make_game(spec)
    opponents = make_opponents(f"onnx:{files[spec]}{options}", game)
    (opponent,) = opponents
    assert (opponent.compiled is None) == ("symmetries" in options)
    in_python = [opponent._replace(compiled=None)]
    single = [opponent._replace(compiled=None, player=OneByOne(opponent.player))]
    batches = [GameBatch(game, 16, each) for each in (opponents, in_python, single)]
    if opponent.compiled is not None:
        batches.append(GameBatch(game, 16, opponents, threads=2))
    for batch in batches:
        batch.reset(seed=5)
    stream, first = new_stream(1), batches[0]
    for _ in range(40):
        for batch in batches[1:]:
            for name, left, right in zip(first.state._fields, first.state, batch.state):
                assert np.array_equal(left, right), name
        actions = first.draw_actions(stream)
        for batch in batches:
            batch.step(actions)
    assert first.state.episodes.min() > 1
    first.close()
    batches[-1].close()


def test_more_games_than_are_asked_about_at_once_are_played_alike(files):
    game = make_game("connect_four")
    (opponent,) = make_opponents(f"onnx:{files['connect_four']}", game)
    by_kernel, in_python = (
        GameBatch(game, 2 * AT_ONCE + 3, [one], seat=1)
        for one in (opponent, opponent._replace(compiled=None))
    )
    for batch in (by_kernel, in_python):
        batch.reset(seed=5)
        batch.step(batch.draw_actions(new_stream(1)))
    assert np.array_equal(by_kernel.state.observations, in_python.state.observations)


def test_an_opponent_that_gives_no_numbers_is_refused(tmp_path):
    network = write_network(tmp_path / "broken.onnx", "tic_tac_toe")
    game = make_game("tic_tac_toe")
    opponents = make_opponents(f"onnx:{network}", game)
    batch = GameBatch(game, 4, opponents, seat=1)
    opponents[0].player.network.compiled().weights[:] = np.nan
    with pytest.raises(SpecificationError, match="it returned NaN or infinity"):
        batch.reset(seed=1)


def test_another_content_is_another_version(files):
    versions = {make_agent(f"onnx:{path}").version for path in files.values()}
    assert len(versions) == len(files)


# -- where policies come from --


ALONE = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "stable_baselines3", "onnx", "onnxruntime"):
            raise ImportError(name + " is blocked")
sys.meta_path.insert(0, Block())
def refuse(event, arguments):
    if event == "pickle.find_class" and armed:
        raise RuntimeError("something was unpickled: " + str(arguments))
armed = False
sys.addaudithook(refuse)
import plyground
position = plyground.make_game("connect_four").position([3])
for spec in sys.argv[1:]:
    for armed in (False, True):
        agent = plyground.make_agent(spec, "connect_four")
        action = agent.act(position)
    armed = False
    print(action)
"""


def test_networks_are_played_without_torch_and_onnxruntime_and_nothing_is_unpickled(files):
    specs = [
        f"onnx:{files['connect_four']}",
        "zoo:connect_four",
        "mcts:network=zoo:connect_four,simulations=50",
    ]
    path = os.pathsep.join([str(Path(plyground.__file__).parent.parent), *sys.path])
    printed = run_python("-c", ALONE, *specs, PYTHONPATH=path)
    position = make_game("connect_four").position([3])
    expected = [make_agent(spec, "connect_four").act(position) for spec in specs]
    assert [int(line) for line in printed.split()] == expected
