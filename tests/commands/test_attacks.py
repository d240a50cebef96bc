"""Damaged files are healed or refused in a sentence that names them, and nobody forfeits.

The ways to damage them are those of benchmarks/attacks.py, which runs them all.
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

OF_RUNS = [way for way in attacks.WAYS if way.files.startswith("run/")]
OTHERS = [way for way in attacks.WAYS if way not in OF_RUNS and "supervised" not in way.words]
LEARNT = [way for way in attacks.WAYS if way not in OTHERS]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A store and a book."""
    folder = tmp_path_factory.mktemp("files")
    attacks.make(folder, [words for words in attacks.MAKE if words.startswith(("tour", "book"))])
    return folder


@pytest.fixture(scope="module")
def all_files(tmp_path_factory):
    """A run and a dataset too."""
    pytest.importorskip("sb3_contrib")
    folder = tmp_path_factory.mktemp("all")
    attacks.make(folder)
    return folder


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """Nothing but the machine code of a game and two agents."""
    folder = tmp_path_factory.mktemp("warm")
    assert attacks.run_apart(attacks.PLAY, folder)[0] == 0
    (folder / "games.db").unlink()
    return folder


@pytest.mark.parametrize("way", OTHERS, ids=lambda way: way.what)
def test_a_damaged_store_or_book_is_refused_by_its_name(way, files, tmp_path):
    assert attacks.apply(way, files, tmp_path / "copy") is None


@pytest.mark.thorough
@pytest.mark.parametrize("way", LEARNT, ids=lambda way: way.what)
def test_a_damaged_run_policy_or_dataset_is_healed_or_refused(way, all_files, tmp_path):
    assert attacks.apply(way, all_files, tmp_path / "copy") is None


@pytest.mark.slow
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="about compiled code")
@pytest.mark.parametrize("way", attacks.CACHE_WAYS, ids=lambda way: way.what)
def test_a_damaged_cache_costs_time_and_no_game(way, warm, tmp_path):
    assert attacks.apply(way, warm, tmp_path / "copy") is None
