"""The command ``play``: a game against an agent, at the terminal."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

from ...commands.app import command
from ...commands.common import GameArgument, SeedOption, flag, option
from ...envs import make_game
from ...evaluation.store.store import Store
from .game import TerminalGame


@command("GAME", purpose="Start here", rank=0)
def play(
    game: GameArgument,
    /,
    *,
    against: Annotated[str, option("AGENT", "Your opponent.")] = "alphabeta:depth=4",
    seat: Annotated[int, option("0|1", "Your seat: 0 moves first, 1 second.", low=0, high=1)] = 0,
    seed: SeedOption = 1,
    show_thinking: Annotated[bool, flag("Show the opponent's evaluation of its moves.")] = False,
    store: Annotated[
        Path | None,
        option("FILE", "Keep the games in this store, for replay, report and export."),
    ] = None,
) -> None:
    """Play a game against an agent in the terminal.

    Type moves by name. help lists the commands: undo, hint, level, review and more.

    [bold]Examples[/bold]

    plyground play tic_tac_toe:size=4

    plyground play connect_four --against zoo:connect_four --seat 1

    plyground play gomoku:size=10,rule=caro --against hard --store mine.db
    """
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - lines can be edited, and typed again, where there is one
    with contextlib.ExitStack() as open_files:
        games = None if store is None else open_files.enter_context(Store(store)).open()
        TerminalGame(make_game(game), against, seat, seed, show_thinking, games).run()
