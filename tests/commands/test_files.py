"""Files are written completely or not at all, and nothing but a regular file is ever replaced."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest
from command_line import refused
from plyground.envs.loading.files import written_whole


def write(path, content=b"new"):
    with written_whole(path) as stream:
        stream.write(content)


def test_a_file_that_fails_half_way_leaves_what_was_there(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail():
        with written_whole(path) as stream:
            stream.write(b"ne")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail()
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_a_link_stays_a_link_and_its_target_is_written(tmp_path):
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "target", tmp_path / "link"
    link.symlink_to(target)
    write(link, b"first")
    target.chmod(0o640)
    write(link, b"second")
    assert link.is_symlink()
    assert target.read_bytes() == b"second"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_pipe_and_a_device_are_written_into(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write(pipe)
    reader.join(10)
    assert read == [b"new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    link = tmp_path / "null"
    link.symlink_to(os.devnull)
    write(link)
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_a_new_file_has_the_permissions_of_any_other(tmp_path):
    (tmp_path / "plain").write_bytes(b"")
    write(tmp_path / "whole")
    assert (tmp_path / "whole").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_long_name_that_fits_can_be_written(tmp_path):
    write(tmp_path / ("x" * 250))
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("place", ["", "/", ".", "missing/file", "x" * 300])
def test_a_place_that_cannot_hold_a_file_is_refused_in_a_sentence(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused("book", "tic_tac_toe", "--agent", "random", "--plies", "1", "--out", place)


@pytest.mark.parametrize("words", [["tournament", "tic_tac_toe", "random", "greedy"], ["report"]])
def test_a_store_is_a_regular_file(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    for place in ("pipe", os.devnull, "/", ""):
        option = ["--store"] if words[0] == "tournament" else []
        said = refused(*words, *option, place)
        assert "cannot be a store" in said or "is a folder" in said
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
