"""AlphaZero's learner, replay window and runs."""

from __future__ import annotations

import dataclasses
import re
import shutil

import numpy as np
import pytest
import torch
from helpers import SMALL_GAMES
from plyground import make_agent, make_game
from plyground.agents.policies.policy_file import load_policy_file
from plyground.agents.policies.zoo import ZooNetworks
from plyground.commands.app import run as cli_run
from plyground.envs.registry import game_names
from plyground.envs.specification import SpecificationError
from plyground.training.alphazero import window as window_module
from plyground.training.alphazero.learner import AlphaZeroLearner
from plyground.training.alphazero.self_play import SelfPlayer
from plyground.training.alphazero.settings import AlphaZeroSettings
from plyground.training.alphazero.train import train
from plyground.training.export import random_observations
from plyground.training.folder import TrainingError, read_metrics
from self_play.runs import CPU, GAME, QUICK, settings


def weights_of(run):
    return {name: value.clone() for name, value in run.learner.learner.average.state_dict().items()}


def same(first, second):
    return all(torch.equal(first[name], second[name]) for name in first)


def test_a_loss_that_is_no_number_ends_the_run_and_says_so(tmp_path):
    options = settings("learning_rate=1e30", "gradient_norm=1e30", "precision=float32")
    with pytest.raises(TrainingError, match="a lower learning_rate may help"):
        train(GAME, options, 1, tmp_path / "run", {}, CPU)


# -- runs --


def test_a_run_leaves_its_policy_its_metrics_and_its_window(tmp_path):
    rows = []

    def evaluate(player):
        masks = np.ones((1, 9), np.int8)
        assert player.act_batch(GAME.initial_position().observation()[None], masks).shape == (1,)
        rows.append({"opponent": "nobody", "score": 0.5, "low": 0.0, "high": 1.0})
        return rows[-1:]

    reports = []
    heard = {"evaluate": evaluate, "on_progress": reports.append}
    run = train(GAME, settings(), 1, tmp_path / "run", {}, CPU, **heard)
    assert run.finished_now
    assert len(rows) == 2
    network = load_policy_file(tmp_path / "run" / "best.onnx")
    assert network.game == GAME
    assert network.kind == "alphazero"
    assert network.discount == settings().discount
    position = GAME.initial_position()
    for spec in (f"alphazero:{tmp_path}/run", f"mcts:network={tmp_path}/run,simulations=20"):
        assert position.is_legal(make_agent(spec).act(position))
    updates = [row for row in read_metrics(tmp_path / "run") if row["kind"] == "update"]
    assert len(updates) == len(reports) >= 2
    for name in ("self_play/games_per_second", "total/samples", "time/cores"):
        assert all(np.isfinite(row[name]) for row in updates)
    losses = [row["loss/policy"] for row in updates if "loss/policy" in row]
    assert losses
    assert np.isfinite(losses).all()
    files = {path.name for path in (tmp_path / "run" / "window").iterdir()}
    assert files >= {name for name, _ in run.learner.window.chunks}


@pytest.mark.thorough
@pytest.mark.parametrize("batch_size", [32, 256])
def test_the_first_step_waits_for_four_minibatches_of_positions(batch_size, tmp_path):
    """Tic-tac-toe has 627 different positions: there, sixteen minibatches of samples do, too."""
    sizes = f"batch_size={batch_size}", "simulations_per_update=600", "full_share=1", "steps=12000"
    options = settings(*sizes)
    run = train(GAME, options, 1, tmp_path / "run", {}, CPU)
    updates = [row for row in read_metrics(tmp_path / "run") if row["kind"] == "update"]
    first = next(index for index, row in enumerate(updates) if "learner/positions" in row)
    row = updates[first]
    assert row["learner/positions"] >= 4 * batch_size or row["total/samples"] >= 16 * batch_size
    assert updates[first - 1]["total/samples"] < 16 * batch_size
    # the samples that waited are used as often as all others
    steps = options.games.reuse * updates[-1]["total/samples"] / batch_size
    assert run.learner.updates == pytest.approx(steps, abs=len(updates))


def test_no_round_is_shorter_than_a_search_of_every_game():
    options = settings("games=16", "simulations=8,12", "simulations_per_update=3200")
    rounds = [options.simulations_of_round(number) for number in range(8)]
    assert rounds == [208, 208, 208, 400, 800, 1600, 3200, 3200]


@pytest.mark.parametrize("length", [{}, {"hours": 0.05}], ids=["usual", "short"])
@pytest.mark.parametrize("name", game_names())
def test_many_workers_search_every_game_in_a_round(name, length):
    options = AlphaZeroSettings.for_game(make_game(name), {"workers": 256, **length})
    chunk = options.simulations_of_round(0) // 256
    assert chunk == options.games.games * (options.search.span.last + 1)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.fast_cases(1)
