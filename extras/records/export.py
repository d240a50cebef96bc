"""Games of gomoku for other programs: the formats psq and sgf of ``export``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...commands.output import note
from ...envs.loading.files import written_whole
from ...envs.loading.texts import counted
from ...envs.specification import SpecificationError
from ...evaluation.store.store import Store, StoreError
from .psq import write_psq
from .record import Record, stored_records
from .sgf import write_sgf


def export_psq(store: Path, out: Path | None) -> None:
    """Write the games of gomoku of a store into a folder, a file for each."""
    records = _gomoku_of(store, "psq")
    if out is None:
        raise SpecificationError("psq has one game per file; give a folder: --out FOLDER")
    with _writing(out, len(records)):
        out.mkdir(parents=True, exist_ok=True)
        digits = len(str(len(records)))
        for number, record in enumerate(records, 1):
            players = "-".join(re.sub(r"\W+", "_", name)[:30] for name in record.players)
            with written_whole(out / f"{number:0{digits}}-{players}.psq") as stream:
                stream.write(write_psq(record).encode())


export_psq.writes_folder = True  # type: ignore[attr-defined]


def export_sgf(store: Path, out: Path | None) -> None:
    """Write the games of gomoku of a store to a file of SGF; None: to standard output."""
    records = _gomoku_of(store, "sgf")
    if out is None:
        sys.stdout.writelines(write_sgf(records))
        return
    with _writing(out, len(records)), written_whole(out) as stream:
        stream.writelines(text.encode() for text in write_sgf(records))


def _gomoku_of(store: Path, format: str) -> list[Record]:
    with Store(store) as games:
        records = list(stored_records(games))
    if not records:
        raise SpecificationError(
            f"{store} has no games of gomoku, the only game of the format {format}"
        )
    return records


@contextmanager
def _writing(out: Path, count: int) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"{out} cannot be written: {error.strerror}") from None
    note(f"{counted(count, 'game')} in {out}")
