"""The agent that searches by Monte Carlo tree search, with random playouts or with a network."""

from __future__ import annotations

import math
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from ...envs.compiled.randomness import new_stream
from ...envs.game import Game, Position
from ...envs.specification import Parameter, SpecificationError
from ..agent import Agent, Decision, heuristic_index
from ..book import BOOK_PARAMETERS
from ..registry import register_agent
from ..solvers.endgame import ENDGAME, Endgame, check_endgame
from . import mcts_kernels as search
from .puct import (
    NETWORK_PARAMETERS,
    Guide,
    load_guide,
    root_priors,
)

DEFAULT_SIMULATIONS = 1000
SLICE_SECONDS = 0.005
LARGEST_SLICE = 1 << 20
# simulations before the first report of progress; the next ones follow at twice as many each
FIRST_REPORT = 64
REUSE_PLIES = 4  # how far below the last root the new position is looked for


@register_agent("mcts")
class Mcts(Agent):
    """UCT with random playouts and proven results; plays the action visited most.

    With ``threads=N`` N trees grow side by side from different random streams, and their visits are
    added (root parallelism); ``simulations`` counts them all. With ``network=`` a policy and value
    network takes the place of the playouts, and PUCT that of UCT: see
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
        Parameter("time", float, None, "seconds a move", 0.001, 86400),
        Parameter("exploration", float, 1.4, "constant of UCB1, for returns from -1 to 1", 0, 100),
        Parameter(
            "playout",
            str,
            "uniform",
            "how playouts choose: uniformly, or favouring the game's ordering",
            choices=("uniform", "ordered"),
        ),
        Parameter(
            "cutoff",
            int,
            0,
            "end playouts after so many plies by the heuristic; 0: play to the end",
            0,
            1000,
        ),
        Parameter("heuristic", str, "default", "what values a position at the cut-off"),
        *NETWORK_PARAMETERS,
        ENDGAME,
        Parameter("reuse", bool, True, "keep the part of the tree that the next move still needs"),
        Parameter("threads", int, 1, "trees grown side by side", 1, 256),
        Parameter("memory", float, 256.0, "most memory for all trees, in MB", 1, 1_000_000),
        *BOOK_PARAMETERS,
    )

    def check_options(self) -> None:
        """Load the network, if there is one."""
        self._network = load_guide(self.options, self.parameters)

    def check_game(self, game: Game) -> None:
        if self._network is not None:
            self._network.check_game(game)
        heuristic_index(game, self.options["heuristic"])
        check_endgame(game, self.options["endgame"])
        if (
            self.options["cutoff"]
            and heuristic_index(game, self.options["heuristic"]) < 0
            and self.options["heuristic"] != "none"
        ):
            raise SpecificationError(f"cutoff= needs a heuristic, and {game.name} has none")

    def prepare(self, game: Game) -> None:
        o, threads = self.options, self.options["threads"]
        budget = int(o["memory"] * 2**20 / search.NODE.itemsize / (threads * (1 + o["reuse"])))
        if o["time"] is None:
            # Every simulation expands one node at most; what is kept from the last move comes on
            # top.
            needed = (o["simulations"] or DEFAULT_SIMULATIONS) // threads + 2
            budget = min(budget, 4 * needed * game.facts.num_actions)
        self._capacity = max(budget, game.facts.num_actions + 2)
        self._trees = [search.new_tree(game, self._capacity) for _ in range(threads)]
        self._spare: list[Any] = [None] * threads
        self._search_options = search.MctsOptions(
            o["exploration"],
            game.facts.max_return,
            int(o["playout"] == "ordered"),
            o["cutoff"],
            heuristic_index(game, o["heuristic"]),
        )
        self._endgame = Endgame(game, o["endgame"])
        self._descent = game.new_records(REUSE_PLIES + 1)
        self._root: Position | None = None
        self._compile(game)

    def _compile(self, game: Game) -> None:
        """Run every kernel once."""
        tree, position = search.new_tree(game, 2), game.initial_position()
        search.plant(game.rules, tree)
        self._guide = None
        if self._network is None:
            search.simulate(game.rules, self._search_options, tree, new_stream(0), 1)
        else:
            self._guide = Guide(self._network, game, self.options["c_puct"], self.options["batch"])
        search.find_descendant(
            game.rules,
            tree,
            position.record,
            self._descent,
            np.zeros(REUSE_PLIES + 1, np.int64),
            REUSE_PLIES,
        )
        search.transplant(tree.nodes, search.ROOT, search.new_tree(game, 2).nodes)

    def reset(self, seed: int = 0) -> None:
        super().reset(seed)
        if self._ready_for is not None:
            self._endgame.clear()
        self._root = None
        self._streams = [new_stream(seed, thread) for thread in range(self.options["threads"])]

    def decide(self, position: Position) -> Decision:
        return self._endgame.decide(position, self.options["time"]) or self._search(position)

    def _search(self, position: Position) -> Decision:
        seconds = self.options["time"]
        deadline = math.inf if seconds is None else time.perf_counter() + seconds
        kept = self._reroot(position) if self.options["reuse"] else False
        if not kept:
            for tree in self._trees:
                tree.positions[0] = position.record
                search.plant(position.game.rules, tree)
        self._root = position.copy()
        done = self._grow(position, deadline)
        return self._decision(position, done)

    def _grow(self, position: Position, deadline: float) -> int:
        """Simulate in every tree until the limits; returns the simulations run."""
        simulations = self.options["simulations"]
        if simulations is None:
            simulations = DEFAULT_SIMULATIONS if self.options["time"] is None else math.inf
        threads, done = len(self._trees), 0
        goal = simulations if self.on_progress is None else FIRST_REPORT
        with ThreadPoolExecutor(threads) as pool:
            while True:
                goal = min(goal, simulations)
                # Shares of the whole, so that reports do not change what each tree gets.
                shares = [
                    _share(goal, threads, index) - _share(done, threads, index)
                    for index in range(threads)
                ]
                if threads == 1:
                    done += self._grow_tree(position, 0, shares[0], deadline)
                else:
                    done += sum(
                        pool.map(
                            self._grow_tree,
                            [position] * threads,
                            range(threads),
                            shares,
                            [deadline] * threads,
                        )
                    )
                if (
                    self.on_progress is None
                    or goal == simulations
                    or done < goal
                    or time.perf_counter() >= deadline
                ):
                    return done
                self.on_progress(self._decision(position, done))
                goal *= 2

    def _grow_tree(
        self, position: Position, index: int, simulations: float, deadline: float
    ) -> int:
        tree, stream = self._trees[index], self._streams[index]
        if self._guide is not None:
            return self._guide.grow(tree, simulations, deadline)
        done, portion = 0, 64 if deadline < math.inf else LARGEST_SLICE
        while done < simulations:
            began = time.perf_counter()
            asked = int(min(portion, simulations - done))
            ran = int(
                search.simulate(position.game.rules, self._search_options, tree, stream, asked)
            )
            done += ran
            now = time.perf_counter()
            if ran < asked or now >= deadline:
                break
            if now - began < SLICE_SECONDS:
                portion = min(2 * portion, LARGEST_SLICE)
        return done

    def _reroot(self, position: Position) -> bool:
        """Let the trees of the last move go on below ``position``; False if there was none, or of
        another game.
        """
        if self._root is None or self._root.game != position.game:
            return False
        rules = position.game.rules
        for index, tree in enumerate(self._trees):
            node = int(
                search.find_descendant(
                    rules,
                    tree,
                    position.record,
                    self._descent,
                    np.zeros(REUSE_PLIES + 1, np.int64),
                    REUSE_PLIES,
                )
            )
            tree.positions[0] = position.record
            if self._spare[index] is None:
                self._spare[index] = np.zeros(tree.nodes.size, search.NODE).view(np.recarray)
            size = int(search.transplant(tree.nodes, node, self._spare[index])) if node >= 0 else 0
            if size:
                self._trees[index], self._spare[index] = (
                    tree._replace(nodes=self._spare[index]),
                    tree.nodes,
                )
                tree.size[0] = size
            else:
                search.plant(rules, tree)
        return True

    def _decision(self, position: Position, simulations: int) -> Decision:
        sign = 1.0 if position.to_move == 0 else -1.0
        scale = position.game.facts.max_return
        visits: dict[int, int] = {}
        totals: dict[int, float] = {}
        proven: dict[int, float] = {}
        for tree in self._trees:
            root = tree.nodes[search.ROOT]
            for child in tree.nodes[root.children : root.children + root.count]:
                action = int(child.action)
                visits[action] = visits.get(action, 0) + int(child.visits)
                totals[action] = totals.get(action, 0.0) + sign * float(child.total)
                if child.proven == search.EXACT:
                    proven[action] = sign * float(child.result)
        values = {
            a: proven[a] if a in proven else totals[a] / visits[a]
            for a in visits
            if visits[a] or a in proven
        }
        errors = {
            a: 0.0 if a in proven else math.sqrt(max(1 - values[a] ** 2, 0.0) / visits[a])
            for a in values
        }
        priors = None if self._guide is None else root_priors(self._trees[0])
        action = self._choose(visits, values, proven, priors)
        if action not in values:  # no simulation went there
            root = self._trees[0].nodes[search.ROOT]
            values[action] = sign * float(root.total) / max(int(root.visits), 1)
        exact = (
            proven.get(action) == 1.0
            or len(proven) == len(position.legal_actions())
            or (action in proven and self._trees[0].nodes[search.ROOT].proven == search.EXACT)
        )
        if self._guide is not None and self._guide.discounted:
            values |= {a: float(np.sign(result)) for a, result in proven.items()}
        return Decision(
            action,
            scale * values[action],
            "return",
            values={a: scale * value for a, value in sorted(values.items())},
            # A network's values are no samples: their spread says nothing about their error.
            errors=None
            if priors is not None
            else {a: scale * error for a, error in sorted(errors.items())},
            visits=dict(sorted(visits.items())),
            principal_variation=_principal_variation(self._trees[0], action),
            nodes=sum(int(tree.size[0]) for tree in self._trees),
            simulations=simulations,
            exact=exact,
            probabilities=priors,
        )

    @property
    def deterministic(self) -> bool:
        return self._network is not None and self.options["time"] is None

    @property
    def version(self) -> str:
        """With a hash of the network, if there is one."""
        return super().version + (
            "" if self._network is None else f", policy {self._network.version[:12]}"
        )

    @staticmethod
    def _choose(
        visits: dict[int, int],
        values: dict[int, float],
        proven: dict[int, float],
        priors: dict[int, float] | None,
    ) -> int:
        """The unproven action visited most, unless a proven one is worth as much; a proven loss
        only where nothing else is left.
        """
        open_actions = [a for a in visits if a not in proven]
        best_proven = max(proven, key=lambda a: proven[a], default=None)
        if not open_actions:
            # the root has at least one action, and each is open or proven
            assert best_proven is not None
            return best_proven
        most_visited = max(
            open_actions,
            key=lambda a: (visits[a], values.get(a, 0.0), priors[a] if priors else 0.0),
        )
        if (
            best_proven is not None
            and proven[best_proven] > -1.0
            and proven[best_proven] >= values.get(most_visited, -1.0)
        ):
            return best_proven
        return most_visited


def _share(simulations: float, threads: int, index: int) -> float:
    """How many of so many simulations are one tree's."""
    return (
        simulations
        if simulations == math.inf
        else simulations // threads + (index < simulations % threads)
    )


def _principal_variation(tree: search.Tree, action: int) -> tuple[int, ...]:
    """The most visited line that begins with ``action``."""
    nodes, node = tree.nodes, search.ROOT
    line: list[int] = []
    while nodes[node].count > 0:
        first, count = int(nodes[node].children), int(nodes[node].count)
        children = nodes[first : first + count]
        best = int(np.argmax(children.visits if line else children.action == action))
        if children[best].visits == 0:
            break
        line.append(int(children[best].action))
        node = first + best
    return tuple(line) or (action,)
