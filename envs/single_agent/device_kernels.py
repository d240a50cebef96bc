"""What one thread of a device does: the loops of :mod:`.batch_kernels` over a single game.

Each kernel takes the number of its thread last. Buffers have the threads as first axis.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..compiled.dispatch import missing, rule
from ..compiled.kernels import inner_kernel, kernel
from ..compiled.threads import own
from . import batch_kernels as kernels
from .opponents import choose_actions

OPENINGS = 1000  # attempts to start a game in which the learner can move
# The parts of a step: the turn after the learner's action, then attempts to start a game.
TURN, FIRST_OPENING, DONE = 0, 1, OPENINGS + 1


class Mixture(NamedTuple):
    """Opponents, as a list whose types a kernel knows."""

    opponent: Any  # with buffers of all threads
    memory: Any  # of its replies; switched off
    others: Any  # a Mixture, or Nobody


class Asked(NamedTuple):
    """An opponent that answers between two kernels, in a list of opponents: a network.

    A kernel writes the observation of a game in which it is to move, and leaves the game waiting.
    The next one plays the answer.
    """

    opponent: Any  # for `choose_actions`, with buffers of all threads
    is_asked: Any  # bool (N,)
    others: Any  # a Mixture, Asked, or Nobody


class Nobody(NamedTuple):
    """The end of a list of opponents."""

    none: int = 0


class Itself(NamedTuple):
    """The learner in a list of opponents, which acts for both players."""

    others: Any  # a Mixture, or Nobody


@rule
def reply_of_each(opponents, number, rules, batch, game):
    """Play the moves of all opponents, from the ``number``-th on, in one game."""
    raise missing(opponents, "reply_of_each")


@reply_of_each.register_body(Nobody)
@inner_kernel
def _reply_of_nobody(opponents, number, rules, batch, game):
    pass


@reply_of_each.register_body(Mixture)
@inner_kernel
def _reply_of_mixture(opponents, number, rules, batch, game):
    if batch.waiting[game]:
        opponent = own(opponents.opponent, game)
        kernels.reply(opponent, opponents.memory, number, rules, batch, game, game + 1)
        reply_of_each(opponents.others, number + 1, rules, batch, game)


@reply_of_each.register_body(Asked)
@inner_kernel
def _reply_of_asked(opponents, number, rules, batch, game):
    if batch.waiting[game] and batch.opponents[game] == number:
        opponent, is_asked = own(opponents.opponent, game), opponents.is_asked
        turns = opponent.turns
        if is_asked[game]:
            choose_actions(opponent, batch.streams, 1)
            kernels.play_replies(rules, batch, turns, 1)
        count = kernels.observe_waiting(rules, batch, number, turns, game, game + 1)
        is_asked[game] = count > 0
    else:
        reply_of_each(opponents.others, number + 1, rules, batch, game)


@reply_of_each.register_body(Itself)
@inner_kernel
def _reply_of_itself(opponents, number, rules, batch, game):
    reply_of_each(opponents.others, number + 1, rules, batch, game)


@inner_kernel
def _is_playable(batch, options, game):
    """Whether the learner can move, or the game is over and stays so."""
    if batch.terminated[game] and not options.restart:
        return True
    for action in range(batch.masks.shape[1]):
        if batch.masks[game, action]:
            return True
    return False


@inner_kernel
def _go_on(opponents, rules, batch, options, scratch, parts, first, game):
    """Play the replies, reward the learner, and start games until one is open, from a part on.

    If none is found, the game has no legal action. ``parts`` holds where it waits for an answer.
    """
    for part in range(first, DONE):
        reply_of_each(opponents, 0, rules, batch, game)  # here only: it is large
        if batch.waiting[game]:
            parts[game] = part
            return
        if part == TURN:
            kernels.settle(rules, batch, options, game, game + 1)
            continue
        over = kernels.describe(rules, batch, options, scratch[game], game, game + 1)
        if over == 0 or _is_playable(batch, options, game):
            break
        kernels.begin_game(rules, batch, options, game)
    parts[game] = DONE


@kernel
def step_alone(rules, batch, options, actions, scratch, game):
    """A step where the caller acts for both players."""
    kernels.step_both_sides(rules, batch, options, actions, scratch[game], game, game + 1)


@kernel
def step_against(opponents, rules, batch, options, actions, scratch, parts, game):
    """A step against opponents: the action, the replies, and the next game if this one is over."""
    kernels.play_actions(rules, batch, options, actions, game, game + 1)
    _go_on(opponents, rules, batch, options, scratch, parts, TURN, game)


@kernel
def begin(opponents, rules, batch, options, which, scratch, parts, game):
    """Start a game where ``which`` is True."""
    if which[game]:
        kernels.begin_game(rules, batch, options, game)
    _go_on(opponents, rules, batch, options, scratch, parts, FIRST_OPENING, game)


@kernel
def go_on(opponents, rules, batch, options, scratch, parts, game):
    """Continue where a network has answered; nothing happens in the other games."""
    _go_on(opponents, rules, batch, options, scratch, parts, parts[game], game)


@kernel
def redraw(batch, options, before, game):
    """Draw the opponent again, in mid-game; ``before`` was the learner's own index."""
    kernels.redraw_opponents(batch, options, before, game, game + 1)
