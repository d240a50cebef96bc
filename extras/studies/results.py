"""The results of a study as plain data: JSON, and Parquet with one row per number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ...envs import __version__
from ...envs.loading.files import written_whole
from ...envs.specification import refusing
from .declaration import HOLDS, NO_TEST, Blank, Claim
from .measurements.measurement import Measurement, Row
from .runner import Findings, MeasuredExperiment


def _rows_of(measurement: Measurement, rows: list[Row], times: bool) -> list[Row]:
    """The times of the rows, or everything else.

    Results that depend on a time limit count as times.
    """
    all_timed = not measurement.repeatable
    keys = [column.key for column in measurement.columns if (column.timed or all_timed) == times]
    return [{key: row[key] for key in keys} for row in rows]


def verdicts(experiment: MeasuredExperiment) -> list[tuple[Claim, str]]:
    """The claims, each with its verdict."""
    return [
        (claim, claim.verdict(*table))
        for claim in experiment.declaration.claims
        if (table := experiment.table(claim.measurement)) is not None
    ]


def sentences(experiment: MeasuredExperiment) -> list[str]:
    """Every claim with its line and source, its subject, verdict and evidence."""
    return [_sentence(claim, verdict) for claim, verdict in verdicts(experiment)]


def _sentence(claim: Claim, verdict: str) -> str:
    line = f"{claim.line}, {claim.source}: " if claim.line else ""
    of = f" ({claim.of})" if claim.of else ""
    parts = [f"{verdict[:1].lower()}{verdict[1:]}", claim.note]
    parts += [f"`{claim.command}`"] if claim.command else []
    return f"{line}“{claim.text}”{of}: {' '.join(part for part in parts if part)}"


def count(experiment: MeasuredExperiment) -> str:
    """A sentence with the number of claims that hold; empty if none was tested."""
    tested = [text for _, text in verdicts(experiment) if text and not text.startswith(NO_TEST)]
    held = sum(text.startswith(HOLDS) for text in tested)
    return f"Claims that hold: {held} of {len(tested)}." if tested else ""


def lead(findings: Findings) -> list[str]:
    """The introductory sentences of the page, with their blanks filled.

    Raises:
        ValueError: a blank refers to a missing measurement.
    """
    return [
        sentence.text.format(*(_filled(blank, experiment) for blank in sentence.blanks))
        for experiment in findings.experiments
        for sentence in experiment.declaration.lead
        if sentence.quick or not findings.quick
    ]


def _filled(blank: Blank, experiment: MeasuredExperiment) -> str:
    table = experiment.table(blank.measurement)
    if table is None:
        raise ValueError(
            f"a blank names measurement {blank.measurement} of {experiment.declaration.title!r}, "
            f"which has {len(experiment.measurements)}"
        )
    return blank.text(*table)


def to_json(findings: Findings, times: bool = False) -> dict[str, Any]:
    """A study's numbers, which depend only on the seed; with ``times``, its times instead."""
    return {
        "study": findings.study.name,
        "quick": findings.quick,
        "seed": findings.seed,
        "plyground": __version__,
        "experiments": [
            {
                "lines": list(experiment.declaration.lines),
                "title": experiment.declaration.title,
                "measurements": [
                    {
                        "declaration": measurement.to_json(),
                        "rows": _rows_of(measurement, cell.rows, times),
                        **({"cpu_seconds": cell.cpu_seconds} if times else {}),
                    }
                    for measurement, cell in experiment.measurements
                ],
            }
            for experiment in findings.experiments
        ],
    }


def write_json(findings: Findings, folder: Path) -> None:
    """Write ``NAME.json`` and, with the times, ``NAME.times.json``."""
    for ending, times in (("json", False), ("times.json", True)):
        with written_whole(folder / f"{findings.study.stem}.{ending}") as file:
            text = json.dumps(to_json(findings, times), ensure_ascii=False, indent=1)
            file.write(f"{text}\n".encode())


def write_parquet(findings: Findings, folder: Path) -> None:
    """Write ``NAME.parquet``: one row for each value of each table.

    Raises:
        SpecificationError: pyarrow is not installed.
    """
    needs = 'the Parquet file of a study needs pyarrow: pip install "plyground[study]"'
    with refusing(ImportError, needs):
        import pyarrow as pa
        import pyarrow.parquet as pq
    lines = [
        {
            "study": findings.study.name,
            "lines": ", ".join(experiment.declaration.lines),
            "experiment": experiment.declaration.title,
            "measurement": number,
            "row": index,
            "column": column.key,
            "timed": column.timed or not measurement.repeatable,
            **_value(row[column.key]),
        }
        for experiment in findings.experiments
        for number, (measurement, cell) in enumerate(experiment.measurements)
        for index, row in enumerate(cell.rows)
        for column in measurement.columns
    ]
    kinds = {
        "measurement": pa.int64(),
        "row": pa.int64(),
        "timed": pa.bool_(),
        "number": pa.float64(),
    }
    schema = pa.schema([(key, kinds.get(key, pa.string())) for key in lines[0]])
    with written_whole(folder / f"{findings.study.stem}.parquet") as file:
        pq.write_table(pa.Table.from_pylist(lines, schema), file)


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, str) or value is None:
        return {"number": None, "text": value}
    return {"number": float(value), "text": None}
