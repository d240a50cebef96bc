"""Stores on media that are full or cannot be written: real ones, a small file system in memory
mounted for the test.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from command_line import Result, invoke
from plyground.evaluation.plan import Plan
from plyground.evaluation.store.store import Store, StoreError
from plyground.evaluation.tournament import Tournament

PLAN = Plan("connect_four", ("random", "greedy"), pairs=400, seed=3)
COMMAND = ["tournament", PLAN.game, *PLAN.agents, "--pairs", "400", "--seed", "3"]
COMMAND += ["--store", "store.db"]


def mount(*arguments: str) -> bool:
    """Whether mount(8) did what it was asked for."""
    return (
        shutil.which("mount") is not None
        and subprocess.run(["mount", *arguments], check=False, capture_output=True).returncode == 0
    )


@pytest.fixture
def disk(tmp_path):
    """A file system of 128 KiB."""
    if not mount("-t", "tmpfs", "-o", "size=128k", "tmpfs", str(tmp_path)):
        pytest.skip("file systems can be mounted by root on Linux only")
    try:
        yield tmp_path
    finally:
        subprocess.run(["umount", "-l", str(tmp_path)], check=True)


def remount(disk: Path, options: str) -> None:
    assert mount("-o", f"remount,{options}", str(disk))


def plyground(folder: Path, *words: str) -> Result:
    """Run a command as if in that folder."""
    with contextlib.chdir(folder):
        return invoke(list(words))


def records(path: Path) -> list[tuple]:
    """Everything about the games in a store that the seed decides."""
    with Store(path) as store:
        return [(game[:4], *game.result[:5]) for game in store.games(1)]


def expected_records(path: Path) -> list[tuple]:
    with Store(path) as store:
        Tournament(PLAN, store).run()
    return records(path)


@pytest.mark.thorough
def test_a_tournament_that_fills_the_disk_stops_with_a_clear_error_and_goes_on_when_there_is_space(
    disk, tmp_path_factory
):
    result = plyground(disk, *COMMAND)
    assert result.exit_code == 2
    assert "plyground: the store store.db cannot be written: the disk is full" in result.stderr
    assert "free some space and repeat the command to continue" in result.stderr
    assert "Traceback" not in result.stderr
    again = plyground(disk, *COMMAND)
    assert again.exit_code == 2
    assert "the disk is full" in again.stderr
    assert " of them distinct" in plyground(disk, "report", "store.db").stdout
    remount(disk, "size=8m")
    count = records(disk / "store.db")
    assert 0 < len(count) < 2 * PLAN.pairs
    assert plyground(disk, *COMMAND).exit_code == 0
    complete = records(disk / "store.db")
    assert complete[: len(count)] == count
    assert complete == expected_records(tmp_path_factory.mktemp("expected_records") / "store.db")


def test_there_is_no_room_for_a_new_store_on_a_full_disk(disk):
    (disk / "ballast").write_bytes(bytes(os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize))
    result = plyground(disk, *COMMAND)
    assert result.exit_code == 2
    assert "the disk is full" in result.stderr
    remount(disk, "size=8m")
    assert plyground(disk, *COMMAND).exit_code == 0


def test_a_store_on_a_read_only_medium_can_be_reported_and_is_not_played_on(disk):
    remount(disk, "size=8m")
    with Store(disk / "store.db") as store:
        Tournament(PLAN.replace(pairs=3), store).run()
    count = records(disk / "store.db")
    remount(disk, "ro")
    error = plyground(disk, *COMMAND)
    assert error.exit_code == 2
    assert error.stderr.startswith("plyground: the store store.db cannot be written: ")
    assert error.stderr.count("\n") == 1
    assert "Elo" in plyground(disk, "report", "store.db").stdout
    assert plyground(disk, "export", "store.db").stdout.count("\n") == 6
    assert records(disk / "store.db") == count
    remount(disk, "rw")
    assert plyground(disk, *COMMAND).exit_code == 0
    assert records(disk / "store.db")[:6] == count


# -- files of somebody else --

OPEN = """
import os, sys
from plyground.evaluation.store.store import Store, StoreError
Store(sys.argv[1], read_only=True).all_findings()  # what has to be imported, while it can be
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
with Store(sys.argv[1]) as store:
    print(len(store.tournaments()))
    try:
        store.enter_tournament("t", {}, [], 1)
    except StoreError as error:
        print(error)
"""


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="a matter of POSIX")
@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("mode_of_the_folder", [0o555, 0o777])
def test_a_file_of_somebody_else_can_be_read_and_is_refused_for_writing(mode_of_the_folder):
    with tempfile.TemporaryDirectory() as name:  # not tmp_path, which is hidden from others
        folder = Path(name)
        path = folder / "store.db"
        Store(path).open().close()
        path.chmod(0o444)
        folder.chmod(mode_of_the_folder)
        ran = subprocess.run(
            [sys.executable, "-c", OPEN, str(path)], check=False, capture_output=True, text=True
        )
        folder.chmod(0o700)
    assert ran.returncode == 0, ran.stderr
    count, refusal = ran.stdout.splitlines()
    assert count == "0"
    assert f"the store {path} cannot be written: it is read-only" in refusal


# -- a file that is lost while it is in use --


def lose(path: Path, how: str) -> None:
    if how == "removed":
        path.unlink()
    elif how == "renamed":
        path.rename(path.with_name("elsewhere.db"))
    elif how == "replaced":
        path.rename(path.with_name("elsewhere.db"))
        path.write_bytes(b"")
    else:
        os.truncate(path, 0)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("removed", "was removed or renamed while it was in use"),
        ("renamed", "was removed or renamed while it was in use"),
        ("replaced", "was replaced by another file while it was in use"),
        ("truncated", "was (truncated|damaged) while it was in use|cannot be written: .*malformed"),
    ],
)
@pytest.mark.parametrize("after", [3, 6], ids=["half way", "after the last game"])
def test_a_store_that_is_lost_during_a_run_is_noticed(how, message, after, tmp_path):
    path = tmp_path / "store.db"
    numbers = []

    def note(game) -> None:
        numbers.append(game)
        if len(numbers) == after:
            lose(path, how)

    with Store(path) as store, pytest.raises(StoreError, match=message):
        Tournament(PLAN.replace(game="tic_tac_toe", pairs=3), store).run(note)
    copy = path.with_name("store.db.saved")
    if how != "truncated":
        with Store(copy) as store:
            count = len(store.game_keys(1))
        assert count == min(after + 1, 6)
