"""Perfect-play datasets: exact values, unique positions, the same file from the same seed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from plyground import make_game
from plyground.agents import solve
from plyground.envs.canonical import CanonicalForm, position_layers
from plyground.envs.loading.locks import locked
from plyground.envs.specification import SpecificationError
from plyground.envs.workers.jobs import JobPlace
from plyground.extras.perfect_play import datasets
from plyground.extras.perfect_play.datasets.build import (
    BuildProgress,
    Source,
    build_dataset,
    build_taught_dataset,
)
from plyground.extras.perfect_play.datasets.labels import ILLEGAL_RESULT, ILLEGAL_VALUE

pytestmark = pytest.mark.thorough

GAMES = ["tic_tac_toe", "connect_four:rows=4,cols=4", "dots_and_boxes:rows=2,cols=2"]


@pytest.mark.parametrize("suffix", [".npz", ".parquet"])
@pytest.mark.parametrize("spec", GAMES)
def test_every_value_is_the_solvers_and_every_column_is_the_positions(spec, suffix, tmp_path):
    game = make_game(spec)
    count = build_dataset(game, 60, tmp_path / f"data{suffix}", seed=3)
    data = datasets.load(tmp_path / f"data{suffix}")
    assert len(data) == count == 60
    for index in range(0, len(data), 7):
        position, row = data.position(index), data[index]
        assert np.array_equal(row["observation"], position.observation())
        assert np.array_equal(row["action_mask"], position.action_mask())
        assert (row["ply"], row["to_move"], row["key"]) == (
            (row["moves"] >= 0).sum(),
            position.to_move,
            position.key,
        )
        values = solve(position, moves="all", memory_mb=8).values
        legal = sorted(values)
        assert row["action_values"][legal].tolist() == [values[action] for action in legal]
        illegal = row["action_mask"] == 0
        assert (row["action_values"][illegal] == ILLEGAL_VALUE).all()
        assert (row["action_results"][illegal] == ILLEGAL_RESULT).all()
        assert row["value"] == max(values.values())
        assert row["result"] == row["action_results"].max()


def test_results_are_those_of_the_whole_game_where_boxes_are_owned_already(tmp_path):
    """The margin of the rest of a game may be won and the game lost."""
    game = make_game("dots_and_boxes:rows=2,cols=2")
    build_dataset(game, 200, tmp_path / "data.npz")
    data = datasets.load(tmp_path / "data.npz")
    differ = 0
    for index in range(len(data)):
        position, row = data.position(index), data[index]
        own, other = position.to_move, 1 - position.to_move
        lead = int(position.record.score[own]) - int(position.record.score[other])
        assert row["result"] == np.sign(lead + int(row["value"]))
        differ += int(np.sign(row["value"]) != row["result"])
    assert differ > 0


def test_positions_are_unique_up_to_symmetry_and_spread_over_the_plies(tmp_path):
    game = make_game("tic_tac_toe")
    build_dataset(game, 200, tmp_path / "data.npz")
    data = datasets.load(tmp_path / "data.npz")
    canonical = CanonicalForm(game)
    assert len({canonical(data.position(index))[0] for index in range(len(data))}) == 200
    layers = [len(layer) for layer, _ in zip(position_layers(game), range(9))]
    counts = np.bincount(data.arrays["ply"], minlength=9)
    assert (counts <= layers).all()
    assert counts[:3].tolist() == layers[:3]  # all there are
    assert counts[4] > 20


def test_more_positions_than_there_are_give_all_there_are(tmp_path):
    game = make_game("tic_tac_toe")
    total = sum(len(layer) for layer, _ in zip(position_layers(game), range(9)))
    assert build_dataset(game, 5_000, tmp_path / "data.npz") == total == 627


@pytest.mark.parametrize("source", ["random", "greedy"])
@pytest.mark.parametrize("spec", ["kalah:pits=3,seeds=2", "othello:size=4"])
def test_games_far_shorter_than_the_longest_give_as_many_positions(spec, source, tmp_path):
    game = make_game(spec)
    assert build_dataset(game, 300, tmp_path / "data.npz", source=Source(source)) == 300
    data = datasets.load(tmp_path / "data.npz")
    canonical = CanonicalForm(game)
    assert len({canonical(data.position(index))[0] for index in range(300)}) == 300
    counts = np.bincount(data.arrays["ply"])
    assert len(counts) < game.facts.longest_game
    assert counts.max() < 300 / 4


def test_plies_that_no_game_reaches_are_refused_and_leave_nothing(tmp_path):
    game = make_game("kalah:pits=3,seeds=2")
    for name in ("random", "greedy"):
        options = {"plies": range(50, 60), "source": Source(name)}
        with pytest.raises(SpecificationError, match="was found at these plies"):
            build_dataset(game, 5, tmp_path / "data.npz", **options)
    assert not list(tmp_path.glob("data.npz*"))


def test_the_same_seed_gives_the_same_file_in_one_process_and_in_two(tmp_path):
    game = make_game("connect_four:rows=4,cols=5")
    files = [tmp_path / f"{name}.parquet" for name in "abc"]
    build_dataset(game, 1_200, files[0], seed=7)
    build_dataset(game, 1_200, files[1], seed=7, place=JobPlace(concurrency=2))
    build_dataset(game, 1_200, files[2], seed=8)
    assert files[0].read_bytes() == files[1].read_bytes() != files[2].read_bytes()


def test_positions_come_from_an_agents_games(tmp_path):
    game = make_game("connect_four:rows=5,cols=5")
    source = Source("alphabeta:depth=2")
    build_dataset(game, 50, tmp_path / "data.npz", plies=range(9, 14), source=source)
    data = datasets.load(tmp_path / "data.npz")
    assert data.metadata["source"] == "alphabeta:depth=2"
    assert np.bincount(data.arrays["ply"]).tolist()[9:] == [10] * 5


def test_positions_come_from_games_that_were_played_before(tmp_path):
    game = make_game("tic_tac_toe")
    games = [(4, 0, 8, 2, 1, 7, 6), (4, 0, 8, 2, 1, 7, 5)]
    count = build_dataset(game, 100, tmp_path / "data.npz", source=Source("played.db", games))
    assert count == 9  # the positions after 0 to 6 moves, and both after the seventh


def test_a_build_that_was_killed_goes_on_to_the_same_file(tmp_path):
    game, out = make_game("connect_four:rows=4,cols=5"), tmp_path / "data.npz"
    build_dataset(game, 2_000, tmp_path / "whole.npz")
    script = (
        "from pathlib import Path; from plyground import make_game\n"
        "from plyground.extras.perfect_play.datasets.build import build_dataset\n"
        f"build_dataset(make_game({game.spec!r}), 2_000, Path({str(out)!r}))\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script])
    parts = out.with_name("data.npz.parts")
    while not list(parts.glob("0*.npz")) and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    counts = []
    build_dataset(
        game, 2_000, out, progress=BuildProgress(solved=lambda count, _: counts.append(count))
    )
    whole, second = (datasets.load(path) for path in (tmp_path / "whole.npz", out))
    for name, array in whole.arrays.items():
        assert np.array_equal(array, second.arrays[name])
    assert counts[0] >= 500  # at least one chunk was there
    assert not parts.exists()


@pytest.mark.parametrize("build", [build_dataset, build_taught_dataset])
def test_a_dataset_that_another_process_makes_is_refused(build, tmp_path):
    arguments = (make_game("tic_tac_toe"), 10, tmp_path / "d.npz")
    teacher = ("random",) if build is build_taught_dataset else ()
    complaint = r"d\.npz is being made by process \d+ on"
    with locked(tmp_path / "d.npz", "made"), pytest.raises(SpecificationError, match=complaint):
        build(*arguments, *teacher)
    assert build(*arguments, *teacher) == 10
    assert [path.name for path in tmp_path.iterdir()] == ["d.npz"]


def test_the_parts_of_another_dataset_are_refused(tmp_path):
    game, out = make_game("tic_tac_toe"), tmp_path / "data.npz"
    parts = tmp_path / "data.npz.parts"
    parts.mkdir()
    (parts / "settings.json").write_text(json.dumps({"seed": 5}))
    with pytest.raises(SpecificationError, match="parts of another dataset"):
        build_dataset(game, 10, out)


def test_batches_hold_every_position_once_in_an_order_that_the_seed_decides(tmp_path):
    build_dataset(make_game("tic_tac_toe"), 100, tmp_path / "data.npz")
    data = datasets.load(tmp_path / "data.npz")
    batches = list(data.batches(32))
    assert [len(batch["value"]) for batch in batches] == [32, 32, 32, 4]
    assert np.array_equal(np.concatenate([b["key"] for b in batches]), data.arrays["key"])
    one, same, other = (
        np.concatenate([b["key"] for b in data.batches(32, seed)]) for seed in (1, 1, 2)
    )
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    assert sorted(one) == sorted(data.arrays["key"])
    assert len(list(data.batches(32, drop_last=True))) == 3


def test_torch_loaders_read_it(tmp_path):
    torch = pytest.importorskip("torch")
    build_dataset(make_game("tic_tac_toe"), 64, tmp_path / "data.npz")
    loader = torch.utils.data.DataLoader(
        datasets.load(tmp_path / "data.npz").torch(), batch_size=16
    )
    shapes = {tuple(batch["observation"].shape) for batch in loader}
    assert shapes == {(16, 3, 3, 2)}


def test_files_that_are_no_dataset_are_refused_in_a_sentence(tmp_path):
    (tmp_path / "text.npz").write_text("nothing")
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    for name in ("text.npz", "other.npz", "missing.parquet"):
        with pytest.raises(SpecificationError, match="dataset"):
            datasets.load(tmp_path / name)


def test_several_files_are_read_as_one_dataset_of_all_their_positions(tmp_path):
    game = make_game("tic_tac_toe")
    for number, plies in enumerate((range(3), range(3, 9))):
        build_dataset(game, 30, tmp_path / f"{number}.npz", plies=plies)
    files = [tmp_path / "0.npz", tmp_path / "1.npz"]
    parts = [datasets.load(file) for file in files]
    whole = datasets.load(*files)
    assert len(whole) == sum(map(len, parts))
    for row in range(len(whole)):
        part, index = (parts[0], row) if row < len(parts[0]) else (parts[1], row - len(parts[0]))
        assert whole.position(row).record == part.position(index).record
        assert (whole[row]["action_values"] == part[index]["action_values"]).all()


def test_files_of_other_games_are_not_joined(tmp_path):
    for name in ("tic_tac_toe", "tic_tac_toe:rows=3,cols=2,connect=2"):
        build_dataset(make_game(name), 10, tmp_path / f"{len(name)}.npz")
    first, second = sorted(tmp_path.glob("*.npz"))
    with pytest.raises(SpecificationError, match="cannot be joined: they are of tic_tac_toe"):
        datasets.load(first, second)
