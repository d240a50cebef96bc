"""Damaged files of every kind: an answer or one sentence, and no file is lost.

``cd tests && python -m fuzzing.damaged_files 10000`` tries many more. The machine code in the cache
is damaged in the ways of benchmarks/stores/attacks.py, which damages the other kinds of files too.
"""

from __future__ import annotations

import numba
import pytest
from command_line import done
from fuzzing.damaged_files import KINDS, FilePlayground
from fuzzing.sound_files import READERS, SETTINGS, copy_sound
from helpers import script
from plyground.training import api

pytestmark = pytest.mark.thorough

attacks = script("benchmarks/stores/attacks.py")

# numbers of cases in which something was found once
FAULTS = (256,)
# kinds whose sound files are made without training
QUICK = ("parts of a dataset", "book", "TOML", "card", "proof")


@pytest.fixture(scope="module")
def playground(tmp_path_factory):
    return FilePlayground(tmp_path_factory.mktemp("damaged"))


def test_runs_of_every_algorithm_are_damaged():
    assert SETTINGS.keys() >= {*api.SETTINGS}


@pytest.mark.parametrize(("names", "words"), READERS, ids=lambda each: " ".join(each[:2]))
def test_sound_files_are_read(names, words, playground, tmp_path, monkeypatch):
    """Who refuses everything would pass the other tests."""
    copy_sound(playground.sound, tmp_path, *names)
    monkeypatch.chdir(tmp_path)
    result = done(*words)
    assert "starting from the beginning" not in result.stderr


def complaints(playground, kind: str, count: int) -> list[str]:
    """What is wrong with so many cases of a kind of file."""
    numbers = range(KINDS.index(kind), count * len(KINDS), len(KINDS))
    return [f"{each}: {wrong}" for each in numbers if (wrong := playground.complaint(each))]


@pytest.mark.parametrize("kind", QUICK)
def test_a_damaged_file_is_refused_in_one_sentence_and_nothing_is_lost(kind, playground):
    assert complaints(playground, kind, 4) == []


@pytest.mark.parametrize("number", FAULTS)
def test_a_case_that_found_something_once_finds_nothing_now(number, playground):
    assert playground.complaint(number) is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_damaged_in_many_ways_is_refused_in_one_sentence(kind, playground):
    assert complaints(playground, kind, 20) == []


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
