"""Search forms: the rules and record used in searches, the game's own or a richer record.

A richer record holds data for a heuristic and is updated move by move.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...envs import rules as r
from ...envs.compiled.dispatch import missing, rule
from ...envs.game import Game
from ...envs.loading.packages import load_knowledge
from .heuristics import heuristic_index
from .kernels import FIRST_ADDRESS, points_of

UNREAD, WON, REPLY_WINS, ESTIMATE = range(4)  # results of `read_off` for an action


def blank_records(shape: int | tuple[int, ...], dtype: Any) -> Any:
    """Records of zeros, padding included."""
    records = np.recarray(shape, dtype)
    records.view(np.uint8)[...] = 0
    return records


@rule
def load_record(rules, source, targets):
    """Load a record of the plain game into the first row of an array of the form's records."""
    raise missing(rules, "load_record")


@load_record.default_body
def _copy_record(rules, source, targets):
    targets[0] = source


@rule
def can_win_at_once(rules, position):
    """Whether the player to move is known to have an action that wins.

    It is True only in forms that detect it without playing the actions.
    """
    raise missing(rules, "can_win_at_once")


@rule
def resistance_points(rules, position, player, heuristic):
    """The points of a lost position, to choose the best resistance."""
    raise missing(rules, "resistance_points")


@resistance_points.default_body
def _heuristic_points(rules, position, player, heuristic):
    return points_of(rules, position, player, heuristic)


@rule
def is_own_image(rules, position, permutation, spare):
    """Whether a symmetry (a permutation of the actions) leaves the position unchanged.

    ``spare`` is a record that may be overwritten.
    """
    raise missing(rules, "is_own_image")


@is_own_image.default_body
def _compare_keys(rules, position, permutation, spare):
    r.transform(rules, position, permutation, spare)
    return r.key(rules, spare) == r.key(rules, position)


@can_win_at_once.default_body
def _cannot_tell(rules, position):
    return False


@rule
def read_off(rules, position, action, heuristic):
    """The outcome of an action, read off without playing it.

    Only games in which every action passes the turn implement it.

    Returns:
        UNREAD, if it has to be played; WON, if it wins; REPLY_WINS, if the opponent then has a
        known winning action; else ESTIMATE. With the last two, the points of the heuristic after
        it, from the side of the player to move.
    """
    raise missing(rules, "read_off")


@read_off.default_body
def _cannot_read(rules, position, action, heuristic):
    return UNREAD, np.int64(0)


class SearchForm(NamedTuple):
    """Rules and position dtype for a search; :func:`load_record` loads a position.

    ``defaults`` are the form's default values of search options.
    """

    rules: Any
    dtype: Any
    defaults: Mapping[str, Any] = {}


def search_form(game: Game, heuristic: str) -> SearchForm:
    """The search form of a game under a heuristic; a user's function takes the plain record."""
    if heuristic_index(game, heuristic) >= FIRST_ADDRESS:
        return plain_form(game)
    load_knowledge(game.name)
    return form_for(game.rules, game, heuristic)


@functools.singledispatch
def form_for(rules: Any, game: Game, heuristic: str) -> SearchForm:
    """The form of a rules type: types with a special form register it here."""
    return plain_form(game)


def plain_form(game: Game) -> SearchForm:
    """The game's own rules and record."""
    return SearchForm(game.rules, game.declaration.dtype)
