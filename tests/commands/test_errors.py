"""Whatever a user writes: one clear sentence with status 2, never a trace."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import onnx
import pytest
from command_line import done, invoke, refused
from networks import write_network
from plyground import make_agent, make_game
from plyground.agents.book_writer import write_book
from plyground.commands import app as application
from plyground.commands.output import print_json
from plyground.envs.specification import plain_text


def test_a_bad_environment_variable_is_refused_where_it_is_used(monkeypatch):
    monkeypatch.setenv("PLYGROUND_CHECKPOINT_SECONDS", "abc")
    assert invoke(["games"]).exit_code == 0
    words = ["train", "ppo", "tic_tac_toe", "--steps", "100", "--out", "run"]
    assert "PLYGROUND_CHECKPOINT_SECONDS must be a number of at least 0" in refused(*words)


def test_a_network_whose_metadata_are_no_text_is_refused(tmp_path):
    path = write_network(tmp_path / "network.onnx", "tic_tac_toe")
    model = onnx.load(path).SerializeToString()
    (tmp_path / "broken.onnx").write_bytes(model.replace(b"made by hand", b"made by \xff\xfe\xfd!"))
    assert "is not text in UTF-8" in refused(
        "analyse", "tic_tac_toe", "--agent", f"onnx:{tmp_path / 'broken.onnx'}"
    )


@pytest.mark.parametrize("text", ["a = " + "[" * 3000, "a = " + "{b = " * 3000, "\xff", "x = 1"])
def test_a_tournament_file_that_cannot_be_read_is_refused(text, tmp_path):
    (tmp_path / "file.toml").write_bytes(text.encode("latin-1"))
    refused("tournament file.toml")


def test_a_byte_order_mark_before_a_text_does_no_harm(tmp_path):
    mark = "\ufeff"
    (tmp_path / "openings.txt").write_text(f"{mark}a1\nb2\n", encoding="utf-8")
    file = '[[tournament]]\ngame = "tic_tac_toe"\nagents = ["random", "greedy"]\n'
    (tmp_path / "file.toml").write_text(f'{mark}{file}opening = "openings.txt"\n', encoding="utf-8")
    assert invoke(["tournament", "file.toml"]).exit_code == 0
    game, path = make_game("tic_tac_toe"), Path("b.book")
    write_book(path, game, make_agent("greedy"), plies=1)
    path.write_bytes(mark.encode() + path.read_bytes())
    words = ["analyse", "tic_tac_toe", "--agent", "alphabeta:depth=1,book=b.book"]
    assert invoke(words).exit_code == 0


def test_json_is_json_whatever_the_numbers(capsys):
    print_json({"a": [float("nan"), float("inf"), -1.5], "b": {"c": float("-inf")}})
    assert json.loads(capsys.readouterr().out) == {"a": [None, None, -1.5], "b": {"c": None}}


def test_what_an_agent_says_reaches_no_terminal_as_it_is(tmp_path):
    (tmp_path / "rude.py").write_text(
        "rude = '\\x1b[2J\\x1b]0;owned\\x07' + '\\ud800' + 'y' * 9999\n\n\n"
        "def act(position):\n    raise ValueError(rude)\n"
    )
    words = ["tournament", "tic_tac_toe", "random", "python:rude:act", "--pairs", "1"]
    result = done(*words, "--isolate", "never")
    assert "\x1b]0;" not in result.output
    games = invoke(["export", "plyground-tournament.db"]).stdout
    assert "raised ValueError: \\\\x1b[2J" in games
    assert len(games) < 5000


def test_output_to_a_full_device_is_told_in_a_sentence():
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    with Path("/dev/full").open("w") as full:
        process = subprocess.run(
            [sys.executable, "-m", "plyground.cli", "games"],
            check=False, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120,
        )  # fmt: skip
    assert process.returncode == 2
    assert process.stderr == "plyground: the output cannot be written: No space left on device\n"


def test_an_error_that_nobody_expected_leaves_a_report(monkeypatch, tmp_path):
    def fail(*words, **options):
        raise ZeroDivisionError("\x1b[31m" + "z" * 10_000)

    monkeypatch.setattr(application, "make_app", lambda words: fail)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    result = invoke(["games"])
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert "\x1b" not in result.stderr
    (report,) = tmp_path.glob("plyground-error-*.txt")
    assert str(report) in result.stderr
    text = report.read_text()
    assert "ZeroDivisionError" in text
    assert "plyground games" in text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\nb\t c", "a b c"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("é ü 中", "é ü 中"),
        ("\ud800", "\\ud800"),
    ],
)
def test_a_text_of_others_is_shown_on_one_line(text, line):
    assert plain_text(text) == line


def test_a_long_text_keeps_its_ends():
    line = plain_text("a" * 1000 + "z" * 1000, 101)
    assert line == "a" * 50 + "…" + "z" * 50
