"""Helpers of the benchmarks: contestants in turns, medians, tables.

Rates are per second of processor time, so that other load of the machine hardly matters.
"""

from __future__ import annotations

import itertools
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

Work = Callable[[], int]  # does some work and returns its amount


def processor_seconds(
    function: Callable[..., Any], *arguments: Any, **options: Any
) -> tuple[float, Any]:
    """The processor time and the result of one call."""
    start = time.process_time()
    value = function(*arguments, **options)
    return time.process_time() - start, value


def rates(
    contestants: Mapping[str, Work],
    seconds: float,
    turns: int,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, float]:
    """Median work per second of each contestant.

    The contestants take turns of ``seconds``, in which they work at least once; an additional first
    turn warms up.
    """
    samples: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(turns + 1):
        for name, work in contestants.items():
            amount, duration, start = 0, 0.0, clock()
            while duration < seconds:
                amount += work()
                duration = clock() - start
            samples[name].append(amount / duration)
    return {name: statistics.median(values[1:]) for name, values in samples.items()}


def print_table(title: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table row by row; all columns but the first are right-aligned.

    Output to a file is Markdown.
    """
    if not sys.stdout.isatty():
        line = ["---", *["---:"] * (len(headings) - 1)]
        print(f"{title}\n")
        for row in itertools.chain((headings, line), rows):
            print(f"| {' | '.join(row)} |", flush=True)
        return
    table = Table(title=title)
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left")
    console = Console(width=140)
    with console.status("measuring …"):
        for row in rows:
            table.add_row(*row)
    console.print(table)
