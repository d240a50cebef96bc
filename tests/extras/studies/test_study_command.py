"""The command ``study``: its pages, its numbers, and that it goes on where it was stopped."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pyarrow.parquet as pq
import pytest
from command_line import done, plyground, refused
from helpers import DATA
from pages import CHROMIUM, CONTRASTS
from plyground.extras.studies.catalogue import STUDIES

pytestmark = pytest.mark.thorough

CHEAP = "tic_tac_toe"
ENDINGS = ("md", "html", "json", "times.json", "parquet")


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """A folder with the quick study of tic-tac-toe."""
    folder = tmp_path_factory.mktemp("study") / "out"
    done("study", CHEAP, "--quick", "--out", folder, "--concurrency", "1")
    return folder


def results(folder: Path, name: str = CHEAP):
    return json.loads((folder / f"{name}.json").read_text("utf-8"))


def test_a_page_begins_with_what_the_study_shows(out):
    page = (out / f"{CHEAP}.md").read_text("utf-8")
    top = page.partition("\n## ")[0]
    assert "This is the quick run" in top
    assert "Full minimax of 3×3 visits 549,946 nodes" in top
    assert 'alt="Nodes of full search on 3×3"' in top
    html = (out / f"{CHEAP}.html").read_text("utf-8")
    parts = ("This is the quick run", "549,946", "<img", "What was measured", "±, (a–b)", 'id="e1"')
    places = [html.index(part) for part in parts]
    assert places == sorted(places)
    for text in (page, html):
        assert " ".join(text.split()).count("CPU time is processor time") == 1
        assert text.count('alt="Nodes of full search on 3×3"') == 1


def test_a_whole_table_is_a_file_beside_the_page_and_in_the_html(out):
    page = (out / f"{CHEAP}.md").read_text("utf-8").partition("\n## How it was made")[0]
    links = re.findall(r"^\[All (\d+ rows|columns)\]\((.+)\)$", page, re.M)
    files = {place: list(csv.reader((out / place).open("r", encoding="utf-8")))
             for _, place in links}  # fmt: skip
    sizes = [len(rows) - 1 for rows in files.values()]
    assert [text for text, _ in links if text != "columns"] == ["9 rows", "20 rows"]
    assert {9, 20} < set(sizes)
    tables = [len(lines.splitlines()) - 2 for lines in re.findall(r"(?:^\|.*\n)+", page, re.M)]
    assert tables == [2, 3, 2, 1, 4, 2, 2]  # the first has a row that the lead names
    html = (out / f"{CHEAP}.html").read_text("utf-8")
    whole = re.findall(
        r"the whole table, (\d+) rows</summary>[\s\S]*?<tbody>([\s\S]*?)</tbody>", html
    )
    assert [int(count) for count, _ in whole] == sizes
    assert [body.count("<tr>") for _, body in whole] == sizes


def test_what_was_measured_says_which_claims_hold(out):
    page = (out / f"{CHEAP}.md").read_text("utf-8")
    sections = page.split("\n## ")[2:-1]
    assert len(sections) == len(STUDIES[CHEAP].experiments)
    assert "Claims that hold: 1 of 1" in sections[3]  # the heuristic of open lines


def test_parquet_holds_the_numbers_of_the_json(out):
    table = pq.read_table(out / f"{CHEAP}.parquet").to_pylist()
    nodes = [line["number"] for line in table if line["column"] == "nodes"]
    rows = results(out)["experiments"][0]["measurements"][0]["rows"]
    assert nodes[: len(rows)] == [row["nodes"] for row in rows]
    assert {line["timed"] for line in table if line["column"] == "time"} == {True}


def test_times_are_apart_from_results(out):
    text = (out / f"{CHEAP}.json").read_text("utf-8")
    assert '"time"' not in text
    assert '"time"' in (out / f"{CHEAP}.times.json").read_text("utf-8")


ROUNDING, NETWORK = 1e-6, 0.15  # how far numbers may be apart; those of networks


def close(one, other, share: float = ROUNDING) -> bool:
    """Whether two values are equal, shares up to ``share`` and other numbers in proportion."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(close(one[key], other[key], share) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(
            close(a, b, share) for a, b in zip(in_order(one), in_order(other))
        )
    if isinstance(one, float) and isinstance(other, float):
        within_one = max(abs(one), abs(other)) <= 1
        return abs(one - other) <= (share if within_one else 4 * share * max(abs(one), abs(other)))
    return one == other


def in_order(rows: list) -> list:
    """The rows of a table by their texts: nearly equal ratings may come in another order."""

    def texts(row) -> list[str]:
        return [value for value in row.values() if isinstance(value, str)]

    return sorted(rows, key=texts) if rows and isinstance(rows[0], dict) else rows


