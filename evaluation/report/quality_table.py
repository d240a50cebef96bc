"""Tables of move quality for every agent, situation and phase.

Shares of optimal moves and blunders, mean loss, mean time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...agents.lookahead import SITUATIONS
from ..move_quality.judge import BLUNDERS, PHASES, Evidence, JudgedMove
from ..statistics.intervals import mean_margin, share_interval
from .display import duration, percent, plain_table

ALL = "all"


class Quality(NamedTuple):
    """The quality of some moves of one agent.

    Attributes:
        agent: its label.
        phase: one of ``PHASES``, or of ``SITUATIONS``, or ``ALL``.
        moves: how many moves.
        optimal: the share of optimal moves, and the ends of its 95 % interval.
        loss: the mean loss a move on the solver's scale, and half the width of its 95 % interval.
        blunder: the share of blunders, and the ends of its 95 % interval.
        blunders: how many of each kind, in the order of ``BLUNDERS``.
        seconds: the mean time a move.
    """

    agent: str
    phase: str
    moves: int
    optimal: tuple[float, float, float]
    loss: tuple[float, float]
    blunder: tuple[float, float, float]
    blunders: tuple[int, ...]
    seconds: float

    def to_json(self) -> dict[str, Any]:
        return {
            "agent": self.agent,
            "phase": self.phase,
            "moves": self.moves,
            "optimal": dict(zip(("share", "lower", "upper"), self.optimal)),
            "loss": dict(zip(("mean", "margin"), self.loss)),
            "blunder": dict(zip(("share", "lower", "upper"), self.blunder)),
            "blunders": dict(zip(BLUNDERS, self.blunders)),
            "seconds_per_move": self.seconds,
        }


def qualities(evidence: Evidence) -> list[Quality]:
    """For each agent that has moved: all its moves, then those of each situation and phase."""
    rows = []
    for number, label in enumerate(evidence.labels):
        own = [move for move in evidence.moves if move.agent == number]
        for name in (ALL, *SITUATIONS, *PHASES):
            moves = [move for move in own if name in (ALL, move.situation, PHASES[move.phase])]
            if moves:
                rows.append(_quality(label, name, moves))
    return rows


def _quality(label: str, phase: str, moves: Sequence[JudgedMove]) -> Quality:
    clusters = np.array([move.cluster for move in moves], np.int64)
    losses = np.array([move.loss for move in moves], np.int64)
    kinds = np.array([move.blunder for move in moves], np.int64)
    return Quality(
        label,
        phase,
        len(moves),
        optimal=share_interval((losses == 0).astype(np.int64), clusters),
        loss=mean_margin(losses, clusters),
        blunder=share_interval((kinds >= 0).astype(np.int64), clusters),
        blunders=tuple(int(np.count_nonzero(kinds == kind)) for kind in range(len(BLUNDERS))),
        seconds=float(np.mean([move.seconds for move in moves])),
    )


def print_qualities(evidence: Evidence, meaning: str, console: Console) -> None:
    """Tables of agents, situations and phases, the unit of values, and the positions left out."""
    rows = qualities(evidence)
    console.print(_overview(rows))
    for names in (SITUATIONS, PHASES):
        parts = [name for name in names if any(row.phase == name for row in rows)]
        heading = "by situation" if names == SITUATIONS else "by phase"
        console.print(f"\noptimal moves in % and value lost a move, {heading}")
        console.print(_by_part(rows, parts))
    if meaning:
        console.print(f"\nvalues: {meaning}", style="dim", markup=False, soft_wrap=True)
    left_out = ", ".join(
        f"{number:,} {reason}" for reason, number in evidence.left_out.items() if number
    )
    if left_out:
        console.print(f"left out: {left_out}", style="dim", markup=False, soft_wrap=True)
    for label, (count, first) in evidence.faults.items():
        console.print(
            f"{label} failed to move in {count} positions, first because it {first}",
            style="red",
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
            table.add_row(Text(row.agent), *figures, *map(str, row.blunders), duration(row.seconds))
    return table


def _by_part(rows: list[Quality], parts: Sequence[str]) -> Table:
    """Phases or situations, with the number of moves where that is the same for all agents."""
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
        table.add_row(Text(agent), *figures)
    return table


def _table(*headings: str) -> Table:
    """A table of agents whose numbers never wrap; rather their names do."""
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
