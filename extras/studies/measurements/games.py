"""Games: results by seat, the strength of the agents of a pool, and their costs.

Times are processor time of the moves, summed over all threads. Unlike wall-clock time, it does not
depend on other load of the machine.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Any, ClassVar

import numpy as np

from ....agents import make_agent
from ....agents.book_writer import write_book
from ....envs import __version__
from ....envs.game import Game
from ....envs.registry import make_game
from ....envs.specification import SpecificationError
from ....evaluation.conditions import CPU, NEVER
from ....evaluation.plan import DEFAULT_OPENING, Plan
from ....evaluation.statistics.cross_table import CrossTable
from ....evaluation.statistics.intervals import paired_score_interval
from ....evaluation.statistics.ratings import (
    PAIR_POINTS,
    SINGLE_POINTS,
    Ratings,
    RatingsError,
    rate,
)
from ....evaluation.store.store import Store, StoredGame
from ....evaluation.tournament import Tournament
from .measurement import (
    ALL,
    COUNT,
    DIFFERENCE,
    FORMAT,
    NUMBER,
    SECONDS,
    SHARE,
    TEXT,
    Column,
    Measurement,
    share_columns,
    share_values,
)  # fmt: skip

COUNT_BLANK = "{count}"  # in a specification: the nodes or simulations of equal cost
BOOK_BLANK = "{book}"  # the book's file
# A search that proves the result stops early, so its count may grow up to MOST_COUNT.
FIRST_COUNT, LEAST_COUNT, MOST_COUNT = 50, 4, 100_000_000
ROUNDS, TRIALS = 8, 5  # rounds that correct the counts; the first TRIALS play one pair a meeting
NEAR = 0.1  # largest relative difference between a cost and the pool's median
DRIFT = 1.2  # largest factor between the median and the declared cost


@dataclasses.dataclass(frozen=True)
class Book:
    """An opening book that is made before a pool plays; ``book={book}`` stands for its file.

    Attributes:
        agent: the agent that analyses its positions.
        plies: its depth in plies.
    """

    agent: str
    plies: int

    def path(self, game: Game, folder: Path) -> Path:
        """The file; it is created if it does not exist."""
        text = json.dumps([FORMAT, __version__, game.spec, self.agent, self.plies])
        name = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
        path = folder / f"{name}.book"
        if not path.exists():
            write_book(path, game, make_agent(self.agent, game), self.plies)
        return path


@dataclasses.dataclass(frozen=True)
class _Pool(Measurement):
    """Agents that play each other.

    Attributes:
        game: the game.
        agents: their specifications.
        pairs: pairs of games in each meeting.
        opening: the source of openings.
        seed: the seed of openings and agents.
        names: names of the agents on pages, if not their specifications.
        book: the book of agents with ``book={book}``.
        seconds: the processor time per move that ``{count}`` should cost.
    """

    game: str
    agents: tuple[str, ...]
    pairs: int
    opening: str = DEFAULT_OPENING
    seed: int = 1
    names: tuple[str, ...] = ()
    book: Book | None = None
    seconds: float = 0.01

    @property
    def repeatable(self) -> bool:
        return super().repeatable and not any(COUNT_BLANK in spec for spec in self.agents)

    @property
    def labels(self) -> list[str]:
        """The names of the agents on pages."""
        return list(self.names or self.agents)

    def play(self, path: Path) -> tuple[list[str], list[StoredGame], CrossTable]:
        """The agents with counts filled in, their games, and their cross table.

        For moves of equal cost, each round corrects the counts by the costs of the round before.
        Rounds play one pair a meeting until the costs agree or ``TRIALS`` rounds are over, then all
        games. Games in the store are not played again.
        """
        counts = [FIRST_COUNT] * len(self.agents)
        pairs = self.pairs if self.repeatable else 1
        for number in range(ROUNDS):
            if number == TRIALS:
                pairs = self.pairs
            agents = [
                spec.replace(COUNT_BLANK, str(count)) for spec, count in zip(self.agents, counts)
            ]
            entrants = agents
            if self.book is not None:
                book = str(self.book.path(make_game(self.game), path.parent))
                entrants = [spec.replace(BOOK_BLANK, book) for spec in entrants]
            games = self._games(entrants, pairs, path)
            table = CrossTable(self.labels, make_game(self.game), games)
            costs = self.costs(table)
            if all(cost is None or abs(cost - 1) <= NEAR for cost in costs):
                if pairs == self.pairs:
                    break
                pairs = self.pairs
            else:
                counts = [corrected(*each) for each in zip(counts, costs)]
        return agents, games, table

    def _games(self, agents: Sequence[str], pairs: int, path: Path) -> list[StoredGame]:
        # The agents are plyground's: isolation would only cost time.
        plan = Plan(
            self.game,
            tuple(agents),
            pairs,
            self.opening,
            seed=self.seed,
            isolate=NEVER,
            clock=CPU,
        )
        with Store(path.with_suffix(".db")) as store:
            tournament = Tournament(plan, store)
            tournament.find_openings()
            tournament.get_ready()
            tournament.run()
            games = sorted(tournament.played(), key=lambda game: (game.pair, game.players))
        faults = [game.result.reason for game in games if game.result.fault is not None]
        if faults:
            raise SpecificationError(f"{self.game}: an agent of a study forfeited: {faults[0]}")
        return games

    def costs(self, table: CrossTable) -> list[float | None]:
        """The cost of a move of each agent with a count, relative to the target.

        The target is their median, limited to a range around the declared cost.
        """
        seconds = [row.seconds_per_move if COUNT_BLANK in spec else None
                   for spec, row in zip(self.agents, table.rows)]  # fmt: skip
        middle = median([each for each in seconds if each] or [self.seconds])
        goal = min(max(middle, self.seconds / DRIFT), self.seconds * DRIFT)
        return [each and each / goal for each in seconds]


@dataclasses.dataclass(frozen=True)
class Seats(_Pool):
    """Results of the first and the second player of each meeting, with intervals."""

    columns: ClassVar[tuple[Column, ...]] = (
        Column("game", "game", TEXT),
        Column("first", "moves first", TEXT),
        Column("second", "moves second", TEXT),
        Column("games", "games", COUNT),
        Column("distinct", "distinct", COUNT, detail=True),
        *share_columns("first_wins", "first wins"),
        *share_columns("second_wins", "second wins"),
        Column("draws", "draws", SHARE),
        *share_columns("decided", "first wins, of the decided"),
        Column("plies", "plies a game", NUMBER),
        Column("first_time", "CPU time a move, first", SECONDS, timed=True, detail=True),
        Column("second_time", "CPU time a move, second", SECONDS, timed=True, detail=True),
    )

    def rows(self, path: Path) -> Iterable[tuple[Any, ...]]:
        _, games, table = self.play(path)
        meetings: dict[tuple[str, ...], list[StoredGame]] = {}
        for game in games:
            names = tuple(self.labels[number] for number in game.players)
            meetings.setdefault(names, []).append(game)
        for names, own in meetings.items():
            results = np.array([game.result.returns[0] for game in own])
            pairs = [game.pair for game in own]
            yield (
                self.game,
                *names,
                len(own),
                len({game.result.moves for game in own}),
                *share_values(results > 0, pairs),
                *share_values(results < 0, pairs),
                float(np.mean(results == 0)),
                *_of_decided(results, pairs),
                float(np.mean([len(game.result.moves) for game in own])),
                *(table.rows[self.labels.index(name)].seconds_per_move for name in names),
            )


def _of_decided(results: np.ndarray, pairs: list[int]) -> tuple[float | None, ...]:
    """The share of the first player's wins among decided games, with its interval."""
    decided = np.flatnonzero(results)
    if not decided.size:
        return None, None, None
    return share_values(results[decided] > 0, np.array(pairs)[decided])


