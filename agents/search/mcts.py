"""The agent that searches by Monte Carlo tree search, with random playouts or with a network."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from ...envs import rules as r
from ...envs.compiled.randomness import new_stream
from ...envs.game import Game, Position
from ...envs.specification import Parameter
from ..agent import Agent
from ..decision import Decision, Score, score_of_position
from ..lookahead import new_lost_moves
from ..policies.policy_file import Network
from ..registry import register_agent
from ..solvers.endgame import ENDGAME, Endgame
from ..solvers.solver import solver_class_of
from ..solvers.table_size import MIB
from . import mcts_kernels as search
from .descent import EXACT, NODE, ROOT, nodes_of_search
from .playouts import Playouts
from .puct import NETWORK_PARAMETERS, Guide, effects_of_guide, load_guide
from .root_actions import (
    add_root_actions,
    choose_at_root,
    new_root_actions,
    principal_variation,
)
from .trees import TreeSearches, TurnSearch, new_searches, turn_search

DEFAULT_SIMULATIONS = 1000
# simulations before the first progress report; the interval doubles each time
FIRST_REPORT = 64
FEWEST_TREES, MOST_TREES = 2, 32  # parallel games in a match


@register_agent("mcts")
class Mcts(Agent):
    """UCT with playouts and proven results; plays the most visited action.

    Playouts are random, except in games that declare their own (Hex: they save bridges). These use
    all-moves-as-first (AMAF, RAVE), skip useless actions, and start with the game's estimates of
    the others; ``playout=uniform`` searches without.

    Before it plays an action it checks that the opponent cannot win at once. Among lost actions it
    plays the one that resists longest, then the best by the heuristic. In games whose returns do
    not include the margin, the margin breaks ties of the result.

    With ``threads=N`` N trees grow in parallel from different random streams, and their visits are
    summed (root parallelism); ``simulations`` counts them all. With ``network=`` a policy and value
    network replaces the playouts, and PUCT replaces UCT: see
    :mod:`plyground.agents.search.puct_kernels`.
    """

    summary = (
        "Monte Carlo tree search: UCT with random playouts, or PUCT with a network; proven results"
    )
    parameters = (
        Parameter(
            "simulations",
            int,
            None,
            f"simulations a move; {DEFAULT_SIMULATIONS} unless time limits the search",
            1,
            10**9,
        ),
        Parameter("time", float, None, "seconds per move", 0.001, 86400),
        Parameter(
            "playout",
            str,
            "default",
            "playout policy: uniform, or the game's own with all-moves-as-first "
            "(the default if there is one)",
            choices=("default", "uniform"),
        ),
        *NETWORK_PARAMETERS,
        ENDGAME,
        Parameter("threads", int, 1, "parallel search trees", 1, 256),
        Parameter("memory", float, 256.0, "memory limit for all trees, in MiB", 1, 1_000_000),
    )

    @classmethod
    def effects(cls, options: Mapping[str, str]) -> tuple[str, ...]:
        return (*super().effects(options), *effects_of_guide(options))

    def check_options(self) -> None:
        """Load the network, if there is one."""
        self._networks = load_guide(self.options, self.parameters)

    def _network_for(self, game: Game) -> Network:
        assert self._networks is not None
        return self._networks.for_game(game).in_precision(self.options["precision"])

    def check_game(self, game: Game) -> None:
        if self._networks is not None:
            self._network_for(game)
        if self.options["endgame"]:
            solver_class_of(game)

    def prepare(self, game: Game) -> None:
        o, threads = self.options, self.options["threads"]
        budget = int(o["memory"] * MIB / NODE.itemsize / (2 * threads))  # half is a spare tree
        if o["time"] is None:
            # nodes kept from the last move come on top
            simulations = (o["simulations"] or DEFAULT_SIMULATIONS) // threads
            budget = min(budget, 4 * nodes_of_search(simulations, game.facts.num_actions))
        self._capacity = max(budget, game.facts.num_actions + 2)
        self._trees = [search.new_tree(game, self._capacity) for _ in range(threads)]
        self._spare: list[Any] = [None] * threads
        # what grows each tree
        self._growers: list[Playouts | Guide]
        if self._networks is None:
            self._growers = [Playouts(game, o["playout"]) for _ in range(threads)]
        else:
            self._growers = [Guide(self._network_for(game), game, o["batch"])]
        surest = self._networks is not None and o["lower_bound"]
        self._choice = int(surest), int(r.has_own_body(game.rules, r.margin))
        self._lost_moves = new_lost_moves(game)
        self._root_actions = new_root_actions(game, self._capacity)
        self._endgame = Endgame(game, o["endgame"])
        self._descent = search.new_line(game)
        self._has_root = False
        position = game.initial_position()
        self._set_root(position)
        self._set_root(position)  # once more, from the tree
        self._growers[0].grow(self._trees[0], new_stream(0), 1, math.inf)
        self._choose(position)
        self._has_root = False

    def new_searches(self, game: Game) -> TreeSearches:
        """The agent for parallel games, with playouts in one thread and no time limit."""
        o = self.options
        self.get_ready(game)
        (grower,) = self._growers
        assert isinstance(grower, Playouts)
        most = int(o["memory"] * MIB / NODE.itemsize / self._capacity)
        return new_searches(
            game,
            min(max(most, FEWEST_TREES), MOST_TREES),
            self._capacity,
            grower,
            o["simulations"] or DEFAULT_SIMULATIONS,
            self._choice,
            self._lost_moves,
        )

    def new_turn_search(self, game: Game) -> TurnSearch:
        """The agent for one game of a device."""
        return turn_search(self.new_searches(game), game)

    def reset(self, seed: int = 0) -> None:
        super().reset(seed)
        if self._ready_for is not None:
            self._endgame.clear()
        self._has_root = False
        # of the second tree and further ones; the first draws from the agent's
        self._streams = [new_stream(seed, tree) for tree in range(1, self.options["threads"])]

    def decide(self, position: Position) -> Decision:
        deadline = self._deadline()
        decision = self._endgame.decide(position, self.options["time"])
        if decision is None:
            self._set_root(position)
            decision = self._decision(position, self._grow(position, deadline))
        return decision

    def _choose_action(self, position: Position) -> int:
        if self.options["endgame"]:
            return self.decide(position).action
        deadline = self._deadline()
        self._set_root(position)
        self._grow(position, deadline)
        return self._choose(position)[0]

    def _deadline(self) -> float:
        seconds = self.options["time"]
        return math.inf if seconds is None else time.perf_counter() + seconds

    def _set_root(self, position: Position) -> None:
        """Reduce every tree to its subtree below a position, or make a new one."""
        rules, record = position.game.rules, position.record
        for index, tree in enumerate(self._trees):
            node = -1
            if self._has_root:
                node = self._compiled(search.find_descendant, rules, tree, record, *self._descent)
            tree.positions[0] = record
            if node < 0 or not self._keep_subtree(index, node):
                self._compiled(search.reset_tree, rules, tree)
        self._has_root = True

    def _keep_subtree(self, index: int, node: int) -> bool:
        """Reduce a tree to the subtree below one of its nodes; False if it does not fit."""
        tree, spare = self._trees[index], self._spare[index]
        if spare is None:
            spare = np.zeros(tree.nodes.size, NODE).view(np.recarray)
        size: int = self._compiled(search.copy_subtree, tree.nodes, node, spare)
        if size:
            self._trees[index], spare = tree._replace(nodes=spare), tree.nodes
            tree.size[0] = size
        self._spare[index] = spare
        return size > 0

    def _grow(self, position: Position, deadline: float) -> int:
        """Run simulations in every tree up to the limits; returns their number."""
        simulations = self.options["simulations"]
        if simulations is None:
            simulations = DEFAULT_SIMULATIONS if self.options["time"] is None else math.inf
        count, goal = 0, simulations if self.on_progress is None else FIRST_REPORT
        while True:
            goal = min(goal, simulations)
            count += self._grow_trees(count, goal, deadline)
            if (
                self.on_progress is None
                or goal == simulations
                or count < goal
                or time.perf_counter() >= deadline
            ):
                return count
            self.on_progress(self._decision(position, count))
            goal *= 2

    def _grow_trees(self, count: int, goal: float, deadline: float) -> int:
        """Continue from ``count`` simulations to ``goal``; returns the number run."""
        threads = len(self._trees)
        if threads == 1:
            share = goal - count
            return self._growers[0].grow(self._trees[0], self.stream, share, deadline)
        # Shares of the total, so that reports do not change the share of each tree.
        shares = [_share(goal, threads, i) - _share(count, threads, i) for i in range(threads)]
        for grower in self._growers:
            grower.stopped = False

        def grow(grower: Playouts | Guide, tree: Any, stream: Any, share: float) -> int:
            return grower.grow(tree, stream, share, deadline)

        with ThreadPoolExecutor(threads) as pool:
            try:
                streams = [self.stream, *self._streams]
                return sum(pool.map(grow, self._growers, self._trees, streams, shares))
            finally:
                for grower in self._growers:  # end the threads, also after Ctrl-C
                    grower.stopped = True

    def _choose(self, position: Position) -> tuple[int, int]:
        """The action to play, and the number of rows with root actions."""
        count = 0
        for tree in self._trees:
            count = self._compiled(
                add_root_actions, tree.nodes, int(tree.size[0]), self._root_actions, count
            )
        arguments = position.game.rules, position.record, self._root_actions, count
        action = self._compiled(choose_at_root, *arguments, *self._choice, self._lost_moves)
        return int(action), count

    def _decision(self, position: Position, simulations: int) -> Decision:
        action, count = self._choose(position)
        scale, root = position.game.facts.max_return, self._trees[0].nodes[ROOT]
        rows = self._root_actions.rows[:count]
        scores, errors = dict[int, Score](), dict[int, float]()
        names = "action", "visits", "total", "proof", "at_once", "result", "plies"
        columns = [rows[name].tolist() for name in names]
        for each, visits, total, proof, at_once, result, plies in sorted(zip(*columns)):
            mean = total / visits if visits else 0.0
            if proof:
                value = float(np.sign(result)) if self._growers[0].discounted else result
                scores[each] = Score(scale * value, kind="exact", plies=plies)
            elif visits:
                scores[each] = Score(scale * mean)
            elif each == action:  # it has no simulation
                sign = 1.0 if position.to_move == 0 else -1.0
                scores[each] = Score(scale * sign * float(root.total) / max(int(root.visits), 1))
            if proof and not at_once:
                errors[each] = 0.0
            elif visits:
                errors[each] = scale * math.sqrt(max(1 - mean**2, 0.0) / visits)
        # The position's score is exact if the root is proven or every action is.
        score = scores[action]
        if not (root.proven == EXACT and score.is_exact):
            all_scores = dict.fromkeys(position.legal_actions(), Score(0.0)) | scores
            score = score_of_position(action, all_scores, scale)
        has_priors = self._growers[0].has_priors
        return Decision(
            action,
            score,
            scores,
            # A network's values are not samples, so their spread does not estimate their error.
            errors=None if has_priors else errors,
            visits=dict(sorted(zip(columns[0], columns[1]))),
            principal_variation=self.expected_line(action),
            nodes=sum(int(tree.size[0]) for tree in self._trees),
            simulations=simulations,
            probabilities=dict(zip(columns[0], rows["prior"].tolist())) if has_priors else None,
        )

    def expected_line(self, action: int) -> tuple[int, ...]:
        """The most visited line of the first tree."""
        return principal_variation(self._trees[0], action)

    @property
    def deterministic(self) -> bool:
        return self._networks is not None and self.options["time"] is None

    @property
    def version(self) -> str:
        """The version with a hash of the network, if there is one."""
        return super().version + (
            "" if self._networks is None else f", policy {self._networks.version[:12]}"
        )


def _share(simulations: float, threads: int, index: int) -> float:
    """One tree's share of a number of simulations."""
    return (
        simulations
        if simulations == math.inf
        else simulations // threads + (index < simulations % threads)
    )
