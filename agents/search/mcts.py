"""The agent that searches by Monte Carlo tree search, with random playouts or with a network."""

from __future__ import annotations

import contextlib
import math
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from ...envs import rules as r
from ...envs.compiled.randomness import new_stream
from ...envs.game import Game, Position
from ...envs.specification import Parameter, SpecificationError
from ..agent import Agent, Decision, heuristic_index
from ..book import BOOK_PARAMETERS
from ..deadline import Deadline
from ..lookahead import LostMoves
from ..policies.policy_file import Network
from ..registry import register_agent
from ..score import Score, score_of_position
from ..solvers.endgame import ENDGAME, Endgame
from ..solvers.solver import solver_class_of
from ..table_size import MIB
from . import mcts_kernels as search
from .puct import LARGEST_SLICE, NETWORK_PARAMETERS, SLICE_SECONDS, Guide, load_guide
from .root_actions import RootActions, children_of, principal_variation

DEFAULT_SIMULATIONS = 1000
# all moves as first explore enough
EXPLORATION, KNOWING_EXPLORATION = 1.4, 0.0
FIRST_SLICE = 64
# simulations before the first report of progress; the next ones follow at twice as many each
FIRST_REPORT = 64
FEWEST_VISITS = 0.125  # of the most; actions with fewer are not chosen by their lower bound
REUSE_PLIES = 4  # plies below the last root within which the new position is sought


