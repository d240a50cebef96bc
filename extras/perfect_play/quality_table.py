"""Tables of move quality for every agent, situation and phase.

Shares of optimal moves and blunders, mean loss, mean time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from ...agents.lookahead import SITUATIONS
from ...envs.loading.texts import counted
from ...evaluation.move_quality.judge import PHASES, Evidence
from ...evaluation.move_quality.qualities import ALL, Quality, qualities
from ...evaluation.report.display import Name, duration, percent, plain_table


def print_qualities(evidence: Evidence, meaning: str, console: Console) -> None:
    """Print tables of agents, situations and phases, the unit of values, and skipped positions."""
    rows = qualities(evidence)
    console.print(_overview(rows))
    for names in (SITUATIONS, PHASES):
        parts = [name for name in names if any(row.phase == name for row in rows)]
        heading = "by situation" if names == SITUATIONS else "by phase"
        console.print(f"\noptimal moves in % and value lost per move, {heading}")
        console.print(_by_part(rows, parts))
        if names == SITUATIONS:
            _print_missed(rows, console)
    if meaning:
        console.print(f"\nvalues: {meaning}", style="dim", markup=False, soft_wrap=True)
    left_out = ", ".join(
        f"{number:,} {reason}" for reason, number in evidence.left_out.items() if number
    )
    if left_out:
        console.print(f"left out: {left_out}", style="dim", markup=False, soft_wrap=True)
    for line in evidence.fault_lines:
        console.print(line, style="red", markup=False, soft_wrap=True)


def _print_missed(rows: list[Quality], console: Console) -> None:
    """A line for each agent that missed wins or blocks, or halved the rest of a lost game."""
    for row in rows:
        if row.phase == ALL and any(row.missed):
            wins, blocks, hastened = row.missed
            console.print(
                f"{row.agent} missed {counted(wins, 'win')} and {counted(blocks, 'block')}, "
                f"hastened {counted(hastened, 'loss', 'losses')}",
                markup=False,
                soft_wrap=True,
            )


def _overview(rows: list[Quality]) -> Table:
    kinds = ("won→\ndrawn", "won→\nlost", "drawn→\nlost")
    table = _table("moves", "opti-\nmal %", "95 %", "lost\n/move", "±", *kinds, "time\n/move")
    for row in rows:
        if row.phase == ALL:
            share, low, high = row.optimal
            figures = [
                str(row.moves),
                percent(share),
                f"{100 * low:.0f}–{100 * high:.0f}",
                f"{row.loss[0]:.2f}",
                f"{row.loss[1]:.2f}",
            ]
            table.add_row(Name(row.agent), *figures, *map(str, row.blunders), duration(row.seconds))
    return table


def _by_part(rows: list[Quality], parts: Sequence[str]) -> Table:
    """Phases or situations, with the number of moves if it is the same for all agents."""
    headings = []
    for part in parts:
        counts = {row.moves for row in rows if row.phase == part}
        headings += [f"{part}\n({counts.pop()})" if len(counts) == 1 else part, "lost"]
    table = _table(*headings)
    by_part = {(row.agent, row.phase): row for row in rows}
    for agent in dict.fromkeys(row.agent for row in rows):
        figures = []
        for part in parts:
            row = by_part.get((agent, part))
            figures += (
                ["-", "-"] if row is None else [percent(row.optimal[0]), f"{row.loss[0]:.2f}"]
            )
        table.add_row(Name(agent), *figures)
    return table


def _table(*headings: str) -> Table:
    """A table of agents whose names wrap, but never the numbers."""
    table = plain_table("agent", *headings)
    table.padding = (0, 1, 0, 0)
    table.columns[0].min_width = 16
    for column in table.columns[1:]:
        column.no_wrap = True
    return table


def to_json(evidence: Evidence) -> dict[str, Any]:
    """All figures as plain data."""
    return {
        "qualities": [row.to_json() for row in qualities(evidence)],
        "left_out": evidence.left_out,
        "faults": {
            label: {"positions": count, "first": first}
            for label, (count, first) in evidence.faults.items()
        },
    }
