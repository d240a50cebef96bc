"""The form in which a game is searched: usually its own rules, for some heuristics a richer record
that is kept up to date move by move.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...envs import rules as r
from ...envs.compiled.dispatch import missing, rule
from ...envs.game import Game


@rule
def can_win_at_once(rules, position):
    """Whether the player to move is known to have an action that wins; for forms that can tell
    without trying. The others say no.
    """
    raise missing(rules, "can_win_at_once")


@rule
def is_own_image(rules, position, permutation, spare):
    """Whether a symmetry (a permutation of the actions) leaves the position as it is; ``spare`` is
    a record that may be overwritten.
    """
    raise missing(rules, "is_own_image")


@is_own_image.default_body
def _compare_keys(rules, position, permutation, spare):
    r.transform(rules, position, permutation, spare)
    return r.key(rules, spare) == r.key(rules, position)


@can_win_at_once.default_body
def _cannot_tell(rules, position):
    return False


class SearchForm(NamedTuple):
    """Rules and position dtype for a search engine, and how a position record gets into the first
    row of an array of that dtype.

    ``defaults`` are the values of the engine's options that suit the form, where the specification
    leaves them open.
    """

    rules: Any
    dtype: Any
    load: Callable[[Any, Any], None]  # (position record, array of search records) -> None
    defaults: Mapping[str, Any] = {}


def search_form(game: Game, heuristic: str) -> SearchForm:
    """The search form of a game under a heuristic."""
    return form_for(game.rules, game, heuristic)


@functools.singledispatch
def form_for(rules: Any, game: Game, heuristic: str) -> SearchForm:
    """Rules types that have a form of their own register it here; the others are searched as they
    are.
    """
    return plain_form(game)


def plain_form(game: Game) -> SearchForm:
    """The game's own rules and record."""
    return SearchForm(game.rules, game.declaration.dtype, _copy_record)


def _copy_record(source: Any, target: Any) -> None:
    target[0] = source
