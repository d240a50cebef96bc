"""Reviews: values of positions and grades of moves."""

from __future__ import annotations

import json
import math

import pytest
from helpers import GAMES, SMALL_GAMES, random_position
from plyground import make_agent, make_game
from plyground.agents import Agent, Decision, Score
from plyground.agents.deadline import Deadline
from plyground.agents.solvers.solver import solve
from plyground.envs.game import IllegalActionError
from plyground.envs.specification import SpecificationError
from plyground.evaluation.match import play_game
from plyground.evaluation.played_game import PlayedGame
from plyground.evaluation.reviews import estimator_of
from plyground.evaluation.store.store import StoredGame
from plyground.extras.perfect_play.reviews.grades import (
    BEST,
    GOOD,
    GRADES,
    INACCURACY,
    MISTAKE,
    ONLY_MOVE,
)
from plyground.extras.perfect_play.reviews.reviewer import Reviewer, review

pytestmark = pytest.mark.thorough


def signs(values):
    return [(value > 0) - (value < 0) for value in values]


def test_a_blunder_in_connect_four_is_found_with_the_better_move():
    result = review("connect_four:rows=5,cols=5", ["a", "a", "b", "b", "c", "e", "d"])
    blunder = result.moves[5]
    assert (blunder.grade, blunder.player, blunder.exact) == (MISTAKE, 1, True)
    assert blunder.change is not None
    assert blunder.change.endswith("to lost")
    game = result.played.game
    assert [game.action_to_text(action) for action in blunder.better] == ["d"]
    assert blunder.line[0] == game.text_to_action("d")
    assert blunder.reply == (game.text_to_action("d"),)
    last = result.moves[6]
    assert (last.grade, last.loss, last.after.to_move) == (BEST, 0.0, None)
    assert result.played.winner == 0


def test_exact_values_are_those_of_the_solver_from_the_side_of_player_0():
    game = make_game("tic_tac_toe")
    actions = [4, 1, 0, 8, 6, 2, 3]
    result = review(game, actions)
    for ply, value in enumerate(result.values):
        position = game.position(actions[:ply])
        if position.is_over:
            assert value.value == position.returns[0]
            continue
        expected = solve(position, memory_mb=1).value
        assert value.value == (expected if position.to_move == 0 else -expected)
        assert value.exact
        assert value.solved == expected
    assert all(move.exact for move in result.moves)


def test_the_grade_tells_a_changed_result_from_a_slower_win():
    """In connect four the solver counts stones: a slower win is good, no mistake."""
    game = make_game("connect_four:rows=4,cols=5")
    reviewer = Reviewer(game)
    position = game.position(["b", "b", "c", "c"])
    values = solve(position, moves="all", memory_mb=16).values
    best = max(values.values())
    for action, value in values.items():
        move = reviewer.grade(position, action)
        assert move.solver_loss == best - value
        same_result = signs([value]) == signs([best])
        expected = MISTAKE if not same_result else BEST if value == best else GOOD
        assert move.grade == expected
        assert (move.change is None) == same_result


def test_boxes_given_away_count_by_the_margin():
    """With the margin as return, a loss is a share of all that can be won."""
    game = make_game("dots_and_boxes:rows=2,cols=2,reward=margin")
    reviewer, position = Reviewer(game), random_position(game, 6, seed=3)
    values = solve(position, moves="all", memory_mb=16).values
    grades = set()
    for action, value in values.items():
        move = reviewer.grade(position, action)
        lost = max(values.values()) - value
        assert move.solver_loss == lost
        assert move.loss == pytest.approx(lost / 8)
        grades.add(move.grade)
        if lost == 0:
            assert move.grade == BEST
    assert len(grades) > 1


def test_a_game_without_a_solver_is_estimated_and_said_to_be():
    game = make_game("gomoku:size=9,rule=caro")
    # three open stones are not answered; the next move makes an open four
    actions = ["e5", "d5", "e6", "f6", "e4", "a5", "e7", "i9", "e3"]
    result = review(game, actions, agent="alphabeta:depth=4")
    assert result.solver_nodes is None
    assert not result.values[0].exact
    assert result.moves[5].grade == MISTAKE  # a5 lets the open four happen
    assert result.moves[8].grade == BEST
    assert result.values[-1].exact
    assert result.values[0].score.unit == "points"


