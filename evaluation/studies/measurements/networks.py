"""Networks: what their training cost and what they reached, as their model cards say."""

from __future__ import annotations

import dataclasses

from ....agents.policies.zoo import cards
from ....envs.registry import make_game
from .measurement import COUNT, NUMBER, SHARE, TEXT, Column, Measurement, Row, Workplace


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
        boards = [make_game(board) for board in self.boards]
        return [
            {
                "network": f"zoo:{card.name}",
                "game": card.game,
                "algorithm": card.algorithm,
                "hours": card.training["processor_hours"],
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
            for card in cards()
            if make_game(card.game) in boards
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
