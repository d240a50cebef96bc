"""Many games played at once by tree search with a network: the data.

Each game has its search tree; all are rows of the same arrays. The kernels are in
:mod:`plyground.agents.search.forest_kernels` (the search at a root) and
:mod:`plyground.agents.search.forest_games` (the games).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...envs.game import Game
from .descent import NODE
from .puct_kernels import Leaves, PuctOptions, new_leaves
from .search_form import blank_records

# Bits of a position's flags in the history of a game.
IS_SAMPLE, EXACT_VALUE = 1, 2


GAME = np.dtype(
    [
        ("number", np.int64),  # games begun in this place
        ("raw", np.float64),  # the network's value of the root, from the mover's side
        ("goal", np.int32),  # simulations of the search under way; 0: none has begun
        ("done", np.int32),  # simulations of it that have begun
        ("plies", np.int32),  # of the game so far
        ("opening", np.int16),  # plies of the opening that the network is still to draw
        ("full", np.int8),  # whether the search is recorded
        ("resigning", np.int8),  # whether sides may resign
        ("regret", np.float32),  # of the position kept of the last game here; 0: none
    ]
)
MARK = np.dtype(
    [
        ("outcome", np.float32),  # scaled return of the game, from the mover's side
        ("root", np.float32),  # scaled value of the search, from the mover's side
        ("left", np.int16),  # plies until the game ended
        ("exact", np.int8),  # whether the search proved its value
        # divergence of the policy from the network's, in nats; −1: the network was not asked
        ("surprise", np.float32),
        ("reply", np.int16),  # the action played after the position's; −1: none
        ("soon", np.float32),  # mean of the next searches' values, from the mover's side
    ]
)
ENTRY = np.dtype(
    [
        ("key", np.uint64),  # of the position
        ("value", np.float32),
        ("generation", np.int32),  # of the network that evaluated it; 0: free
    ]
)
TALLY = np.dtype(
    [
        ("simulations", np.int64),
        ("evaluations", np.int64),  # of the network
        ("games", np.int64),  # finished
        ("plies", np.int64),  # of finished games
        ("wins", np.int64),  # of player 0
        ("draws", np.int64),
    ]
)


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
    """A network's evaluations of positions, by their keys; they hold for one network only."""

    entries: Any  # ENTRY records, as many as a power of two; one: no cache
    logits: Any  # float32, (entries, num_actions)
    leaf_keys: Any  # uint64, (T,): of the leaves that wait


class SearchOptions(NamedTuple):
    """How the games are searched.

    Attributes:
        puct: how the tree below the root is searched.
        gumbel: 1: sequential halving with Gumbel noise at the root; 0: PUCT with Dirichlet noise.
        full, fast: simulations of a search that is recorded, and of one that is not.
        full_share: the share of moves that are searched in full and recorded.
        considered: actions that sequential halving begins with, at most.
        visit_offset, value_scale: of the transformation of completed Q values.
        rescale_values: 1: the smallest of them becomes 0 and the largest 1.
        noise_share, noise_alpha: of the Dirichlet noise; alpha is divided by the legal actions.
        forced: constant of forced visits; 0: none.
        sampled_plies: with PUCT, plies of a game whose moves are drawn by visits.
        opening_plies: a game begins with so many plies that are not searched, at most.
        random_openings: the share of games whose openings are random; the network draws the rest.
        resign_below: a side that values the position so low resigns; −2: never.
        resign_share: the share of games in which sides may resign.
        noise_plies: searches after so many plies of a game have no Gumbel noise.
        fast_noise: 1: searches that are not recorded have Gumbel noise too.
        regret_share: the share of games that begin where the last game in their place surprised.
        final_boards: 1: samples hold the observation of the end of their game.
        solved_plies: leaves from which the game takes at most so many plies more are solved.
    """

    puct: PuctOptions
    gumbel: int
    full: int
    fast: int
    full_share: float
    considered: int
    visit_offset: float
    value_scale: float
    rescale_values: int
    noise_share: float
    noise_alpha: float
    forced: float
    sampled_plies: int
    opening_plies: int
    random_openings: float
    resign_below: float
    resign_share: float
    noise_plies: int
    fast_noise: int
    regret_share: float
    final_boards: int
    solved_plies: int


