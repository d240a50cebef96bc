"""Which heuristic and which order of actions an agent takes: a game's, or one of a user's own."""

from __future__ import annotations

from ...envs.game import Game
from ...envs.specification import Parameter, SpecificationError
from . import functions as own
from .kernels import GAME_ORDER

HEURISTIC = Parameter(
    "heuristic",
    str,
    "default",
    "what values a position that is not searched further: a heuristic of the game or of your own, "
    "default or none",
)


def heuristic_index(game: Game, heuristic: str) -> int:
    """The number by which ``points_of`` knows a heuristic: ``none`` is −1, ``default`` the first.

    That of a user's own is an address, see :mod:`.kernels`.

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
    """The number by which ``sort_actions`` knows an order of actions; 0 is none.

    Raises:
        SpecificationError: the game has no such order.
    """
    numbers = {"default": GAME_ORDER, "none": 0}
    if ordering in numbers:
        return numbers[ordering]
    return _own_address(own.ORDERING, game, ordering, tuple(numbers))


def _own_address(option: str, game: Game, name: str, others: tuple[str, ...]) -> int:
    """The address of a function of the user's own; SpecificationError if there is none."""
    address = own.address_of(option, game, name)
    if address is None:
        raise SpecificationError(
            f"{game.name} has no {option} {name!r} (there are: "
            f"{', '.join((*others, *own.names_of(option, game.name)))}); one of your own is known "
            f"where the module that registers it is imported"
        )
    return address
