"""Makes the measurements of studies, several at once; those that were made before are kept."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from ...envs.processors import available_processors
from ..runners.messages import RunnerError
from ..runners.worker_process import WorkerDeath, WorkerProcess
from ..store.store import StoreError
from .cells import Cell, cell_path, make_cell, read_cell
from .declaration import Experiment, Study, with_seed
from .measurements.measurement import Measurement

Progress = Callable[[int, int], None]


class MeasuredExperiment(NamedTuple):
    """An experiment with its measurements, each with the cell that was made of it."""

    declaration: Experiment
    measurements: list[tuple[Measurement, Cell]]


class Findings(NamedTuple):
    """A study with its experiments, all of them measured."""

    study: Study
    experiments: list[MeasuredExperiment]
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
    cells = {
        cell_path(measurement, folder): measurement
        for study in studies
        for experiment in study.experiments
        for measurement in _measurements(experiment, quick, seed)
    }
    missing = [each for each in cells.values() if read_cell(each, folder) is None]
    missing.sort(key=lambda each: each.games())  # what is compiled for one serves the next

    def report(count: int) -> None:
        if progress is not None:
            progress(len(cells) - len(missing) + count, len(cells))

    report(0)
    workers = min(concurrency or available_processors(), len(missing))
    if workers > 1:
        _make_in_processes(missing, folder, workers, report)
    else:
        for count, measurement in enumerate(missing, 1):
            make_cell(measurement, folder)
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


def _make_in_processes(
    measurements: Sequence[Measurement], folder: Path, count: int, report: Callable[[int], None]
) -> None:
    """Make measurements in worker processes, each of which a thread waits for."""
    workers = [WorkerProcess(__name__) for _ in range(count)]
    idle: SimpleQueue[WorkerProcess] = SimpleQueue()
    for worker in workers:
        idle.put(worker)

    def make(measurement: Measurement) -> None:
        worker = idle.get()
        worker.send(pickle.dumps((measurement, folder)))
        error = pickle.loads(worker.receive())
        idle.put(worker)
        if error is not None:
            raise error

    threads = ThreadPoolExecutor(count)
    try:
        jobs = [threads.submit(make, each) for each in measurements]
        for number, job in enumerate(as_completed(jobs), 1):
            job.result()
            report(number)
    except WorkerDeath as death:
        raise RunnerError(
            f"a process that measures {death}; the same command goes on where it was"
        ) from None
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.kill()


def serve(connection: Connection) -> None:
    """In a worker process: make measurements until the other side closes the connection."""
    while True:
        try:
            measurement, folder = pickle.loads(connection.recv_bytes())
        except EOFError:
            return
        error: Exception | None = None
        try:
            make_cell(measurement, folder)
        except Exception as exception:  # raised again where the measurement was asked for
            error = exception
        connection.send_bytes(pickle.dumps(error))
