"""Options of commands that play games: where they are played, what agents may use, what becomes of
those that crash.
"""

from __future__ import annotations

import re
from typing import Annotated

import typer
from rich.console import Console

from ..evaluation.match import Limits
from ..evaluation.runners.contest import Conditions
from ..evaluation.runners.isolation import ISOLATION
from ..evaluation.runners.processes import ProcessRunner
from ..evaluation.runners.ray_cluster import RayRunner
from ..evaluation.runners.runner import LocalRunner, Runner
from ..evaluation.tournament import Tournament
from ..evaluation.withdrawals import WITHDRAW_AFTER

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}

IsolateOption = Annotated[
    str,
    typer.Option(
        "--isolate",
        metavar="|".join(ISOLATION),
        help=(
            "Agents in processes of their own: auto isolates learned and external agents and your "
            "own."
        ),
    ),
]
MoveTimeoutOption = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", help="Thinking time for a move; more forfeits the game."),
]
GameTimeOption = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", help="Thinking time of an agent for all its moves of a game."),
]
MemoryLimitOption = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="Memory of an isolated agent, such as 2G or 700M."),
]
WithdrawOption = Annotated[
    int,
    typer.Option(
        min=0,
        metavar="N",
        help="Withdraw an agent whose process crashed in N games in a row (0: never).",
    ),
]
RunnerOption = Annotated[
    str | None,
    typer.Option(
        metavar="local|processes|ray",
        help="Where games are played (default: local, or processes if --concurrency is given).",
    ),
]


def _refuse_engine(value: str | None) -> None:
    if value is not None:
        raise typer.BadParameter(
            f"this option is called --runner now: --runner {value}", param_hint="--engine"
        )


OldEngineOption = Annotated[str | None, typer.Option(hidden=True, callback=_refuse_engine)]
ConcurrencyOption = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", help="Games at once (default: as many as there are processors)."
    ),
]
AddressOption = Annotated[
    str | None,
    typer.Option(
        metavar="HOST:PORT", help="Of a Ray cluster, or auto (default: Ray is started here)."
    ),
]


def read_conditions(
    isolate: str,
    move_timeout: float | None,
    game_time: float | None,
    memory_limit: str | None,
    withdraw_after: int = WITHDRAW_AFTER,
) -> Conditions:
    """The conditions that the options ask for; BadParameter if a size cannot be read,
    SpecificationError if nothing can be played under them.
    """
    conditions = Conditions(
        isolate,
        Limits(move_timeout, game_time, None if memory_limit is None else _bytes(memory_limit)),
        withdraw_after,
    )
    conditions.check()
    return conditions


def _bytes(size: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG]?)(?:i?B)?", size.strip(), re.IGNORECASE)
    if found is None:
        raise typer.BadParameter(
            f"{size!r} is no amount of memory; write 2G, 700M or a number of bytes",
            param_hint="--memory-limit",
        )
    return int(float(found[1]) * UNITS[found[2].upper()])


def choose_runner(name: str | None, concurrency: int | None, address: str | None) -> Runner:
    """The runner that the options name."""
    if name is None:
        name = "ray" if address is not None else "local" if concurrency is None else "processes"
    if address is not None and name != "ray":
        raise typer.BadParameter("only --runner ray has an address", param_hint="--address")
    if name == "local":
        if concurrency not in (None, 1):
            raise typer.BadParameter(
                "the local runner plays one game at a time; take --runner processes",
                param_hint="--concurrency",
            )
        return LocalRunner()
    if name == "processes":
        return ProcessRunner(concurrency)
    if name == "ray":
        return RayRunner(address, concurrency)
    raise typer.BadParameter(
        f"there is no runner {name!r} (there are: local, processes, ray)", param_hint="--runner"
    )


def tell_of_withdrawals(tournaments: list[Tournament], notes: Console) -> None:
    """Say who was withdrawn, and which games are therefore not played."""
    for tournament in tournaments:
        for number, games in tournament.withdrawn().agents.items():
            after = tournament.conditions.withdraw_after
            crashes = f"its process crashed in {after} game{'s' if after > 1 else ''} in a row"
            told = (
                f"{tournament.labels[number]} was withdrawn: {crashes}; {games} of its games are "
                f"not played (--withdraw-after 0 plays them)"
            )
            notes.print(told, style="red", markup=False)


def end_if_given_up(runner: Runner, notes: Console) -> None:
    """If games could not be played wherever they were tried, say so and end with exit status 1."""
    for given_up in runner.given_up:
        game = (
            f"game {given_up.game.pair} of agents {given_up.game.players[0]} and "
            f"{given_up.game.players[1]}"
        )
        notes.print(
            f"{game} was given up, since every worker died over it; the last one {given_up.reason}",
            style="red",
            markup=False,
        )
    if runner.given_up:
        raise typer.Exit(1)