@dataclasses.dataclass(frozen=True)
class Strength(_Pool):
    """Ratings of a pool with mean 0, and the time per move; then its cross table.

    An agent has a row for all its games and a row for each opponent.
    """

    columns: ClassVar[tuple[Column, ...]] = (
        Column("game", "game", TEXT),
        Column("agent", "agent", TEXT),
        Column("opponent", "against", TEXT),
        Column("plays", "which is", TEXT),
        Column("elo", "Elo", DIFFERENCE, interval=("margin",)),
        Column("margin", "± (95 %)", NUMBER),
        *share_columns("score", "score"),
        Column("score_first", "moving first", SHARE, detail=True),
        Column("score_second", "moving second", SHARE, detail=True),
        Column("games", "games", COUNT, detail=True),
        Column("distinct", "distinct", COUNT, detail=True),
        Column("openings", "from openings", COUNT, detail=True),
        Column("front", "on the Pareto front", TEXT, timed=True, detail=True),
        Column("time", "CPU time a move", SECONDS, timed=True),
        Column("cost", "of the cost of all", SHARE, timed=True, detail=True),
    )
    cross = "agent", "opponent", "score"

    def rows(self, path: Path) -> Iterable[tuple[Any, ...]]:
        agents, games, table = self.play(path)
        meetings = table.meetings()
        try:
            ratings: Ratings | None = rate(self.labels, meetings)
        except RatingsError:
            ratings = None
        order = ratings.order() if ratings else [row.number for row in table.standings()]
        if self.names:  # named agents keep their declared order
            order = sorted(order)
        times = [row.seconds_per_move or 0.0 for row in table.rows]
        scores, costs = [row.total.score or 0.0 for row in table.rows], self.costs(table)
        for number in order:
            row = table.rows[number]
            quicker = [score for score, time in zip(scores, times) if time < times[number]]
            yield (
                self.game,
                row.label,
                ALL,
                agents[number] if agents[number] != row.label else None,
                float(ratings.elo[number]) if ratings else None,
                ratings.margin(number) if ratings else None,
                row.total.score,
                None,
                None,
                *(tally.score for tally in row.by_seat),
                row.total.games,
                row.distinct_games,
                len({game.opening for game in games if number in game.players}),
                "yes" if all(score < scores[number] for score in quicker) else "no",
                times[number],
                costs[number],
            )
        scores_of_pairs: dict[tuple[str, str], Any] = {}
        for first, second, pairs, singles in meetings:  # singles are games of incomplete pairs
            own = np.repeat([*PAIR_POINTS / 2, *SINGLE_POINTS], [*pairs, *singles])
            scores_of_pairs |= {(first, second): own, (second, first): 1 - own}
        for number, other in itertools.permutations(order, 2):
            names = self.labels[number], self.labels[other]
            tally = table.rows[number].against[other]
            interval = paired_score_interval(scores_of_pairs[names])[1:]
            about = tally.score, *interval, None, None, tally.games
            yield self.game, *names, None, None, None, *about, *[None] * 5


def corrected(count: int, cost: float | None) -> int:
    """The count for a relative cost of 1, rounded to two digits."""
    if cost is None:
        return count
    better = max(LEAST_COUNT, min(round(count / min(max(cost, 0.05), 20.0)), MOST_COUNT))
    return round(better, min(0, 2 - len(str(better))))
