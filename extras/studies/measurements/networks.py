"""Networks: the cost and the results of their training, from their model cards."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from ....agents.policies.zoo import Card, cards
from ....envs.registry import make_game
from .measurement import (
    ALL,
    COUNT,
    NUMBER,
    SHARE,
    TEXT,
    Column,
    Measurement,
    share_columns,
)  # fmt: skip

OPTIMAL = "optimal moves"  # its name in training runs


@dataclasses.dataclass(frozen=True)
class Networks(Measurement):
    """The shipped networks that play some boards."""

    boards: tuple[str, ...]

    columns: ClassVar[tuple[Column, ...]] = (
        Column("network", "network", TEXT),
        Column("game", "game", TEXT),
        Column("algorithm", "learnt by", TEXT),
        Column("hours", "processor hours", NUMBER),
        Column("games", "games of its own", COUNT, detail=True),
        Column("weights", "weights", COUNT, detail=True),
        Column("agent", "as", TEXT),
        Column("optimal", "best moves", SHARE),
        Column("elo", "Elo (random = 0)", COUNT),
    )

    def rows(self, path: Path) -> Iterable[tuple[Any, ...]]:
        for card in _cards(self.boards):
            elo = {row["agent"]: row["elo"] for row in card.board["ratings"]["rows"]}
            facts = (
                f"zoo:{card.name}", card.game, card.algorithm, _hours(card.training),
                card.training.get("games"), card.parameters,
            )  # fmt: skip
            for row in card.board["quality"]["rows"]:
                if row["phase"] == ALL and row["agent"] in card.agents:
                    yield *facts, row["agent"], row["share"], elo.get(row["agent"])


@dataclasses.dataclass(frozen=True)
class Learning(Measurement):
    """The scores of the shipped networks of some boards during training, without search.

    The table has the share of best moves and the score against the last opponent of the run, which
    is the strongest.
    """

    boards: tuple[str, ...]

    columns: ClassVar[tuple[Column, ...]] = (
        Column("run", "network", TEXT),
        Column("algorithm", "learnt by", TEXT),
        Column("opponent", "against", TEXT),
        Column("hours", "processor hours", NUMBER),
        *share_columns("score", "score"),
    )

    def rows(self, path: Path) -> Iterable[tuple[Any, ...]]:
        for card in _cards(self.boards):
            curve = card.training.get("curve", ())
            opponents = dict.fromkeys(point["opponent"] for point in curve)
            columns = {OPTIMAL, *[name for name in opponents if name != OPTIMAL][-1:]}
            for point in curve:
                if point["opponent"] in columns:
                    score = point["score"], point["low"], point["high"]
                    run = f"zoo:{card.name} on {card.game}", card.algorithm
                    yield *run, point["opponent"], point["processor_hours"], *score


def _hours(training: Mapping[str, Any]) -> float:
    """The processor time of a run and its earlier runs."""
    before = _hours(training["before"]) if "before" in training else 0.0
    return float(training["processor_hours"]) + before


def _cards(boards: tuple[str, ...]) -> list[Card]:
    """The model cards of the networks trained on these boards."""
    games = [make_game(board) for board in boards]
    return [card for card in cards() if make_game(card.game) in games]
