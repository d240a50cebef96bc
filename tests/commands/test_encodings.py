"""Commands print on terminals and pipes of any encoding."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

COMMANDS = (
    "solve connect_four:rows=4,cols=4",
    "solve connect_four:rows=99",
    "games",
    "agents alphabeta",
    "size connect_four",
    "match tic_tac_toe greedy random --show",
    "analyse dots_and_boxes --agent greedy --all",
    "tournament tic_tac_toe random greedy --pairs 2",
    "quality tic_tac_toe random --positions 5",
    "tournament --help",
)


def printed(command, encoding, folder):
    """What a command writes where Python's encoding is another, and what it writes to standard
    error.
    """
    done = subprocess.run(
        [sys.executable, "-m", "plyground.cli", *command.split()],
        env=os.environ | {"PYTHONIOENCODING": encoding, "COLUMNS": "80", "NO_COLOR": "1"},
        cwd=folder,
        capture_output=True,
        check=False,
    )
    return done.stdout.decode(encoding), done.stderr.decode(encoding)


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8"])
@pytest.mark.parametrize("command", COMMANDS)
def test_every_encoding_gets_the_whole_text(command, encoding, tmp_path):
    output, errors = printed(command, encoding, tmp_path)
    assert "Traceback" not in errors
    assert "?" not in output + errors, "a character is not transliterated"
    assert output or errors.startswith("plyground: ")


def test_minus_and_multiplication_signs_become_plain_characters(tmp_path):
    assert "an nxn board" in printed("games", "ascii", tmp_path)[0]
    assert "-k: loses" in printed("solve connect_four:rows=4,cols=4", "cp1252", tmp_path)[0]
    assert "−k: loses" in printed("solve connect_four:rows=4,cols=4", "utf-8", tmp_path)[0]


def test_json_says_the_same_in_every_encoding(tmp_path):
    texts = [printed("games --json", encoding, tmp_path)[0] for encoding in ("ascii", "utf-8")]
    assert json.loads(texts[0]) == json.loads(texts[1])
    assert "n×n" in texts[1]