class Games(NamedTuple):
    """The state of T games of self-play. All but the trees decides how they continue."""

    positions: Any  # records, (T,)
    states: Any  # GAME records, (T,)
    streams: Any  # uint64, (T, 1): the random stream of each game
    noise: Any  # float64, (T, num_actions): Gumbel or Dirichlet, of the search under way
    # The game so far, by ply:
    past: Any  # records, (T, longest_game)
    policies: Any  # float32, (T, longest_game, num_actions)
    values: Any  # float32, (T, longest_game): of the search, from the side of player 0
    flags: Any  # int8, (T, longest_game)
    moves: Any  # int16, (T, longest_game): the actions; not those of a random opening
    surprises: Any  # float32, (T, longest_game): see MARK
    regrets: Any  # records, (T,): where value and result of the last game disagreed most


class Samples(NamedTuple):
    """Positions of finished games, from the side of the player to move."""

    observations: Any  # int8, (capacity, rows, columns, planes)
    policies: Any  # float32, (capacity, num_actions)
    # int8, (capacity, rows, columns, planes): the end of the game, from the side of the player who
    # moves in the sample; without `final_boards` of capacity 0
    finals: Any
    marks: Any  # MARK records, (capacity,)
    count: Any  # int64, (1,): how many


def new_forest(game: Game, trees: int, simulations: int) -> Forest:
    """Room for so many trees, each of one search of at most so many simulations."""
    facts = game.facts
    capacity = bytes_of_tree(game, simulations) // NODE.itemsize
    return Forest(
        blank_records((trees, capacity), NODE),
        game.new_records(2 * trees).reshape(trees, 2),
        np.zeros((trees, 1), np.int64),
        np.zeros(facts.num_actions, np.int16),
        np.zeros(facts.num_actions),
        new_leaves(game, trees),
        np.zeros(trees, np.int32),
    )


def bytes_of_tree(game: Game, simulations: int) -> int:
    """The memory of the nodes of one search of at most so many simulations."""
    return NODE.itemsize * (1 + (simulations + 2) * game.facts.num_actions)


def new_cache(game: Game, trees: int, entries: int) -> Cache:
    """An empty cache of so many entries (a power of two; 1: none)."""
    return Cache(
        blank_records(entries, ENTRY),
        np.zeros((entries, game.facts.num_actions), np.float32),
        np.zeros(trees, np.uint64),
    )


def new_games(game: Game, count: int, seed: int) -> Games:
    """Games that have not begun, with the random streams of this seed."""
    facts = game.facts
    words = np.random.SeedSequence(seed).generate_state(count, np.uint64)
    length, actions = facts.longest_game, facts.num_actions
    return Games(
        positions=game.new_records(count),
        states=blank_records(count, GAME),
        streams=words.reshape(count, 1),
        noise=np.zeros((count, actions)),
        past=game.new_records(count * length).reshape(count, length),
        policies=np.zeros((count, length, actions), np.float32),
        values=np.zeros((count, length), np.float32),
        flags=np.zeros((count, length), np.int8),
        moves=np.zeros((count, length), np.int16),
        surprises=np.zeros((count, length), np.float32),
        regrets=game.new_records(count),
    )


def new_samples(game: Game, capacity: int, final_boards: int = 0) -> Samples:
    """Room for so many samples."""
    planes = game.facts.observation_shape
    return Samples(
        np.zeros((capacity, *planes), np.int8),
        np.zeros((capacity, game.facts.num_actions), np.float32),
        np.zeros((capacity if final_boards else 0, *planes), np.int8),
        blank_records(capacity, MARK),
        np.zeros(1, np.int64),
    )


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
