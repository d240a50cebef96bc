"""The pages of a study: Markdown with separate figures, and self-contained HTML."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...envs.loading.files import written_whole
from ...envs.loading.texts import counted
from ...evaluation.circumstances import machine_here
from ...evaluation.report.display import csv_text, duration, percent
from ...evaluation.report.html import render_page, versions
from .declaration import CELLS, Blank
from .figures import draw
from .measurements.measurement import ALL, NUMBER, TEXT, YES, Column, Measurement, matches
from .results import count, lead, sentences
from .runner import Findings, MeasuredExperiment

FIGURES, BOARDS, TABLES = "figures", "boards", "tables"
DECLARATIONS = "declarations.json"  # of the tables
MOST_WITH_INTERVALS = 8  # columns of a cross table
MOST_ROWS = 5  # of a table that is shown whole
FIRST_ROWS = 1  # rows shown of a longer table
UNITS = (
    "±, (a–b) and “; a to b” are 95 % intervals. A draw scores half a point. Elo is relative to "
    "the mean of its pool. CPU time is processor time of all threads."
)


def _columns(measurement: Measurement, rows: Sequence[dict[str, Any]]) -> list[Column]:
    """The columns to show; ends of intervals are shown with their values."""
    ends = {end for column in measurement.columns for end in column.interval}
    same_game = len({row.get("game") for row in rows}) == 1
    return [
        column
        for column in measurement.columns
        if column.key not in ends
        and not (column.key == "game" and same_game)
        and not (column.key == "same" and all(row["same"] is not False for row in rows))
        and not (column.key == "reached" and all(row["reached"] <= row["depth"] for row in rows))
        and not (measurement.cross and column.key == measurement.cross[1])
        and any(row[column.key] is not None for row in rows)
    ]


def _cell(row: dict[str, Any], column: Column) -> str:
    value = row[column.key]
    text = "-" if value is None else CELLS[column.kind](value)
    if not column.interval or row[column.interval[0]] is None:
        return text
    if len(column.interval) == 1:
        return f"{text} ± {CELLS[NUMBER](row[column.interval[0]])}"
    low, high = (percent(row[end]) for end in column.interval)
    return f"{text.removesuffix(' %')} ({low}–{high}) %"


def _table(
    measurement: Measurement, rows: list[dict[str, Any]], blanks: Sequence[Blank]
) -> dict[str, Any]:
    """A table on a page: its caption is the game if it is the same in all rows.

    The page shows the first rows of a long table and the rows that fill ``blanks``, without detail
    columns.
    """
    if measurement.cross:
        rows = [row for row in rows if row[measurement.cross[1]] == ALL]
    columns = _columns(measurement, rows)
    games = list(dict.fromkeys(row["game"] for row in rows if "game" in row))
    shown = [
        row
        for number, row in enumerate(rows)
        if len(rows) <= MOST_ROWS or number < FIRST_ROWS or _fills(row, blanks)
    ]
    return {
        "caption": games[0] if len(games) == 1 else "",
        "whole": _part(columns, rows),
        "shown": _part([column for column in columns if not column.detail], shown),
        "note": _note(measurement),
    }


def _part(columns: list[Column], rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Columns and rows of a table as texts."""
    return {
        "headings": [column.heading for column in columns],
        "texts": [column.kind in (TEXT, YES) for column in columns],  # left-aligned columns
        "rows": [[_cell(row, column) for column in columns] for row in rows],
    }


def _fills(row: dict[str, Any], blanks: Sequence[Blank]) -> bool:
    """Whether a blank of the page's introduction takes its value from the row."""
    return any(
        matches(row, dict(blank.where)) and row.get(blank.column) is not None for blank in blanks
    )


