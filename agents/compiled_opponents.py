"""Agents that move inside compiled loops: in vector environments and in batches of games.

Each compiled form plays exactly as its agent does and draws random numbers in the same order; tests
compare the two.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..envs import rules as r
from ..envs.compiled.kernels import inner_kernel
from ..envs.compiled.threads import allow_threads
from ..envs.game import Game
from ..envs.single_agent.batch_kernels import observe_waiting
from ..envs.single_agent.opponents import Turns, choose_action, choose_actions, new_turns
from .agent import Agent
from .greedy import Greedy
from .lookahead import Lookahead, choose_graded, new_lookahead
from .montecarlo import MonteCarlo, RandomGames, choose_by_games
from .own.functions import functions_of
from .own.heuristics import heuristic_index
from .policies.answer import answering
from .policies.compiled.batch import NetworkBatch, evaluate_batch, new_batch
from .policies.policy import PolicyAgent, choose_by_logits
from .random_agent import RandomAgent
from .search.alphabeta import AlphaBeta, Minimax, TreeSearchAgent
from .search.mcts import Mcts
from .search.shallow import shallow_search
from .search.trees import TreeSearches, choose_by_tree

AT_ONCE = 64  # positions that a network evaluates in one call


class _RandomOpponent(NamedTuple):
    """``random``."""

    scratch: Any  # int16, (num_actions,)


@choose_action.register_body(_RandomOpponent)
@inner_kernel
def _choose_random(opponent, rules, position, rng):
    return r.random_action(rules, position, rng, opponent.scratch)


class _GreedyOpponent(NamedTuple):
    """``greedy``."""

    heuristic: int
    buffers: Lookahead


@choose_action.register_body(_GreedyOpponent)
@inner_kernel
def _choose_greedily(opponent, rules, position, rng):
    heuristic, buffers = opponent
    index, _, _, _ = choose_graded(rules, position, heuristic, buffers, rng)
    return np.int64(buffers.actions[index])


allow_threads(_RandomOpponent)
allow_threads(_GreedyOpponent)
allow_threads(RandomGames)
choose_action.register_body(RandomGames)(choose_by_games)


class _NetworkOpponent(NamedTuple):
    """A network without search: ``zoo:NAME``, ``policy:FILE`` and runs."""

    temperature: float
    network: NetworkBatch
    turns: Turns
    probabilities: Any  # float64, (num_actions,)


@choose_actions.register_body(_NetworkOpponent)
@inner_kernel
def _choose_by_network(opponent, streams, count):
    turns, network = opponent.turns, opponent.network
    if not evaluate_batch(network, turns.planes, count):
        return False
    for turn in range(count):
        turns.actions[turn] = choose_by_logits(
            network.logits[turn],
            network.values[turn],
            turns.masks[turn],
            opponent.temperature,
            streams[turns.games[turn]],
            opponent.probabilities,
        )
    return True


def _make_network(agent: PolicyAgent, game: Game) -> _NetworkOpponent:
    network = agent.network.compiled()
    assert network is not None  # compiled_form has checked it
    return _NetworkOpponent(
        agent.options["temperature"],
        new_batch(network, game, AT_ONCE),
        new_turns(game, AT_ONCE),
        np.zeros(game.facts.num_actions),
    )


def _make_random(agent: Agent, game: Game) -> _RandomOpponent:
    return _RandomOpponent(np.empty(game.facts.num_actions, np.int16))


def _make_greedy(agent: Agent, game: Game) -> _GreedyOpponent:
    heuristic = agent.options["heuristic"]
    return _GreedyOpponent(heuristic_index(game, heuristic), new_lookahead(game, heuristic))


def _make_tree_search(agent: TreeSearchAgent, game: Game) -> Any:
    agent.get_ready(game)
    depth, _, _ = agent._limits(game.initial_position())
    search = agent.new_search(game, depth)
    return shallow_search(game, search) or search


def compiled_form(agent: Any, in_match: bool = False) -> Callable[[Game], Any] | None:
    """The function that makes an agent's compiled form for a game; None if the agent has none.

    Every form has its own buffers. The forms of ``mcts`` and ``montecarlo`` are for matches:
    :func:`turns_of` gives the number of parallel games. Not compiled are searches that depend on
    time, count nodes, adapt their depth, or use a book, a solver or a user's function; searches
    with a network or with threads; and networks that onnxruntime evaluates.
    """
    make = (_FORMS | _FORMS_IN_MATCHES if in_match else _FORMS).get(type(agent))
    if isinstance(agent, PolicyAgent) and agent.network.compiled() is not None:
        make = _make_network
    if make is None or any(agent.options.get(name) for name in _WITHOUT_FORM):
        return None
    if agent.options.get("threads", 1) > 1:
        return None
    if functions_of(agent.options, None):  # their errors would not be seen
        return None
    return functools.partial(make, agent)


def device_form(agent: Any) -> Callable[[Game], Any] | None:
    """The function that makes an agent's form for a device; None: it has no other than compiled."""
    if isinstance(agent, PolicyAgent):
        return None if agent.options["symmetries"] else functools.partial(answering, agent)
    if isinstance(agent, Mcts) and compiled_form(agent, in_match=True):
        return agent.new_turn_search
    return compiled_form(agent, in_match=True) if isinstance(agent, MonteCarlo) else None


