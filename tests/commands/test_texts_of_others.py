"""Texts of others reach a terminal, a page and a spreadsheet as texts."""

from __future__ import annotations

import csv
import json
import re
import shutil
import sqlite3
import subprocess
import sys
import unicodedata
from pathlib import Path

import onnx
import pytest
from broken.stores import READERS
from command_line import done, invoke
from helpers import ROOT, change_store, run
from networks import write_network
from plyground.commands.output import Terminal, print_json, say
from plyground.envs.loading.texts import spreadsheet_cell, visible
from plyground.evaluation.plan import Plan
from plyground.evaluation.store.schema import make_tables
from rich.table import Table
from rich.text import Text

# Clear the screen, the clipboard, the title, colours by C1, the line's beginning, the direction of
# writing, other ends of lines, a link by rich's markup.
ESCAPES = "\x1b[2J\x1b]52;c;eA==\x07\x1b]0;t\x1b\\\x9b31m\r\u202e\u2066\x7f\x85\u2028\n[link=x]y[/]"
TEXTS = (".csv", ".tex", ".bib", ".svg", ".html", ".jsonl")
STYLES = re.compile(r"\x1b\[[\d;]*m")  # that the console itself writes


def raw(text: str) -> set[str]:
    """What of a text does something to a terminal, or turns its direction of writing."""
    text = text.replace("\r\n", "\n")  # the ends of lines of CSV
    return {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")} - {"\n", "\t"}


def text_columns() -> list[tuple[str, str]]:
    with sqlite3.connect(":memory:", isolation_level=None) as connection:
        make_tables(connection)
        return [
            (table, row[1])
            for table in ("tournaments", "agents", "games")
            for row in connection.execute(f"PRAGMA table_info({table})")
            if row[2] == "TEXT"
        ]


def spoilt(value):
    """A value of JSON with escapes in each of its texts."""
    if isinstance(value, str):
        return value + ESCAPES
    if isinstance(value, list):
        return [spoilt(each) for each in value]
    return {key: spoilt(each) for key, each in value.items()} if isinstance(value, dict) else value


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("texts") / "games.db"
    specs = ("random", "greedy", "python:broken.agents:PlaysIllegally")
    for game in ("tic_tac_toe", "gomoku:size=15"):
        run(Plan(game, specs, 1, opening="random:1"), path)
    return path


@pytest.fixture
def game_file(tmp_path):
    """A game in a format of records, whose players' names are those of an attacker."""
    path = tmp_path / "game.sgf"
    name = ESCAPES.replace("]", "\\]")
    path.write_text(f"(;FF[4]GM[4]SZ[15]PB[{name}]PW[w]EV[{name}]RE[B+R];B[hh];W[ii])")
    return path


def spoil(path: Path, table: str, column: str) -> None:
    with sqlite3.connect(path) as connection:
        rows = connection.execute(f"SELECT rowid, {column} FROM {table}").fetchall()
        for number, (row, text) in enumerate(rows):
            text = text or ""
            new = json.dumps(spoilt(json.loads(text))) if text.startswith("{") else text + ESCAPES
            if column in ("name", "label"):
                new += str(number)
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (new, row))
    connection.close()


# Columns that are shown and decide nothing: they are spoilt together.
SHOWN = [("tournaments", "name"), ("tournaments", "command"), ("agents", "label")]
SHOWN += [("games", "reason")]


@pytest.mark.parametrize(
    "columns",
    [
        SHOWN,
        *(
            pytest.param([each], marks=pytest.mark.thorough)
            for each in text_columns()
            if each not in SHOWN
        ),
    ],
    ids=lambda columns: "-".join(map(".".join, columns)),
)
def test_no_text_of_a_store_is_raw_in_any_command(columns, store, game_file, tmp_path):
    shown = ""
    for command, lines in READERS.items():
        for line in lines if columns == SHOWN else lines[:1]:
            copy = shutil.copy(store, tmp_path / "copy.db")
            for column in columns:
                spoil(copy, *column)
            words = line.replace("game.sgf", str(game_file)).format(store=copy).split()
            result = invoke([command, *words])
            assert raw(result.output) == set(), (command, line)
            assert "internal error" not in result.output, (command, line)
            shown += result.output
    written = [path for path in tmp_path.rglob("*") if path.suffix in TEXTS]
    for path in written:
        assert raw(path.read_bytes().decode()) == set(), path.name
    if columns == SHOWN:
        assert "\\x1b[2J" in shown
        assert len(written) > 5


