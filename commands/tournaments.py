"""The command ``tournament``: agents play each other, and every finished game is kept."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from ..envs.specification import SpecificationError
from ..evaluation.report import display
from ..evaluation.schedule import FORMATS
from ..evaluation.statistics.cross_table import CrossTable
from ..evaluation.store.store import Store
from ..evaluation.tournament import Plan, Tournament
from ..evaluation.tournament_file import KEYS, PlannedTournament, read_tournaments
from ..evaluation.withdrawals import WITHDRAW_AFTER
from .common import (
    DEFAULT_STORE,
    INTERRUPTED,
    BalancedOption,
    JsonOption,
    OpeningsOption,
    SeedOption,
    StoreOption,
    WithinOption,
    app,
    print_json,
    same_command,
)
from .conditions import (
    AddressOption,
    ConcurrencyOption,
    GameTimeOption,
    IsolateOption,
    MemoryLimitOption,
    MoveTimeoutOption,
    OldEngineOption,
    RunnerOption,
    WithdrawOption,
    choose_runner,
    end_if_given_up,
    read_conditions,
    tell_of_withdrawals,
)


@app.command()
def tournament(
    context: typer.Context,
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME|FILE.toml",
            help="A game, such as gomoku:size=10, or a file of tournaments.",
        ),
    ],
    agents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="AGENT AGENT...",
            help="Two or more, such as random or alphabeta:depth=6.",
            show_default=False,
        ),
    ] = None,
    pairs: Annotated[
        int | None,
        typer.Option(
            min=1,
            help=(
                "Pairs of games in each meeting: one opening, both seatings (default: 10; with "
                "all:… or a file every opening once)."
            ),
        ),
    ] = None,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="|".join(FORMATS),
            help=(
                "Everybody against everybody, the first against all others, each against the next."
            ),
        ),
    ] = "round-robin",
    opening: OpeningsOption = "random:2",
    balanced: BalancedOption = None,
    within: WithinOption = None,
    seed: SeedOption = 1,
    store: StoreOption = DEFAULT_STORE,
    name: Annotated[
        str | None,
        typer.Option(
            help="What the tournament is called in the store (default: made from its settings)."
        ),
    ] = None,
    runner: RunnerOption = None,
    engine: OldEngineOption = None,
    concurrency: ConcurrencyOption = None,
    address: AddressOption = None,
    isolate: IsolateOption = "auto",
    move_timeout: MoveTimeoutOption = None,
    game_time: GameTimeOption = None,
    memory_limit: MemoryLimitOption = None,
    withdraw_after: WithdrawOption = WITHDRAW_AFTER,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Refuse to begin: only go on with what is in the store."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Let agents play each other, in both seats.

    Every finished game is kept at once. The same command goes on where it was stopped; more --pairs
    add games. A file holds several tournaments.

    [bold]Examples[/bold]

    plyground tournament connect_four random greedy minimax:depth=2 alphabeta:depth=6
    montecarlo:simulations=200

    plyground tournament connect_four alphabeta:depth=6 greedy mcts --format gauntlet --opening
    all:2

    plyground tournament connect_four alphabeta:depth=4 alphabeta:depth=5 --opening random:6
    --balanced alphabeta:depth=8 --within 10

    plyground tournament examples/tournaments.toml --store evening.db --concurrency 2

    plyground tournament connect_four greedy python:my_module:make_bot --move-timeout 1
    --memory-limit 2G
    """
    if game.endswith(".toml"):
        planned = _from_file(context, Path(game))
    else:
        planned = [
            PlannedTournament(
                Plan(game, tuple(agents or ()), pairs, opening, seed, format, balanced, within),
                name,
            )
        ]
    if any("human" in one.plan.agents for one in planned):
        raise SpecificationError("a person cannot play in a tournament; use: plyground play GAME")
    conditions = read_conditions(isolate, move_timeout, game_time, memory_limit, withdraw_after)
    with Store(store) as opened, choose_runner(runner, concurrency, address) as chosen:
        # all are checked before anything is played
        tournaments = [
            Tournament(one.plan, opened, one.name, chosen, conditions) for one in planned
        ]
        if resume and not any(one.entered for one in tournaments):
            raise SpecificationError(
                f"there is nothing to resume: {store} does not hold this tournament; without "
                f"--resume it begins"
            )
        _choose_openings(tournaments)
        for one in tournaments:
            one.enter(same_command(context, resume=False))
        tables = _play(tournaments, opened, same_command(context, resume=True))
        tell_of_withdrawals(tournaments, _notes())
        if as_json:
            values = [
                _to_json(one, store) | table.to_json() for one, table in zip(tournaments, tables)
            ]
            print_json({"tournaments": values} if game.endswith(".toml") else values[0])
        else:
            for one, table in zip(tournaments, tables):
                _print_result(one, table, Console(highlight=False))
            _notes().print(
                f"games in {store}; for ratings: plyground report {shlex.quote(str(store))}",
                markup=False,
            )
    end_if_given_up(chosen, _notes())


