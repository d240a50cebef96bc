"""Searches of few plies play the moves of the whole search: on bitboards and by the rules."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import ALL_GAMES, GAMES, SMALL_GAMES, random_positions
from plyground import make_agent, make_game
from plyground.agents.compiled_opponents import compiled_form
from plyground.agents.search import shallow_kernels
from plyground.agents.search.shallow import ShallowSearch, ShallowStones, shallow_search
from plyground.agents.search.shallow_kernels import NODE
from plyground.agents.search.transposition import NO_ACTION
from plyground.envs.boards.bitboards import stone_grid
from plyground.envs.compiled.randomness import new_stream
from plyground.envs.single_agent.game_batch import GameBatch
from plyground.envs.single_agent.opponents import Opponent, choose_action

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
STREAM = new_stream(1)  # searches draw nothing
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


@pytest.mark.thorough
@pytest.mark.parametrize("spec", [s for s in [*ALL_GAMES, *OTHER_BOARDS] if has_grid(s)])
def test_replies_are_those_of_the_general_search(spec):
    game = make_game(spec)
    for kind in KINDS:
        for depth in DEPTHS if game.facts.num_actions <= FEW_ACTIONS else DEPTHS[:2]:
            form = compiled_form(make_agent(with_depth(kind, depth)))(game)
            assert isinstance(form, ShallowStones)
            assert np.array_equal(replies(game, form), replies(game, form.search)), (kind, depth)


def check_moves_by_the_rules(spec, texts, count):
    """The form by the rules decides nearly everywhere, as the whole search does."""
    game, decided, asked = make_game(spec), 0, 0
    for text in texts:
        agent = make_agent(text)
        search = agent.new_search(game, agent.options["depth"])
        form = ShallowSearch(search, np.recarray(len(search.workspace.frames), NODE))
        for position in random_positions(spec, count, seed=4):
            rules, options, plan, workspace, _, _ = search
            action = shallow_kernels.choose(
                rules, options, plan, workspace, form.nodes, position.record
            )
            expected = choose_action(search, game.rules, position.record, STREAM)
            assert action in (NO_ACTION, expected), (text, position.moves)
            assert choose_action(form, game.rules, position.record, STREAM) == expected
            decided += action != NO_ACTION
            asked += 1
    assert decided > 0.6 * asked  # lost positions, and ties between moves that keep the turn


@pytest.mark.fast_cases(3)
@pytest.mark.parametrize("spec", SMALL_GAMES)
def test_moves_by_the_rules_are_those_of_the_whole_search(spec):
    check_moves_by_the_rules(spec, ["alphabeta:depth=2", "alphabeta:depth=3"], 25)


@pytest.mark.thorough
@pytest.mark.parametrize("spec", ALL_GAMES)
def test_moves_of_all_kinds_are_those_of_the_whole_search(spec):
    game, kinds = make_game(spec), [*KINDS, "alphabeta:iterative=no", "alphabeta:table=0"]
    depths = DEPTHS if game.facts.num_actions <= 2 * FEW_ACTIONS else DEPTHS[:2]
    texts = [with_depth(kind, depth) for kind in kinds for depth in depths]
    check_moves_by_the_rules(spec, texts, 10)


@pytest.mark.slow
@pytest.mark.parametrize("spec", GAMES)
def test_moves_in_many_positions_are_those_of_the_whole_search(spec):
    check_moves_by_the_rules(spec, ["alphabeta:depth=2", "alphabeta:depth=3"], 10_000)


@pytest.mark.parametrize("spec", GAMES)
def test_deeper_searches_and_values_of_all_actions_have_no_form_for_few_plies(spec):
    game = make_game(spec)
    for text in ("alphabeta:depth=5", "alphabeta:depth=2,values=yes"):
        agent = make_agent(text)
        assert shallow_search(game, agent.new_search(game, agent.options["depth"])) is None
