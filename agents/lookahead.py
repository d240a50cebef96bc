"""Lookahead of two plies: whether an action ends the game, or lets the opponent end it.

Agents use it to win at once, to block, and to choose among losing moves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..envs import rules as r
from ..envs.compiled.kernels import inner_kernel, kernel
from ..envs.compiled.randomness import random_below
from ..envs.game import Game, Position
from .own.heuristics import heuristic_index
from .own.kernels import points_of
from .own.search_form import (
    REPLY_WINS,
    UNREAD,
    WON,
    blank_records,
    load_record,
    plain_form,
    read_off,
    search_form,
)

WINS, HOLDS, LETS_WIN, LOSES = 3, 2, 1, 0  # the grades of an action, the best first
# what a position demands of the mover, the hardest to see first
SITUATIONS = QUIET, PARRY, TAKE, WIN = "quiet", "must parry", "moves again", "wins at once"


class Lookahead(NamedTuple):
    """The buffers of :func:`grade_actions`.

    Attributes:
        form: the rules of the search form under a heuristic, and ``records`` of it, of which the
            first holds the position.
        children: two spare records of the game.
        actions, replies: int16, (num_actions,).
        grades, points: int64, (num_actions,).
    """

    form: Any
    records: Any
    children: Any
    actions: Any
    replies: Any
    grades: Any
    points: Any


def new_lookahead(game: Game, heuristic: str | None) -> Lookahead:
    """Buffers for a game; None: no heuristic is asked."""
    form = plain_form(game) if heuristic is None else search_form(game, heuristic)
    actions, replies = np.empty((2, game.facts.num_actions), np.int16)
    grades, points = np.empty((2, game.facts.num_actions), np.int64)
    records = blank_records(2, form.dtype)
    return Lookahead(form.rules, records, game.new_records(2), actions, replies, grades, points)


@inner_kernel
def _grade_action(rules, position, action, children, replies, possible):
    """Play ``action`` into ``children[0]`` and try the opponent's replies.

    Args:
        rules: the game's rules.
        position: a record of a position that is not over; it is not changed.
        action: a legal action.
        children: two spare records; the first holds the position after the action on return.
        replies: int16 buffer of num_actions, which begins with the replies that may win.
        possible: their number, or UNKNOWN: all replies are listed there and tried.

    Returns:
        The grade (WINS, HOLDS, LETS_WIN or LOSES); whether the game is over; and the mover's
        margin at the end of the game that the grade implies (0 for HOLDS if the game goes on).
    """
    child = children[0]
    mover = r.to_move(rules, position)
    children[0] = position
    r.play(rules, child, np.int64(action))
    if r.is_over(rules, child):
        result = r.returns(rules, child, mover)
        grade = WINS if result > 0 else LOSES if result < 0 else HOLDS
        return grade, True, np.int64(r.margin(rules, child, mover))
    opponent = r.to_move(rules, child)
    grade, margin = HOLDS, np.int64(0)
    if opponent == mover or possible == 0:
        return grade, False, margin
    all_replies = possible == r.UNKNOWN
    for j in range(r.legal_actions(rules, child, replies) if all_replies else possible):
        reply = np.int64(replies[j])
        if not all_replies and not r.is_legal(rules, child, reply):
            continue
        children[1] = child
        r.play(rules, children[1], reply)
        if r.is_over(rules, children[1]) and r.returns(rules, children[1], opponent) > 0:
            lead = np.int64(r.margin(rules, children[1], mover))
            margin = lead if grade == HOLDS else min(margin, lead)
            grade = LETS_WIN
            if lead == 0:
                break  # without margins one winning reply is enough
    return grade, False, margin


@kernel
def grade_actions(rules, position, heuristic, buffers):
    """Grade every legal action and evaluate its successor.

    Args:
        rules: the game's rules.
        position: a record of a position that is not over; it is not changed.
        heuristic: the number of a heuristic, −1 for none.
        buffers: a :class:`Lookahead`. On return ``actions`` holds the legal actions, and in their
            order ``grades``, and ``points``: the heuristic's if the game goes on, the margin if its
            end is seen.

    Returns:
        The number of legal actions, and the number that end the game.
    """
    form, records, children, actions, replies, grades, points = buffers
    count = r.legal_actions(rules, position, actions)
    mover, ending = r.to_move(rules, position), 0
    load_record(form, position, records)
    possible = r.possible_wins(rules, position, 1 - mover, replies)
    for i in range(count):
        action = np.int64(actions[i])
        kind, estimate = read_off(form, records[0], action, heuristic)
        if kind != UNREAD:
            ending += kind == WON
            grades[i] = WINS if kind == WON else LETS_WIN if kind == REPLY_WINS else HOLDS
            points[i] = 0 if kind == WON or heuristic < 0 else estimate
            continue
        grade, over, margin = _grade_action(rules, position, action, children, replies, possible)
        ending += over
        if margin != 0:
            # Both end the game lost: the margin decides, whoever makes the last move.
            grades[i], points[i] = LOSES if grade == LETS_WIN else grade, margin
        elif over or heuristic < 0:
            grades[i], points[i] = grade, 0
        else:
            points[i] = points_of(rules, children[0], mover, heuristic)
            grades[i] = grade
    return count, ending


@kernel
def choose_graded(rules, position, heuristic, buffers, rng):
    """Choose the action of the best grade, then of the most points; ties are broken at random.

    Takes what :func:`grade_actions` takes, and a random stream.

    Returns:
        The index of the action in ``actions``; the number of legal actions; the number that end the
        game; and the worst grade.
    """
    count, ending = grade_actions(rules, position, heuristic, buffers)
    grades, points = buffers.grades, buffers.points
    best, ties, worst = 0, 0, WINS
    for i in range(count):
        worst = min(worst, grades[i])
        if grades[i] > grades[best] or (grades[i] == grades[best] and points[i] > points[best]):
            best, ties = i, 0
        if grades[i] == grades[best] and points[i] == points[best]:
            ties += 1
    skip = random_below(rng, ties)
    choice = best
    for i in range(best, count):
        if grades[i] == grades[best] and points[i] == points[best]:
            if skip == 0:
                choice = i
                break
            skip -= 1
    return choice, count, ending, worst


def grades(position: Position) -> dict[int, int]:
    """The grade of every legal action of a position that is not over."""
    game = position.game
    children, replies = game.new_records(2), np.empty(game.facts.num_actions, np.int16)
    return {
        action: int(
            _grade_action(game.rules, position.record, action, children, replies, r.UNKNOWN)[0]
        )
        for action in position.legal_actions()
    }


def situation(position: Position) -> str:
    """The situation of the mover in a position that is not over: one of ``SITUATIONS``.

    The mover can win at once; or can complete something and move again; or must parry, because some
    moves let the opponent win at once; otherwise the position is quiet.
    """
    by_action = grades(position)
    if WINS in by_action.values():
        return WIN
    if position.game.facts.moves_again and any(
        not after.is_over and after.to_move == position.to_move
        for after in map(position.after, by_action)
    ):
        return TAKE
    return PARRY if LETS_WIN in by_action.values() else QUIET


class LostMoves(NamedTuple):
    """How losing actions are compared, and the buffers for that.

    Attributes:
        heuristic: the number of the heuristic that evaluates the resulting positions, −1 for none.
        ends_decide: whether the player who moves last wins: returns are 1 at most.
        children: two spare records.
        replies: int16, (num_actions,).
        points: int64, (num_actions,).
    """

    heuristic: int
    ends_decide: bool
    children: Any
    replies: Any
    points: Any


def new_lost_moves(game: Game) -> LostMoves:
    """The comparison for a game, by its default heuristic."""
    count = game.facts.num_actions
    return LostMoves(
        heuristic_index(game, "default"),
        game.facts.max_return == 1.0,
        game.new_records(2),
        np.empty(count, np.int16),
        np.empty(count, np.int64),
    )


@inner_kernel
def loses_at_once(rules, position, action, lost_moves):
    """Whether an action loses, or lets the opponent win with the next move."""
    if not lost_moves.ends_decide:
        return False
    children, replies = lost_moves.children, lost_moves.replies
    grade, _, _ = _grade_action(rules, position, action, children, replies, r.UNKNOWN)
    return grade in (LETS_WIN, LOSES)


@inner_kernel
def keep_best(rules, position, actions, count, lost_moves):
    """Move those of the first ``count`` actions, all lost, that resist longest to the front.

    These are the ones that do not lose at once, if any; then the best evaluated. They keep their
    order. Returns their number.
    """
    held = 0
    for i in range(count):
        action = actions[i]
        if not loses_at_once(rules, position, np.int64(action), lost_moves):
            actions[i], actions[held] = actions[held], action
            held += 1
    if held > 0:
        count = held
    if lost_moves.heuristic < 0:
        return count
    mover, child, points, best = (
        r.to_move(rules, position),
        lost_moves.children[0],
        lost_moves.points,
        0,
    )
    for i in range(count):
        lost_moves.children[0] = position
        r.play(rules, child, np.int64(actions[i]))
        points[i] = 0
        if not r.is_over(rules, child):
            points[i] = points_of(rules, child, mover, lost_moves.heuristic)
        best = i if points[i] > points[best] else best
    kept, most = 0, points[best]
    for i in range(count):
        if points[i] == most:
            actions[kept] = actions[i]
            kept += 1
    return kept
