"""A study as a page: Markdown with its figures beside it, and HTML with them inside."""

from __future__ import annotations

import base64
import json
import platform
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...envs.files import written_whole
from ...envs.processors import available_processors
from ..report.display import duration
from ..report.html import render_page, versions
from .figures import draw
from .lines import LINES
from .measurements.measurement import (
    COUNT,
    NUMBER,
    SECONDS,
    SHARE,
    SIGNED,
    TEXT,
    YES,
    Column,
    Measurement,
)  # fmt: skip
from .results import sentences, summary
from .runner import Findings, Measured

FIGURES = "figures"


class Table(NamedTuple):
    """A table as it is shown.

    Attributes:
        caption: the game, where it is the same in all rows.
        headings: of the columns.
        texts: for each column, whether it holds text, which stands on the left.
        rows: the cells.
        note: how its numbers come about, in one line.
    """

    caption: str
    headings: list[str]
    texts: list[bool]
    rows: list[list[str]]
    note: str


class Section(NamedTuple):
    """An experiment as it is shown."""

    id: str
    lines: str
    title: str
    summary: str
    found: list[str]
    question: str
    claims: list[str]
    asked: list[tuple[str, str]]
    tables: list[Table]
    figures: list[tuple[str, str]]
    boards: list[tuple[str, str]]


def cell_text(value: Any, kind: str) -> str:
    """A value as the tables show it."""
    if value is None:
        return "-"
    if kind == TEXT:
        return str(value)
    if kind == YES:
        return "yes" if value else "no"
    if kind == COUNT:
        return f"{value:,.0f}"
    if kind == SHARE:
        return f"{100 * value:.1f} %"
    if kind == SECONDS:
        return duration(value)
    if kind == SIGNED:
        return f"{value:+.2f}".removesuffix(".00") if abs(value) < 10 else f"{value:+,.0f}"
    assert kind == NUMBER
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _columns(measurement: Measurement, rows: Sequence[dict[str, Any]]) -> list[Column]:
    """The columns that say something; ends of intervals stand beside what they are about."""
    ends = {end for column in measurement.columns for end in column.interval}
    same_game = len({row.get("game") for row in rows}) == 1
    return [
        column
        for column in measurement.columns
        if column.key not in ends
        and not (column.key == "game" and same_game)
        and not (column.key == "same" and all(row["same"] is not False for row in rows))
        and any(row[column.key] is not None for row in rows)
    ]


def _cell(row: dict[str, Any], column: Column) -> str:
    shown = cell_text(row[column.key], column.kind)
    if not column.interval or row[column.key] is None:
        return shown
    if len(column.interval) == 1:
        return f"{shown} ± {cell_text(row[column.interval[0]], NUMBER)}"
    low, high = (100 * row[end] for end in column.interval)
    return f"{shown.removesuffix(' %')} ({low:.1f}–{high:.1f}) %"


def _table(measurement: Measurement, rows: list[dict[str, Any]]) -> Table:
    columns = _columns(measurement, rows)
    games = list(dict.fromkeys(row["game"] for row in rows if "game" in row))
    return Table(
        games[0] if len(games) == 1 else "",
        [column.heading for column in columns],
        [column.kind in (TEXT, YES) for column in columns],
        [[_cell(row, column) for column in columns] for row in rows],
        _declared(measurement),
    )


def _declared(measurement: Measurement) -> str:
    """The declaration in one line."""
    declared = measurement.to_json()
    kind = re.sub(r"(?<!^)(?=[A-Z])", " ", declared.pop("kind")).lower()
    cases = "cases" in declared and len(declared.pop("cases"))
    parts = [f"{key} {json.dumps(value, ensure_ascii=False)}" for key, value in declared.items()]
    return "; ".join([kind, *([f"{cases} positions"] if cases else []), *parts])


def _section(measured: Measured, number: int) -> Section:
    experiment = measured.experiment
    figures = []
    for figure in experiment.figures:
        if figure.measurement < len(measured.measurements):
            measurement, cell = measured.measurements[figure.measurement]
            svg = draw(figure, measurement, cell.rows)
            figures += [(figure.title, svg)] if svg is not None else []
    return Section(
        f"e{number}",
        ", ".join(experiment.lines),
        experiment.title,
        summary(measured),
        sentences(measured),
        experiment.question,
        [claim.text for claim in experiment.claims],
        [(line, LINES[line]) for line in experiment.lines],
        [_table(measurement, cell.rows) for measurement, cell in measured.measurements],
        figures,
        [board for measurement, _ in measured.measurements for board in measurement.pictures()],
    )


