"""The command ``verify``: are the games of a store repeatable?"""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from rich.console import Console

from ..evaluation.report import display
from ..evaluation.single_games import of_people
from ..evaluation.store.store import Store
from ..evaluation.verify import verify as verify_games
from .app import FAILED, command
from .common import DEFAULT_STORE, StoreArgument, option
from .options import IsolateOption
from .output import say


@command("[STORE]")
def verify(
    store: StoreArgument = DEFAULT_STORE,
    /,
    *,
    games: Annotated[
        int, option("N", "Number of games of each tournament to play again.", low=1)
    ] = 20,
    isolate: IsolateOption = "auto",
) -> None:
    """Play games of a store again with the same seeds, and list the agents whose moves differ.

    The exit status is 1 if any moves differ.

    [bold]Examples[/bold]

    plyground verify plyground-tournament.db --games 100
    """
    deviating = False
    with Store(store) as opened:
        for tournament in opened.tournaments():
            if of_people(tournament):
                say(f"{tournament.name}: left out, since people have played in it")
                continue
            with display.status_line(Console(stderr=True)) as tell:
                tell(f"playing games of {tournament.name} again")
                played, deviations = verify_games(tournament, opened, games, isolate)
            deviating = deviating or bool(deviations)
            say(
                f"{tournament.name}: {played - len(deviations)} of {played} games went the same "
                f"way again"
            )
            for agent, count in Counter(deviation.agent for deviation in deviations).most_common():
                first = next(deviation for deviation in deviations if deviation.agent == agent)
                say(
                    f"  {tournament.agents[agent].label} left the recorded moves in {count} of "
                    f"them, first in pair {first.game.pair} at ply {first.ply}"
                )
    if deviating:
        raise SystemExit(FAILED)
