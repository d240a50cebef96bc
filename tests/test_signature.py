"""The search agents visit the nodes that benchmarks/signature.toml says: nothing changes what is
searched without being noticed.
"""

from __future__ import annotations

import pytest
from helpers import script

signature = script("benchmarks/signature.py")


@pytest.mark.parametrize(("game", "agent"), signature.all_lines())
def test_the_signature_is_the_one_stored(game, agent):
    measurement, expected = signature.measure(game, agent), signature.read().get((game, agent))
    assert measurement == expected, (
        "if that is meant: python benchmarks/signature.py --write, and say so in the changelog"
    )


def test_nothing_is_stored_that_is_not_measured():
    assert set(signature.read()) == set(signature.all_lines())


def test_a_signature_that_has_moved_ends_with_status_1(tmp_path, monkeypatch, capsys):
    path = tmp_path / "signature.toml"
    monkeypatch.setattr(
        signature, "WORK", {"tic_tac_toe": (("", "b2"), ("minimax:depth=2", "alphabeta:depth=3"))}
    )
    assert signature.main([], path) == 1  # nothing is stored yet
    assert signature.main(["--write"], path) == 0
    assert signature.main([], path) == 0
    for before, after in (
        ("minimax:depth=2", "minimax:depth=1"),
        ('"greedy" = "', '"greedy" = "0'),
    ):
        text = path.read_text()
        path.write_text(text.replace(before, after))
        assert signature.main([], path) == 1
        assert "the signature has moved" in capsys.readouterr().err
        path.write_text(text)
