"""``plyground analyse`` and ``solve``: what they print is what agents and solvers find out."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import signal
import subprocess
import sys

import pytest
from command_line import plyground, plyground_json
from plyground import make_agent, make_game
from plyground.agents.decision import Decision, Score
from plyground.agents.solvers.solver import Solver
from plyground.envs.registry import profiles
from plyground.evaluation.report.analysis import static_evaluations, static_text
from plyground.evaluation.report.display import score_in_words, thoughts

AGENTS = [
    "random",
    "greedy",
    "minimax:depth=2",
    "alphabeta:depth=4",
    "montecarlo:simulations=20",
    "mcts:simulations=300",
    "solver",
]


# -- analyse --


@pytest.mark.parametrize("agent", AGENTS)
def test_analyse_shows_what_every_agent_decides(agent):
    game = make_game("connect_four:rows=4,cols=5")
    position = game.position("cc")
    decision = make_agent(agent, game, seed=1).analyse(position)
    output = plyground_json(f"analyse {game.spec} --moves c,c --agent {agent}")
    assert (output["action"], output["value"], output["nodes"]) == (
        decision.action,
        decision.value,
        decision.nodes,
    )
    assert output["principal_variation"] == [
        game.action_to_text(action) for action in decision.principal_variation
    ]
    text = plyground(f"analyse {game.spec} --moves c,c --agent {agent}").stdout
    assert text.startswith(f"{position}\n\nRed (X) to move\n")
    assert f"plays        {game.action_to_text(decision.action)}\n" in text
    if decision.value is None:
        assert "value        none: random estimates nothing" in text
    else:
        assert re.search(r"value +.* for Red \(X\), who is to move", text)


def test_actions_are_listed_from_the_best_and_the_chosen_one_is_first():
    output = plyground_json("analyse connect_four --moves d,d,d --agent alphabeta:depth=5 --all")
    values = [action["value"] for action in output["actions"]]
    assert len(values) == 7
    assert values == sorted(values, reverse=True)
    assert output["actions"][0]["action"] == output["action"]
    text = plyground("analyse connect_four --moves d,d,d --agent alphabeta:depth=5 --all").stdout
    assert re.findall(r"^([a-g]) +[+-]?\d+ points \(estimate\)$", text, re.MULTILINE) == [
        action["name"] for action in output["actions"]
    ]


def test_long_lists_are_cut_unless_all_are_asked_for():
    command = "analyse tic_tac_toe:size=5 --agent montecarlo:simulations=2"
    assert "and 13 more (--all lists them)" in plyground(command).stdout
    assert (
        len(re.findall(r"^[a-e]\d +[+-]", plyground(f"{command} --all").stdout, re.MULTILINE)) == 25
    )


def test_values_are_those_of_the_player_to_move():
    # Three in a column: whoever is to move wins, or must lose to the other side's threat.
    assert (
        "wins in 1 ply for Red (X), who is to move (proved)"
        in plyground("analyse connect_four --moves a,b,a,b,a,b --agent alphabeta").stdout
    )
    lost = plyground("analyse connect_four --moves c,c,d,d,e --agent alphabeta").stdout
    assert "loses in 2 plies for Yellow (O), who is to move (proved)" in lost


@pytest.mark.parametrize(
    ("agent", "stages"),
    [("alphabeta:depth=4", 4), ("mcts:simulations=1000", 4), ("montecarlo:simulations=3", 0)],
)
def test_verbose_tells_every_stage_of_an_iterative_search(agent, stages):
    text = plyground(f"analyse connect_four --agent {agent} --verbose").stdout
    line = r"^(?:depth +\d+ +[\d,]+ nodes| +[\d,]+ simulations) +[\d.]+ .s "
    assert len(re.findall(line, text, re.MULTILINE)) == stages
    output = plyground_json(f"analyse connect_four --agent {agent} --verbose")["progress"]
    assert len(output) == stages
    work = [stage["simulations"] or stage["nodes"] for stage in output]
    assert work == sorted(set(work))


@pytest.mark.parametrize("threads", [1, 3])
def test_reports_of_progress_do_not_change_what_mcts_finds(threads):
    position, output = make_game("connect_four").position("d"), []
    silent, verbose = (make_agent(f"mcts:simulations=500,threads={threads}") for _ in range(2))
    verbose.on_progress = lambda decision: output.append(decision.simulations)
    expected, actual = (
        dataclasses.replace(agent.analyse(position), seconds=0.0) for agent in (silent, verbose)
    )
    assert actual == expected
    assert output == [64, 128, 256]


def test_a_move_from_the_book_is_called_so():
    text = plyground("analyse connect_four --agent alphabeta:book=centre").stdout
    assert "plays        d, from the opening book\nvalue        none: the book states" in text
    game = make_game("connect_four")
    decision = make_agent("alphabeta:book=centre").analyse(game.initial_position())
    assert thoughts(game, decision).startswith("from the opening book")


def test_one_node_and_one_simulation_are_named_so():
    text = thoughts(make_game("hex"), Decision(0, nodes=1, simulations=1))
    assert text.startswith("1 node; 1 simulation; ")


@pytest.mark.parametrize(
    ("spec", "score", "words"),
    [
        ("connect_four", Score(1.0, "return", "exact", 7), "wins in 7 plies"),
        ("connect_four", Score(-1.0, "return", "exact", 1), "loses in 1 ply"),
        ("connect_four", Score(1.0, "return", "estimate", 3), "wins in 3 plies (not proved)"),
        ("connect_four", Score(0.0, "return", "exact"), "draw"),
        ("connect_four", Score(0.0, "return", "lower"), "≥ draw"),
        ("connect_four", Score(12.0, "points"), "+12 points (estimate)"),
        ("connect_four", Score(0.0, "points"), "0 points (estimate)"),
        ("connect_four", Score(-3.0, "points", "upper"), "≤ -3 points"),
        ("connect_four", Score(0.314), "+0.31 (estimate)"),
        ("connect_four", Score(1.0), "+1.00 (estimate)"),
        ("connect_four", Score(1.0, "return", "exact"), "wins"),
        ("connect_four", Score(-1.0, "return", "exact"), "loses"),
        (
            "dots_and_boxes:reward=margin",
            Score(4.0, "return", "exact", 40),
            "wins by 4 in 40 plies",
        ),
        ("dots_and_boxes:reward=margin", Score(-2.0, "return", "exact"), "loses by 2"),
    ],
)
def test_scores_in_words(spec, score, words):
    assert score_in_words(make_game(spec), score) == words
    assert Score.from_json(json.loads(json.dumps(score.to_json()))) == score


def test_estimates_and_results_of_actions_are_told_apart_in_text_and_json():
    # For the actions not found to win only estimates are known; the solver calls them draws.
    command = "analyse tic_tac_toe --moves a1,b1 --agent alphabeta:depth=9 --all"
    text = plyground(command).stdout
    assert len(re.findall(r"^[a-c]\d +wins in 5 plies$", text, re.MULTILINE)) == 3
    assert len(re.findall(r"^[a-c]\d +[+]?\d points? \(estimate\)$", text, re.MULTILINE)) == 4
    output = plyground_json(command)
    assert (output["score"]["kind"], output["score"]["plies"], output["mate_in"]) == ("exact", 5, 5)
    kinds = [action["score"]["kind"] for action in output["actions"]]
    assert kinds == ["exact"] * 3 + ["estimate"] * 4


def test_greedy_says_which_actions_win_and_which_lose_at_once():
    output = plyground_json("analyse tic_tac_toe --moves a1,b1,a2,b2 --agent greedy")
    words = {action["name"]: action["score_in_words"] for action in output["actions"]}
    assert output["score_in_words"] == words["a3"] == "wins in 1 ply"
    assert words["c1"] == "loses in 2 plies"
    assert words["b3"].endswith("point (estimate)")


# -- static evaluations --


@pytest.mark.parametrize(
    ("spec", "moves", "expected"),
    [
        # `threats` counts 2 for each of the 7 lines through the cell; `windows` 1 for the centre.
        ("connect_four", "d", {"threats": (14, -14), "windows": (1, -1)}),
        # Four of the eight lines go through the centre and are closed to player_1.
        ("tic_tac_toe", "b2", {"lines": (4, -4)}),
        # `classic` counts 2 points for every box with less than two sides, for either player.
        ("dots_and_boxes:rows=1,cols=1", "", {"chains": (-17, 17), "classic": (2, 2)}),
    ],
)
def test_static_evaluations_are_given_by_every_heuristic_for_both_players(spec, moves, expected):
    game = make_game(spec)
    position = game.position(moves.split(",") if moves else ())
    assert static_evaluations(position) == expected
    text = static_text(position).splitlines()
    players = game.declaration.player_names(marked=True)
    assert re.split("  +", text[0]) == ["heuristic", *players, "scaled", "scaled"]
    lead = game.profile.lead  # worth a half
    for line, points in zip(text[1:], expected.values()):
        shares = [float(word) for word in line.split()[3:]]
        odds = [3 ** (p / lead) for p in points]
        assert shares == [pytest.approx((o - 1) / (o + 1), abs=5e-4) for o in odds]
    assert [line.split()[0] for line in text[1:]] == list(game.declaration.heuristics)


def test_a_finished_game_has_no_static_evaluation():
    with pytest.raises(ValueError, match="the game is over"):
        static_evaluations(make_game("tic_tac_toe").position(["a1", "b1", "a2", "b2", "a3"]))


# -- solve --


def test_solve_tells_value_best_moves_and_line():
    output = plyground_json("solve connect_four:rows=4,cols=4 --all-moves")
    assert (output["value"], output["result"], output["exact"]) == (0, 0, True)
    assert set(output["values"]) == set("abcd")
    assert output["optimal_actions"] == [name for name in "abcd" if output["values"][name] == 0]
    text = plyground("solve connect_four:rows=4,cols=4 --all-moves").stdout
    assert "value        0: a draw\n" in text
    assert f"best         {', '.join(output['optimal_actions'])}\n" in text
    assert "0: a draw; −k: loses" in text


def test_solve_knows_who_is_to_move():
    # 1×1 boxes: the first player must in the end give the only box away, and after one edge that is
    # the other side's gain.
    for words, value in (
        ("", "value        -1: Red (A), who is to move, loses"),
        (" --moves 0", "value        +1: Yellow (B), who is to move, wins"),
        (" --moves 0 --weak", "value        Yellow (B), who is to move, wins"),
    ):
        assert value in plyground(f"solve dots_and_boxes:rows=1,cols=1{words}").stdout


def test_a_time_limit_gives_the_bounds_proved_so_far():
    result = plyground("solve connect_four:rows=7,cols=7 --time 0.2 --memory 64")
    assert result.stderr.endswith("not proved within 0.2 s; --time 0 sets no limit\n")
    assert result.exit_code == 0
    assert re.search(
        r"value +not proved: from [+-]\d+ to [+-]\d+\nbest +[a-g], as far as it is known",
        result.stdout,
    )


def test_there_is_a_time_limit_unless_it_is_lifted(monkeypatch):
    limits, solve = [], Solver.solve

    def note_limit(solver, position, **options):
        limits.append(options["time"])
        return solve(solver, position, **options)

    monkeypatch.setattr(Solver, "solve", note_limit)
    for words in ("", " --time 0", " --time 5"):
        assert plyground(f"solve dots_and_boxes:rows=1,cols=1{words}").exit_code == 0
    assert limits == [60.0, None, 5.0]


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent as a POSIX signal")
def test_an_interrupt_prints_the_bounds_proved_so_far():
    # The handler is in place when the board has been printed: compiling, which an interrupt ends as
    # well, is done beforehand.
    plyground("solve connect_four:rows=7,cols=7 --time 0.01")
    code = (
        "import os, signal, sys, threading; from plyground.cli import main\n"
        "from plyground.agents.solvers import solver\n"
        "stopped = solver.Monitor.should_stop\n"
        "def interrupt_once(self, *known):\n"
        "    if self.seconds > 0.3: os.kill(os.getpid(), signal.SIGINT)\n"
        "    return stopped(self, *known)\n"
        "solver.Monitor.should_stop = interrupt_once\n"
        "sys.argv = ['plyground', 'solve', 'connect_four:rows=7,cols=7']; main()"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 128 + signal.SIGINT
    assert re.search(r"value +not proved: from [+-]\d+ to [+-]\d+\n", result.stdout)
    assert "stopped by Ctrl-C before the value was proved\n" in result.stderr
    assert "Traceback" not in result.stderr


def test_static_as_json_holds_the_points():
    value = plyground_json("analyse connect_four --moves d,d,c --static")
    assert "heuristic  " in plyground("analyse connect_four --moves d,d,c --static").stdout
    position = make_game("connect_four").position(["d", "d", "c"])
    assert value["heuristics"] == {
        name: {"player_0": first, "player_1": second}
        for name, (first, second) in static_evaluations(position).items()
    }
    assert value["to_move"] == "player_1"
    first, second = value["scaled"]["windows"].values()
    assert -1 < first == -second < 1


@pytest.mark.parametrize("command", ["analyse {} --agent greedy", "solve {}"])
def test_a_position_given_by_its_board_is_the_one_reached_by_moves(command):
    game = make_game("connect_four:rows=4,cols=4")
    board = game.position("ab").to_text()
    command = command.format(game.spec)
    by_moves = plyground_json(f"{command} --moves a,b,c,a")
    by_board = plyground_json(f"{command} --position {board} --moves c,a")
    assert (by_board["position"], by_board["moves"]) == (board, "c,a")
    timing = {"position", "moves", "seconds", "per_second", "nodes_per_second"}
    for name in by_board.keys() - timing:
        assert by_board[name] == by_moves[name], name


SAMPLES = [board for profile in profiles().values() for board in profile.boards]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_the_boards_of_the_courses_are_examples(sample):
    result = plyground(f"analyse --example {sample.name} --agent alphabeta:depth=2 --json")
    position = make_game(sample.game).position_from_text(sample.position, check=False)
    assert json.loads(result.stdout)["position"] == position.to_text() == sample.position
    assert ("this position cannot occur in a game: " in result.stderr) == bool(position.problems())
