"""From results to numbers: the cross table of a tournament. It knows games by their results only, never a board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from .store import StoredGame


class Tally:
    """Wins, draws and losses from one side."""

    __slots__ = ("draws", "losses", "wins")

    def __init__(self, wins: int = 0, draws: int = 0, losses: int = 0) -> None:
        self.wins, self.draws, self.losses = wins, draws, losses

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float | None:
        """Points for each game (a win is one, a draw half a point), or None before the first game."""
        return (self.wins + self.draws / 2) / self.games if self.games else None

    def count(self, result: float) -> None:
        """Count one game by its return to this side."""
        if result > 0:
            self.wins += 1
        elif result < 0:
            self.losses += 1
        else:
            self.draws += 1

    def to_json(self) -> dict[str, Any]:
        return {"games": self.games, "wins": self.wins, "draws": self.draws, "losses": self.losses, "score": self.score}


class AgentRow:
    """What one agent has done.

    Attributes:
        number: its place in the tournament.
        label: its name.
        total: all its games.
        by_seat: its games in seat 0 and in seat 1.
        against: its games by the opponent's number.
        faults: how often it forfeited, by kind of fault.
        last_fault: the reason of the latest of those games, or None.
        seconds: its thinking time.
        decisions: the moves it was asked for.
    """

    def __init__(self, number: int, label: str, opponents: Iterable[int]) -> None:
        self.number, self.label = number, label
        self.total, self.by_seat = Tally(), (Tally(), Tally())
        self.against = {opponent: Tally() for opponent in opponents}
        self.faults: Counter[str] = Counter()
        self.last_fault: str | None = None
        self.seconds, self.decisions = 0.0, 0
        self._sequences: set[int] = set()

    @property
    def seconds_per_move(self) -> float | None:
        return self.seconds / self.decisions if self.decisions else None

    @property
    def distinct_games(self) -> int:
        """How many different sequences of moves its games have."""
        return len(self._sequences)

    @property
    def distinct_share(self) -> float | None:
        """Distinct games in proportion to all games."""
        return self.distinct_games / self.total.games if self.total.games else None

    def count(self, game: StoredGame, seat: int) -> None:
        """Count a game in which the agent sat in ``seat``."""
        result = game.result
        for tally in (self.total, self.by_seat[seat], self.against[game.players[1 - seat]]):
            tally.count(result.returns[seat])
        self.seconds += result.seconds[seat]
        self.decisions += result.decisions[seat]
        self._sequences.add(hash(result.moves))  # 64 bits: a table of a million games stays small
        if result.forfeited == seat:
            assert result.fault is not None
            self.faults[result.fault] += 1
            self.last_fault = result.reason

    def to_json(self) -> dict[str, Any]:
        return {
            "agent": self.label,
            **self.total.to_json(),
            "seconds_per_move": self.seconds_per_move,
            "distinct_games": self.distinct_games,
            "distinct_share": self.distinct_share,
            "forfeits": dict(self.faults),
            "last_forfeit": self.last_fault,
            "as_player_0": self.by_seat[0].to_json(),
            "as_player_1": self.by_seat[1].to_json(),
        }


class CrossTable:
    """The results of everybody against everybody; games are counted one by one as they come."""

    def __init__(self, labels: list[str], games: Iterable[StoredGame] = ()) -> None:
        numbers = range(len(labels))
        self.rows = [AgentRow(number, label, (n for n in numbers if n != number)) for number, label in enumerate(labels)]
        self.games = 0
        for game in games:
            self.count(game)

    def count(self, game: StoredGame) -> None:
        """Count one more game."""
        self.games += 1
        for seat in (0, 1):
            self.rows[game.players[seat]].count(game, seat)

    def standings(self) -> list[AgentRow]:
        """The rows, the highest score first; equals in the order of the tournament."""
        return sorted(self.rows, key=lambda row: -(row.total.score or 0.0))

    def to_json(self) -> dict[str, Any]:
        rows = self.standings()
        meetings = [
            {"agent": row.label, "opponent": self.rows[opponent].label, **tally.to_json()} for row in rows for opponent, tally in row.against.items()
        ]
        return {"games": self.games, "agents": [row.to_json() for row in rows], "meetings": meetings}
