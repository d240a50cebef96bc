"""Damaged files of other programs: games, or one sentence that says what is wrong."""

from __future__ import annotations

import random

import pytest
from command_line import done, plyground
from helpers import TESTS, finished_position
from plyground import make_game
from plyground.extras.records.formats import READERS, read_games
from plyground.extras.records.psq import write_psq
from plyground.extras.records.record import Record, RecordError
from plyground.extras.records.sgf import write_sgf
from reference.game_files import random_games, wthor

DIGITS = b"9" * 5000
PIECES = (
    *(b"", b"\0", b"\xff", b"[", b"]", b"(;", b";)", b"(", b")", b"\\", b"\n", b"-1\n"),
    *(b"\xef\xbb\xbf", b"GM[11]", b"BO[8 * *]", b"W[swap-sides]", b"B[pass]", b"RE[B+R]"),
    *(b"RE[+nan]", b"\xe9" * 20, b"[" * 2000, b"(;" * 2000, "１５".encode()),
    *(b"SZ[" + DIGITS + b"]", DIGITS + b",1,0\n"),
)


def whole_files():
    """A file of every format that is read, by its ending."""
    played = finished_position(make_game("gomoku:size=9"), 1)
    record = Record(played.game, played.moves, ("a [b]\\", "c"), played.outcome.winner, True)
    folder = TESTS / "data" / "games"
    return {
        "psq": write_psq(record).encode(),
        "sgf": "".join(write_sgf([record, record])).encode(),
        "hsgf": (folder / "little_golem.hsgf").read_bytes(),
        "ggf": (folder / "ggs.ggf").read_bytes(),
        "wtb": wthor(random_games(2)),
    }


FILES = whole_files()


def damaged(content, rng):
    """The content with one to three pieces changed, left out, doubled or put in."""
    for _ in range(rng.randint(1, 3)):
        start = rng.randrange(len(content) + 1)
        end = min(start + rng.choice((0, 1, 1, 2, 10, 100)), len(content))
        piece = rng.choice(
            (rng.choice(PIECES), rng.randbytes(rng.randint(1, 3)), content[start:end] * 2)
        )
        content = content[:start] + piece + content[end:]
    return content[: rng.randrange(len(content) + 1)] if rng.random() < 0.1 else content


def try_damaged(ending, seeds, path):
    """How many damaged files were read, and the messages of those that were refused."""
    count, messages = 0, set()
    for seed in seeds:
        path.write_bytes(damaged(FILES[ending], random.Random(f"{ending} {seed}")))
        try:
            read_games(path, "freestyle")
            count += 1
        except RecordError as error:
            message = str(error)
            assert message.startswith(str(path)), seed
            assert len(message) < 400 + len(str(path)), seed
            assert message.isprintable(), seed
            messages.add(message)
    return count, messages


def test_every_format_has_a_file():
    assert FILES.keys() == READERS.keys()


@pytest.mark.parametrize("ending", FILES)
def test_a_damaged_file_is_read_or_refused_in_a_sentence(ending, tmp_path):
    path = tmp_path / f"game.{ending}"
    path.write_bytes(FILES[ending])
    assert read_games(path, "freestyle")
    _, messages = try_damaged(ending, range(200), path)
    assert len(messages) > 20


@pytest.mark.slow
@pytest.mark.parametrize("ending", FILES)
def test_no_damage_is_too_much(ending, tmp_path):
    try_damaged(ending, range(200, 5_000), tmp_path / f"game.{ending}")


@pytest.mark.parametrize("ending", FILES)
def test_the_command_takes_a_whole_file_over_once(ending, tmp_path):
    path, store = tmp_path / f"game.{ending.upper()}", tmp_path / "store.db"
    path.write_bytes(FILES[ending])
    first = done(f"import {path} --store {store}")
    assert int(first.stderr.partition(" game")[0]) > 0
    again = plyground(f"import {path} --store {store}")
    assert again.stderr.startswith(f"0 games in {store};")
    assert plyground(f"report {store} --json").exit_code == 0
    assert plyground(f"verify {store}").exit_code == 0
