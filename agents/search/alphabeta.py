"""The agents that search with alpha-beta: ``alphabeta``, and ``minimax`` without pruning."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ...envs import rules as r
from ...envs.game import Game, Position
from ...envs.single_agent.opponents import choose_action
from ...envs.specification import Parameter, SpecificationError
from ..agent import Agent
from ..book import BOOK
from ..deadline import Deadline
from ..decision import Decision, Kind, Score
from ..own.heuristics import HEURISTIC, heuristic_index, ordering_number
from ..own.kernels import FIRST_ADDRESS
from ..own.search_form import plain_form, search_form
from ..registry import register_agent, register_preset
from ..solvers.endgame import ENDGAME, Endgame
from ..solvers.solver import solver_class_of
from ..solvers.table_size import MIB
from . import alphabeta_kernels as search
from . import deepening
from .deepening import TreeSearch
from .shallow import shallow_search
from .transposition import ENTRY, NO_ACTION, check_table_size, new_table

DEFAULT_DEPTH = 4
FIRST_SLICE, LARGEST_SLICE = 256, 1 << 20  # nodes searched between two checks of the time
SLICE_SECONDS = 0.002
GRACE_SECONDS = 0.01  # extra time for the second ply after the time is up
UNTIMED_SLICE, UNTIMED_SLICE_SECONDS = 1 << 16, 0.05  # without a time limit
# table entries for each position at the depth limit: few positions then share a bucket
ENTRIES_PER_POSITION = 8
BEST_ACTION = (search.STATE.names or ()).index("best_action")
PRUNED_PLIES, UNPRUNED_PLIES = 3, 2  # searched in one compiled call: milliseconds
SYMMETRIC_PLIES = 3  # mirror images are merged within this distance of the root

_DEPTH = Parameter(
    "depth",
    int,
    None,
    f"plies to look ahead; {DEFAULT_DEPTH} unless time or nodes limit the search",
    1,
    search.MAX_DEPTH,
)
_RESISTANCE = Parameter(
    "resistance",
    bool,
    True,
    "among the actions that lose latest, play the best by the heuristic, not the first",
)


Report = Callable[[Decision], None] | None


class TreeSearchAgent(Agent):
    """Base of alpha-beta and minimax: iterative or fixed-depth search of a game tree."""

    _iterative = False

    def check_game(self, game: Game) -> None:
        heuristic_index(game, self.options["heuristic"])
        self._ordering(game)

    def _ordering(self, game: Game) -> int:
        """The number of the action ordering, for kernels."""
        return ordering_number(game, self.options.get("ordering", "none"))

    def prepare(self, game: Game) -> None:
        self._search = self.new_search(game, search.MAX_DEPTH)
        self._workspace, self._options = self._search.workspace, self._search.options
        self._shallow: Any = None  # of the last depth
        # Searches of more plies, and by a user's functions, are asked in slices.
        is_own = max(self._options.heuristic, self._options.ordering) >= FIRST_ADDRESS
        plies = PRUNED_PLIES if self._options.pruning else UNPRUNED_PLIES
        self._shallow_plies = 0 if is_own or self._options.root_values else plies
        self._run(game.initial_position(), 1, math.inf, math.inf, None)

    @property
    def deterministic(self) -> bool:
        return self.options.get("time") is None

    @property
    def by_position(self) -> bool:
        return self.deterministic and not any(map(self.options.get, ("book", "endgame")))

    def new_search(self, game: Game, last_depth: int) -> TreeSearch:
        """A search of a game to a depth, with its own buffers."""
        heuristic = self.options["heuristic"]
        index, ordering = heuristic_index(game, heuristic), self._ordering(game)
        # a user's ordering takes the plain record
        is_own = ordering >= FIRST_ADDRESS
        form = plain_form(game) if is_own else search_form(game, heuristic)
        symmetries: np.ndarray = game.symmetries
        if index >= FIRST_ADDRESS:
            symmetries = symmetries[:1]  # it may evaluate mirror images differently
        elif index >= 0:
            symmetries = r.heuristic_symmetries(game.rules, game.declaration.heuristics[index])
        switches = self._switches(form.defaults) | {"ordering": ordering}
        if len(symmetries) == 1:
            switches["symmetric_plies"] = 0
        options = search.AlphaBetaOptions(index, **switches)
        first_depth = 1 if self._iterative else last_depth
        complete = not options.radius and not options.width
        return TreeSearch(
            form.rules,
            options,
            deepening.new_plan(game, first_depth, last_depth, complete, self.options["resistance"]),
            search.new_workspace(game, last_depth, form.dtype),
            self._new_table(game),
            symmetries,
        )

    def _new_table(self, game: Game) -> Any:
        """A transposition table, limited by ``table=`` and by what the depth can use.

        A table that fits into the CPU cache is faster.
        """
        mebibytes, depth = self.options.get("table", 0), self.options["depth"]
        if depth is not None and not game.facts.moves_again and not self.options.get("adaptive"):
            positions = float(game.facts.num_actions) ** min(depth, 10)
            mebibytes = min(mebibytes, ENTRIES_PER_POSITION * positions * ENTRY.itemsize / MIB)
        return new_table(mebibytes)

    def _switches(self, defaults: Any) -> dict[str, int]:
        """The search's options; ``defaults`` are those of the search form."""
        raise NotImplementedError

    def _limits(self, position: Position) -> tuple[int, float, float]:
        """Depth, deadline (seconds of the monotonic clock) and nodes."""
        return self.options["depth"] or DEFAULT_DEPTH, math.inf, math.inf

    def decide(self, position: Position) -> Decision:
        return self._run(position, *self._limits(position), self.on_progress)

    def _choose_action(self, position: Position) -> int:
        """As :meth:`_run` without limits."""
        depth = self._limits(position)[0]
        if depth <= self._shallow_plies:
            if self._shallow is None or self._search.plan.last_depth != depth:
                self._set_depth(depth)
                self._shallow = shallow_search(position.game, self._search)
            form = self._shallow, position.game.rules, position.record, self.stream
            return int(self._compiled(choose_action.body_for(type(self._shallow)), *form))
        self._begin(position, depth)
        deepen, arguments = deepening.deepen, (*self._search, UNTIMED_SLICE)
        while self._compiled(deepen, *arguments) != deepening.SEARCH_COMPLETE:
            self._raise_errors_of_functions()
        return int(self._workspace.state.item()[BEST_ACTION])

    def _run(
        self, position: Position, last_depth: int, deadline: float, nodes: float, report: Report
    ) -> Decision:
        """Search to ``last_depth`` plies or as far as the limits allow."""
        self._begin(position, last_depth)
        workspace, state = self._workspace, self._workspace.state[0]
        # An incomplete iteration keeps the scores of the one before.
        cut_short = deadline < math.inf or nodes < math.inf
        decision: Decision | None = None
        clock = Deadline(deadline)
        while True:
            resisting = state.stage == deepening.RESISTING
            before = int(state.best) if state.best_action != NO_ACTION else None
            status = self._iterate(clock, nodes, report is not None)
            if status == deepening.ITERATION_OPEN:
                if not resisting and workspace.frames[0].best_action >= 0:
                    decision = self._decision_cut_short(position, decision)
                break
            search_over = status == deepening.SEARCH_COMPLETE or (
                deadline < math.inf and state.legal == 1
            )
            if search_over or cut_short or report is not None:
                decision = self._decision(before)
                if report is not None and not resisting:
                    report(decision)
            if search_over:
                break
        if decision is None:  # not even one action could be searched within the limits
            return Decision(position.legal_actions()[0], nodes=int(state.nodes))
        return decision

    def _set_depth(self, last_depth: int) -> None:
        if last_depth != self._search.plan.last_depth:
            first_depth = 1 if self._iterative else last_depth
            plan = self._search.plan._replace(first_depth=first_depth, last_depth=last_depth)
            self._search = self._search._replace(plan=plan)

    def _begin(self, position: Position, last_depth: int) -> None:
        """Prepare the search of a position to a depth."""
        self._set_depth(last_depth)
        rules, _, plan, workspace, table, _ = self._search
        self._compiled(deepening.begin, rules, plan, workspace, table, position.record)

    def _iterate(self, clock: Deadline, nodes: float, reporting: bool) -> int:
        """Search to the end of the iteration or the limits; returns the status of ``deepen``.

        It runs in slices, short enough for Ctrl-C; with ``reporting`` or a deadline they are
        shorter.
        """
        state = self._workspace.state[0]
        short_slices = clock.at < math.inf or reporting
        portion, longest = (
            (FIRST_SLICE, SLICE_SECONDS) if short_slices else (UNTIMED_SLICE, UNTIMED_SLICE_SECONDS)
        )
        while True:
            clock.begin()
            portion = int(min(portion, nodes - state.nodes))
            status: int = self._compiled(deepening.deepen, *self._search, portion)
            if status != deepening.ITERATION_OPEN or state.nodes >= nodes:
                return status
            over = clock.end()
            self._raise_errors_of_functions()
            # Two plies are always searched if that is quick, for a sound answer.
            if over and (state.depth > 1 or clock.left < -GRACE_SECONDS):
                return status
            if clock.seconds < longest:
                portion = min(2 * portion, LARGEST_SLICE)

    def _decision(self, before: int | None) -> Decision:
        """The decision of a completed iteration.

        Args:
            before: the value of the iteration before; None if there was none.
        """
        root, state = self._workspace.frames[0], self._workspace.state[0]
        plan = self._search.plan
        value, action = int(state.best), int(state.best_action)
        searched_to_the_end = bool(plan.complete and deepening.reached_the_end(plan, state))
        decisive = plan.by_result and abs(value) > search.PROVEN
        exact = bool(plan.complete and (decisive or searched_to_the_end))
        offset = deepening.half_step(value, before)
        kind: Kind = "exact" if exact else "estimate"
        score = self._score(value, kind, searched_to_the_end, offset)
        own_values = self._options.root_values or not self._options.pruning
        root_actions = sorted(self._workspace.actions[0, : root.count].tolist())
        values = {a: float(self._workspace.root_values[a]) for a in root_actions}
        kind = "estimate" if own_values else "upper"
        scores = {
            a: self._score(int(v), kind, searched_to_the_end, offset)
            for a, v in values.items()
            # An upper bound that is a win carries no information.
            if own_values or v <= search.PROVEN
        } | {action: score}
        return Decision(
            action,
            score,
            scores,
            principal_variation=self.expected_line(action),
            nodes=int(state.nodes),
            depth=int(state.depth),
        )

    def _decision_cut_short(self, position: Position, last: Decision | None) -> Decision:
        """The decision if a limit ends the search within an iteration.

        The completed part of it chooses the action, since it is deeper. The scores stay those of
        the last completed iteration, so that all have the same depth; but a win holds at any depth.

        Args:
            position: what is searched.
            last: the decision of the last completed iteration; None if there was none.
        """
        root, plan = self._workspace.frames[0], self._search.plan
        value, action = int(root.best), int(root.best_action)
        decision = dataclasses.replace(
            Decision(action) if last is None else last,
            action=action,
            principal_variation=self.expected_line(action),
            nodes=int(self._workspace.state[0].nodes),
        )
        if plan.by_result and value > search.PROVEN:
            win = self._score(value, "estimate", False, 0.0)
            images = {action}
            if self._options.root_values:
                # mirror images win as well, searched or not
                images |= {
                    int(symmetry[action])
                    for number, symmetry in enumerate(position.game.symmetries)
                    if position.transformed(number).key == position.key
                }
            decision.score = win
            decision.scores = {**(decision.scores or {}), **dict.fromkeys(images, win)}
        return decision

    def _score(self, value: int, kind: Kind, to_the_end: bool, offset: float) -> Score:
        """The score for a value of the search.

        Args:
            value: points.
            kind: ``"upper"`` where a null window found the value; else ``"exact"`` or, if the
                search does not know better, ``"estimate"``.
            to_the_end: whether no position of the tree was estimated.
            offset: the offset of the decision's scores, see :func:`.deepening.half_step`.
        """
        plan = self._search.plan
        decisive = plan.by_result and abs(value) > search.PROVEN
        if kind == "upper" and decisive and plan.complete and value < 0:
            # An upper bound of a proven loss: the loss is certain, its distance is not.
            score = deepening.score_of_points(value, "exact", True, to_the_end)
            return dataclasses.replace(score, plies=None)
        if kind == "estimate" and plan.complete and (decisive or to_the_end):
            kind = "exact"
        return deepening.score_of_points(value, kind, bool(plan.by_result), to_the_end, offset)

    def expected_line(self, action: int) -> tuple[int, ...]:
        """The action, then the table's best actions."""
        line = np.empty(search.MAX_DEPTH if self._options.table else 1, np.int16)
        rules, _, _, workspace, table, _ = self._search
        length = self._compiled(search.principal_variation, rules, workspace, table, action, line)
        return tuple(line[:length].tolist())


