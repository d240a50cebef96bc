"""The agents that search with alpha-beta: ``alphabeta`` with all its enhancements, and plain
``minimax``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ...envs.game import Game, Position
from ...envs.specification import Parameter, SpecificationError
from ..agent import Agent, Decision, heuristic_index
from ..book import BOOK_PARAMETERS
from ..registry import register_agent
from ..solvers.endgame import ENDGAME, Endgame, check_endgame
from . import alphabeta_kernels as search
from .search_form import search_form
from .transposition import (
    ENTRY,
    GENERATIONS,
    check_table_size,
    new_table,
)

DEFAULT_DEPTH = 4
FIRST_SLICE, LARGEST_SLICE = 256, 1 << 20  # nodes searched between two looks at the clock
SLICE_SECONDS = 0.002
# of the table, for each position at the depth limit: few of them then share a bucket
ENTRIES_PER_POSITION = 8
SYMMETRIC_PLIES = 3  # how near the root mirror images are looked for

_DEPTH = Parameter(
    "depth",
    int,
    None,
    f"plies to look ahead; {DEFAULT_DEPTH} unless time or nodes limit the search",
    1,
    search.MAX_DEPTH,
)
_HEURISTIC = Parameter(
    "heuristic",
    str,
    "default",
    "what values a position at the depth limit: a heuristic of the game, default or none",
)


Report = Callable[[Decision], None] | None


class TreeSearchAgent(Agent):
    """What alpha-beta and minimax share: iterative or direct search of a game tree to a depth."""

    def check_game(self, game: Game) -> None:
        heuristic_index(game, self.options["heuristic"])

    def prepare(self, game: Game) -> None:
        self._form = search_form(game, self.options["heuristic"])
        self._workspace = search.new_workspace(game, self._form.dtype)
        self._table = self.new_table(game)
        self._generation = 0
        self._symmetries = game.symmetries
        self._search(game.initial_position(), 1, math.inf, math.inf, None)

    @property
    def deterministic(self) -> bool:
        return self.options.get("time") is None

    def new_table(self, game: Game) -> Any:
        """A transposition table as large as ``table=`` allows, or as the depth can make use of: a
        table that the cache holds is faster.
        """
        megabytes, depth = self.options.get("table", 0), self.options["depth"]
        if depth is not None and not game.facts.moves_again and not self.options.get("adaptive"):
            positions = float(game.facts.num_actions) ** min(depth, 10)
            megabytes = min(megabytes, ENTRIES_PER_POSITION * positions * ENTRY.itemsize / 2**20)
        return new_table(megabytes)

    def _switches(self) -> dict[str, int]:
        """The engine's switches as this agent's options set them."""
        raise NotImplementedError

    def decide(self, position: Position) -> Decision:
        return self._search(position, *self._limits(position), self.on_progress)

    def _search(
        self, position: Position, target: int, deadline: float, nodes: float, report: Report
    ) -> Decision:
        """Search to ``target`` plies or as far as the limits allow."""
        decision: Decision | None = None
        spent = 0
        self._new_search()
        for depth in range(1, target + 1) if self._iterative else (target,):
            result = self._run(position, depth, deadline, nodes - spent, spent)
            if result is None:
                break
            complete, decision = result
            spent = decision.nodes
            if not complete:
                break
            if report is not None:
                report(decision)
            # Deeper iterations find no quicker win and no other loss.
            if (
                decision.exact
                or self._is_forced(position, decision)
                or (deadline < math.inf and len(position.legal_actions()) == 1)
            ):
                break
        if decision is None:  # not even one action could be searched within the limits
            return Decision(position.legal_actions()[0], scale="points", nodes=spent)
        return decision

    _iterative = False

    def _limits(self, position: Position) -> tuple[int, float, float]:
        """Depth, deadline (seconds of the monotonic clock) and nodes."""
        return self.options["depth"] or DEFAULT_DEPTH, math.inf, math.inf

    def _new_search(self) -> None:
        """Forget what earlier searches taught: a decision depends on the position alone."""
        self._generation = self._generation % GENERATIONS + 1
        if self._generation == 1:
            self._table.tag[:] = 0
        self._workspace.history[:] = 0
        self._workspace.killers[:] = -1

    def _run(
        self, position: Position, depth: int, deadline: float, nodes: float, spent: int
    ) -> tuple[bool, Decision] | None:
        """One search to ``depth``: whether it was completed, and what it found; None if it found
        nothing within the limits.
        """
        game, workspace = position.game, self._workspace
        options = search.Options(
            position.to_move,
            heuristic_index(game, self.options["heuristic"]),
            max(self._generation, 1),
            **self._switches(),
        )
        self._form.load(position.record, workspace.positions)
        search.begin(options, workspace, depth)
        complete, allowed = False, FIRST_SLICE if deadline < math.inf else LARGEST_SLICE
        while not complete:
            began = time.perf_counter()
            allowed = int(min(allowed, nodes - workspace.registers[3]))
            complete = search.run(
                self._form.rules, options, workspace, self._table, self._symmetries, allowed
            )
            now = time.perf_counter()
            # Two levels of the tree are always searched, so that there is an answer worth giving.
            if not complete and (
                (now >= deadline and depth > 1) or workspace.registers[3] >= nodes
            ):
                break
            if now - began < SLICE_SECONDS:
                allowed = min(2 * allowed, LARGEST_SLICE)
        root = workspace.frames[0]
        if not complete and root.best_action < 0:
            return None
        return complete, self._decision(position, options, depth, complete, spent)

    def _decision(
        self, position: Position, options: search.Options, depth: int, complete: bool, spent: int
    ) -> Decision:
        root, registers = self._workspace.frames[0], self._workspace.registers
        value = int(root.best)
        line = self._principal_variation(int(root.best_action), options.table)
        searched = self._workspace.actions[0, : root.count]  # radius and width leave others out
        return Decision(
            int(root.best_action),
            float(value),
            "points",
            values={int(a): float(self._workspace.root_values[a]) for a in sorted(searched)}
            if options.open_root
            else None,
            principal_variation=line,
            nodes=spent + int(registers[3]),
            depth=depth if complete else depth - 1,
            exact=self._is_exact(position, options, depth, value),
        )

    def _is_exact(
        self, position: Position, options: search.Options, depth: int, value: int
    ) -> bool:
        """Whether the value is the game's result: a forced result, or a tree searched to the end of
        every game.
        """
        if options.radius or options.width:
            return False
        facts = position.game.facts
        if abs(value) > search.PROVEN and facts.max_return == 1.0:
            return True
        return bool(self._workspace.registers[4] == 0) and (
            not facts.moves_again or depth >= len(position.legal_actions())
        )

    def _is_forced(self, position: Position, decision: Decision) -> bool:
        """Whether the search, restricted as it may be, sees the end of the game."""
        return position.game.facts.max_return == 1.0 and abs(decision.value or 0.0) > search.PROVEN

    def _principal_variation(self, action: int, table_used: int) -> tuple[int, ...]:
        """The expected line of play: the action chosen, then the table's best actions."""
        line = np.empty(search.MAX_DEPTH if table_used else 1, np.int16)
        length = search.principal_variation(
            self._form.rules, self._workspace, self._table, self._generation, action, line
        )
        return tuple(line[:length].tolist())


