"""Move quality: agents' moves against perfect play."""

from __future__ import annotations

import itertools
import json
import math
import re

import numpy as np
import plyground
import pytest
from command_line import done
from command_line import plyground as run
from helpers import best_of_mover, worth_of_actions
from plyground.agents import Agent, Decision, make_agent
from plyground.agents.lookahead import SITUATIONS
from plyground.envs.specification import SpecificationError
from plyground.evaluation.fingerprints import Description
from plyground.evaluation.match import GameResult, play_game
from plyground.evaluation.move_quality.judge import (
    BLUNDERS,
    PHASES,
    MoveJudge,
    first_ply_within_reach,
    has_worse_move,
    phase_of,
    stored_moves,
)
from plyground.evaluation.move_quality.missed import MISSED
from plyground.evaluation.move_quality.positions import Sample, ask_agents, sample_positions
from plyground.evaluation.move_quality.qualities import ALL, qualities
from plyground.evaluation.statistics.intervals import mean_margin, share_interval
from plyground.evaluation.store.store import Store, StoredGame, StoreError
from plyground.extras.perfect_play.reviews.reviewer import Reviewer

pytestmark = pytest.mark.thorough

TIC_TAC_TOE = plyground.make_game("tic_tac_toe")


@pytest.mark.parametrize(("count", "from_ply"), [(60, 0), (5000, 7)])  # all that there are: 5000
def test_positions_and_moves_are_the_same_wherever_they_are_judged(count, from_ply):
    words = ["quality", "tic_tac_toe", "random", "greedy", "--json", "--positions", str(count)]
    words += ["--from-ply", str(from_ply)]
    tables = []
    for more in ([], ["--runner", "processes", "--concurrency", "2"]):
        result = done(*words, *more)
        tables.append(json.loads(result.stdout))
        for row in tables[-1]["qualities"]:
            del row["seconds_per_move"]
    assert tables[0] == tables[1]
    moves = tables[0]["qualities"][0]["moves"]
    assert 30 <= moves < 5000
    assert (moves == count) == (count < 5000)


def test_every_move_of_tic_tac_toe_is_judged_as_by_full_enumeration():
    judge = MoveJudge(TIC_TAC_TOE, memory_mb=1)
    visited, waiting, blunders = set(), [TIC_TAC_TOE.initial_position()], [0, 0, 0]
    while waiting:
        position = waiting.pop()
        if position.key in visited or position.is_over:
            continue
        visited.add(position.key)
        best = best_of_mover(position)
        for action, after in worth_of_actions(position).items():
            loss, blunder = judge.verdict(position, action)
            assert loss == best - after
            kinds = {(1, 0): "won to drawn", (1, -1): "won to lost", (0, -1): "drawn to lost"}.get(
                (best, after)
            )
            assert blunder == (-1 if kinds is None else BLUNDERS.index(kinds))
            blunders[blunder] += blunder >= 0
            waiting.append(position.after(action))
    assert len(visited) == 4520  # the positions of tic-tac-toe that are not over
    assert min(blunders) > 0


@pytest.mark.parametrize(
    "spec",
    ["dots_and_boxes:rows=1,cols=2,reward=margin", "dots_and_boxes:rows=2,cols=2,reward=margin"],
)
def test_where_a_player_moves_again_moves_are_judged_from_its_own_side(spec):
    game = plyground.make_game(spec)
    judge = MoveJudge(game)
    sample = sample_positions(judge, 30, seed=5, first_ply=max(0, game.facts.longest_game - 8))
    again = 0
    for position, _ in sample.positions:
        for action, worth in worth_of_actions(position).items():
            again += position.after(action).to_move == position.to_move
            assert judge.verdict(position, action)[0] == best_of_mover(position) - worth
    assert again > 10


def test_boxes_already_taken_decide_whether_a_loss_is_a_blunder():
    game = plyground.make_game("dots_and_boxes:rows=2,cols=2")
    judge = MoveJudge(game)
    # player_0 has one of the four boxes and moves again
    position = game.position(["v 0 1", "v 0 0", "h 1 1", "h 2 1", "h 0 0", "v 0 2", "h 1 0"])
    verdicts = {
        name: judge.verdict(position, game.text_to_action(name))
        for name in ("h 0 1", "h 2 0", "v 1 1")
    }
    # Of the three boxes that are left these moves bring 3, 2 and 1, which makes 4, 3 and 2 in all.
    assert verdicts == {
        "h 0 1": (0, -1),
        "h 2 0": (2, -1),
        "v 1 1": (4, BLUNDERS.index("won to drawn")),
    }


