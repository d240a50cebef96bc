"""Which heuristic and action ordering an agent uses: the game's, or a user's."""

from __future__ import annotations

from ...envs.game import Game
from ...envs.specification import Parameter, SpecificationError
from . import functions as own
from .kernels import GAME_ORDER

HEURISTIC = Parameter(
    "heuristic",
    str,
    "default",
    "evaluation of positions that are not searched further: default, none, or a heuristic's name",
)


def heuristic_index(game: Game, heuristic: str) -> int:
    """The number of a heuristic for ``points_of``: ``none`` is −1, ``default`` the first.

    A user's heuristic is an address, see :mod:`.kernels`.

    Raises:
        SpecificationError: the game has no such heuristic.
    """
    heuristics = game.declaration.heuristics
    if heuristic == "none" or (heuristic == "default" and not heuristics):
        return -1
    if heuristic == "default":
        return 0
    if heuristic in heuristics:
        return heuristics.index(heuristic)
    return _own_address(own.HEURISTIC, game, heuristic, (*heuristics, "default", "none"))


def ordering_number(game: Game, ordering: str) -> int:
    """The number of an action ordering for ``sort_actions``; 0 is none.

    Raises:
        SpecificationError: the game has no such ordering.
    """
    numbers = {"default": GAME_ORDER, "none": 0}
    if ordering in numbers:
        return numbers[ordering]
    return _own_address(own.ORDERING, game, ordering, tuple(numbers))


def _own_address(option: str, game: Game, name: str, others: tuple[str, ...]) -> int:
    """The address of a user's function; SpecificationError if there is none."""
    address = own.address_of(option, game, name)
    if address is None:
        raise SpecificationError(
            f"{game.name} has no {option} {name!r} (there are: "
            f"{', '.join((*others, *own.names_of(option, game.name)))}); one of your own is known "
            f"where the module that registers it is imported"
        )
    return address
