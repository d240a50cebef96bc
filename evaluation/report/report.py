"""The report of a store, tournament by tournament.

Ratings with intervals, cross table, first-move advantage, draws, endings, distinct games.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...envs.loading.numbers import read_number
from ...envs.loading.texts import counted
from ...envs.specification import SpecificationError
from ..circumstances import Circumstances, depend_on_time
from ..conditions import WITHDRAW_AFTER
from ..pages import notebook_html
from ..statistics.courses import game_of
from ..statistics.cross_table import AgentRow, CrossTable, Tally
from ..statistics.intervals import mean_margin_of_totals
from ..statistics.ratings import ELO, Ratings, RatingsError, elo_of
from ..statistics.withdrawals import Withdrawals
from ..store.checks import Finding
from ..store.store import Store, StoredGame, StoredTournament
from .display import (
    Name,
    digests_text,
    duration,
    left_out_text,
    likelihood,
    percent,
    plain_table,
    print_cross_table,
    standings,
)
from .pairs import OpeningResult, PairResult, PairsWatch, SequentialTest, pair_results
from .replays import Gallery

MOST_FINDINGS = 10  # shown above a report
MOST_SPECIFICATIONS = 20  # agents whose names differ from their specifications


class TournamentReport(NamedTuple):
    """The figures of one tournament.

    Attributes:
        tournament: the tournament as the store keeps it.
        table: its cross table.
        ratings: the ratings, or None if the results do not determine them.
        unrated: why there are no ratings, or None.
        endings: the number of games by reason; forfeits by the kind of fault. Repeated games are
            included.
        openings: the games of each opening, by its hash.
        pairs: the meetings by their pairs.
        test: the sequential test that the games belong to, if any.
        gallery: the games to show move by move, if requested.
        crashing: the agents whose process crashed in each of their latest games, as many as
            withdraw an agent.
        digest: digest of the content, times included; empty if it is not known.
        games_digest: digest of settings, agents, moves and results, which can be repeated.
        circumstances: the number of games by circumstances; None: not known.
    """

    tournament: StoredTournament
    table: CrossTable
    ratings: Ratings | None
    unrated: str | None
    endings: Counter[str]
    openings: dict[int, OpeningResult]
    pairs: list[PairResult]
    test: SequentialTest | None = None
    gallery: Gallery | None = None
    crashing: tuple[str, ...] = ()
    digest: str = ""
    games_digest: str = ""
    circumstances: Mapping[Circumstances | None, int] = MappingProxyType({})

    @property
    def labels(self) -> list[str]:
        """The agents' names."""
        return [row.label for row in self.table.rows]

    def ranking(self) -> list[AgentRow]:
        """The rows of the agents, the strongest first: by rating, or by score without ratings."""
        if self.ratings is None:
            return self.table.standings()
        return [self.table.rows[number] for number in self.ratings.order()]

    @property
    def mixed(self) -> bool:
        """Whether games were played under different circumstances that can change results."""
        options = [entry.options for entry in self.tournament.agents]
        return len(self.circumstances) > 1 and depend_on_time(self.tournament.settings, options)

    @property
    def warnings(self) -> list[str]:
        """Warnings for the reader before the figures."""
        warnings = [crashing_text(label) for label in self.crashing]
        if self.mixed:
            counts = sorted(self.circumstances.items(), key=lambda item: (-item[1], str(item[0])))
            parts = "; ".join(
                f"{counted(n, 'game')}: {under or 'not recorded'}" for under, n in counts
            )
            warnings.append(
                f"these games were played under different circumstances, which change the results "
                f"of agents with limits or a time to think: {parts}"
            )
        return warnings

    @property
    def first_seat(self) -> Tally:
        """The results of the games that count, for the player who moved first."""
        rows = [row.by_seat[0] for row in self.table.rows]
        return Tally(
            sum(row.wins for row in rows),
            sum(row.draws for row in rows),
            sum(row.losses for row in rows),
        )

    @property
    def first_move_elo(self) -> tuple[float, float] | None:
        """The value of the first move in Elo points, and half the width of its 95 % interval.

        None if the results have no variance: all are the same, or one agent always wins. The same
        agents hold both seats equally often, so that their strengths cancel to a first
        approximation. Games with the same opening are one observation, since an opening can favour
        the first player in all of them; without openings every game is an observation.
        """
        tally = self.first_seat
        score = tally.score
        if tally.games in (tally.wins, tally.draws, tally.losses):
            return None
        assert score is not None
        if len(self.openings) > 1:
            results = [(each.games, each.points) for each in self.openings.values()]
            sizes, totals = np.array(results).T
        else:
            totals = np.repeat([1.0, 0.5, 0.0], [tally.wins, tally.draws, tally.losses])
            sizes = np.ones(tally.games)
        _, margin = mean_margin_of_totals(totals, sizes.astype(np.int64))
        if margin == 0:
            return None
        return elo_of(score), ELO * margin / (score * (1 - score))

    def named_openings(self) -> list[tuple[list[str], OpeningResult]]:
        """The openings with the names of their moves, the best for the first player first.

        Moves are numbers if the game is not installed. Empty if all games begin alike.
        """
        if len(self.openings) < 2:
            return []
        game = game_of(self.tournament)
        name = str if game is None else game.action_to_text
        results = sorted(self.openings.values(), key=lambda each: (-each.score, each.actions))
        return [(list(map(name, result.actions)), result) for result in results]

    def _repr_html_(self) -> str:
        """Notebooks show the report as a page."""
        return notebook_html(self)

    def to_json(self) -> dict[str, Any]:
        first = self.first_seat
        worth = self.first_move_elo
        return {
            "tournament": self.tournament.name,
            "specifications": [
                {"agent": each.label, "specification": each.spec} for each in self.tournament.agents
            ],
            "settings": self.tournament.settings,
            "digest": self.digest,
            "games_digest": self.games_digest,
            "distinct_games": self.table.distinct_games,
            "left_out_games": self.tournament.left_out,
            "crashing": list(self.crashing),
            "circumstances": [
                {"games": games, **({} if under is None else under._asdict())}
                for under, games in self.circumstances.items()
            ],
            "mixed_circumstances": self.mixed,
            "draw_rate": first.draws / first.games if first.games else None,
            "first_move": {
                **first.to_json(),
                "elo": worth and worth[0],
                "margin": worth and worth[1],
            },
            "endings": dict(self.endings.most_common()),
            "ratings": self.ratings and self.ratings.to_json(),
            "unrated": self.unrated,
            "pairs": [result.to_json() for result in self.pairs],
            "test": self.test and self.test.to_json(),
            "openings": [
                {"moves": names, "games": result.games, "first_player_score": result.score}
                for names, result in self.named_openings()
            ],
            **self.table.to_json(),
        }