def _cross_tables(measurement: Measurement, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The cross table of a measurement, if it has one, with intervals if there are few columns.

    It is written to a file: the important duels are claims of the page.
    """
    if not measurement.cross:
        return []
    own, other, shown = measurement.cross
    names = [row[own] for row in rows if row[other] == ALL]
    column = next(each for each in measurement.columns if each.key == shown)
    if len(names) > MOST_WITH_INTERVALS:
        column = column._replace(interval=())
    cells = {(row[own], row[other]): _cell(row, column) for row in rows}
    table = [
        [str(number), name, *(cells.get((name, each), "") for each in names)]
        for number, name in enumerate(names, 1)
    ]
    return [{
        "caption": f"{column.heading} against each",
        "whole": {
            "headings": ["#", own, *map(str, range(1, len(names) + 1))],
            "texts": [False, True, *[False] * len(names)],
            "rows": table,
        },
        "shown": {"headings": [], "texts": [], "rows": []},
        "note": "",
    }]  # fmt: skip


def _note(measurement: Measurement) -> str:
    """The declaration in one line."""
    fields = measurement.to_json()
    kind = re.sub(r"(?<!^)(?=[A-Z])", " ", fields.pop("kind")).lower()
    cases = "cases" in fields and len(fields.pop("cases"))
    parts = [f"{key} {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items()]
    return "; ".join([kind, *([counted(cases, "position")] if cases else []), *parts])


def _tables(experiment: MeasuredExperiment, number: int) -> list[dict[str, Any]]:
    """The tables of an experiment; a long one has a file."""
    blanks = [blank for sentence in experiment.declaration.lead for blank in sentence.blanks]
    tables = []
    for place, (measurement, cell) in enumerate(experiment.measurements):
        of_it = [blank for blank in blanks if blank.measurement in (place, None)]
        tables += [_table(measurement, cell.rows, of_it), *_cross_tables(measurement, cell.rows)]
    for n, table in enumerate(tables, 1):
        table["file"] = f"e{number}/{n}.csv" if table["whole"] != table["shown"] else ""
    return tables


def _section(experiment: MeasuredExperiment, number: int) -> dict[str, Any]:
    """An experiment on a page; pictures have a file name, a title and their SVG.

    ``leads`` are the figures at the beginning of the page; they are shown only there.
    """
    declaration, measurements = experiment
    drawn = [
        (plot, figure.lead)
        for figure in declaration.figures
        if (table := experiment.table(figure.measurement)) and (plot := draw(figure, *table))
    ]
    figures: dict[bool, list[tuple[str, str, str]]] = {True: [], False: []}
    for n, (plot, leads) in enumerate(drawn, 1):
        figures[leads].append((f"e{number}-{n}.svg", plot.title, plot.file()))
    boards = [board for measurement, _ in measurements for board in measurement.pictures()]
    return {
        "id": f"e{number}",
        "lines": ", ".join(declaration.lines),
        "title": declaration.title,
        "question": declaration.question,
        "count": count(experiment),
        "sentences": sentences(experiment),
        "tables": _tables(experiment, number),
        "leads": figures[True],
        "figures": figures[False],
        "boards": [(f"{BOARDS}/e{number}-{n}.svg", *board) for n, board in enumerate(boards, 1)],
    }


def _facts(findings: Findings) -> list[tuple[str, str]]:
    """The facts needed to reproduce the page."""
    cells = [cell for experiment in findings.experiments for _, cell in experiment.measurements]
    seed = "those declared" if findings.seed is None else str(findings.seed)
    command = " ".join(
        ["plyground study", findings.study.name, *["--quick"] * findings.quick,
         *(f"--only {line}" for line in findings.study.only)]
    )  # fmt: skip
    return [
        ("command", command if findings.seed is None else f"{command} --seed {seed}"),
        ("seeds", seed),
        ("processor time", duration(sum(cell.cpu_seconds for cell in cells))),
        ("machine", machine_here()),
        *versions(),
    ]


def write_pages(findings: Findings, folder: Path) -> None:
    """Write ``NAME.md`` with figures and long tables in subfolders, and ``NAME.html``.

    Raises:
        SpecificationError: jinja2 or matplotlib is not installed.
        OSError: a file cannot be written.
    """
    study = findings.study
    sections = [_section(each, n) for n, each in enumerate(findings.experiments, 1)]
    figures = folder / FIGURES / study.stem
    tables = folder / TABLES / study.stem
    files = {
        figures / name: svg
        for section in sections
        for name, _, svg in section["leads"] + section["figures"] + section["boards"]
    }
    files |= {
        tables / table["file"]: csv_text(table["whole"]["headings"], table["whole"]["rows"])
        for section in sections
        for table in section["tables"]
        if table["file"]
    }
    declarations = {
        f"{', '.join(declaration.lines)}: {declaration.title}": [
            measurement.to_json() for measurement, _ in measurements
        ]
        for declaration, measurements in findings.experiments
    }
    text = json.dumps(declarations, ensure_ascii=False, indent=1)
    files[tables / DECLARATIONS] = f"{text}\n"
    for ending in ("md", "html"):
        page = render_page(
            f"study.{ending}", study=study, quick=findings.quick, sections=sections,
            facts=_facts(findings), figures=f"{FIGURES}/{study.stem}",
            tables=f"{TABLES}/{study.stem}", declarations=DECLARATIONS,
            as_data=_as_data, lead=lead(findings), units=UNITS,
        )  # fmt: skip
        files[folder / f"{study.stem}.{ending}"] = page
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(path) as file:
            file.write(text.encode())


def _as_data(svg: str) -> str:
    """A picture as a data URL, which isolates its styles and names."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