_FORMS: dict[type, Callable[[Any, Game], Any]] = {
    RandomAgent: _make_random,
    Greedy: _make_greedy,
    AlphaBeta: _make_tree_search,
    Minimax: _make_tree_search,
}
_FORMS_IN_MATCHES: dict[type, Callable[[Any, Game], Any]] = {
    Mcts: Mcts.new_searches,
    MonteCarlo: MonteCarlo.new_games,
}
# options
_WITHOUT_FORM = ("time", "nodes", "adaptive", "endgame", "book", "symmetries", "network")


class GamesUnderWay(NamedTuple):
    """N parallel games of two agents; see :func:`observe_waiting` for the first fields."""

    positions: Any  # records
    waiting: Any  # bool (N,): the game goes on
    opponents: Any  # int16 (N,): the seat to move
    streams: Any  # uint64 (2, N, 1): the random streams of the agents, by seat
    asked: Any  # int64 (2, N): the number of moves of each seat
    moves: Any  # int16 (N, longest_game)


def new_games(game: Game, streams: np.ndarray) -> GamesUnderWay:
    """One game for each stream, at the initial position; no game waits yet."""
    count = streams.shape[1]
    return GamesUnderWay(
        game.new_records(count),
        np.zeros(count, np.bool_),
        np.zeros(count, np.int16),
        streams,
        np.zeros((2, count), np.int64),
        np.zeros((count, game.facts.longest_game), np.int16),
    )


@inner_kernel
def set_out(rules, games):
    """Note who is to move in every game."""
    for game in range(games.waiting.size):
        games.waiting[game] = not r.is_over(rules, games.positions[game])
        games.opponents[game] = r.to_move(rules, games.positions[game])


@inner_kernel
def _move(rules, games, game, action):
    """Play and record an action, and note who is to move."""
    position, seat = games.positions[game], games.opponents[game]
    games.moves[game, games.asked[0, game] + games.asked[1, game]] = action
    games.asked[seat, game] += 1
    r.play(rules, position, action)
    games.waiting[game] = not r.is_over(rules, position)
    games.opponents[game] = r.to_move(rules, position)


@inner_kernel
def take_turns(agent, seat, rules, games):
    """In every game, play the moves of the agent in a seat until it is the opponent's turn.

    Returns False if the agent could not choose.
    """
    for game in range(games.waiting.size):
        position, stream = games.positions[game], games.streams[seat, game]
        while games.waiting[game] and games.opponents[game] == seat:
            _move(rules, games, game, choose_action(agent, rules, position, stream))
    return True


@inner_kernel
def take_turns_by_trees(agent, seat, rules, games):
    """As :func:`take_turns`, for an agent that keeps one tree for each game."""
    for game in range(games.waiting.size):
        position, stream = games.positions[game], games.streams[seat, game]
        while games.waiting[game] and games.opponents[game] == seat:
            is_first = games.asked[seat, game] == 0
            action = choose_by_tree(agent, game, is_first, rules, position, stream)
            _move(rules, games, game, action)
    return True


@inner_kernel
def take_many_turns(agent, seat, rules, games):
    """As :func:`take_turns`, for an agent that chooses for many games at once."""
    turns = agent.turns
    while True:
        count = observe_waiting(rules, games, seat, turns, 0, games.waiting.size)
        if count == 0:
            return True
        if not choose_actions(agent, games.streams[seat], count):
            return False
        for turn in range(count):
            _move(rules, games, turns.games[turn], turns.actions[turn])


def turns_of(form: Any) -> tuple[Any, int]:
    """The kernel that plays the turns of an agent of this form, and the most games at once."""
    if isinstance(form, TreeSearches):
        return take_turns_by_trees, len(form.sizes)
    many = choose_actions.body_for(type(form)) is not None
    return take_many_turns if many else take_turns, sys.maxsize
