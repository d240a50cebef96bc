"""Options of where games are played, and under which conditions."""

from __future__ import annotations

import json

import pytest
from command_line import plyground


@pytest.mark.thorough
def test_worker_processes_and_limits_are_options_of_a_tournament():
    alone = plyground("tournament tic_tac_toe random greedy --pairs 5 --json --store alone.db")
    together = plyground(
        "tournament tic_tac_toe random greedy --pairs 5 --json --store together.db --concurrency 2 "
        "--move-timeout 60 --memory-limit 4G"
    )
    assert together.exit_code == 0, together.stderr
    scores = [
        [(row["agent"], row["wins"], row["draws"]) for row in json.loads(result.stdout)["agents"]]
        for result in (alone, together)
    ]
    assert scores[0] == scores[1]


@pytest.mark.thorough
def test_an_agent_that_is_withdrawn_is_told_of_and_the_others_play_on():
    result = plyground(
        "tournament tic_tac_toe random greedy python:broken.agents:EndsTheProcess --pairs 2 "
        "--opening random:2 --withdraw-after 2"
    )
    assert result.exit_code == 0
    output = " ".join(result.stderr.split())
    assert (
        "python:broken.agents:EndsTheProcess was withdrawn: its process crashed in 2 games in a "
        "row; 6 of its games are not played" in output
    )
    assert "tic_tac_toe: 6 games" in result.stdout
    again = plyground(
        "tournament tic_tac_toe random greedy python:broken.agents:EndsTheProcess --pairs 2 "
        "--opening random:2 --withdraw-after 2"
    )
    assert "all 6 games of this tournament are already in plyground-tournament.db" in again.stderr


@pytest.mark.thorough
def test_a_match_stops_an_agent_that_hangs():
    result = plyground(
        "match tic_tac_toe random python:broken.agents:HangsInNativeCode --move-timeout 0.3"
    )
    assert result.exit_code == 0
    output = "Ring (python:broken.agents:HangsInNativeCode) hung: no answer after "
    assert output in result.stdout
