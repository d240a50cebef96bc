"""Pure Monte Carlo: random games to the end after each legal action; the best mean is played.

Source: Abramson, "Expected-outcome: a general model of static evaluation", IEEE PAMI 12, 1990.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..envs import rules as r
from ..envs.compiled.kernels import inner_kernel, kernel
from ..envs.compiled.randomness import random_below
from ..envs.game import Game, Position
from ..envs.specification import Parameter
from .agent import Agent
from .decision import Decision, Score, score_of_position
from .lookahead import keep_best, new_lost_moves
from .registry import register_agent

PORTION = 1000  # games between checks for Ctrl-C; a constant, so that sums are reproducible


@inner_kernel
def _play_out(rules, position, rng, scratch):
    """Play random actions to the end of the game, in place."""
    while not r.is_over(rules, position):
        r.play(rules, position, r.random_action(rules, position, rng, scratch))


@kernel
def sample_actions(rules, position, actions, simulations, rng, spare, scratch, sums):
    """Play random games after each of some actions.

    Args:
        rules: the game's rules.
        position: a record of a position that is not over; it is not changed.
        actions: legal actions, int16.
        simulations: the number of games after each.
        rng: the random stream.
        spare: a recarray of two records.
        scratch: int16 buffer of num_actions.
        sums: float64, (actions, 4). The mover's returns, their squares and its margins are added to
            the columns; the last one becomes 1 if the action ends the game.
    """
    mover = r.to_move(rules, position)
    for i in range(actions.size):
        spare[0] = position
        r.play(rules, spare[0], np.int64(actions[i]))
        total, squares, margins = 0.0, 0.0, 0.0
        for _ in range(simulations):
            spare[1] = spare[0]
            _play_out(rules, spare[1], rng, scratch)
            result = r.returns(rules, spare[1], mover)
            total += result
            squares += result * result
            margins += np.float64(r.margin(rules, spare[1], mover))
        sums[i, 0] += total
        sums[i, 1] += squares
        sums[i, 2] += margins
        sums[i, 3] = 1.0 if r.is_over(rules, spare[0]) else 0.0


class RandomGames(NamedTuple):
    """``montecarlo`` for a game, as kernels use it.

    Attributes:
        simulations: games after each action.
        most: the greatest possible sum of returns of that many games.
        actions: int16, (num_actions,).
        sums, spare, scratch: the buffers of :func:`sample_actions`.
        lost_moves: how losing actions are compared.
    """

    simulations: int
    most: float
    actions: Any
    sums: Any
    spare: Any
    scratch: Any
    lost_moves: Any


@inner_kernel
def choose_by_games(opponent, rules, position, rng):
    """Play games after each legal action, and choose."""
    count = r.legal_actions(rules, position, opponent.actions)
    opponent.sums[:count] = 0.0
    sample_actions(
        rules,
        position,
        opponent.actions[:count],
        opponent.simulations,
        rng,
        opponent.spare,
        opponent.scratch,
        opponent.sums[:count],
    )
    return choose_sampled(opponent, rules, position, count, rng)


@inner_kernel
def choose_sampled(games, rules, position, count, rng):
    """The action of the highest sum of returns; ties are broken as :class:`MonteCarlo` says.

    The first ``count`` of the actions have been sampled; they are overwritten.
    """
    actions, sums = games.actions, games.sums
    highest, widest = -np.inf, -np.inf
    for i in range(count):
        highest = max(highest, sums[i, 0])
    margins_decide = abs(highest) == games.most
    for i in range(count):
        if sums[i, 0] == highest:
            widest = max(widest, sums[i, 2])
    best = 0
    for i in range(count):
        if sums[i, 0] == highest and (not margins_decide or sums[i, 2] == widest):
            actions[best] = actions[i]
            best += 1
    if best > 1 and margins_decide and highest < 0:
        best = keep_best(rules, position, actions, best, games.lost_moves)
    return np.int64(actions[random_below(rng, best)])


@register_agent("montecarlo")
class MonteCarlo(Agent):
    """Plays the action with the highest mean return over random games.

    If all games of several actions had the same result, the mean margin decides. If they were all
    lost, an action that does not let the opponent win at once is preferred, then the best
    evaluation by the game's heuristic. Remaining ties are broken at random.
    """

    summary = "random games to the end after each legal action, the highest mean return"
    parameters = (
        Parameter("simulations", int, 100, "random games for each legal action", 1, 10**9),
    )

    def prepare(self, game: Game) -> None:
        self._games = self.new_games(game)
        start, stream = game.initial_position(), self.stream.copy()
        self._choose(start, self._sample(start, 1, stream), stream)

    def new_games(self, game: Game) -> RandomGames:
        """The agent as kernels use it, with its own buffers."""
        count, simulations = game.facts.num_actions, self.options["simulations"]
        return RandomGames(
            simulations,
            float(simulations * game.facts.max_return),
            np.empty(count, np.int16),
            np.empty((count, 4)),
            game.new_records(2),
            np.empty(count, np.int16),
            new_lost_moves(game),
        )

    def decide(self, position: Position) -> Decision:
        n, scores, errors = self.options["simulations"], {}, {}
        count = self._sample(position, n, self.stream)
        rows = zip(self._games.actions[:count].tolist(), self._games.sums[:count].tolist())
        for action, (total, squares, _, over) in rows:
            variance = max(squares / n - (total / n) ** 2, 0.0) * n / max(n - 1, 1)
            errors[action] = float(np.sqrt(variance / n))
            scores[action] = Score(total / n, kind="exact", plies=1) if over else Score(total / n)
        action = self._choose(position, count, self.stream)
        return Decision(
            action,
            score_of_position(action, scores, position.game.facts.max_return),
            scores,
            errors,
            dict.fromkeys(scores, n),
            (action,),
            simulations=n * len(scores),
        )

    def _choose_action(self, position: Position) -> int:
        count = self._sample(position, self.options["simulations"], self.stream)
        return self._choose(position, count, self.stream)

    def _sample(self, position: Position, simulations: int, stream: np.ndarray) -> int:
        """Sum up games after each legal action, see :func:`sample_actions`; returns their number.

        They are played in batches, between which Ctrl-C is handled.
        """
        rules, record = position.game.rules, position.record
        actions, sums = self._games.actions, self._games.sums
        count: int = self._compiled(r.legal_actions, rules, record, actions)
        sums[:count] = 0.0
        at_once = max(PORTION // simulations, 1)
        for first in range(0, count, at_once):
            some, left = slice(first, min(first + at_once, count)), simulations
            while left:
                games = min(PORTION, left)
                self._compiled(
                    sample_actions,
                    *(rules, record, actions[some], games, stream),
                    *(self._games.spare, self._games.scratch, sums[some]),
                )
                left -= games
        return count

    def _choose(self, position: Position, count: int, stream: np.ndarray) -> int:
        """The action to play, given that the first ``count`` have been sampled."""
        arguments = position.game.rules, position.record, count, stream
        return int(self._compiled(choose_sampled, self._games, *arguments))
