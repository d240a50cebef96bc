"""plyground as an engine of the Gomocup protocol."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from plyground import make_game
from plyground.extras.gomoku_engine.gomocup.brain import Brain
from plyground.extras.gomoku_engine.gomocup.clock import Clock
from plyground.extras.gomoku_engine.gomocup.protocol import (
    OPPONENT,
    OWN,
    ProtocolError,
    Stone,
    position_of,
    stones_of,
)

pytestmark = pytest.mark.thorough

CELL = re.compile(r"\d+,\d+")


class Manager:
    """Sends lines to a brain in this process; its answers, remarks left out, and the remarks."""

    def __init__(self, agent="alphabeta:depth=1"):
        self.sent = []
        self.brain = Brain(agent, self.sent.append)

    def ask(self, *lines):
        before = len(self.sent)
        for line in lines:
            assert self.brain.answer(line)
        return [line for line in self.sent[before:] if not line.startswith("MESSAGE")]

    def remarks(self):
        return [line for line in self.sent if line.startswith("MESSAGE")]


@pytest.fixture
def manager():
    return Manager()


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_a_game_is_played_to_its_end(end, manager):
    game = make_game("gomoku:size=9")
    position = game.initial_position()
    assert manager.ask(f"START 9{end}") == ["OK"]
    answers = manager.ask(f"BEGIN{end}")
    while True:
        (answer,) = answers
        assert CELL.fullmatch(answer)
        column, row = map(int, answer.split(","))
        position.play(row * 9 + column)
        if position.is_over:
            break
        reply = position.legal_actions()[0]
        position.play(reply)
        answers = manager.ask(f"TURN {reply % 9},{reply // 9}{end}")
    assert position.outcome.winner == 0
    (over,) = manager.ask("TURN 0,8")
    assert over.startswith("ERROR")
    assert manager.ask("RESTART") == ["OK"]
    assert CELL.fullmatch(manager.ask("BEGIN")[0])


def test_the_board_of_a_manager_is_answered_like_the_moves_that_led_to_it(manager):
    manager.ask("START 15")
    moves = ["7,7", "8,8", "7,8"]
    by_moves = Manager()
    by_moves.ask("START 15", "PLAY 7,7")
    by_moves.ask("PLAY 0,0", "TAKEBACK 0,0", "TAKEBACK 7,7")
    (answer,) = manager.ask("BOARD", "7,7,2", "8,8,1", "7,8,2", "DONE")
    (same,) = by_moves.ask("BOARD", *(f"{c},{o}" for c, o in zip(moves, (2, 1, 2))), "DONE")
    assert answer == same
    # five wins at once, whoever's stones came in which order
    (winning,) = manager.ask(
        "BOARD", *(f"{x},3,1" for x in range(4)), *(f"{x},9,2" for x in (0, 2, 4, 6)), "DONE"
    )
    assert winning == "4,3"


def test_the_board_of_yixin_board_is_set_without_an_answer(manager):
    """Whoever is to move: an opponent's TURN goes on from it, and so does BOARD."""
    assert manager.ask("\ufeffSTART 15 15") == ["OK"]
    row = [f"{x},3,1" for x in range(3)]
    others = ["0,9,2", "2,9,2"]
    assert manager.ask("yxboard", *row, *others, "done") == []
    assert manager.ask("TURN 1,3")[0] == "ERROR 1,3 is taken"
    by_board = Manager()
    by_board.ask("START 15")
    (answer,) = manager.ask("TURN 4,9")
    assert by_board.ask("BOARD", *row, *others, "4,9,2", "DONE") == [answer]
    assert manager.ask("YXBOARD", *row, "3,3,1", *others, "4,9,2", "6,9,2", "DONE") == []
    assert manager.ask("BOARD", *row, "3,3,1", *others, "4,9,2", "6,9,2", "DONE") == ["4,3"]
    assert manager.ask("YXBOARD", "DONE") == []
    assert CELL.fullmatch(manager.ask("BEGIN")[0])


def test_a_board_that_is_refused_leaves_the_stones_as_they_were(manager):
    manager.ask("START 15", "YXBOARD", "7,7,2", "DONE")
    for command in ("BOARD", "YXBOARD"):
        (refusal,) = manager.ask(command, "1,1,1", "1,1,1", "DONE")
        assert refusal.startswith("ERROR")
    manager.ask("BOARD", "1,1,1", "DONE")
    assert manager.ask("TURN 7,7") == ["ERROR 7,7 is taken"]


def test_moves_are_taken_back(manager):
    manager.ask("START 15")
    (answer,) = manager.ask("TURN 7,7")
    assert manager.ask(f"TAKEBACK {answer}", "TAKEBACK 7,7") == ["OK", "OK"]
    assert CELL.fullmatch(manager.ask("BEGIN")[0])
    assert manager.ask("TAKEBACK 0,0")[0].startswith("ERROR there is no stone")


