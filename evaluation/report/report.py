"""The report of a store, tournament by tournament.

Ratings with intervals, cross table, first-move advantage, draws, endings, distinct games.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...envs.specification import SpecificationError, read_number
from ..pages import notebook_html
from ..statistics.courses import game_of
from ..statistics.cross_table import CrossTable, Tally
from ..statistics.intervals import mean_margin_of_totals
from ..statistics.ratings import ELO, Ratings, RatingsError, elo_of, rate
from ..statistics.withdrawals import WITHDRAW_AFTER, Withdrawals
from ..store.store import Store, StoredGame, StoredTournament
from .display import (
    duration,
    left_out_text,
    likelihood,
    percent,
    plain_table,
    print_cross_table,
)
from .replays import Gallery


class TournamentReport(NamedTuple):
    """The figures of one tournament.

    Attributes:
        tournament: the tournament as the store keeps it.
        table: its cross table.
        ratings: the ratings, or None if the results do not determine them.
        unrated: why there are no ratings, or None.
        endings: how many games ended for which reason; forfeits by the kind of fault. Repeated
            games are among them.
        openings: for each opening, by its hash, the number of games and the points of the player
            who moved first.
        gallery: the games that can be shown move by move, if they were asked for.
        crashing: the agents whose latest games have all cost their process, as many in a row as
            withdraw an agent.
    """

    tournament: StoredTournament
    table: CrossTable
    ratings: Ratings | None
    unrated: str | None
    endings: Counter[str]
    openings: dict[int, tuple[int, float]]
    gallery: Gallery | None = None
    crashing: tuple[str, ...] = ()

    @property
    def first_seat(self) -> Tally:
        """The games that count, from the side of the player who moved first."""
        rows = [row.by_seat[0] for row in self.table.rows]
        return Tally(
            sum(row.wins for row in rows),
            sum(row.draws for row in rows),
            sum(row.losses for row in rows),
        )

    @property
    def first_move_elo(self) -> tuple[float, float] | None:
        """The worth of the first move in Elo points, and half the width of its 95 % interval.

        None where the games show no spread, from which nothing can be said: all end alike, or one
        agent always wins. Both seats are held by the same agents equally often, so
        that their strengths cancel to a first approximation. Games with the same opening are one
        observation, since an opening can favour the first player in all of them; without openings
        every game is an observation.
        """
        tally = self.first_seat
        score = tally.score
        if tally.games in (tally.wins, tally.draws, tally.losses):
            return None
        assert score is not None
        if len(self.openings) > 1:
            sizes, totals = np.array(list(self.openings.values())).T
        else:
            totals = np.repeat([1.0, 0.5, 0.0], [tally.wins, tally.draws, tally.losses])
            sizes = np.ones(tally.games)
        _, margin = mean_margin_of_totals(totals, sizes.astype(np.int64))
        if margin == 0:
            return None
        return elo_of(score), ELO * margin / (score * (1 - score))

    def _repr_html_(self) -> str:
        """Notebooks show the report as a page."""
        return notebook_html(self)

    def to_json(self) -> dict[str, Any]:
        first = self.first_seat
        worth = self.first_move_elo
        return {
            "tournament": self.tournament.name,
            "settings": self.tournament.settings,
            "digest": self.tournament.digest,
            "distinct_games": self.table.distinct_games,
            "left_out_games": self.tournament.left_out,
            "crashing": list(self.crashing),
            "draw_rate": first.draws / first.games if first.games else None,
            "first_move": {
                **first.to_json(),
                "elo": worth and worth[0],
                "margin": worth and worth[1],
            },
            "endings": dict(self.endings.most_common()),
            "ratings": self.ratings and self.ratings.to_json(),
            "unrated": self.unrated,
            **self.table.to_json(),
        }


def parse_anchor(text: str) -> tuple[str, float]:
    """``AGENT=RATING`` as agent and rating.

    Raises:
        SpecificationError: it is not written so.
    """
    agent, sign, rating = text.rpartition("=")
    try:
        if agent and sign:
            return agent, read_number(rating, float)
    except ValueError:
        pass
    raise SpecificationError(
        f"an anchor is an agent and its rating, such as random=0, not {text!r}"
    )


def report_store(
    store: Store, anchor: tuple[str, float] | None = None, replays: int = 0
) -> list[TournamentReport]:
    """A report of each tournament in a store that has games.

    Args:
        store: the store.
        anchor: an agent's name and the rating it is given in each tournament it plays in; in the
            others the mean is 0.
        replays: how many games of each tournament are to be kept at most, to be shown move by move.

    Raises:
        StoreError: there is no such store, or it cannot be read.
        SpecificationError: the anchor plays in none of the tournaments.
    """
    tournaments = store.tournaments()
    labels = {entry.label for tournament in tournaments for entry in tournament.agents}
    if anchor is not None and anchor[0] not in labels:
        raise SpecificationError(
            f"the anchor {anchor[0]!r} is none of the agents in {store.path}; they are "
            f"{', '.join(sorted(labels))}"
        )
    reports = []
    for tournament in tournaments:
        report = report_tournament(tournament, store.games(tournament.number), anchor, replays)
        latest = functools.partial(store.latest, tournament.number)
        withdrawals = Withdrawals(len(tournament.agents), WITHDRAW_AFTER, latest)
        crashing = (tournament.agents[number].label for number in sorted(withdrawals.withdrawn))
        reports.append(report._replace(crashing=tuple(crashing)))
    return [report for report in reports if report.table.games]


def crashing_text(label: str) -> str:
    """The warning about an agent whose process crashes again and again."""
    return (
        f"{label}: its latest {WITHDRAW_AFTER} games have all cost its process; tournaments "
        f"withdraw such an agent and do not play its other games"
    )


def report_tournament(
    tournament: StoredTournament,
    games: Iterable[StoredGame],
    anchor: tuple[str, float] | None = None,
    replays: int = 0,
) -> TournamentReport:
    """The report of one tournament.

    Its games are iterated once, and only those that may be shown are kept.
    """
    labels, game = [entry.label for entry in tournament.agents], game_of(tournament)
    table = CrossTable(labels, game)
    endings: Counter[str] = Counter()
    openings: dict[int, tuple[int, float]] = {}
    gallery = Gallery(replays) if replays else None
    for entry in games:
        result, opening = entry.result, table.courses.start(entry)
        endings[result.reason if result.fault is None else f"forfeit: {result.fault}"] += 1
        count, points = openings.get(opening, (0, 0.0))
        won = result.returns[0]
        openings[opening] = count + 1, points + (1 if won > 0 else 0 if won < 0 else 0.5)
        if gallery is not None:
            gallery.note(entry)
        table.count(entry)
    ratings, fault = None, None
    try:
        ratings = rate(labels, table.meetings(), anchor if anchor and anchor[0] in labels else None)
    except RatingsError as error:
        fault = str(error)
    return TournamentReport(tournament, table, ratings, fault, endings, openings, gallery)


def print_report(reports: list[TournamentReport], console: Console) -> None:
    """Show reports as text, one below the other."""
    for index, report in enumerate(reports):
        if index:
            console.print()
        _print_tournament(report, console)


def _print_tournament(report: TournamentReport, console: Console) -> None:
    settings, table = report.tournament.settings, report.table
    keys = [key for key in ("rules", "schedule", "openings", "seed") if key in settings]
    console.print(Text(report.tournament.name, "bold"))
    console.print(Text(", ".join(f"{key} {settings[key]}" for key in keys), "dim"))
    console.print(f"{table.games} games, {table.distinct_games} of them distinct")
    if report.tournament.left_out:
        console.print(left_out_text(report.tournament.left_out))
    for label in report.crashing:
        console.print(Text(crashing_text(label), "red"))
    console.print()
    if report.ratings is None:
        console.print(Text(f"no ratings: {report.unrated}"))
    else:
        console.print(_ratings_table(report, report.ratings))
    console.print("\ncross table")
    print_cross_table(table, console)
    console.print()
    for line in _facts(report):
        console.print(line, markup=False)
    endings = plain_table("ending", "games", "%")
    for reason, count in report.endings.most_common():
        endings.add_row(Text(reason), str(count), percent(count / table.games))
    console.print()
    console.print(endings)
    console.print(f"\ndigest {report.tournament.digest}")


def _ratings_table(report: TournamentReport, ratings: Ratings) -> Table:
    """A row for each agent, the strongest first."""
    table = plain_table(
        "agent", "Elo", "±", "score %", "games", "time/move", "stronger than\nthe next, %"
    )
    order = ratings.order()
    for agent, following in zip(order, [*order[1:], None]):
        row = report.table.rows[agent]
        superior = "" if following is None else likelihood(ratings.superiority(agent, following))
        figures = [
            f"{ratings.elo[agent]:.0f}",
            f"{ratings.margin(agent):.0f}",
            percent(row.total.score),
            str(row.total.games),
        ]
        table.add_row(Text(row.label), *figures, duration(row.seconds_per_move), superior)
    return table


def _facts(report: TournamentReport) -> Iterator[str]:
    first = report.first_seat
    if not first.games:
        return
    worth = report.first_move_elo
    elo = (
        "; what the first move is worth cannot be said"
        if worth is None
        else f", which is worth {worth[0]:+.0f} ± {worth[1]:.0f} Elo (95 %)"
    )
    yield f"the player who moves first scores {percent(first.score)} %{elo}"
    yield f"{percent(first.draws / first.games)} % of the games are drawn"
