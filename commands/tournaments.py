"""The command ``tournament``: agents play each other, and every finished game is stored."""

from __future__ import annotations

import dataclasses
import shlex
import warnings
from pathlib import Path
from typing import Annotated, Any

from rich.console import Console

from ..agents.faults import FaultWarning
from ..agents.human import refuse_people
from ..envs.loading.texts import counted
from ..envs.specification import SpecificationError
from ..envs.workers.jobs import HERE, JobPlace
from ..evaluation.conditions import Conditions
from ..evaluation.plan import Plan, read_tournaments
from ..evaluation.report import display
from ..evaluation.statistics.cross_table import CrossTable
from ..evaluation.store.store import Store
from ..evaluation.tournament import Tournament
from .app import Interruption, command, ctrl_c_says, given_options, same_command
from .common import argument, flag
from .options import USUAL_STORE, StoreOptions, fail_if_given_up, report_withdrawals
from .output import Terminal, note, print_json

USUAL_PLAN = Plan()
SHARED = [
    field.name for field in dataclasses.fields(Conditions)
]  # shared by all tournaments of a file


@command("GAME|FILE [AGENT AGENT...]")
def tournament(
    game: Annotated[
        str,
        argument(
            "GAME|FILE", "A game, such as gomoku:size=10, or a file of tournaments (FILE.toml)."
        ),
    ],
    /,
    *agents: Annotated[
        str, argument("AGENT", "Two or more agents, such as random or alphabeta:depth=6.")
    ],
    plan: Plan = USUAL_PLAN,
    place: JobPlace = HERE,
    stored: StoreOptions = USUAL_STORE,
    resume: Annotated[
        bool, flag("Only resume a tournament of the store; refuse to begin a new one.")
    ] = False,
) -> None:
    """Play a tournament: every pair of agents meets in both seats.

    Every finished game is stored at once. The same command resumes a tournament that was stopped.
    A higher --pairs adds games. A file can hold several tournaments.

    [bold]Examples[/bold]

    plyground tournament connect_four random greedy minimax:depth=2 alphabeta:depth=6
    montecarlo:simulations=200

    plyground tournament connect_four mcts greedy alphabeta --format gauntlet --opening all:2

    plyground tournament connect_four alphabeta:depth=4 alphabeta:depth=5 --opening random:6
    --balanced alphabeta:depth=8 --within 10

    plyground tournament examples/tournaments.toml --store evening.db --concurrency 2

    plyground tournament connect_four greedy python:my_module:make_bot --move-timeout 1

    plyground tournament gomoku alphabeta:time=1 "gomocup:./pbrain-x,time=1" --opening swap2:5
    --balanced alphabeta:nodes=50000 --within 50 --draw-after 200 --agreed-after 3
    """
    plans = _make_plans(game, agents, plan)
    with Store(stored.store).expect(stored.expect) as games:
        # All plans are checked before any game is played.
        on_changed = stored.answer_to_change()
        tournaments = [Tournament(each, games, place, on_changed) for each in plans]
        _begin(tournaments, stored.store, resume)
        with warnings.catch_warnings(
            action="ignore", category=FaultWarning
        ):  # the tables report it
            tables = _play(tournaments, games, same_command("--resume"))
        report_withdrawals(tournaments)
        if stored.as_json:
            pairs = zip(tournaments, tables)
            values = [_to_json(one, stored.store, table) for one, table in pairs]
            print_json({"tournaments": values} if game.endswith(".toml") else values[0])
        else:
            _print_results(tournaments, tables, stored.store)
    fail_if_given_up(tournaments)


def _print_results(tournaments: list[Tournament], tables: list[CrossTable], store: Path) -> None:
    for one, table in zip(tournaments, tables):
        _print_result(one, table, Terminal())
    note(f"games in {store}; for ratings: plyground report {shlex.quote(str(store))}")


