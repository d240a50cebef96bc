"""The agent ``gomoku``: a specialised search for gomoku and caro."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ...agents.agent import Agent
from ...agents.decision import Decision, Score
from ...agents.registry import register_agent, register_preset
from ...agents.search.alphabeta_kernels import PROVEN, WIN
from ...agents.search.deepening import half_step, score_of_points
from ...agents.search.transposition import NO_ACTION, new_table
from ...envs.game import Game, Position
from ...envs.games.gomoku.patterns import LONGEST
from ...envs.games.gomoku.rules import Gomoku
from ...envs.specification import Parameter, SpecificationError
from .engine_kernels import EngineOptions
from .searcher import Searcher
from .values import fitted_rules

DEFAULT_SECONDS = 1.0
DEEPEST = 60
TABLE_MIB = 64.0
ROOT_FOURS = 200_000  # moves that the search for fours may try at the root
FOURS_SHARE, FOURS_A_SECOND = 0.25, 1_000_000  # this share of a limit on nodes or time


@register_agent("gomoku")
class GomokuEngine(Agent):
    """Principal-variation search over patterns, with detection of wins by continuous fours."""

    summary = "gomoku and caro: a search that detects wins by continuous fours"
    parameters = (
        Parameter(
            "time", float, None, "seconds per move; 1 unless depth or nodes is set", 0.001, 86400
        ),
        Parameter("depth", int, None, "search depth in plies", 1, DEEPEST),
        Parameter("nodes", int, None, "nodes per move", 1, 10**15),
        Parameter("threads", int, 1, "parallel searches that share the table", 1, 256),
        Parameter("fours", int, 60, "moves of the search for fours at a node", 0, 10_000),
        Parameter("threes", int, 0, "moves of the search for threats at the root", 0, 1_000_000),
    )

    selection: EngineOptions = EngineOptions()  # `fours` comes from the options
    searchers: Sequence[Searcher] = ()
    _has_results = False  # whether the table has results of this game

    def check_game(self, game: Game) -> None:
        if not isinstance(game.rules, Gomoku) or game.rules.connect > LONGEST:
            raise SpecificationError(
                f"the agent gomoku plays gomoku with up to {LONGEST} in a row, not {game.spec}"
            )

    def prepare(self, game: Game) -> None:
        rules = fitted_rules(game)
        options = self.selection._replace(fours=self.options["fours"])
        # The table of the previous game is reused: fresh memory costs time when it is first
        # written. Its entries are of another generation, and so are ignored.
        predecessor = self.searchers[0] if self.searchers else None
        table = new_table(TABLE_MIB) if predecessor is None else predecessor.table
        self.searchers = [Searcher(rules, options, table) for _ in range(self.options["threads"])]
        if predecessor is not None:
            self.searchers[0].state.generation = predecessor.state.generation
        self._has_results = False
        start = game.initial_position()
        self._search(start.after(start.legal_actions()[0]), 1, math.inf, math.inf)

    def reset(self, seed: int = 0) -> None:
        super().reset(seed)
        self._has_results = False

    @property
    def deterministic(self) -> bool:
        has_limit = self.options["depth"] is not None or self.options["nodes"] is not None
        return has_limit and self.options["threads"] == 1

    @property
    def options_in_force(self) -> dict[str, Any]:
        unlimited = all(self.options[name] is None for name in ("time", "depth", "nodes"))
        return self.options | ({"time": DEFAULT_SECONDS} if unlimited else {})

    def decide(self, position: Position) -> Decision:
        options = self.options_in_force
        seconds, depth, nodes = (options[name] for name in ("time", "depth", "nodes"))
        deadline = math.inf if seconds is None else time.perf_counter() + seconds
        return self._search(position, depth or DEEPEST, deadline, nodes or math.inf)

    def _search(
        self, position: Position, last_depth: int, deadline: float, nodes: float
    ) -> Decision:
        """Search to ``last_depth`` plies or as far as the limits allow."""
        first, rules = self.searchers[0], self.searchers[0].rules
        for helper in self.searchers[1:]:
            helper.state.nodes = 0
        first.begin(position, self._has_results and not self.deterministic)
        self._has_results = True
        five = first.find_five()
        if five >= 0:
            return self._decision(five, WIN - 1, 1, (five,))
        if position.record.ply == 0:
            centre = rules.rows // 2 * rules.cols + rules.cols // 2
            return self._decision(int(centre), 0, 0, (int(centre),))
        limit = min(ROOT_FOURS, FOURS_SHARE * nodes)
        limit = min(limit, FOURS_SHARE * FOURS_A_SECOND * (deadline - time.perf_counter()))
        action, length = first.fours(max(int(limit), 1))
        if action < 0 and self.options["threes"]:
            action, length = first.threes(self.options["threes"], deadline)
        if action >= 0:
            return self._decision(action, WIN - length, length, (action,))
        with self._helpers(position, last_depth):
            return self._deepen(position, last_depth, deadline, nodes)

    def _deepen(
        self, position: Position, last_depth: int, deadline: float, nodes: float
    ) -> Decision:
        """Iterative deepening on the first searcher, up to the limits."""
        first = self.searchers[0]
        value, best, complete_depth, offset = 0, NO_ACTION, 0, 0.0
        line: tuple[int, ...] = (position.legal_actions()[0],)
        before = 0
        for depth in range(1, last_depth + 1):
            limits = (deadline, nodes) if depth > 1 else (math.inf, math.inf)  # one move at least
            complete = first.iterate(position, depth, before, *limits)
            before = value
            root = first.root
            if not complete:
                # a better move counts, but not a loss: other moves may hold
                if root.best > max(root.first_alpha, -PROVEN):
                    best = int(root.best_action)
                    if root.best > PROVEN:  # a win is valid at any depth; other values only at one
                        value, offset = int(root.best), 0.0
                break
            value, best = int(root.best), int(root.best_action)
            offset = half_step(value, before if depth > 1 else None)
            complete_depth = depth
            line = first.line(best, DEEPEST)
            decision = self._decision(best, value, depth, line, offset)
            if self.on_progress is not None:
                self.on_progress(decision)
            if abs(value) > PROVEN or root.count == 1:
                break
        line = line if line[0] == best else (best,)
        return self._decision(best, value, complete_depth, line, offset)

    @contextlib.contextmanager
    def _helpers(self, position: Position, last_depth: int) -> Iterator[None]:
        """Run the other searchers on the same position meanwhile, each in its thread.

        They share the transposition table (lazy SMP). Every second one searches one ply deeper, so
        that they differ.
        """
        helpers = self.searchers[1:]
        if not helpers:
            yield
            return
        with ThreadPoolExecutor(len(helpers)) as pool:
            searches = []
            for index, helper in enumerate(helpers):
                helper.follow(position, self.searchers[0])
                searches.append(pool.submit(helper.deepen, position, 2 - index % 2, last_depth))
            try:
                yield
            finally:
                for helper in helpers:
                    helper.stopped = True
            for search in searches:
                search.result()  # re-raises exceptions

    def _decision(
        self, action: int, value: int, depth: int, line: tuple[int, ...], offset: float = 0.0
    ) -> Decision:
        score: Score = score_of_points(value, "estimate", True, False, offset)
        return Decision(
            action,
            score,
            principal_variation=line,
            nodes=sum(int(each.state.nodes) for each in self.searchers),
            depth=depth,
        )


register_preset("expert", "gomoku:depth=6", "caro level: the engine of gomoku, six plies and fours")
register_preset("master", "gomoku:time=1", "caro level: the engine of gomoku, one second a move")