def differences(numbers, reference) -> list[str]:
    """The experiments whose numbers are not those on record.

    What a network says depends a little on the processor.
    """
    return [
        experiment["title"]
        for experiment, other in zip(numbers["experiments"], reference["experiments"], strict=True)
        if not close(experiment, other, NETWORK if "zoo:" in json.dumps(other) else ROUNDING)
    ]


def record_of(name: str):
    """The record of a study: plyground study NAME --quick --out OUT, its NAME.json."""
    return json.loads((DATA / "studies" / f"{name}.json").read_text("utf-8"))


def test_the_quick_numbers_are_those_on_record(out):
    assert differences(results(out), record_of(CHEAP)) == []


def start(folder: Path, concurrency: int) -> subprocess.Popen:
    """A study in a process of its own, once it has made its first measurement."""
    words = [sys.executable, "-m", "plyground.cli", "study", CHEAP, "--quick", "--out", folder]
    process = subprocess.Popen(
        [*map(str, words), "--concurrency", str(concurrency)],
        stderr=subprocess.PIPE,
        env=os.environ,
        text=True,
    )
    while not list(folder.glob("cells/*.json")):
        assert process.poll() is None
        time.sleep(0.02)
    return process


def test_a_study_that_was_killed_goes_on_and_finds_the_same(out, tmp_path):
    process = start(tmp_path, 2)
    workers = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.communicate()
    psutil.wait_procs(workers, timeout=30)
    times = {path: path.stat().st_mtime_ns for path in tmp_path.glob("cells/*.json")}
    assert not (tmp_path / f"{CHEAP}.json").exists()
    done("study", CHEAP, "--quick", "--out", tmp_path, "--concurrency", "2")
    assert {path: path.stat().st_mtime_ns for path in times} == times
    assert results(tmp_path) == results(out)


@pytest.mark.parametrize(("concurrency", "number"), [(1, signal.SIGTERM), (2, signal.SIGINT)])
def test_a_signal_ends_a_study_and_its_processes(tmp_path, concurrency, number):
    process = start(tmp_path, concurrency)
    workers = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert "stopped; the same command resumes" in errors
    assert "Traceback" not in errors
    assert psutil.wait_procs(workers, timeout=30)[1] == []


def test_a_part_of_a_study_has_files_of_its_own(out, tmp_path):
    shutil.copytree(out / "cells", tmp_path / "cells")
    done("study", CHEAP, "--quick", "--only", "T4", "--only", "T3", "--out", tmp_path)
    assert {path.name for path in tmp_path.glob("*.*")} == {
        f"{CHEAP}-T3-T4.{ending}" for ending in ENDINGS
    }
    whole, part = results(out), results(tmp_path, f"{CHEAP}-T3-T4")
    assert part["experiments"] == [
        each for each in whole["experiments"] if each["lines"][0] in ("T3", "T4")
    ]
    page = (tmp_path / f"{CHEAP}-T3-T4.md").read_text("utf-8")
    assert f"`plyground study {CHEAP} --quick --only T3 --only T4`" in page
    assert all((tmp_path / picture).is_file() for picture in re.findall(r'src="([^"]+)"', page))


def test_another_seed_gives_other_games(out, tmp_path):
    plyground("study", CHEAP, "--quick", "--out", tmp_path, "--seed", "7", "--concurrency", "1")
    assert results(tmp_path) != results(out)


def test_a_damaged_measurement_is_named(out, tmp_path):
    cell = next(iter(out.glob("cells/*.json")))
    (tmp_path / "cells").mkdir()
    (tmp_path / "cells" / cell.name).write_text("{")
    said = refused("study", CHEAP, "--quick", "--out", tmp_path)
    assert cell.name in said
    assert "delete it" in said


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_in_a_browser(out, scheme):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=list(CHROMIUM)
        )
        page = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme=scheme)
        requests, errors = [], []
        page.on("request", lambda request: requests.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto((out / f"{CHEAP}.html").as_uri())
        assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
        assert errors == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        widths = page.evaluate("[...document.images].map((image) => image.naturalWidth)")
        assert len(widths) >= 7  # two figures and five boards
        assert all(widths)
        assert page.evaluate("[...document.images].every((image) => image.alt)")
        lowest, text = page.evaluate(CONTRASTS)[0]
        assert lowest >= 4.5, text
        browser.close()


@pytest.mark.slow
def test_every_quick_study_is_on_record(tmp_path):
    done("study", "all", "--quick", "--out", tmp_path)
    assert {name: differences(results(tmp_path, name), record_of(name)) for name in STUDIES} == {
        name: [] for name in STUDIES
    }
