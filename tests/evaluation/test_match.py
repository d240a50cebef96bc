"""Games between two agents: who wins, what is recorded, and what a misbehaving agent brings on
itself.
"""

from __future__ import annotations

import contextlib
import math
import re
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from plyground import make_agent, make_game
from plyground.agents.faults import ILLEGAL_ACTION, NO_ACTION, OUT_OF_TIME, RAISED, begin, close
from plyground.agents.human import HumanQuit, read_move
from plyground.agents.random_agent import RandomAgent
from plyground.envs import IllegalActionError
from plyground.evaluation.conditions import Conditions
from plyground.evaluation.match import play_game
from plyground.evaluation.runners.isolation import IsolatedAgent

GAMES = ["tic_tac_toe", "connect_four", "dots_and_boxes:rows=2,cols=2,reward=margin"]


class Script:
    """Plays given answers one after the other."""

    def __init__(self, *answers):
        self.answers = list(answers)

    def act(self, position):
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def __str__(self):
        return "script"


@pytest.mark.parametrize("game", GAMES)
def test_the_record_of_a_game_can_be_played_over(game):
    result = play_game(game, [make_agent("random"), make_agent("random")], seeds=(3, 4))
    position = make_game(game).position(result.moves)
    assert position.is_over
    assert position.returns == result.returns
    assert position.outcome.reason == result.reason
    assert position.outcome.winner == result.winner
    assert (result.fault, result.forfeited) == (None, None)
    assert sum(result.decisions) == len(result.moves)
    assert all(seconds > 0 for seconds in result.seconds)


def test_the_opening_is_played_first_and_not_asked_for():
    result = play_game("connect_four", [Script(0, 0, 0), Script(1, 1)], opening=[0, 1])
    assert result.moves == (0, 1, 0, 1, 0, 1, 0)
    assert result.decisions == (3, 2)
    assert result.winner == 0


def test_an_opening_that_cannot_be_played_is_refused():
    with pytest.raises(IllegalActionError, match="not legal"):
        play_game("tic_tac_toe", [Script(), Script()], opening=[4, 4])


def test_a_player_who_moves_again_is_asked_again():
    game = make_game("dots_and_boxes:rows=1,cols=2")
    first = Script(*map(game.text_to_action, ["h 0 0", "v 0 0", "h 1 1"]))
    # v 0 1 completes a box
    second = Script(*map(game.text_to_action, ["h 1 0", "v 0 1", "h 0 1", "v 0 2"]))
    seats = []
    result = play_game(
        game, [first, second], on_move=lambda position, seat, action, decision: seats.append(seat)
    )
    assert seats == [0, 1, 0, 1, 1, 0, 1]
    assert result.decisions == (3, 4)
    assert (result.winner, result.reason) == (1, "2 boxes to 0")


@pytest.mark.parametrize(
    ("answer", "fault", "reason"),
    [
        (
            ValueError("no idea\nat all"),
            RAISED,
            r"player_1 \(bad\) raised ValueError: no idea at all \(test_match.py, line \d+\)",
        ),
        (SystemExit(3), RAISED, r"player_1 \(bad\) raised SystemExit: 3 "),
        (MemoryError(), RAISED, r"player_1 \(bad\) raised MemoryError \("),
        (KeyboardInterrupt(), RAISED, r"player_1 \(bad\) raised KeyboardInterrupt"),
        (GeneratorExit(), RAISED, r"player_1 \(bad\) raised GeneratorExit"),
        (StopIteration(), RAISED, r"player_1 \(bad\) raised StopIteration"),
        (3, ILLEGAL_ACTION, r"player_1 \(bad\) played the illegal action 3 \(d\)"),
        (7, ILLEGAL_ACTION, "played the action 7, which does not exist; actions go from 0 to 6"),
        (-1, ILLEGAL_ACTION, r"played the action -1, which does not exist"),
        (10**30, ILLEGAL_ACTION, r"played the action 10{30}, which does not exist"),
        (None, NO_ACTION, "returned None, which is no action; an action is a whole number"),
        (2.0, NO_ACTION, r"returned 2.0, which is no action"),
        (math.nan, NO_ACTION, r"returned nan, which is no action"),
        (True, NO_ACTION, r"returned True, which is no action"),
        ("d", NO_ACTION, r"returned 'd', which is no action"),
        (np.array([2]), NO_ACTION, r"returned array\(\[2\]\), .* and return int\(action\)"),
    ],
)
def test_a_fault_forfeits_the_game_with_its_reason(answer, fault, reason):
    full_column = [3, 3, 3, 3, 3, 3]
    result = play_game(
        "connect_four", [Script(0), Script(answer)], opening=full_column, names=["good", "bad"]
    )
    assert result.fault == fault
    assert result.forfeited == 1
    assert result.returns == (1.0, -1.0)
    assert result.moves == (*full_column, 0)
    assert re.search(reason, result.reason), result.reason
    assert "\n" not in result.reason


