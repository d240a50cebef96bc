"""Cells: the file of a measurement, so that a study that was stopped goes on."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, NamedTuple

from ...envs import __version__
from ...envs.files import written_whole
from ..store.store import StoreError
from .measurements.measurement import Measurement, Row


class Cell(NamedTuple):
    """A measurement that has been made.

    Attributes:
        rows: the rows of its table.
        cpu_seconds: the processor time it took, compilation included.
    """

    rows: list[Row]
    cpu_seconds: float


def cell_path(measurement: Measurement, folder: Path) -> Path:
    """The file of a measurement: another declaration or version has another one."""
    return folder / f"{measurement.digest()}.json"


def make_cell(measurement: Measurement, folder: Path) -> None:
    """Make a measurement and write its file."""
    path = cell_path(measurement, folder)
    start = time.process_time()
    rows = measurement.measure(path.with_suffix(""))
    cell: dict[str, Any] = {
        "plyground": __version__,
        "measurement": measurement.to_json(),
        "cpu_seconds": time.process_time() - start,
        "rows": rows,
    }
    with written_whole(path) as file:
        file.write(json.dumps(cell, ensure_ascii=False).encode())


def read_cell(measurement: Measurement, folder: Path) -> Cell | None:
    """The measurement as it was made, or None.

    Raises:
        StoreError: the file cannot be read.
    """
    path = cell_path(measurement, folder)
    try:
        cell = json.loads(path.read_text(encoding="utf-8"))
        return Cell(cell["rows"], cell["cpu_seconds"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError) as error:
        raise StoreError(
            f"{path} is no measurement of a study ({error}); delete it and it is made again"
        ) from None