def test_an_agent_may_prove_what_no_solver_knows():
    result = review(
        "hex:size=3", ["b2", "a1", "a3", "c1"], agent="alphabeta:depth=9", solver_nodes=0
    )
    assert result.solver_nodes is None
    assert any(value.exact for value in result.values)


@pytest.mark.parametrize("spec", SMALL_GAMES)
def test_every_game_can_be_reviewed_and_the_review_is_plain_data(spec):
    game = make_game(spec)
    result = play_game(game, [make_agent("random"), make_agent("random")], seeds=(5, 6))
    steps = []
    reviewer = Reviewer(game, "alphabeta:depth=2")
    whole = reviewer.review(
        PlayedGame.of_actions(game, result.moves, ("one", "two")),
        lambda count, total: steps.append((count, total)),
    )
    length = len(result.moves)
    assert steps == [(count, 2 * length + 1) for count in range(1, 2 * length + 2)]
    assert len(whole.values) == length + 1
    assert [move.action for move in whole.moves] == list(result.moves)
    assert all(0 <= move.loss <= 1 for move in whole.moves)
    assert all(move.grade in (*GRADES, ONLY_MOVE) for move in whole.moves)
    data = json.loads(json.dumps(whole.to_json()))
    assert data["players"] == ["one", "two"]
    assert [value["expected_score"] for value in data["values"]][-1] in (
        (0.0, 0.5, 1.0) if game.facts.max_return == 1 else pytest.approx(0.5, abs=0.5)
    )
    for player in (0, 1):
        total = data["totals"][player]
        assert sum(total["grades"].values()) == total["moves"]
        own = [move for move in data["moves"] if move["player"] == player]
        moves = [move for move in own if move["grade"] != ONLY_MOVE]
        assert total["moves"] == len(moves)


def test_moves_come_one_by_one_from_the_last_to_the_first():
    game = make_game("tic_tac_toe")
    moves = Reviewer(game).moves(PlayedGame.of_actions(game, [4, 0, 8]))
    assert [next(moves).ply for _ in range(3)] == [2, 1, 0]


class Prover(Agent):
    """Proves the positions that it is told, and estimates the others at nothing."""

    summary, parameters, spec = "proves what it is told", (), "random"

    def __init__(self, proofs):
        super().__init__()
        self.proofs, self.asked = proofs, []

    def decide(self, position):
        self.asked.append(position.ply)
        worth = self.proofs.get(position.ply)
        kind = "estimate" if worth is None else "exact"
        return Decision(position.legal_actions()[0], Score(worth or 0.0, kind=kind))


def test_a_proof_holds_along_the_game_until_a_move_that_may_change_it():
    """b2,a1,a3,c1: what is proved of one position tells about its neighbours."""
    game = make_game("hex:size=3")
    record = PlayedGame.of_actions(game, ["b2", "a1", "a3", "c1"])
    cases = {
        # the one to move has lost, whatever it plays; then nothing is known of the answer's choice
        1: (-1, [1, 1, 1, None, None]),
        # a move after which the opponent has lost wins
        3: (-1, [None, None, 1, 1, 1]),
        4: (1, [None, None, None, None, 1]),
    }
    for ply, (worth, expected) in cases.items():
        values = Reviewer(game, Prover({ply: worth}), solver_nodes=0).review(record).values
        assert [value.value if value.exact else None for value in values] == expected, ply


def test_a_position_in_which_a_winning_move_was_played_is_not_searched():
    game = make_game("hex:size=3")
    prover = Prover({3: -1})
    Reviewer(game, prover, solver_nodes=0).review(PlayedGame.of_actions(game, ["b2", "a1", "a3"]))
    assert 2 not in prover.asked


def test_a_proved_value_is_not_weighed_against_an_estimate():
    """A lost position stays lost: no move in it gives anything away."""
    game = make_game("hex:size=3")
    record = PlayedGame.of_actions(game, ["b2", "a1", "a3", "c1"])
    move = Reviewer(game, Prover({1: -1}), solver_nodes=0).review(record).moves[1]
    assert (move.grade, move.loss, move.exact) == (BEST, 0.0, True)