@register_agent("minimax")
class Minimax(TreeSearchAgent):
    """Full minimax to a fixed depth, without pruning: the reference for other searches."""

    summary = "full minimax to a fixed depth, without pruning"
    parameters = (
        _DEPTH,
        HEURISTIC,
        Parameter(
            "radius",
            int,
            0,
            "only cells within this distance of a stone (gomoku); 0 for all",
            0,
            18,
        ),
        _RESISTANCE,
    )

    def _switches(self, defaults: Any) -> dict[str, int]:
        off = ("pruning", "table", "killers", "history", "scout")
        return {**dict.fromkeys(off, 0), "radius": self.options["radius"]}


@register_agent("alphabeta")
class AlphaBeta(TreeSearchAgent):
    """Alpha-beta search with iterative deepening and the usual enhancements.

    They are a transposition table, killer moves, the history heuristic and principal-variation
    search.

    Each enhancement can be switched off. ``textbook`` is this agent with all of them off: the
    textbook algorithm, with the actions in their own order. Its options switch them on one by one:
    ``textbook:depth=6,ordering=default,killers=yes``.

    On gomoku, up to five in a row, the agent ``gomoku`` is stronger: it scores 92 % against this
    search at equal time. This one is the same search on every game.
    """

    summary = "alpha-beta with iterative deepening and a transposition table"
    parameters = (
        _DEPTH,
        Parameter("time", float, None, "seconds per move", 0.001, 86400),
        Parameter("nodes", int, None, "positions visited a move", 1, 10**15),
        HEURISTIC,
        Parameter(
            "ordering",
            str,
            "default",
            "move ordering: default, none, or the name of an ordering",
        ),
        Parameter(
            "table", float, 16.0, "size of the transposition table in MiB; 0 for none", 0, 1_000_000
        ),
        Parameter("killers", bool, True, "killer moves: try first what refuted a sibling"),
        Parameter(
            "history",
            bool,
            None,
            "history heuristic: prefer actions that caused cut-offs elsewhere (no if the game has "
            "a better ordering)",
        ),
        Parameter(
            "scout", bool, True, "principal-variation search: null windows after the first action"
        ),
        Parameter("iterative", bool, True, "iterative deepening"),
        Parameter("symmetry", bool, True, "search mirror images near the root once"),
        Parameter(
            "radius",
            int,
            None,
            "only cells within this distance of a stone (gomoku); 0 for all; "
            "default by the heuristic",
            0,
            18,
        ),
        Parameter(
            "width",
            int,
            None,
            "search only this many actions, the first in the ordering; 0 for all; "
            "default by the heuristic",
            0,
            400,
        ),
        Parameter(
            "win_in_one",
            bool,
            None,
            "detect a win in one ply without searching it (gomoku; default by the heuristic)",
        ),
        Parameter(
            "adaptive", bool, False, "look further ahead as the actions get fewer, at equal cost"
        ),
        _RESISTANCE,
        ENDGAME,
        Parameter("values", bool, False, "give every root action its exact value (slower)"),
        BOOK,
    )

    def check_options(self) -> None:
        check_table_size(self.options["table"])
        if self.options["width"] and self.options["ordering"] == "none":
            raise SpecificationError(
                "width= needs an ordering: it keeps the first actions, which "
                "ordering=none does not order"
            )

    @property
    def _iterative(self) -> bool:  # type: ignore[override]
        return bool(self.options["iterative"] or self.options["time"] or self.options["nodes"])

    def _switches(self, defaults: Any) -> dict[str, int]:
        unset = {"history": True, "radius": 0, "width": 0, "win_in_one": False, **defaults}
        o = {**self.options}
        o.update((name, value) for name, value in unset.items() if o[name] is None)
        switches = {
            **{name: o[name] for name in ("killers", "history", "scout", "radius", "win_in_one")},
            "table": o["table"] > 0,
            "width": o["width"] if o["ordering"] != "none" else 0,
            "symmetric_plies": SYMMETRIC_PLIES if o["symmetry"] and not o["values"] else 0,
            "root_values": o["values"],
        }
        return {name: int(value) for name, value in switches.items()}

    def check_game(self, game: Game) -> None:
        super().check_game(game)
        if self.options["endgame"]:
            solver_class_of(game)

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        self._endgame = Endgame(game, self.options["endgame"])

    def reset(self, seed: int = 0) -> None:
        super().reset(seed)
        if self._ready_for is not None:
            self._endgame.clear()

    def decide(self, position: Position) -> Decision:
        self._began = time.perf_counter()
        return self._endgame.decide(position, self.options["time"]) or super().decide(position)

    def _choose_action(self, position: Position) -> int:
        if any(self.options[name] for name in ("time", "nodes", "endgame")):
            return self.decide(position).action
        return super()._choose_action(position)

    def _limits(self, position: Position) -> tuple[int, float, float]:
        depth, seconds, nodes = self.options["depth"], self.options["time"], self.options["nodes"]
        if depth is None:
            depth = DEFAULT_DEPTH if seconds is None and nodes is None else search.MAX_DEPTH
        if self.options["adaptive"]:
            depth = _adapted_depth(position, depth)
        deadline = math.inf if seconds is None else self._began + seconds
        return depth, deadline, math.inf if nodes is None else nodes


register_preset(
    "textbook",
    "alphabeta:iterative=no,table=0,killers=no,history=no,scout=no,symmetry=no,ordering=none,"
    "radius=0,width=0,win_in_one=no,resistance=no",
    "textbook alpha-beta: every enhancement off; its options switch them on one by one",
)


def _adapted_depth(position: Position, depth: int) -> int:
    """The depth at which the tree is about as large as one of ``depth`` plies at the start.

    It assumes one action less with each ply.
    """

    def size(actions: int, plies: int) -> float:
        return sum(math.log(max(actions - ply, 1)) for ply in range(plies))

    budget = size(len(position.game.initial_position().legal_actions()), depth)
    here = len(position.legal_actions())
    while depth < here and size(here, depth + 1) <= budget:
        depth += 1
    return depth
