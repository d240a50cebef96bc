"""The command ``verify``: is a store as plyground wrote it, and are its games repeatable?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
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
NEVER = "an older copy, or changed: no tournament in it ever had the digest"


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
    expect: Annotated[
        tuple[str, ...],
        option(
            "DIGEST",
            "A digest that a tournament or a report showed: the store must hold all games of that "
            "moment. May be repeated.",
        ),
    ] = (),
    as_json: JsonOption = False,
) -> None:
    """Check whether a store was changed, and whether its games follow the rules.

    Agents play a sample of the games again with the same seeds, and those whose moves differ are
    listed. Nothing is written to the store. The exit status is 1 if anything is found.

    [bold]Examples[/bold]

    plyground verify plyground-tournament.db --games 100

    plyground verify plyground-tournament.db --games 0

    plyground verify plyground-tournament.db --expect 6f2b9c51d3a04e8f7c6e1d2b3a495867
    """
    results: list[Verification] = []
    with Store(store, read_only=True) as games_store:
        tournaments = games_store.tournaments()
        changes = games_store.changes()
        if not tournaments:
            changes.append(Change("it holds no tournament: there is nothing to verify"))
        then = {digest: games_store.games_until(digest) for digest in expect}
        changes += [Change(f"{NEVER} {digest}") for digest, place in then.items() if place is None]
        for tournament in tournaments:
            with display.status_line(Console(stderr=True)) as tell:
                tell(f"checking {tournament.name}")
                results.append(verify_games(tournament, games_store, games, isolate, seed))
            if not as_json:
                _print(results[-1])
    if as_json:
        print_json(
            {
                "store": str(store),
                "changes": [change._asdict() for change in changes],
                "expected": {digest: place and place[1] for digest, place in then.items()},
                "tournaments": [one.to_json() for one in results],
            }
        )
    else:
        _print_store(store, changes, then)
    if changes or not all(one.sound for one in results):
        raise SystemExit(FAILURE)


def _print_store(
    store: Path, changes: list[Change], then: dict[str, tuple[str, int] | None]
) -> None:
    """What was found about the file as a whole."""
    for digest, place in then.items():
        if place is not None:
            say(f"{place[0]}: had {place[1]} games when its digest was {digest}")
    if changes:
        say(f"{store}:")
        _list(changes)


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
