"""Where AlphaZero's self-play takes place: processes, and a real Ray cluster of several nodes."""

from __future__ import annotations

import os

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_DISABLE_IMPORT_WARNING"] = "1"

import pickle

import pytest
import torch
from plyground import make_game
from plyground.envs.specification import SpecificationError
from plyground.training.alphazero import workers
from plyground.training.alphazero.settings import AlphaZeroSettings
from plyground.training.alphazero.trainer import train
from plyground.training.alphazero.workers import Place
from plyground.training.folder import TrainingError

ray = pytest.importorskip("ray")
cluster_utils = pytest.importorskip("ray.cluster_utils")

CPU = torch.device("cpu")
GAME = make_game("tic_tac_toe")
MEMORY = 80 << 20  # of Ray's object store, in bytes
QUICK = (
    "hours=0", "steps=3000", "games=16", "simulations_per_update=3000", "simulations=12",
    "first_simulations=8", "fast_simulations=4", "batch_size=64", "units=32", "hidden=8",
    "cache=1", "evaluate=none", "judged=0", "evaluations=2", "window_smallest=500", "workers=3",
)  # fmt: skip


def have_equal_weights(one, other):
    ours, theirs = one.trainer.learner.weights(), other.trainer.learner.weights()
    return all(torch.equal(ours[name], theirs[name]) for name in ours)


def test_a_run_ends_with_the_same_weights_wherever_its_chunks_are_played(tmp_path):
    options = AlphaZeroSettings.for_game(GAME, {}, (*QUICK, "steps=1500"))
    places = (Place("local"), Place("processes", concurrency=2), Place())
    runs = [
        train(GAME, options, 3, tmp_path / str(number), {}, CPU, place)
        for number, place in enumerate(places)
    ]
    for other in runs[1:]:
        assert have_equal_weights(other, runs[0])


def test_a_place_that_does_not_exist_is_refused():
    options = AlphaZeroSettings.for_game(GAME, {}, QUICK)
    for place, complaint in (
        (Place("cloud"), "no runner 'cloud' \\(local, processes, ray\\)"),
        (Place("local", address="192.0.2.1:1"), "only --runner ray has an --address"),
    ):
        with pytest.raises(SpecificationError, match=complaint):
            place.open(GAME, options, CPU)


@pytest.mark.thorough
def test_a_run_on_a_cluster_ends_with_the_weights_of_one_machine_also_when_nodes_are_lost(tmp_path):
    options = AlphaZeroSettings.for_game(GAME, {}, QUICK)
    local = train(GAME, options, 3, tmp_path / "local", {}, CPU, Place("local"))
    cluster = cluster_utils.Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 0, "include_dashboard": False, "object_store_memory": MEMORY},
    )
    nodes = [cluster.add_node(num_cpus=1, object_store_memory=MEMORY) for _ in range(2)]
    updates = []

    def lose_a_node(progress):
        updates.append(progress.values)
        if len(updates) in (2, 5):
            cluster.remove_node(nodes.pop(0), allow_graceful=False)
            nodes.append(cluster.add_node(num_cpus=1, object_store_memory=MEMORY))

    try:
        place = Place("ray", cluster.address)
        away = train(GAME, options, 3, tmp_path / "ray", {}, CPU, place, on_progress=lose_a_node)
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert len(updates) > 5
    assert all(values["self_play/network_bytes"] > 0 for values in updates)
    assert have_equal_weights(local, away)


def test_a_cluster_that_is_not_there_is_said_to_be_missing():
    options = AlphaZeroSettings.for_game(GAME, {}, QUICK)
    with pytest.raises(
        TrainingError, match=r"no Ray cluster to work on at 127\.0\.0\.1:1: .*refused"
    ):
        Place("ray", "127.0.0.1:1").open(GAME, options, CPU)


def test_a_worker_of_another_version_is_refused_by_name():
    options = AlphaZeroSettings.for_game(GAME, {}, QUICK)
    versions = workers._versions() | {"torch": "1.0"}
    run = pickle.dumps((type(GAME.rules).__module__, "", GAME.spec, options, versions))
    with pytest.raises(SpecificationError, match=r"another version of torch \(.*\(1\.0\)"):
        workers._play_on_cluster(run, b"", b"")
