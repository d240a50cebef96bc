"""The root actions of a tree search, and the choice of the one to play."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...envs.compiled.kernels import inner_kernel, kernel
from ...envs.game import Game
from ..lookahead import keep_best, loses_at_once
from . import mcts_kernels as search
from .descent import EXACT, ROOT
from .mcts_kernels import follow_proofs

# Half-width of the confidence interval in standard errors, and the least variance assumed, since
# the first visits may agree by chance.
CONFIDENCE, LEAST_VARIANCE = 1.64, 0.01
FEWEST_VISITS = 0.125  # share of the most visits that a choice by the lower bound needs

# Orders of the root's actions: by visits, then value, then prior; by the lower bound, among those
# with enough visits; by the margin, among those of a value; by result, margin (if 1) and plies to a
# loss.
BY_VISITS, BY_LOWER_BOUND, BY_MARGIN, BY_PROOF = range(4)

# An action of the root in all trees, from the side of the mover.
ROOT_ACTION = np.dtype(
    [
        ("action", np.int64),
        ("visits", np.int64),
        ("total", np.float64),  # sum of the scaled returns
        ("margin", np.float64),  # sum of the margins
        ("squares", np.float64),  # sum of the squares of the scaled returns
        ("prior", np.float64),  # from the network
        ("proof", np.int64),  # 0 if it is not proven; else the rank in the order of proofs, from 1
        ("at_once", np.bool_),  # the opponent's reply wins, which no tree has proved
        ("result", np.float64),  # the scaled return under best play, if proven
        ("plies", np.int64),  # to the end of the game, if proven
        ("proven_margin", np.float64),  # at that end
    ],
    align=True,
)


class RootActions(NamedTuple):
    """The buffers for the choice at the root.

    Attributes:
        rows: ROOT_ACTION records, (num_actions,).
        actions: int16, (num_actions,).
        plies, margins: the results of :func:`follow_proofs`.
    """

    rows: Any
    actions: Any
    plies: Any
    margins: Any


def new_root_actions(game: Game, capacity: int) -> RootActions:
    """The buffers for a game's trees of at most this many nodes (memory is used as needed)."""
    count = game.facts.num_actions
    return RootActions(
        np.zeros(count, ROOT_ACTION).view(np.recarray),
        np.zeros(count, np.int16),
        np.zeros(capacity, np.int32),
        np.zeros(capacity, np.float32),
    )


@inner_kernel
def add_root_actions(nodes, size, root_actions, count):
    """Add the root's actions in one tree to the rows, of which the first ``count`` are in use.

    Returns the new number of rows. The actions are in the tree's order.
    """
    rows, _, plies, margins = root_actions
    root = nodes[ROOT]
    sign, first = 1.0 if root.mover == 0 else -1.0, np.int64(root.children)
    before, proofs = count, 0
    for i in range(count):
        proofs += rows[i].proof > 0
    any_proven = False
    for child in range(first, first + root.count):
        any_proven = any_proven or nodes[child].proven == EXACT
    if any_proven:
        follow_proofs(nodes, size, plies, margins)
    for child in range(first, first + root.count):
        entry, place = nodes[child], child - first
        if place >= before or rows[place].action != entry.action:
            place = 0
            while place < before and rows[place].action != entry.action:
                place += 1
            place = place if place < before else count
        row = rows[place]
        if place == count:
            count += 1
            row.action, row.visits, row.proof, row.at_once = entry.action, 0, 0, False
            row.total, row.margin, row.squares, row.prior = 0.0, 0.0, 0.0, entry.prior
        row.visits += entry.visits
        row.total += sign * entry.total
        row.margin += sign * np.float64(entry.margin)
        row.squares += np.float64(entry.squares)
        if entry.proven == EXACT:
            if row.proof == 0:
                proofs += 1
                row.proof, row.plies = proofs, 1 + plies[child]
                row.proven_margin = sign * np.float64(margins[child])
            row.result = sign * np.float64(entry.result)
    return count


@kernel
def _value(row, otherwise):
    """The scaled return of an action; ``otherwise`` if it has no simulation."""
    if row.proof > 0:
        return row.result
    return row.total / row.visits if row.visits > 0 else otherwise


@kernel
def _margin(row):
    """The proven margin of an action, else the mean of its simulations."""
    if row.proof > 0 and not row.at_once:
        return row.proven_margin
    return row.margin / max(row.visits, 1)


