"""Searches that several studies compare: alpha-beta with its improvements, one more in each."""

from __future__ import annotations

_OFF = ("iterative", "table", "killers", "history", "scout", "symmetry")


def ladder(depth: str = "{depth}", heuristic: str = "default") -> tuple[tuple[str, str], ...]:
    """Name and specification: minimax, plain alpha-beta, then one improvement more in each.

    The last one is the agent with all its defaults.
    """
    base = f"alphabeta:depth={depth},heuristic={heuristic}"
    plain = ",".join(f"{name}={0 if name == 'table' else 'no'}" for name in _OFF)
    steps = [
        ("minimax", f"minimax:depth={depth},heuristic={heuristic}"),
        ("alpha-beta", f"{base},{plain},ordering=none"),
        ("+ order", f"{base},{plain}"),
    ]
    left = list(_OFF)
    for name, words in (
        ("killers", "+ killers"),
        ("history", "+ history"),
        ("table", "+ table"),
        ("scout", "+ null windows"),
        ("symmetry", "+ symmetries"),
        ("iterative", "+ deepening"),
    ):
        left.remove(name)
        off = "".join(f",{each}={0 if each == 'table' else 'no'}" for each in left)
        steps.append((words, f"{base}{off}"))
    return tuple(steps)


def pick(names: tuple[str, ...], **options: str) -> tuple[tuple[str, str], ...]:
    """Some searches of the ladder, by name."""
    return tuple(step for step in ladder(**options) if step[0] in names)
