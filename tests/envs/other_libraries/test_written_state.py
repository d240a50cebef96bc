"""State that wrappers write into an AEC environment, beside PettingZoo's classic environments."""

from __future__ import annotations

import copy
import functools

import numpy as np
import pytest
from aec_states import outcome_of
from pettingzoo.classic.connect_four import connect_four
from pettingzoo.classic.tictactoe import tictactoe
from plyground.envs.aec import env as make_env
from plyground.envs.aec import raw_env as make_raw_env
from plyground.envs.registry import game_names

pytestmark = pytest.mark.thorough

MAKERS = {
    "env": (make_env, (connect_four.env, tictactoe.env)),
    "raw_env": (make_raw_env, (connect_four.raw_env, tictactoe.raw_env)),
}
# what a wrapper writes: the attribute, and its values for the agent to move and for the other
WRITTEN = {
    "truncated": [("truncations", (True, True))],
    "terminated": [("terminations", (True, True))],
    "both": [("terminations", (True, True)), ("truncations", (True, True))],
    "one truncated, one terminated": [
        ("terminations", (False, True)),
        ("truncations", (True, False)),
    ],
    "the selected agent truncated": [("truncations", (True, False))],
    "the selected agent terminated": [("terminations", (True, False))],
    "rewards": [("truncations", (True, True)), ("rewards", (2.5, -0.5))],
    "cumulative rewards": [("truncations", (True, True)), ("_cumulative_rewards", (3.0, -3.0))],
    "infos": [("terminations", (True, True)), ("infos", ({"note": 1}, {"note": 2}))],
    "rewards of a game that goes on": [("rewards", (1.0, -1.0)), ("_cumulative_rewards", (4, 5))],
}
STATE = ("rewards", "_cumulative_rewards", "terminations", "truncations")


@functools.cache
def made(make, *arguments):
    """An environment, which is reset before each use: making one costs more than these tests."""
    return make(*arguments)


def write(environment, written):
    """Write as wrappers do: whole dictionaries, into the innermost environment."""
    agents = environment.possible_agents
    if environment.agent_selection == agents[1]:
        agents = agents[::-1]
    for name, values in written:
        setattr(environment.unwrapped, name, dict(zip(agents, copy.deepcopy(values))))


def seen(environment, infos):
    """All that can be seen, with agents by their numbers: PettingZoo names them differently."""
    number = environment.possible_agents.index
    last = outcome_of(lambda: environment.last(observe=False)[1:4])
    state = {
        name: {number(agent): value for agent, value in getattr(environment, name).items()}
        for name in (*STATE, *(("infos",) if infos else ()))
    }
    alive = list(map(number, environment.agents))
    selected = number(environment.agent_selection) if alive else None
    # of an agent that is gone each class says so in words of its own
    return state, alive, selected, last if selected in alive else None


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("game", game_names())
def test_written_state_is_taken_as_in_the_environments_of_pettingzoo(game, kind, written):
    make, others = MAKERS[kind]
    ours = made(make, game)
    infos = any(name == "infos" for name, _ in written)
    for other in others:
        theirs = made(other)
        for moves in (0, 1):
            for environment in (ours, theirs):
                environment.reset()
                for _ in range(moves):
                    mask = environment.observe(environment.agent_selection)["action_mask"]
                    environment.step(int(np.flatnonzero(mask)[0]))
                write(environment, written)
            assert seen(ours, infos) == seen(theirs, infos)
            selected = ours.agent_selection
            steps = 0
            while selected in ours.agents and (
                ours.terminations[selected] or ours.truncations[selected]
            ):
                # an action for an agent whose game has ended is refused, with the same words
                first = [outcome_of(lambda e=e: e.step(0))[0] for e in (ours, theirs)]
                assert first[0] == first[1]
                assert first[0][0] is ValueError
                assert [outcome_of(lambda e=e: e.step(None))[0] for e in (ours, theirs)] == [
                    None
                ] * 2
                assert seen(ours, infos) == seen(theirs, infos)
                selected, steps = ours.agent_selection, steps + 1
            dead = {i for name, v in written if name in STATE[2:] for i in (0, 1) if v[i]}
            assert steps == len(dead)


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("game", game_names())
def test_a_move_after_written_state_gives_new_rewards_and_keeps_what_the_other_agent_got(
    game, kind
):
    """As PettingZoo's interface asks: the mover's cumulative reward begins anew."""
    environment = made(MAKERS[kind][0], game)
    environment.reset()
    mover, other = environment.possible_agents
    write(environment, WRITTEN["rewards of a game that goes on"])
    environment.step(int(np.flatnonzero(environment.observe(mover)["action_mask"])[0]))
    assert environment.rewards == {mover: 0.0, other: 0.0}
    assert environment._cumulative_rewards == {mover: 0.0, other: 5.0}
    assert "action_mask" in environment.infos[other]
