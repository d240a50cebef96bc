"""Searches of few plies on bitboards play what the general search plays, and what the plainest
search says.
"""

from __future__ import annotations

import numpy as np
import pytest
from helpers import ALL_GAMES, GAMES, random_positions
from plyground import make_agent, make_game
from plyground.agents.compiled_opponents import compiled_form
from plyground.agents.own.heuristics import heuristic_index
from plyground.agents.search.shallow import ShallowSearch, shallow_search
from plyground.agents.search.shallow_kernels import HISTORY_PLIES, choose
from plyground.agents.search.transposition import NO_ACTION
from plyground.envs import rules as r
from plyground.envs.boards.bitboards import stone_grid
from plyground.envs.compiled.randomness import new_stream
from plyground.envs.single_agent.game_batch import GameBatch
from plyground.envs.single_agent.opponents import Opponent
from reference.search import PROVEN, alphabeta, leaf_value

pytestmark = pytest.mark.thorough

# Boards of games with stones in a row whose sizes and rows are others than the usual ones.
OTHER_BOARDS = [
    "connect_four:rows=4,cols=5,connect=3",
    "connect_four:rows=7,cols=8",
    "tic_tac_toe:rows=2,cols=6",
    "tic_tac_toe:rows=4,cols=4,connect=4",
    "tic_tac_toe:rows=5,cols=5,connect=2",
    "tic_tac_toe:rows=6,cols=7,connect=5",
]
DEPTHS = (1, 2, 3, 4)
# Agents with a form for few plies, by what their actions depend on.
KINDS = [
    "alphabeta",
    "alphabeta:heuristic=none",
    "alphabeta:resistance=no,ordering=none",
    "alphabeta:history=no",
    "minimax",
    "minimax:heuristic=none,resistance=no",
    "textbook:ordering=default",
]
OTHER_SEARCHES = [
    "alphabeta:depth=5",
    "alphabeta:depth=4,iterative=no",
    "alphabeta:depth=2,table=0",
]
GAMES_AT_ONCE, STEPS = 32, 20
FEW_ACTIONS = 9  # with more, the searches without pruning go to two plies only


def has_grid(spec):
    return stone_grid(make_game(spec).rules) is not None


def with_depth(kind, depth):
    return f"{kind}{',' if ':' in kind else ':'}depth={depth}"


def replies(game, form):
    """The positions of many games, step by step, against a compiled opponent."""
    batch = GameBatch(game, GAMES_AT_ONCE, [Opponent("", None, lambda game: form)], opening_plies=6)
    batch.reset(seed=2)
    stream, positions = new_stream(3), [batch.state.positions.copy()]
    for _ in range(STEPS):
        batch.step(batch.draw_actions(stream))
        positions.append(batch.state.positions.copy())
    return np.stack(positions)


@pytest.mark.parametrize("spec", [s for s in [*ALL_GAMES, *OTHER_BOARDS] if has_grid(s)])
def test_replies_are_those_of_the_general_search(spec):
    game = make_game(spec)
    for kind in KINDS:
        for depth in DEPTHS if game.facts.num_actions <= FEW_ACTIONS else DEPTHS[:2]:
            form = compiled_form(make_agent(with_depth(kind, depth)))(game)
            assert isinstance(form, ShallowSearch)
            assert np.array_equal(replies(game, form), replies(game, form.search)), (kind, depth)


@pytest.mark.parametrize("spec", GAMES)
def test_other_games_and_searches_go_the_general_way(spec):
    game = make_game(spec)
    for text in [*OTHER_SEARCHES, *([] if has_grid(spec) else KINDS)]:
        agent = make_agent(text)
        assert shallow_search(game, agent.new_search(game, agent.options["depth"] or 4)) is None


def plain_choice(position, depth, heuristic, iterative, history, ordered, resists):
    """What the search does, without pruning anything by bits: the best of the iteration before
    comes first, then the order of the actions. None where the history of cut-offs has to tell.
    """
    actions, mover = np.array(position.legal_actions(), np.int16), position.to_move
    if ordered:
        r.order_actions(position.game.rules, position.record, actions, actions.size)
    after = {action: position.after(action) for action in actions.tolist()}
    choice, level, top = None, 0, 0
    while level < depth and abs(top) <= PROVEN:
        level = level + 1 if iterative else depth
        values = {
            action: alphabeta(child, level - 1, mover, heuristic, 1)[0]
            for action, child in after.items()
        }
        top = max(values.values())
        best = [action for action, value in values.items() if value == top]
        told_by_history = history and level >= HISTORY_PLIES and len(best) > 1
        if choice not in best:
            if told_by_history:
                return None
            choice = best[0]
    if resists and top < -PROVEN:
        points = {a: leaf_value(after[a], mover, 0, heuristic) for a in [choice, *best]}
        choice = max(points, key=points.get)
        if level >= HISTORY_PLIES and list(points.values()).count(points[choice]) > 1:
            return None
    return choice


@pytest.mark.parametrize("spec", ["tic_tac_toe", "connect_four", "tic_tac_toe:rows=3,cols=4"])
def test_actions_are_those_of_a_plain_search(spec):
    game, told, asked = make_game(spec), 0, 0
    for kind in KINDS:
        agent_kind = kind + (",symmetry=no" if ":" in kind else ":symmetry=no")
        for depth in DEPTHS:
            agent = make_agent(with_depth(agent_kind if "alphabeta" in kind else kind, depth))
            form = compiled_form(agent)(game)
            plan, ordered = form.plan, bool(form.search.options.ordering)
            heuristic = heuristic_index(game, agent.options["heuristic"])
            for position in random_positions(spec, 8, seed=depth):
                action = choose(game.rules, form.grid, plan, form.rooms, position.record)
                expected = plain_choice(
                    position, depth, heuristic, plan.iterative, plan.history, ordered, plan.resists
                )
                asked += 1
                told += action > NO_ACTION
                if action > NO_ACTION:
                    assert action == expected, (agent.spec, position.moves)
                else:
                    assert depth >= HISTORY_PLIES, (agent.spec, position.moves)
    assert told > 0.9 * asked