def parse_anchor(text: str) -> tuple[str, float]:
    """``AGENT=RATING`` as agent and rating.

    Raises:
        SpecificationError: it has another form.
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
        anchor: an agent's name and its fixed rating in each tournament it plays in; in the others
            the mean is 0.
        replays: the maximum number of games of each tournament to keep for replays.

    Raises:
        StoreError: there is no such store, or it cannot be read.
        SpecificationError: the anchor plays in none of the tournaments.
    """
    tournaments = store.tournaments()
    labels = {entry.label for tournament in tournaments for entry in tournament.agents}
    if anchor is not None and anchor[0] not in labels:
        raise SpecificationError(
            f"the anchor {anchor[0]!r} is not one of the agents in {store.path}; they are "
            f"{', '.join(sorted(labels))}"
        )
    reports = []
    for tournament in tournaments:
        report = report_tournament(tournament, store.games(tournament.number), anchor, replays)
        latest = functools.partial(store.latest, tournament.number)
        withdrawals = Withdrawals(len(tournament.agents), WITHDRAW_AFTER, latest)
        crashing = (tournament.agents[number].label for number in sorted(withdrawals.withdrawn))
        digests = store.digest(tournament.number), store.games_digest(tournament.number)
        report = report._replace(crashing=tuple(crashing), digest=digests[0])
        reports.append(report._replace(games_digest=digests[1]))
    return [report for report in reports if report.table.games]


