"""Every registered agent keeps to the contract of agents, and the contract's checks find those that
do not.
"""

from __future__ import annotations

import functools
import itertools
import re
import time

import pytest
from agent_contract import CHECKS, check_decisions, check_repeatable, check_time
from broken.contract_agents import BROKEN, TIMELESS
from helpers import AGENTS, GAMES, NEED_AN_ARGUMENT, SMALL_GAMES
from networks import write_network
from plyground import make_agent, make_game
from plyground.agents.registry import resolve_agent
from plyground.envs.specification import SpecificationError

SECONDS = 0.05
WITH_TIME = [
    name
    for name in AGENTS
    if any(parameter.name == "time" for parameter in resolve_agent(AGENTS[name])[0].parameters)
]


# Every search is compiled for every game: most of these games' kernels are needed elsewhere too.
def some_of(games):
    """Cases: the first three games, and thoroughly the others."""
    others = pytest.param(games[3:], marks=pytest.mark.thorough)
    return pytest.mark.parametrize("specs", [games[:3], others], ids=["few games", "other games"])


@pytest.fixture(scope="module")
def specification(tmp_path_factory):
    """A function that gives an agent's specification for a game."""
    folder = tmp_path_factory.mktemp("networks")

    def fill_in(name, game):
        if "{network}" not in AGENTS[name]:
            return AGENTS[name]
        path = folder / (re.sub(r"\W", "_", game.spec) + ".onnx")
        if not path.exists():
            write_network(path, game.spec)
        return AGENTS[name].replace("{network}", str(path))

    return fill_in


def accepts(spec, game):
    """Whether an agent plays a game; a refusal must name the game in one sentence."""
    try:
        make_agent(spec, game)
    except SpecificationError as error:
        with pytest.raises(SpecificationError, match=rf"^.*{game.name}.*$"):
            make_agent(spec).act(game.initial_position())
        return not str(error)
    return True


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_plays_a_game_or_refuses_it_with_its_name(name, specification):
    games = [make_game(spec) for spec in (*SMALL_GAMES, *GAMES)]
    accepted_games = [game.spec for game in games if accepts(specification(name, game), game)]
    assert accepted_games


@some_of(SMALL_GAMES)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_keeps_to_the_contract_in_every_game_it_plays(name, check, specs, specification):
    for game in map(make_game, specs):
        spec = specification(name, game)
        if accepts(spec, game):
            check(functools.partial(make_agent, spec, game), game)


@some_of(GAMES)
@pytest.mark.parametrize("name", WITH_TIME)
def test_an_agent_keeps_its_time(name, specs, specification, monkeypatch):
    for game in map(make_game, specs):
        if not accepts(specification(name, game), game):
            continue
        agent_class, options = resolve_agent(specification(name, game))
        limits = {"depth", "simulations", "nodes", "time"}
        other_options = {key: value for key, value in options.items() if key not in limits}
        agent = agent_class(game, 0, **other_options, time=SECONDS)
        with monkeypatch.context() as patch:
            check_time(agent, game.initial_position(), SECONDS, patch)


@pytest.mark.parametrize("name", AGENTS)
def test_an_agents_specification_makes_it_again(name, specification):
    for game in map(make_game, SMALL_GAMES):
        spec = specification(name, game)
        if accepts(spec, game):
            agent = make_agent(spec, game)
            again = make_agent(agent.spec, game)
            assert (again.spec, again.options) == (agent.spec, agent.options)
            assert str(agent) == agent.spec


@pytest.mark.parametrize("name", AGENTS)
def test_an_option_that_an_agent_does_not_have_is_refused_with_those_it_has(name, specification):
    spec = specification(name, make_game(SMALL_GAMES[0]))
    separator = "," if ":" in spec else ":"
    with pytest.raises(SpecificationError, match="has no parameter 'no_such_option'"):
        make_agent(f"{spec}{separator}no_such_option=1")


@pytest.mark.parametrize("name", NEED_AN_ARGUMENT)
def test_an_agent_that_needs_an_argument_says_what_to_write(name):
    with pytest.raises(SpecificationError, match=f"{name}:"):
        make_agent(name)


@pytest.mark.parametrize(("agent_class", "check", "complaint"), BROKEN)
def test_an_agent_that_breaks_the_contract_is_found(agent_class, check, complaint):
    game = make_game("tic_tac_toe")
    numbers = itertools.count()
    check_decisions(lambda seed: make_agent("random", game, seed), game)
    with pytest.raises(AssertionError, match=complaint):
        check(lambda seed: agent_class(game, seed, next(numbers)), game)


def test_an_agent_that_ignores_its_time_is_found(monkeypatch):
    position = make_game("tic_tac_toe").initial_position()
    with pytest.raises(AssertionError, match="of processor time were used"):
        check_time(TIMELESS(), position, SECONDS, monkeypatch)
    assert time.perf_counter is time.process_time  # the check reads the processor's clock
    check_repeatable(lambda seed: make_agent("greedy", position.game, seed), position.game)
