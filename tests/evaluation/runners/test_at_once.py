"""Games of compiled agents that are played at once are those that are played one at a time."""

from __future__ import annotations

import contextlib
import itertools

import numpy as np
import pytest
from helpers import AGENTS, SMALL_GAMES
from plyground import make_agent, make_game
from plyground.envs.compiled.randomness import new_stream, new_streams
from plyground.envs.specification import SpecificationError
from plyground.evaluation.conditions import Conditions
from plyground.evaluation.openings import random_openings
from plyground.evaluation.plan import Plan
from plyground.evaluation.runners import contest as module
from plyground.evaluation.runners.at_once import plays_at_once
from plyground.evaluation.runners.contest import Arena, Contest
from plyground.evaluation.schedule import ScheduledGame
from plyground.evaluation.sequential_test import SprtMatch
from plyground.evaluation.statistics.sprt import Hypotheses
from plyground.evaluation.store.store import Store
from plyground.evaluation.tournament import Tournament

pytestmark = pytest.mark.thorough

HERE = Conditions(isolate="never")
FEW, MANY = 60, 500  # games of each pair of agents in each seating
FAST = ("tic_tac_toe", "dots_and_boxes:rows=1,cols=2")


def compiled_agents(game):
    """The registered agents that play many games at once."""
    for spec in dict.fromkeys(spec for spec in AGENTS.values() if "{" not in spec):
        with contextlib.suppress(SpecificationError):
            if plays_at_once([make_agent(spec, game)], HERE):
                yield spec


def schedule(game, agents):
    """Games of every two agents in both seatings."""
    openings = list(itertools.islice(random_openings(game, 1, seed=5), 20))
    seeds = itertools.count(2**62 + 1, 2)
    for players in itertools.permutations(range(len(agents)), 2):
        for pair in range(MANY):
            seed = next(seeds)
            yield ScheduledGame(pair, players, openings[pair % len(openings)], (seed, seed + 1))


def decided(results):
    """All but the times."""
    return [(*result[:5], result.decisions) for result in results]


@pytest.mark.parametrize(
    ("spec", "count"),
    [
        *((spec, FEW) for spec in FAST),
        *(pytest.param(spec, MANY, marks=pytest.mark.slow) for spec in SMALL_GAMES),
    ],
)
def test_games_at_once_are_those_played_one_at_a_time(spec, count):
    game = make_game(spec)
    agents = tuple(compiled_agents(game))
    assert {"random", "greedy", "alphabeta:depth=2"} <= {*agents}
    assert {spec.partition(":")[0] for spec in agents} >= {"montecarlo", "mcts"}
    with Arena(Contest(game, agents, agents, HERE)) as arena:
        every = [each for each in schedule(game, agents) if each.pair < count]
        at_once = arena.play_all(every)
        assert all(sum(result.seconds) > 0 for result in at_once)
        assert decided(at_once) == decided(map(arena.play, every))


def digest(plan, path) -> str:
    """The digest of a tournament's games."""
    with Store(path) as store:
        tournament = Tournament(plan, store)
        tournament.run()
        return tournament.games_digest


def test_a_store_of_games_at_once_is_that_of_games_one_at_a_time(tmp_path, monkeypatch):
    plan = Plan("tic_tac_toe", ("random", "greedy", "alphabeta:depth=2"), pairs=50, seed=7)
    sizes, add_all = [], Store.add_all

    def note(store, number, games):
        sizes.append(len(games))
        return add_all(store, number, games)

    monkeypatch.setattr(Store, "add_all", note)
    at_once = digest(plan, tmp_path / "at_once.db")
    assert max(sizes) >= module.FEWEST_AT_ONCE
    sizes.clear()
    monkeypatch.setattr(module, "FEWEST_AT_ONCE", 10**6)
    assert digest(plan, tmp_path / "one_at_a_time.db") == at_once
    assert set(sizes) == {1}


def test_ctrl_c_while_games_are_stored_adds_none_of_them(tmp_path):
    plan = Plan("tic_tac_toe", ("random", "greedy"), pairs=10)
    with Store(tmp_path / "store.db") as store:
        tournament = Tournament(plan, store)
        tournament.run()
        played = list(tournament.played())
        again = Tournament(plan.replace(name="again"), store)

        def interrupted():
            yield from played[:3]
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            store.add_all(again.enter(), interrupted())
        store.check_readable()
        assert list(again.played()) == []
        assert store.add_all(again.enter(), played) == played
        assert store.add_all(again.enter(), played) == []
        assert list(again.played()) == played
        assert store.findings() == []


def test_a_test_stops_after_the_same_game(tmp_path, monkeypatch):
    plan = Plan("tic_tac_toe", ("random", "greedy"), pairs=1000)

    def games(path):
        with Store(path) as store:
            match = SprtMatch(plan, Hypotheses(-20.0, -10.0, 0.05, 0.05), store)
            match.run()
            return match.state.verdict, len(list(match.tournament.played()))

    at_once = games(tmp_path / "at_once.db")
    monkeypatch.setattr(module, "FEWEST_AT_ONCE", 10**6)
    assert games(tmp_path / "one_at_a_time.db") == at_once
    assert at_once[0] is not None


ONLY_PYTHON = (
    *({"move_timeout": 1.0}, {"game_time": 9.0}, {"clock": "cpu"}, {"draw_after": 6}),
    *({"agreed_after": 2}, {"isolate": "always"}),
)


@pytest.mark.parametrize("conditions", ONLY_PYTHON, ids=str)
def test_conditions_that_only_python_can_keep(conditions):
    agents = "random", "greedy"
    arena = Arena(Contest(make_game("tic_tac_toe"), agents, agents, Conditions(**conditions)))
    with contextlib.closing(arena):
        assert not arena.plays_at_once


def test_agents_that_only_python_can_ask():
    specs = ["alphabeta:nodes=50", "alphabeta:time=1", "alphabeta:endgame=solver", "solver"]
    specs += ["mcts:threads=2", "mcts:time=1", "mcts:network=zoo:tic_tac_toe"]
    agents = [make_agent(spec, "tic_tac_toe") for spec in (*specs, "alphabeta:depth=2")]
    agents[-1].on_progress = print  # it reports its progress
    for agent in agents:
        assert not plays_at_once([make_agent("random"), agent], HERE), agent.spec


@pytest.mark.parametrize("spec", ["mcts:simulations=40", "mcts:simulations=2000,memory=1"])
def test_games_with_a_tree_each_are_those_of_one_tree(spec):
    game, agents = make_game("connect_four:rows=4,cols=4"), (spec, "random")
    with Arena(Contest(game, agents, agents, HERE)) as arena:
        every = [each for each in schedule(game, agents) if each.pair < FEW // 2]
        assert decided(arena.play_all(every)) == decided(map(arena.play, every))


def test_streams_of_many_seeds_are_those_of_each():
    seeds = [0, 1, 2**32 - 1, 2**32, 2**63 - 1, 2**64 - 1, *range(10**17, 10**18, 10**16 + 1)]
    streams = new_streams(np.array(seeds, np.uint64))
    assert streams.tolist() == [new_stream(seed).tolist() for seed in seeds]
