"""Searches that several studies compare: alpha-beta with its improvements, one more in each."""

from __future__ import annotations

from typing import Any

from ..declaration import Blank, Claim, Figure, Sentence
from ..measurements.games import Strength
from ..measurements.measurement import ALL

Searches = tuple[tuple[str, str], ...]  # what pages call searches, and their specifications

_OFF = {
    "iterative": "no", "table": "0", "killers": "no", "history": "no", "scout": "no",
    "symmetry": "no",
}  # fmt: skip
_STEPS = (
    ("killers", "+ killers"),
    ("history", "+ history"),
    ("table", "+ table"),
    ("scout", "+ null windows"),
    ("symmetry", "+ symmetries"),
    ("iterative", "+ deepening"),
)


def _without(names: list[str]) -> str:
    """The options that switch improvements off."""
    return "".join(f",{name}={_OFF[name]}" for name in names)


def ladder(heuristic: str = "default", options: str = "", shared: str = "") -> Searches:
    """To a depth: minimax, plain alpha-beta, then one improvement more in each.

    Args:
        heuristic: what values positions at the depth limit.
        options: further options of alpha-beta, each after a comma.
        shared: those that minimax has too.
    """
    base = f"alphabeta:depth={{depth}},heuristic={heuristic}{shared}{options}"
    left = list(_OFF)
    steps = [
        ("minimax", f"minimax:depth={{depth}},heuristic={heuristic}{shared}"),
        ("alpha-beta", f"{base}{_without(left)},ordering=none"),
        ("+ order", f"{base}{_without(left)}"),
    ]
    for name, words in _STEPS:
        left.remove(name)
        steps.append((words, f"{base}{_without(left)}"))
    return tuple(steps)


def at_equal_cost(heuristic: str, options: str = "") -> Searches:
    """Within ``{count}`` nodes: plain search, then one improvement more in each.

    A search within a limit deepens ply by ply in any case: that is how it has an answer in time.
    """
    base = f"alphabeta:nodes={{count}},heuristic={heuristic}{options}"
    left = [name for name in _OFF if name != "iterative"]
    steps = [
        ("alpha-beta, deepening", f"{base}{_without(left)},ordering=none"),
        ("+ order", f"{base}{_without(left)}"),
    ]
    for name, words in _STEPS[:-1]:
        left.remove(name)
        steps.append((words, f"{base}{_without(left)}"))
    return tuple(steps)


def equal_cost(
    measurement: int = 0, title: str = "Elo of the searches", lead: bool = False
) -> tuple[Any, ...]:
    """The test whether the costs of a pool are equal, and the figure of its ratings."""
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
    """The results of the first and of the second player as bars."""
    stacked = ("draws", "second_wins")
    return Figure("bars", x, "first_wins", title, series, stacked=stacked, **fields)


def sizes_figure(measurement: int = 0) -> Figure:
    """The sizes of game trees by board, as exponents of ten."""
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
    """A pool of searches that its page calls by their names."""
    names, specs = zip(*searches)
    return Strength(game, specs, pairs, opening, names=names, **fields)
