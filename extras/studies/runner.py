"""Makes the measurements of studies in parallel; completed ones are reused."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from ...envs.compiled.sources import PLAYING_FOLDERS
from ...envs.workers.jobs import HERE, JobPlace, Needs, Work
from ...evaluation.store.store import StoreError
from .cells import Cell, cell_path, make_cell, read_cell, write_cell
from .declaration import Experiment, Study, with_seed
from .measurements.measurement import Measurement, Row

Progress = Callable[[int, int], None]
NEEDS = Needs(folders=PLAYING_FOLDERS)


class MeasuredExperiment(NamedTuple):
    """An experiment with its measurements and their cells."""

    declaration: Experiment
    measurements: list[tuple[Measurement, Cell]]

    def table(self, number: int | None) -> tuple[Measurement, list[Row]] | None:
        """A measurement by its number and its rows, or None if this run has fewer.

        Without a number, the first one and the rows of all.
        """
        cells = self.measurements if number is None else self.measurements[number:][:1]
        return (cells[0][0], [row for _, cell in cells for row in cell.rows]) if cells else None


class Findings(NamedTuple):
    """A study with all its experiments measured."""

    study: Study
    experiments: list[MeasuredExperiment]
    quick: bool
    seed: int | None


def run_studies(
    studies: Sequence[Study],
    folder: Path,
    quick: bool = False,
    seed: int | None = None,
    place: JobPlace = HERE,
    progress: Progress | None = None,
) -> list[Findings]:
    """Make all measurements that are missing in the folder.

    Args:
        studies: the studies.
        folder: the folder of the measurements, one file each.
        quick: whether to make reduced measurements.
        seed: replaces the declared seeds.
        place: where measurements are made; by default here, one at a time.
        progress: called with the number of completed measurements and the total.

    Raises:
        RunnerError: the place cannot run them.
        StoreError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder} cannot be made: {error.strerror}") from None
    cells = {
        cell_path(measurement, folder): measurement
        for study in studies
        for experiment in study.experiments
        for measurement in _measurements(experiment, quick, seed)
    }
    missing = [each for each in cells.values() if read_cell(each, folder) is None]
    missing.sort(key=lambda each: each.games())  # measurements of one game share compiled code

    def report(count: int) -> None:
        if progress is not None:
            progress(len(cells) - len(missing) + count, len(cells))

    report(0)
    if missing:
        # The folder has the games of a stopped measurement; other machines have none.
        games = None if place.is_elsewhere else folder
        with place.open(Work(make_cell, functools.partial(_same, games), NEEDS)) as jobs:
            for count, (number, cell) in enumerate(jobs.results(missing), 1):
                write_cell(missing[number], folder, cell)
                report(count)
    return [_findings(study, folder, quick, seed) for study in studies]


def _measurements(experiment: Experiment, quick: bool, seed: int | None) -> list[Measurement]:
    return [with_seed(each, seed) for each in experiment.measurements(quick)]


def _findings(study: Study, folder: Path, quick: bool, seed: int | None) -> Findings:
    experiments = []
    for experiment in study.experiments:
        cells = []
        for measurement in _measurements(experiment, quick, seed):
            cell = read_cell(measurement, folder)
            assert cell is not None
            cells.append((measurement, cell))
        experiments.append(MeasuredExperiment(experiment, cells))
    return Findings(study, experiments, quick, seed)


def _same(folder: Path | None) -> Path | None:
    return folder
