"""Commands run in a folder of their own, on a plain terminal of 80 columns."""

from __future__ import annotations

import contextlib
import shutil

import pytest
from command_line import invoke
from fuzzing.sound_files import training


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.fixture(scope="session")
def _finished_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    with contextlib.chdir(folder):
        assert invoke(training("ppo", "run")).exit_code == 0
    return folder / "run"


@pytest.fixture
def ppo_run(_finished_run, tmp_path):
    """The folder of a finished run of PPO at tic-tac-toe; it may be written to."""
    return shutil.copytree(_finished_run, tmp_path / "run")
