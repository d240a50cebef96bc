"""Which searches have a form for few plies, and its buffers.

Games with stones in a row have one on bitboards (:mod:`.shallow_stones`), all others one in terms
of the rules (:mod:`.shallow_kernels`). Both play the moves of the whole search.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...envs import rules as r
from ...envs.boards.bitboards import BITS, StoneGrid, stone_grid
from ...envs.compiled.kernels import inner_kernel
from ...envs.compiled.threads import allow_threads, share
from ...envs.game import Game
from ...envs.single_agent.opponents import choose_action
from ..own.kernels import GAME_ORDER
from ..own.search_form import blank_records
from . import deepening, shallow_kernels, shallow_stones
from .deepening import DeepeningPlan, TreeSearch
from .shallow_kernels import HISTORY_PLIES, MOST_PLIES, NODE
from .shallow_stones import ShallowBoards, ShallowPlan
from .transposition import NO_ACTION

MOST_LINES = 10**6
VECTOR = 8  # words in the widest vectors
SMALL_TABLE = 256  # entries, where the table decides no move


class ShallowSearch(NamedTuple):
    """A search of few plies in terms of the rules, and the whole search, with its buffers."""

    search: TreeSearch
    nodes: Any  # NODE records, (plies,)


class ShallowStones(NamedTuple):
    """A search of few plies on bitboards, and the whole search, which plays the same moves.

    ``before`` is its plan up to the first iteration ordered by the history of cut-offs.
    """

    rules: Any
    grid: StoneGrid
    plan: ShallowPlan
    rooms: ShallowBoards
    search: TreeSearch
    before: DeepeningPlan


def shallow_search(game: Game, search: TreeSearch) -> ShallowStones | ShallowSearch | None:
    """The same search in the form for few plies; None if it is too deep or gives values."""
    depth, facts = search.plan.last_depth, game.facts
    if depth > MOST_PLIES or search.options.root_values:
        return None
    # Where moves multiply, larger trees need a table.
    if facts.moves_again and search.options.table and facts.num_actions**depth > MOST_LINES:
        return None
    stones = _search_of_stones(game, search)
    return stones or ShallowSearch(search, blank_records(len(search.workspace.frames), NODE))


def _search_of_stones(game: Game, search: TreeSearch) -> ShallowStones | None:
    """The form on bitboards; None if the game or the options have none."""
    grid, options, plan = stone_grid(game.rules), search.options, search.plan
    iterative = plan.first_depth < plan.last_depth
    if (
        grid is None
        or search.rules is not game.rules  # a form with its own heuristic
        or options.heuristic not in (-1, 0)
        or options.ordering not in (0, GAME_ORDER)
        or options.radius
        or options.width
        # the table keeps an iteration's best action; a single deep one fills the history at once
        or (plan.last_depth > 1 and not (options.table if iterative else not options.history))
    ):
        return None
    shallow_plan = ShallowPlan(
        plan.last_depth, options.heuristic, int(iterative), options.history, plan.resists
    )
    symmetries = search.symmetries[1:] if options.symmetric_plies else search.symmetries[:0]
    rooms = _new_boards(game, grid, bool(options.ordering), symmetries)
    before = plan._replace(last_depth=HISTORY_PLIES - 1)
    return ShallowStones(game.rules, grid, shallow_plan, rooms, search, before)


def _new_boards(game: Game, grid: StoneGrid, ordered: bool, symmetries: Any) -> ShallowBoards:
    """The moves of a game as bitboards, and buffers."""
    count, start = game.facts.num_actions, game.initial_position().record
    actions = np.arange(count, dtype=np.int16)
    if ordered:
        r.order_actions(game.rules, start, actions, count)
    columns, rows = np.divmod(np.arange((grid.rows + 1) * grid.cols), grid.rows + 1)
    cells = np.flatnonzero(rows < grid.rows)  # bits
    action_of = (columns if grid.falls else rows * grid.cols + columns)[cells]
    # The cells of an action in the order of its rows, which symmetries preserve.
    bits = np.array([cells[action_of == action] for action in range(count)])
    masks = (np.uint64(1) << bits.astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    images = np.zeros((len(symmetries), BITS), np.uint8)
    for image, symmetry in zip(images, symmetries):
        image[bits] = bits[symmetry]
    copies = [masks[symmetry < np.arange(count)].sum(dtype=np.uint64) for symmetry in symmetries]
    words = -(-count // VECTOR) * VECTOR
    ordered_masks = np.zeros(words, np.uint64)
    ordered_masks[:count] = masks[actions]
    return ShallowBoards(
        actions.astype(np.int64),
        ordered_masks,
        images,
        np.array(copies, np.uint64),
        np.zeros((MOST_PLIES + 1, 5), np.uint64),
        np.zeros((MOST_PLIES + 1, 4), np.int64),
        np.zeros((MOST_PLIES + 1, words), np.uint64),
        np.zeros(words, np.int64),
        np.zeros(MOST_PLIES + 1, np.uint64),
    )


# -- for many threads, each with its own copy of the buffers --


def _with_small_table(search: TreeSearch) -> TreeSearch | None:
    """The search as many threads use it; None if it is too deep for them.

    Values do not depend on the table's size, moves of equal value only by the history of cut-offs.
    Where that orders no action of the root, a small table serves as well.
    """
    options, plan = search.options, search.plan
    if plan.last_depth > MOST_PLIES:
        return None
    if plan.moves_again or (options.history and plan.last_depth >= HISTORY_PLIES):
        return search
    return search._replace(table=search.table[:SMALL_TABLE])


def _with_small_tables(form: Any) -> Any:
    """The same of a form for few plies."""
    return form._replace(search=_with_small_table(form.search))


share(TreeSearch, "symmetries")
share(ShallowBoards, "actions", "masks", "images", "copies")
allow_threads(TreeSearch, _with_small_table)
allow_threads(ShallowSearch, _with_small_tables)
allow_threads(ShallowStones, _with_small_tables)


@inner_kernel
def _search_to_the_end(search, plan, position):
    """Search a position by a plan, which may be another one than that of the search."""
    form, options, _, workspace, table, symmetries = search
    deepening.begin(form, plan, workspace, table, position)
    status = deepening.ITERATION_OPEN
    while status != deepening.SEARCH_COMPLETE:
        status = deepening.deepen(
            form, options, plan, workspace, table, symmetries, deepening.ALL_NODES
        )
    return np.int64(workspace.state[0].best_action)


@choose_action.register_body(TreeSearch)
@inner_kernel
def _choose_by_search(opponent, rules, position, rng):
    """``alphabeta`` and ``minimax`` to a fixed depth."""
    return _search_to_the_end(opponent, opponent.plan, position)


@choose_action.register_body(ShallowSearch)
@inner_kernel
def _choose_within_few_plies(opponent, rules, position, rng):
    """The same in the form for few plies."""
    search = opponent.search
    form, options, plan, workspace, _, _ = search
    action = shallow_kernels.choose(form, options, plan, workspace, opponent.nodes, position)
    if action == NO_ACTION:
        return _search_to_the_end(search, plan, position)
    return action


@choose_action.register_body(ShallowStones)
@inner_kernel
def _choose_on_bitboards(opponent, rules, position, rng):
    """The same on bitboards."""
    search, rooms = opponent.search, opponent.rooms
    action = shallow_stones.choose(rules, opponent.grid, opponent.plan, rooms, position)
    if action >= 0:
        return action
    by_history = action == shallow_stones.BY_HISTORY
    plan = opponent.before if by_history else search.plan
    action = _search_to_the_end(search, plan, position)
    if by_history:
        return shallow_stones.choose_by_history(rooms, search.workspace.history[0])
    return action