def test_a_move_that_is_told_is_played(manager):
    manager.ask("RECTSTART 9,7")
    assert manager.ask("PLAY 8,6") == ["8,6"]
    assert manager.ask("TURN 8,6")[0] == "ERROR 8,6 is taken"
    assert CELL.fullmatch(manager.ask("TURN 0,0")[0])


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["BEGIN"], "ERROR no game has begun; START SIZE begins one"),
        (["RESTART"], "ERROR no game has begun; START SIZE begins one"),
        (["START 4"], "ERROR gomoku cannot be played so: 5 in a row do not fit"),
        (["START 200"], "ERROR rows=200 is not possible for gomoku"),
        (["START fifteen"], "ERROR 'fifteen' is not of the form 15"),
        (["START 15 20"], "ERROR '15 20' is not of the form 15"),
        (["RECTSTART 15"], "ERROR '15' is not of the form 20,15"),
        (["START 15", "TURN 7"], "ERROR '7' is not of the form 7,8"),
        (["START 15", "TURN 15,0"], "ERROR 15,0 is off the board of 15x15"),
        (["START 15", "TURN 7,7", "BEGIN"], "ERROR BEGIN is for an empty board"),
        (["START 15", "BOARD", "1,1,3", "DONE"], "ERROR 1,1,3: a stone is of 1"),
        (["START 15", "BOARD", "1,1,1", "1,1,2", "DONE"], "ERROR two stones are on one cell"),
        (["YXBOARD"], "ERROR no game has begun"),
        (["START 15", "YXBOARD", "1,1,1", "1,1,2", "DONE"], "ERROR two stones are on one cell"),
        (["START 15", "YXBOARD", "15,1,1", "DONE"], "ERROR 15,1 is off the board of 15x15"),
        (["START 15", "BOARD", "1,1,1", "DONE"], "ERROR with 1 own stones and 0"),
        (["INFO rule 4", "START 15"], "ERROR rule 4 is not known; the rules are 0 freestyle, "),
        (["START 15", "INFO rule 2", "BEGIN"], "ERROR rule 2 is not known"),
        (["START 15", "SWAP2BOARD", "7,7", "DONE"], "ERROR swap2 has 0, 3 or 5 stones"),
        (["HELLO"], "UNKNOWN HELLO"),
    ],
)
def test_what_cannot_be_is_answered_with_the_reason_and_does_not_end_the_engine(
    lines, answer, manager
):
    assert manager.ask(*lines)[-1].startswith(answer)
    assert manager.ask("INFO rule 0", "START 15")[-1] == "OK"
    assert CELL.fullmatch(manager.ask("BEGIN")[-1])


@pytest.mark.parametrize(
    ("rule", "wins"), [(0, ["0,3", "5,3"]), (1, ["0,3"]), (8, ["0,3", "5,3"]), (9, ["0,3"])]
)
def test_the_rule_decides_what_wins(rule, wins, manager):
    """Own stones at 1 to 4 and at 6 of a row: the fifth makes five, or six with the other."""
    manager.ask("START 15", f"INFO rule {rule}")
    own = [f"{x},3,1" for x in (1, 2, 3, 4, 6)]
    other = [f"{x},{y},2" for x, y in ((0, 9), (2, 12), (6, 6), (9, 0), (14, 14))]
    assert manager.ask("BOARD", *own, *other, "DONE")[0] in wins


def test_settings_have_no_answer_and_what_is_unknown_is_ignored(manager):
    manager.ask("START 15")
    settings = (
        "timeout_turn 100", "timeout_match 60000", "time_left 60000", "max_memory 83886080000",
        "game_type 1", "folder /tmp", "something new", "timeout_turn soon",
    )  # fmt: skip
    assert manager.ask(*(f"INFO {setting}" for setting in settings), "") == []
    assert manager.remarks() == ["MESSAGE INFO timeout_turn: 'soon' is not of the form 1000"]
    manager.ask("INFO max_memory 1000000")
    assert "MiB are already in use" in manager.remarks()[-1]


def test_what_a_move_was_worth_is_told(manager):
    manager.ask("START 15", "TURN 7,7")
    assert re.match(r"MESSAGE depth 1, .* points \(estimate\), nodes \d+, line ", manager.sent[-2])
    manager.ask(f"INFO evaluate {manager.sent[-1]}")
    assert re.match(r"MESSAGE \w+: [+-]?\d+ points", manager.sent[-1])
    manager.ask("INFO evaluate 0,0")
    assert manager.sent[-1] == "MESSAGE a15: not valued"


def test_about_names_the_engine(manager):
    (about,) = manager.ask("ABOUT")
    assert about.startswith('name="plyground", version="')


def test_swap2_is_proposed_and_answered():
    manager = Manager("alphabeta:depth=2")
    manager.ask("START 15", "INFO timeout_turn 400")
    (proposal,) = manager.ask("SWAP2BOARD", "DONE")
    stones = proposal.split(" ")
    assert len(set(stones)) == 3
    assert all(CELL.fullmatch(stone) for stone in stones)
    # black has an open three: who may choose takes black
    assert manager.ask("SWAP2BOARD", "6,7", "0,0", "7,7", "1,14", "8,7", "DONE") == ["SWAP"]
    # black's stones are far apart, white is to move and has more to say
    answer = manager.ask("SWAP2BOARD", "0,0", "7,7", "14,14", "DONE")[0]
    assert CELL.fullmatch(answer)


