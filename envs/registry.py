"""The list of games, and how a specification becomes a :class:`~plyground.envs.game.Game`."""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .game import Game
from .games import built_in
from .loading.ids import register_game_ids
from .loading.packages import GAMES, own_extras
from .loading.registry import Registry
from .profile import Profile
from .rules_types import parameter_values
from .specification import (
    SpecificationError,
    parse_specification,
)

_VERSION = re.compile(r"_v\d+$")
_OWN = {
    **{name: f"{built_in.__package__}.{name}.rules:{kind}" for name, kind in built_in.CORE.items()},
    **{_VERSION.sub("", extra.name): extra.value for extra in own_extras(GAMES)},
}
_games: Registry[str, Any] = Registry("there is no game", GAMES, _OWN, registers=True)
BUILT_IN: tuple[type, ...]  # the rules types of plyground's games


def __getattr__(name: str) -> Any:
    """Import all of plyground's games on first access."""
    if name == "BUILT_IN":
        return tuple(map(_games.get, _OWN))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def register_game(rules_type: type) -> type:
    """Register a rules type under its declared name, and its environments' ids.

    Usable as a class decorator above ``declare_game``. The ids are those of Gymnasium and
    PettingZoo, such as ``plyground/MyGame-v0`` and ``plyground/my_game-v0``.
    """
    declaration = getattr(rules_type, "declaration", None)
    if declaration is None:
        raise TypeError(
            f"{rules_type.__name__} declares no game; decorate it with plyground.envs.declare_game"
        )
    present = _games.find(declaration.name) or rules_type
    if present.__qualname__ != rules_type.__qualname__:
        raise ValueError(f"a game named {declaration.name!r} is registered already")
    _games.add(declaration.name, rules_type)
    game_called.cache_clear()
    register_game_ids(declaration.name, declaration.version)
    return rules_type


def _all_types() -> dict[str, type]:
    """All games by name, including those of installed packages."""
    return {name: _games.get(name) for name in _games.names()}


def game_names() -> list[str]:
    """The names of all games."""
    return _games.names()


def profiles() -> dict[str, Profile]:
    """The profiles of all games, by their names."""
    return {name: kind.declaration.profile for name, kind in _all_types().items()}  # type: ignore[attr-defined]


def games_in(program: str) -> list[str]:
    """The games of another program, by :class:`~plyground.envs.profile.Elsewhere`."""
    return [name for name, profile in profiles().items() if program in profile.elsewhere]


@functools.cache
def game_called(name: str, program: str) -> Game | None:
    """The game with this name in another program, if it is one of ours with default parameters."""
    for game in map(make_game, games_in(program)):
        if game.profile.elsewhere[program].name_of(parameter_values(game.rules)) == name:
            return game
    return None


def usual_game() -> str:
    """The default game: the one whose profile says so, else the first."""
    usual = [name for name, profile in profiles().items() if profile.is_usual]
    return [*usual, *game_names()][0]


def rules_type(name: str) -> Any:
    """The rules type of this name, with or without its version suffix (``_v0``).

    SpecificationError if unknown, or if the suffix is of another version.
    """
    for kind in _candidates(name):
        declaration = kind.declaration
        if name in (declaration.name, declaration.game_id):
            return kind
    return _games.get(name)


def _candidates(name: str) -> Iterator[Any]:
    """The rules type of this name, then all others, loaded only if needed."""
    yield from filter(None, [_games.find(_VERSION.sub("", name))])
    yield from _all_types().values()


def make_game(
    spec: str | Game, parameters: Mapping[str, Any] | None = None, /, **more: Any
) -> Game:
    """Make a game from its specification, or from its name and keywords.

    A specification is a text such as ``"dots_and_boxes:rows=2,cols=2"``.

    Raises:
        SpecificationError: unknown game or parameter, or a value out of range; the message says
            what is allowed.
    """
    values = {**(parameters or {}), **more}
    if isinstance(spec, Game):
        if values:
            raise SpecificationError(
                f"{spec.spec} is a Game, whose parameters are set; {', '.join(values)} cannot be "
                f"given with it"
            )
        return spec
    return Game(_make_rules(spec, values))


def game_of_file(spec: str, rules: str) -> Game:
    """The game that a file names with the id of its rules, such as ``connect_four_v0``.

    Raises:
        SpecificationError: there is no such game here, or it has other rules.
    """
    game = make_game(spec)
    if rules != game.declaration.game_id:
        raise SpecificationError(
            f"it is for {rules}, whose rules are not those of {game.declaration.game_id}"
        )
    return game


def rules_of_any_size(spec: str) -> Any:
    """The rules of a board that may be too large to play.

    Facts and complexity follow from them. It raises SpecificationError like :func:`make_game`.
    """
    return _make_rules(spec, {}, any_size=True)


def _make_rules(spec: str, more: Mapping[str, Any], any_size: bool = False) -> Any:
    parts = parse_specification(spec)
    kind = rules_type(parts.name)
    if parts.argument is not None:
        raise SpecificationError(f"{parts.argument!r} in {spec!r} is not of the form KEY=VALUE")
    return kind.declaration.make_rules(kind, {**parts.parameters, **more}, any_size)


def import_modules(modules: Iterable[str]) -> None:
    """Import a user's modules, which register games and agents.

    Raises:
        SpecificationError: one of them cannot be imported here.
    """
    for module in modules:
        try:
            importlib.import_module(module)
        except Exception as error:
            raise SpecificationError(
                f"importing {module!r} in another process failed: {type(error).__name__}: {error}"
            ) from error
