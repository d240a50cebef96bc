"""Commands print on terminals and pipes of any encoding."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.thorough

REFUSALS = "solve connect_four:rows=99"
COMMANDS = (
    "solve connect_four:rows=4,cols=4",
    REFUSALS,
    "games",
    "games --json",
    "agents alphabeta",
    "size connect_four",
    "match tic_tac_toe greedy random --show",
    "analyse dots_and_boxes --agent greedy --all",
    "tournament tic_tac_toe random greedy --pairs 2",
    "quality tic_tac_toe random --positions 5",
    "tournament --help",
)
# One process runs all commands: starting Python takes longer than most of them.
RUN_ALL = """
import sys
from plyground.commands.app import run
for command in sys.argv[1:]:
    run(command.split())
    for stream in (sys.stdout, sys.stderr):
        print(end="\\f", file=stream, flush=True)
"""


@pytest.fixture(scope="module", params=["cp1252", "ascii", "utf-8"])
def encoding(request):
    return request.param


@pytest.fixture(scope="module")
def outputs(encoding, tmp_path_factory):
    """What each command writes where Python's encoding is another: output and errors."""
    process = subprocess.run(
        [sys.executable, "-c", RUN_ALL, *COMMANDS],
        env=os.environ | {"PYTHONIOENCODING": encoding, "COLUMNS": "80", "NO_COLOR": "1"},
        cwd=tmp_path_factory.mktemp(encoding),
        capture_output=True,
        check=True,
    )
    texts = [stream.decode(encoding).split("\f") for stream in (process.stdout, process.stderr)]
    assert [len(text) for text in texts] == [len(COMMANDS) + 1] * 2
    return dict(zip(COMMANDS, zip(*texts)))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_encoding_gets_the_whole_text(command, outputs):
    output, errors = outputs[command]
    assert "Traceback" not in errors
    assert "?" not in output + errors, "a character is not transliterated"
    assert errors.startswith("plyground: ") if command == REFUSALS else output


def test_minus_and_multiplication_signs_become_plain_characters(outputs, encoding):
    unicode = encoding == "utf-8"
    board = "an nxn board" if encoding == "ascii" else "an n×n board"
    assert board in outputs["games"][0]
    loss = "−k: loses" if unicode else "-k: loses"
    assert loss in outputs["solve connect_four:rows=4,cols=4"][0]


def test_json_loses_no_character_in_any_encoding(outputs):
    text = outputs["games --json"][0]
    assert "n×n" in json.dumps(json.loads(text), ensure_ascii=False)
