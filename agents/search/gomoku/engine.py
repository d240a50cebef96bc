"""The agent ``gomoku``: a search made for gomoku and caro alone."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from ....envs.compiled.kernels import kernel
from ....envs.game import Game, Position
from ....envs.games.gomoku import Gomoku
from ....envs.games.gomoku_patterns import CLASSES, LONGEST, WINS_NOW
from ....envs.specification import Parameter, SpecificationError
from ...agent import Agent, Decision
from ...registry import register_agent, register_preset
from ...score import Score
from ..alphabeta_kernels import INFINITY, PROVEN, WIN
from ..deepening import score_of_points
from ..search_form import blank_records, load_record, search_form
from ..transposition import NO_ACTION, begin_generation, check_table_size, new_table, probe
from . import engine_kernels as search
from .fours import find_fours, new_fours_search
from .patterns import CHANGES, PATTERNS_RECORD, list_fives, put_patterns
from .values import CELL_OTHER_ORDER, CELL_OWN_ORDER, CELL_VALUE

DEFAULT_SECONDS = 1.0
DEEPEST = 60
FIRST_SLICE, LARGEST_SLICE, SLICE_SECONDS = 256, 1 << 16, 0.002
ASPIRATION = 120  # points around the value of the iteration before
ROOT_FOURS = 200_000  # moves that the search for fours may try at the root, and at most
FOURS_SHARE, FOURS_A_SECOND = 0.25, 1_000_000  # this share of a limit on nodes or time


@kernel
def set_position(rules, source, workspace, table, keep):
    """Bring a plain record onto the board; unless ``keep``, begin a new generation of the table."""
    state = workspace.state[0]
    if not keep or state.generation == 0:
        begin_generation(state, table)
        workspace.history[:] = 0
        workspace.fours.failed[:] = 0
    else:
        for side in range(2):
            for cell in range(workspace.history.shape[1]):
                workspace.history[side, cell] >>= 3
    load_record(rules, source, workspace.board)
    workspace.killers[:] = NO_ACTION
    state.nodes = 0


@kernel
def settled(rules, board, out):
    """The action that makes a five at once, or −1."""
    position = board[0]
    mover = np.int64(position.ply & 1)
    if position.classes[CLASSES * mover + WINS_NOW] > 0:
        list_fives(rules, position, mover, out)
        return np.int64(out[0])
    return np.int64(-1)


@kernel
def root_fours(rules, board, arrays, nodes_allowed):
    """:func:`~plyground.agents.search.gomoku.fours.find_fours` for callers in Python."""
    return find_fours(rules, board[0], arrays, nodes_allowed)


@kernel
def expected_line(rules, workspace, table, action, line):
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


@register_agent("gomoku")
class GomokuEngine(Agent):
    """Principal-variation search over patterns, with wins by continuous fours seen at once."""

    summary = "gomoku and caro: a search that sees wins by continuous fours"
    parameters = (
        Parameter("time", float, None, "seconds a move; 1 unless depth or nodes", 0.001, 86400),
        Parameter("depth", int, None, "plies to look ahead", 1, DEEPEST),
        Parameter("nodes", int, None, "positions visited a move", 1, 10**15),
        Parameter("table", float, 64.0, "size of the transposition table in MiB", 0.001, 1_000_000),
        Parameter("radius", int, 2, "only cells within this distance of a stone", 1, 5),
        Parameter("width", int, 20, "cells tried at a node, the most urgent", 2, 361),
        Parameter("near_width", int, 12, "the same near the horizon", 2, 361),
        Parameter(
            "reductions", int, 90, "percent: late moves are searched with less depth", 0, 300
        ),
        Parameter("futility", int, 150, "points a quiet move may gain near the horizon", 0, 10_000),
        Parameter("margin", int, 150, "points above the window, for each ply left", 0, 10_000),
        Parameter("razoring", int, 200, "points below the window, for each ply left", 0, 10_000),
        Parameter("late", int, 4, "quiet moves tried near the horizon", 0, 361),
        Parameter("killers", int, 200, "order: points of what refuted a sibling", 0, 100_000),
        Parameter("history", int, 0, "order: points of what refuted others", 0, 100_000),
        Parameter("keep", bool, True, "the table is kept from move to move"),
        Parameter("fours", int, 60, "moves of the search for fours at the horizon", 0, 10_000),
        Parameter("inner_fours", int, 60, "the same above the horizon", 0, 10_000),
        Parameter("extensions", bool, True, "a reply to a four uses up no depth"),
    )

    def check_options(self) -> None:
        check_table_size(self.options["table"])

    def check_game(self, game: Game) -> None:
        if not isinstance(game.rules, Gomoku) or game.rules.connect > LONGEST:
            raise SpecificationError(
                f"the agent gomoku plays gomoku with up to {LONGEST} in a row, not {game.spec}"
            )

    def prepare(self, game: Game) -> None:
        o = self.options
        self._rules: Any = search_form(game, "patterns").rules._replace(
            values=CELL_VALUE, own_order=CELL_OWN_ORDER, other_order=CELL_OTHER_ORDER
        )
        records = search.MAX_PLY + 2
        self._workspace = search.EngineWorkspace(
            blank_records(1, PATTERNS_RECORD),
            blank_records(records, search.ENGINE_FRAME),
            np.zeros((records, search.LISTED), np.int16),
            np.full((records, 2), NO_ACTION, np.int16),
            np.zeros((records, CHANGES), np.int32),
            np.zeros((2, search.LISTED), np.int32),
            np.zeros(search.LISTED, np.int32),
            reductions(o["reductions"]),
            new_fours_search(),
            blank_records(1, search.ENGINE_STATE),
        )
        self._table = new_table(o["table"])
        self._switches = search.EngineOptions(
            o["radius"], o["width"], o["near_width"], o["reductions"], o["futility"], o["margin"],
            o["razoring"], o["late"], o["killers"], o["history"], o["fours"], o["inner_fours"],
            int(o["extensions"]),
        )  # fmt: skip
        start = game.initial_position()
        self._search(start.after(start.legal_actions()[0]), 1, math.inf, math.inf)

    @property
    def deterministic(self) -> bool:
        return self.options["depth"] is not None or self.options["nodes"] is not None

    def decide(self, position: Position) -> Decision:
        seconds, depth, nodes = (self.options[name] for name in ("time", "depth", "nodes"))
        if seconds is None and depth is None and nodes is None:
            seconds = DEFAULT_SECONDS
        deadline = math.inf if seconds is None else time.perf_counter() + seconds
        return self._search(position, depth or DEEPEST, deadline, nodes or math.inf)

    def _search(
        self, position: Position, last_depth: int, deadline: float, nodes: float
    ) -> Decision:
        """Search to ``last_depth`` plies or as far as the limits allow."""
        workspace, rules = self._workspace, self._rules
        keep = self.options["keep"] and not self.deterministic
        set_position(rules, position.record, workspace, self._table, keep)
        found = int(settled(rules, workspace.board, workspace.actions[0]))
        if found >= 0:
            return self._decision(found, WIN - 1, 1, (found,))
        if position.record.ply == 0:
            centre = rules.rows // 2 * rules.cols + rules.cols // 2
            return self._decision(int(centre), 0, 0, (int(centre),))
        fours = workspace.fours
        allowed = min(ROOT_FOURS, FOURS_SHARE * nodes)
        allowed = min(allowed, FOURS_SHARE * FOURS_A_SECOND * (deadline - time.perf_counter()))
        action, length, tried = root_fours(rules, workspace.board, fours, max(int(allowed), 1))
        workspace.state[0].nodes += tried
        if action >= 0:
            return self._decision(int(action), WIN - int(length), int(length), (int(action),))
        value, best, reached = 0, NO_ACTION, 0
        line: tuple[int, ...] = (position.legal_actions()[0],)
        before = 0
        for depth in range(1, last_depth + 1):
            limits = (deadline, nodes) if depth > 1 else (math.inf, math.inf)  # one move at least
            complete = self._iterate(position, depth, before, *limits)
            before = value
            root = workspace.frames[0]
            if complete or (root.best_action >= 0 and root.best > root.first_alpha):
                value, best = int(root.best), int(root.best_action)
            if not complete:
                break
            reached = depth
            line = self._line(best)
            decision = self._decision(best, value, depth, line)
            if self.on_progress is not None:
                self.on_progress(decision)
            if abs(value) > PROVEN or root.count == 1:
                break
        return self._decision(best, value, reached, line if line[0] == best else (best,))

    def _iterate(
        self, position: Position, depth: int, expected: int, deadline: float, nodes: float
    ) -> bool:
        """One iteration, within growing windows around the value expected; False: cut short."""
        workspace, root = self._workspace, self._workspace.frames[0]
        width = ASPIRATION if depth > 2 else INFINITY
        low, high = max(expected - width, -INFINITY), min(expected + width, INFINITY)
        while True:
            load_board(self._rules, position.record, workspace)
            search.begin_search(workspace, depth, low, high)
            if not self._run(deadline, nodes):
                return False
            if root.best <= low and low > -INFINITY:
                low = -INFINITY
            elif root.best >= high and high < INFINITY:
                high = INFINITY
            else:
                return True

    def _run(self, deadline: float, nodes: float) -> bool:
        """Search to the end of the iteration or the limits; whether it is complete."""
        state = self._workspace.state[0]
        allowed = FIRST_SLICE
        while True:
            began = time.perf_counter()
            count = int(min(allowed, nodes - state.nodes))
            if search.run_engine(
                self._rules, self._switches, self._workspace, self._table, max(count, 1)
            ):
                return True
            now = time.perf_counter()
            if now >= deadline or state.nodes >= nodes:
                return False
            if now - began < SLICE_SECONDS:
                allowed = min(2 * allowed, LARGEST_SLICE)

    def _line(self, action: int) -> tuple[int, ...]:
        line = np.empty(DEEPEST, np.int16)
        length = expected_line(self._rules, self._workspace, self._table, action, line)
        return tuple(line[:length].tolist())

    def _decision(self, action: int, value: int, depth: int, line: tuple[int, ...]) -> Decision:
        score: Score = score_of_points(value, "estimate", True, False)
        return Decision(
            action, float(value), "points", principal_variation=line,
            nodes=int(self._workspace.state[0].nodes), depth=depth, score=score,
        )  # fmt: skip


def reductions(percent: int) -> np.ndarray[Any, Any]:
    """Plies less for a late move, by depth and number: a product of logarithms."""
    logs = np.log(np.maximum(np.arange(64), 1))
    return (percent / 100 * np.outer(logs, logs)).astype(np.int8)


@kernel
def load_board(rules, source, workspace):
    """Bring a plain record onto the board again."""
    load_record(rules, source, workspace.board)


register_preset("expert", "gomoku:depth=6", "caro level: the engine of gomoku, six plies and fours")
register_preset("master", "gomoku:time=1", "caro level: the engine of gomoku, one second a move")