def _facts(findings: Findings) -> list[tuple[str, str]]:
    """What one must know to make the page again."""
    cells = [cell for measured in findings.experiments for _, cell in measured.measurements]
    seed = "those declared" if findings.seed is None else str(findings.seed)
    command = f"plyground study {findings.study.name}{' --quick' if findings.quick else ''}"
    return [
        ("command", command if findings.seed is None else f"{command} --seed {seed}"),
        ("seeds", seed),
        ("processor time", duration(sum(cell.cpu_seconds for cell in cells))),
        ("machine", _machine()),
        *versions(),
    ]


def _machine() -> str:
    """The processors, without names of machines or users."""
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        told = ""
    model = re.search(r"^model name\s*: (.+)$", told, re.M)
    name = model[1] if model else platform.processor() or platform.machine()
    return f"{available_processors()} processors, {name}"


def write_pages(findings: Findings, folder: Path) -> None:
    """Write ``NAME.md`` with its figures in a folder beside it, and ``NAME.html``.

    Raises:
        SpecificationError: jinja2 or matplotlib is not installed.
        OSError: a file cannot be written.
    """
    study = findings.study
    sections = [_section(each, n) for n, each in enumerate(findings.experiments, 1)]
    facts = _facts(findings)
    figures = folder / FIGURES / study.name
    figures.mkdir(parents=True, exist_ok=True)
    for section in sections:
        for name, svg in _files(section):
            with written_whole(figures / name) as file:
                file.write(svg.encode())
    with written_whole(folder / f"{study.name}.md") as file:
        file.write(_markdown(findings, sections, facts).encode())
    page = render_page(
        "study.html", title=study.title, about=study.about, quick=findings.quick,
        sections=sections, facts=facts, as_data=_as_data,
    )  # fmt: skip
    with written_whole(folder / f"{study.name}.html") as file:
        file.write(page.encode())


def _as_data(svg: str) -> str:
    """A picture as an address, so that its styles and names stay its own."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


def _files(section: Section) -> list[tuple[str, str]]:
    """The names of a section's pictures, with the pictures."""
    own = [(f"{section.id}-{n}.svg", svg) for n, (_, svg) in enumerate(section.figures, 1)]
    return own + [
        (f"{section.id}-board{n}.svg", svg) for n, (_, svg) in enumerate(section.boards, 1)
    ]


def _markdown(findings: Findings, sections: list[Section], facts: list[tuple[str, str]]) -> str:
    study = findings.study
    lines = [f"# {study.title}", "", *_wrapped(study.about), "", "## What was found", ""]
    for section in sections:
        lines += _wrapped(f"- **{section.lines}** {_escaped(section.summary)}", "  ")
    if findings.quick:
        lines += ["", "This is the quick run; the full one measures more."]
    for section in sections:
        lines += ["", *_markdown_section(study.name, section)]
    lines += ["## How it was made", "", "| | |", "|---|---|"]
    lines += [f"| {name} | `{value}` |" for name, value in facts]
    text = "\n".join(lines)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


def _markdown_section(study: str, section: Section) -> list[str]:
    """An experiment: what was found, the question, tables, pictures."""
    lines = [f"## {section.lines}: {section.title}", ""]
    lines += [*_wrapped(f"**{_escaped(section.found[0])}**"), ""]
    for sentence in section.found[1:]:
        lines += [*_wrapped(_escaped(sentence)), ""]
    lines += [*_wrapped(f"*{section.question}*"), ""]
    for table in section.tables:
        lines += [f"`{table.caption}`", ""] if table.caption else []
        lines += [*_markdown_table(table), ""]
        lines += ["<details><summary>how it was measured</summary>", "", "```text"]
        lines += [*_wrapped(table.note), "```", "", "</details>", ""]
    titles = [title for title, _ in section.figures + section.boards]
    for (name, _), title in zip(_files(section), titles):
        width = ' width="180"' if "-board" in name else ""
        lines += [f'<img src="{FIGURES}/{study}/{name}"', f'  alt="{title}"{width}>', ""]
    return lines


def _wrapped(text: str, indent: str = "") -> list[str]:
    """A paragraph in lines of at most 100 columns."""
    return textwrap.wrap(
        text, 100, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _markdown_table(table: Table) -> list[str]:
    marks = ["---" if text else "---:" for text in table.texts]
    rows = [table.headings, marks, *table.rows]
    return [f"| {' | '.join(map(_escaped, row))} |" for row in rows]


def _escaped(text: str) -> str:
    """A text in Markdown: specifications hold characters that would be marks there."""
    return re.sub(r"([*_|<>])", r"\\\1", text)
