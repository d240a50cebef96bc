"""Agents as judges of a learner's actions: the reward ``regret=`` of environments for learners.

A value is in units of the return. A result seen some plies ahead is discounted by ``DISCOUNT`` for
each ply, so that of two wins the quicker one has no regret and the slower one a little. Points of a
heuristic become expected returns by the scale of the game's profile; they stay below a proven win.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from ..envs.compiled.kernels import inner_kernel
from ..envs.game import Game, Position
from ..envs.single_agent.regret import Judge, regret_of
from ..envs.specification import SpecificationError
from .agent import Agent
from .compiled_opponents import compiled_form
from .decision import Score
from .registry import make_agent
from .search import deepening
from .search.alphabeta import TreeSearchAgent
from .search.alphabeta_kernels import LEAD, PROVEN, WIN
from .search.deepening import ALL_NODES, TreeSearch

DISCOUNT = 0.99
GREATEST_ESTIMATE = 0.9  # of the highest return


class _SearchJudge(NamedTuple):
    """``alphabeta`` or ``minimax`` to a fixed depth, with an exact value for every action."""

    search: TreeSearch
    slope: float  # expected return = limit · tanh(points · slope)
    limit: float


@inner_kernel
def _value_of_points(judge, points):
    """The value for points of a search."""
    if abs(points) <= PROVEN:
        return judge.limit * np.tanh(np.float64(points) * judge.slope)
    result = np.round(np.float64(points) / WIN)
    plies = (np.int64(abs(result)) * WIN - abs(points)) % LEAD
    return result * DISCOUNT ** np.float64(plies)


@regret_of.register_body(_SearchJudge)
@inner_kernel
def _regret_by_search(judge, rules, position, action):
    form, options, plan, workspace, table, symmetries = judge.search
    deepening.begin(form, plan, workspace, table, position)
    status = deepening.ITERATION_OPEN
    while status != deepening.SEARCH_COMPLETE:
        status = deepening.deepen(form, options, plan, workspace, table, symmetries, ALL_NODES)
    value = _value_of_points(judge, workspace.root_values[action])
    return _value_of_points(judge, workspace.state[0].best) - value


def _make_search(agent: TreeSearchAgent, game: Game) -> _SearchJudge:
    agent.get_ready(game)
    depth, _, _ = agent._limits(game.initial_position())
    search = agent.new_search(game, depth)
    # One iteration, in which no root action is cut off or represents its mirror image.
    options = search.options._replace(root_values=1, symmetric_plies=0)
    plan = search.plan._replace(first_depth=depth, resists=0)
    return _SearchJudge(search._replace(options=options, plan=plan), *_scale(game))


def _scale(game: Game) -> tuple[float, float]:
    """The slope and the limit of estimates, for kernels: :meth:`Profile.scale` in two numbers."""
    return math.log(3) / 2 / game.profile.lead, GREATEST_ESTIMATE * game.facts.max_return


def make_judge(judge: Any, game: Game) -> Judge:
    """The judge named by ``judge``.

    Args:
        judge: an agent or its specification, such as ``alphabeta:depth=4`` or
            ``solver:moves=all``; it must value every legal action.
        game: the game.

    Raises:
        SpecificationError: no such agent, or it cannot play the game. One that does not value
            every action is refused when it is first asked.
    """
    if isinstance(judge, Judge):
        return judge
    agent = make_agent(judge, game) if isinstance(judge, str) else judge
    if not isinstance(agent, Agent):
        raise SpecificationError(f"{judge!r} is not a judge; regret= takes an agent")
    agent.check_game(game)
    compiled = None
    if isinstance(agent, TreeSearchAgent) and compiled_form(agent) is not None:
        compiled = functools.partial(_make_search, agent)
    return Judge(str(agent), functools.partial(action_values, agent), compiled)


def action_values(agent: Agent, position: Position) -> dict[int, float]:
    """An agent's values of the legal actions, in units of the return.

    Raises:
        SpecificationError: it does not value each of them.
    """
    scores = agent.analyse(position).scores or {}
    legal = position.legal_actions()
    if any(action not in scores or scores[action].is_bound for action in legal):
        raise SpecificationError(
            f"{agent} is not a judge: it does not value every action; alphabeta:depth=4 and "
            f"solver:moves=all do"
        )
    return {action: _value(scores[action], position.game) for action in legal}


def _value(score: Score, game: Game) -> float:
    if score.unit == "points":
        return GREATEST_ESTIMATE * game.facts.max_return * game.profile.scale(score.value)
    return score.value * DISCOUNT ** (score.plies or 0)