def _make_plans(game: str, agents: tuple[str, ...], plan: Plan) -> list[Plan]:
    """The tournament of the command line, or the tournaments of its file."""
    if game.endswith(".toml"):
        # The command line may not repeat what belongs in the file.
        own = [f"--{field.name}" for field in dataclasses.fields(Plan) if field.name not in SHARED]
        options = [name for name in own if name in given_options()]
        if agents or options:
            first = "agents" if agents else options[0]
            raise SpecificationError(f"{first} belongs in the file {game}, not on the command line")
        plans = read_tournaments(Path(game), {name: getattr(plan, name) for name in SHARED})
    else:
        plans = [plan.replace(game=game, agents=agents)]
    for one in plans:
        refuse_people(one.agents, "a tournament")
    return plans


def _begin(tournaments: list[Tournament], store: Path, resume: bool) -> None:
    """Choose the openings and enter the tournaments in the store.

    Raises:
        SpecificationError: with ``resume``, the store holds none of them.
    """
    if resume and not any(one.is_in_store for one in tournaments):
        raise SpecificationError(
            f"there is nothing to resume: {store} does not hold this tournament; omit "
            f"--resume to begin it"
        )
    status = display.status_line(Terminal(stderr=True))
    with ctrl_c_says("stopped while choosing openings; nothing was played"), status as tell:
        for one in tournaments:
            one.find_openings(
                lambda openings, candidates: tell(
                    f"choosing openings: {openings} accepted, {candidates} judged"
                )
            )
    for one in tournaments:
        one.enter(same_command("--resume", present=False))


def _play(tournaments: list[Tournament], store: Store, resume: str) -> list[CrossTable]:
    """Play the missing games of one tournament after the other; returns their tables.

    Ctrl-C ends the program and shows the command that resumes.
    """
    tables = [one.table() for one in tournaments]
    missing = [one.missing for one in tournaments]
    before = sum(table.games for table in tables)
    total = before + sum(missing)
    if not any(missing):
        these = "this tournament" if len(tournaments) == 1 else "these tournaments"
        text = (
            f"all {before} games of {these} are already in {store.path}; none was played. More "
            f"pairs or another seed give new games."
        )
        note(text)
        return tables
    if before:
        note(
            f"{before} of {total} games are in {store.path} already; playing the other "
            f"{sum(missing)}"
        )
    progress = display.TournamentProgress(total, before)
    try:
        with display.show_progress(progress, Terminal(stderr=True)):
            for number, (one, table, games) in enumerate(zip(tournaments, tables, missing), 1):
                if not games:
                    continue
                title = f"{number}/{len(tournaments)} {one.name}" if len(tournaments) > 1 else ""
                progress.begin(table, title)
                one.get_ready()
                one.run(progress.count)
    except KeyboardInterrupt:
        count = sum(one.table().games for one in tournaments)
        where = f"{count} of {total} games are in {store.path}"
        raise Interruption(f"stopped; {where}. To go on:\n  {resume}") from None
    # Games added by another process count as well.
    return [one.table() for one in tournaments]


def _to_json(one: Tournament, store: Path, table: CrossTable) -> dict[str, Any]:
    return {
        "tournament": _plan_of(one),
        "name": one.name,
        "store": str(store),
        "digest": one.digest,
        "games_digest": one.games_digest,
        "left_out_games": one.schedule.left_out,
        "withdrawn": {
            one.labels[number]: games for number, games in one.withdrawn().agents.items()
        },
        **table.to_json(),
    }


def _plan_of(one: Tournament) -> dict[str, Any]:
    """The plan's settings without its conditions."""
    values = vars(one.plan.replace(pairs=one.schedule.pairs))
    return {name: value for name, value in values.items() if name not in (*SHARED, "name")}


def _print_result(one: Tournament, table: CrossTable, console: Console) -> None:
    """A line with a tournament's settings, and its table."""
    plan, left_out = one.plan, one.schedule.left_out
    options = f" balanced by {plan.balanced}" if plan.balanced else ""
    options += ", transformed" if plan.transform else ""
    settings = (
        f"{plan.format}, pairs {one.schedule.pairs}, opening {plan.opening}{options}, seed "
        f"{plan.seed}"
    )
    console.print(
        f"{one.game.spec}: {counted(table.games, 'game')}, "
        f"{table.distinct_games:,} of them distinct ({settings})",
        markup=False,
    )
    if left_out:
        console.print(display.left_out_text(left_out))
    console.print()
    display.print_cross_table(table, console)
    console.print(display.digests_text(one.games_digest, one.digest))
    console.print()
