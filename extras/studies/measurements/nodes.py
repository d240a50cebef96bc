"""Nodes: the nodes of searches to a depth, and the boards that can be solved from the start."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....agents import make_agent
from ....agents.decision import Decision
from ....agents.solvers.solver import make_solver
from ....envs.game import Position
from ....envs.registry import make_game
from ....evaluation.openings import Openings
from ....evaluation.plan import Plan
from .measurement import (
    COUNT,
    NUMBER,
    SECONDS,
    SHARE,
    SOLVER,
    TEXT,
    YES,
    Column,
    Measurement,
)  # fmt: skip

LEAST_SECONDS, MOST_PASSES = 0.2, 100  # a search is repeated until either limit
RESULTS: dict[int | None, str] = {1: "win", 0: "draw", -1: "loss", None: "-"}


@dataclasses.dataclass(frozen=True)
class Task:
    """Positions of a game that are searched to some depths.

    Attributes:
        game: the game.
        depths: in plies.
        plies: number of random moves before each position; 0: the start.
        positions: number of positions.
        board: one board as text instead of random positions; it need not be reachable.
    """

    game: str
    depths: tuple[int, ...]
    plies: int = 0
    positions: int = 1
    board: str = ""

    def sample(self, seed: int) -> list[Position]:
        """The positions themselves."""
        game = make_game(self.game)
        if self.board:
            return [game.position_from_text(self.board, check=False)]
        openings = Openings(Plan(opening=f"random:{self.plies}", seed=seed), game)
        count = min(openings.find(self.positions), self.positions)
        return [game.position(openings[index]) for index in range(count)]


_PLACE = (
    Column("game", "game", TEXT),
    Column("plies", "after plies", COUNT),
    Column("board", "board", TEXT),
    Column("positions", "positions", COUNT, detail=True),
    Column("depth", "depth", COUNT),
    Column("search", "search", TEXT),
)


@dataclasses.dataclass(frozen=True)
class Nodes(Measurement):
    """The nodes of searches in the same positions.

    Attributes:
        tasks: the positions and depths.
        variants: a name and a specification for each search; ``{depth}`` stands for the depth. The
            others are compared with the first.
        seed: the seed of the positions.
        skip: (variant, depth): the variant is skipped from this depth because it takes too long.
    """

    tasks: tuple[Task, ...]
    variants: tuple[tuple[str, str], ...]
    seed: int = 1
    skip: tuple[tuple[str, int], ...] = ()

    columns: ClassVar[tuple[Column, ...]] = (
        *_PLACE,
        Column("nodes", "nodes a move", NUMBER),
        Column("fewer", "fewer than the first", SHARE),
        Column("reached", "depth reached", NUMBER),
        Column("branching", "effective branching", NUMBER, detail=True),
        Column("same", "same values", YES),
        Column("time", "CPU time a move", SECONDS, timed=True),
        Column("quicker", "less time than the first", SHARE, timed=True),
    )

    def games(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(task.game for task in self.tasks))

    def agents_named(self) -> tuple[str, ...]:
        return tuple(spec for _, spec in self.variants)

    def rows(self, path: Path) -> Iterable[tuple[Any, ...]]:
        first = None  # None at depths that skip the first variant
        for place, decisions, seconds in self.searches():
            nodes, reached = (float(np.mean(each)) for each in zip(
                *((decision.nodes, decision.depth) for decision in decisions)
            ))  # fmt: skip
            time_of_one = float(np.mean(seconds))
            values = [(decision.value, decision.mate_in) for decision in decisions]
            fewer = quicker = same = None
            *where, depth, name = place
            if name == self.variants[0][0]:
                first = where, depth, nodes, values, time_of_one
            elif first is not None and first[:2] == (where, depth):
                fewer = 1 - nodes / first[2] if first[2] else None
                same = values == first[3]
                quicker = 1 - time_of_one / first[4]
            branching = nodes ** (1 / max(reached, depth))
            yield *place, nodes, fewer, reached, branching, same, time_of_one, quicker

    def searches(self) -> Iterable[tuple[tuple[Any, ...], list[Decision], Sequence[float]]]:
        """The decisions of every search in every position of a task, with processor times."""
        for task in self.tasks:
            positions = task.sample(self.seed)
            where = task.game, task.plies, task.board or None, len(positions)
            for depth in task.depths:
                for name, spec in self.variants:
                    if not any(name == slow and depth >= least for slow, least in self.skip):
                        yield (*where, depth, name), *_search(spec, depth, positions)


def _search(spec: str, depth: int, positions: list[Position]) -> tuple[list[Decision], list[float]]:
    """The decisions of a search to a depth, and the mean processor time of each.

    Short searches are repeated to reduce the noise of the clock and the caches.
    """
    game = positions[0].game
    agent = make_agent(spec.replace("{depth}", str(depth)), game)
    agent.get_ready(game)
    passes: list[list[float]] = []
    while len(passes) < MOST_PASSES and sum(map(sum, passes)) < LEAST_SECONDS:
        decisions, seconds = [], []
        for position in positions:
            agent.reset(0)
            began = time.process_time()
            decisions.append(agent.analyse(position))
            seconds.append(time.process_time() - began)
        passes.append(seconds)
    return decisions, [float(np.mean(each)) for each in zip(*passes)]


@dataclasses.dataclass(frozen=True)
class Spread(Nodes):
    """The least, the median and the most nodes and time of a search among the positions."""

    columns: ClassVar[tuple[Column, ...]] = (
        *_PLACE,
        Column("least", "least nodes", NUMBER),
        Column("median", "median", NUMBER),
        Column("most", "most", NUMBER),
        Column("quickest", "least CPU time", SECONDS, timed=True),
        Column("usual", "median", SECONDS, timed=True),
        Column("slowest", "most", SECONDS, timed=True),
    )

    def rows(self, path: Path) -> Iterable[tuple[Any, ...]]:
        for place, decisions, seconds in self.searches():
            nodes = [decision.nodes for decision in decisions]
            ends = (float(of(each)) for each in (nodes, seconds) for of in (min, np.median, max))
            yield *place, *ends


@dataclasses.dataclass(frozen=True)
class Reach(Measurement):
    """The results of several solving methods on boards of growing size.

    Attributes:
        boards: the games, the smallest first.
        ways: name, agent (``solver`` for the exact solver; ``{depth}`` stands for the longest
            game) and the number of boards to try it on.
        memory_mb: memory limit of the solver's table.
    """

    boards: tuple[str, ...]
    ways: tuple[tuple[str, str, int], ...]
    memory_mb: int = 256

    columns: ClassVar[tuple[Column, ...]] = (
        Column("game", "board", TEXT),
        Column("plies", "longest game, plies", COUNT, detail=True),
        Column("way", "way", TEXT),
        Column("solved", "solved", YES),
        Column("result", "for the first player", TEXT),
        Column("move", "a best move", TEXT, detail=True),
        Column("nodes", "nodes", COUNT),
        Column("time", "CPU time", SECONDS, timed=True),
    )

    def agents_named(self) -> tuple[str, ...]:
        return tuple(spec for _, spec, _ in self.ways)

    def rows(self, path: Path) -> Iterable[tuple[Any, ...]]:
        for index, board in enumerate(self.boards):
            for name, spec, boards in self.ways:
                if index < boards:
                    yield self._row(board, name, spec)

    def _row(self, board: str, name: str, spec: str) -> tuple[Any, ...]:
        game = make_game(board)
        position, longest = game.initial_position(), game.facts.longest_game
        if spec == SOLVER:
            solver = make_solver(game, self.memory_mb)
            solver.solve(game.position([0]))  # compiles
            solver.clear()
            start = time.process_time()
            solution = solver.solve(position)
            action, nodes, result = solution.best_action, solution.nodes, solution.result
        else:
            agent = make_agent(spec.replace("{depth}", str(longest)), game)
            agent.get_ready(game)
            start = time.process_time()
            decision = agent.analyse(position)
            action, nodes = decision.action, decision.nodes
            value = decision.value if decision.exact else None
            result = None if value is None else (value > 0) - (value < 0)
        seconds = time.process_time() - start
        answer = result is not None, RESULTS[result], game.action_to_text(action)
        return board, longest, name, *answer, nodes, seconds
