"""Searches that several studies compare: alpha-beta with its improvements, one more in each."""

from __future__ import annotations

from typing import Any

from ..measurements.games import Strength

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


def at_equal_cost(nodes: str, heuristic: str, options: str = "") -> Searches:
    """Within so many nodes: plain search, then one improvement more in each.

    A search within a limit deepens ply by ply in any case: that is how it has an answer in time.
    """
    base = f"alphabeta:nodes={nodes},heuristic={heuristic}{options}"
    left = [name for name in _OFF if name != "iterative"]
    steps = [
        ("alpha-beta, deepening", f"{base}{_without(left)},ordering=none"),
        ("+ order", f"{base}{_without(left)}"),
    ]
    for name, words in _STEPS[:-1]:
        left.remove(name)
        steps.append((words, f"{base}{_without(left)}"))
    return tuple(steps)


def pick(names: tuple[str, ...], searches: Searches) -> Searches:
    """Some of the searches, by name."""
    return tuple(step for step in searches if step[0] in names)


def named_pool(game: str, searches: Searches, pairs: int, opening: str, **fields: Any) -> Strength:
    """A pool of searches that its page calls by their names."""
    specs = tuple(spec for _, spec in searches)
    names = tuple((spec, name) for name, spec in searches)
    return Strength(game, specs, pairs, opening, names=names, **fields)
