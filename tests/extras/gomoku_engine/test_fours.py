"""Wins by continuous fours of the benchmark's set: the engine finds them at once."""

from __future__ import annotations

import pytest
from helpers import script

pytestmark = pytest.mark.thorough

fours = script("benchmarks/extras/gomoku_engine/fours.py")
POSITIONS = fours.read()


def test_the_set_holds_two_hundred_positions():
    assert len({tuple(sorted(stones)) for _, stones in POSITIONS}) == 200
    assert {rule for rule, _ in POSITIONS} == set(fours.SHARES)


@pytest.mark.parametrize(("rule", "stones"), POSITIONS[::20])
def test_the_engine_and_the_plain_search_find_the_win(rule, stones):
    position = fours.position_of(rule, stones)
    board = position.record.cells[: fours.SIZE**2]
    assert fours.plain_win(board, position.to_move, rule, nodes=300)
    won, _ = fours.search_time(rule, stones, seconds=1)
    assert won


@pytest.mark.parametrize("rule", list(fours.SHARES))
def test_the_plain_search_finds_no_win_on_a_board_without_fours(rule):
    position = fours.position_of(rule, ["h8", "i9", "h9", "j10"])
    board = position.record.cells[: fours.SIZE**2]
    assert not fours.plain_win(board, position.to_move, rule, nodes=300)