@pytest.mark.thorough
def test_a_terminal_with_colours_gets_its_own_styles_alone(store, tmp_path):
    colours = {"NO_COLOR": "", "FORCE_COLOR": "1", "TERM": "xterm-256color"}
    copy = shutil.copy(store, tmp_path / "copy.db")
    for column in SHOWN:
        spoil(copy, *column)
    outputs = [invoke([word, copy], **colours).stdout for word in ("report", "replay", "verify")]
    assert [bool(STYLES.search(output)) for output in outputs] == [True, True, False]
    assert raw(STYLES.sub("", "".join(outputs))) == set()


def test_a_line_of_others_is_no_line_of_the_program(store, tmp_path):
    copy = shutil.copy(store, tmp_path / "copy.db")
    changes = "UPDATE tournaments SET name = number || ?", "UPDATE agents SET label = number || ?"
    change_store(copy, *changes, values=("\ngames: 4 of 4 follow",))
    for command in ("report", "verify", "replay"):
        lines = invoke([command, str(copy)]).output.splitlines()
        assert not any(line.startswith("games: 4 of 4") for line in lines)


def test_names_that_were_exchanged_stand_beside_what_was_played(store, tmp_path):
    copy = shutil.copy(store, tmp_path / "copy.db")
    for label, spec in (("greedy", "random"), ("random", "greedy")):
        change_store(copy, f"UPDATE agents SET label = '{label}' WHERE spec = '{spec}'")
    lines = invoke(["report", str(copy)]).stdout.splitlines()
    assert {"greedy is random", "random is greedy"} <= {*lines}
    assert " is " not in "".join(invoke(["report", str(store)]).stdout.splitlines()[-3:])


def test_a_command_that_is_none_ends_no_report(store, tmp_path):
    copy = shutil.copy(store, tmp_path / "copy.db")
    change_store(copy, "UPDATE tournaments SET command = 'plyground sprt \"'")
    assert invoke(["report", str(copy)]).exit_code == 0


def test_no_text_of_a_policy_is_raw(tmp_path):
    path = write_network(tmp_path / "plain.onnx", "tic_tac_toe")
    model = onnx.load(path)
    fields = {each.key: each.value for each in model.metadata_props} | {"plyground.policy": "x"}
    for field in fields:
        spoilt_path = tmp_path / "spoilt.onnx"
        onnx.helper.set_model_props(model, fields | {field: fields[field] + ESCAPES, ESCAPES: "x"})
        onnx.save(model, spoilt_path)
        for words in (
            ["analyse", "tic_tac_toe", "--agent", f"onnx:{spoilt_path}"],
            ["watch", "tic_tac_toe", "random", f"onnx:{spoilt_path}"],
            ["push", str(spoilt_path), str(tmp_path / "pushed")],
        ):
            assert raw(invoke(words).output) == set(), (field, words[0])
    (card,) = (tmp_path / "pushed").glob("*.md")
    assert raw(card.read_text()) == set()


