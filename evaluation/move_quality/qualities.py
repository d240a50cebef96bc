"""The quality of agents' moves by situation and phase, with 95 % intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...agents.lookahead import SITUATIONS
from ..statistics.intervals import mean_margin, share_interval
from .judge import BLUNDERS, PHASES, Evidence, JudgedMove
from .missed import MISSED

ALL = "all"


class Quality(NamedTuple):
    """The quality of some moves of one agent.

    Attributes:
        agent: its label.
        phase: one of ``PHASES``, or of ``SITUATIONS``, or ``ALL``.
        moves: number of moves.
        optimal: the share of optimal moves, and the ends of its 95 % interval.
        loss: the mean loss per move on the solver's scale, and half the width of its 95 % interval.
        blunder: the share of blunders, and the ends of its 95 % interval.
        blunders: the number of each kind, in the order of ``BLUNDERS``.
        seconds: the mean time per move.
        missed: the number of each kind of miss, in the order of ``MISSED``.
    """

    agent: str
    phase: str
    moves: int
    optimal: tuple[float, float, float]
    loss: tuple[float, float]
    blunder: tuple[float, float, float]
    blunders: tuple[int, ...]
    seconds: float
    missed: tuple[int, ...]

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
            "missed": dict(zip(MISSED, self.missed)),
        }


def qualities(evidence: Evidence) -> list[Quality]:
    """For each agent: the quality of all its moves, then by situation and phase."""
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
        missed=tuple(sum(move.missed == kind for move in moves) for kind in MISSED),
    )
