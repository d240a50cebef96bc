"""The scores of a decision are of one depth, whatever limit has stopped the search."""

import io
import json
import re

import pytest
from helpers import ALL_GAMES, random_position
from plyground import Agent, Decision, Score, make_agent, make_game
from plyground.agents.book_writer import write_book
from plyground.envs import rules as r
from plyground.envs.specification import SpecificationError
from plyground.evaluation.report.analysis import print_decision, to_json
from rich.console import Console

NODES = ["nodes=2", "nodes=40", "nodes=333", "nodes=2500"]
TIMES = ["time=0.001", "time=0.01"]
SEARCHES = ["alphabeta", "alphabeta:values=yes", "textbook", "gomoku"]
PLAIN = "values=yes,iterative=no,table=0,killers=no,history=no,scout=no"


def with_options(search, options):
    name, _, own = search.partition(":")
    own = "" if "values=" in options else own
    return make_agent(f"{name}:{own}{',' if own else ''}{options}")


def own_images(position):
    """The symmetries of the board that leave the position as it is."""
    return [
        symmetry
        for number, symmetry in enumerate(position.game.symmetries)
        if position.transformed(number).key == position.key
    ]


def some_positions(game):
    """The first one, one after an action that leaves a symmetry, and one without, if there are."""
    start = game.initial_position()
    after = [start.after(action) for action in start.legal_actions()]
    symmetric = [each for each in after if len(own_images(each)) > 1]
    positions = [start, *symmetric[:1], random_position(game, 5)]
    return [position for position in positions if not position.is_over]


def check_order(position, decision):
    """No score is better than the position's, and readers show the best first."""
    orders = {action: score.order()[:2] for action, score in (decision.scores or {}).items()}
    if not orders:
        return
    assert decision.score.order()[:2] >= max(orders.values())
    shown = [entry["action"] for entry in to_json(position, decision)["actions"]]
    no_bounds = [orders[a] for a in shown if decision.scores[a].kind != "upper"]
    assert no_bounds == sorted(no_bounds, reverse=True)


def check_symmetry(position, scores):
    game = position.game
    declared = r.heuristic_symmetries(game.rules, game.declaration.heuristics[0])
    for symmetry in own_images(position):
        if symmetry.tolist() in declared.tolist():  # the heuristic values mirror images alike
            images = {int(symmetry[action]): score for action, score in scores.items()}
            assert {action: images.get(action, score) for action, score in scores.items()} == scores


def check_depth(position, search, decision):
    """What is said is what a plain search in full says: of that depth, of a win one deeper."""
    full = [
        with_options(search, f"{PLAIN},depth={depth}").analyse(position).scores
        for depth in (decision.depth, decision.depth + 1)
        if depth > 0
    ]
    for action, score in (decision.scores or {}).items():
        here, deeper = full[0][action], full[-1][action]
        won_later = score.plies is not None and score.value > 0 and here.plies is None
        right = deeper if won_later or decision.depth == 0 else here
        if score.kind == "upper":
            assert score.unit != right.unit or score.value >= right.value
        else:
            assert (score.value, score.unit) == (right.value, right.unit), (action, right)
            assert score.plies in (right.plies, None)  # a loss at unknown distance


@pytest.mark.fast_cases(6)
@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("spec", ALL_GAMES)
def test_scores_of_a_search_that_a_limit_stops_are_of_its_depth(spec, search):
    game = make_game(spec)
    for limit in [*NODES, *TIMES]:
        agent = with_options(search, limit)
        try:
            agent.check_game(game)
        except SpecificationError:
            assert search.startswith("gomoku")
            return
        for position in some_positions(game):
            decision = agent.analyse(position)
            check_order(position, decision)
            if "values=yes" in search:
                check_symmetry(position, decision.scores or {})
            if limit in TIMES:  # what it comes to is not known before
                continue
            if not search.startswith("gomoku"):
                check_depth(position, search, decision)
            elif decision.depth and decision.score.plies is None:
                full = with_options(search, f"depth={decision.depth}").analyse(position)
                assert (decision.score, decision.depth) == (full.score, full.depth)


class CutShort(Agent):
    """Chooses another action than the best of the depth that it has searched in full."""

    def decide(self, position):
        best, chosen, *_ = position.legal_actions()
        scores = {chosen: Score(5.0, "points"), best: Score(20.0, "points")}
        return Decision(chosen, scores[best], scores, depth=3)


def test_readers_show_the_best_first_whatever_was_chosen(tmp_path):
    position, out = make_game("tic_tac_toe").initial_position(), io.StringIO()
    decision = CutShort().analyse(position)
    assert [entry["name"] for entry in to_json(position, decision)["actions"]] == ["a3", "b3"]
    print_decision(position, decision, "it", Console(file=out))
    assert re.search(r"a3 +\+20.*b3 +\+5.*plays +b3.*depth +3, and a part", out.getvalue(), re.S)
    write_book(tmp_path / "book", position.game, CutShort(), 1)
    entry = json.loads((tmp_path / "book").read_text().splitlines()[1])
    assert {name: score["value"] for name, score in entry["best"].items()} == {"b3": 5.0}
