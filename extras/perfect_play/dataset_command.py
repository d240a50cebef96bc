"""The command ``dataset``: positions with exact values or with a teacher's moves."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from ...agents.solvers.solver import DEFAULT_MEMORY_MB
from ...commands.app import Interruption, command
from ...commands.common import GameArgument, SeedOption, option
from ...commands.output import Terminal, say
from ...envs import Game, make_game
from ...envs.loading.texts import counted
from ...envs.specification import SpecificationError
from ...envs.workers.jobs import HERE, JobPlace
from ...evaluation.report.display import show_steps
from ...evaluation.store.store import Store, StoreError
from .datasets.build import RANDOM_PLAY, BuildProgress, Source, build_dataset, build_taught_dataset
from .datasets.positions import Report

PlayerOption = Annotated[
    str | None,
    option("AGENT", "Take positions of this agent's games against itself (default: random play)."),
]
TeacherOption = Annotated[
    str | None,
    option(
        "AGENT",
        "Instead of exact values: this agent's moves in games against itself, and their results.",
    ),
]
PliesOption = Annotated[
    str | None,
    option("FIRST-LAST", "Take positions at these plies, such as 12-41 (default: all)."),
]


@command("GAME --positions N --out FILE", purpose="Train")
def dataset(
    game: GameArgument,
    /,
    *,
    positions: Annotated[int, option("N", "Number of positions.", low=1)],
    out: Annotated[Path, option("FILE", "The file to write: .parquet or .npz.")],
    by: PlayerOption = None,
    teacher: TeacherOption = None,
    from_store: Annotated[
        Path | None, option("STORE", "Take positions of the games in this store.")
    ] = None,
    plies: PliesOption = None,
    seed: SeedOption = 1,
    place: JobPlace = HERE,
    memory: Annotated[
        int, option("MIB", "Size of each solver's table in MiB.", low=1)
    ] = DEFAULT_MEMORY_MB,
) -> None:
    """Write positions with the exact value of every legal action, for supervised learning.

    If there is no solver for the board, --teacher writes the moves of an agent.

    The positions are spread evenly over the plies and unique up to symmetry. The same seed gives
    the same file, and the same command resumes. Early positions of large boards take seconds each;
    --plies excludes them. Python reads the file with plyground.extras.perfect_play.datasets.load.

    [bold]Examples[/bold]

    plyground dataset connect_four --positions 100000 --plies 14-41 --out c4.parquet --concurrency 2

    plyground dataset dots_and_boxes:rows=3,cols=3 --positions 500 --by greedy --out boxes.npz

    plyground dataset gomoku:size=9 --positions 20000 --teacher gomoku:nodes=1000 --out g9.npz
    """
    board = make_game(game)
    if teacher is not None and (by is not None or from_store is not None):
        raise SpecificationError(
            "--teacher uses positions of its own games; omit --by and --from-store"
        )
    choices: dict[str, Any] = {"plies": _read_plies(plies), "seed": seed, "place": place}
    try:
        if teacher is not None:
            with _bars("playing games") as (bar,):
                count = build_taught_dataset(
                    board, positions, out, teacher, progress=bar, **choices
                )
        else:
            choices |= {"source": _source(board, by, from_store), "memory_mb": memory}
            with _bars("drawing positions", "solving positions") as bars:
                count = build_dataset(
                    board, positions, out, progress=BuildProgress(*bars), **choices
                )
    except KeyboardInterrupt:
        again = "resumes" if teacher is None else "begins anew"
        raise Interruption(f"stopped; the same command {again}") from None
    _print_count(out, board, count, positions)


def _print_count(out: Path, game: Game, count: int, maximum: int) -> None:
    fewer = "" if count == maximum else f" (no more were found, of {maximum:,})"
    say(f"{out}: {counted(count, 'position')} of {game.spec}{fewer}")


def _source(game: Game, by: str | None, from_store: Path | None) -> Source:
    """The games from which positions are taken."""
    if by is not None and from_store is not None:
        raise SpecificationError("--by and --from-store cannot be combined; choose one of them")
    if from_store is None:
        return RANDOM_PLAY if by is None else Source(by)
    with Store(from_store) as store:
        return Source(from_store.name, list(_games(store, game)))


@contextlib.contextmanager
def _bars(*names: str) -> Iterator[list[Report]]:
    """Functions that show the steps of jobs, one bar after the other."""
    console = Terminal(stderr=True)
    with contextlib.ExitStack() as stack:
        bars: dict[str, Report] = {}

        def show(name: str, step: int, total: int) -> None:
            if name not in bars:
                stack.close()
                bars[name] = stack.enter_context(show_steps(name, console))
            bars[name](step, total)

        yield [functools.partial(show, name) for name in names]


def _read_plies(text: str | None) -> range | None:
    if text is None:
        return None
    match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", text, re.ASCII)
    if match is None:
        raise SpecificationError(f"--plies {text} is not of the form FIRST-LAST, such as 12-41")
    first = int(match[1])
    return range(first, int(match[2] or first) + 1)


def _games(store: Store, game: Game) -> Iterator[tuple[int, ...]]:
    """The moves of all finished games of this board in a store; StoreError if there are none."""
    any_game = False
    for tournament in store.tournaments():
        if make_game(tournament.settings["game"]) == game:
            for finished_game in store.games(tournament.number):
                any_game = True
                yield finished_game.result.moves
    if not any_game:
        raise StoreError(f"{store.path} holds no games of {game.spec}")
