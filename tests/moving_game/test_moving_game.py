"""A game in which pieces move and capture is added by the recipe, and no test is edited for it.

The tests that take their games from the registry run in a copy of the repository that has the game:
those of rules, environments, agents, tournaments and pages.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from moving_game.checkout import make_checkout

FOLDERS = ("tests/envs", "tests/agents", "tests/evaluation", "tests/web", "tests/commands")


@pytest.mark.thorough
def test_the_tests_of_all_games_pass_for_a_game_of_moving_pieces(tmp_path):
    checkout = make_checkout(tmp_path)
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "breakthrough", *FOLDERS]
    result = subprocess.run(
        [sys.executable, *command],
        cwd=checkout,
        env=os.environ | {"PYTHONPATH": str(checkout / "build")},
        capture_output=True,
        text=True,
        check=False,
    )
    summary = result.stdout.splitlines()[-1]
    assert result.returncode == 0, result.stdout[-3000:]
    assert int(re.search(r"(\d+) passed", summary)[1]) >= len(FOLDERS)
