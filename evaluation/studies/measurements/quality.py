"""Quality: agents' moves against perfect play, by phase or by what the position asks for."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np

from ....agents import make_agent
from ....envs.game import Position
from ....envs.registry import make_game
from ...quality import PHASES, JudgedMove, MoveJudge, ask_agents, sample_positions
from ...statistics.intervals import mean_margin, share_interval
from .measurement import (
    COUNT,
    NUMBER,
    SECONDS,
    SHARE,
    TEXT,
    Column,
    Measurement,
    Row,
    Workplace,
    percent_text,
)  # fmt: skip

ALL = "all"
TAKE, WIN, PARRY, QUIET = "moves again", "wins at once", "must parry", "quiet"


@dataclasses.dataclass(frozen=True)
class MoveQuality(Measurement):
    """How often agents play a best move in random positions.

    The positions are divided by phase, and by the situation of the mover: it can win at once, it
    can complete something and move again, some of its moves let the opponent win at once, or none
    of these.

    Attributes:
        game: the game; it must have an exact solver.
        agents: the agents' specifications.
        positions: how many random positions.
        seed: decides the positions and the agents' random choices.
        from_ply: how many random moves the positions have at least; None: as suits the solver.
        time_limit: seconds for solving a position.
    """

    game: str
    agents: tuple[str, ...]
    positions: int
    seed: int = 1
    from_ply: int | None = None
    time_limit: float = 60.0

    columns = (
        Column("game", "game", TEXT),
        Column("agent", "agent", TEXT),
        Column("part", "positions", TEXT),
        Column("moves", "moves", COUNT),
        Column("optimal", "best moves", SHARE, ends=("low", "high")),
        Column("low", "from", SHARE),
        Column("high", "to", SHARE),
        Column("loss", "value lost a move", NUMBER),
        Column("blunders", "result changed", SHARE),
        Column("time", "time a move", SECONDS, timed=True),
    )

    def games(self) -> tuple[str, ...]:
        return (self.game,)

    def agents_named(self) -> tuple[str, ...]:
        return self.agents

    @property
    def repeatable(self) -> bool:
        return not any("time=" in agent for agent in self.agents)

    def measure(self, workplace: Workplace) -> list[Row]:
        game = make_game(self.game)
        judge = MoveJudge(game, time_limit=self.time_limit)
        sample = sample_positions(judge, self.positions, self.seed, self.from_ply)
        agents = [make_agent(spec, game) for spec in self.agents]
        evidence = ask_agents(judge, sample, agents, self.agents, self.seed)
        asked = [situation(position) for position, _ in sample.positions]
        rows = []
        for number in range(len(self.agents)):
            own = [move for move in evidence.moves if move.agent == number]
            parts: list[tuple[str, Iterable[JudgedMove]]] = [(ALL, own)]
            parts += [
                (name, [move for move in own if move.phase == phase])
                for phase, name in enumerate(PHASES)
            ]
            parts += [
                (name, [move for move in own if asked[move.cluster] == name])
                for name in (WIN, TAKE, PARRY, QUIET)
            ]
            rows += [self._row(number, part, list(moves)) for part, moves in parts if moves]
        return rows

    def _row(self, agent: int, part: str, moves: list[JudgedMove]) -> Row:
        clusters = np.array([move.cluster for move in moves], np.int64)
        losses = np.array([move.loss for move in moves], np.int64)
        share, low, high = share_interval((losses == 0).astype(np.int64), clusters)
        return {
            "game": self.game,
            "agent": self.agents[agent],
            "part": part,
            "moves": len(moves),
            "optimal": share,
            "low": low,
            "high": high,
            "loss": mean_margin(losses, clusters)[0],
            "blunders": float(np.mean([move.blunder >= 0 for move in moves])),
            "time": float(np.mean([move.seconds for move in moves])),
        }

    def finding(self, rows: list[Row]) -> str:
        whole = [row for row in rows if row["part"] == ALL]
        best = max(whole, key=lambda row: row["optimal"])
        weakest = min(
            (row for row in rows if row["agent"] == best["agent"] and row["part"] != ALL),
            key=lambda row: row["optimal"],
        )
        others = ", ".join(
            f"{row['agent']} {percent_text(row['optimal'])}" for row in whole if row is not best
        )
        return (
            f"{self.game}: {best['agent']} plays a best move in {percent_text(best['optimal'])} of "
            f"{best['moves']} positions ({others}); it errs most in those called "
            f"“{weakest['part']}” ({percent_text(weakest['optimal'])})."
        )


def situation(position: Position) -> str:
    """What a position asks of the mover."""
    mover, again, lets_win = position.to_move, False, False
    for action in position.legal_actions():
        after = position.after(action)
        if after.is_over:
            if after.returns[mover] > 0:
                return WIN
        elif after.to_move == mover:
            again = True
        else:
            lets_win = lets_win or _can_win_at_once(after)
    return TAKE if again else PARRY if lets_win else QUIET


def _can_win_at_once(position: Position) -> bool:
    mover = position.to_move
    results = (position.after(action) for action in position.legal_actions())
    return any(after.is_over and after.returns[mover] > 0 for after in results)
