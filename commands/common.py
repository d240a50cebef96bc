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
ENDS = ("draw_after", "agreed_after", "withdraw_after")  # only tournaments and tests have them


def option(
    metavar: str,
    help: str,
    low: float | None = None,
    high: float | None = None,
    name: str | None = None,
) -> Any:
    """An option with a value. The help shows its default unless that is empty.

    Args:
        metavar: what stands for the value in the help.
        help: what it decides.
        low: the lowest number allowed.
        high: the highest.
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
    """The words of the command line as a type, numbers as specifications write them."""
    return convert(kind, words, converter=_convert_word)


def _convert_word(kind: type, word: str) -> Any:
    return read_number(word, kind) if kind in FORMS else convert(kind, [word])


def argument(name: str, help: str) -> Any:
    """An argument: a value that is known by its place.

    Args:
        name: what it is called in the help.
        help: what it decides.
    """
    return Parameter(name=name, help=help)


def flag(help: str, name: str | None = None) -> Any:
    """An option without a value."""
    return Parameter(name=name, help=help, show_default=False, negative=())


class OwnOptions(NamedTuple):
    """Settings that are options of a command, which gets those that are given, by their names.

    What the others are depends on the game.
    """

    kind: type[Settings]
    names: tuple[str, ...]


def _kind_of(usual: Settings | OwnOptions) -> type[Settings]:
    return usual.kind if isinstance(usual, OwnOptions) else type(usual)


def with_options(function: Callable[..., Any], without: Collection[str] = ()) -> Callable[..., Any]:
    """A command's function with an option for each setting.

    They stand in the place of every parameter whose default is an object of
    :class:`~plyground.envs.loading.settings.Settings`, whose values are theirs by default, or a
    :class:`OwnOptions` object.

    Args:
        function: the function.
        without: settings that are no options of this command.
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
                if given.get(parameter.name) is not None:  # refused as the command line names it
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
    """The options of settings, a class's own before those of its base."""
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
            if field.default != "":  # that is none
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
StoreArgument = Annotated[Path, argument("STORE", "The file that holds the games of tournaments.")]
StoreOption = Annotated[Path, option("FILE", "The file that finished games are stored in.")]
ExpectOption = Annotated[
    tuple[str, ...],
    option(
        "DIGEST",
        "A digest that a tournament or a report showed, of the games or of the content: the store "
        "must hold all games of that moment. May be repeated.",
    ),
]
AskOption = Annotated[
    tuple[str, ...],
    option(
        "AGENT",
        "Make this agent although a file of others may have named it and making it does more than "
        "play, or all of them: all. May be repeated.",
    ),
]
OpeningOption = Annotated[
    str, option("MOVES", "Moves that begin the game, by name, separated by commas: d,d,c.")
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
    """The position of a board and the moves that follow; without a board, the initial one.

    A board that no game reaches is set up all the same, and a note says what is odd.

    Raises:
        IllegalPositionError: the game has no such board.
        IllegalActionError: the moves cannot be played, or the game is over.
    """
    position = game.position_from_text(board, check=False) if board else game.initial_position()
    for problem in position.problems() if board else ():
        note(f"no game reaches this position: {problem}")
    _play_named(position, moves)
    return position


def read_request(
    game: str, board: str, moves: str, example: str
) -> tuple[Position, dict[str, str]]:
    """The position that a command asks about, and what was asked, by name.

    Raises:
        SpecificationError: no game, or no example of this name, or both.
    """
    if example:
        samples = {each.name: each for every in profiles().values() for each in every.boards}
        if example not in samples:
            names = ", ".join(sorted(samples))
            raise SpecificationError(f"there is no example {example!r}; there are {names}")
        if game or board:
            raise SpecificationError("--example is in place of GAME and --position")
        _, game, board, _ = samples[example]
    if not game:
        raise SpecificationError("name a GAME, or an --example")
    rules = make_game(game)
    request = {"game": rules.spec, "position": board, "moves": moves}
    return read_position(rules, board, moves), request


def _play_named(position: Position, text: str) -> list[int]:
    """Play the actions named in ``text``; they lead to a position that is not over."""
    game = position.game
    actions = [game.text_to_action(name) for name in text.split(",")] if text.strip() else []
    for action in actions:
        position.play(action)
    if position.is_over:
        after = f"after the moves {text}" if actions else "in this position"
        raise IllegalActionError(f"the game is over {after} ({position.outcome})")
    return actions