def crashing_text(label: str) -> str:
    """The warning about an agent whose process crashes repeatedly."""
    return (
        f"{label}: its latest {WITHDRAW_AFTER} games have all cost its process; tournaments "
        f"withdraw such an agent and do not play its other games"
    )


def report_tournament(
    tournament: StoredTournament,
    games: Iterable[StoredGame],
    anchor: tuple[str, float] | None = None,
    replays: int = 0,
    rate_reported: bool = False,
) -> TournamentReport:
    """The report of one tournament.

    Its games are iterated once, and only possible replays are kept. Games that this program did not
    observe are rated only with ``rate_reported``.
    """
    labels, game = [entry.label for entry in tournament.agents], game_of(tournament)
    table = CrossTable(labels, game)
    endings: Counter[str] = Counter()
    openings: dict[int, OpeningResult] = {}
    watch = PairsWatch(tournament, table)
    gallery = Gallery(replays) if replays else None
    circumstances: Counter[Circumstances | None] = Counter()
    for entry in games:
        result, opening = entry.result, table.courses.start(entry)
        endings[result.reason if result.fault is None else f"forfeit: {result.fault}"] += 1
        before = openings.get(opening, OpeningResult(entry.opening, 0, 0.0))
        openings[opening] = before.with_game(result.returns[0])
        if gallery is not None:
            gallery.note(entry)
        table.count(entry)
        circumstances[entry.circumstances] += 1
        watch.look()
    ratings, fault = None, None
    try:
        if tournament.reported_by and not rate_reported:
            who = tournament.reported_by
            raise RatingsError(f"its games were reported by {who} and not observed by plyground")
        ratings = table.ratings(anchor if anchor and anchor[0] in labels else None)
    except RatingsError as error:
        fault = str(error)
    pairs = pair_results(table, ratings)
    return TournamentReport(
        tournament, table, ratings, fault, endings, openings, pairs, watch.result(), gallery,
        circumstances=circumstances,
    )  # fmt: skip


def warning_lines(findings: Sequence[Finding]) -> list[str]:
    """The lines above a report of a store with findings; empty without findings."""
    if not findings:
        return []
    certain = not all(finding.unchecked for finding in findings)
    lines = [finding.what for finding in findings[:MOST_FINDINGS]]
    if len(findings) > MOST_FINDINGS:
        lines.append(f"and {len(findings) - MOST_FINDINGS} more; plyground verify lists all")
    head = "this store failed its checks, and the report may be wrong:"
    return [head if certain else "parts of this store could not be checked:", *lines]


def print_report(
    reports: list[TournamentReport], console: Console, findings: Sequence[Finding] = ()
) -> None:
    """Print reports as text, one after the other, after the findings in their store."""
    for line in warning_lines(findings):
        console.print(Text(line, "red"))
    for index, report in enumerate(reports):
        if index:
            console.print()
        _print_tournament(report, console)


def _print_tournament(report: TournamentReport, console: Console) -> None:
    settings, table = report.tournament.settings, report.table
    keys = [key for key in ("rules", "schedule", "openings", "seed") if key in settings]
    console.print(Text(report.tournament.name, "bold"))
    console.print(Text(", ".join(f"{key} {settings[key]}" for key in keys), "dim"))
    console.print(f"{counted(table.games, 'game')}, {table.distinct_games:,} of them distinct")
    if report.tournament.left_out:
        console.print(left_out_text(report.tournament.left_out))
    for warning in report.warnings:
        console.print(Text(warning, "red"))
    console.print()
    if report.ratings is None:
        console.print(Text(f"no ratings: {report.unrated}"))
    else:
        console.print(_ratings_table(report, report.ratings))
    console.print("\ncross table")
    print_cross_table(table, console)
    for line in _specification_lines(report):
        console.print(Text(line))
    if report.pairs:
        console.print("\npairs, by the points of the first agent")
        console.print(_pairs_table(report))
    if report.test is not None:
        console.print("\n" + sequential_text(report.test))
    console.print()
    for line in _facts(report):
        console.print(line, markup=False)
    console.print()
    console.print(_endings_table(report))
    console.print("\n" + digests_text(report.games_digest, report.digest))


