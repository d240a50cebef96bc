"""Cells: the file of a measurement, so that a study that was stopped goes on."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypedDict

from ...envs import __version__
from ...envs.loading.files import written_whole
from ...envs.loading.records import Range, check_value, read_json
from ...envs.specification import SpecificationError
from ...evaluation.store.store import StoreError
from .measurements.measurement import Measurement, Row


class Cell(NamedTuple):
    """A measurement that has been made.

    Attributes:
        rows: the rows of its table.
        cpu_seconds: the processor time it took, compilation included.
    """

    rows: list[Row]
    cpu_seconds: float


class CellFile(TypedDict):
    """What is read of the file of a measurement."""

    rows: list[dict[str, Any]]
    cpu_seconds: Annotated[float, Range(low=0)]


def cell_path(measurement: Measurement, folder: Path) -> Path:
    """The file of a measurement: another declaration or version has another one."""
    return folder / f"{measurement.digest()}.json"


def make_cell(folder: Path | None, measurement: Measurement) -> Cell:
    """Make a measurement.

    Args:
        folder: where it finds and leaves games that it plays; None: nowhere.
        measurement: it.
    """
    start = time.process_time()
    with tempfile.TemporaryDirectory() as temporary:
        path = cell_path(measurement, folder or Path(temporary))
        rows = measurement.measure(path.with_suffix(""))
    return Cell(rows, time.process_time() - start)


def write_cell(measurement: Measurement, folder: Path, cell: Cell) -> None:
    """Write the file of a measurement."""
    content: dict[str, Any] = {
        "plyground": __version__,
        "measurement": measurement.to_json(),
        "cpu_seconds": cell.cpu_seconds,
        "rows": cell.rows,
    }
    with written_whole(cell_path(measurement, folder)) as file:
        file.write(json.dumps(content, ensure_ascii=False).encode())


def read_cell(measurement: Measurement, folder: Path) -> Cell | None:
    """The measurement as it was made, or None.

    Raises:
        StoreError: the file cannot be read.
    """
    path = cell_path(measurement, folder)
    try:
        if not path.exists():
            return None
        cell = read_json(path)
        check_value(cell, CellFile, str(path), more=True)
        return Cell(cell["rows"], cell["cpu_seconds"])
    except SpecificationError as error:
        raise StoreError(
            f"{path} is no measurement of a study ({error}); delete it and it is made again"
        ) from None
