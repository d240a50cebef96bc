"""The cross table of a tournament, from the results of its games.

A game that two deterministic agents repeat is no new evidence and is counted once. Whether they are
deterministic is inferred from their games: if they always played the same moves from a repeated
opening position, the repeated games do not count; once they play different moves, their games are
samples, and all of them count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from ...agents.faults import AgentFaults
from ...envs.game import Game
from ...envs.loading.texts import counted
from ...envs.pictures.tables import html_table
from ..store.store import StoredGame
from .courses import Courses, named
from .ratings import Meeting, Ratings, rate


class Tally:
    """Wins, draws and losses from one side."""

    __slots__ = ("draws", "losses", "wins")

    def __init__(self, wins: int = 0, draws: int = 0, losses: int = 0) -> None:
        self.wins: int = wins
        self.draws: int = draws
        self.losses: int = losses

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float | None:
        """Points for each game (a win is one, a draw half); None before the first game."""
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
        return {
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "score": self.score,
        }


class AgentRow:
    """The results of one agent.

    Attributes:
        number: its place in the tournament.
        label: its name.
        played: the number of games played, including repeated ones. Faults, time and moves are of
            all of them.
        total: its games that count.
        by_seat: its games in seat 0 and in seat 1.
        against: its games by the opponent's number.
        faults: the games that it forfeited.
        seconds: its thinking time.
        decisions: the number of moves it was asked for.
        tokens: the tokens used by its language model.
        courses: hashes of the different courses of its games.
    """

    def __init__(self, number: int, label: str, opponents: Iterable[int]) -> None:
        self.number: int = number
        self.label: str = label
        self.played: int = 0
        self.total: Tally = Tally()
        self.by_seat: tuple[Tally, Tally] = (Tally(), Tally())
        self.against: dict[int, Tally] = {opponent: Tally() for opponent in opponents}
        self.faults: AgentFaults = AgentFaults(label)
        self.seconds: float = 0.0
        self.decisions: int = 0
        self.tokens: int = 0
        self.courses: set[int] = set()

    @property
    def seconds_per_move(self) -> float | None:
        return self.seconds / self.decisions if self.decisions else None

    @property
    def distinct_games(self) -> int:
        """The number of different courses of its games."""
        return len(self.courses)

    @property
    def distinct_share(self) -> float | None:
        """The share of distinct games."""
        return self.distinct_games / self.played if self.played else None

    def count(self, seat: int, opponent: int, result: float) -> None:
        """Count the result of a game in which the agent sat in ``seat``."""
        for tally in (self.total, self.by_seat[seat], self.against[opponent]):
            tally.count(result)

    def add_game(self, game: StoredGame, seat: int, course: int) -> None:
        """Add the course, time and faults of a game in which the agent sat in ``seat``."""
        result = game.result
        self.played += 1
        self.seconds += result.seconds[seat]
        self.decisions += result.decisions[seat]
        self.tokens += result.tokens[seat]
        self.courses.add(course)
        self.faults.add(result.reason, result.fault if result.forfeited == seat else None)

    def to_json(self) -> dict[str, Any]:
        return {
            "agent": self.label,
            **self.total.to_json(),
            "repeated_games": self.played - self.total.games,
            "seconds_per_move": self.seconds_per_move,
            "tokens": self.tokens,
            "distinct_games": self.distinct_games,
            "distinct_share": self.distinct_share,
            **self.faults.to_json(),
            "as_player_0": self.by_seat[0].to_json(),
            "as_player_1": self.by_seat[1].to_json(),
        }


class _Result(NamedTuple):
    """A game by its result: pair, agents' numbers by seat, return to seat 0."""

    pair: int
    players: tuple[int, int]
    result: float


class _Encounter:
    """The games of two agents: which ones count, and the results of their pairs."""

    __slots__ = ("_first", "_halves", "_held", "_lines", "pairs")

    def __init__(self, first: int) -> None:
        self._first = first
        # seating and first position -> the course; None once the agents have varied their moves
        self._lines: dict[int, int] | None = {}
        self._held: list[_Result] = []  # repeated games
        # pair -> half-points of the first agent, while only one game of the pair is known
        self._halves: dict[int, int] = {}
        self.pairs = [0, 0, 0, 0, 0]

    def admit(self, game: StoredGame, start: int, course: int) -> list[_Result]:
        """Add a game; returns the games that now count.

        These are this game, none, or this game and all that were held back.
        """
        result = _Result(game.pair, game.players, game.result.returns[0])
        if self._lines is None:
            return self._countable([result])
        line = hash((game.players[0], start))
        earlier = self._lines.get(line)
        if earlier is None:
            self._lines[line] = course
            return self._countable([result])
        if earlier == course:
            self._held.append(result)
            return []
        countable = self._countable([*self._held, result])
        self._held, self._lines = [], None
        return countable

    def _countable(self, results: list[_Result]) -> list[_Result]:
        for pair, players, result in results:
            points = (result > 0) - (result < 0)
            half_points = 1 + (points if players[0] == self._first else -points)
            other = self._halves.pop(pair, None)
            if other is None:
                self._halves[pair] = half_points
            else:
                self.pairs[half_points + other] += 1
        return results

    def singles(self) -> Counter[int]:
        """Games whose pair is incomplete, by half-points of the first agent."""
        return Counter(self._halves.values())


