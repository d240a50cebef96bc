"""Groups of options that several commands share: openings, conditions of play.

Each is a dataclass whose fields become options of a command. What the values must be together is
checked here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from ..envs.specification import SpecificationError, check_names
from ..evaluation.match import CLOCKS, WALL, Adjudication, Limits
from ..evaluation.runners.contest import Conditions
from ..evaluation.runners.isolation import ISOLATION
from ..evaluation.statistics.withdrawals import WITHDRAW_AFTER
from ..evaluation.tournament import Tournament
from .app import FAILURE
from .common import (
    DEFAULT_STORE,
    ExpectOption,
    JsonOption,
    PlaceOptions,
    SeedOption,
    StoreOption,
    option,
)
from .output import note, remarks

CHANGE_ANSWERS = ("ask", "refuse", "new")
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}

IsolateOption = Annotated[
    str,
    option(
        "|".join(ISOLATION),
        "Run agents in processes of their own: auto isolates learned, external and Python agents.",
    ),
]
OpeningsOption = Annotated[
    str,
    option(
        "OPENINGS",
        "random:PLIES, all:PLIES, swap2:STONES, balanced:STONES or a file: random moves, every "
        "position of that depth up to symmetry, stones near the centre (gomoku), those of them "
        "that the engine holds even, or what the file lists.",
    ),
]


@Parameter(name="*")
@dataclass(frozen=True)
class ConditionOptions:
    """Limits on agents in a game."""

    isolate: IsolateOption = "auto"
    move_timeout: Annotated[
        float | None,
        option("SECONDS", "Time limit for a move; an agent that exceeds it forfeits the game."),
    ] = None
    game_time: Annotated[
        float | None, option("SECONDS", "Time limit for all moves of an agent in a game.")
    ] = None
    clock: Annotated[
        str,
        option(
            "|".join(CLOCKS),
            "The time that limits mean: that of a watch, or an agent's own processor time, for "
            "machines that do other work too.",
        ),
    ] = WALL
    memory_limit: Annotated[
        str | None, option("SIZE", "Memory limit of an isolated agent, such as 2G or 700M.")
    ] = None

    def conditions(self, withdraw_after: int = WITHDRAW_AFTER) -> Conditions:
        """The conditions asked for.

        Raises:
            SpecificationError: a size that cannot be read, or nothing can be played under them.
        """
        memory = None if self.memory_limit is None else _bytes(self.memory_limit)
        check_names("there is no clock", [self.clock], CLOCKS)
        limits = Limits(self.move_timeout, self.game_time, memory, self.clock)
        conditions = Conditions(self.isolate, limits, withdraw_after)
        conditions.check()
        return conditions


@Parameter(name="*")
@dataclass(frozen=True)
class PlayOptions(ConditionOptions, PlaceOptions):
    """How the games of a tournament or a test are played, and where they are stored."""

    balanced: Annotated[
        str | None,
        option("AGENT", "Take only openings that this agent values near 0, such as solver."),
    ] = None
    within: Annotated[
        float | None,
        option(
            "VALUE",
            "With --balanced: the largest distance from 0, in the unit of the agent's values "
            "(default: a tenth of the greatest return).",
        ),
    ] = None
    seed: SeedOption = 1
    store: StoreOption = DEFAULT_STORE
    draw_after: Annotated[
        int | None,
        option("PLIES", "End a game as a draw after so many plies, those of the opening included."),
    ] = None
    agreed_after: Annotated[
        int | None,
        option(
            "N",
            "End a game once both agents see the same forced result in N moves each, one after "
            "another.",
        ),
    ] = None
    changed: Annotated[
        str,
        option(
            "|".join(CHANGE_ANSWERS),
            "If the store's games are of other rules or agents, by their source code: ask at a "
            "terminal, refuse, or begin a new tournament.",
        ),
    ] = "ask"
    expect: ExpectOption = ()
    as_json: JsonOption = False

    def conditions(self, withdraw_after: int = WITHDRAW_AFTER) -> Conditions:
        conditions = super().conditions(withdraw_after)
        adjudication = Adjudication(self.draw_after, self.agreed_after)
        adjudication.check()
        return conditions._replace(adjudication=adjudication)

    def answer_to_change(self) -> Callable[[str], bool]:
        """What a tournament asks where the code has changed: whether a new one is to begin.

        Raises:
            SpecificationError: there is no such choice.
        """
        check_names("there is no way to deal with changed code", [self.changed], CHANGE_ANSWERS)

        def answer(question: str) -> bool:
            if self.changed != "ask":
                return self.changed == "new"
            if not (sys.stdin.isatty() and sys.stderr.isatty()):
                return False
            note(question)
            sys.stderr.write("Begin a new tournament for the code as it is now? [y/N] ")
            sys.stderr.flush()
            return sys.stdin.readline().strip().lower() in ("y", "yes")

        return answer


NO_LIMITS, USUAL_PLAY = ConditionOptions(), PlayOptions()


def _bytes(size: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG]?)(?:i?B)?", size, re.IGNORECASE | re.ASCII)
    if match is None:
        raise SpecificationError(
            f"--memory-limit {size} is no amount of memory; write 2G, 700M or a number of bytes"
        )
    return int(float(match[1]) * UNITS[match[2].upper()])


def report_withdrawals(tournaments: list[Tournament]) -> None:
    """Report withdrawn agents, and the games that are therefore not played."""
    for tournament in tournaments:
        for number, games in tournament.withdrawn().agents.items():
            after = tournament.conditions.withdraw_after
            crashes = f"its process crashed in {after} game{'s' if after > 1 else ''} in a row"
            text = (
                f"{tournament.labels[number]} was withdrawn: {crashes}; {games} of its games are "
                f"not played (--withdraw-after 0 plays them)"
            )
            remarks().print(text, style="red", markup=False)


def fail_if_given_up(tournaments: list[Tournament]) -> None:
    """If games could not be played wherever they were tried, say so and end with exit status 1."""
    given_up = [each for tournament in tournaments for each in tournament.given_up]
    for game, reason in given_up:
        first, second = game.players
        text = (
            f"game {game.pair} of agents {first} and {second} was given up, since every worker "
            f"died over it; the last one {reason}"
        )
        remarks().print(text, style="red", markup=False)
    if given_up:
        raise SystemExit(FAILURE)
