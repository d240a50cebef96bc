"""The command ``book``: opening books of an agent, and exact openings of connect four."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ...agents.book_writer import write_book
from ...agents.solvers.solver import DEFAULT_MEMORY_MB
from ...commands.analysis import DEFAULT_AGENT, make_analyst
from ...commands.app import command, ctrl_c_says
from ...commands.common import GameArgument, SeedOption, flag, option
from ...commands.output import Terminal, say
from ...envs.game import Game
from ...envs.loading.texts import counted
from ...envs.registry import make_game
from ...envs.workers.jobs import HERE, JobPlace
from ...evaluation.report import display
from .opening_writer import write_openings


@command("GAME", purpose="Records")
def book(
    game: GameArgument,
    /,
    *,
    out: Annotated[Path, option("FILE", "The book to write.")],
    agent: Annotated[
        str, option("AGENT", "The agent that analyses the positions.")
    ] = DEFAULT_AGENT,
    plies: Annotated[int, option("N", "Number of plies that the book covers.", low=1)] = 4,
    seed: SeedOption = 1,
    exact: Annotated[
        bool,
        flag(
            "Connect four only: solve every position of ply --plies exactly, and so of all earlier "
            "plies. The same command resumes an interrupted run."
        ),
    ] = False,
    place: JobPlace = HERE,
    memory: Annotated[
        int, option("MIB", "With --exact: size of the table of each process in MiB.", low=1)
    ] = DEFAULT_MEMORY_MB,
) -> None:
    """Create an opening book: the positions of the first plies, analysed by an agent.

    Positions equal under a symmetry are analysed once. Search agents use a book with the option
    book=FILE, such as alphabeta:time=0.5,book=FILE.

    [bold]Example[/bold]

    plyground book connect_four --agent alphabeta:depth=6,values=yes --plies 4 --out c4.book
    plyground book connect_four --exact --plies 8 --memory 2048 --out openings.npy --concurrency 2
    """
    board = make_game(game)
    if exact:
        _write_exact_values(board, out, plies, place.or_all_processors(), memory)
        return
    analyst = make_analyst(agent, board, seed)
    steps = display.show_steps("positions", Terminal(stderr=True))
    with ctrl_c_says("stopped; no book was written"), steps as progress:
        count = write_book(out, board, analyst, plies, seed, progress)
    say(
        f"{out} has {counted(count, 'position')} of the first {counted(plies, 'ply', 'plies')} of "
        f"{board.spec}, analysed by {agent}"
    )


def _write_exact_values(game: Game, out: Path, plies: int, place: JobPlace, memory: int) -> None:
    steps = display.show_steps("positions", Terminal(stderr=True))
    remainder = f"stopped; {out} contains the solved positions, and the same command resumes"
    with ctrl_c_says(remainder), steps as progress:
        count = write_openings(out, game, plies, place, memory, progress)
    say(f"{out} has the exact values of all {count} positions after {plies} plies")
