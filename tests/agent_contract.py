"""What every agent must keep to, as checks of an agent on a game.

A check takes a function ``make(seed)`` that makes the agent for the game. It raises AssertionError.
tests/test_agents.py applies them to every registered agent, and to agents that break them.
"""

from __future__ import annotations

import contextlib
import copy
import pickle
import time
from collections.abc import Callable

import numpy as np
import pytest
from aec_states import pettingzoo_module
from helpers import random_position
from plyground import Agent, Decision, Game, Position, make_game
from plyground.envs.aec import env as make_env
from plyground.envs.specification import SpecificationError

OTHER_GAMES = ("connect_four", "dots_and_boxes:rows=4,cols=4", "gomoku:size=9", "tic_tac_toe")
Make = Callable[[int], Agent]


def content(decision: Decision) -> dict:
    """What a decision says, without the time that it took."""
    return {name: value for name, value in vars(decision).items() if name != "seconds"}


def course(agent: Agent, game: Game, plies: int = 0) -> list[dict]:
    """All decisions of an agent that plays both sides, after some random plies."""
    position, decisions = random_position(game, plies), []
    while not position.is_over:
        decision = agent.analyse(position)
        decisions.append(content(decision))
        position.play(decision.action)
    return decisions


def check_decisions(make: Make, game: Game) -> None:
    """Every decision of a game is legal, says what is possible, and leaves the position alone."""
    agent, position = make(1), game.initial_position()
    while not position.is_over:
        before, legal = position.copy(), position.legal_actions()
        decision = agent.analyse(position)
        assert position == before, "the agent changes the position that it is asked about"
        assert decision.action in legal, f"{decision.action} is not legal"
        for values in (decision.scores, decision.visits, decision.errors, decision.probabilities):
            assert set(values or ()) <= set(legal), "values are of actions that are not legal"
        largest = game.facts.max_return + 1e-6
        for score in (decision.score, *(decision.scores or {}).values()):
            if score is not None and score.unit == "return":
                assert -largest <= score.value <= largest, f"no game returns {score.value}"
        check_line(position, decision)
        assert min(decision.nodes, decision.simulations, decision.depth, decision.seconds) >= 0
        position.play(decision.action)


def check_line(position: Position, decision: Decision) -> None:
    """The principal variation begins with the action and can be played."""
    line, ahead = decision.principal_variation, position.copy()
    assert not line or line[0] == decision.action, "the line does not begin with the action"
    for action in line:
        assert ahead.is_legal(action), f"the line {line} cannot be played"
        ahead.play(action)


def check_repeatable(make: Make, game: Game) -> None:
    """Equal seeds give equal decisions, also after a reset; if declared, all seeds do."""
    agent = make(3)
    first = course(agent, game)
    assert course(make(3), game) == first, "another agent with the same seed decides differently"
    agent.reset(3)
    assert course(agent, game) == first, "after a reset to its seed the agent decides differently"
    if agent.deterministic:
        actions = [decision["action"] for decision in first]
        others = [decision["action"] for decision in course(make(4), game)]
        assert others == actions, "the agent says that it ignores its seed, and does not"


def check_act(make: Make, game: Game) -> None:
    """``act`` plays what ``analyse`` decides, and draws the same random numbers."""
    acting, analysing, position = make(2), make(2), game.initial_position()
    while not position.is_over:
        action = analysing.analyse(position).action
        assert acting.act(position) == action, "act plays another action than analyse"
        assert acting.stream == analysing.stream, "act draws other random numbers"
        position.play(action)


def check_copies(make: Make, game: Game) -> None:
    """A copy made in the middle of a game goes on as the original does."""
    agent = make(5)
    agent.analyse(random_position(game, 2))
    copies = [copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))]
    expected = course(agent, game, 3)
    for twin in copies:
        assert course(twin, game, 3) == expected, "a copy decides differently"


def check_situations(make: Make, game: Game) -> None:
    """A position, an environment and an observation of the same situation give one action.

    So does PettingZoo's own environment, if it has the game.
    """
    env, module = make_env(game), pettingzoo_module(game)
    others = [] if module is None else [module.env(), module.raw_env()]
    for each in (env, *others):
        each.reset(seed=1)
    for _ in range(2):
        action = env.position.legal_actions()[0]
        if not env.position.after(action).is_over:
            for each in (env, *others):
                each.step(action)
    observation = env.observe(env.agent_selection)
    actions = [make(6).act(situation) for situation in (env.position, env, *others, observation)]
    assert len(set(actions)) == 1, f"the same situation gives the actions {actions}"
    assert np.all(env.observe(env.agent_selection)["observation"] == observation["observation"])


def check_refuses_a_finished_game(make: Make, game: Game) -> None:
    """An agent that is asked after the end says that the game is over."""
    end = random_position(game, game.facts.longest_game)
    with pytest.raises(ValueError, match="the game is over"):
        make(7).act(end)


def check_time(agent: Agent, position: Position, seconds: float, monkeypatch) -> None:
    """The agent stops when its time is up.

    The clock that agents read is replaced by the processor's clock of this process: a busy machine
    does not make it run faster. The bound leaves room for the last slice of a search, which is some
    milliseconds, and for everything that is done once for each decision.
    """
    agent.get_ready(position.game)
    agent.act(position)
    monkeypatch.setattr(time, "perf_counter", time.process_time)
    agent.reset(8)
    began = time.process_time()
    agent.act(position)
    used = time.process_time() - began
    assert used < seconds + 0.5, (
        f"{used:.2f} s of processor time were used, {seconds} s are allowed"
    )


def check_of_a_game_changes_nothing(make: Make, game: Game) -> None:
    """``check_game`` leaves an agent as it is, also where it refuses the game."""
    agent = make(9)
    agent.analyse(game.initial_position())
    before = dict(vars(agent))
    for other in map(make_game, OTHER_GAMES):
        with contextlib.suppress(SpecificationError):
            agent.check_game(other)
        assert vars(agent).keys() == before.keys(), "check_game sets an attribute"
        for name, value in before.items():
            assert vars(agent)[name] is value, f"check_game changes {name}"
    agent.analyse(game.initial_position())


CHECKS = [
    check_of_a_game_changes_nothing,
    check_decisions,
    check_repeatable,
    check_act,
    check_copies,
    check_situations,
    check_refuses_a_finished_game,
]
