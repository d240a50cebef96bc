"""What the commands that play tournaments and tests share: the store, withdrawals, failures."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from ..envs.loading.texts import counted
from ..envs.specification import check_names
from ..evaluation.tournament import Tournament
from .app import FAILURE
from .common import (
    DEFAULT_STORE,
    ExpectOption,
    JsonOption,
    StoreOption,
    option,
)
from .output import Terminal, note

CHANGE_ANSWERS = ("ask", "refuse", "new")


@Parameter(name="*")
@dataclass(frozen=True)
class StoreOptions:
    """Options of the store of a tournament or a test."""

    store: StoreOption = DEFAULT_STORE
    changed: Annotated[
        str,
        option(
            "|".join(CHANGE_ANSWERS),
            "If the source code of rules or agents has changed since the stored games: ask at a "
            "terminal, refuse, or begin a new tournament.",
        ),
    ] = "ask"
    expect: ExpectOption = ()
    as_json: JsonOption = False

    def answer_to_change(self) -> Callable[[str], bool]:
        """The function a tournament calls if code has changed: whether to begin a new one.

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


USUAL_STORE = StoreOptions()


def report_withdrawals(tournaments: list[Tournament]) -> None:
    """Report withdrawn agents, and their games that are not played."""
    for tournament in tournaments:
        for number, games in tournament.withdrawn().agents.items():
            after = tournament.plan.withdraw_after
            crashes = f"its process crashed in {counted(after, 'game')} in a row"
            text = (
                f"{tournament.labels[number]} was withdrawn: {crashes}; {games} of its games are "
                f"not played (--withdraw-after 0 plays them)"
            )
            Terminal(stderr=True, soft_wrap=True).print(text, style="red")


def fail_if_given_up(tournaments: list[Tournament]) -> None:
    """Report games that failed on every worker that tried them, and exit with status 1."""
    given_up = [each for tournament in tournaments for each in tournament.given_up]
    for each in given_up:
        Terminal(stderr=True, soft_wrap=True).print(str(each), style="red")
    if given_up:
        raise SystemExit(FAILURE)