@register_agent("minimax")
class Minimax(TreeSearchAgent):
    """Full minimax to a fixed depth, without pruning: the reference that other searches are
    measured against.
    """

    summary = "full minimax to a fixed depth, without pruning"
    parameters = (
        _DEPTH,
        _HEURISTIC,
        Parameter(
            "radius", int, 0, "gomoku: only cells within this distance of a stone; 0 for all", 0, 18
        ),
        *BOOK_PARAMETERS,
    )

    def _switches(self) -> dict[str, int]:
        return {
            "pruning": 0,
            "ordering": 0,
            "table": 0,
            "killers": 0,
            "history": 0,
            "scout": 0,
            "radius": self.options["radius"],
        }


@register_agent("alphabeta")
class AlphaBeta(TreeSearchAgent):
    """Alpha-beta with iterative deepening, transposition table, killer moves, history and
    principal-variation search.

    Each enhancement can be switched off. With
    ``iterative=no,table=0,killers=no,history=no,scout=no,symmetry=no`` (and in gomoku
    ``radius=0,width=0,foresee=no``) it is the textbook's alpha-beta, with ``ordering=none`` too
    without any move ordering.
    """

    summary = "alpha-beta with iterative deepening and a transposition table"
    parameters = (
        _DEPTH,
        Parameter("time", float, None, "seconds a move", 0.001, 86400),
        Parameter("nodes", int, None, "positions visited a move", 1, 10**15),
        _HEURISTIC,
        Parameter(
            "ordering", str, "default", "which actions are tried first", choices=("default", "none")
        ),
        Parameter(
            "table", float, 16.0, "size of the transposition table in MB; 0 for none", 0, 1_000_000
        ),
        Parameter("killers", bool, True, "try first what refuted a sibling"),
        Parameter(
            "history",
            bool,
            None,
            "prefer actions that caused cut-offs elsewhere (yes, unless the game has a better "
            "order)",
        ),
        Parameter(
            "scout", bool, True, "principal-variation search: null windows after the first action"
        ),
        Parameter("iterative", bool, True, "deepen ply by ply"),
        Parameter("symmetry", bool, True, "search mirror images near the root once"),
        Parameter(
            "radius",
            int,
            None,
            "gomoku: only cells within this distance of a stone; 0 for all; not set, as suits the "
            "heuristic",
            0,
            18,
        ),
        Parameter(
            "width",
            int,
            None,
            "search only so many actions, the best ordered; 0 for all; not set, as suits the "
            "heuristic",
            0,
            361,
        ),
        Parameter(
            "foresee",
            bool,
            None,
            "gomoku: see a win at once without a ply of search (no, unless it suits the heuristic)",
        ),
        Parameter(
            "adaptive", bool, False, "look further ahead as the actions get fewer, at equal cost"
        ),
        ENDGAME,
        Parameter("values", bool, False, "give every root action its exact value (slower)"),
        *BOOK_PARAMETERS,
    )

    def check_options(self) -> None:
        check_table_size(self.options["table"])
        if self.options["width"] and self.options["ordering"] == "none":
            raise SpecificationError(
                "width= needs an ordering: it keeps the best ordered actions, and ordering=none "
                "orders none"
            )

    @property
    def _iterative(self) -> bool:  # type: ignore[override]
        return bool(self.options["iterative"] or self.options["time"] or self.options["nodes"])

    def _switches(self) -> dict[str, int]:
        o = self.options
        return {
            "ordering": int(o["ordering"] != "none"),
            "table": int(o["table"] > 0),
            "killers": int(o["killers"]),
            "history": int(self._choice("history", True)),
            "scout": int(o["scout"]),
            "radius": self._choice("radius", 0),
            "width": self._choice("width", 0) if o["ordering"] != "none" else 0,
            "symmetric_plies": SYMMETRIC_PLIES if o["symmetry"] and not o["values"] else 0,
            "open_root": int(o["values"]),
            "foresee": int(self._choice("foresee", False)),
        }

    def _choice(self, name: str, otherwise: Any) -> Any:
        """An option as it was given, else as it suits the form that is searched."""
        given = self.options[name]
        return self._form.defaults.get(name, otherwise) if given is None else given

    def check_game(self, game: Game) -> None:
        super().check_game(game)
        check_endgame(game, self.options["endgame"])

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        self._endgame = Endgame(game, self.options["endgame"])

    def reset(self, seed: int = 0) -> None:
        super().reset(seed)
        if self._ready_for is not None:
            self._endgame.clear()

    def decide(self, position: Position) -> Decision:
        return self._endgame.decide(position, self.options["time"]) or super().decide(position)

    def _limits(self, position: Position) -> tuple[int, float, float]:
        depth, seconds, nodes = self.options["depth"], self.options["time"], self.options["nodes"]
        if depth is None:
            depth = DEFAULT_DEPTH if seconds is None and nodes is None else search.MAX_DEPTH
        if self.options["adaptive"]:
            depth = _adapted_depth(position, depth)
        deadline = math.inf if seconds is None else time.perf_counter() + seconds
        return depth, deadline, math.inf if nodes is None else nodes


def _adapted_depth(position: Position, depth: int) -> int:
    """The depth whose full tree here is about as large as one of ``depth`` plies from the initial
    position.

    Actions are taken to get fewer by one each ply.
    """

    def size(actions: int, plies: int) -> float:
        return sum(math.log(max(actions - ply, 1)) for ply in range(plies))

    budget = size(len(position.game.initial_position().legal_actions()), depth)
    here = len(position.legal_actions())
    while depth < here and size(here, depth + 1) <= budget:
        depth += 1
    return depth