@kernel
def lower_bound(row):
    """The lower confidence bound of the mean of a visited action."""
    mean = row.total / row.visits
    variance = max(row.squares / row.visits - mean * mean, 0.0) + LEAST_VARIANCE
    return mean - CONFIDENCE * np.sqrt(variance / row.visits)


@kernel
def _key(row, order, number):
    """The sort key of an action in one of the orders above; ``number`` is a parameter of some."""
    if order == BY_VISITS:
        return np.float64(row.visits), _value(row, 0.0), row.prior
    if order == BY_LOWER_BOUND:
        often = row.visits >= number
        return lower_bound(row) if often else -np.inf, np.float64(row.visits), 0.0
    if order == BY_MARGIN:
        same = row.visits > 0 and _value(row, 0.0) == number
        return _margin(row) if same else -np.inf, 0.0, 0.0
    lasts = np.float64(row.plies) if row.result <= -1.0 else 0.0
    return row.result, _margin(row) if number > 0 else 0.0, lasts


@kernel
def _first(rows, count, order, number, best):
    """The index of the action of the highest key: ``best``, or the first of a higher key.

    It is among the proven ones with ``BY_PROOF``, else among the others; −1 if there is none.
    """
    for i in range(count):
        if (rows[i].proof > 0) == (order == BY_PROOF) and (
            best < 0 or _key(rows[i], order, number) > _key(rows[best], order, number)
        ):
            best = i
    return best


@kernel
def choose_root_action(rows, count, lost, by_lower_bound, margins, actions):
    """The most visited unproven action, unless a proven one is worth as much.

    Args:
        rows: ROOT_ACTION records.
        count: the number of rows in use.
        lost: an action after which the opponent wins at once, to be marked in its row; −1: none.
        by_lower_bound: 1: among the most visited actions, choose by the lower confidence bound. A
            network's values vary little, so that means separate two actions before their visit
            counts do.
        margins: 1: the margin breaks ties of the result.
        actions: int16 buffer of num_actions.

    Returns:
        The action; the best unproven action, or −1 if a proven one is played; and the number of
        proven actions that lose as late and as narrowly: they are in ``actions``, in the order of
        their proofs.
    """
    proofs, result = 0, -np.inf
    for i in range(count):
        if rows[i].proof > 0:
            proofs, result = proofs + 1, max(result, rows[i].result)
    for i in range(count):
        row = rows[i]
        if row.action == lost:
            row.proof, row.at_once, row.result, row.plies = proofs + 1, True, -1.0, 2
            result = max(result, -1.0)
    best = _first(rows, count, BY_VISITS, 0.0, -1)
    if best >= 0 and by_lower_bound and rows[best].visits > 0:
        often = FEWEST_VISITS * rows[best].visits
        best = _first(rows, count, BY_LOWER_BOUND, often, -1)
    if best >= 0 and not (result > -1.0 and result >= _value(rows[best], -1.0)):
        choice, value = best, _value(rows[best], 0.0)
        if margins and abs(value) >= 1.0:
            choice = _first(rows, count, BY_MARGIN, value, best)
        return rows[choice].action, rows[best].action, 0
    number, tied = np.float64(margins), 0
    best = _first(rows, count, BY_PROOF, number, -1)
    for proof in range(1, count + 1):
        for i in range(count):
            if rows[i].proof == proof and (
                _key(rows[i], BY_PROOF, number) == _key(rows[best], BY_PROOF, number)
            ):
                actions[tied] = rows[i].action
                tied += 1
    return np.int64(actions[0]), np.int64(-1), tied if result <= -1.0 else 0


@inner_kernel
def choose_at_root(rules, position, root_actions, count, by_lower_bound, margins, lost_moves):
    """The action to play, from the first ``count`` rows; see :func:`choose_root_action`.

    An action after which the opponent wins at once is lost, whether simulations met that reply or
    not. Lost actions are chosen only if no others are left: by how long they resist, then by the
    heuristic.
    """
    rows, actions, _, _ = root_actions
    lost = np.int64(-1)
    while True:
        action, unproven, tied = choose_root_action(
            rows, count, lost, by_lower_bound, margins, actions
        )
        if unproven < 0 or not loses_at_once(rules, position, unproven, lost_moves):
            break
        lost = unproven
    if tied > 1:
        keep_best(rules, position, actions, tied, lost_moves)
        return np.int64(actions[0])
    return np.int64(action)


def principal_variation(tree: search.Tree, action: int) -> tuple[int, ...]:
    """The most visited line that begins with ``action``."""
    nodes, node = tree.nodes, ROOT
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
