"""The compiled loops over many games at once.

:class:`~plyground.envs.single_agent.game_batch.GameBatch` consists of them.

A step makes several passes over the games: :func:`play_actions`, :func:`reply` for each opponent,
:func:`settle` (rewards, new games), :func:`reply` again for opponents that open, :func:`describe`.
All take a slice ``first`` to ``last`` of the games, so that threads can share the work.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import rules as r
from ..compiled.kernels import inner_kernel
from ..compiled.randomness import GAMMA, mix64, random_below, random_unit
from ..stepping import ILLEGAL, step
from .opponents import choose_action, choose_actions
from .replies import NOTHING, recall, remember

RANDOM_SEAT = 2


class BatchState(NamedTuple):
    """The state of N games, all arrays with the games as first axis."""

    positions: Any  # records
    streams: Any  # uint64 (N, 1): the random stream of each game
    observations: Any  # int8 (N, rows, columns, planes), as the learner sees its game
    masks: Any  # int8 (N, num_actions), all zeros once a game is over
    seats: Any  # int8: the learner's; in its games against itself, the player to move
    opponents: Any  # int16: the index of the opponent
    waiting: Any  # bool: it is the opponent's turn
    rewards: Any  # float64: the learner's reward of the last step
    terminated: Any  # bool: the last step ended a game
    illegal: Any  # bool: the last action was illegal
    totals: Any  # float64: the sum of the rewards of the game so far
    lengths: Any  # int32: the learner's actions so far
    episodes: Any  # int64: games begun
    # Of the last game that ended:
    final_observations: Any
    final_seats: Any
    final_opponents: Any
    final_returns: Any  # float64: sum of the learner's rewards; against itself, player 0's
    final_lengths: Any


class BatchOptions(NamedTuple):
    """Options shared by all games of a batch."""

    seat: int  # 0, 1 or RANDOM_SEAT
    # the game's lowest return: the sum of the rewards after an illegal action
    lowest: float
    itself: int  # the opponent that is the learner, which acts for both players; NOBODY: none
    restart: int  # 1: a finished game is followed by a new one in the same step
    shares: Any  # float64: cumulative shares of the opponents
    opening_plies: int  # random moves before a game begins, at most
    long_openings: float  # the share of games with up to `long_opening_plies` instead
    long_opening_plies: int


@inner_kernel
def clear(values):
    """Set a row of observations to zeros."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            for k in range(values.shape[2]):
                values[i, j, k] = 0


@inner_kernel
def begin_game(rules, batch, options, game):
    """Start a game: draw the learner's seat and the opponent."""
    position, stream = batch.positions[game], batch.streams[game]
    r.start(rules, position)
    most = options.opening_plies
    if options.long_openings > 0.0 and random_unit(stream) < options.long_openings:
        most = options.long_opening_plies
    if most > 0:
        _play_opening(rules, position, stream, most, batch.masks.shape[1])
    batch.totals[game] = 0.0
    batch.lengths[game] = 0
    batch.episodes[game] += 1
    seat = random_below(stream, 2) if options.seat == RANDOM_SEAT else options.seat
    batch.seats[game] = seat
    _draw_opponent(batch, options, game)
    batch.waiting[game] = (
        batch.opponents[game] != options.itself
        and r.to_move(rules, position) != seat
        and not r.is_over(rules, position)
    )


@inner_kernel
def _play_opening(rules, position, stream, most, num_actions):
    """Play a random number of random moves, at most ``most``; none if they would end the game."""
    for _ in range(random_below(stream, most + 1)):
        action = random_below(stream, num_actions)
        while not r.is_legal(rules, position, action):  # early in a game most actions are legal
            action = random_below(stream, num_actions)
        r.play(rules, position, action)
        if r.is_over(rules, position):
            r.start(rules, position)
            return


@inner_kernel
def _draw_opponent(batch, options, game):
    """Draw one of the opponents by their shares; a single one uses no random number."""
    choice = 0
    if options.shares.size > 1:
        share = random_unit(batch.streams[game])
        while share >= options.shares[choice]:
            choice += 1
    batch.opponents[game] = choice


@inner_kernel
def play_action(rules, batch, options, game, action):
    """Play the learner's action, if it is legal."""
    position, alone = batch.positions[game], batch.opponents[game] == options.itself
    if alone:
        batch.seats[game] = r.to_move(rules, position)
    batch.lengths[game] += 1
    after = step(rules, position, action)
    batch.illegal[game] = after == ILLEGAL
    batch.waiting[game] = not alone and after == 1 - batch.seats[game]


@inner_kernel
def _settle_game(rules, batch, options, game):
    """Reward the learner for everything since its last action.

    If a game ended, record its result and last observation, and start the next game.
    """
    position, seat = batch.positions[game], np.int64(batch.seats[game])
    over = batch.illegal[game] or r.is_over(rules, position)
    if batch.opponents[game] == options.itself:
        # `totals` is player 0's; the actor's reward is its gain by this action.
        side = 1.0 - 2.0 * seat
        total = side * options.lowest if batch.illegal[game] else r.returns(rules, position, 0)
        batch.rewards[game] = side * (total - batch.totals[game])
    else:
        total = options.lowest if batch.illegal[game] else r.returns(rules, position, seat)
        batch.rewards[game] = total - batch.totals[game]
    batch.totals[game] = total
    batch.terminated[game] = over
    if over:
        planes = batch.final_observations[game]
        clear(planes)
        r.observe(rules, position, seat, planes)
        batch.final_seats[game] = seat
        batch.final_opponents[game] = batch.opponents[game]
        batch.final_returns[game] = total
        batch.final_lengths[game] = batch.lengths[game]
        if options.restart:
            begin_game(rules, batch, options, game)