def test_the_time_of_a_game_is_that_of_all_moves_of_a_player():
    def slow(position):
        time.sleep(0.15)
        return position.legal_actions()[0]

    result = play_game("tic_tac_toe", [slow, Script(8, 7)], conditions=Conditions(game_time=0.25))
    assert (result.fault, result.forfeited) == (OUT_OF_TIME, 0)
    assert "s for its moves; 0.25 s a game are allowed" in result.reason


def test_a_forfeit_costs_the_most_that_the_game_can_cost():
    result = play_game("dots_and_boxes:rows=2,cols=3,reward=margin", [Script(None), Script()])
    assert result.returns == (-6.0, 6.0)


def test_a_numpy_whole_number_is_an_action():
    agents = [Script(*np.zeros(4, np.int16)), Script(*np.ones(3, np.uint8))]
    result = play_game("connect_four", agents)
    assert result.moves == (0, 1, 0, 1, 0, 1, 0)
    assert all(type(action) is int for action in result.moves)


@pytest.mark.parametrize("answer", [KeyboardInterrupt, ValueError, None])
def test_ctrl_c_while_an_agent_thinks_ends_the_match_whatever_the_agent_makes_of_it(answer):
    def act(position):
        try:
            signal.raise_signal(signal.SIGINT)
            time.sleep(1)
        except KeyboardInterrupt:
            if answer is not None:
                raise answer() from None
        return position.legal_actions()[0]

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        play_game("tic_tac_toe", [act, Script(8)])
    assert signal.getsignal(signal.SIGINT) is before


def test_an_agent_that_cannot_be_printed_still_forfeits_in_one_line():
    class Hostile:
        def __repr__(self):
            raise RuntimeError

    result = play_game("tic_tac_toe", [Script(Hostile()), Script()])
    assert "returned an unprintable Hostile" in result.reason


def test_an_answer_whose_methods_raise_forfeits():
    class Hostile:
        def __index__(self):
            raise SystemExit(3)

    result = play_game("tic_tac_toe", [Script(Hostile()), Script()])
    assert (result.fault, result.forfeited) == (RAISED, 0)


