"""AlphaZero's self-play on a Ray cluster: the same weights, and shares of the GPUs."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from plyground.envs.workers.jobs import JobPlace
from plyground.training.alphazero.learner import AlphaZeroLearner
from plyground.training.alphazero.train import train
from plyground.training.alphazero.workers import JobWorkers, SelfPlayTask
from self_play.runs import CPU, GAME, have_equal_weights, settings

ray = pytest.importorskip("ray")
cluster_utils = pytest.importorskip("ray.cluster_utils")


@pytest.mark.thorough
def test_a_run_on_a_cluster_ends_with_the_weights_of_one_machine_also_when_nodes_are_lost(
    cluster, tmp_path
):
    options = settings("workers=3")
    local = train(GAME, options, 3, tmp_path / "local", {}, CPU, JobPlace("local"))
    nodes = [cluster.add() for _ in range(2)]
    updates = []

    def lose_a_node(progress):
        updates.append(progress.values)
        if len(updates) in (2, 5):
            cluster.lose(nodes.pop(0))
            nodes.append(cluster.add())

    place = JobPlace("ray", cluster.address)
    away = train(GAME, options, 3, tmp_path / "ray", {}, CPU, place, on_progress=lose_a_node)
    assert len(updates) > 5
    assert all(values["self_play/network_bytes"] > 0 for values in updates)
    assert have_equal_weights(local, away)


@pytest.mark.thorough
def test_a_chunk_takes_its_share_of_the_gpus_of_a_cluster():
    cluster = cluster_utils.Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 2, "num_gpus": 1, "include_dashboard": False},
    )
    options = settings("workers=3")
    weights = AlphaZeroLearner(GAME, options, 1, CPU).weights()
    tasks = [SelfPlayTask(seed, {}, 0.0, 500) for seed in range(2)]
    parts = []
    try:
        # the node says that it has a GPU; torch finds none there, and the processor plays
        for device, place in (
            (CPU, JobPlace("local")),
            (torch.device("cuda"), JobPlace("ray", cluster.address)),
        ):
            workers = JobWorkers(GAME, options, device, place)
            if place.runner == "ray":
                assert workers._jobs._gpus == 0.5
            workers.begin(weights, tasks)
            parts.append(workers.finish())
            workers.close()
    finally:
        ray.shutdown()
        cluster.shutdown()
    for ours, theirs in zip(*parts, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(ours.chunk, theirs.chunk))
