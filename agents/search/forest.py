"""Many games played at once by tree search with a network: the data.

Each game has its search tree; all are rows of the same arrays. The kernels are in
:mod:`plyground.agents.search.forest_kernels` (the search at a root) and
:mod:`plyground.agents.search.forest_games` (the games).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...envs.game import Game
from .mcts_kernels import NODE
from .puct_kernels import GuidedOptions, Leaves, new_leaves

# Bits of a position's flags in the history of a game.
RECORDED, EXACT_VALUE = 1, 2


class Forest(NamedTuple):
    """The search trees of T games."""

    nodes: Any  # NODE records, (T, capacity)
    positions: Any  # records, (T, 2): the root's position, the one being played on
    sizes: Any  # int64, (T, 1): nodes in use
    actions: Any  # int16, (num_actions,)
    weights: Any  # float64, (num_actions,): of a root's actions, to work with
    leaves: Leaves  # one slot for each tree
    trees: Any  # int32, (T,): the tree of the leaf in each slot


class Cache(NamedTuple):
    """What the network said of positions, by their keys; it holds for one network only."""

    keys: Any  # uint64, (entries,), a power of two, or one entry: no cache
    values: Any  # float32, (entries,)
    logits: Any  # float32, (entries, num_actions)
    generations: Any  # int32, (entries,): of the network that said so; 0: free
    leaf_keys: Any  # uint64, (T,): of the leaves that wait


class SearchOptions(NamedTuple):
    """How the games are searched.

    Attributes:
        guided: how the tree below the root is searched.
        gumbel: 1: sequential halving with Gumbel noise at the root; 0: PUCT with Dirichlet noise.
        full, fast: simulations of a search that is recorded, and of one that is not.
        full_share: the share of moves that are searched in full and recorded.
        considered: actions that sequential halving begins with, at most.
        visit_offset, value_scale: of the transformation of completed Q values.
        noise_share, noise_alpha: of the Dirichlet noise; alpha is divided by the legal actions.
        forced: constant of forced visits; 0: none.
        sampled_plies: with PUCT, plies of a game whose moves are drawn by visits.
        opening_plies: a game begins with so many plies that are not searched, at most.
        random_openings: the share of games whose openings are random; the network draws the rest.
        resign_below: a side that values the position so low resigns; −2: never.
        resign_share: the share of games in which sides may resign.
    """

    guided: GuidedOptions
    gumbel: int
    full: int
    fast: int
    full_share: float
    considered: int
    visit_offset: float
    value_scale: float
    noise_share: float
    noise_alpha: float
    forced: float
    sampled_plies: int
    opening_plies: int
    random_openings: float
    resign_below: float
    resign_share: float


class Games(NamedTuple):
    """The state of T games of self-play. Everything but the trees decides how they go on."""

    positions: Any  # records, (T,)
    streams: Any  # uint64, (T, 1): the random stream of each game
    goals: Any  # int32: simulations of the search under way; 0: none has begun
    done: Any  # int32: simulations of it that have begun
    full: Any  # int8: whether it is recorded
    openings: Any  # int16: plies of the opening that the network is still to draw
    plies: Any  # int32: of the game so far
    resigning: Any  # int8: whether sides may resign
    numbers: Any  # int64: games begun
    noise: Any  # float64, (T, num_actions): Gumbel or Dirichlet, of the search under way
    raw: Any  # float64: the network's value of the root, from the mover's side
    # The game so far, by ply:
    past: Any  # records, (T, longest_game)
    policies: Any  # float32, (T, longest_game, num_actions)
    values: Any  # float32, (T, longest_game): of the search, from the side of player 0
    flags: Any  # int8, (T, longest_game)


class Samples(NamedTuple):
    """Positions of finished games, from the side of the player to move."""

    observations: Any  # int8, (capacity, rows, columns, planes)
    policies: Any  # float32, (capacity, num_actions)
    outcomes: Any  # float32: scaled return of the game
    roots: Any  # float32: scaled value of the search
    left: Any  # int16: plies until the game ended
    exact: Any  # int8: whether the search proved its value
    count: Any  # int64, (1,): how many


class Tally(NamedTuple):
    """What has happened, as counts (int64, (1,) each)."""

    simulations: Any
    evaluations: Any  # of the network
    games: Any
    plies: Any  # of finished games
    wins: Any  # of player 0
    draws: Any


def new_forest(game: Game, trees: int, simulations: int) -> Forest:
    """Room for so many trees, each of one search of at most so many simulations."""
    facts = game.facts
    capacity = 1 + (simulations + 2) * facts.num_actions
    return Forest(
        np.zeros((trees, capacity), NODE).view(np.recarray),
        game.new_records(2 * trees).reshape(trees, 2),
        np.zeros((trees, 1), np.int64),
        np.zeros(facts.num_actions, np.int16),
        np.zeros(facts.num_actions),
        new_leaves(game, trees),
        np.zeros(trees, np.int32),
    )


def new_cache(game: Game, trees: int, entries: int) -> Cache:
    """An empty cache of so many entries (a power of two; 1: none)."""
    return Cache(
        np.zeros(entries, np.uint64),
        np.zeros(entries, np.float32),
        np.zeros((entries, game.facts.num_actions), np.float32),
        np.zeros(entries, np.int32),
        np.zeros(trees, np.uint64),
    )


def new_games(game: Game, count: int, seed: int) -> Games:
    """Games that have not begun, with the random streams of this seed."""
    facts = game.facts
    words = np.random.SeedSequence(seed).generate_state(count, np.uint64)
    length, actions = facts.longest_game, facts.num_actions
    return Games(
        positions=game.new_records(count),
        streams=words.reshape(count, 1),
        goals=np.zeros(count, np.int32),
        done=np.zeros(count, np.int32),
        full=np.zeros(count, np.int8),
        openings=np.zeros(count, np.int16),
        plies=np.zeros(count, np.int32),
        resigning=np.zeros(count, np.int8),
        numbers=np.zeros(count, np.int64),
        noise=np.zeros((count, actions)),
        raw=np.zeros(count),
        past=game.new_records(count * length).reshape(count, length),
        policies=np.zeros((count, length, actions), np.float32),
        values=np.zeros((count, length), np.float32),
        flags=np.zeros((count, length), np.int8),
    )


def new_samples(game: Game, capacity: int) -> Samples:
    """Room for so many samples."""
    return Samples(
        np.zeros((capacity, *game.facts.observation_shape), np.int8),
        np.zeros((capacity, game.facts.num_actions), np.float32),
        np.zeros(capacity, np.float32),
        np.zeros(capacity, np.float32),
        np.zeros(capacity, np.int16),
        np.zeros(capacity, np.int8),
        np.zeros(1, np.int64),
    )


def new_tally() -> Tally:
    """All zeros."""
    return Tally(*(np.zeros(1, np.int64) for _ in Tally._fields))


def considered_visits(most: int, simulations: int) -> np.ndarray:
    """When sequential halving visits which action: int32, (most + 1, simulations).

    Row m, for m actions considered: at simulation i the action to be visited next is the best of
    those that have been visited exactly so often. Source: Danihelka et al., "Policy improvement by
    planning with Gumbel", ICLR 2022; the table form is that of mctx.
    """
    return np.array(
        [_visits_of(count, simulations) for count in range(most + 1)], np.int32
    ).reshape(most + 1, simulations)


def _visits_of(count: int, simulations: int) -> list[int]:
    if count <= 1:
        return list(range(simulations))
    phases = int(np.ceil(np.log2(count)))
    sequence: list[int] = []
    visits = [0] * count
    remaining = count
    while len(sequence) < simulations:
        extra = max(1, simulations // (phases * remaining))
        for _ in range(extra):
            sequence += visits[:remaining]
            for index in range(remaining):
                visits[index] += 1
        remaining = max(2, remaining // 2)
    return sequence[:simulations]