def _specification_lines(report: TournamentReport) -> list[str]:
    """A line for each agent whose name differs from its specification."""
    others = [
        f"{entry.label} is {entry.spec}"
        for entry in report.tournament.agents
        if re.sub(r" #\d+$", "", entry.label) != entry.spec
    ]
    more = len(others) - MOST_SPECIFICATIONS
    last = [f"and {more} more; --json lists all"] if more > 0 else []
    return others[:MOST_SPECIFICATIONS] + last


def tables_of(report: TournamentReport) -> dict[str, Table]:
    """The tables of a report by their names."""
    tables = {"cross_table": standings(report.table), "endings": _endings_table(report)}
    if report.ratings is not None:
        tables["ratings"] = _ratings_table(report, report.ratings)
    if report.pairs:
        tables["pairs"] = _pairs_table(report)
    return tables


def _endings_table(report: TournamentReport) -> Table:
    """A row for each reason of an ending, the most frequent first."""
    table = plain_table("ending", "games", "%")
    for reason, count in report.endings.most_common():
        table.add_row(
            Text(report.table.named(reason)), str(count), percent(count / report.table.games)
        )
    return table


def _ratings_table(report: TournamentReport, ratings: Ratings) -> Table:
    """A row for each agent, the strongest first."""
    table = plain_table("agent", "Elo", "±", "score\n%", "games", "time\n/move", "superior,\n%")
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
        table.add_row(Name(row.label), *figures, duration(row.seconds_per_move), superior)
    return table


def _pairs_table(report: TournamentReport) -> Table:
    """A row for each meeting."""
    points = ("0", "½", "1", "1½", "2")
    headings = ("agents", *points, "Elo", "±", "nElo", "±", "superior,\n%")
    table = plain_table(*headings, gap=1)
    for result in report.pairs:
        table.add_row(
            Name(f"{result.first}\n  {result.second}"),
            *map(str, result.pairs),
            *_with_margin(result.elo),
            *_with_margin(result.normalized),
            "-" if result.superiority is None else likelihood(result.superiority),
        )
    return table


def _with_margin(numbers: tuple[float, float] | None) -> tuple[str, str]:
    return ("-", "-") if numbers is None else (f"{numbers[0]:+.0f}", f"{numbers[1]:.0f}")


def sequential_text(test: SequentialTest) -> str:
    """A sentence about a sequential test."""
    hypotheses, (lower, upper) = test.hypotheses, test.hypotheses.bounds
    pairs, ratio = test.course[-1] if test.course else (0, 0.0)
    verdict = "not decided" if test.verdict is None else f"{test.verdict} is accepted"
    return (
        f"sequential test of {hypotheses.elo1:g} against {hypotheses.elo0:g} Elo: {verdict} after "
        f"{counted(pairs, 'pair')}; "
        f"log-likelihood ratio {ratio:.2f} (H0 at {lower:.2f}, H1 at {upper:.2f})"
    )


def _facts(report: TournamentReport) -> Iterator[str]:
    first = report.first_seat
    if not first.games:
        return
    worth = report.first_move_elo
    elo = (
        "; the value of the first move cannot be estimated"
        if worth is None
        else f", which is worth {worth[0]:+.0f} ± {worth[1]:.0f} Elo (95 %)"
    )
    yield f"the player who moves first scores {percent(first.score)} %{elo}"
    wins, losses, draws = (
        percent(count / first.games) for count in (first.wins, first.losses, first.draws)
    )
    yield f"it wins {wins} % of the games, the other {losses} %, and {draws} % are drawn"
    openings = report.named_openings()
    if openings:
        (best, high), (worst, low) = openings[0], openings[-1]
        yield (
            f"{counted(len(openings), 'opening')}; the first player scores from "
            f"{percent(low.score)} % ({', '.join(worst)}) to {percent(high.score)} % "
            f"({', '.join(best)})"
        )
