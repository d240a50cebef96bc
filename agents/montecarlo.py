"""Pure Monte Carlo: random games to the end after each legal action; the highest mean return is
played.

Source: Abramson, "Expected-outcome: a general model of static evaluation", IEEE PAMI 12, 1990.
"""

from __future__ import annotations

import numpy as np

from ..envs import rules as r
from ..envs.compiled.kernels import inner_kernel, kernel
from ..envs.compiled.randomness import random_below
from ..envs.game import Game, Position
from ..envs.specification import Parameter
from .agent import Agent, Decision
from .book import BOOK_PARAMETERS
from .registry import register_agent


@inner_kernel
def play_out(rules, position, rng, scratch):
    """Play random actions to the end of the game, in place."""
    while not r.is_over(rules, position):
        r.play(rules, position, r.random_action(rules, position, rng, scratch))


@kernel
def sample_action(rules, position, action, simulations, rng, spare, scratch):
    """Play random games after ``action``; returns the sum and the sum of squares of the mover's
    returns.

    ``spare`` is a recarray of two records, ``scratch`` int16 of num_actions.
    """
    mover = r.to_move(rules, position)
    spare[0] = position
    r.play(rules, spare[0], action)
    total, squares = 0.0, 0.0
    for _ in range(simulations):
        spare[1] = spare[0]
        play_out(rules, spare[1], rng, scratch)
        result = r.returns(rules, spare[1], mover)
        total += result
        squares += result * result
    return total, squares


@register_agent("montecarlo")
class MonteCarlo(Agent):
    """Plays the action with the highest mean return over random games; ties are broken at random."""

    summary = "random games to the end after each legal action, the highest mean return"
    parameters = (
        Parameter("simulations", int, 100, "random games for each legal action", 1, 10**9),
        *BOOK_PARAMETERS,
    )

    def prepare(self, game: Game) -> None:
        self._spare = game.new_records(2)
        self._scratch = np.empty(game.facts.num_actions, np.int16)
        random_below(self.rng.copy(), 1)
        start = game.initial_position()
        sample_action(
            game.rules,
            start.record,
            start.legal_actions()[0],
            1,
            self.rng.copy(),
            self._spare,
            self._scratch,
        )

    def decide(self, position: Position) -> Decision:
        n = self.options["simulations"]
        means, errors = {}, {}
        for action in position.legal_actions():
            total, squares = sample_action(
                position.game.rules,
                position.record,
                action,
                n,
                self.rng,
                self._spare,
                self._scratch,
            )
            means[action] = total / n
            variance = max(squares / n - (total / n) ** 2, 0.0) * n / max(n - 1, 1)
            errors[action] = float(np.sqrt(variance / n))
        best = [action for action, mean in means.items() if mean == max(means.values())]
        action = best[int(random_below(self.rng, len(best)))]
        visits = dict.fromkeys(means, n)
        return Decision(
            action,
            means[action],
            "return",
            means,
            errors,
            visits,
            (action,),
            simulations=n * len(means),
        )
