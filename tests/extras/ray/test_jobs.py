"""Independent jobs on a Ray cluster: the same results, also when a node is lost."""

from __future__ import annotations

import pytest
from plyground import make_game
from plyground.agents.solvers.chunks import solve_chunks
from plyground.envs.specification import SpecificationError
from plyground.envs.workers.errors import RunnerError
from plyground.envs.workers.jobs import JobPlace, Work

ray = pytest.importorskip("ray")


def answer(solver, actions):
    return solver.solve(solver.game.position(actions)).value


def test_an_address_names_the_runner_and_another_has_none():
    assert JobPlace(address="192.0.2.1:1").runner_of() == "ray"
    assert JobPlace(address="192.0.2.1:1").is_elsewhere
    for runner in ("local", "processes"):
        with pytest.raises(SpecificationError, match="only --runner ray has an --address"):
            JobPlace(runner, "192.0.2.1:1").runner_of()


def test_a_cluster_that_is_not_there_is_said_to_be_missing():
    with pytest.raises(RunnerError, match=r"no Ray cluster at 127\.0\.0\.1:1: .*refused"):
        JobPlace("ray", "127.0.0.1:1").open(Work(answer, int))


@pytest.mark.parametrize("error", ["ConnectionError", "AuthenticationError"])
def test_a_cluster_whose_token_is_missing_here_is_refused_in_a_sentence(monkeypatch, error):
    kind = getattr(ray.exceptions, error, ConnectionError)

    def refuse_to_connect(*_, **__):
        raise kind("no token")

    monkeypatch.setattr(ray, "init", refuse_to_connect)
    with pytest.raises(RunnerError, match=r"no Ray cluster at auto: .*token"):
        JobPlace("ray", "auto").open(Work(answer, int))


@pytest.mark.thorough
def test_jobs_on_a_cluster_have_the_same_results_and_survive_the_loss_of_a_node(cluster):
    nodes = [cluster.add() for _ in range(2)]
    game = make_game("connect_four:rows=4,cols=5")
    chunks = [(first, second) for first in range(5) for second in range(5)]
    place, results = JobPlace("ray", cluster.address), []
    for result in solve_chunks(game, answer, chunks, place):
        results.append(result)
        if len(results) == 3:
            cluster.lose(nodes.pop())
    assert sorted(results) == sorted(solve_chunks(game, answer, chunks))
