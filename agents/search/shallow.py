"""Which searches have a shallow form, and its buffers; see :mod:`.shallow_kernels`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...envs import rules as r
from ...envs.boards.bitboards import BITS, StoneGrid, stone_grid
from ...envs.game import Game
from ..own.kernels import GAME_ORDER
from .alphabeta import TreeSearch
from .shallow_kernels import HISTORY_PLIES, MOST_PLIES, ShallowBoards, ShallowPlan

VECTOR = 8  # words in the widest vectors


class ShallowSearch(NamedTuple):
    """A shallow search on bitboards, and the general search, which plays the same moves.

    ``before`` is the general search up to the first iteration ordered by the history of cut-offs.
    """

    rules: Any
    grid: StoneGrid
    plan: ShallowPlan
    rooms: ShallowBoards
    search: TreeSearch
    before: TreeSearch


def shallow_search(game: Game, search: TreeSearch) -> ShallowSearch | None:
    """The same search in the shallow form; None if the game or the options have none."""
    grid, options, plan = stone_grid(game.rules), search.options, search.plan
    iterative = plan.first_depth < plan.last_depth
    if (
        grid is None
        or search.rules is not game.rules  # a form with its own heuristic
        or options.heuristic not in (-1, 0)
        or options.ordering not in (0, GAME_ORDER)
        or plan.last_depth > MOST_PLIES
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
    before = search._replace(plan=plan._replace(last_depth=HISTORY_PLIES - 1))
    return ShallowSearch(game.rules, grid, shallow_plan, rooms, search, before)


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
