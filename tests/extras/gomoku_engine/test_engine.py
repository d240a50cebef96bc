"""The agent ``gomoku``: its board, wins by continuous fours, defence, levels."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from plyground import make_agent, make_game
from plyground.agents.own.search_form import load_record
from plyground.envs.compiled.kernels import kernel
from plyground.extras.gomoku_engine.engine_kernels import EngineOptions
from plyground.extras.gomoku_engine.fours import find_fours
from plyground.extras.gomoku_engine.patterns import CHANGES, make_move, unmake_move

pytestmark = pytest.mark.thorough

RULES = ["freestyle", "standard", "caro", "caro_overline"]
ENOUGH = 200_000  # moves of a search for fours
NARROW = {"width": 3, "near_width": 2, "late": 0}


@kernel
def put_stone(rules, board, action, player, changes):
    make_move(rules, board[0], action, player, changes, False)


@kernel
def take_stone(rules, board, action, changes):
    unmake_move(rules, board[0], action, changes)


def random_position(game, rng, plies, spread):
    """A position of a game after random stones at most ``spread`` from the centre."""
    position, centre = game.initial_position(), game.rules.rows // 2
    for _ in range(plies):
        near = [
            a
            for a in position.legal_actions()
            if all(abs(x - centre) <= spread for x in divmod(a, game.rules.cols))
        ]
        position.play(rng.choice(near))
        if position.is_over:
            return random_position(game, rng, plies, spread)
    return position


def engine(game, spec="gomoku:depth=1", **selection):
    agent = make_agent(spec, game)
    agent.selection = EngineOptions(**selection)
    agent.get_ready(game)
    return agent


@pytest.mark.parametrize("rule", RULES)
def test_taking_stones_back_restores_every_byte(rule):
    game, rng = make_game(f"gomoku:rule={rule}"), random.Random(1)
    searcher = engine(game).searchers[0]
    rules, board = searcher.rules, searcher.workspace.board
    for _ in range(20):
        position = random_position(game, rng, rng.randrange(60), 7)
        load_record(rules, position.record, searcher.workspace.board)
        before, actions = board.tobytes(), rng.sample(position.legal_actions(), 10)
        changes = np.zeros((len(actions), CHANGES), np.int32)
        for i, action in enumerate(actions):
            put_stone(rules, board, action, (position.to_move + i) % 2, changes[i])
        assert board.tobytes() != before
        for i in reversed(range(len(actions))):
            take_stone(rules, board, actions[i], changes[i])
        assert board.tobytes() == before


def win_by_fours(agent, position):
    """The first move of a win by fours, or −1, and the plies to it."""
    (searcher,) = agent.searchers
    load_record(searcher.rules, position.record, searcher.workspace.board)
    workspace = searcher.workspace
    action, length, _ = find_fours(searcher.rules, workspace.board[0], workspace.fours, ENOUGH)
    return int(action), int(length)


def fives(position):
    """The cells with which the player to move ends the game."""
    return [cell for cell in position.legal_actions() if position.after(cell).is_over]


def wins_against_every_reply(agent, position, plies):
    """Whether the moves found win by the rules of the game alone, within ``plies``."""
    action, _ = win_by_fours(agent, position)
    if action < 0 or plies <= 0:
        return False
    after = position.after(action)
    if after.is_over:
        return True
    if fives(after):
        return False  # the opponent is first
    gaps: list[int] = []
    for reply in after.legal_actions():
        answer = after.after(reply)
        if not any(cell != reply and answer.after(cell).is_over for cell in gaps):
            gaps = fives(answer)
        if not gaps and not wins_against_every_reply(agent, answer, plies - 2):
            return False
    return True


@pytest.mark.parametrize("rule", RULES)
def test_wins_by_fours_hold_against_every_reply(rule):
    game, rng = make_game(f"gomoku:rule={rule}"), random.Random(2)
    agent, won = engine(game), []
    while len(won) < 12:
        position = random_position(game, rng, rng.randrange(20, 34), 4)
        action, length = win_by_fours(agent, position)
        if action >= 0 and length > 3:
            won.append(length)
            assert wins_against_every_reply(agent, position, length), str(position)
    assert max(won) >= 5


OPEN_THREE = ["h8", "a1", "i8", "o15", "j8"]  # the second player must stop g8 and k8
OPEN_FOUR = [*OPEN_THREE, "a15", "k8"]
BROKEN_FOUR = ["h8", "a1", "i8", "o15", "k8", "a15", "l8"]


@pytest.mark.parametrize("agent", ["gomoku:depth=4", "gomoku:nodes=20000", "expert", "hard"])
def test_an_open_three_is_stopped_on_its_row(agent):
    game = make_game("gomoku")
    action = make_agent(agent, game).act(game.position(OPEN_THREE))
    assert game.action_to_text(action) in {"f8", "g8", "k8", "l8"}


@pytest.mark.parametrize("agent", ["gomoku:depth=4", "gomoku:nodes=20000", "expert", "hard"])
@pytest.mark.parametrize(
    ("moves", "stops"), [(OPEN_FOUR, {"g8", "l8"}), (BROKEN_FOUR, {"j8"})], ids=["open", "broken"]
)
def test_a_four_is_blocked_even_in_a_lost_position(agent, moves, stops):
    game = make_game("gomoku")
    action = make_agent(agent, game).act(game.position(moves))
    assert game.action_to_text(action) in stops


@pytest.mark.parametrize("spec", ["gomoku:depth=5", "gomoku:nodes=20000"])
def test_a_search_without_a_clock_does_not_depend_on_those_before(spec):
    game, rng = make_game("gomoku"), random.Random(4)
    positions = [random_position(game, rng, 8, 3) for _ in range(3)]
    agent = engine(game, spec)
    first = [agent.analyse(position) for position in positions]
    again = [agent.analyse(position) for position in reversed(positions)][::-1]
    alone = [engine(game, spec).analyse(position) for position in positions]
    for decisions in (again, alone):
        assert [(d.action, d.value, d.nodes, d.depth) for d in decisions] == [
            (d.action, d.value, d.nodes, d.depth) for d in first
        ]


@pytest.mark.parametrize("option", ["reductions", "futility", "margin", "razoring", "late"])
def test_each_reduction_saves_nodes(option):
    game, rng = make_game("gomoku"), random.Random(5)
    positions = [random_position(game, rng, 6, 2) for _ in range(6)]
    full = dict.fromkeys(("reductions", "futility", "margin", "razoring", "late"), 0)

    def nodes(selection):
        agent = engine(game, "gomoku:depth=5", **selection)
        return sum(agent.analyse(position).nodes for position in positions)

    assert nodes(full | {option: getattr(EngineOptions(), option)}) < nodes(full)


def test_the_levels_are_settings_of_the_engine():
    game = make_game("gomoku")
    assert make_agent("expert", game).options["depth"] is not None
    assert make_agent("expert", game).deterministic
    assert make_agent("master", game).options["time"] == 1


def test_threads_share_a_table_and_find_what_one_finds():
    game, rng = make_game("gomoku"), random.Random(8)
    alone, crowd = engine(game, "gomoku:depth=5"), engine(game, "gomoku:depth=5,threads=3")
    assert alone.deterministic
    assert not crowd.deterministic
    for _ in range(6):
        position = random_position(game, rng, 12, 3)
        one, many = alone.analyse(position), crowd.analyse(position)
        assert position.is_legal(many.action)
        assert many.depth >= one.depth or many.mate_in is not None
        if one.score.is_exact:
            assert many.value == one.value
    assert sum(each.state.nodes > 0 for each in crowd.searchers) == 3
    won = game.position(["e8", "a1", "f8", "a3", "g8", "a5", "h8", "c1"])
    assert crowd.analyse(won).nodes == 0
    tables = {id(each.table) for each in crowd.searchers}
    assert len(tables) == 1


@pytest.mark.parametrize("limit", ["depth=5", "nodes=3000"])
def test_the_level_of_an_estimate_is_the_mean_of_the_last_two_depths(limit):
    game, rng = make_game("gomoku"), random.Random(9)
    agent, decisions = engine(game, f"gomoku:{limit}"), []
    agent.on_progress = decisions.append
    for _ in range(5):
        decisions.clear()
        decision = agent.analyse(random_position(game, rng, 10, 3))
        scores = [each.score for each in decisions]
        if decision.score.unit == "points":
            assert scores[0].offset == 0
            for before, score in itertools.pairwise(scores):
                assert score.level == (before.value + score.value) / 2
            whole = decision.score == scores[-1]
            assert whole or decision.score.level == (scores[-1].value + decision.value) / 2


def test_a_fault_in_a_thread_is_not_lost(monkeypatch):
    game = make_game("gomoku")
    agent = engine(game, "gomoku:depth=3,threads=2")

    def breaks(*_):
        raise RuntimeError("broken")

    monkeypatch.setattr(agent.searchers[1], "deepen", breaks)
    with pytest.raises(RuntimeError, match="broken"):
        agent.analyse(game.position(["h8", "i9"]))


def test_an_agent_that_changes_the_rule_forgets_what_held_under_the_other():
    games = [make_game(f"gomoku:rule={rule}") for rule in ("freestyle", "caro")]
    agent = make_agent("gomoku:nodes=20000")
    for game in [*games, *reversed(games)]:
        position = game.position(["e8", "d8", "f8", "a1", "g8", "c1"])
        alone = make_agent("gomoku:nodes=20000").analyse(position)
        decision = agent.analyse(position)
        assert (decision.action, decision.score, decision.nodes) == (
            alone.action, alone.score, alone.nodes,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "selection", "moves"),
    [
        ("nodes=1100", {}, "h7 g10 g11 f9 f7 h5 h10 i8 e10 g7 k8 j6 g5 k5 i9"),
        ("depth=5", NARROW, "k6 k9 e11 j7 j8 h7 e8 j10 e5 g8 h10 f6 k5 i7"),
        ("depth=5", NARROW, "f10 h7 j7 h6 h11 k7 i7 i10 i6 i9 k6"),
    ],
    ids=["cut short", "narrow", "narrow too"],
)
def test_no_result_is_claimed_that_rests_on_moves_not_tried(spec, selection, moves):
    game = make_game("gomoku")
    agent = engine(game, f"gomoku:{spec}", **selection)
    assert agent.analyse(game.position(moves.split())).mate_in is None


@pytest.mark.parametrize(
    ("moves", "plies"),
    [
        ("j7 k5 i7 f11 i6 h7 h5 k8 i4 i5 g6 j3 g4", 8),
        ("j7 k5 i7 f11 i6 h7 h5 k8 i4 i5 g6 j3 g4 f3 f4", 6),
        ("h9 h6 g11 f5 h11 h7 j11 i11 i10 g8 j9 k8 g12 e14 j8", 6),
    ],
)
def test_in_caro_a_stone_at_the_end_of_a_row_answers_a_three(moves, plies):
    # With the cells of the rows alone as answers, the engine claimed a loss in so many plies.
    game = make_game("gomoku:rule=caro")
    decision = make_agent("gomoku:depth=4", game).analyse(game.position(moves.split()))
    assert decision.mate_in is None or -decision.mate_in > plies
