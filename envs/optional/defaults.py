"""Default bodies of rule functions, and descriptions derived from the board."""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np

from .. import rules as r
from ..compiled.dispatch import missing
from ..compiled.randomness import random_below
from ..compiled.scratch import stack_array
from ..pictures.drawing import Picture, text_picture
from ..rules import MOST_ACTIONS


@r.is_legal.default_body
def _is_legal(rules, position, action):
    buffer = stack_array(MOST_ACTIONS, np.int16)  # the maximum for any game
    count = r.legal_actions(rules, position, buffer)
    for i in range(count):
        if buffer[i] == action:
            return True
    return False


@r.margin.default_body
def _no_margin(rules, position, player):
    return np.int64(0)


@r.evaluate.default_body
def _no_estimate(rules, position, player, heuristic):
    return np.int64(0)


@r.transform.default_body
def _no_symmetry(rules, position, permutation, out):
    pass  # a game without symmetries has only the identity, which callers skip


@r.candidates.default_body
def _all_actions(rules, position, radius, out):
    return r.legal_actions(rules, position, out)


@r.possible_wins.default_body
def _cannot_list(rules, position, player, out):
    return r.UNKNOWN


@r.order_actions.default_body
def _keep_order(rules, position, actions, count):
    pass


@r.play_out.default_body
def _random_playout(rules, position, last, rng, scratch, players):
    players[:] = r.NOBODY
    while not r.is_over(rules, position):
        action, player = r.random_action(rules, position, rng, scratch), r.to_move(rules, position)
        if players[action] == r.NOBODY:
            players[action] = player
        r.play(rules, position, action)


@r.propose.default_body
def _propose_all(rules, position, out, estimates):
    count = r.legal_actions(rules, position, out)
    r.order_actions(rules, position, out, count)
    estimates[:count] = 0
    return count


@r.random_action.default_body
def _random_action(rules, position, rng, scratch):
    count = r.legal_actions(rules, position, scratch)
    return np.int64(scratch[random_below(rng, count)])


# -- plain Python --


@r.action_to_text.register(tuple)
def action_to_text(rules: Any, action: int) -> str:
    names = r.board(rules).actions
    if not names:
        raise missing(rules, "action_to_text")
    return names[action]


@functools.lru_cache(256, typed=True)
def _numbers(rules: Any) -> tuple[dict[str, int], dict[str, int]]:
    """The actions by name, and by lower-case name where that is unique."""
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
    """The sort key of names: numbers by value, lower case before upper case."""
    parts = re.split(r"(\d+)", name.swapcase())
    return [int(part) if part.isdecimal() else part for part in parts]


def action_cells(rules: Any) -> np.ndarray:
    """The board's ``cells`` as int16 of shape (num_actions, 3)."""
    cells = r.board(rules).cells or [(-1, -1, -1)] * r.facts(rules).num_actions
    return np.array(cells, np.int16)


@r.score.register(tuple)
def score(rules: Any, position: Any) -> None:
    return None


@r.symmetries.register(tuple)
def symmetries(rules: Any) -> np.ndarray:
    return np.arange(r.facts(rules).num_actions, dtype=np.int16)[None]


@r.picture.register(tuple)
def picture(rules: Any, position: Any, last_action: int | None) -> Picture:
    return text_picture(r.board_text(rules, position))


@r.board_text.register(tuple)
def board_text(rules: Any, position: Any) -> str:
    """The rows, slanted as in the picture, with the letters and numbers of their cells."""
    (heads, letters), rows = _sides(rules), r.board_rows(rules, position)
    if not heads:
        return "\n".join(rows)
    lines = [f"{head} {' '.join(row)}" for head, row in zip(heads, rows)]
    from_top = heads[0].strip() == "1" and len(lines) > 1
    return "\n".join([letters, *lines] if from_top else [*lines, letters])


@functools.lru_cache(256, typed=True)
def _sides(rules: Any) -> tuple[list[str], str]:
    """The label of each row, and the column letters; empty without named cells."""
    places = r.board(rules).places
    if not places:
        raise missing(rules, "board_text")
    if not all(re.fullmatch(r"[A-Za-z][0-9]+", place.name) for place in places):
        return [], ""
    first_column = [place for place in places if place.column == 0]
    across = [place.area.centre[0] for place in first_column[:2] if place.area]
    slant = round(2 * (across[1] - across[0])) if len(across) == 2 else 0
    heads = [f"{' ' * slant * place.row}{place.name[1:]:>2}" for place in first_column]
    return heads, "   " + " ".join(place.name[0] for place in places if place.row == 0)
