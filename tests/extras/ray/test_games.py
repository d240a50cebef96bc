"""Games on a real Ray cluster of several nodes on this machine, also when a node is lost."""

from __future__ import annotations

import pytest
from helpers import BREAKING, count_games, play, records, run
from plyground.envs.workers.jobs import JobPlace
from plyground.evaluation.plan import Plan
from plyground.evaluation.runners.contest import Contest

ray = pytest.importorskip("ray")


# An agent that moves only when games are played on two nodes.
MEETING = """
import os, time
from pathlib import Path


class Meeting:
    def act(self, position):
        node = os.environ.get("RAY_RAYLET_PID")  # Ray sets it for what a node runs
        if node:
            nodes = Path(__file__).with_name("nodes")
            (nodes / node).touch()
            while len(list(nodes.iterdir())) < 2:
                time.sleep(0.01)
        return position.legal_actions()[0]
"""


@pytest.mark.thorough
def test_a_cluster_plays_the_same_games_also_when_a_node_is_lost(cluster, tmp_path, monkeypatch):
    (tmp_path / "meeting.py").write_text(MEETING)
    nodes = tmp_path / "nodes"
    nodes.mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    agents = "random", "python:meeting:Meeting", "alphabeta:depth=3"
    plan = Plan("tic_tac_toe", agents, pairs=60)
    cluster.add()
    second_node = cluster.add()
    lost = []

    def lose_a_node(game):
        """As soon as both nodes play."""
        if not lost and len(list(nodes.iterdir())) == 2:
            cluster.lose(second_node)
            lost.append(game.pair)

    with_ray = play(plan, tmp_path / "ray.db", JobPlace("ray", cluster.address), lose_a_node)
    assert with_ray == records(run(plan, tmp_path / "local.db"))
    assert lost
    assert lost[0] < 59
    assert not ray.is_initialized()


@pytest.mark.thorough
def test_an_error_in_an_agent_of_plyground_ends_the_run_and_nothing_is_stored(
    cluster, tmp_path, monkeypatch
):
    cluster.add()
    (tmp_path / "breaking.py").write_text(BREAKING)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Contest, "modules", ("breaking",))
    plan = Plan("tic_tac_toe", ("random", "greedy"), pairs=2)
    with pytest.raises(OSError, match="No space left on device: '/full'"):
        play(plan, tmp_path / "store.db", JobPlace("ray", cluster.address))
    assert count_games(tmp_path / "store.db") == 0
