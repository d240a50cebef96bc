"""A damaged cache of machine code costs time and no game.

The ways to damage it are those of benchmarks/attacks.py, which damages the other kinds of files
too; in the tests tests/commands/test_damaged_files.py does so.
"""

from __future__ import annotations

import importlib.util
import sys

import numba
import pytest
from helpers import ROOT

SPEC = importlib.util.spec_from_file_location("attacks", ROOT / "benchmarks" / "attacks.py")
attacks = sys.modules["attacks"] = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(attacks)


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """Nothing but the machine code of a game and two agents."""
    folder = tmp_path_factory.mktemp("warm")
    assert attacks.run_apart(attacks.PLAY, folder)[0] == 0
    (folder / "games.db").unlink()
    return folder


@pytest.mark.slow
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="about compiled code")
@pytest.mark.parametrize("way", attacks.CACHE_WAYS, ids=lambda way: way.what)
def test_a_damaged_cache_costs_time_and_no_game(way, warm, tmp_path):
    assert attacks.apply(way, warm, tmp_path / "copy") is None