def test_an_agent_that_fails_is_an_error_and_the_engine_goes_on():
    manager = Manager("python:broken.agents:Raises")
    manager.ask("START 15")
    manager.ask("BEGIN")
    answers = manager.ask("TURN 14,14")
    assert answers == ["ERROR python:broken.agents:Raises failed: ValueError: I give up"]
    assert manager.ask("START 15") == ["OK"]


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2]])
def test_stones_in_any_order_make_the_position(order):
    game = make_game("gomoku:size=7")
    position = game.position([10, 20, 30, 40])
    stones = stones_of(position)
    assert position_of(game, [stones[place] for place in order]) == position
    assert position_of(game, stones).moves == (10, 20, 30, 40)


def test_stones_that_leave_the_opponent_the_move_are_refused():
    with pytest.raises(ProtocolError, match="not the engine's turn"):
        position_of(make_game("gomoku:size=7"), [Stone(1, OWN), Stone(2, OWN), Stone(3, OPPONENT)])


# -- time --


def test_a_crowded_machine_gets_a_wider_margin():
    alone, busy = Clock(load=lambda: 1.0), Clock(load=lambda: 3.0)
    for clock in (alone, busy):
        clock.set_limit("timeout_turn", 1000)
    assert 1 - busy.budget() == pytest.approx(3 * (1 - alone.budget()))


def test_a_move_takes_less_than_every_limit():
    clock = Clock(load=lambda: 1.0)
    assert clock.budget() == 1.0
    clock.set_limit("timeout_turn", 1000)
    assert 0.9 < clock.budget() < 0.95
    clock.set_limit("timeout_match", 10_000)
    assert clock.budget() < 0.5
    clock.set_limit("time_left", 1000)
    assert clock.budget() < 0.05
    clock.add_move(0.95, 0.05)
    assert 0 < clock.budget() <= 0.0025
    clock.begin_game()
    assert 0.1 < clock.budget() < 0.5


def test_delays_that_were_met_widen_the_margin_up_to_half_the_limit():
    clock = Clock(load=lambda: 1.0)
    clock.set_limit("timeout_turn", 1000)
    before = clock.budget()
    clock.add_move(before + 0.1, before)
    assert clock.budget() == pytest.approx(before - 0.2)
    clock.add_move(5.0, before)
    assert clock.budget() == pytest.approx(0.5)


def test_a_limit_of_zero_asks_for_the_quickest_answer():
    clock = Clock(2.0, load=lambda: 1.0)
    assert clock.budget() == 2.0
    clock.set_limit("timeout_turn", 0)
    assert clock.budget() == 0.001


def test_a_game_without_moves_left_in_time_never_has_a_budget_beyond_what_is_left():
    clock = Clock(load=lambda: 1.0)
    clock.set_limit("timeout_match", 5000)
    total = 0.0
    for _ in range(200):
        budget = clock.budget()
        clock.add_move(budget + 0.001, budget)
        total += budget
    assert total < 5.0


# -- the command --


def engine(*words, **settings):
    return subprocess.Popen(
        [sys.executable, "-m", "plyground.cli", "gomocup", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
        **settings,
    )


def test_the_command_answers_every_line_in_order_and_ends_with_its_input():
    process = engine("--agent", "easy")
    out, _ = process.communicate("START 15\r\nTURN 7,7\r\n\r\nWHAT\r\nTURN 7,7\n", timeout=240)
    answers = [line for line in out.splitlines() if not line.startswith("MESSAGE")]
    assert answers[0] == "OK"
    assert CELL.fullmatch(answers[1])
    assert answers[2:] == ["UNKNOWN WHAT", "ERROR 7,7 is taken"]
    assert process.returncode == 0


def test_end_while_it_thinks_ends_it_at_once():
    process = engine()
    for line in ("START 15", "INFO timeout_turn 3600000", "TURN 7,7"):
        print(line, file=process.stdin)
    lines = [process.stdout.readline() for _ in range(2)]
    assert lines[0] == "OK\n"
    assert lines[1].startswith("MESSAGE depth")
    print("END", file=process.stdin)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert not CELL.fullmatch(out.splitlines()[-1] if out else "")


def test_what_an_agent_prints_is_no_answer():
    process = engine("--agent", "python:broken.agents:PrintsALot", cwd="tests")
    out, _ = process.communicate("START 7\nBEGIN\nEND\n", timeout=240)
    assert [line for line in out.splitlines() if "MESSAGE" not in line] == ["OK", "0,0"]


def test_an_unknown_agent_is_refused_in_a_sentence():
    process = engine("--agent", "nobody", stderr=subprocess.PIPE)
    _, errors = process.communicate("", timeout=240)
    assert process.returncode == 2
    assert errors.startswith("plyground: there is no agent 'nobody'")
    assert errors.count("\n") == 1
