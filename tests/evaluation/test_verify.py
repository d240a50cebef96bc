"""Agents that are not repeatable are found out, and break nothing."""

from __future__ import annotations

from command_line import invoke
from helpers import run
from plyground.evaluation.store.store import Store
from plyground.evaluation.tournament import Plan
from plyground.evaluation.verify import verify

SUSPECT = "python:broken.agents:IsNotRepeatable"


def test_an_agent_that_ignores_its_seed_is_named_and_nobody_else(tmp_path):
    path = tmp_path / "store.db"
    games = run(
        Plan("connect_four", ("random", SUSPECT, "greedy"), pairs=2), path, isolation="never"
    )
    assert all(game.result.fault is None for game in games)
    with Store(path) as store:
        played, deviations = verify(store.tournaments()[0], store, 100, "never")
    assert played == len(games) == 12
    assert {deviation.agent for deviation in deviations} == {1}
    assert all(1 in deviation.game.players for deviation in deviations)
    assert len(deviations) >= 7  # of the 8 games it plays in


def test_repeatable_agents_are_said_to_be_so(tmp_path):
    path = tmp_path / "store.db"
    run(Plan("tic_tac_toe", ("random", "greedy"), pairs=3), path)
    result = invoke(["verify", str(path), "--games", "5"])
    assert result.exit_code == 0
    assert "5 of 5 games went the same way again" in result.stdout


def test_the_command_names_the_agent_and_ends_with_status_1(tmp_path):
    path = tmp_path / "store.db"
    run(Plan("connect_four", ("random", SUSPECT), pairs=2), path, isolation="never")
    result = invoke(["verify", str(path), "--isolate", "never"])
    assert result.exit_code == 1
    assert f"{SUSPECT} left the recorded moves in" in result.stdout
