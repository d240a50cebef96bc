"""The command ``verify``: is a store as plyground wrote it, and are its games repeatable?"""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from rich.console import Console

from ..evaluation.report import display
from ..evaluation.store.digests import Change
from ..evaluation.store.store import Store
from ..evaluation.verification import Verification
from ..evaluation.verification import verify as verify_games
from .app import FAILURE, command
from .common import DEFAULT_STORE, JsonOption, SeedOption, StoreArgument, option
from .options import IsolateOption
from .output import print_json, say

MOST_LINES = 10  # findings of a kind


@command("[STORE]")
def verify(
    store: StoreArgument = DEFAULT_STORE,
    /,
    *,
    games: Annotated[
        int,
        option("N", "Number of games of each tournament that the agents play again.", low=0),
    ] = 20,
    seed: SeedOption = 1,
    isolate: IsolateOption = "auto",
    as_json: JsonOption = False,
) -> None:
    """Check whether a store was changed, and whether its games follow the rules.

    Agents play a sample of the games again with the same seeds, and those whose moves differ are
    listed. The exit status is 1 if anything is found.

    [bold]Examples[/bold]

    plyground verify plyground-tournament.db --games 100

    plyground verify plyground-tournament.db --games 0
    """
    results: list[Verification] = []
    with Store(store) as games_store:
        tournaments = games_store.tournaments()
        changes = games_store.changes()
        for tournament in tournaments:
            with display.status_line(Console(stderr=True)) as tell:
                tell(f"checking {tournament.name}")
                results.append(verify_games(tournament, games_store, games, isolate, seed))
            if not as_json:
                _print(results[-1])
    if as_json:
        description = {"store": str(store), "changes": [change._asdict() for change in changes]}
        print_json(description | {"tournaments": [one.to_json() for one in results]})
    else:
        _list(changes)
    if changes or not all(one.sound for one in results):
        raise SystemExit(FAILURE)


def _print(one: Verification) -> None:
    """What was found about a tournament."""
    tournament = one.tournament
    intact = one.games - len({change.game for change in one.changes + one.contradictions} - {None})
    say(f"{tournament.name}: {intact} of {one.games} games are as stored and follow the rules")
    _list(one.changes)
    _list(one.contradictions)
    if one.not_asked is not None:
        say(f"  its agents were not asked again: {one.not_asked}")
        return
    say(f"  {one.played - len(one.deviations)} of {one.played} games went the same way again")
    for agent, count in Counter(deviation.agent for deviation in one.deviations).most_common():
        first = next(deviation for deviation in one.deviations if deviation.agent == agent)
        say(
            f"  {tournament.agents[agent].label} left the recorded moves in {count} of them, first "
            f"in pair {first.game.pair} at ply {first.ply}"
        )


def _list(changes: list[Change]) -> None:
    for change in changes[:MOST_LINES]:
        say(f"  {change.what}")
    if len(changes) > MOST_LINES:
        say(f"  and {len(changes) - MOST_LINES} more; --json lists all")