@pytest.mark.thorough
def test_no_text_of_a_run_is_raw(ppo_run, tmp_path):
    pytest.importorskip("matplotlib")
    folder, picture = ppo_run, tmp_path / "curves.svg"
    facts = json.loads((folder / "run.json").read_text())
    about = facts["description"]
    texts = [name for name, value in about.items() if isinstance(value, str)]
    ways = [facts | {"description": about | {name: spoilt(about[name])}} for name in texts]
    ways += [facts | {name: spoilt(facts[name])} for name in ("command", "versions", "machine")]
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    for row in rows:
        row |= {"opponent": spoilt(row["opponent"])} if "opponent" in row else {}
    (folder / "metrics.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    for way in ways:
        (folder / "run.json").write_text(json.dumps(way))
        for words in (
            ["ladder", str(folder)],
            ["curves", str(folder), "--out", str(picture)],
            ["train", "ppo", "tic_tac_toe", "--out", str(folder), "--list-settings"],
        ):
            assert raw(invoke(words).output) == set(), words[0]
    assert picture.exists()
    assert raw(picture.read_text()) == set()


def test_no_name_in_a_record_is_raw(game_file, tmp_path):
    store = tmp_path / "imported.db"
    imported = done("import", game_file, "--store", store)
    for words in (["replay", store], ["replay", store, "1"], ["report", store]):
        result = invoke([*map(str, words)])
        assert raw(result.output + imported.output) == set()
        assert "\\x1b[2J" in result.output


def test_the_standard_error_of_an_agent_is_raw_nowhere():
    code = (
        "from plyground.envs.workers.error_output import ErrorOutput; import os; "
        "errors = ErrorOutput(); place = errors.open(); "
        f"os.write(place, {ESCAPES.encode() + b'%c' % 0xFF!r}); os.close(place); errors.close()"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert raw(result.stderr.decode()) == set()
    assert "\\x1b[2J" in result.stderr.decode()


def test_what_commands_print_is_visible(capsys):
    say(f"a{ESCAPES}\tb")
    table = Table(ESCAPES)
    table.add_row(ESCAPES, Text(ESCAPES))
    Terminal().print(table, f"[bold]{ESCAPES}", Text(ESCAPES, "bold"))
    text = capsys.readouterr().out
    assert raw(text) == set()
    assert "[bold]" in text
    print_json({ESCAPES: [ESCAPES, "é", "\U000e0001"]})
    text = capsys.readouterr().out
    assert raw(text) == set()
    assert json.loads(text) == {ESCAPES: [ESCAPES, "é", "\U000e0001"]}
    assert "é" in text


@pytest.mark.parametrize("text", ["=1+1", "+1+1", "-1+cmd|'x'!A0", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_cell_is_no_formula(text):
    assert spreadsheet_cell(text) == f"'{visible(text)}"


@pytest.mark.parametrize("text", ["", "-", "-12", "+3.5", "1,000", "-0.5 %", "a=b", "zoo:hex"])
def test_numbers_and_plain_texts_stay_as_they_are_in_a_table(text):
    assert spreadsheet_cell(text) == text


@pytest.mark.parametrize("formula", ["=1+1", "@a"])
def test_no_cell_of_a_table_is_a_formula(formula, store, tmp_path):
    copy = shutil.copy(store, tmp_path / "copy.db")
    changes = "UPDATE agents SET label = ? || number", "UPDATE games SET reason = ?"
    change_store(copy, *changes, values=(formula,))
    assert invoke(["report", str(copy), "--out", str(tmp_path)]).exit_code == 0
    assert invoke(["export", str(copy), "--out", str(tmp_path / "games.csv")]).exit_code == 0
    tables = list(tmp_path.rglob("*.csv"))
    assert len(tables) > 3
    for path in tables:
        with path.open(newline="") as stream:
            cells = [cell for row in csv.reader(stream) for cell in row]
        assert not [cell for cell in cells if cell.startswith(formula)]


def test_commands_print_by_one_console_alone():
    files = [
        path
        for folder in ("commands", "extras", "evaluation", "training")
        for path in (ROOT / folder).rglob("*.py")
        if path != ROOT / "commands" / "output.py"
    ]
    prints = re.compile(r"\bConsole\(|(?<![.\w])(?<!def )print\(")
    assert [path.name for path in files if prints.search(path.read_text())] == []
