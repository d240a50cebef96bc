"""Pure Monte Carlo: random games to the end after each legal action; the best mean is played.

Source: Abramson, "Expected-outcome: a general model of static evaluation", IEEE PAMI 12, 1990.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..envs import rules as r
from ..envs.compiled.kernels import inner_kernel, kernel
from ..envs.compiled.randomness import random_below
from ..envs.game import Game, Position
from ..envs.specification import Parameter
from .agent import Agent
from .book import BOOK_PARAMETERS
from .decision import Decision, Score, score_of_position
from .lookahead import LostMoves
from .registry import register_agent

PORTION = 1000  # games between which Ctrl-C is heard; always as many, so that sums are the same


@inner_kernel
def _play_out(rules, position, rng, scratch):
    """Play random actions to the end of the game, in place."""
    while not r.is_over(rules, position):
        r.play(rules, position, r.random_action(rules, position, rng, scratch))


@kernel
def _sample_actions(rules, position, actions, simulations, rng, spare, scratch, sums):
    """Play random games after each of some actions.

    Args:
        rules: the game's rules.
        position: a record of a position that is not over; it is not changed.
        actions: legal actions, int16.
        simulations: how many games after each.
        rng: the random stream.
        spare: a recarray of two records.
        scratch: int16 buffer of num_actions.
        sums: float64, (actions, 4). To its columns are added the mover's returns, their squares and
            its margins; the last one becomes 1 where the action ends the game.
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


@register_agent("montecarlo")
class MonteCarlo(Agent):
    """Plays the action with the highest mean return over random games.

    Where all the games of several actions had the same result, the mean margin decides. Where they
    were all lost, an action that does not let the opponent win at once is preferred, then the best
    evaluation by the game's heuristic. Remaining ties are broken at random.
    """

    summary = "random games to the end after each legal action, the highest mean return"
    parameters = (
        Parameter("simulations", int, 100, "random games for each legal action", 1, 10**9),
        *BOOK_PARAMETERS,
    )

    def prepare(self, game: Game) -> None:
        count = game.facts.num_actions
        self._spare, self._scratch = game.new_records(2), np.empty(count, np.int16)
        self._actions, self._sums = np.empty(count, np.int16), np.empty((count, 4))
        self._lost_moves = LostMoves(game, "default")
        start, stream = game.initial_position(), self.stream.copy()
        self._compiled(random_below, stream, 1)
        self._sample(start, 1, stream)

    def decide(self, position: Position) -> Decision:
        n, scores, errors = self.options["simulations"], {}, {}
        sampled = self._sample(position, n, self.stream)
        for action, (total, squares, _, over) in sampled.items():
            variance = max(squares / n - (total / n) ** 2, 0.0) * n / max(n - 1, 1)
            errors[action] = float(np.sqrt(variance / n))
            scores[action] = Score(total / n, kind="exact", plies=1) if over else Score(total / n)
        action = self._choose(position, sampled)
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
        sampled = self._sample(position, self.options["simulations"], self.stream)
        return self._choose(position, sampled)

    def _sample(
        self, position: Position, simulations: int, stream: np.ndarray
    ) -> dict[int, list[float]]:
        """The sums over the games after each legal action, see :func:`_sample_actions`.

        They are played in portions between which Ctrl-C is heard.
        """
        rules, record = position.game.rules, position.record
        actions, sums = self._actions, self._sums
        count = self._compiled(r.legal_actions, rules, record, actions)
        sums[:count] = 0.0
        at_once = max(PORTION // simulations, 1)
        for first in range(0, count, at_once):
            some, left = slice(first, min(first + at_once, count)), simulations
            while left:
                games = min(PORTION, left)
                self._compiled(
                    _sample_actions,
                    *(rules, record, actions[some], games, stream),
                    *(self._spare, self._scratch, sums[some]),
                )
                left -= games
        return dict(zip(actions[:count].tolist(), sums[:count].tolist()))

    def _choose(self, position: Position, sampled: Mapping[int, Sequence[float]]) -> int:
        """The action of the highest mean; ties are broken as stated in the class."""
        n = self.options["simulations"]
        highest = max(sums[0] for sums in sampled.values())
        best = [action for action, sums in sampled.items() if sums[0] == highest]
        if len(best) > 1 and abs(highest / n) == position.game.facts.max_return:
            widest = max(sampled[action][2] for action in best)
            best = [action for action in best if sampled[action][2] == widest]
            if highest < 0:
                best = self._lost_moves.keep_best(position, best)
        choice: int = self._compiled(random_below, self.stream, len(best))
        return best[choice]
