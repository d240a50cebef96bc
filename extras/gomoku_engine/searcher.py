"""A searcher of the agent ``gomoku``: one board and one search, with a shared table."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from ...agents.deadline import Deadline
from ...agents.own.search_form import blank_records, load_record
from ...agents.search.alphabeta_kernels import INFINITY
from ...agents.search.transposition import NO_ACTION, begin_generation, probe
from ...envs.compiled.kernels import kernel
from ...envs.game import Position
from . import engine_kernels as search
from .forced import list_fives
from .fours import find_fours, new_fours_search
from .patterns import CHANGES, PATTERNS_RECORD, put_patterns
from .threes import ThreesSearch
from .value_network import INPUTS

FIRST_SLICE, LARGEST_SLICE, SLICE_SECONDS = 256, 1 << 16, 0.002
ASPIRATION = 120  # half width of the aspiration window, in points


@kernel
def set_position(rules, source, workspace, table, keep):
    """Set up a plain record; unless ``keep``, begin a new generation of the table."""
    state = workspace.state[0]
    if not keep or state.generation == 0:
        begin_generation(state, table)
        workspace.fours.failures[:] = 0
    load_record(rules, source, workspace.board)
    workspace.killers[:] = NO_ACTION
    state.nodes = 0


@kernel
def _expected_line(rules, workspace, table, action, line):
    """Write the expected line of play into ``line`` (int16); returns its length."""
    position, generation = workspace.board[0], workspace.state[0].generation
    length = 0
    while length < line.size:
        put_patterns(rules, position, np.int64(action), np.int64(position.ply & 1))
        line[length] = action
        length += 1
        index = probe(table, position.hash, generation)
        if index < 0 or table[index].action < 0 or position.cells[table[index].action] != 0:
            break
        action = table[index].action
    return length


class Searcher:
    """Searches positions to a given depth, within limits.

    Args:
        rules: a GomokuPatterns.
        options: the options of the search.
        table: the transposition table. Several searchers may share one without locks; a move from
            the table is used only if its cell is free.

    Attributes:
        rules: the rules, with separate buffers.
        table: the table.
        workspace: the arrays of the search.
        stopped: set by another thread; the search then ends within milliseconds.
    """

    def __init__(self, rules: Any, options: search.EngineOptions, table: Any) -> None:
        self.rules: Any = rules._replace(
            changes=np.zeros(CHANGES, np.int32),
            network=rules.network._replace(inputs=np.zeros(INPUTS, np.int32)),
        )
        self.stopped: bool = False
        self.table: Any = table
        self._options = options
        records = search.MAX_PLY + 2
        self.workspace: search.EngineWorkspace = search.EngineWorkspace(
            blank_records(1, PATTERNS_RECORD),
            blank_records(records, search.ENGINE_FRAME),
            np.zeros((records, search.MOST_MOVES), np.int16),
            np.full((records, 2), NO_ACTION, np.int16),
            np.zeros((records, CHANGES), np.int32),
            np.zeros(search.MOST_MOVES, np.int32),
            reductions(options.reductions),
            new_fours_search(),
            blank_records(1, search.ENGINE_STATE),
        )

    @property
    def root(self) -> Any:
        """The ENGINE_FRAME record of the root: ``best`` and ``best_action`` so far, ``count``."""
        return self.workspace.frames[0]

    @property
    def state(self) -> Any:
        """The ENGINE_STATE record; ``nodes`` counts from :meth:`begin` or :meth:`follow`."""
        return self.workspace.state[0]

    def begin(self, position: Position, keep: bool) -> None:
        """Set up a position; ``keep``: use the table's earlier results."""
        self.stopped = False
        set_position(self.rules, position.record, self.workspace, self.table, keep)

    def follow(self, position: Position, leader: Searcher) -> None:
        """Set up a position that the leader has begun, on the same table."""
        self.stopped = False
        self.state.generation = leader.state.generation
        set_position(self.rules, position.record, self.workspace, self.table, True)

    def find_five(self) -> int:
        """The action that makes a five at once, or −1."""
        position, fives = self.workspace.board[0], self.workspace.actions[0]
        count = list_fives(self.rules, position, int(position.ply) & 1, fives)
        return int(fives[0]) if count else NO_ACTION

    def fours(self, most: int) -> tuple[int, int]:
        """A win by continuous fours: its action and plies, or −1; tries ``most`` moves."""
        position, state = self.workspace.board[0], self.state
        action, length, nodes = find_fours(self.rules, position, self.workspace.fours, most)
        state.nodes += nodes
        return int(action), int(length)

    def threes(self, most: int, deadline: float) -> tuple[int, int]:
        """A win by threats, as :meth:`fours`; uses at most half of the remaining time."""
        position, now = self.workspace.board[0], time.perf_counter()
        half = now + (deadline - now) / 2
        return ThreesSearch(self.rules, position, self.workspace.fours, most, half).find()

    def deepen(self, position: Position, depth: int, last_depth: int) -> None:
        """Iterate from ``depth`` until :attr:`stopped` is set, to fill the table."""
        expected = 0
        while depth <= last_depth and self.iterate(position, depth, expected, math.inf, math.inf):
            expected, depth = int(self.root.best), depth + 1

    def iterate(
        self, position: Position, depth: int, expected: int, deadline: float, nodes: float
    ) -> bool:
        """One iteration with an aspiration window; whether it is complete."""
        root, width = self.root, ASPIRATION if depth > 2 else INFINITY
        low, high = max(expected - width, -INFINITY), min(expected + width, INFINITY)
        while True:
            load_record(self.rules, position.record, self.workspace.board)
            search.begin_search(self.workspace, depth, low, high)
            if not self._run(deadline, nodes):
                return False
            if root.best <= low and low > -INFINITY:
                low = -INFINITY
            elif root.best >= high and high < INFINITY:
                high = INFINITY
            else:
                return True

    def _run(self, deadline: float, nodes: float) -> bool:
        """Search until the iteration or a limit ends; whether the iteration is complete."""
        state, clock = self.state, Deadline(deadline)
        portion = FIRST_SLICE
        while True:
            clock.begin()
            count = int(min(portion, nodes - state.nodes))
            if search.run_engine(
                self.rules, self._options, self.workspace, self.table, max(count, 1)
            ):
                return True
            if clock.end() or state.nodes >= nodes or self.stopped:
                return False
            if clock.seconds < SLICE_SECONDS:
                portion = min(2 * portion, LARGEST_SLICE)

    def line(self, action: int, longest: int) -> tuple[int, ...]:
        """The expected line of play that begins with an action, after a complete iteration."""
        line = np.empty(longest, np.int16)
        length = _expected_line(self.rules, self.workspace, self.table, action, line)
        return tuple(line[:length].tolist())


def reductions(percent: int) -> np.ndarray[Any, Any]:
    """Depth reductions by depth and move number: a product of logarithms."""
    logs = np.log(np.maximum(np.arange(64), 1))
    return (percent / 100 * np.outer(logs, logs)).astype(np.int8)
