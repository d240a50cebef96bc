"""Training where torch is not installed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from plyground.training.api import SETTINGS

WITHOUT = "import sys; sys.modules['torch'] = None; from plyground import cli; cli.main()"
COMMANDS = [f"train {name} hex:size=3 --out run" for name in SETTINGS]
COMMANDS += ["tune ppo hex:size=3 --out run --set epochs=1|2 --evaluate random"]


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_that_trains_says_what_to_install(words, tmp_path):
    more = ["--data", "data.npz"] if "supervised" in words else []
    result = subprocess.run(
        [sys.executable, "-c", WITHOUT, *words.split(), *more],
        capture_output=True, text=True, cwd=tmp_path, env=dict(os.environ), check=False,
    )  # fmt: skip
    assert result.stderr == 'plyground: training needs torch: pip install "plyground[train]"\n'
    assert result.returncode == 2
    assert list(tmp_path.iterdir()) == []
