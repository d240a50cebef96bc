"""Searches of few plies on bitboards play what the general search plays, and what the plainest
search says.
"""

from __future__ import annotations

import numpy as np
import pytest
from helpers import ALL_GAMES, GAMES
from plyground import make_agent, make_game
from plyground.agents.compiled_opponents import compiled_form
from plyground.agents.search.shallow import ShallowSearch, shallow_search
from plyground.envs.boards.bitboards import stone_grid
from plyground.envs.compiled.randomness import new_stream
from plyground.envs.single_agent.game_batch import GameBatch
from plyground.envs.single_agent.opponents import Opponent

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
