"""How ``mcts`` grows its trees by playouts: random, or by the game's own knowledge."""

from __future__ import annotations

import math

import numpy as np

from ...envs import rules as r
from ...envs.compiled.calls import KernelCalls
from ...envs.game import Game
from ..deadline import Deadline
from . import mcts_kernels as search

# the constant of UCB1, for returns from -1 to 1; all moves as first explore enough
EXPLORATION, KNOWING_EXPLORATION = 1.4, 0.0
FIRST_SLICE = 256
SLICE_SECONDS, LARGEST_SLICE = 0.005, 1 << 20  # between two checks of the clock


class Playouts:
    """Grows a tree by playouts; ``playout`` is the option of the agent ``mcts``.

    Attributes:
        has_priors: whether the root's actions have a network's priors.
        discounted: whether the tree discounts results: proven values are then not returns.
        stopped: set by another thread; the running search ends within milliseconds.
        options, knowledge: of :func:`.mcts_kernels.simulate`.
    """

    has_priors = discounted = stopped = False

    def __init__(self, game: Game, playout: str) -> None:
        knows = playout == "default" and r.has_own_body(game.rules, r.play_out)
        self._rules, self._compiled = game.rules, KernelCalls()
        self.knowledge: search.Knowledge | None = search.new_knowledge(game) if knows else None
        self.options: search.MctsOptions = search.MctsOptions(
            KNOWING_EXPLORATION if knows else EXPLORATION,
            game.facts.max_return,
            int(r.has_own_body(game.rules, r.margin)),
        )

    def grow(
        self, tree: search.Tree, stream: np.ndarray, simulations: float, deadline: float
    ) -> int:
        """Run simulations; returns the number run.

        It stops after ``simulations``, at a proven root, or at ``deadline`` (seconds of
        ``time.perf_counter``).
        """
        # the first slice is small, since playouts may be slow
        count, portion = 0, FIRST_SLICE if deadline == math.inf else 1
        clock = Deadline(deadline)
        while count < simulations and not self.stopped:
            clock.begin()
            batch = int(min(portion, simulations - count))
            arguments = self._rules, self.options, tree, self.knowledge, stream, batch
            ran = self._compiled(search.simulate, *arguments)
            count += ran
            if clock.end() or ran < batch or count >= simulations:
                break
            # slices of about equal duration, for any playout and load of the machine
            portion = min(clock.next_slice(batch, SLICE_SECONDS), LARGEST_SLICE)
        return count
