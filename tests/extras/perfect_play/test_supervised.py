"""Supervised learning from perfect play: what is learnt, and that runs can be trusted."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from command_line import done, invoke
from plyground import make_agent, make_game
from plyground.agents import solve
from plyground.agents.policies.policy_file import load_policy_file
from plyground.envs.specification import SpecificationError
from plyground.extras.perfect_play import datasets
from plyground.extras.perfect_play.datasets.build import build_dataset, build_taught_dataset
from plyground.extras.perfect_play.supervised.settings import SupervisedSettings
from plyground.extras.perfect_play.supervised.train import (
    learning_positions,
    optimal_actions,
    train,
)
from plyground.training.folder import TrainingError, read_metrics

pytestmark = pytest.mark.thorough

SMALL = {
    "held_out": 0.2, "batch_size": 64, "batches_per_update": 20, "trunk": "dense", "channels": 8,
    "hidden": 32, "evaluate": "none", "precision": "float32", "evaluations": 2,
}  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "ttt.npz"
    build_dataset(make_game("tic_tac_toe"), 600, path)
    return path


def settings_for(path, steps, **more):
    return SupervisedSettings._with_parts({"data": str(path), "steps": steps, **SMALL, **more})


def run(path, out, steps=40_000, game="tic_tac_toe", **options):
    cpu = torch.device("cpu")
    return train(make_game(game), settings_for(path, steps), 1, out, {}, cpu, **options)


def test_a_teachers_choices_are_learnt_and_the_policy_file_names_it(tmp_path):
    game = make_game("tic_tac_toe")
    build_taught_dataset(game, 400, tmp_path / "data.npz", "alphabeta:depth=9")
    run(tmp_path / "data.npz", tmp_path / "run", steps=20_000)
    network = load_policy_file(tmp_path / "run" / "best.onnx")
    assert network.kind == "supervised by alphabeta:depth=9"
    dataset = datasets.load(tmp_path / "data.npz")
    choices = optimal_actions(dataset)
    assert (choices.sum(axis=1) == 1).all()
    logits, _ = network.evaluate(dataset.arrays["observation"])
    best = np.where(dataset.arrays["action_mask"], logits, -np.inf).argmax(axis=1)
    assert choices[np.arange(len(best)), best].mean() > 0.5


def test_answers_of_the_solver_and_of_a_teacher_are_learnt_together(data, tmp_path):
    taught = tmp_path / "taught.npz"
    build_taught_dataset(make_game("tic_tac_toe"), 200, taught, "alphabeta:depth=9")
    both = datasets.load(data, taught)
    names = "the exact solver and alphabeta:depth=9"
    assert both.teacher == names
    solved = datasets.load(data)
    expected = [*optimal_actions(solved), *optimal_actions(datasets.load(taught))]
    assert np.array_equal(optimal_actions(both), expected)
    run(f"{data};{taught}", tmp_path / "run", steps=20_000)
    assert load_policy_file(tmp_path / "run" / "best.onnx").kind == f"supervised by {names}"


def test_optimal_actions_are_those_of_the_best_value(data):
    dataset = datasets.load(data)
    best = optimal_actions(dataset)
    values = dataset.arrays["action_values"].astype(int)
    assert best.any(axis=1).all()
    assert np.array_equal(best, values == values.max(axis=1, keepdims=True))


def test_the_value_of_a_margin_game_is_its_final_margin(tmp_path):
    game = make_game("dots_and_boxes:rows=2,cols=2,reward=margin")
    build_dataset(game, 100, tmp_path / "boxes.npz")
    dataset = datasets.load(tmp_path / "boxes.npz")
    positions = learning_positions(dataset, np.arange(len(dataset)))
    for index in range(0, len(dataset), 9):
        position = dataset.position(index)
        mover = position.to_move
        best = max(_worth(dataset, position, mover, action) for action in position.legal_actions())
        assert positions.values[index] * 4 == pytest.approx(best)


def _worth(dataset, position, mover, action):
    """The final margin for ``mover`` after an action, by the exact solver."""
    after = position.after(action)
    if after.is_over:
        return after.returns[mover]
    value = solve(after, memory_mb=8).value
    return after.returns[mover] + (value if after.to_move == mover else -value)


def test_it_learns_the_positions_held_out_and_says_who_taught_it(data, tmp_path):
    run(data, tmp_path / "run")
    assert list(read_metrics(tmp_path / "run"))[-1]["held_out/optimal"] > 0.75
    assert load_policy_file(tmp_path / "run" / "best.onnx").kind == "supervised by the exact solver"
    agent = make_agent(f"onnx:{tmp_path / 'run' / 'best.onnx'}")
    position = make_game("tic_tac_toe").position(["a1", "b2", "a2", "c3"])
    assert position.is_legal(agent.act(position))


def test_an_interrupted_run_ends_with_the_weights_of_an_undisturbed_one(
    data, tmp_path, monkeypatch
):
    monkeypatch.setenv("PLYGROUND_CHECKPOINT_SECONDS", "0")
    whole = run(data, tmp_path / "whole", steps=6_400)

    def stop(progress):
        if progress.step >= 2_560:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(data, tmp_path / "stopped", steps=6_400, on_progress=stop)
    second = run(data, tmp_path / "stopped", steps=6_400)
    assert second.step == whole.step
    weights = [each.learner.network.network.state_dict() for each in (whole, second)]
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])


def test_another_dataset_or_another_board_is_refused(data, tmp_path):
    run(data, tmp_path / "run", steps=1_280)
    other = tmp_path / "other.npz"
    build_dataset(make_game("tic_tac_toe"), 500, other, seed=5)
    data_before = data.read_bytes()
    data.write_bytes(other.read_bytes())
    try:
        with pytest.raises(TrainingError, match="not the dataset that this run began with"):
            run(data, tmp_path / "run", steps=1_280)
    finally:
        data.write_bytes(data_before)
    with pytest.raises(SpecificationError, match="is of tic_tac_toe, not of connect_four"):
        run(data, tmp_path / "c4", game="connect_four")


def test_the_command_trains_and_lists_settings(data, tmp_path):
    listing = invoke(["train", "supervised", "connect_four", "--list-settings"])
    assert "held_out" in listing.stdout
    words = ["train", "supervised", "tic_tac_toe", "--data", str(data), "--evaluate", "random"]
    words += ["--out", str(tmp_path / "run"), "--set", "steps=5k", "--set", "evaluation_pairs=5"]
    for name in ("batch_size=64", "batches_per_update=20", "evaluations=1"):
        words += ["--set", name]
    process = done(*words)
    assert "random: " in process.stdout
    assert "finished: 5,056 steps" in process.stderr + process.stdout  # 79 minibatches


POOLED = {"trunk": "pooled", "channels": 8, "blocks": 1}


def test_one_network_learns_from_two_boards_and_plays_both(tmp_path):
    small, large = make_game("gomoku:size=5,connect=4"), make_game("gomoku:size=7,connect=4")
    files = [tmp_path / f"{game.rules.rows}.npz" for game in (large, small)]
    for game, file in zip((large, small), files):
        build_taught_dataset(game, 300, file, "alphabeta:depth=2")
    settings = settings_for(";".join(map(str, files)), 64_000, **POOLED)
    run = train(large, settings, 1, tmp_path / "run", {}, torch.device("cpu"))
    network = load_policy_file(tmp_path / "run" / "best.onnx")
    assert network.game == large
    average = run.learner.network.average
    for game in (large, small):
        observations = np.stack([game.position([0, 7]).observation()])
        outputs = average(torch.from_numpy(observations).float())
        logits, value = network.playing(game).evaluate(observations)
        assert logits == pytest.approx(outputs.logits.numpy(), abs=1e-4)
        assert value == pytest.approx(outputs.value.numpy(), abs=1e-4)
    # on each board it agrees with the teacher more often than by chance
    for data in map(datasets.load, files):
        logits, _ = network.playing(data.game).evaluate(data.arrays["observation"])
        masks = data.arrays["action_mask"] != 0
        choices = np.where(masks, logits, -np.inf).argmax(axis=1)
        right = optimal_actions(data)[np.arange(len(data)), choices]
        assert right.mean() > 2 * (1 / masks.sum(axis=1)).mean()


@pytest.mark.parametrize(
    ("other", "options", "complaint"),
    [
        ("gomoku:size=5,connect=4", {}, "needs trunk=pooled"),
        ("hex:size=5", {"trunk": "pooled"}, "is not another board of gomoku:size=7"),
    ],
)
def test_boards_that_the_weights_do_not_fit_are_refused(tmp_path, other, options, complaint):
    game = make_game("gomoku:size=7,connect=4")
    files = []
    for number, each in enumerate((game, make_game(other))):
        files.append(tmp_path / f"{number}.npz")
        build_taught_dataset(each, 40, files[-1], "random")
    settings = settings_for(
        ";".join(map(str, files)), 640, **(POOLED | {"trunk": "convolutions"} | options)
    )
    with pytest.raises(SpecificationError, match=complaint):
        train(game, settings, 1, tmp_path / "run", {}, torch.device("cpu"))


def test_a_run_that_goes_on_keeps_its_own_settings():
    game = make_game("tic_tac_toe")
    own = SupervisedSettings.for_game(
        game, {"data": "games.npz", "channels": 2, "value_weight": 0.5}
    )
    begun = {"game": game.spec, **own.values()}
    assert SupervisedSettings.for_game(game, begun=begun) == own
    assert SupervisedSettings.for_game(make_game("hex"), begun=begun).network != own.network
