"""Pure Monte Carlo: random games to the end after each legal action; the best mean is played.

Source: Abramson, "Expected-outcome: a general model of static evaluation", IEEE PAMI 12, 1990.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..envs import rules as r
from ..envs.compiled.kernels import inner_kernel, kernel
from ..envs.compiled.randomness import random_below
from ..envs.game import Game, Position
from ..envs.specification import Parameter
from .agent import Agent, Decision
from .book import BOOK_PARAMETERS
from .lookahead import LostMoves
from .registry import register_agent
from .score import Score, score_of_position

PORTION = 1000  # games between which Ctrl-C is heard; always as many, so that sums are the same


@inner_kernel
def play_out(rules, position, rng, scratch):
    """Play random actions to the end of the game, in place."""
    while not r.is_over(rules, position):
        r.play(rules, position, r.random_action(rules, position, rng, scratch))


@kernel
def sample_action(rules, position, action, simulations, rng, spare, scratch):
    """Play random games after ``action``.

    Args:
        rules: the game's rules.
        position: a record of a position that is not over; it is not changed.
        action: a legal action.
        simulations: how many games.
        rng: the random stream.
        spare: a recarray of two records; the first holds the position after the action on return.
        scratch: int16 buffer of num_actions.

    Returns:
        The sum and the sum of squares of the mover's returns, and the sum of its margins.
    """
    mover = r.to_move(rules, position)
    spare[0] = position
    r.play(rules, spare[0], action)
    total, squares, margins = 0.0, 0.0, 0.0
    for _ in range(simulations):
        spare[1] = spare[0]
        play_out(rules, spare[1], rng, scratch)
        result = r.returns(rules, spare[1], mover)
        total += result
        squares += result * result
        margins += np.float64(r.margin(rules, spare[1], mover))
    return total, squares, margins


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
        self._spare = game.new_records(2)
        self._scratch = np.empty(game.facts.num_actions, np.int16)
        self._lost_moves = LostMoves(game, "default")
        random_below(self.stream.copy(), 1)
        start = game.initial_position()
        sample_action(
            game.rules,
            start.record,
            start.legal_actions()[0],
            1,
            self.stream.copy(),
            self._spare,
            self._scratch,
        )

    def decide(self, position: Position) -> Decision:
        n, rules = self.options["simulations"], position.game.rules
        means, errors, margins, scores = {}, {}, {}, {}
        for action in position.legal_actions():
            total, squares, margin = self._sample(rules, position, action)
            means[action], margins[action] = total / n, margin / n
            variance = max(squares / n - (total / n) ** 2, 0.0) * n / max(n - 1, 1)
            errors[action] = float(np.sqrt(variance / n))
            over = bool(r.is_over(rules, self._spare[0]))
            scores[action] = Score(total / n, kind="exact", plies=1) if over else Score(total / n)
        action = self._choose(position, means, margins)
        best_result = position.game.facts.max_return
        score = score_of_position(action, scores, best_result)
        return Decision(
            action,
            score,
            scores,
            errors,
            dict.fromkeys(means, n),
            (action,),
            simulations=n * len(means),
        )

    def _sample(self, rules: Any, position: Position, action: int) -> tuple[float, float, float]:
        """The sums over the games after an action, in portions between which Ctrl-C is heard."""
        sums, left = (0.0, 0.0, 0.0), self.options["simulations"]
        while left:
            portion = min(PORTION, left)
            sample = sample_action(
                rules, position.record, action, portion, self.stream, self._spare, self._scratch
            )
            sums = (sums[0] + sample[0], sums[1] + sample[1], sums[2] + sample[2])
            left -= portion
        return sums

    def _choose(
        self, position: Position, means: dict[int, float], margins: dict[int, float]
    ) -> int:
        """The action of the highest mean; ties are broken as stated in the class."""
        highest = max(means.values())
        best = [action for action, mean in means.items() if mean == highest]
        if len(best) > 1 and abs(highest) == position.game.facts.max_return:
            widest = max(margins[action] for action in best)
            best = [action for action in best if margins[action] == widest]
            if highest < 0:
                best = self._lost_moves.keep_best(position, best)
        return best[int(random_below(self.stream, len(best)))]
