"""Makes the measurements of studies, several at once; those that were made before are kept."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, NamedTuple

from ...envs.processors import available_processors
from ..runners.runner import RunnerError
from ..runners.worker_process import WorkerDied, WorkerProcess
from ..store.store import StoreError
from .cells import Cell, cell_path, make_cell, read_cell
from .declaration import Experiment, Study, seeded
from .measurements.measurement import Measurement

WORKER = "plyground.evaluation.studies.worker"
Progress = Callable[[int, int], None]


class Measured(NamedTuple):
    """An experiment with its measurements, each as it was made."""

    experiment: Experiment
    measurements: list[tuple[Measurement, Cell]]


class Findings(NamedTuple):
    """A study with its experiments, all of them measured."""

    study: Study
    experiments: list[Measured]
    quick: bool
    seed: int | None


def run_studies(
    studies: Sequence[Study],
    folder: Path,
    quick: bool = False,
    seed: int | None = None,
    concurrency: int | None = None,
    progress: Progress | None = None,
) -> list[Findings]:
    """Make every measurement that the folder does not hold yet.

    Args:
        studies: what is measured.
        folder: where measurements are kept, each in a file of its own.
        quick: with less work.
        seed: takes the place of the declared seeds.
        concurrency: measurements made at once; by default as many as there are processors.
        progress: called with how many measurements are made, of how many.

    Raises:
        RunnerError: a worker process died, or a measurement failed.
        StoreError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder} cannot be made: {error.strerror}") from None
    wanted = {
        cell_path(measurement, folder): measurement
        for study in studies
        for experiment in study.experiments
        for measurement in _measurements(experiment, quick, seed)
    }
    missing = [each for each in wanted.values() if read_cell(each, folder) is None]
    told = _Told(len(wanted), len(wanted) - len(missing), progress)
    count = min(concurrency or available_processors(), len(missing))
    if count == 1:
        for measurement in missing:
            make_cell(measurement, folder)
            told.one_more()
    elif missing:
        _Crew(missing, folder, told).work(count)
    return [_findings(study, folder, quick, seed) for study in studies]


def _measurements(experiment: Experiment, quick: bool, seed: int | None) -> list[Measurement]:
    return [seeded(each, seed) for each in experiment.measurements(quick)]


def _findings(study: Study, folder: Path, quick: bool, seed: int | None) -> Findings:
    measured = []
    for experiment in study.experiments:
        cells = []
        for measurement in _measurements(experiment, quick, seed):
            cell = read_cell(measurement, folder)
            assert cell is not None
            cells.append((measurement, cell))
        measured.append(Measured(experiment, cells))
    return Findings(study, measured, quick, seed)


class _Told:
    """Counts the measurements that are made."""

    def __init__(self, total: int, made: int, progress: Progress | None) -> None:
        self._total, self._made, self._progress = total, made, progress
        self._tell()

    def one_more(self) -> None:
        self._made += 1
        self._tell()

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self._made, self._total)


class _Crew:
    """Worker processes. Each stays with one game as long as it can: it has compiled that one."""

    def __init__(self, missing: Sequence[Measurement], folder: Path, told: _Told) -> None:
        self._missing, self._folder, self._told = list(missing), folder, told
        self._games: dict[Any, str] = {}  # by connection: the game that the worker plays

    def work(self, count: int) -> None:
        """Make all measurements on ``count`` processes."""
        workers = [WorkerProcess(WORKER) for _ in range(count)]
        busy: dict[Any, WorkerProcess] = {worker.connection: worker for worker in workers}
        try:
            for connection, worker in list(busy.items()):
                if not self._hand_out(worker):
                    del busy[connection]
            while busy:
                for connection in wait(list(busy)):
                    worker = busy[connection]
                    self._receive(worker)
                    self._told.one_more()
                    if not self._hand_out(worker):
                        del busy[connection]
        except WorkerDied as death:
            raise RunnerError(
                f"a process that measures {death}; the same command goes on where it was"
            ) from None
        finally:
            for worker in workers:
                worker.kill()

    def _receive(self, worker: WorkerProcess) -> None:
        error = pickle.loads(worker.receive())
        if error is not None:
            raise error

    def _hand_out(self, worker: WorkerProcess) -> bool:
        """Send the next measurement; False if there is none."""
        if not self._missing:
            return False
        own = self._games.get(worker.connection)
        others = {game for key, game in self._games.items() if key is not worker.connection}
        chosen = min(
            self._missing,
            key=lambda each: (each.game_name != own, each.game_name in others),
        )
        self._missing.remove(chosen)
        self._games[worker.connection] = chosen.game_name
        worker.send(pickle.dumps((chosen, str(self._folder))))
        return True
