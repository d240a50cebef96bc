"""Games: who wins from which seat, and how strong the agents of a pool are."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ....agents import make_agent
from ....agents.book_writer import write_book
from ....envs import __version__
from ....envs.game import Game
from ....envs.registry import make_game
from ....envs.specification import SpecificationError
from ...runners.contest import Conditions
from ...statistics.cross_table import CrossTable
from ...statistics.ratings import Ratings, RatingsError, rate
from ...store.store import Store, StoredGame
from ...tournament import Plan, Tournament
from .cost import COUNT_BLANK, positions_of, seconds_per_move, with_equal_cost
from .measurement import (
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


@dataclasses.dataclass(frozen=True)
class Book:
    """An opening book that is made before a pool plays; ``book={book}`` stands for its file.

    Attributes:
        agent: who analyses its positions.
        plies: of how many first plies.
    """

    agent: str
    plies: int

    def path(self, game: Game, folder: Path) -> Path:
        """The file, made if it is not there yet."""
        text = json.dumps([FORMAT, __version__, game.spec, self.agent, self.plies])
        name = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
        path = folder / f"{name}.book"
        if not path.exists():
            write_book(path, game, make_agent(self.agent, game), self.plies)
        return path


@dataclasses.dataclass(frozen=True)
class Pool(Measurement):
    """Agents that play each other.

    Attributes:
        game: the game.
        agents: their specifications.
        pairs: pairs of games in each meeting.
        opening: where openings come from.
        seed: decides openings and the agents' random choices.
        names: (specification, what pages call the agent) where the specification says too little.
        book: the book of those with ``book={book}``.
        seconds: the processor time a move for which ``{count}`` is filled in.
    """

    game: str
    agents: tuple[str, ...]
    pairs: int
    opening: str = "random:2"
    seed: int = 1
    names: tuple[tuple[str, str], ...] = ()
    book: Book | None = None
    seconds: float = 0.01

    @property
    def repeatable(self) -> bool:
        return super().repeatable and not any(COUNT_BLANK in spec for spec in self.agents)

    def name_of(self, spec: str) -> str:
        """What pages call an agent."""
        return dict(self.names).get(spec, spec)

    def entrants(self, path: Path) -> tuple[str, ...]:
        """The specifications of the agents with all blanks filled."""
        game, agents = make_game(self.game), self.agents
        if self.book is not None:
            book = str(self.book.path(game, path.parent))
            agents = tuple(spec.replace("{book}", book) for spec in agents)
        counts = path.with_suffix(".counts")
        return tuple(with_equal_cost(agents, game, self.seconds, counts))

    def play(self, path: Path) -> list[StoredGame]:
        """The games. Those that the store holds already are not played."""
        agents = self.entrants(path)
        plan = Plan(self.game, agents, self.pairs, self.opening, seed=self.seed)
        with Store(path.with_suffix(".db")) as store:
            # The agents are the suite's own: a process of their own would only cost time.
            tournament = Tournament(plan, store, conditions=Conditions(isolation="never"))
            tournament.find_openings()
            tournament.get_ready()
            tournament.run()
            games = sorted(tournament.played(), key=lambda game: (game.pair, game.players))
        faults = [game.result.reason for game in games if game.result.fault is not None]
        if faults:
            raise SpecificationError(f"{self.game}: an agent of a study forfeited: {faults[0]}")
        return games

    def costs(self, path: Path, games: list[StoredGame]) -> list[float]:
        """The processor time of a move of each agent."""
        game = make_game(self.game)
        return [
            seconds_per_move(make_agent(spec, game), positions_of(number, game, games))
            for number, spec in enumerate(self.entrants(path))
        ]


@dataclasses.dataclass(frozen=True)
class Seats(Pool):
    """Results of the first and of the second player of each meeting, with intervals."""

    columns = (
        Column("game", "game", TEXT),
        Column("first", "moves first", TEXT),
        Column("second", "moves second", TEXT),
        Column("games", "games", COUNT),
        Column("distinct", "distinct", COUNT),
        *share_columns("first_wins", "first wins"),
        *share_columns("second_wins", "second wins"),
        Column("draws", "draws", SHARE),
        Column("plies", "plies a game", NUMBER),
        Column("first_time", "CPU time a move, first", SECONDS, timed=True),
        Column("second_time", "CPU time a move, second", SECONDS, timed=True),
    )

    def rows(self, path: Path) -> Iterable[tuple[Any, ...]]:
        games = self.play(path)
        names = [self.name_of(spec) for spec in self.agents]
        costs = dict(zip(names, self.costs(path, games)))
        meetings: dict[tuple[str, str], list[StoredGame]] = {}
        for game in games:
            first, second = (names[number] for number in game.players)
            meetings.setdefault((first, second), []).append(game)
        for (first, second), own in meetings.items():
            results = np.array([game.result.returns[0] for game in own])
            pairs = [game.pair for game in own]
            yield (
                self.game,
                first,
                second,
                len(own),
                len({game.result.moves for game in own}),
                *share_values(results > 0, pairs),
                *share_values(results < 0, pairs),
                float(np.mean(results == 0)),
                float(np.mean([len(game.result.moves) for game in own])),
                costs[first],
                costs[second],
            )


@dataclasses.dataclass(frozen=True)
class Strength(Pool):
    """Ratings of a pool, and the time a move. The mean of the ratings is 0."""

    columns = (
        Column("game", "game", TEXT),
        Column("agent", "agent", TEXT),
        Column("plays", "which is", TEXT),
        Column("elo", "Elo", DIFFERENCE, interval=("margin",)),
        Column("margin", "± (95 %)", NUMBER),
        Column("score", "score", SHARE),
        Column("score_first", "moving first", SHARE),
        Column("score_second", "moving second", SHARE),
        Column("games", "games", COUNT),
        Column("distinct", "distinct", COUNT),
        Column("openings", "from openings", COUNT),
        Column("front", "on the Pareto front", TEXT, timed=True),
        Column("time", "CPU time a move", SECONDS, timed=True),
    )

    def rows(self, path: Path) -> Iterable[tuple[Any, ...]]:
        games = self.play(path)
        costs, entrants = self.costs(path, games), self.entrants(path)
        labels = [self.name_of(spec) for spec in self.agents]
        table = CrossTable(labels, make_game(self.game), games)
        try:
            ratings: Ratings | None = rate(labels, table.meetings())
        except RatingsError:
            ratings = None
        order = ratings.order() if ratings else [row.number for row in table.standings()]
        if self.names:  # what is named is declared in an order of its own
            order = sorted(order)
        scores = [row.total.score or 0.0 for row in table.rows]
        for number in order:
            row = table.rows[number]
            plays = re.sub(r"(?<=book=)[^,]+\.book", "{book}", entrants[number])
            quicker = [score for score, cost in zip(scores, costs) if cost < costs[number]]
            yield (
                self.game,
                row.label,
                plays if plays != row.label else None,
                float(ratings.elo[number]) if ratings else None,
                ratings.margin(number) if ratings else None,
                row.total.score,
                row.by_seat[0].score,
                row.by_seat[1].score,
                row.total.games,
                row.distinct_games,
                len({game.opening for game in games if number in game.players}),
                "yes" if all(score < scores[number] for score in quicker) else "no",
                costs[number],
            )