def test_what_an_agent_says_of_its_tokens_and_does_at_the_end_loses_nothing():
    class Hostile(RandomAgent):
        tokens_of_game = property(lambda self: 1 // 0)

        def close(self):
            raise SystemExit(3)

    hostile = Hostile()
    result = play_game("tic_tac_toe", [hostile, make_agent("random")])
    close(hostile)
    assert (result.fault, result.tokens) == (None, (0, 0))


def test_an_agent_cannot_disturb_the_game_through_the_position_it_is_given():
    class Meddler:
        def act(self, position):
            action = position.legal_actions()[0]
            while not position.is_over:
                position.play(position.legal_actions()[0])
            return action

    result = play_game("tic_tac_toe", [Meddler(), Meddler()])
    assert result.fault is None
    assert make_game("tic_tac_toe").position(result.moves).is_over


def test_an_agent_whose_reset_raises_forfeits_before_the_first_move():
    class Unready(Script):
        def reset(self, seed):
            raise OSError("no model file")

    result = play_game("tic_tac_toe", [Script(), Unready()])
    assert (result.forfeited, result.moves) == (1, ())
    assert result.reason.endswith("before the first move")


def test_on_move_sees_every_move_of_the_agents():
    moves = []
    agents = [make_agent("random"), Script(*range(7))]

    def note(position, *rest):
        moves.append((str(position), *rest))

    play_game("connect_four", agents, opening=[3, 3], on_move=note)
    assert [seat for _, seat, _, _ in moves[:2]] == [0, 1]
    assert moves[0][3].action == moves[0][2]
    assert (moves[1][3].action, moves[1][3].score) == (moves[1][2], None)


# -- a person --


def human(*lines):
    """A human agent who types these lines, and the list of everything it was told."""
    agent, messages, lines = make_agent("human"), [], iter(lines)

    def ask(prompt):
        messages.append(prompt)
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    agent.ask, agent.tell = ask, messages.append
    return agent, messages


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a1", "a1 is taken"),
        ("1 1", "a1 is taken"),
        ("4 1", "row 4, column 1 is off the board; rows go from 1 (bottom) to 3, columns from 1"),
        ("-1 2", "row -1, column 2 is off the board"),
        ("z9", "'z9' is no cell of this board; cells run from a1 to c3"),
        ("hello", "'hello' is no cell of this board"),
        ("", "nothing was entered"),
        ("?", "Possible moves: a3, b3, c3"),
    ],
)
def test_a_person_who_mistypes_is_told_and_asked_again(line, message):
    agent, messages = human(line, "b2")
    position = make_game("tic_tac_toe").position(["a1"])
    assert agent.act(position) == position.game.text_to_action("b2")
    assert any(message in text for text in messages)


@pytest.mark.parametrize("line", ["b3", "3 2", "3,2", " 3  2 "])
def test_a_cell_may_be_given_by_name_or_by_row_and_column(line):
    assert read_move(make_game("tic_tac_toe"), line) == 1


@pytest.mark.parametrize("lines", [["q"], ["quit"], []])
def test_a_person_may_leave_at_any_time(lines):
    agent, _ = human(*lines)
    with pytest.raises(HumanQuit):
        play_game("connect_four", [agent, make_agent("random")])


# -- agents of the user's own --


def write_module(folder: Path, name: str, text: str) -> None:
    (folder / f"{name}.py").write_text(text, encoding="utf-8")


OWN_AGENTS = """
class Bot:
    def act(self, position):
        return position.legal_actions()[-1]

class WithMoves:
    def act(self, position, moves):
        assert moves == (3,), moves
        return position.legal_actions()[-1]

def last(position):
    return position.legal_actions()[-1]

def by_moves(position, moves):
    return position.legal_actions()[-1 if moves == (3,) else 0]

def make_object():
    return Bot()

def make_function():
    return last

def numpys(position=None):
    return Seeded()

class Seeded:
    def reset(self, seed):
        import numpy
        self.random = numpy.random.RandomState(seed)
    def act(self, position):
        self.random.rand()
        return position.legal_actions()[-1]

ready = Bot()
"""


@pytest.mark.parametrize(
    "name",
    ["Bot", "WithMoves", "last", "by_moves", "make_object", "make_function", "numpys", "ready"],
)
@pytest.mark.parametrize("own_process", [False, True])
@pytest.mark.fast_cases(3)
def test_functions_classes_and_objects_of_a_module_play(name, own_process, tmp_path, monkeypatch):
    write_module(tmp_path, "many_bots", OWN_AGENTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(sys.path))
    monkeypatch.delitem(sys.modules, "many_bots", raising=False)
    spec, game = f"python:many_bots:{name}", make_game("connect_four")
    agent = IsolatedAgent(spec, game) if own_process else make_agent(spec, game)
    with contextlib.closing(agent):
        begin(agent, game, 2**62 + 5)
        assert agent.act(game.position([3])) == 6
