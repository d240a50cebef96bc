"""Names of agents in the tables of narrow terminals."""

from __future__ import annotations

import io
import re

import pytest
from command_line import invoke
from plyground.evaluation.report.display import Name
from rich.console import Console

LONG = "mcts:network=zoo:connect_four_large,simulations=200"


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (60, [LONG]),
        (40, ["mcts:network=zoo:connect_four_large,", "simulations=200"]),
        (20, ["mcts:network=zoo:", "connect_four_large,", "simulations=200"]),
        (14, ["mcts:", "network=zoo:", "connect_four_", "large,", "simulations=", "200"]),
        (
            8,
            ["mcts:", "network=", "zoo:", "connect_", "four_", "large,", "simulati", "ons=", "200"],
        ),
    ],
)
def test_a_name_is_broken_behind_its_punctuation(width, lines):
    console = Console(file=io.StringIO(), width=width)
    assert [line.plain for line in Name(LONG).wrap(console, width)] == lines


@pytest.mark.parametrize("width", [60, 80])
def test_no_table_of_a_report_breaks_a_word(tmp_path, width):
    store = str(tmp_path / "games.db")
    agents = ("random", "alphabeta:depth=2,scout=no", "mcts:simulations=20,playout=uniform")
    played = invoke(
        ["tournament", "tic_tac_toe", *agents, "--pairs", "1", "--store", store], COLUMNS=str(width)
    )
    shown = invoke(["report", store], COLUMNS=str(width)).stdout
    for output in (played.stdout, shown, invoke(["replay", store], COLUMNS=str(width)).stdout):
        for agent in agents:
            assert all(word in output for word in re.split("[:,=]", agent)), output
        for line in output.splitlines():
            assert len(line.rstrip()) <= width, line