@pytest.mark.parametrize(
    "spec", ["tic_tac_toe", "connect_four:rows=4,cols=4", "dots_and_boxes:rows=2,cols=2"]
)
def test_the_solver_plays_nothing_but_optimal_moves(spec):
    judge = MoveJudge(plyground.make_game(spec), memory_mb=16)
    sample = sample_positions(judge, 24, seed=3)
    agents = [make_agent("solver:memory=16"), make_agent("random")]
    evidence = ask_agents(judge, sample, agents, ["solver", "random"], 1)
    rows = {(row.agent, row.phase): row for row in qualities(evidence)}
    best, worst = rows["solver", ALL], rows["random", ALL]
    assert (best.optimal[0], best.loss, best.blunders) == (1.0, (0.0, 0.0), (0, 0, 0))
    assert best.moves == len(sample.positions)
    assert best.optimal[1] > 0.8
    assert worst.optimal[0] < 0.8
    assert worst.loss[0] > 0
    for parts in (PHASES, SITUATIONS):
        moves = [row.moves for (agent, part), row in rows.items() if part in parts]
        assert sum(moves) == 2 * worst.moves


def test_misses_are_those_of_a_review():
    game = plyground.make_game("connect_four:rows=4,cols=5")
    judge, reviewer = MoveJudge(game, 16), Reviewer(game)
    sample = sample_positions(judge, 60, seed=1)
    evidence = ask_agents(judge, sample, [make_agent("random")], ["random"], 1)
    for move in evidence.moves:
        graded = reviewer.grade(sample.positions[move.cluster][0], move.action)
        assert move.missed == graded.missed
    counts = dict(zip(MISSED, qualities(evidence)[0].missed))
    assert min(counts["win"], counts["block"]) > 0
    assert sum(counts.values()) == sum(move.missed is not None for move in evidence.moves)


def test_positions_are_distinct_open_ask_something_and_come_again_by_seed():
    judge = MoveJudge(TIC_TAC_TOE, memory_mb=1)
    first, again, other = (
        sample_positions(MoveJudge(TIC_TAC_TOE, 1), 60, seed) for seed in (1, 1, 2)
    )
    assert first.positions == again.positions != other.positions
    assert len({position.key for position, _ in first.positions}) == 60
    assert {phase for _, phase in first.positions} == {0, 1, 2}
    for position, phase in first.positions:
        assert not position.is_over
        assert has_worse_move(judge.values(position))
        assert phase == phase_of(judge, 9 - len(position.legal_actions()))


def test_a_small_game_gives_the_positions_it_has():
    judge = MoveJudge(TIC_TAC_TOE, memory_mb=1)
    sample = sample_positions(judge, 100_000, seed=1, first_ply=7)
    assert 30 < len(sample.positions) < 2000
    assert sample.left_out["all moves alike"] > 0


def test_the_solver_is_asked_where_it_answers_soon():
    large = plyground.make_game("connect_four:rows=7,cols=7")
    assert first_ply_within_reach(MoveJudge(large, 1)) == 49 - 30
    assert first_ply_within_reach(MoveJudge(plyground.make_game("connect_four"), 1)) == 0
    assert first_ply_within_reach(MoveJudge(TIC_TAC_TOE, 1)) == 0


def test_positions_that_take_too_long_are_left_out_and_counted():
    game = plyground.make_game("connect_four:rows=7,cols=7")
    judge = MoveJudge(game, memory_mb=16, time_limit=0.001)
    assert judge.values(game.position(["d", "d"])) is None
    sample = sample_positions(judge, 12, seed=1, first_ply=8)
    assert sample.left_out["not solved in time"] > 0
    assert all(judge.values(position) for position, _ in sample.positions)


def test_where_no_position_is_solved_in_time_a_sentence_says_so(monkeypatch):
    judge = MoveJudge(plyground.make_game("tic_tac_toe:size=4"), memory_mb=1)
    monkeypatch.setattr(judge, "values", lambda position: None)
    message = "no position of tic_tac_toe:size=4 after at least 0 plies has better and worse moves"
    with pytest.raises(SpecificationError, match=message):
        sample_positions(judge, 5, seed=1)


