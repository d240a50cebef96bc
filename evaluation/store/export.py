"""Games of a store as rows for other programs: JSON lines, CSV, Parquet.

One row per game; all columns are plain numbers and texts.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from ...envs.loading.files import written_whole
from ...envs.loading.texts import printable_json, spreadsheet_cell
from ...envs.specification import SpecificationError, refusing
from .store import Store, StoreError

FORMATS = ("jsonl", "csv", "parquet")
ROWS_AT_A_TIME = 10_000

# Name and type of each column. Moves are lists of actions in JSON lines and Parquet, and separated
# by spaces in CSV.
COLUMNS: dict[str, type] = {
    "tournament": str,
    "game": str,
    "pair": int,
    "player_0": str,
    "player_1": str,
    "spec_0": str,
    "spec_1": str,
    "version_0": str,
    "version_1": str,
    "opening": list,
    "moves": list,
    "return_0": float,
    "return_1": float,
    "reason": str,
    "fault": str,
    "forfeited": int,
    "seed_0": int,
    "seed_1": int,
    "seconds_0": float,
    "seconds_1": float,
    "decisions_0": int,
    "decisions_1": int,
    "tokens_0": int,
    "tokens_1": int,
}


def rows(store: Store) -> Iterator[tuple[Any, ...]]:
    """The games of a store as values in the order of ``COLUMNS``.

    They are ordered by tournament and pair.

    ``moves`` begin with the opening; ``fault`` and ``forfeited`` (the seat at fault) are None for
    games that ended by the rules.
    """
    for tournament in store.tournaments():
        agents = tournament.agents
        for game in store.games(tournament.number):
            first, second = (agents[number] for number in game.players)
            result = game.result
            yield (
                *(tournament.name, tournament.settings["game"], game.pair),
                *(
                    first.label,
                    second.label,
                    first.spec,
                    second.spec,
                    first.version,
                    second.version,
                ),
                *(
                    list(game.opening),
                    list(result.moves),
                    *result.returns,
                    result.reason,
                    result.fault,
                    result.forfeited,
                ),
                *(*game.seeds, *result.seconds, *result.decisions, *result.tokens),
            )


def export_games(store: Store, format: str, out: BinaryIO | Path) -> int:
    """Write the games of a store; returns their number.

    Args:
        store: the store.
        format: ``jsonl``, ``csv`` or ``parquet``.
        out: a binary stream, or a file, which appears only when it is complete.

    Raises:
        SpecificationError: there is no such format, or its library is not installed.
        StoreError: the store cannot be read, or the file cannot be written.
    """
    if format not in FORMATS:
        raise SpecificationError(f"the format is one of {', '.join(FORMATS)}, not {format!r}")
    write = _WRITERS[format]
    if not isinstance(out, Path):
        return write(rows(store), out)
    try:
        with written_whole(out) as stream:
            return write(rows(store), stream)
    except OSError as error:
        raise StoreError(f"{out} cannot be written: {error.strerror}") from None


def _write_jsonl(games: Iterable[tuple[Any, ...]], out: BinaryIO) -> int:
    count = 0
    for row in games:
        count += 1
        text = json.dumps(dict(zip(COLUMNS, row)), ensure_ascii=False)
        out.write(printable_json(text).encode() + b"\n")
    return count


def _write_csv(games: Iterable[tuple[Any, ...]], out: BinaryIO) -> int:
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    try:
        writer = csv.writer(text)
        writer.writerow(COLUMNS)
        count = 0
        for row in games:
            count += 1
            writer.writerow(map(_cell, row))
        return count
    finally:
        text.detach()  # the stream is the caller's


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        return " ".join(map(str, value))
    return spreadsheet_cell(value) if isinstance(value, str) else value


def _write_parquet(games: Iterable[tuple[Any, ...]], out: BinaryIO) -> int:
    needs = 'Parquet needs pyarrow: pip install "plyground[parquet]"'
    with refusing(ImportError, needs):
        import pyarrow as pa
        import pyarrow.parquet as pq
    types = {str: pa.string(), int: pa.int64(), float: pa.float64(), list: pa.list_(pa.int16())}
    schema = pa.schema([(name, types[kind]) for name, kind in COLUMNS.items()])
    count = 0
    with pq.ParquetWriter(out, schema) as writer:
        remaining = iter(games)
        while batch := list(itertools.islice(remaining, ROWS_AT_A_TIME)):
            count += len(batch)
            writer.write_batch(
                pa.record_batch(
                    [pa.array(column, field.type) for column, field in zip(zip(*batch), schema)],
                    schema=schema,
                )
            )
    return count


_WRITERS: dict[str, Callable[[Iterable[tuple[Any, ...]], BinaryIO], int]] = {
    "jsonl": _write_jsonl,
    "csv": _write_csv,
    "parquet": _write_parquet,
}
