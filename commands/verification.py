"""The command ``verify``: check the contents of a store and whether its games are repeatable."""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path
from typing import Annotated

from ..agents.effects import check_asked
from ..envs.loading.texts import counted
from ..evaluation.conditions import USUAL, Conditions
from ..evaluation.report import display
from ..evaluation.store.checks import Finding
from ..evaluation.store.store import NEVER, Store
from ..evaluation.verification import Verification
from ..evaluation.verification import verify as verify_games
from .app import FAILURE, command
from .common import (
    DEFAULT_STORE,
    ENDS,
    AskOption,
    ExpectOption,
    JsonOption,
    SeedOption,
    StoreArgument,
    option,
)
from .output import Terminal, print_json, say

MOST_LINES = 10  # findings of a kind


LIMITS = ("move_timeout", "game_time", "clock", "memory_limit")


@command("[STORE]", without=(*LIMITS, *ENDS))
def verify(
    store: StoreArgument = DEFAULT_STORE,
    /,
    *,
    games: Annotated[
        int,
        option("N", "Number of games of each tournament to replay with the agents.", low=0),
    ] = 20,
    seed: SeedOption = 1,
    ask: AskOption = (),
    conditions: Conditions = USUAL,
    expect: ExpectOption = (),
    as_json: JsonOption = False,
) -> None:
    """Check the tables and values of a store, and whether its games follow the rules.

    Agents play a sample of the games again with the same seeds, and games whose moves differ are
    listed. A store may name any agent: one that runs a program, imports a module, opens a file or
    uses the network is skipped unless --ask names it. Nothing is written to the store. The exit
    status is 1 if there are findings.

    [bold]Examples[/bold]

    plyground verify plyground-tournament.db --games 100

    plyground verify plyground-tournament.db --games 0

    plyground verify mine.db --ask python:my_agents:careful

    plyground verify plyground-tournament.db --expect 6f2b9c51d3a04e8f7c6e1d2b3a495867
    """
    results: list[Verification] = []
    with Store(store, read_only=True) as games_store:
        tournaments = games_store.tournaments()
        findings = games_store.findings()
        if not tournaments:
            findings.append(Finding("it holds no tournament: there is nothing to verify"))
        then = {digest: games_store.games_until(digest) for digest in expect}
        findings += [
            Finding(f"{NEVER} {digest}") for digest, place in then.items() if place is None
        ]
        check_asked(ask, sorted({each.spec for one in tournaments for each in one.agents}))
        for tournament in tournaments:
            with display.status_line(Terminal(stderr=True)) as tell:
                tell(f"checking {tournament.name}")
                choice = (games, conditions.isolate, seed)
                results.append(verify_games(tournament, games_store, *choice, ask=ask))
            if not as_json:
                _print(results[-1])
    if as_json:
        about = {
            "store": str(store),
            "findings": [finding._asdict() for finding in findings],
            "expected": {digest: place and place[1] for digest, place in then.items()},
        }
        print_json(about | {"tournaments": [one.to_json() for one in results]})
    else:
        _print_store(store, findings, then)
    if findings or not all(one.sound for one in results):
        raise SystemExit(FAILURE)


def _print_store(
    store: Path, findings: list[Finding], then: dict[str, tuple[str, int] | None]
) -> None:
    """Print the findings about the whole file."""
    for digest, place in then.items():
        if place is not None:
            say(f"{place[0]}: had {counted(place[1], 'game')} when its digest was {digest}")
    if findings:
        say(f"{store}:")
        _list(findings)


def _print(one: Verification) -> None:
    """Print the findings about a tournament."""
    tournament = one.tournament
    wrong = sum(finding.game is not None for finding in one.findings)
    right = 0 if any(finding.unchecked for finding in one.findings) else one.games - wrong
    say(f"{tournament.name}: {right} of {counted(one.games, 'game')} played by the rules")
    _list(one.findings)
    say(f"  {display.GAMES_DIGEST} {one.games_digest}")
    if one.not_asked is not None:
        say(f"  its games were not replayed: {one.not_asked}")
        return
    for spec, what in one.left_out.items():
        say(f"  {spec} was skipped: it {what}; --ask {shlex.quote(spec)} allows it")
    say(f"  {one.played - len(one.deviations)} of {one.played} replayed games had the same moves")
    for agent, count in Counter(deviation.agent for deviation in one.deviations).most_common():
        first = next(deviation for deviation in one.deviations if deviation.agent == agent)
        say(
            f"  {tournament.agents[agent].label} deviated from the record in {count} of them, "
            f"first in pair {first.game.pair} at ply {first.ply}"
        )


def _list(findings: list[Finding]) -> None:
    for finding in findings[:MOST_LINES]:
        say(f"  {finding.what}")
    if len(findings) > MOST_LINES:
        say(f"  and {len(findings) - MOST_LINES} more; --json lists all")