@inner_kernel
def _describe_game(rules, batch, options, scratch, game):
    """Write the learner's observation and mask; returns whether the game is over.

    A finished game has no legal action.
    """
    position, planes, mask = batch.positions[game], batch.observations[game], batch.masks[game]
    for action in range(mask.size):
        mask[action] = 0
    clear(planes)
    if batch.opponents[game] == options.itself:
        batch.seats[game] = r.to_move(rules, position)
    r.observe(rules, position, np.int64(batch.seats[game]), planes)
    over = batch.terminated[game] and not options.restart
    if not over:
        for i in range(r.legal_actions(rules, position, scratch)):
            mask[scratch[i]] = 1
    return r.is_over(rules, position)


@inner_kernel
def begin_games(rules, batch, options, which, first, last):
    """Start games where ``which`` is True."""
    for game in range(first, last):
        if which[game]:
            begin_game(rules, batch, options, game)


@inner_kernel
def redraw_opponents(batch, options, before, first, last):
    """Draw the opponents of all games again, in mid-game; ``before`` was the learner's own index.

    The learner keeps the seat that is to move.
    """
    for game in range(first, last):
        was_alone = batch.opponents[game] == before
        _draw_opponent(batch, options, game)
        is_alone = batch.opponents[game] == options.itself
        if was_alone != is_alone and batch.seats[game] == 1:
            batch.totals[game] = -batch.totals[game]  # player 0's, or the learner's


@inner_kernel
def find_illegal(rules, batch, actions, first, last):
    """The first game whose action is illegal, or −1."""
    for game in range(first, last):
        if not r.is_legal(rules, batch.positions[game], actions[game]):
            return game
    return -1


@inner_kernel
def play_actions(rules, batch, options, actions, first, last):
    """Play the learner's actions."""
    for game in range(first, last):
        play_action(rules, batch, options, game, actions[game])


@inner_kernel
def reply(opponent, memory, number, rules, batch, first, last):
    """Play all moves of a compiled opponent, the ``number``-th, wherever it is to move."""
    for game in range(first, last):
        if batch.waiting[game] and batch.opponents[game] == number:
            position, stream, seat = batch.positions[game], batch.streams[game], batch.seats[game]
            while True:
                action = recall(memory, rules, position)
                if action == NOTHING:
                    action = choose_action(opponent, rules, position, stream)
                    remember(memory, rules, position, action)
                r.play(rules, position, action)
                if r.is_over(rules, position) or r.to_move(rules, position) == seat:
                    break
            batch.waiting[game] = False


@inner_kernel
def settle(rules, batch, options, first, last):
    """Reward the learners, and start new games for those that ended."""
    for game in range(first, last):
        _settle_game(rules, batch, options, game)


@inner_kernel
def describe(rules, batch, options, scratch, first, last):
    """Write observations and masks; returns the number of games that are over."""
    over = 0
    for game in range(first, last):
        if _describe_game(rules, batch, options, scratch, game):
            over += 1
    return over


@inner_kernel
def step_both_sides(rules, batch, options, actions, scratch, first, last):
    """A whole step where the caller acts for both players, in one pass over the games."""
    for game in range(first, last):
        play_action(rules, batch, options, game, actions[game])
        _settle_game(rules, batch, options, game)
        _describe_game(rules, batch, options, scratch, game)


@inner_kernel
def reply_to_many(opponent, number, rules, batch, first, last):
    """As :func:`reply`, for an opponent that chooses for many games at once.

    Returns False if it could not choose.
    """
    turns = opponent.turns
    while True:
        count = observe_waiting(rules, batch, number, turns, first, last)
        if count == 0:
            return True
        if not choose_actions(opponent, batch.streams, count):
            return False
        play_replies(rules, batch, turns, count)


@inner_kernel
def observe_waiting(rules, batch, number, turns, first, last):
    """Write the observations of the ``number``-th opponent in the games where it is to move.

    Returns their number, at most the capacity of ``turns``.
    """
    count = 0
    for game in range(first, last):
        if count == turns.games.size:
            break
        if batch.waiting[game] and batch.opponents[game] == number:
            position, mask = batch.positions[game], turns.masks[count]
            turns.games[count] = game
            clear(turns.planes[count])
            for action in range(mask.size):
                mask[action] = 0
            r.observe(rules, position, r.to_move(rules, position), turns.planes[count])
            for i in range(r.legal_actions(rules, position, turns.scratch)):
                mask[turns.scratch[i]] = 1
            count += 1
    return count


@inner_kernel
def play_replies(rules, batch, turns, count):
    """Play the actions that an opponent chose for these games.

    Returns the first of them with an illegal action, or −1.
    """
    for i in range(count):
        game = turns.games[i]
        position = batch.positions[game]
        after = step(rules, position, turns.actions[i])
        if after == ILLEGAL:
            return i
        batch.waiting[game] = after == 1 - batch.seats[game]
    return -1


@inner_kernel
def draw_actions(masks, stream, out, first, last):
    """A uniformly random legal action for every row of masks, one random number each."""
    for game in range(first, last):
        legal = 0
        for action in range(masks.shape[1]):
            legal += masks[game, action]
        rest = random_below(stream, legal)
        for action in range(masks.shape[1]):
            rest -= masks[game, action]
            if rest < 0:
                out[game] = action
                break


@inner_kernel
def seed_streams(seeds, streams):
    """A random stream for every seed (uint64)."""
    for game in range(streams.shape[0]):
        streams[game, 0] = mix64(mix64(seeds[game] + GAMMA) + GAMMA)
