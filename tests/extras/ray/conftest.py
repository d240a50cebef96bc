"""A real Ray cluster of several nodes on this machine."""

from __future__ import annotations

import os

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_DISABLE_IMPORT_WARNING"] = "1"

import functools

import pytest

MEMORY = 80 << 20  # of Ray's object store, in bytes; games need next to none


@pytest.fixture
def cluster():
    """A head node that does no jobs; ``add()`` adds a node that does one job at a time."""
    ray = pytest.importorskip("ray")
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    cluster = cluster_utils.Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 0, "include_dashboard": False, "object_store_memory": MEMORY},
    )
    cluster.add = functools.partial(cluster.add_node, num_cpus=1, object_store_memory=MEMORY)
    cluster.lose = functools.partial(cluster.remove_node, allow_graceful=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()
