"""AlphaZero whose self-play is on a device: what was lowered for CUDA runs on the processor."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from plyground import make_agent, make_game
from plyground.agents.policies.policy_file import BEST
from plyground.envs import SpecificationError
from plyground.envs.compiled.cuda.devices import Processor
from plyground.evaluation import evaluate
from plyground.training.alphazero import on_device
from plyground.training.alphazero.on_device import DeviceSelfPlayer, Rate
from plyground.training.alphazero.self_play import make_chunk
from plyground.training.alphazero.train import train
from plyground.training.alphazero.window import Canonical
from plyground.training.folder import TrainingError, read_metrics
from self_play.runs import CPU, GAME, have_equal_weights, settings

SIZE = 8
QUICK = (f"games={SIZE}", "simulations_per_update=800", "precision=float32")


def run(out, *texts, place=None, **options):
    return train(GAME, settings(*QUICK, *texts), 1, out, {}, CPU, trees=place, **options)


def on_a_device(out, *texts, **options):
    return run(out, *texts, place=Processor(), **options)


def player_of(*texts, game=GAME):
    return DeviceSelfPlayer(game, settings(*QUICK, *texts), Processor(), 3)


def weights_of(player):
    return {name: each.clone() for name, each in player._network._network.state_dict().items()}


def test_it_learns_and_its_network_plays(tmp_path):
    out = tmp_path / "run"
    sizes = "channels=8", "hidden=32", "batch_size=64", "learning_rate=0.01", "games=16"
    on_a_device(out, "steps=40000", *sizes)
    rows = [row for row in read_metrics(out) if row["kind"] == "update"]
    losses = [row["loss/policy"] for row in rows if "loss/policy" in row]
    assert losses[-1] < losses[0] - 1.0
    assert rows[-1]["self_play/evaluations_per_second"] > 0
    agent = make_agent(f"policy:{out / BEST}")
    (score,) = evaluate(agent, "tic_tac_toe", against=["random"], pairs=100, opening_plies=1)
    assert score.score > 0.85  # 0.92 and 0.95; on a processor 0.95


def test_a_round_has_the_samples_of_its_games():
    player, whole = player_of(), player_of()
    weights = weights_of(player)
    result = player.play(weights, 0.5, 3200)
    whole.begin_round(weights, 0.5)
    parts = []
    for _ in range(3200 // SIZE):
        whole.turn()
        parts.append(whole._forest.take_samples())  # in every turn
    observations, policies, marks = zip(*parts)
    both = torch.cat(observations), torch.cat(policies), np.concatenate(marks)
    chunk = make_chunk(Canonical(GAME, CPU), player.settings.discount, *both)
    assert len(result.chunk.keys) == len(chunk.keys) > 100
    assert {*result.chunk.keys.tolist()} == {*chunk.keys.tolist()}
    assert result.chunk.results.sum(0).tolist() == chunk.results.sum(0).tolist()
    assert result.counts == whole._forest.counts()


def test_games_go_on_from_a_checkpoint():
    player, other = player_of(), player_of()
    weights = weights_of(player)
    other.load_state(player.play(weights, 0.0, 800).state())
    one, two = (each.play(weights, 0.3, 1600) for each in (player, other))
    assert one.counts == two.counts
    assert all(torch.equal(a, b) for a, b in zip(one.chunk, two.chunk))


def test_games_of_another_format_start_anew():
    player = player_of()
    player.load_state({"positions": torch.zeros(3, dtype=torch.uint8)})
    assert player.play(weights_of(player), 0.0, 800).counts["games"] > 0


def test_a_run_that_was_stopped_learns_the_same(tmp_path, monkeypatch):
    monkeypatch.setenv("PLYGROUND_CHECKPOINT_SECONDS", "0")
    whole = on_a_device(tmp_path / "whole")
    steps = [row["step"] for row in read_metrics(tmp_path / "whole") if row["kind"] == "update"]

    def stop(progress):
        if progress.step >= steps[len(steps) // 2]:  # saved is the update before
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        on_a_device(tmp_path / "parts", on_progress=stop)
    again = on_a_device(tmp_path / "parts")
    assert again.step == whole.step
    assert have_equal_weights(again, whole)


def test_a_run_goes_on_elsewhere(tmp_path):
    for number, place in enumerate([Processor(), None, Processor()], 1):
        done = run(tmp_path / "run", f"steps={1500 * number}", place=place)
        assert 1500 * number <= done.step < 1500 * number + 1000


def test_a_network_that_fails_ends_the_run():
    player = player_of()
    weights = {name: each * float("nan") for name, each in weights_of(player).items()}
    with pytest.raises(TrainingError, match="the network returned NaN or infinity"):
        player.play(weights, 0.0, 800)


# -- the number of games --


def test_a_trial_chooses_the_fewest_games_that_are_as_fast(tmp_path, monkeypatch):
    rates = {64: 1e4, 128: 3e4, 256: 4e4, 512: 4.1e4, 1024: 3e4, 2048: 9e9}
    monkeypatch.setattr(on_device, "FEWEST_GAMES", 64)
    monkeypatch.setattr(
        DeviceSelfPlayer,
        "rate",
        lambda self, seconds: Rate(self._forest.count, rates[self._forest.count], 20.0),
    )
    notes: list[str] = []
    chosen = on_device.with_games(
        GAME, settings(*QUICK, "games=0"), Processor(), tmp_path, notes.append, 64
    ).games
    assert notes == ["256 games at once, 40,000 simulations/s in a trial"]
    # not 2 seconds of 256 × 20, nor what 200 steps of 16 positions need
    assert (chosen.games, chosen.simulations_per_update) == (256, 256 * 13)


def test_updates_follow_the_time_and_the_steps():
    options = settings("simulations_per_update=40000000", "batch_size=1024", "full_share=0.5")
    rate = Rate(1000, 0.0, 300.0)
    each = 8 + 8  # simulations for a sample: a full search, and a fast one
    assert on_device.simulations_of_update(options, rate) == 2 * 300 * 1000
    fast = rate._replace(turns=30_000.0)
    assert on_device.simulations_of_update(options, fast) == 200 * 1024 / 4 * each


def test_the_trial_measures_real_games(tmp_path):
    options = settings(*QUICK, "games=0", "simulations_per_update=100000")
    found = list(on_device.trial_of_games(GAME, options, _Small(), 4))
    assert [each.games for each in found] == [4, 8]
    assert all(each.simulations >= each.turns * each.games > 0 for each in found)


class _Small(Processor):
    """A device with little memory."""

    def free_bytes(self):
        options = on_device.search_options(GAME, settings().search, 0.0)
        most = 12
        entries = on_device.cache_of_game(most)
        return 2 * 10 * on_device.bytes_of_game(GAME, options, most, entries)


def test_too_little_memory_is_refused():
    with pytest.raises(SpecificationError, match="games=10 would do"):
        list(on_device.trial_of_games(GAME, settings(*QUICK, "games=0"), _Small(), 16))


def test_a_run_chooses_once(tmp_path, monkeypatch):
    monkeypatch.setattr(on_device.with_games, "__defaults__", (4,))
    monkeypatch.setattr(Processor, "free_bytes", _Small.free_bytes)
    notes: list[str] = []
    for steps in (500, 1000):
        on_a_device(tmp_path / "run", "games=0", f"steps={steps}", on_note=notes.append)
    assert sum("games at once" in note for note in notes) == 1


def test_a_network_of_another_run_plays(tmp_path):
    on_a_device(tmp_path / "one", "steps=800")
    texts = ("steps=800", f"predecessor={tmp_path / 'one'}", "channels=6")
    assert on_a_device(tmp_path / "two", *texts).step >= 800


def test_every_game_has_defaults_for_a_gpu():
    from plyground.training.alphazero.settings import AlphaZeroSettings

    for spec in ("connect_four", "othello", "gomoku"):
        chosen = AlphaZeroSettings.for_game(make_game(spec), {}, gpu=True)
        assert (chosen.games.games, chosen.games.workers) == (0, 1)
