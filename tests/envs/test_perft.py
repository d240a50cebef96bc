"""Perft: the compiled rules count as many move sequences as the tables say, which other programs or
the plain-Python rules made.
"""

from __future__ import annotations

import tomllib

import pytest
from helpers import DATA, cached_by_position
from plyground import make_game
from plyground.envs.conformance.perft import perft
from plyground.envs.registry import BUILT_IN

FILES = DATA / "perft"
CASES = [
    case
    for file in sorted(FILES.glob("*.toml"))
    for case in tomllib.loads(file.read_text(encoding="utf-8"))["case"]
]


def at_depth(case, depth):
    """One count of a case; those beyond its ``suite_depth`` are slow."""
    marks = [pytest.mark.slow] if depth > case.get("suite_depth", depth) else []
    return pytest.param(case, depth, id=f"{case['game']}-{depth}", marks=marks)


@pytest.mark.parametrize(
    ("case", "depth"),
    [at_depth(case, depth) for case in CASES for depth in range(len(case["counts"]))],
)
def test_move_sequences_are_as_many_as_the_table_says(case, depth):
    assert perft(make_game(case["game"]).initial_position(), depth) == case["counts"][depth]


@pytest.mark.parametrize("rules_type", BUILT_IN, ids=lambda rules_type: rules_type.declaration.name)
def test_every_game_has_a_table(rules_type):
    name = rules_type.declaration.name
    assert [case for case in CASES if case["game"].partition(":")[0] == name], (
        f"tests/data/perft/{name}.toml is missing"
    )


@cached_by_position
def size_of_tree(position):
    """(games, nodes) below a position; equal positions are counted by one look at them."""
    if position.is_over:
        return 1, 1
    below = [size_of_tree(position.after(action)) for action in position.legal_actions()]
    return sum(games for games, _ in below), 1 + sum(nodes for _, nodes in below)


def test_tic_tac_toe_has_5478_positions_255168_games_and_549946_nodes():
    """The games as in Henry Bottomley, "How many Tic-Tac-Toe (noughts and crosses) games are
    possible?", 2001.
    """
    size_of_tree.results.clear()
    games, nodes = size_of_tree(make_game("tic_tac_toe").initial_position())
    assert (len(size_of_tree.results), games, nodes) == (5478, 255168, 549946)


def test_perft_goes_on_from_any_position_and_leaves_it_as_it_was():
    position = make_game("connect_four").position(["d", "d", "e"])
    before = position.copy()
    assert perft(position, 4) == sum(
        perft(position.after(action), 3) for action in position.legal_actions()
    )
    assert position == before


def test_a_negative_depth_is_refused():
    with pytest.raises(ValueError, match="0 or more, not -1"):
        perft(make_game("tic_tac_toe").initial_position(), -1)