@register_agent("mcts")
class Mcts(Agent):
    """UCT with playouts and proven results; plays the action visited most.

    Playouts are random, but for games that declare some of their own (Hex: they save bridges).
    There all moves count as first (AMAF, RAVE), actions that are in vain are left out, and the game
    estimates the others at first; ``playout=uniform`` searches without.

    Before it plays an action it makes sure that the opponent cannot win at once. Among lost actions
    it plays the one that resists longest, then the best by the heuristic. In games whose results
    leave a margin open, the margin breaks ties of the result.

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
        Parameter(
            "exploration",
            float,
            None,
            f"constant of UCB1, for returns from -1 to 1; {EXPLORATION}, with playout=knowledge "
            f"{KNOWING_EXPLORATION}",
            0,
            100,
        ),
        Parameter(
            "playout",
            str,
            "default",
            "how playouts choose: uniformly, favouring the game's ordering, or by the game's "
            "knowledge of good replies, with all moves as first; that where a game has it",
            choices=("default", "uniform", "ordered", "knowledge"),
        ),
        Parameter(
            "cutoff",
            int,
            0,
            "end playouts after so many plies by the heuristic; 0: play to the end",
            0,
            1000,
        ),
        Parameter("heuristic", str, "default", "what values a position at the cut-off, or lost"),
        *NETWORK_PARAMETERS,
        ENDGAME,
        Parameter("reuse", bool, True, "keep the part of the tree that the next move still needs"),
        Parameter("threads", int, 1, "trees grown side by side", 1, 256),
        Parameter("memory", float, 256.0, "most memory for all trees, in MiB", 1, 1_000_000),
        *BOOK_PARAMETERS,
    )

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
        heuristic = self.options["heuristic"]
        has_none = heuristic_index(game, heuristic) < 0 and heuristic != "none"
        if self.options["cutoff"] and has_none:
            raise SpecificationError(f"cutoff= needs a heuristic, and {game.name} has none")
        if self.options["playout"] == "knowledge":
            if self.options["cutoff"]:
                raise SpecificationError(
                    "cutoff= does not go with playout=knowledge, whose playouts go to the end"
                )
            if not r.has_own_body(game.rules, r.play_out):
                raise SpecificationError(
                    f"{game.name} has no playouts of its own: playout= is uniform or ordered"
                )

    def _knows(self, game: Game) -> bool:
        """Whether the game's own playouts are used."""
        playout, plain = self.options["playout"], self._networks is None
        own = r.has_own_body(game.rules, r.play_out) and plain and not self.options["cutoff"]
        return bool(playout == "knowledge" or (playout == "default" and own))

    def prepare(self, game: Game) -> None:
        o, threads = self.options, self.options["threads"]
        budget = int(o["memory"] * MIB / search.NODE.itemsize / (threads * (1 + o["reuse"])))
        if o["time"] is None:
            # Every simulation expands at most one node; nodes kept from the last move are added.
            least_nodes = (o["simulations"] or DEFAULT_SIMULATIONS) // threads + 2
            budget = min(budget, 4 * least_nodes * game.facts.num_actions)
        self._capacity = max(budget, game.facts.num_actions + 2)
        self._trees = [search.new_tree(game, self._capacity) for _ in range(threads)]
        self._spare: list[Any] = [None] * threads
        knows = self._knows(game)
        exploration = KNOWING_EXPLORATION if knows else EXPLORATION
        self._knowledge = [search.new_knowledge(game) if knows else None for _ in range(threads)]
        self._search_options = search.MctsOptions(
            exploration if o["exploration"] is None else o["exploration"],
            game.facts.max_return,
            int(o["playout"] == "ordered"),
            o["cutoff"],
            heuristic_index(game, o["heuristic"]),
            int(r.has_own_body(game.rules, r.margin)),
        )
        self._lost_moves = LostMoves(game, o["heuristic"])
        self._endgame = Endgame(game, o["endgame"])
        self._descent = game.new_records(REUSE_PLIES + 1)
        self._root: Position | None = None
        self._compile(game)

    def _compile(self, game: Game) -> None:
        """Run every kernel once."""
        tree, position = search.new_tree(game, 2), game.initial_position()
        search.reset_tree(game.rules, tree)
        self._guide = None
        if self._networks is None:
            self._simulate(game, tree, 0, new_stream(0), 1)
        else:
            network = self._network_for(game)
            self._guide = Guide(network, game, self.options["c_puct"], self.options["batch"])
        self._find(tree, position)
        search.copy_subtree(tree.nodes, search.ROOT, search.new_tree(game, 2).nodes)
        search.follow_proofs(tree.nodes, 1, np.zeros(1, np.int32), np.zeros(1, np.float32))

    def reset(self, seed: int = 0) -> None:
        super().reset(seed)
        if self._ready_for is not None:
            self._endgame.clear()
        self._root = None
        self._streams = [new_stream(seed, thread) for thread in range(self.options["threads"])]

    def decide(self, position: Position) -> Decision:
        seconds = self.options["time"]
        deadline = math.inf if seconds is None else time.perf_counter() + seconds
        return self._endgame.decide(position, seconds) or self._search(position, deadline)

    def _search(self, position: Position, deadline: float) -> Decision:
        last = self._root if self.options["reuse"] else None
        reuse = last is not None and last.game == position.game
        for index, tree in enumerate(self._trees):
            node = self._find(tree, position) if reuse else -1
            tree.positions[0] = position.record
            if node < 0 or not self._keep_subtree(index, node):
                search.reset_tree(position.game.rules, tree)
        self._root = position.copy()
        return self._decision(position, self._grow(position, deadline))

    def _find(self, tree: search.Tree, position: Position) -> int:
        """The node of a position a few plies below the root of a tree, or −1."""
        rules, cursors = position.game.rules, np.zeros(REUSE_PLIES + 1, np.int64)
        return int(
            search.find_descendant(
                rules, tree, position.record, self._descent, cursors, REUSE_PLIES
            )
        )

    def _keep_subtree(self, index: int, node: int) -> bool:
        """Let a tree be the subtree below one of its nodes; False if it does not fit."""
        tree, spare = self._trees[index], self._spare[index]
        if spare is None:
            spare = np.zeros(tree.nodes.size, search.NODE).view(np.recarray)
        size = int(search.copy_subtree(tree.nodes, node, spare))
        if size:
            self._trees[index], spare = tree._replace(nodes=spare), tree.nodes
            tree.size[0] = size
        self._spare[index] = spare
        return size > 0

    def _grow(self, position: Position, deadline: float) -> int:
        """Simulate in every tree until the limits; returns the simulations run."""
        simulations = self.options["simulations"]
        if simulations is None:
            simulations = DEFAULT_SIMULATIONS if self.options["time"] is None else math.inf
        threads, count = len(self._trees), 0
        goal = simulations if self.on_progress is None else FIRST_REPORT
        self._stopped = False
        with ThreadPoolExecutor(threads) as pool, contextlib.ExitStack() as stack:
            stack.callback(setattr, self, "_stopped", True)  # the threads end, after Ctrl-C too
            while True:
                goal = min(goal, simulations)
                # Shares of the whole, so that reports do not change what each tree gets.
                shares = [
                    _share(goal, threads, index) - _share(count, threads, index)
                    for index in range(threads)
                ]
                if threads == 1:
                    count += self._grow_tree(position, 0, shares[0], deadline)
                else:
                    positions, deadlines = [position] * threads, [deadline] * threads
                    runs = pool.map(self._grow_tree, positions, range(threads), shares, deadlines)
                    count += sum(runs)
                if (
                    self.on_progress is None
                    or goal == simulations
                    or count < goal
                    or time.perf_counter() >= deadline
                ):
                    return count
                self.on_progress(self._decision(position, count))
                goal *= 2

    def _grow_tree(
        self, position: Position, index: int, simulations: float, deadline: float
    ) -> int:
        tree, stream = self._trees[index], self._streams[index]
        if self._guide is not None:
            return self._guide.grow(tree, simulations, deadline)
        # a slow playout is the first surprise
        count, portion = 0, FIRST_SLICE if deadline == math.inf else 1
        clock = Deadline(deadline)
        while count < simulations and not self._stopped:
            clock.begin()
            batch = int(min(portion, simulations - count))
            ran = self._simulate(position.game, tree, index, stream, batch)
            count += ran
            if clock.end() or ran < batch:
                break
            # slices of about the same time, whatever a playout takes and however busy the machine
            portion = min(clock.next_slice(batch, SLICE_SECONDS), LARGEST_SLICE)
        return count

    def _simulate(self, game: Game, tree: Any, index: int, stream: Any, simulations: int) -> int:
        options, knowledge = self._search_options, self._knowledge[index]
        return int(search.simulate(game.rules, options, tree, knowledge, stream, simulations))

    def _decision(self, position: Position, simulations: int) -> Decision:
        scale = position.game.facts.max_return
        root = RootActions(self._trees, position.to_move)
        priors = None  # the network's probabilities of the actions
        if self._guide is not None:
            children = children_of(self._trees[0])
            priors = {int(child.action): float(child.prior) for child in children}
        values = {
            a: root.proven[a] if a in root.proven else root.totals[a] / root.visits[a]
            for a in root.visits
            if root.visits[a] or a in root.proven
        }
        errors = {
            a: 0.0 if a in root.proven else math.sqrt(max(1 - v**2, 0.0) / root.visits[a])
            for a, v in values.items()
        }
        action = self._choose(position, root, values, priors)
        if action not in values:  # no simulation went there
            values[action] = root.mean
        if self._guide is not None and self._guide.discounted:
            values |= {a: float(np.sign(result)) for a, result in root.proven.items()}
        scores = {
            a: Score(scale * value, "return", *root.certainty(a))
            for a, value in sorted(values.items())
        }
        # The position's score is exact where the root is proven or every action is known.
        score = scores[action]
        if not (root.is_proven and action in root.proven):
            all_scores = dict.fromkeys(position.legal_actions(), Score(0.0)) | scores
            score = score_of_position(action, all_scores, scale)
        return Decision(
            action,
            score,
            scores,
            # A network's values are no samples, so their spread is no estimate of their error.
            errors=None
            if priors is not None
            else {a: scale * error for a, error in sorted(errors.items())},
            visits=dict(sorted(root.visits.items())),
            principal_variation=principal_variation(self._trees[0], action),
            nodes=sum(int(tree.size[0]) for tree in self._trees),
            simulations=simulations,
            probabilities=priors,
        )

    def _choose(
        self,
        position: Position,
        root: RootActions,
        values: dict[int, float],
        priors: dict[int, float] | None,
    ) -> int:
        """The unproven action visited most, unless a proven one is worth as much.

        With a network it may be another, see :meth:`_surest`. An action after which the opponent
        wins at once is lost, whether the simulations met that reply or not. Lost actions are chosen
        only where nothing else is left.
        """
        ranking = sorted(
            root.open_actions(),
            key=lambda a: (root.visits[a], values.get(a, 0.0), priors[a] if priors else 0.0),
            reverse=True,
        )
        best_proven = max(root.proven, key=lambda a: root.proven[a], default=None)
        while ranking:
            best = ranking[0] if priors is None else self._surest(root, ranking)
            if (
                best_proven is not None
                and root.proven[best_proven] > -1.0
                and root.proven[best_proven] >= values.get(best, -1.0)
            ):
                break
            if not self._lost_moves.loses_at_once(position, best):
                return self._widest(root, values, best)
            root.lose_at_once(best)
            values[best] = -1.0
            ranking.remove(best)
            best_proven = best if best_proven is None else best_proven
        # The root has at least one action, and each is open or proven.
        assert best_proven is not None
        return self._best_proven(position, root, best_proven)

    def _surest(self, root: RootActions, ranking: list[int]) -> int:
        """By ``lower_bound=`` the action that is surely best, otherwise the one visited most.

        The values of a network vary little, so that few visits tell the better of two actions
        before its visits do.
        """
        most = root.visits[ranking[0]]
        if not self.options["lower_bound"] or not most:
            return ranking[0]
        often = [a for a in root.open_actions() if root.visits[a] >= FEWEST_VISITS * most]
        return max(often, key=lambda a: (root.lower_bound(a), root.visits[a]))

    def _widest(self, root: RootActions, values: dict[int, float], action: int) -> int:
        """The action of the widest mean margin, where all simulations had the same result."""
        if not self._search_options.margins or abs(values.get(action, 0.0)) < 1.0:
            return action
        same = [a for a in root.open_actions() if values.get(a) == values[action]]
        return max(same, key=lambda a: (root.margin(a), a == action))

    def _best_proven(self, position: Position, root: RootActions, best: int) -> int:
        """Of the actions with the best proven result the widest margin.

        If they lose, those of the widest margin that resist longest, then the best evaluated.
        """
        tied = [a for a in root.proven if root.proven[a] == root.proven[best]]
        if len(tied) == 1:
            return best
        if self._search_options.margins:
            widest = max(root.margin(a) for a in tied)
            tied = [a for a in tied if root.margin(a) == widest]
        if root.proven[best] > -1.0:
            return tied[0]
        longest = max(root.plies(a) for a in tied)
        tied = [a for a in tied if root.plies(a) == longest]
        return self._lost_moves.keep_best(position, tied)[0]

    @property
    def deterministic(self) -> bool:
        return self._networks is not None and self.options["time"] is None

    @property
    def version(self) -> str:
        """With a hash of the network, if there is one."""
        return super().version + (
            "" if self._networks is None else f", policy {self._networks.version[:12]}"
        )


def _share(simulations: float, threads: int, index: int) -> float:
    """The share of one tree in a number of simulations."""
    return (
        simulations
        if simulations == math.inf
        else simulations // threads + (index < simulations % threads)
    )