class _Failing(Agent):
    """Raises in one position, plays a taken cell in another, and the first free cell elsewhere."""

    name = "failing"

    def decide(self, position):
        first = position.legal_actions()[0]
        if first > 1:
            raise ValueError("no  idea")
        return Decision(0 if first == 1 else first)


def test_an_agent_that_fails_is_told_of_and_the_others_are_judged():
    judge = MoveJudge(TIC_TAC_TOE, memory_mb=1)
    sample = Sample(
        [(TIC_TAC_TOE.position(moves), 0) for moves in (["a3", "b3"], ["a3"], ["b2"])], {}
    )
    evidence = ask_agents(
        judge, sample, [_Failing(), make_agent("solver:memory=1")], ["failing", "solver"], 1
    )
    count, first = evidence.faults["failing"]
    assert (count, first.partition(" (")[0]) == (2, "raised ValueError: no idea")
    assert [row.moves for row in qualities(evidence) if row.phase == ALL] == [1, 3]
    other = ask_agents(judge, Sample(sample.positions[1:], {}), [_Failing()], ["failing"], 1)
    assert other.faults == {"failing": (1, "played the illegal action 0 (a3)")}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Games of tic-tac-toe between the solver and random play, each of which stands there twice,
    and one of another game.
    """
    path = tmp_path_factory.mktemp("quality") / "games.db"
    players = make_agent("solver:memory=1"), make_agent("random")
    entries = [Description(name, {}, "1", label=name) for name in ("perfect", "lucky")]
    with Store(path) as store:
        number = store.enter_tournament("known", {"game": "tic_tac_toe"}, entries, 20)
        for pair, first in itertools.product(range(12), (0, 1)):
            seat, opening = (first, 1 - first), (pair % 9,)
            agents, seeds = [players[each] for each in seat], (pair // 2, pair // 2)
            result = play_game("tic_tac_toe", agents, opening, seeds)
            timed = result._replace(seconds=(0.4, 0.8), decisions=(4, 4))
            store.add(number, StoredGame(pair, seat, opening, (1, 2), timed))
            store.add(number, StoredGame(pair + 100, seat, opening, (1, 2), result))
        other = store.enter_tournament("other", {"game": "tic_tac_toe:size=4"}, entries, 1)
        result = GameResult((0, 1), (1.0, -1.0), "", None, None, (0, 0), (1, 1))
        store.add(other, StoredGame(0, (0, 1), (), (1, 2), result))
    return path


def test_the_moves_of_a_store_are_judged_where_they_were_played(store):
    judge = MoveJudge(TIC_TAC_TOE, memory_mb=1)
    with Store(store) as games_store:
        evidence = stored_moves(judge, games_store)
        games = [game for game in games_store.games(1) if game.pair < 100]
    expected = {"perfect": [0, 0], "lucky": [0, 0]}
    for game in games:
        position = TIC_TAC_TOE.position(game.opening)
        for action in game.result.moves[len(game.opening) :]:
            label = ("perfect", "lucky")[game.players[position.to_move]]
            values = worth_of_actions(position)
            if len({*values.values()}) > 1:
                expected[label][0] += 1
                expected[label][1] += max(values.values()) - values[action]
            position.play(action)
    rows = {row.agent: row for row in qualities(evidence) if row.phase == ALL}
    for label, (moves, lost) in expected.items():
        assert rows[label].moves == moves
        assert rows[label].loss[0] == pytest.approx(lost / moves)
    assert rows["perfect"].loss[0] == 0 < rows["lucky"].loss[0]
    assert 0.1 <= rows["perfect"].seconds <= 0.2
    assert evidence.left_out["repeated games"] == 24
    assert evidence.left_out["opening moves, not the agents' own"] == 24


def test_some_agents_and_some_moves_of_a_store_can_be_asked_for(store):
    judge = MoveJudge(TIC_TAC_TOE, memory_mb=1)
    with Store(store) as games_store:
        everything = stored_moves(judge, games_store, only=["lucky"])
        some = stored_moves(judge, games_store, only=["lucky"], count=20, seed=4)
        again = stored_moves(judge, games_store, only=["lucky"], count=20, seed=4)
        late = stored_moves(judge, games_store, first_ply=6)
    assert everything.labels == ["lucky"]
    assert 0 < len(some.moves) < 20 < len(everything.moves)
    assert some.moves == again.moves
    assert set(some.moves) <= set(everything.moves)
    assert {move.phase for move in late.moves} == {2}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("connect_four", "{store} holds no games of connect_four; it holds tic_tac_toe,"),
        ("tic_tac_toe mcts", "'mcts' has played no tic_tac_toe in {store}; its agents"),
    ],
)
def test_games_that_a_store_does_not_hold_are_not_judged(words, message, store):
    result = run("quality", *words.split(), "--games", str(store))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[-1].startswith(f"plyground: {message.format(store=store)}")


def test_a_store_without_games_says_so(tmp_path):
    entries = [Description(name, {}, "1", label=name) for name in "ab"]
    with Store(tmp_path / "empty.db") as store:
        store.enter_tournament("empty", {"game": "tic_tac_toe"}, entries, 1)
    with Store(tmp_path / "new.db") as store:
        store.open()
    result = run("quality", "tic_tac_toe", "--games", str(tmp_path / "empty.db"))
    sentence = f"plyground: {tmp_path}/empty.db holds no moves to judge: no games"
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (2, sentence)
    with pytest.raises(StoreError, match=r"new.db holds no games of tic_tac_toe$"):
        stored_moves(MoveJudge(TIC_TAC_TOE, 1), Store(tmp_path / "new.db"))


def test_the_command_shows_a_table_that_fits_a_terminal_and_the_same_as_json(store):
    words = [
        "quality",
        "tic_tac_toe",
        "random",
        "solver:memory=1",
        "--positions",
        "30",
        "--memory",
        "1",
    ]
    result = done(*words)
    lines = result.stdout.splitlines()
    assert lines[0] == "tic_tac_toe: 30 random positions, against perfect play"
    assert max(map(len, lines)) <= 80
    assert ["solver:memory=1", "30", "100.0"] in [line.split()[:3] for line in lines]
    headings = [line for line in lines if "optimal moves in %" in line]
    assert [heading.rpartition(", ")[2] for heading in headings] == ["by situation", "by phase"]
    assert re.search(r"quiet +must parry +wins at once", result.stdout)
    data = json.loads(run(*words, "--json").stdout)
    rows = {(row["agent"], row["phase"]): row for row in data["qualities"]}
    assert rows["solver:memory=1", "all"]["optimal"]["share"] == 1
    lucky = rows["random", "all"]
    assert sum(lucky["blunders"].values()) == round(lucky["blunder"]["share"] * 30)
    assert run("quality", "tic_tac_toe", "--games", str(store)).stdout.startswith("tic_tac_toe: ")


def test_intervals_take_observations_that_move_together_as_one():
    hits = np.array([1] * 30 + [0] * 10)
    alone = np.arange(40)
    share, low, high = share_interval(hits, alone)
    z, n = 1.959963984540054, 40
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    assert (share, low, high) == pytest.approx((0.75, middle - half, middle + half))
    assert mean_margin(hits, alone) == pytest.approx((0.75, z * hits.std(ddof=1) / math.sqrt(40)))
    thrice = np.repeat(hits, 3), np.repeat(alone, 3)
    assert share_interval(*thrice) == pytest.approx(share_interval(hits, alone))
    assert mean_margin(*thrice) == pytest.approx(mean_margin(hits, alone))
    assert share_interval(np.ones(30, int), np.repeat(np.arange(10), 3))[1] == pytest.approx(
        10 / (10 + z * z)
    )
    assert mean_margin(np.zeros(5, int), np.arange(5)) == (0.0, 0.0)
    assert mean_margin(np.array([1, 3]), np.array([7, 7])) == (2.0, 0.0)


def test_intervals_of_clustered_shares_hold_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(1)
    coverage = 0
    for _ in range(1000):
        chances = rng.beta(6, 2, 40)  # of each of 40 games; 0.75 on average
        clusters = np.repeat(np.arange(40), rng.integers(5, 15, 40))
        hits = (rng.random(len(clusters)) < chances[clusters]).astype(int)
        _, low, high = share_interval(hits, clusters)
        coverage += low <= 0.75 <= high
    assert 0.93 <= coverage / 1000 <= 0.97
