"""Searches that several studies compare: alpha-beta with its improvements, one more in each."""

from __future__ import annotations

from typing import Any

from ....envs.registry import profiles
from ..declaration import Blank, Claim, Figure, Sentence
from ..measurements.games import Strength
from ..measurements.measurement import ALL
from ..measurements.quality import Case

Searches = tuple[tuple[str, str], ...]  # names of searches on pages, and specifications

_ORDER = "ordering=default"
_STEPS = (  # options of the textbook search that turn improvements on, and their names on pages
    (_ORDER, "+ order"),
    ("killers=yes", "+ killers"),
    ("history=yes", "+ history"),
    ("table=16", "+ table"),
    ("scout=yes", "+ null windows"),
    ("symmetry=yes", "+ symmetries"),
)


def _steps(first: str, base: str, steps: tuple[tuple[str, str], ...]) -> Searches:
    """The plain search, then one improvement more in each."""
    options = [option for option, _ in steps]
    return ((first, base), *((name, ",".join([base, *options[:number]]))
                             for number, (_, name) in enumerate(steps, 1)))  # fmt: skip


def ladder(heuristic: str = "default", shared: str = "") -> Searches:
    """Searches to a depth: minimax, plain alpha-beta, then one improvement more in each.

    Args:
        heuristic: what values positions at the depth limit.
        shared: further options, each after a comma.
    """
    options = f"depth={{depth}},heuristic={heuristic}{shared}"
    steps = (*_STEPS, ("iterative=yes", "+ deepening"))
    return (
        ("minimax", f"minimax:{options}"),
        *_steps("alpha-beta", f"textbook:{options}", steps),
    )


def at_equal_cost(heuristic: str, shared: str = "") -> Searches:
    """Searches within ``{count}`` nodes: plain search, then one improvement more in each.

    A search within a limit deepens ply by ply in any case: that is how it has an answer in time.
    """
    base = f"textbook:nodes={{count}},heuristic={heuristic}{shared}"
    return _steps("alpha-beta, deepening", base, _STEPS)


def equal_cost(
    measurement: int = 0, title: str = "Elo of the searches", lead: bool = False
) -> tuple[Any, ...]:
    """The claim that the costs of a pool are equal, and the figure of its ratings."""
    text = "A move of each costs the same processor time, within 10 %"
    return (
        Claim(text, "cost", 0.9, 1.1, measurement=measurement),
        Figure("bars", "agent", "elo", title, measurement=measurement, lead=lead),
    )


def ratings(text: str, names: tuple[str, ...], measurement: int = 0) -> Sentence:
    """A sentence about the ratings of some agents of a full pool."""
    blanks = (Blank("elo", (("agent", name), ("opponent", ALL)), measurement) for name in names)
    return Sentence(text, tuple(blanks), quick=False)


def duels(
    better: str, others: tuple[str, ...], text: str, measurement: int = 0
) -> tuple[Claim, ...]:
    """The claim that an agent beats each of the others, beyond chance."""
    return tuple(
        Claim(text.format(other), "score", 0.5, 1, (("agent", better), ("opponent", other)),
              measurement, beyond_chance=True)
        for other in others
    )  # fmt: skip


def seats_figure(title: str, x: str = "first", series: str = "second", **fields: Any) -> Figure:
    """A figure of the results of the first and the second player, as bars."""
    stacked = ("draws", "second_wins")
    return Figure("bars", x, "first_wins", title, series, stacked=stacked, **fields)


def sizes_figure(measurement: int = 0) -> Figure:
    """A figure of the sizes of game trees by board, as exponents of ten."""
    return Figure("bars", "game", "exponent", "Minimax leaves at most, as an exponent of ten",
                  measurement=measurement)  # fmt: skip


def fixed(searches: Searches, nodes: int, simulations: int = 0) -> Searches:
    """The searches with counts that are the same on every machine."""
    return tuple(
        (name, spec.replace("{count}", str(nodes if "nodes={count}" in spec else simulations)))
        for name, spec in searches
    )


def pick(names: tuple[str, ...], searches: Searches) -> Searches:
    """Some of the searches, by name."""
    return tuple(step for step in searches if step[0] in names)


def named_pool(game: str, searches: Searches, pairs: int, opening: str, **fields: Any) -> Strength:
    """A pool of searches with names on its page."""
    names, specs = zip(*searches)
    return Strength(game, specs, pairs, opening, names=names, **fields)


def sample(name: str, *right: str) -> Case:
    """A board from a course, with its right moves; without them the solver decides."""
    boards = (board for profile in profiles().values() for board in profile.boards)
    board = next(board for board in boards if board.name == name)
    return Case(name, board.game, right=right, board=board.position)
