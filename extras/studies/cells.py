"""Cells: a file per measurement, so that a stopped study can be resumed."""

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
    """A completed measurement.

    Attributes:
        rows: the rows of its table.
        cpu_seconds: its CPU time, including compilation.
    """

    rows: list[Row]
    cpu_seconds: float


class CellFile(TypedDict):
    """The parsed file of a measurement."""

    rows: list[dict[str, Any]]
    cpu_seconds: Annotated[float, Range(low=0)]


def cell_path(measurement: Measurement, folder: Path) -> Path:
    """The file of a measurement, specific to its declaration and version."""
    return folder / f"{measurement.digest()}.json"


def make_cell(folder: Path | None, measurement: Measurement) -> Cell:
    """Make a measurement.

    Args:
        folder: folder for its games; None: not stored.
        measurement: the measurement.
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
    """The completed measurement, or None.

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
            f"{path} is not a measurement of a study ({error}); delete it to repeat it"
        ) from None
