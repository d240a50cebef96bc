"""Arguments and options that many commands take."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from cyclopts import Parameter, convert
from cyclopts.validators import Number

from ..envs import Game, IllegalActionError, Position, make_game
from ..envs.loading.numbers import FORMS, read_number
from ..envs.loading.settings import Settings, declared_fields, parameters_of
from ..envs.registry import profiles
from ..envs.specification import SpecificationError
from .output import note

DEFAULT_STORE = Path("plyground-tournament.db")
ENDS = ("draw_after", "agreed_after", "withdraw_after")  # options of tournaments and tests only


def option(
    metavar: str,
    help: str,
    low: float | None = None,
    high: float | None = None,
    name: str | None = None,
) -> Any:
    """An option with a value. The help shows its default unless that is empty.

    Args:
        metavar: the placeholder for the value in the help.
        help: the help text.
        low: the lowest number allowed.
        high: the highest number allowed.
        name: the option; by default the name of the Python parameter.
    """
    limits = None if low is None and high is None else Number(gte=low, lte=high)
    return Parameter(
        name=name,
        metavar=metavar,
        help=help,
        validator=limits,
        show_default=lambda value: None if value in ("", None, ()) else str(value),
        converter=_convert,
    )


def _convert(kind: Any, words: Any) -> Any:
    """Convert words of the command line to a type; numbers are written as in specifications."""
    return convert(kind, words, converter=_convert_word)


def _convert_word(kind: type, word: str) -> Any:
    return read_number(word, kind) if kind in FORMS else convert(kind, [word])


def argument(name: str, help: str) -> Any:
    """A positional argument.

    Args:
        name: its name in the help.
        help: the help text.
    """
    return Parameter(name=name, help=help)


def flag(help: str, name: str | None = None) -> Any:
    """An option without a value."""
    return Parameter(name=name, help=help, show_default=False, negative=())


class OwnOptions(NamedTuple):
    """Settings as options of a command, which receives the given ones, by name.

    The defaults of the others depend on the game.
    """

    kind: type[Settings]
    names: tuple[str, ...]


def _kind_of(usual: Settings | OwnOptions) -> type[Settings]:
    return usual.kind if isinstance(usual, OwnOptions) else type(usual)


def with_options(function: Callable[..., Any], without: Collection[str] = ()) -> Callable[..., Any]:
    """A command's function with an option for each setting.

    The options replace every parameter whose default is an :class:`OwnOptions` object, or an object
    of :class:`~plyground.envs.loading.settings.Settings`, whose values are the options' defaults.

    Args:
        function: the function.
        without: settings that this command does not offer as options.
    """
    parameters: list[inspect.Parameter] = []
    hints = typing.get_type_hints(function, include_extras=True)
    groups: dict[str, tuple[Settings | OwnOptions, list[str]]] = {}
    for each in inspect.signature(function).parameters.values():
        if not isinstance(each.default, Settings | OwnOptions):
            parameters.append(each.replace(annotation=hints[each.name]))
            continue
        options = list(_options_of(each.default, without))
        groups[each.name] = each.default, [one.name for one in options]
        parameters += options

    @functools.wraps(function)
    def call(*words: Any, **values: Any) -> Any:
        for group, (usual, names) in groups.items():
            given = {name: values.pop(name) for name in names if name in values}
            kind = _kind_of(usual)
            for parameter in parameters_of(kind):
                if given.get(parameter.name) is not None:  # errors name it as the command line does
                    named = parameter._replace(name=f"--{parameter.name.replace('_', '-')}")
                    named.convert(given[parameter.name], kind.subject)
            values[group] = given if isinstance(usual, OwnOptions) else usual.replace(**given)
        return function(*words, **values)

    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    return call


def _options_of(
    usual: Settings | OwnOptions, without: Collection[str]
) -> Iterator[inspect.Parameter]:
    """The options of settings, a class's before its base class's."""
    fields = declared_fields(_kind_of(usual))
    for field, hint in sorted(fields, key=lambda each: bool(each[0].kw_only)):
        about, default = field.metadata, None
        if field.name in without:
            continue
        text = about["help"]
        if isinstance(usual, OwnOptions):
            if field.name not in usual.names:
                continue
            hint = hint | None
            if field.default != "":  # an empty default is not shown
                text = f"{text.removesuffix('.')} (default: --list-settings shows it)."
        else:
            default = getattr(usual, field.name)
        metavar = about["metavar"] or "|".join(about["choices"] or ("N",))
        name = about["option"] or None
        declared = flag(text) if hint is bool else option(metavar, text, name=name)
        yield inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=default,
            annotation=Annotated[hint, declared],
        )


GameArgument = Annotated[
    str, argument("GAME", "Name and parameters, such as connect_four or gomoku:size=10,rule=caro.")
]
StoreArgument = Annotated[Path, argument("STORE", "The file with the games of tournaments.")]
StoreOption = Annotated[Path, option("FILE", "The file to store finished games in.")]
ExpectOption = Annotated[
    tuple[str, ...],
    option(
        "DIGEST",
        "A digest of games or content that a tournament or report showed earlier: the store must "
        "still hold all games of that time. May be repeated.",
    ),
]
AskOption = Annotated[
    tuple[str, ...],
    option(
        "AGENT",
        "Allow this agent named in a file although creating it runs code, opens files or uses the "
        "network; all allows every agent. May be repeated.",
    ),
]
OpeningOption = Annotated[
    str, option("MOVES", "Moves to start the game with, by name, separated by commas: d,d,c.")
]
SeedOption = Annotated[int, option("N", "Seed of all random choices.")]
JsonOption = Annotated[bool, flag("Write JSON to standard output instead of text.", "--json")]


def read_moves(game: Game, text: str) -> list[int]:
    """The actions named in ``text``, from the initial position.

    Raises:
        IllegalActionError: they cannot be played, or the game is over after them.
    """
    return _play_named(game.initial_position(), text)


def read_position(game: Game, board: str, moves: str) -> Position:
    """The position after moves from a board; without a board, from the initial position.

    An unreachable board is accepted, and a note says what is wrong with it.

    Raises:
        IllegalPositionError: the game has no such board.
        IllegalActionError: the moves cannot be played, or the game is over.
    """
    position = game.position_from_text(board, check=False) if board else game.initial_position()
    for problem in position.problems() if board else ():
        note(f"this position cannot occur in a game: {problem}")
    _play_named(position, moves)
    return position


def read_request(
    game: str, board: str, moves: str, example: str
) -> tuple[Position, dict[str, str]]:
    """The position given on the command line, and its arguments by name.

    Raises:
        SpecificationError: neither or both of game and example, or no example of this name.
    """
    if example:
        samples = {each.name: each for every in profiles().values() for each in every.boards}
        if example not in samples:
            names = ", ".join(sorted(samples))
            raise SpecificationError(f"there is no example {example!r}; the examples are {names}")
        if game or board:
            raise SpecificationError("--example cannot be combined with GAME or --position")
        _, game, board, _ = samples[example]
    if not game:
        raise SpecificationError("give a GAME or an --example")
    rules = make_game(game)
    request = {"game": rules.spec, "position": board, "moves": moves}
    return read_position(rules, board, moves), request


def _play_named(position: Position, text: str) -> list[int]:
    """Play the actions named in ``text``; the game must not be over after them."""
    game = position.game
    actions = [game.text_to_action(name) for name in text.split(",")] if text.strip() else []
    for action in actions:
        position.play(action)
    if position.is_over:
        after = f"after the moves {text}" if actions else "in this position"
        raise IllegalActionError(f"the game is over {after} ({position.outcome})")
    return actions
