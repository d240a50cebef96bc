"""The tables and figures of reports for a paper: CSV, LaTeX, SVG, PDF, and citations.

The tables are the ones that the command line prints. LaTeX needs the package ``booktabs``.
"""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from ...envs import __version__
from ...envs.loading.files import written_whole
from ...envs.loading.texts import counted, visible
from ...envs.loading.version import RELEASED
from ...envs.registry import make_game
from ...envs.specification import SpecificationError, refusing
from .display import GAMES_DIGEST, csv_text
from .plots import Plot, forest, sequential_plot, speed_plot
from .report import TournamentReport, tables_of

TITLE = "plyground: adversarial board games for reinforcement learning"  # as CITATION.cff has it
LATEX = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "<": "$<$",
        ">": "$>$",
        "±": r"$\pm$",
        "½": r"$\frac12$",
        "µ": r"$\mu$",
    }
)
MEDIA = {
    "bib": "text/plain",
    "csv": "text/csv",
    "tex": "text/plain",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
}


def write_papers(reports: Sequence[TournamentReport], folder: Path) -> int:
    """Write the files of reports into a folder; several tournaments get numbered subfolders.

    Returns:
        The number of files.

    Raises:
        SpecificationError: the folder cannot be written, or matplotlib is not installed.
    """
    count = 0
    for number, report in enumerate(reports, 1):
        place = folder if len(reports) == 1 else folder / str(number)
        files = files_of(report, plots_of(report))
        with refusing(OSError, f"{place} cannot be written"):
            place.mkdir(parents=True, exist_ok=True)
            for name, content in files.items():
                with written_whole(place / name) as stream:
                    stream.write(content)
        count += len(files)
    return count


def files_of(report: TournamentReport, plots: dict[str, Plot]) -> dict[str, bytes]:
    """The files of a report and its figures by their names, such as ``ratings.tex``."""
    files = {"cite.bib": _bibliography(report).encode()}
    for name, table in tables_of(report).items():
        headings, *rows = _rows(table)
        left = [column.justify == "left" for column in table.columns]
        files[f"{name}.csv"] = csv_text(headings, rows).encode()
        files[f"{name}.tex"] = _latex([headings, *rows], left)
    for name, plot in plots.items():
        files |= {f"{name}.svg": plot.file().encode(), f"{name}.pdf": plot.pdf()}
    return files


def plots_of(report: TournamentReport) -> dict[str, Plot]:
    """The figures of a report by their names."""
    ratings, test = report.ratings, report.test
    plots = {
        "elo": None if ratings is None else forest(ratings),
        "speed": speed_plot(report.ranking(), ratings),
        "test": None if test is None else sequential_plot(test),
    }
    return {name: plot for name, plot in plots.items() if plot is not None}


def title_of(report: TournamentReport) -> str:
    """The game and its board in words; the specification of a game that is not installed."""
    spec = str(report.tournament.settings.get("game", report.tournament.name))
    try:
        return make_game(spec).declaration.title
    except SpecificationError:
        return spec


def links_to(files: dict[str, bytes]) -> dict[str, str]:
    """Data URLs of files inside a page, by file name."""
    return {
        name: f"data:{MEDIA[ending]};base64,{base64.b64encode(content).decode()}"
        for name, content in files.items()
        if (ending := name.rpartition(".")[2]) in MEDIA
    }


def _rows(table: Table) -> list[list[str]]:
    """The headings and the cells of a table."""
    columns = [[column.header, *column.cells] for column in table.columns]
    return [[" ".join(str(cell).split()) for cell in row] for row in zip(*columns)]


def _latex(rows: list[list[str]], left: list[bool]) -> bytes:
    """A ``tabular`` with right-aligned numbers."""
    lines = [" & ".join(map(_latex_text, row)) + r" \\" for row in rows]
    alignment = "".join("l" if each else "r" for each in left)
    lines = [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", lines[0], r"\midrule", *lines[1:]]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""]).encode()


def _latex_text(text: str) -> str:
    signed = re.fullmatch(r"[-+][\d.]+", text)
    return f"${text}$" if signed else visible(text).translate(LATEX)


def _bibliography(report: TournamentReport) -> str:
    """BibTeX entries for plyground and for the games with their settings.

    No entry has an address: CITATION.cff has none.
    """
    title = f"{title_of(report)}: a tournament of {len(report.labels)} agents"
    settings = json.dumps(report.tournament.settings, ensure_ascii=False)
    year = time.gmtime(report.tournament.created).tm_year
    return f"""@software{{plyground,
  title = {{{{{TITLE}}}}},
  author = {{{{plyground contributors}}}},
  version = {{{__version__}}},
  year = {{{RELEASED[:4]}}},
}}

@misc{{games-{report.games_digest[:8] or "unknown"},
  title = {{{{{_latex_text(title)}, {counted(report.table.games, "game")}}}}},
  year = {{{year}}},
  note = {{{GAMES_DIGEST} {report.games_digest}; settings: {_latex_text(settings)}}},
}}
"""
