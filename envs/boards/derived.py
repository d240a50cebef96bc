"""What follows from the board that a game declares: names and cells of actions, the text.

The bodies here are for games that register none of their own.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np

from .. import rules as r
from ..compiled.dispatch import missing


@r.action_to_text.register(tuple)
def action_to_text(rules: Any, action: int) -> str:
    names = r.board(rules).actions
    if not names:
        raise missing(rules, "action_to_text")
    return names[action]


@functools.lru_cache(256, typed=True)
def _numbers(rules: Any) -> tuple[dict[str, int], dict[str, int]]:
    """The actions by their names, and by these in small letters where that leaves them apart."""
    exact = {name: action for action, name in enumerate(r.board(rules).actions)}
    small = {name.lower(): action for name, action in exact.items()}
    return exact, small if len(small) == len(exact) else {}


@r.text_to_action.register(tuple)
def text_to_action(rules: Any, text: str) -> int:
    (exact, small), name = _numbers(rules), text.strip()
    if not exact:
        raise missing(rules, "text_to_action")
    action = exact.get(name, small.get(name.lower()))
    if action is None:
        kind, at = r.board(rules).kind, action_cells(rules)[:, 1]
        names = [each for each, number in exact.items() if at[number] >= 0] or [*exact]
        first, last = min(names, key=_in_order), max(names, key=_in_order)
        raise ValueError(f"{text!r} is no {kind} of this board; {kind}s run from {first} to {last}")
    return action


def _in_order(name: str) -> list[Any]:
    """The key that sorts names: numbers by their size, small letters before capital ones."""
    parts = re.split(r"(\d+)", name.swapcase())
    return [int(part) if part.isdecimal() else part for part in parts]


def action_cells(rules: Any) -> np.ndarray:
    """The board's ``cells`` as int16 of shape (num_actions, 3)."""
    cells = r.board(rules).cells or [(-1, -1, -1)] * r.facts(rules).num_actions
    return np.array(cells, np.int16)


@r.board_text.register(tuple)
def board_text(rules: Any, position: Any) -> str:
    """The rows, slanting as on the picture, with the letters and numbers of their cells."""
    places = r.board(rules).places
    if not places:
        raise missing(rules, "board_text")
    rows = r.board_rows(rules, position)
    if not all(re.fullmatch(r"[A-Za-z][0-9]+", place.name) for place in places):
        return "\n".join(rows)
    first_row = [place for place in places if place.row == 0]
    first_column = [place for place in places if place.column == 0]
    across = [place.area.centre[0] for place in first_column[:2] if place.area]
    slant = round(2 * (across[1] - across[0])) if len(across) == 2 else 0
    lines = [
        f"{' ' * slant * place.row}{place.name[1:]:>2} {' '.join(row)}"
        for place, row in zip(first_column, rows)
    ]
    letters = "   " + " ".join(place.name[0] for place in first_row)
    from_top = first_column[0].name[1:] == "1" and len(lines) > 1
    return "\n".join([letters, *lines] if from_top else [*lines, letters])
