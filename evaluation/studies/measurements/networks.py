"""Networks: what their training cost and what they reached, as their model cards say."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ....agents.policies.zoo import Card, cards
from ....envs.registry import make_game
from .measurement import (
    COUNT,
    NUMBER,
    SHARE,
    TEXT,
    Column,
    Measurement,
    Row,
    Workplace,
    percent_text,
    share_columns,
)  # fmt: skip

OPTIMAL = "optimal moves"  # what the training runs call the share of them
NEARLY = 0.95  # of the best score


@dataclasses.dataclass(frozen=True)
class Networks(Measurement):
    """The shipped networks that play some boards."""

    boards: tuple[str, ...]

    columns = (
        Column("network", "network", TEXT),
        Column("game", "game", TEXT),
        Column("algorithm", "learnt by", TEXT),
        Column("hours", "processor hours", NUMBER),
        Column("games", "games of its own", COUNT),
        Column("weights", "weights", COUNT),
        Column("agent", "as", TEXT),
        Column("optimal", "best moves", SHARE),
        Column("elo", "Elo (random = 0)", COUNT),
    )

    def measure(self, workplace: Workplace) -> list[Row]:
        return [
            {
                "network": f"zoo:{card.name}",
                "game": card.game,
                "algorithm": card.algorithm,
                "hours": _hours(card.training),
                "games": card.training.get("games"),
                "weights": card.parameters,
                "agent": row["agent"],
                "optimal": row["optimal"],
                "elo": next(
                    (
                        rated["elo"]
                        for rated in card.measured["ratings"]["rows"]
                        if rated["agent"] == row["agent"]
                    ),
                    None,
                ),
            }
            for card in _cards(self.boards)
            for row in card.measured["quality"]["rows"]
            if row["phase"] == "all"
        ]

    def finding(self, rows: list[Row]) -> str:
        told = [
            f"{row['agent']} on {row['game']} {100 * row['optimal']:.0f} % best moves after "
            f"{row['hours']:g} processor hours"
            for row in rows
            if row["agent"] == row["network"]
        ]
        return f"{'; '.join(told)}."


@dataclasses.dataclass(frozen=True)
class Learning(Measurement):
    """What the shipped networks of some boards scored while they learnt, without search.

    Shown are the share of best moves and the score against the last opponent of the run, which is
    the strongest.
    """

    boards: tuple[str, ...]

    columns = (
        Column("run", "network", TEXT),
        Column("algorithm", "learnt by", TEXT),
        Column("opponent", "against", TEXT),
        Column("hours", "processor hours", NUMBER),
        *share_columns("score", "score"),
    )

    def measure(self, workplace: Workplace) -> list[Row]:
        return [
            {
                "run": f"zoo:{card.name} on {card.game}",
                "algorithm": card.algorithm,
                "opponent": entry["opponent"],
                "hours": entry["processor_hours"],
                "score": entry["score"],
                "score_low": entry["low"],
                "score_high": entry["high"],
            }
            for card in _cards(self.boards)
            for entry in _told(card.training.get("curve", ()))
        ]

    def finding(self, rows: list[Row]) -> str:
        told = []
        for run in dict.fromkeys(row["run"] for row in rows):
            own = [row for row in rows if row["run"] == run and row["opponent"] == OPTIMAL]
            if own:
                best = max(own, key=lambda row: row["score"])
                near = next(row for row in own if row["score"] >= NEARLY * best["score"])
                told.append(
                    f"{run} {percent_text(near['score'])} after {near['hours']:.2g} hours, at most "
                    f"{percent_text(best['score'])} after {best['hours']:.2g}"
                )
        return f"Best moves by processor hours of training: {'; '.join(told)}."


def _hours(training: Mapping[str, Any]) -> float:
    """The processor time of a run and of those before it."""
    before = _hours(training["before"]) if "before" in training else 0.0
    return float(training["processor_hours"]) + before


def _told(curve: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The points of a curve that a table shows."""
    opponents = dict.fromkeys(point["opponent"] for point in curve)
    shown = {OPTIMAL, *[name for name in opponents if name != OPTIMAL][-1:]}
    return [point for point in curve if point["opponent"] in shown]


def _cards(boards: tuple[str, ...]) -> list[Card]:
    """The model cards of the networks that learnt on some boards."""
    wanted = [make_game(board) for board in boards]
    return [card for card in cards() if make_game(card.game) in wanted]