class CrossTable:
    """The results of every agent against every other, counted game by game.

    Args:
        labels: the agents' names.
        game: the game; None if it is not installed, see :class:`.courses.Courses`.
        games: the first games to count.

    Attributes:
        game: as given.
        rows: a row for each agent, in the order of the tournament.
        games: the number of games, including repeated ones.
        courses: hashes of the games' first positions and courses, with a cache of openings.
    """

    def __init__(
        self, labels: list[str], game: Game | None, games: Iterable[StoredGame] = ()
    ) -> None:
        self.game: Game | None = game
        self.courses: Courses = Courses(game)
        numbers = range(len(labels))
        self.rows: list[AgentRow] = [
            AgentRow(number, label, (n for n in numbers if n != number))
            for number, label in enumerate(labels)
        ]
        self.games: int = 0
        self._encounters: dict[tuple[int, int], _Encounter] = {}
        for each in games:
            self.count(each)

    def count(self, game: StoredGame) -> None:
        """Count one more game."""
        self.games += 1
        # 64 bits: a table of a million games stays small
        start, course = self.courses.start(game), self.courses.course(game)
        for seat in (0, 1):
            self.rows[game.players[seat]].add_game(game, seat, course)
        key = min(game.players), max(game.players)
        encounter = self._encounters.get(key) or self._encounters.setdefault(
            key, _Encounter(key[0])
        )
        for _, players, result in encounter.admit(game, start, course):
            self.rows[players[0]].count(0, players[1], result)
            self.rows[players[1]].count(1, players[0], -result)

    def named(self, reason: str) -> str:
        """A reason with the names of the players."""
        return named(self.game, reason)

    @property
    def repeated(self) -> int:
        """The number of games that do not count because deterministic agents repeated them."""
        return self.games - sum(row.total.games for row in self.rows) // 2

    @property
    def distinct_games(self) -> int:
        """The number of different courses of the games."""
        return len(set().union(*(row.courses for row in self.rows)))

    def meetings(self) -> list[Meeting]:
        """The results that count, pair by pair, as input for the ratings."""
        meetings = []
        for (first, second), encounter in self._encounters.items():
            losses, draws, wins = (encounter.singles()[half_points] for half_points in (0, 1, 2))
            all_lost, one, two, three, all_won = encounter.pairs
            meetings.append(
                Meeting(
                    self.rows[first].label,
                    self.rows[second].label,
                    (all_lost, one, two, three, all_won),
                    (losses, draws, wins),
                )
            )
        return meetings

    @property
    def faults(self) -> list[AgentFaults]:
        """What the agents did wrong that forfeited games."""
        return [row.faults for row in self.rows if row.faults]

    def ratings(self, anchor: tuple[str, float] | None = None) -> Ratings:
        """The ratings by the games that count; see :func:`~.ratings.rate`, also for its errors."""
        return rate([row.label for row in self.rows], self.meetings(), anchor, self.faults)

    def standings(self) -> list[AgentRow]:
        """The rows, the highest score first; ties in the order of the tournament."""
        return sorted(self.rows, key=lambda row: -(row.total.score or 0.0))

    def _repr_html_(self) -> str:
        """Notebooks show the standings with the score against each opponent, in per cent."""
        rows = self.standings()
        headings = ["#", "agent", "score %", "won", "drawn", "lost"]
        headings += [f"#{place}" for place in range(1, len(rows) + 1)]
        lines = []
        for place, row in enumerate(rows, 1):
            total = row.total
            cells = [place, row.label, _percent(total.score)]
            cells += [total.wins, total.draws, total.losses]
            cells += [
                "" if other is row else _percent(row.against[other.number].score) for other in rows
            ]
            lines.append(cells)
        return html_table(lines, headings, counted(self.games, "game"), notes=self.faults)

    def to_json(self) -> dict[str, Any]:
        rows = self.standings()
        meetings = [
            {"agent": row.label, "opponent": self.rows[opponent].label, **tally.to_json()}
            for row in rows
            for opponent, tally in row.against.items()
        ]
        return {
            "games": self.games,
            "repeated_games": self.repeated,
            "agents": [row.to_json() for row in rows],
            "meetings": meetings,
        }


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"