def _from_file(context: typer.Context, path: Path) -> list[PlannedTournament]:
    """The tournaments of a file; nothing that belongs in it may be given on the command line."""
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if (
            source is not None
            and source.name == "COMMANDLINE"
            and parameter.name in KEYS
            and parameter.name != "game"
        ):
            word = parameter.opts[0] if parameter.param_type_name == "option" else parameter.name
            raise SpecificationError(f"{word} belongs in the file {path}, not on the command line")
    return read_tournaments(path)


def _notes() -> Console:
    """Where remarks go that are not results."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def _choose_openings(tournaments: list[Tournament]) -> None:
    """Find the openings of all pairs, and tell how far that is where a judge needs its time."""
    try:
        with display.status_line(Console(stderr=True)) as tell:
            for one in tournaments:
                one.find_openings(
                    lambda found, judged: tell(
                        f"choosing openings: {found} found, {judged} looked at"
                    )
                )
    except KeyboardInterrupt:
        _notes().print("stopped while choosing openings; nothing was played", markup=False)
        raise typer.Exit(INTERRUPTED) from None


def _play(tournaments: list[Tournament], store: Store, resume: str) -> list[CrossTable]:
    """Play what is missing, one tournament after the other; their tables.

    Ctrl-C ends the program with the command that goes on.
    """
    notes = _notes()
    held = [CrossTable(one.labels, one.played()) for one in tournaments]
    missing = [one.missing for one in tournaments]
    before, total = (
        sum(table.games for table in held),
        sum(table.games for table in held) + sum(missing),
    )
    if not any(missing):
        these = "this tournament" if len(tournaments) == 1 else "these tournaments"
        told = (
            f"all {before} games of {these} are in {store.path} already: none was played. More "
            f"pairs or another seed give new ones."
        )
        notes.print(told, markup=False)
        return held
    if before:
        notes.print(
            f"{before} of {total} games are in {store.path} already; playing the other "
            f"{sum(missing)}",
            markup=False,
        )
    progress = display.TournamentProgress(total, before)
    try:
        with display.show_progress(progress, Console(stderr=True)):
            for number, (one, table, games) in enumerate(zip(tournaments, held, missing), 1):
                if not games:
                    continue
                title = f"{number}/{len(tournaments)} {one.name}" if len(tournaments) > 1 else ""
                progress.begin(table, title)
                one.get_ready()
                one.run(progress.count)
    except KeyboardInterrupt:
        kept = sum(CrossTable(one.labels, one.played()).games for one in tournaments)
        notes.print(
            f"stopped; {kept} of {total} games are in {store.path}. To go on:\n  {resume}",
            markup=False,
        )
        raise typer.Exit(INTERRUPTED) from None
    # the games another process has added count as well
    return [CrossTable(one.labels, one.played()) for one in tournaments]


def _to_json(one: Tournament, store: Path) -> dict[str, Any]:
    plan = one.plan._replace(pairs=one.schedule.pairs)._asdict()
    withdrawn = {one.labels[number]: games for number, games in one.withdrawn().agents.items()}
    return {
        "tournament": plan,
        "name": one.name,
        "store": str(store),
        "left_out_games": one.schedule.left_out,
        "withdrawn": withdrawn,
    }


def _print_result(one: Tournament, table: CrossTable, console: Console) -> None:
    """A tournament's table below a line that says what was played."""
    plan, left_out = one.plan, one.schedule.left_out
    judged = f" balanced by {plan.balanced}" if plan.balanced else ""
    settings = (
        f"{plan.format}, pairs {one.schedule.pairs}, opening {plan.opening}{judged}, seed "
        f"{plan.seed}"
    )
    console.print(
        f"{one.game.spec}: {table.games} games, {table.distinct_games} of them distinct "
        f"({settings})",
        markup=False,
    )
    if left_out:
        console.print(display.left_out_text(left_out))
    console.print()
    display.print_cross_table(table, console)
    console.print()
