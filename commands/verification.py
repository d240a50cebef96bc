"""The command ``verify``: are the games of a store repeatable?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ..evaluation.report import display
from ..evaluation.store.store import Store
from ..evaluation.verify import verify as verify_games
from .common import DEFAULT_STORE, app
from .conditions import IsolateOption

NOT_REPEATABLE = 1  # exit status


@app.command()
def verify(
    store: Annotated[
        Path, typer.Argument(metavar="STORE", help="The file that a tournament keeps its games in.")
    ] = DEFAULT_STORE,
    games: Annotated[
        int, typer.Option(min=1, metavar="N", help="Games to play again, of each tournament.")
    ] = 20,
    isolate: IsolateOption = "auto",
) -> None:
    """Play games of a store again with the same seeds, and tell which agents play other moves than
    they did.

    [bold]Examples[/bold]

    plyground verify plyground-tournament.db --games 100
    """
    deviating = False
    with Store(store) as opened:
        for tournament in opened.tournaments():
            with display.status_line(Console(stderr=True)) as say:
                say(f"playing games of {tournament.name} again")
                played, deviations = verify_games(tournament, opened, games, isolate)
            deviating = deviating or bool(deviations)
            typer.echo(
                f"{tournament.name}: {played - len(deviations)} of {played} games went the same "
                f"way again"
            )
            for agent, count in Counter(deviation.agent for deviation in deviations).most_common():
                first = next(deviation for deviation in deviations if deviation.agent == agent)
                where = f"first in pair {first.game.pair} at ply {first.ply}"
                typer.echo(
                    f"  {tournament.agents[agent].label} left the recorded moves in {count} of "
                    f"them, {where}"
                )
    if deviating:
        raise typer.Exit(NOT_REPEATABLE)
