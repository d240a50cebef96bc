"""Commands that look into positions: ``analyse``, ``solve``, ``book``."""

from __future__ import annotations

import time as clock
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from ..agents import Agent, Decision, make_agent
from ..agents.book_writer import write_book
from ..agents.human import HumanAgent
from ..agents.solvers.solver import (
    DEFAULT_MEMORY_MB,
    Solution,
    SolveInterrupted,
    describe,
    make_solver,
)
from ..envs import Position, make_game
from ..envs.game import PLAYERS
from ..envs.specification import SpecificationError
from ..evaluation.report import analysis as report
from ..evaluation.report import display
from .common import (
    INTERRUPTED,
    GameArgument,
    JsonOption,
    SeedOption,
    app,
    print_json,
    read_moves,
)

# How agents that value only the action they choose, unless they are asked for more, are asked for
# more.
VALUES_OF_ALL: dict[str, dict[str, Any]] = {
    "alphabeta": {"values": True},
    "solver": {"moves": "all"},
}
DEFAULT_AGENT = "alphabeta:time=1"

MovesOption = Annotated[
    str,
    typer.Option(
        metavar="MOVES",
        help="Moves that lead to the position, by name, separated by commas: d,d,c.",
    ),
]


@app.command()
def analyse(
    game: GameArgument,
    moves: MovesOption = "",
    agent: Annotated[str, typer.Option(metavar="AGENT", help="Who analyses.")] = DEFAULT_AGENT,
    all_actions: Annotated[
        bool,
        typer.Option(
            "--all", help="Value every action where the agent can (slower), and list them all."
        ),
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", help="Tell what is known after every depth, or so many simulations."
        ),
    ] = False,
    seed: SeedOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Show what an agent thinks of a position: values, expected line of play, cost.

    All values are from the side of the player to move.

    [bold]Examples[/bold]

    plyground analyse connect_four --moves d,d,c --all

    plyground analyse dots_and_boxes --agent mcts:simulations=5000 --verbose
    """
    chosen = make_game(game)
    position = chosen.position(read_moves(chosen, moves))
    analyst = make_agent(agent, chosen, seed)
    if isinstance(analyst, HumanAgent):
        raise SpecificationError(
            "a person at the terminal analyses nothing; use: plyground play GAME"
        )
    if all_actions and analyst.name in VALUES_OF_ALL:
        analyst = type(analyst)(chosen, seed, **(analyst.options | VALUES_OF_ALL[analyst.name]))
    if not as_json:
        typer.echo(f"{position}\n\n{PLAYERS[position.to_move]} to move\n")
    progress = _watch(analyst, position, verbose, quiet=as_json)
    decision = analyst.analyse(position)
    if as_json:
        value = {
            "game": chosen.spec,
            "moves": moves,
            "agent": analyst.spec,
            **report.to_json(position, decision),
        }
        print_json(value | ({"progress": progress} if verbose else {}))
        return
    if progress:
        typer.echo()
    console = Console(highlight=False)
    report.print_decision(position, decision, analyst.name, console, every_action=all_actions)


def _watch(analyst: Agent, position: Position, verbose: bool, quiet: bool) -> list[dict[str, Any]]:
    """Let an agent report what it knows while it thinks; the list returned fills while it does."""
    reports: list[dict[str, Any]] = []
    analyst.get_ready(position.game)
    began = clock.perf_counter()

    def tell(decision: Decision) -> None:
        seconds = clock.perf_counter() - began
        reports.append(
            report.to_json(position, decision) | {"seconds": seconds, "per_second": None}
        )
        if not quiet:
            typer.echo(report.progress_line(position, decision, seconds))

    if verbose:
        analyst.on_progress = tell
    return reports


@app.command()
def solve(
    game: GameArgument,
    moves: MovesOption = "",
    all_moves: Annotated[
        bool, typer.Option("--all-moves", help="Find the value of every legal action.")
    ] = False,
    weak: Annotated[
        bool, typer.Option("--weak", help="Ask only for win, draw or loss, which is quicker.")
    ] = False,
    memory: Annotated[
        int,
        typer.Option(
            metavar="MB", min=1, max=1 << 20, help="What the table of positions may take, in MiB."
        ),
    ] = DEFAULT_MEMORY_MB,
    time: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", min=0.001, help="Stop after so long with what is proved by then."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find the result of a position under best play of both sides.

    All values are from the side of the player to move. Ctrl-C shows the bounds proved so far.

    [bold]Examples[/bold]

    plyground solve connect_four:rows=5,cols=5 --all-moves

    plyground solve dots_and_boxes:dots=4x4
    """
    chosen = make_game(game)
    position = chosen.position(read_moves(chosen, moves))
    solver = make_solver(chosen, memory)
    if not as_json:
        typer.echo(f"{position}\n\n{PLAYERS[position.to_move]} to move\n")
    interrupted = False
    try:
        with display.status_line(Console(stderr=True)) as tell:
            solution = solver.solve(
                position,
                moves="all" if all_moves else "best",
                weak=weak,
                time=time,
                progress=lambda p: tell(report.solving_line(p.nodes, p.seconds, p.lower, p.upper)),
            )
    except SolveInterrupted as stopped:
        interrupted, solution = True, stopped.solution
    _show_solution(position, solution, moves, weak, as_json)
    if interrupted:
        typer.echo("stopped by Ctrl-C before the value was proved", err=True)
        raise typer.Exit(INTERRUPTED)


def _show_solution(
    position: Position, solution: Solution, moves: str, weak: bool, as_json: bool
) -> None:
    if as_json:
        known = {
            "game": position.game.spec,
            "moves": moves,
            "to_move": PLAYERS[position.to_move],
            "weak": weak,
        }
        print_json(known | describe(position, solution))
    else:
        report.print_solution(position, solution, weak, Console(highlight=False))


@app.command()
def book(
    game: GameArgument,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where the book is written.")],
    agent: Annotated[
        str, typer.Option(metavar="AGENT", help="Who analyses the positions.")
    ] = DEFAULT_AGENT,
    plies: Annotated[
        int, typer.Option(min=1, help="How many plies of the game the book covers.")
    ] = 4,
    seed: SeedOption = 1,
) -> None:
    """Make an opening book: every position of the first plies, up to symmetry, analysed by an
    agent.

    Agents that search play from it with book=FILE, such as alphabeta:time=0.5,book=FILE.

    [bold]Example[/bold]

    plyground book connect_four --agent alphabeta:depth=12,values=yes --plies 4 --out
    connect_four.book
    """
    chosen = make_game(game)
    try:
        with display.show_steps("positions", Console(stderr=True)) as progress:
            count = write_book(out, chosen, make_agent(agent, chosen, seed), plies, seed, progress)
    except KeyboardInterrupt:
        typer.echo("stopped; no book was written", err=True)
        raise typer.Exit(INTERRUPTED) from None
    typer.echo(
        f"{count} positions of the first {plies} plies of {chosen.spec}, as {agent} sees them, are "
        f"in {out}"
    )
