"""The command ``study``: the experiments of the systems that the suite implements."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.text import Text

from ...commands.app import command, ctrl_c_says
from ...commands.common import argument, flag, option
from ...commands.output import Terminal, say
from ...envs.specification import SpecificationError, check_names
from ...envs.workers.jobs import HERE, JobPlace
from ...evaluation.report.display import plain_table, show_steps
from ...evaluation.store.store import StoreError
from .catalogue import ALL, STUDIES
from .declaration import Study
from .pages import write_pages
from .results import count, write_json, write_parquet
from .runner import run_studies

PACKAGES = ("jinja2", "matplotlib", "pyarrow", "scipy", "onnx")
CELLS = "cells"


@Parameter(name="*")
@dataclass(frozen=True)
class _StudyOptions:
    """Options of the run of studies."""

    quick: Annotated[
        bool, flag("Reduced measurements: all studies take some minutes on two cores.")
    ] = False
    out: Annotated[Path, option("DIR", "The folder for pages, figures and numbers.")] = Path(
        "plyground-studies"
    )
    seed: Annotated[
        int | None,
        option("N", "Seed of all random choices (default: the declared seeds, mostly 1).", low=0),
    ] = None
    only: Annotated[
        tuple[str, ...],
        option("LINE", "Only the experiments for these lines of a course, such as D7."),
    ] = ()


DEFAULT = _StudyOptions()


@command("NAME...", purpose="Measure", rank=3)
def study(
    *names: Annotated[str, argument("NAME", f"Names of studies, or {ALL}.")],
    options: _StudyOptions = DEFAULT,
    place: JobPlace = HERE,
    only_list: Annotated[
        bool, flag("List the studies and the lines of courses that they answer.", "--list")
    ] = False,
) -> None:
    """Reproduce the tables and experiments of known course projects, larger and exact.

    Each study is written as Markdown and HTML pages with figures, and its numbers as JSON and
    Parquet. The same command resumes a stopped study. Times are in a separate file: the same seed
    gives the same NAME.json.

    [bold]Examples[/bold]

    plyground study --list

    plyground study all --quick

    plyground study dots_and_boxes connect_four --out studies

    plyground study dots_and_boxes --only D7
    """
    if only_list:
        _list()
        return
    studies = _select(names, options.only)
    _check_packages()
    out = options.out
    steps = show_steps("measuring", Terminal(stderr=True))
    with ctrl_c_says("stopped; the same command resumes"), steps as progress:
        place = place.or_all_processors()
        results = run_studies(studies, out / CELLS, options.quick, options.seed, place, progress)
    try:
        for findings in results:
            write_json(findings, out)
            write_parquet(findings, out)
            write_pages(findings, out)
            say(findings.study.title)
            for experiment in findings.experiments:
                lines, title = experiment.declaration.lines, experiment.declaration.title
                say(f"  {', '.join(lines)}: {title}. {count(experiment)}")
            say(f"  {out / findings.study.stem}.html\n")
    except OSError as error:
        raise StoreError(f"{out} cannot be written: {error.strerror}") from None


def _select(names: tuple[str, ...], only: tuple[str, ...]) -> list[Study]:
    if not names:
        raise SpecificationError(
            f"give the studies to run: {', '.join(STUDIES)}, or {ALL}; plyground study --list "
            f"describes them"
        )
    check_names("there is no study", names, [*STUDIES, ALL])
    selection = list(STUDIES) if ALL in names else list(dict.fromkeys(names))
    studies = [STUDIES[name] for name in selection]
    if not only:
        return studies
    lines = list(dict.fromkeys(line for study in studies for line in study.lines))
    check_names(f"no experiment of {' and '.join(selection)} answers a line", only, lines)
    return [study.part(only) for study in studies if set(only) & set(study.lines)]


def _check_packages() -> None:
    """Raise SpecificationError before the run if the results could not be written."""
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise SpecificationError(
            f'the pages of a study need {", ".join(missing)}: pip install "plyground[study]"'
        )


def _list() -> None:
    console = Terminal()
    for study in STUDIES.values():
        console.print(Text.assemble((study.name, "bold"), f"  {study.about}"))
        table = plain_table("lines", "experiment", left=2)
        for experiment in study.experiments:
            table.add_row(", ".join(experiment.lines), experiment.title)
        console.print(table)
        console.print()
