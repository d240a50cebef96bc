"""What all commands share: the application, types of arguments, how bad input ends."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.core

from ..envs import Game, IllegalActionError
from ..envs.specification import SpecificationError
from ..evaluation.runners.runner import RunnerError
from ..evaluation.store.store import StoreError
from ..training.folder import TrainingError

BAD_INPUT, INTERRUPTED = 2, 130  # exit statuses
DEFAULT_STORE = Path("plyground-tournament.db")


class _Commands(typer.core.TyperGroup):
    """Bad input ends with one sentence on standard error and exit status 2, not with a trace."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (
            SpecificationError,
            IllegalActionError,
            StoreError,
            RunnerError,
            TrainingError,
        ) as error:
            typer.echo(f"plyground: {error}", err=True)
            raise typer.Exit(BAD_INPUT) from None


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Adversarial board games, agents that play them, and tournaments between agents.",
    pretty_exceptions_enable=False,
)

GameArgument = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="Name and parameters, such as connect_four or gomoku:size=10,rule=caro.",
    ),
]
OpeningOption = Annotated[
    str,
    typer.Option(
        metavar="MOVES", help="Moves played beforehand, by name, separated by commas: d,d,c."
    ),
]
SeedOption = Annotated[int, typer.Option(help="Decides everything that is random.")]
OpeningsOption = Annotated[
    str,
    typer.Option(
        metavar="random:PLIES|all:PLIES|FILE",
        help=(
            "Where openings come from: random moves, every position of that depth up to symmetry, "
            "a file."
        ),
    ),
]
BalancedOption = Annotated[
    str | None,
    typer.Option(
        metavar="AGENT", help="Take only openings that this agent values near 0, such as solver."
    ),
]
WithinOption = Annotated[
    float | None,
    typer.Option(
        metavar="VALUE",
        help=(
            "How near, in the unit of the agent's values (default: a tenth of the greatest return)."
        ),
    ),
]
StoreOption = Annotated[Path, typer.Option(metavar="FILE", help="Where finished games are kept.")]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Write JSON to standard output instead of text.")
]


def read_moves(game: Game, text: str) -> list[int]:
    """The actions named in ``text``; IllegalActionError if they cannot be played, or nothing is
    left to play after them.
    """
    actions = [game.text_to_action(name) for name in text.split(",")] if text.strip() else []
    position = game.position(actions)
    if position.is_over:
        raise IllegalActionError(f"the game is over after the moves {text} ({position.outcome})")
    return actions


def print_json(value: Any) -> None:
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))


def same_command(context: typer.Context, **changed: Any) -> str:
    """The command that was given, arguments first, options that have their defaults left out; some
    parameters may be changed.
    """
    arguments: list[Any] = []
    options: list[str] = []
    for parameter in context.command.params:
        value = (context.params | changed).get(parameter.name or "")
        if parameter.param_type_name == "argument":
            arguments += (
                value if isinstance(value, (list, tuple)) else [] if value is None else [value]
            )
        elif isinstance(value, (list, tuple)):
            options += [part for one in value for part in (parameter.opts[0], str(one))]
        elif value != parameter.default and value is not None:
            options += [parameter.opts[0]] if value is True else [parameter.opts[0], str(value)]
    names: list[str] = []
    level: Any = context
    while level.parent is not None:
        names.insert(0, str(level.info_name))
        level = level.parent
    return f"plyground {' '.join(names)} {shlex.join([*map(str, arguments), *options])}"
