"""A policy that fails in each of its ways, at each entry point that plays it: it is seen there."""

from __future__ import annotations

import html
import json
import re
import traceback
import warnings

import pytest
from command_line import plyground
from plyground import play_game
from plyground.agents import FaultWarning
from plyground.envs import IllegalActionError, SpecificationError
from plyground.evaluation import Ladder, Plan, Store, Tournament, evaluate, quality, ratings, sprt
from plyground.evaluation.report.report import report_store
from plyground.training import BoardVecEnv, make_env

pytestmark = pytest.mark.fast_cases(8)

GAME = "tic_tac_toe"
MODULE = """
import os
import numpy as np

def first(position):
    return position.legal_actions()[0]

def raises_later(position):
    if len(position.legal_actions()) < 8:
        raise KeyError("mask")  # line 10
    return first(position)

def plays_illegally(position):
    return position.moves[-1] if position.moves else 9

def returns_none(position):
    return None

def returns_array(position):
    return np.array([first(position)])

def exits(position):
    raise SystemExit(3)  # line 23

def ends_its_process(position):
    os._exit(3)
"""
# what is said of each: of the fault, and of its place in the module
WAYS = {
    "raises_later": r"raised KeyError: 'mask'.*mine.py, line 10",
    "plays_illegally": r"played the (illegal )?action \d",
    "returns_none": r"returned None, which is no action",
    "returns_array": r"returned array\(\[\d\]\), .* return int\(action\)",
    "exits": r"raised SystemExit: 3.*mine.py, line 23",
}
# one that a match of this process does not outlive
ISOLATED = WAYS | {"ends_its_process": "ended its process with exit status 3"}


@pytest.fixture(scope="module")
def mine(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    (folder / "mine.py").write_text(MODULE)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.chdir(folder)
        import mine

        yield mine


def plan(player):
    return Plan(GAME, (player, "greedy"), pairs=2)


def a_game(player, folder):
    return str(play_game(GAME, [player, "greedy"], opening=[0, 1]))


def ratings_of_a_plan(player, folder):
    return str(ratings(plan(player)))


def ratings_in_a_notebook(player, folder):
    return html.unescape(ratings(plan(player))._repr_html_())


def a_tournament(player, folder, show=lambda one: json.dumps(one.table().to_json())):
    with Store(folder / "games.db") as store:
        tournament = Tournament(plan(player), store)
        tournament.run()
        return show(tournament)


def a_tournament_in_a_notebook(player, folder):
    return html.unescape(a_tournament(player, folder, lambda one: one._repr_html_()))


def a_report(player, folder):
    a_tournament(player, folder)
    with Store(folder / "games.db") as store:
        (report,) = report_store(store)
    return json.dumps(report.to_json()["agents"])


SHOWN = (
    a_game, ratings_of_a_plan, ratings_in_a_notebook, a_tournament, a_tournament_in_a_notebook,
    a_report,
)  # fmt: skip


# tests/evaluation/test_match.py and runners/test_isolation.py show what is said of each fault; each
# entry point is tried with one that names a place and one that names an answer.
TOLD = ("raises_later", "returns_array")


@pytest.mark.parametrize("way", TOLD)
@pytest.mark.parametrize("entry", SHOWN)
def test_the_result_shows_what_a_function_does_wrong_and_one_warning_too(
    entry, way, mine, tmp_path
):
    with pytest.warns(FaultWarning, match=rf"{way}\)? .*{WAYS[way]}") as noted:
        shown = entry(getattr(mine, way), tmp_path)
    (warning,) = [each for each in noted if each.category is FaultWarning]
    assert warning.filename == __file__
    assert re.search(WAYS[way], shown), shown


def a_measurement(player):
    evaluate(player, GAME, "random", pairs=2)


def an_opponent(player):
    for seed in range(5):
        env = make_env(GAME, opponent=player)
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            *_, over, _, info = env.step(int(info["action_mask"].argmax()))


def opponents_of_a_vector(player):
    env = BoardVecEnv(GAME, 8, player)
    env.reset()
    for _ in range(9):
        env.step(env.action_masks().argmax(axis=1))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("entry", [a_measurement, an_opponent, opponents_of_a_vector])
def test_where_nothing_is_played_on_the_error_says_what_a_function_does_wrong(entry, way, mine):
    with pytest.raises((SpecificationError, IllegalActionError, TypeError, KeyError)) as error:
        entry(getattr(mine, way))
    text = "".join(traceback.format_exception(error.value)).replace('", line', ", line")
    pattern = WAYS[way].removeprefix("raised ")
    pattern = "played illegally|chose the illegal action" if way == "plays_illegally" else pattern
    assert all(re.search(part, text) for part in pattern.split(".*")), text


@pytest.mark.parametrize("way", TOLD)
def test_the_quality_of_moves_comes_with_a_warning(way, mine):
    with pytest.warns(FaultWarning, match=rf"{way} failed to move .*{WAYS[way]}"):
        quality(GAME, ["greedy", getattr(mine, way)], positions=4)


@pytest.mark.parametrize("way", TOLD)
def test_a_sequential_test_comes_with_a_warning(way, mine):
    with pytest.warns(FaultWarning, match=rf"{way} forfeited .*{WAYS[way]}"):
        sprt(GAME, f"python:mine:{way}", "greedy", pairs=2)


def a_ladder(player, folder):
    with pytest.warns(FaultWarning, match=player):
        pool, _ = Ladder(GAME, ["greedy", player], folder / "ladder.db", pairs=1).pool([])
    return str(pool)


def isolated_ratings(player, folder):
    with pytest.warns(FaultWarning, match=player):
        return str(ratings(plan(player)))


def a_command(*words):
    def entry(player, folder):
        store = [] if words[0] == "match" else ["--store", str(folder / "games.db")]
        return plyground(*words, GAME, player, "greedy", *store).stdout

    return entry


def the_report_of_a_command(player, folder):
    a_command("tournament", "--pairs", "1")(player, folder)
    return plyground("report", str(folder / "games.db")).stdout


COMMANDS = {
    "match": a_command("match"),
    "tournament": a_command("tournament", "--pairs", "1"),
    "tournament, JSON": a_command("tournament", "--pairs", "1", "--json"),
    "sprt": a_command("sprt", "--max-pairs", "1"),
    "sprt, JSON": a_command("sprt", "--max-pairs", "1", "--json"),
    "report": the_report_of_a_command,
    "ratings": isolated_ratings,
    "ladder": a_ladder,
}


@pytest.mark.parametrize("way", ["raises_later", "ends_its_process"])
@pytest.mark.parametrize("entry", COMMANDS)
def test_commands_show_what_an_agent_in_a_process_of_its_own_does_wrong(entry, way, mine, tmp_path):
    shown = " ".join(COMMANDS[entry](f"python:mine:{way}", tmp_path).split())
    assert re.search(ISOLATED[way], shown), shown


def test_what_a_tournament_went_on_with_is_not_warned_of_again(mine, tmp_path):
    with pytest.warns(FaultWarning):
        a_tournament(mine.returns_none, tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "returned None" in a_tournament(mine.returns_none, tmp_path)
