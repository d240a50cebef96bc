"""Games: who wins from which seat, how strong the agents of a pool are, and what they cost.

Processor time does not depend on what else the machine does, as seconds of a clock would.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....agents import make_agent
from ....agents.agent import Agent
from ....agents.book_writer import write_book
from ....envs import __version__
from ....envs.files import written_whole
from ....envs.game import Game, Position
from ....envs.registry import make_game
from ....envs.specification import SpecificationError
from ...openings import Openings
from ...runners.contest import Conditions
from ...statistics.cross_table import CrossTable
from ...statistics.ratings import Ratings, RatingsError, rate
from ...store.store import Store, StoredGame
from ...tournament import Plan, Tournament
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

COUNT_BLANK = "{count}"  # in a specification: the nodes or simulations of equal cost
FIRST_COUNT, LEAST_COUNT = 1000, 16
TRIALS = 3  # each with the count that the one before suggests
TRIAL_POSITIONS, MOST_TRIAL_PLIES = 8, 12
SAMPLE = 40  # positions of its games in which an agent's time is taken


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

    columns: ClassVar[tuple[Column, ...]] = (
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

    columns: ClassVar[tuple[Column, ...]] = (
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


def seconds_per_move(agent: Agent, positions: Iterable[Position]) -> float:
    """The mean processor time of an agent's decisions in some positions."""
    total, count = 0.0, 0
    for position in positions:
        if not count:
            agent.get_ready(position.game)
        agent.reset(count)
        began = time.process_time()
        agent.act(position)
        total, count = total + time.process_time() - began, count + 1
    return total / max(count, 1)


def with_equal_cost(specs: Sequence[str], game: Game, seconds: float, path: Path) -> list[str]:
    """Specifications whose blank ``{count}`` is filled so that a move takes so much processor time.

    The counts are kept in a file, so that a pool that was stopped goes on with the same agents.
    An agent with ``threads=N`` may take N times as much: it needs as many processors.
    """
    counts: dict[str, int] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    missing = [spec for spec in specs if COUNT_BLANK in spec and spec not in counts]
    if missing:
        plies = min(MOST_TRIAL_PLIES, game.facts.longest_game // 4)
        openings = Openings(game, f"random:{plies}", 1)
        openings.find(TRIAL_POSITIONS)
        positions = [game.position(openings[index]) for index in range(TRIAL_POSITIONS)]
        counts |= {spec: _count(spec, game, seconds, positions) for spec in missing}
        with written_whole(path) as file:
            file.write(json.dumps(counts).encode())
    return [spec.replace(COUNT_BLANK, str(counts.get(spec, 0))) for spec in specs]


def _count(spec: str, game: Game, seconds: float, positions: Sequence[Position]) -> int:
    count = FIRST_COUNT
    for _ in range(TRIALS):
        agent = make_agent(spec.replace(COUNT_BLANK, str(count)), game)
        budget = seconds * agent.options.get("threads", 1)
        cost = seconds_per_move(agent, positions)
        count = max(LEAST_COUNT, round(count * budget / max(cost, 1e-6)))
    digits = len(str(count)) - 2  # more than two digits would be noise
    return round(count, -max(digits, 0))


def positions_of(number: int, game: Game, games: Sequence[StoredGame]) -> list[Position]:
    """Some positions in which an agent was to move, spread over its games."""
    beginnings: list[tuple[int, ...]] = []
    for entry in games:
        position = game.initial_position()
        for ply, action in enumerate(entry.result.moves):
            if ply >= len(entry.opening) and entry.players[position.to_move] == number:
                beginnings.append(entry.result.moves[:ply])
            position.play(action)
    step = max(1, len(beginnings) // SAMPLE)
    return [game.position(actions) for actions in beginnings[::step][:SAMPLE]]