def test_an_interrupted_run_ends_with_the_weights_of_one_that_was_not(workers, tmp_path):
    options = settings(f"workers={workers}")
    whole = train(GAME, options, 3, tmp_path / "whole", {}, CPU)

    updates = []

    def stop(progress):
        updates.append(progress.step)
        if len(updates) == 2:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLYGROUND_CHECKPOINT_SECONDS", "0")
        with pytest.raises(KeyboardInterrupt):
            train(GAME, options, 3, tmp_path / "cut", {}, CPU, on_progress=stop)
    assert updates[-1] < options.steps
    notes = []
    again = train(GAME, options, 3, tmp_path / "cut", {}, CPU, on_note=notes.append)
    assert any("resumed at step" in note for note in notes)
    assert again.step == whole.step
    assert same(weights_of(again), weights_of(whole))
    one, other = (tmp_path / name / "best.onnx" for name in ("cut", "whole"))
    assert one.read_bytes() == other.read_bytes()


def test_a_damaged_file_of_the_window_is_named(tmp_path):
    train(GAME, settings(), 1, tmp_path / "run", {}, CPU)
    chunk_file = sorted((tmp_path / "run" / "window").iterdir())[-1]
    data = bytearray(chunk_file.read_bytes())
    data[len(data) // 2] ^= 1
    chunk_file.write_bytes(bytes(data))
    with pytest.raises(TrainingError, match=re.escape(f"{chunk_file.name}, a part of")):
        train(GAME, settings(), 1, tmp_path / "run", {}, CPU)


def test_old_files_of_the_window_are_removed(tmp_path):
    options = settings("steps=4000", "window=200")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLYGROUND_CHECKPOINT_SECONDS", "0")
        run = train(GAME, options, 1, tmp_path / "run", {}, CPU)
    num_chunks = len(run.learner.window.chunks)
    num_files = len(list((tmp_path / "run" / "window").iterdir()))
    assert num_chunks <= num_files <= num_chunks + window_module.KEPT_CHECKPOINTS
    assert sum(row["kind"] == "update" for row in read_metrics(tmp_path / "run")) > num_files


@pytest.mark.parametrize("spec", [*SMALL_GAMES, "connect_four", "dots_and_boxes:reward=margin"])
def test_every_game_has_settings_and_a_network_that_takes_it(spec):
    game = make_game(spec)
    learner = AlphaZeroLearner(game, AlphaZeroSettings.for_game(game), 1, CPU)
    outputs = learner.average(torch.zeros(3, *game.facts.observation_shape))
    assert outputs.logits.shape == (3, game.facts.num_actions)
    assert outputs.value.shape == (3,)
    assert outputs.results.shape == (3, 3)


def test_pooled_weights_fit_another_board():
    small, large = make_game("gomoku:size=9"), make_game("gomoku:size=15")
    options = AlphaZeroSettings.for_game(small, {}, ["trunk=pooled"])
    learner = AlphaZeroLearner(small, options, 1, CPU)
    other = AlphaZeroLearner(large, options, 2, CPU)
    other.average.load_state_dict(learner.average.state_dict())
    observation = torch.zeros(1, *large.facts.observation_shape)
    assert other.average(observation).logits.shape == (1, 225)


def test_a_run_can_begin_with_the_weights_of_another(tmp_path):
    first = train(GAME, settings("steps=100"), 1, tmp_path / "first", {}, CPU)
    options = settings(f"initial={tmp_path / 'first'}")
    assert same(AlphaZeroLearner(GAME, options, 2, CPU).average.state_dict(), weights_of(first))
    with pytest.raises(TrainingError, match="its network has another shape"):
        AlphaZeroLearner(GAME, settings(f"initial={tmp_path / 'first'}", "channels=2"), 2, CPU)
    with pytest.raises(TrainingError, match="has no intact checkpoint"):
        AlphaZeroLearner(GAME, settings(f"initial={tmp_path}"), 2, CPU)


@pytest.mark.parametrize(
    ("game", "network", "larger"),
    [
        ("tic_tac_toe", "tic_tac_toe", ("channels=25", "blocks=3", "hidden=40")),
        ("connect_four", "connect_four", ("channels=40", "blocks=4", "hidden=50")),
        ("gomoku:size=9", "gomoku", ("channels=36", "blocks=5")),
        ("dots_and_boxes", "dots_and_boxes", ("channels=33",)),
    ],
)
def test_a_larger_network_that_begins_with_a_smaller_one_computes_the_same(game, network, larger):
    game = make_game(game)
    options = AlphaZeroSettings.for_game(game, {}, (*larger, f"initial=zoo:{network}"))
    learner = AlphaZeroLearner(game, options, 1, CPU)
    observations = random_observations(game, 64)
    observation = learner.network(torch.from_numpy(observations).float())
    logits, values = ZooNetworks(network).for_game(game).evaluate(observations)
    np.testing.assert_allclose(observation.logits.detach().numpy(), logits, atol=1e-3)
    np.testing.assert_allclose(
        observation.value.detach().numpy() * learner.network.scale, values, atol=1e-4
    )


def test_a_predecessor_plays_the_games_that_another_network_learns_from(tmp_path):
    options = settings("predecessor=zoo:tic_tac_toe", "channels=6")
    learners = [AlphaZeroLearner(GAME, options, seed, CPU) for seed in (1, 2)]
    chunks = [
        SelfPlayer(GAME, options, CPU, 1).play(learner.weights(), 0.0, 2000).chunk
        for learner in learners
    ]
    assert len(chunks[0].keys) > 0
    for first, second in zip(*chunks):
        assert np.array_equal(first, second)
    own = SelfPlayer(GAME, settings("channels=6"), CPU, 1).play(learners[0].weights(), 0.0, 2000)
    assert not np.array_equal(own.chunk.policies, chunks[0].policies)


def test_a_predecessor_that_does_not_fit_is_refused_and_leaves_no_folder(tmp_path):
    options = settings("predecessor=zoo:tic_tac_toe", "discount=0.9")
    with pytest.raises(SpecificationError, match=r"are not returns with discount=0\.9,"):
        train(GAME, options, 1, tmp_path / "run", {}, CPU)
    assert not (tmp_path / "run").exists()


def test_a_predecessor_that_has_changed_is_refused_when_a_run_goes_on(tmp_path):
    for name, seed in (("first", 1), ("second", 2)):
        train(GAME, settings("steps=100"), seed, tmp_path / name, {}, CPU)
    file = tmp_path / "policy.onnx"
    options = settings("steps=100", f"predecessor={file}")
    shutil.copy(tmp_path / "first" / "best.onnx", file)
    train(GAME, options, 1, tmp_path / "run", {}, CPU)
    shutil.copy(tmp_path / "second" / "best.onnx", file)
    with pytest.raises(TrainingError, match="has changed since the run began"):
        train(GAME, dataclasses.replace(options, steps=200), 1, tmp_path / "run", {}, CPU)


def test_a_run_counts_what_was_played_in_rounds_that_begin_small(tmp_path):
    run = train(GAME, settings("steps=3400"), 1, tmp_path / "run", {}, CPU)
    rows = [row for row in read_metrics(tmp_path / "run") if row["kind"] == "update"]
    rounds = rows[:8]
    simulations = np.diff([0, *(values["total/simulations"] for values in rounds)])
    most = 16 * 12  # that a round may be longer: games at once × a full search
    assert simulations == pytest.approx([46, 93, 187, 375, 750, 1500, 3000, 3000], abs=most)
    assert run.step == rows[-1]["step"] > 0
    assert 0 < rounds[-1]["self_play/first_player_score"] < 1


def test_no_number_of_games_is_the_usual_one_without_a_trial(tmp_path):
    texts = "games=0", "simulations_per_update=20000", "steps=50"
    run = train(GAME, settings(*texts), 1, tmp_path / "run", {}, CPU)
    games = run.learner.settings.games
    assert (games.games, games.simulations_per_update) == (512, 20_000)
    assert games.replace(simulations_per_update=10**9).as_usual().simulations_per_update == 358_400


def test_what_self_play_on_a_gpu_lacks_here_is_named():
    from plyground.training.alphazero.on_device import open_trees

    with pytest.raises(SpecificationError, match=r"device='cuda' .*; with --workers 2 self-play"):
        open_trees("cuda")


def test_the_command_trains_measures_and_resumes(tmp_path, capsys):
    quick = [text for text in QUICK if not text.startswith(("evaluate", "hours"))]
    arguments = ["train", "alphazero", "tic_tac_toe", "--out", str(tmp_path / "run")]
    arguments += ["--hours", "0", "--workers", "1", "--device", "cpu"]
    arguments += ["--evaluate", "random;optimal moves"]
    for text in (*quick, "evaluation_pairs=5"):
        arguments += ["--set", text]
    assert cli_run(arguments) == 0
    first = capsys.readouterr()
    assert "random: " in first.out
    assert "optimal moves: " in first.out
    assert "finished: " in first.err
    assert cli_run(arguments) == 0
    again = capsys.readouterr()
    assert "there is nothing to do" in again.err
    assert again.out == first.out
    assert cli_run([*arguments, "--set", "channels=2"]) == 2
    assert "channels is 4 there and 2 here" in capsys.readouterr().err