@pytest.mark.parametrize("spec", ["connect_four", "dots_and_boxes:rows=3,cols=3"])
def test_the_same_game_gets_the_same_review(spec, monkeypatch):
    """However long the machine takes: time plays no part in it."""
    game = make_game(spec)
    record = PlayedGame.of_actions(game, random_position(game, 18, seed=5).moves)
    options = {"agent": "alphabeta:depth=2", "solver_nodes": 20_000}
    first = Reviewer(game, **options).review(record).to_json()
    monkeypatch.setattr(Deadline, "end", lambda self: self.at < math.inf)
    monkeypatch.setattr(
        Deadline, "left", property(lambda self: -1.0 if self.at < math.inf else 1.0)
    )
    assert Reviewer(game, **options).review(record).to_json() == first
    assert any(value["exact"] for value in first["values"])


def test_once_positions_take_too_long_the_solver_is_not_asked_for_earlier_ones():
    """The limit is so short that only the end is solved."""
    game = make_game("connect_four:rows=7,cols=7")
    reviewer = Reviewer(game, "alphabeta:depth=2", solver_nodes=1)
    positions = []
    values = reviewer._judge.values
    reviewer._judge.values = lambda position: positions.append(position) or values(position)
    result = reviewer.review(PlayedGame.of_actions(game, ["d", "d", "d", "d", "d", "d"]))
    assert len({position.key for position in positions}) <= 4
    assert not result.values[0].exact


@pytest.mark.parametrize(("spec", "nodes"), [("connect_four", 2560), ("hex:size=7", 10)])
def test_a_solver_whose_nodes_cost_more_visits_fewer(spec, nodes):
    assert Reviewer(make_game(spec), solver_nodes=2560).solver_nodes == nodes


def test_moves_of_the_opening_and_forced_moves_do_not_count():
    result = play_game("tic_tac_toe", [make_agent("random"), make_agent("random")], [4, 0], (1, 2))
    entry = StoredGame(0, (0, 1), (4, 0), (1, 2), result)
    whole = review("tic_tac_toe", entry, ("x", "o"))
    assert [move.opening for move in whole.moves[:3]] == [True, True, False]
    assert sum(whole.totals(player).moves for player in (0, 1)) == len(
        [move for move in whole.moves[2:] if move.grade != ONLY_MOVE]
    )
    full = [0, 1, 2, 4, 3, 5, 7, 6, 8]
    assert review("tic_tac_toe", full).moves[8].grade == ONLY_MOVE


def test_a_game_that_was_given_up_ends_with_the_value_of_its_last_position():
    result = review("tic_tac_toe", [4, 1])
    assert result.values[-1].to_move == 0
    assert (result.values[-1].value, result.values[-1].exact) == (1.0, True)
    assert result.played.reason == ""
    assert review("tic_tac_toe", []).values[0].value == 0


def test_estimates_do_not_depend_on_the_order_of_questions():
    game = make_game("connect_four")
    position = game.position(["d", "d", "c"])
    options = {"agent": "mcts:simulations=200", "solver_nodes": 0}
    one, two = Reviewer(game, **options), Reviewer(game, **options)
    two.value(game.position(["d"]))
    assert one.value(position) == two.value(position)


@pytest.mark.parametrize("spec", GAMES)
def test_the_usual_estimator_plays_every_game(spec):
    game = make_game(spec)
    assert Reviewer(game, solver_nodes=0).agent == estimator_of(game)


def test_what_cannot_be_reviewed_is_refused():
    with pytest.raises(IllegalActionError):
        review("tic_tac_toe", [4, 4])
    with pytest.raises(SpecificationError, match="random does not evaluate positions"):
        review("tic_tac_toe", [4], agent="random", solver_nodes=0)
    with pytest.raises(SpecificationError, match="a person cannot play in a review"):
        review("tic_tac_toe", [4], agent="human")
    with pytest.raises(SpecificationError, match="there is no agent"):
        review("tic_tac_toe", [4], agent="nobody")


def test_loss_limits_decide_between_inaccuracy_and_mistake():
    """3×3 boxes by the margin: a lost box is 2 of the 18 points between the extremes."""
    game = make_game("dots_and_boxes:rows=3,cols=3,reward=margin")
    reviewer = Reviewer(game)
    examples = {}
    for seed in range(40):
        position = random_position(game, 14, seed)
        if position.is_over:
            continue
        for action in position.legal_actions():
            move = reviewer.grade(position, action)
            if move.change is None and move.grade not in (BEST, ONLY_MOVE):
                examples.setdefault(move.solver_loss, set()).add(move.grade)
        if len(examples) > 1:
            break
    assert examples[2] == {INACCURACY}  # 2 of 18
