"""Commands about evidence: ``report`` and ``export`` of a store, and the test ``sprt``."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from rich.console import Console
from rich.text import Text

from ..agents.faults import FaultWarning
from ..agents.human import refuse_people
from ..envs.loading.packages import RECORDS
from ..envs.loading.registry import Registry
from ..envs.loading.texts import counted
from ..envs.specification import SpecificationError
from ..envs.workers.jobs import HERE, JobPlace
from ..evaluation.plan import Plan
from ..evaluation.report.comparison import Comparison, compare, print_comparisons
from ..evaluation.report.display import (
    CONTENT_DIGEST,
    GAMES_DIGEST,
    duration,
    likelihood,
    plain_table,
    show_steps,
    status_line,
)
from ..evaluation.report.html import report_page
from ..evaluation.report.paper import write_papers
from ..evaluation.report.report import (
    TournamentReport,
    parse_anchor,
    print_report,
    report_store,
    warning_lines,
)
from ..evaluation.sequential_test import SprtMatch
from ..evaluation.statistics.sprt import H0, H1, Hypotheses, normalized_elo
from ..evaluation.store.checks import Finding
from ..evaluation.store.export import FORMATS, export_games
from ..evaluation.store.store import Store
from .app import FAILURE, command, ctrl_c_says, same_command
from .common import (
    DEFAULT_STORE,
    ExpectOption,
    GameArgument,
    JsonOption,
    StoreArgument,
    argument,
    option,
)
from .options import (
    USUAL_STORE,
    StoreOptions,
    fail_if_given_up,
    report_withdrawals,
)
from .output import Terminal, note, print_json, say, write_page

# Formats of packages: functions of a store's file and of ``--out``. One with an attribute
# ``writes_folder`` writes a folder; others write a file, whose extension may be the format.
_OTHERS: Registry[str, Callable[..., None]] = Registry("there is no format", RECORDS)


@command("[STORE]")
def report(
    store: StoreArgument = DEFAULT_STORE,
    /,
    *,
    anchor: Annotated[
        str | None,
        option("AGENT=RATING", "Fix the rating of an agent (default: the mean rating is 0)."),
    ] = None,
    html: Annotated[
        Path | None, option("FILE", "Write the report as one self-contained HTML file.")
    ] = None,
    out: Annotated[
        Path | None, option("FOLDER", "Write tables as CSV and LaTeX, figures as SVG and PDF.")
    ] = None,
    beside: Annotated[
        Path | None, option("STORE", "Compare the ratings with those in another store.")
    ] = None,
    replays: Annotated[
        int,
        option("N", "With --html: show at most N games of each tournament move by move.", low=0),
    ] = 60,
    expect: ExpectOption = (),
    as_json: JsonOption = False,
) -> None:
    """Report the results in a store: ratings with intervals, cross table, endings.

    The report also shows the advantage of the first move and the share of draws. It begins with
    any faults found in the store.

    [bold]Examples[/bold]

    plyground report plyground-tournament.db --anchor random=0

    plyground report games.db --html report.html --out paper

    plyground report new.db --beside old.db --json
    """
    rating = None if anchor is None else parse_anchor(anchor)
    with Store(store).expect(expect) as games, status_line(Terminal(stderr=True)) as tell:
        tell(f"reading the games in {store}")
        reports = report_store(games, rating, 0 if html is None else replays)
        findings = games.all_findings()
    comparisons = [] if beside is None else _compare(reports, store, beside)
    if html is not None and reports:
        with show_steps("tournaments", Terminal(stderr=True)) as progress:
            page = report_page(
                reports, store.name, [same_command()], progress, comparisons, findings
            )
        write_page(html, page)
        note(f"report in {html}")
    if out and reports:
        note(f"{write_papers(reports, out)} files in {out}")
    if as_json:
        print_json(_report_json(store, reports, findings, None if beside is None else comparisons))
    elif not reports:
        say("\n".join([*warning_lines(findings), f"{store} holds no games"]))
    elif html is None and out is None:
        print_report(reports, Terminal(), findings)
        print_comparisons(comparisons, Terminal())


def _report_json(
    store: Path,
    reports: list[TournamentReport],
    findings: list[Finding],
    comparisons: list[Comparison] | None,
) -> dict[str, Any]:
    content: dict[str, Any] = {"store": str(store)}
    content["findings"] = [finding._asdict() for finding in findings]
    content["tournaments"] = [each.to_json() for each in reports]
    if comparisons is not None:
        content["comparisons"] = [each.to_json() for each in comparisons]
    return content


def _compare(reports: list[TournamentReport], store: Path, beside: Path) -> list[Comparison]:
    """The tournaments that two stores have in common."""
    with Store(beside) as games:
        comparisons = compare(reports, report_store(games))
    if not comparisons:
        raise SpecificationError(
            f"{store} and {beside} have no rated tournament of the same game with two agents in "
            f"common"
        )
    return comparisons


@command("[STORE]")
def export(
    store: StoreArgument = DEFAULT_STORE,
    /,
    *,
    format: Annotated[
        str | None,
        option(
            "|".join((*FORMATS, *_OTHERS)),
            "Format of the games (default: the extension of FILE, or jsonl).",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        option(
            "FILE", "The file to write, or for minari and psq a folder (default: standard output)."
        ),
    ] = None,
) -> None:
    """Write the games of a store for other programs, one row per game.

    With --format minari each game becomes two episodes of a dataset for offline learning. psq (a
    file for each game) and sgf are formats of gomoku programs.

    [bold]Examples[/bold]

    plyground export plyground-tournament.db --out games.csv

    plyground export plyground-tournament.db | head -1

    plyground export plyground-tournament.db --format psq --out games
    """
    format = format or _format_of(out)
    if format in _OTHERS:
        _OTHERS.get(format)(store, out)
        return
    with Store(store) as games:
        count = export_games(games, format, sys.stdout.buffer if out is None else out)
    if out is not None:
        note(f"{counted(count, 'game')} in {out}")


def _format_of(out: Path | None) -> str:
    """The format named by the extension of a file."""
    if out is None:
        return FORMATS[0]
    kind = out.suffix.lower().removeprefix(".")
    if kind in FORMATS:
        return kind
    files = [name for name in _OTHERS if not getattr(_OTHERS.get(name), "writes_folder", False)]
    if kind not in files:
        endings = ", ".join(f".{name}" for name in (*FORMATS, *files))
        raise SpecificationError(f"{out} ends in none of {endings}; give the format with --format")
    return kind


USUAL_TEST = Hypotheses()
USUAL_PLAN = Plan()


@command("GAME A B", without=("pairs", "format", "transform", "name", "withdraw_after"))
def sprt(
    game: GameArgument,
    first: Annotated[str, argument("A", "The agent under test.")],
    second: Annotated[str, argument("B", "The agent to compare it with.")],
    /,
    *,
    test: Hypotheses = USUAL_TEST,
    max_pairs: Annotated[int, option("N", "Maximum number of pairs of games.", low=1)] = 10_000,
    plan: Plan = USUAL_PLAN,
    place: JobPlace = HERE,
    stored: StoreOptions = USUAL_STORE,
) -> None:
    """Play pairs of games until it is clear whether A is stronger than B by elo1 or by elo0.

    This is the sequential probability ratio test. Every finished game is stored at once. The same
    command resumes a test that was stopped.

    [bold]Examples[/bold]

    plyground sprt connect_four alphabeta:depth=4 alphabeta:depth=3 --concurrency 2

    plyground sprt connect_four montecarlo:simulations=200 montecarlo:simulations=100 --elo1 50
    --max-pairs 500
    """
    refuse_people((first, second), "a test")
    plan = plan.replace(game=game, agents=(first, second), pairs=max_pairs)
    with Store(stored.store).expect(stored.expect) as games:
        match = SprtMatch(plan, test, games, place, stored.answer_to_change())
        match.tournament.enter(same_command())  # reports show this command as the test
        with warnings.catch_warnings(
            action="ignore", category=FaultWarning
        ):  # the result reports it
            _run_sprt(match, stored.store)
        report_withdrawals([match.tournament])
        if stored.as_json:
            print_json(match.to_json())
        else:
            _print_sprt(match, Terminal())
        if match.withdrawn is not None:
            raise SystemExit(FAILURE)
    fail_if_given_up([match.tournament])


def _run_sprt(match: SprtMatch, store: Path) -> None:
    """Play until the test is decided; Ctrl-C ends the program with the command that resumes it."""
    lower, upper = match.hypotheses.bounds
    remainder = f"stopped; the games are in {store}. To go on:\n  {same_command()}"
    with ctrl_c_says(remainder), status_line(Terminal(stderr=True)) as tell:
        tell("" if match.plan.balanced is None else "choosing openings")
        match.run(
            lambda state: tell(
                f"{counted(sum(state.pairs), 'pair')}, log-likelihood ratio "
                f"{state.ratio:+.2f} (from {lower:.2f} to {upper:.2f})"
            )
        )


def _print_sprt(match: SprtMatch, console: Console) -> None:
    """Print the verdict as a sentence, and its figures."""
    state, test, (first, second) = match.state, match.hypotheses, match.labels
    console.print(Text(f"{match.plan.game}: {first} against {second}"))
    if state.verdict is not None:
        elo0, elo1 = test.elo0, test.elo1
        difference, other = (elo1, elo0) if state.verdict == H1 else (elo0, elo1)
        verdict = (
            f"{state.verdict} is accepted: the difference is {difference:g} Elo rather than "
            f"{other:g}"
        )
    elif match.withdrawn is not None:
        verdict = (
            f"not decided: {match.withdrawn} was withdrawn after "
            f"{counted(sum(state.pairs), 'pair')}, since "
            f"its process crashed in several games in a row"
        )
    elif match.exhausted:
        verdict = (
            "not decided: the agents would only repeat their games; longer or different --opening "
            "give more"
        )
    else:
        verdict = (
            f"not decided after {counted(match.max_pairs, 'pair')}; the same command with a higher "
            f"--max-pairs resumes"
        )
    console.print(Text(verdict, "bold"))
    lower, upper = match.hypotheses.bounds
    table = plain_table("", "", left=2)
    table.show_header = False
    table.add_row(
        "log-likelihood ratio", f"{state.ratio:.2f} ({H0} at {lower:.2f}, {H1} at {upper:.2f})"
    )
    ratings = match.ratings()
    if ratings is not None:
        elo, margin = ratings.difference(0, 1)
        table.add_row("Elo", f"{elo:+.0f} ± {margin:.0f} (95 %)")
        table.add_row("likelihood of superiority", f"{likelihood(ratings.superiority(0, 1))} %")
        outcomes = ", ".join(
            f"{points}: {count}" for count, points in zip(state.pairs, ("0", "½", "1", "1½", "2"))
        )
        normalized = normalized_elo(state.pairs)
        if normalized is not None:
            table.add_row("normalised Elo", f"{normalized[0]:+.0f} ± {normalized[1]:.0f} (95 %)")
        table.add_row("pairs", f"{sum(state.pairs)} (by points: {outcomes})")
    if state.repeated:
        table.add_row("repeated games", f"{state.repeated}, which do not count")
    table.add_row("time", duration(match.seconds))
    table.add_row(GAMES_DIGEST, match.tournament.games_digest)
    table.add_row(CONTENT_DIGEST, match.tournament.digest)
    console.print(table)
    for faults in match.faults:
        console.print(Text(str(faults), "red"))
