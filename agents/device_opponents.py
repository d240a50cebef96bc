"""Agents as opponents on a device, where they have another form than inside compiled loops.

Their moves are those that the agents play on a processor. The network of a policy is evaluated by
torch, in float32; what it rounds differently decides a move only where two actions are as good as
equal (see ``TIE``).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..envs import rules as r
from ..envs.compiled.kernels import inner_kernel
from ..envs.compiled.threads import allow_threads
from ..envs.game import Game
from ..envs.single_agent.opponents import (
    ByNetwork,
    Turns,
    choose_action,
    choose_actions,
    new_turns,
)
from .compiled_opponents import compiled_form
from .montecarlo import MonteCarlo, RandomGames
from .policies.policy import PolicyAgent, choose_by_logits
from .search.mcts import Mcts, nodes_of_search
from .search.trees import TreeSearches, choose_by_tree


class _Answer(NamedTuple):
    """A network's answer for one game, and the choice by it."""

    temperature: float
    turns: Turns
    logits: Any  # float32, (1, num_actions)
    values: Any  # float32, (1,)
    probabilities: Any  # float64, (num_actions,)


allow_threads(_Answer)


@choose_actions.register_body(_Answer)
@inner_kernel
def _choose_by_answer(opponent, streams, count):
    """As on a processor; a network that returns NaN or infinity plays its first legal action."""
    turns = opponent.turns
    for turn in range(count):
        action = choose_by_logits(
            opponent.logits[turn],
            opponent.values[turn],
            turns.masks[turn],
            opponent.temperature,
            streams[turns.games[turn]],
            opponent.probabilities,
        )
        if action < 0:
            action = 0
            while turns.masks[turn, action] == 0:
                action += 1
        turns.actions[turn] = action
    return True


def _make_network(agent: PolicyAgent, game: Game) -> ByNetwork | None:
    module = agent.network.as_module()
    if module is None:
        return None
    count = game.facts.num_actions
    answer = _Answer(
        agent.options["temperature"],
        new_turns(game, 1),
        np.zeros((1, count), np.float32),
        np.zeros(1, np.float32),
        np.zeros(count),
    )
    return ByNetwork(answer, module)


class _TurnSearch(NamedTuple):
    """``mcts`` with a new tree in each turn, which is kept while the player moves again."""

    searches: TreeSearches  # of one game
    after: Any  # one record, (1,)
    goes_on: Any  # bool, (1,): the next action belongs to the same turn


allow_threads(_TurnSearch)
allow_threads(RandomGames)


@choose_action.register_body(_TurnSearch)
@inner_kernel
def _choose_in_turn(opponent, rules, position, rng):
    goes_on, after = opponent.goes_on, opponent.after
    action = choose_by_tree(opponent.searches, 0, not goes_on[0], rules, position, rng)
    after[0] = position
    r.play(rules, after[0], action)
    same = r.to_move(rules, after[0]) == r.to_move(rules, position)
    goes_on[0] = same and not r.is_over(rules, after[0])
    return action


def _make_search(agent: Mcts, game: Game) -> _TurnSearch:
    """The search with as many nodes as a turn can need, at most those of the agent's tree."""
    searches, facts = agent.new_searches(game), game.facts
    capacity = searches.nodes.shape[1]
    if not facts.moves_again:  # one search fills the tree
        capacity = min(capacity, nodes_of_search(searches.simulations, facts.num_actions))
    actions = searches.root_actions
    searches = searches._replace(
        nodes=searches.nodes[:1, :capacity],
        positions=searches.positions[:1],
        sizes=searches.sizes[:1],
        spare=searches.spare[: capacity if facts.moves_again else 1],
        root_actions=actions._replace(
            plies=actions.plies[:capacity], margins=actions.margins[:capacity]
        ),
    )
    return _TurnSearch(searches, game.new_records(1), np.zeros(1, np.bool_))


def device_form(agent: Any) -> Callable[[Game], Any] | None:
    """The function that makes an agent's form for a device; None: it has no other than compiled."""
    if isinstance(agent, PolicyAgent):
        return None if agent.options["symmetries"] else functools.partial(_make_network, agent)
    if isinstance(agent, (Mcts, MonteCarlo)) and compiled_form(agent, in_match=True):
        make: Any = _make_search if isinstance(agent, Mcts) else MonteCarlo.new_games
        return functools.partial(make, agent)
    return None
