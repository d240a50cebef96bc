"""One agent plays policy files and runs; its other names mean the same player everywhere."""

from __future__ import annotations

import pytest
from command_line import invoke
from helpers import run
from networks import write_network
from plyground.agents.effects import effects_of
from plyground.agents.opponents import make_opponents
from plyground.agents.registry import POLICY_ALIASES, make_agent, register_agent
from plyground.evaluation.plan import Plan
from plyground.evaluation.store.store import Store

GAME = "tic_tac_toe"


@pytest.fixture
def network(tmp_path):
    return write_network(tmp_path / "best.onnx", GAME)


def test_a_file_and_its_run_are_played_under_every_name(network):
    for name in ("policy", *POLICY_ALIASES):
        for path in (network, network.parent):
            agent = make_agent(f"{name}:{path},temperature=1", GAME)
            assert agent.spec == f"policy:{path},temperature=1"
            assert agent.version.endswith(f", policy {agent.network.version[:12]}")
            assert effects_of(f"{name}:{path}") == ("opens a file",)
            opponents = make_opponents(f"mix:0.5 random,0.5 {name}:{path}", agent.bound_game)
            assert str(opponents[1].player) == f"policy:{path}"
    assert str(make_agent("policy:zoo:tic_tac_toe", GAME).network.source) == "zoo:tic_tac_toe"


def test_a_stored_tournament_goes_on_under_another_name(network, tmp_path):
    for pairs, name in enumerate(("onnx", "policy", *POLICY_ALIASES), 1):
        games = run(Plan(GAME, (f"{name}:{network}", "random"), pairs), tmp_path / "store.db")
        assert len(games) == 2 * pairs
    with Store(tmp_path / "store.db") as store:
        (tournament,) = store.tournaments()
        assert [each.label for each in tournament.agents] == [f"onnx:{network}", "random"]
        assert store.all_findings() == []


@pytest.mark.parametrize("name", POLICY_ALIASES)
def test_other_names_are_known_and_taken(name):
    assert invoke(["agents", name]).stdout == invoke(["agents", "policy"]).stdout
    assert f"'{name}' exists already" in invoke(["new", "agent", name]).stderr
    with pytest.raises(ValueError, match=f"an agent named '{name}' is registered already"):
        register_agent(name)(type("Other", (type(make_agent("random")),), {}))
