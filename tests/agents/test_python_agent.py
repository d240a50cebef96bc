"""Agents of one's own under ``python:``, and the random numbers of all agents."""

from __future__ import annotations

import sys

import pytest
from plyground import make_agent, make_game
from plyground.agents import Agent, Decision
from plyground.envs.compiled.randomness import RandomNumbers, new_stream
from plyground.envs.specification import SpecificationError

# Of the seed 7, on every machine.
INTEGERS, FRACTION = [50, 74, 8, 79, 3], 0.3266255747160617
MODULE = """
class Careful:
    def __init__(self, place=0, label="none", bold=False):
        self.place, self.label, self.bold = place, label, bold

    def act(self, position):
        return position.legal_actions()[self.place]


def choose(position, place=0):
    return position.legal_actions()[place]


def make_any(**options):
    return Careful(**options)


ready = Careful()
"""


class Shuffler(Agent):
    """Plays any legal action."""

    summary = "any legal action"

    def decide(self, position):
        return Decision(self.rng.choice(position.legal_actions()))


@pytest.fixture(autouse=True)
def _module(tmp_path, monkeypatch):
    (tmp_path / "own_agents.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_agents", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", ["Careful", "choose", "make_any"])
def test_options_are_keyword_arguments(name):
    start = make_game("tic_tac_toe").initial_position()
    agent = make_agent(f"python:own_agents:{name},place=4")
    assert agent.act(start) == 4
    assert agent.spec == f"python:own_agents:{name},place=4"
    assert make_agent(f"python:own_agents:{name}").act(start) == 0


def test_options_are_numbers_switches_or_texts():
    bot = make_agent("python:own_agents:Careful,place=2,label=x1,bold=yes").bot.bot
    assert (bot.place, bot.label, bot.bold) == (2, "x1", True)


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("", "write python:MODULE:NAME"),
        (":module_without_function", "write python:MODULE:NAME"),
        (":no_such_module_here:make", "there is no module 'no_such_module_here'"),
        (":json:no_such_function", "has no function 'no_such_function' .it has: .*loads"),
        (":json:JSONDecodeError", r"JSONDecodeError\(\) of module 'json' raised TypeError"),
        (":builtins:list", r"is no agent: list\(\) returned a list, which has no"),
        (":re:sub", "sub of module 're' is no agent: .*: an agent of your own is a function"),
        (":math:pi", r"pi of module 'math' is no agent: 3.14.* does not play: an agent of"),
        (":own_agents:Careful,plaice=4", "has no parameter 'plaice'; did you mean 'place'"),
        (":own_agents:ready,place=4", "has no parameter 'place'"),
        (":own_agents:make_any,plaice=4", "unexpected keyword argument"),
    ],
)
def test_an_agent_that_cannot_be_made_is_refused_with_the_cause(reference, message):
    with pytest.raises(SpecificationError, match=message):
        make_agent(f"python{reference}")


def test_random_numbers_have_the_usual_methods_and_depend_on_the_seed_alone():
    numbers = RandomNumbers(new_stream(7))
    assert [numbers.integers(100) for _ in range(5)] == INTEGERS
    assert numbers.random() == pytest.approx(FRACTION)
    assert all(3 <= numbers.integers(3, 6) < 6 for _ in range(50))
    cards = list(range(10))
    numbers.shuffle(cards)
    assert sorted(cards) == list(range(10))
    assert len(set(numbers.sample(range(100), 20))) == 20
    assert {numbers.choice("abc") for _ in range(50)} == set("abc")
    state = numbers.getstate()
    drawn = numbers.getrandbits(200)
    numbers.setstate(state)
    assert numbers.getrandbits(200) == drawn < 2**200


def test_the_numbers_of_an_agent_begin_anew_with_its_seed():
    start = make_game("gomoku:size=9").initial_position()
    agent = Shuffler(seed=3)
    first = [agent.act(start) for _ in range(5)]
    agent.reset(3)
    assert [agent.act(start) for _ in range(5)] == first
    assert len(set(first)) > 1
    assert [Shuffler(seed=4).act(start) for _ in range(5)] != first
