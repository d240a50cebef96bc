"""Games: who wins from which seat, and how strong the agents of a pool are."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ....envs.specification import SpecificationError
from ...runners.contest import Conditions
from ...statistics.cross_table import CrossTable
from ...statistics.intervals import share_interval
from ...statistics.ratings import Ratings, RatingsError, rate
from ...store.store import Store, StoredGame
from ...tournament import Plan, Tournament
from .measurement import (
    COUNT,
    NUMBER,
    SECONDS,
    SHARE,
    SIGNED,
    TEXT,
    Column,
    Measurement,
    Row,
    Workplace,
    percent_text,
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Pool(Measurement):
    """Agents that play each other.

    Attributes:
        game: the game.
        agents: their specifications.
        pairs: pairs of games in each meeting.
        opening: where openings come from.
        format: which agents meet.
        seed: decides openings and the agents' random choices.
    """

    game: str
    agents: tuple[str, ...]
    pairs: int
    opening: str = "random:2"
    format: str = "round-robin"
    seed: int = 1

    def games(self) -> tuple[str, ...]:
        return (self.game,)

    def agents_named(self) -> tuple[str, ...]:
        return self.agents

    @property
    def repeatable(self) -> bool:
        return not any("time=" in agent for agent in self.agents)

    def play(self, workplace: Workplace) -> tuple[list[StoredGame], list[str]]:
        """The games and the agents' labels. Games that the store holds already are not played."""
        plan = Plan(
            self.game, self.agents, self.pairs, self.opening, seed=self.seed, format=self.format
        )
        path = workplace.folder / f"{workplace.name}.db"
        with Store(path) as store:
            # The agents are the suite's own: a process of their own would only cost time.
            tournament = Tournament(plan, store, conditions=Conditions(isolation="never"))
            tournament.find_openings()
            tournament.get_ready()
            tournament.run()
            games = sorted(tournament.played(), key=lambda game: (game.pair, game.players))
        faults = [game.result.reason for game in games if game.result.fault is not None]
        if faults:
            raise SpecificationError(f"{self.game}: an agent of a study forfeited: {faults[0]}")
        return games, tournament.labels


@dataclasses.dataclass(frozen=True)
class Seats(Pool):
    """Results of the first and of the second player of each meeting, with intervals."""

    columns = (
        Column("game", "game", TEXT),
        Column("first", "moves first", TEXT),
        Column("second", "moves second", TEXT),
        Column("games", "games", COUNT),
        Column("distinct", "distinct", COUNT),
        Column("first_wins", "first wins", SHARE, ends=("first_low", "first_high")),
        Column("first_low", "from", SHARE),
        Column("first_high", "to", SHARE),
        Column("second_wins", "second wins", SHARE, ends=("second_low", "second_high")),
        Column("second_low", "from", SHARE),
        Column("second_high", "to", SHARE),
        Column("draws", "draws", SHARE),
        Column("plies", "plies a game", NUMBER),
        Column("first_time", "time a move, first", SECONDS, timed=True),
        Column("second_time", "time a move, second", SECONDS, timed=True),
    )

    def measure(self, workplace: Workplace) -> list[Row]:
        games, _ = self.play(workplace)
        meetings: dict[tuple[str, str], list[StoredGame]] = {}
        for game in games:
            first, second = (self.agents[number] for number in game.players)
            meetings.setdefault((first, second), []).append(game)
        return [self._row(*names, found) for names, found in meetings.items()]

    def _row(self, first: str, second: str, games: list[StoredGame]) -> Row:
        results = np.array([game.result.returns[0] for game in games])
        clusters = np.array([game.pair for game in games], np.int64)
        won, won_low, won_high = share_interval((results > 0).astype(np.int64), clusters)
        lost, lost_low, lost_high = share_interval((results < 0).astype(np.int64), clusters)
        seconds = np.array([game.result.seconds for game in games]).sum(0)
        decisions = np.array([game.result.decisions for game in games]).sum(0)
        return {
            "game": self.game,
            "first": first,
            "second": second,
            "games": len(games),
            "distinct": len({game.result.moves for game in games}),
            "first_wins": won,
            "first_low": won_low,
            "first_high": won_high,
            "second_wins": lost,
            "second_low": lost_low,
            "second_high": lost_high,
            "draws": float(np.mean(results == 0)),
            "plies": float(np.mean([len(game.result.moves) for game in games])),
            "first_time": float(seconds[0] / max(decisions[0], 1)),
            "second_time": float(seconds[1] / max(decisions[1], 1)),
        }

    def finding(self, rows: list[Row]) -> str:
        parts = [
            f"{row['first']} before {row['second']} wins {percent_text(row['first_wins'])}, loses "
            f"{percent_text(row['second_wins'])}, draws {percent_text(row['draws'])} of "
            f"{row['games']:,}"
            for row in (rows if len(rows) < 3 else [max(rows, key=lambda row: row["first_wins"])])
        ]
        best = "" if len(rows) < 3 else "The best first player: "
        return f"{self.game}: {best}{'; '.join(parts)} games."


@dataclasses.dataclass(frozen=True)
class Strength(Pool):
    """Ratings of a pool, and the time a move. The mean of the ratings is 0."""

    columns = (
        Column("game", "game", TEXT),
        Column("agent", "agent", TEXT),
        Column("elo", "Elo", SIGNED),
        Column("margin", "± (95 %)", NUMBER),
        Column("score", "score", SHARE),
        Column("score_first", "moving first", SHARE),
        Column("score_second", "moving second", SHARE),
        Column("games", "games", COUNT),
        Column("distinct", "distinct", COUNT),
        Column("front", "on the Pareto front", TEXT, timed=True),
        Column("time", "time a move", SECONDS, timed=True),
    )

    def measure(self, workplace: Workplace) -> list[Row]:
        games, labels = self.play(workplace)
        table = CrossTable(labels, games)
        try:
            ratings: Ratings | None = rate(labels, table.meetings())
        except RatingsError:
            ratings = None
        order = ratings.order() if ratings else [row.number for row in table.standings()]
        rows = [self._row(table, number, ratings) for number in order]
        for row in rows:
            quicker = [other for other in rows if other["time"] < row["time"]]
            row["front"] = (
                "yes" if all(other["score"] < row["score"] for other in quicker) else "no"
            )
        return rows

    def _row(self, table: CrossTable, number: int, ratings: Ratings | None) -> Row:
        row = table.rows[number]
        return {
            "game": self.game,
            "agent": row.label,
            "elo": float(ratings.elo[number]) if ratings else None,
            "margin": ratings.margin(number) if ratings else None,
            "score": row.total.score,
            "score_first": row.by_seat[0].score,
            "score_second": row.by_seat[1].score,
            "games": row.total.games,
            "distinct": row.distinct_games,
            "time": row.seconds_per_move,
        }

    def finding(self, rows: list[Row]) -> str:
        best, worst = rows[0], rows[-1]
        return (
            f"{self.game}: {best['agent']} is the strongest with {_elo(best)}, {worst['agent']} "
            f"the weakest with {_elo(worst)}."
        )


def _elo(row: dict[str, Any]) -> str:
    if row["elo"] is None:
        return f"a score of {percent_text(row['score'])}"
    return f"{row['elo']:+.0f} ± {row['margin']:.0f} Elo"
