"""Many parallel games by tree search with a network: the data.

Each game has a search tree, a row of shared arrays. The kernels are in
:mod:`plyground.agents.search.forest_kernels` (the search at a root) and
:mod:`plyground.agents.search.forest_games` (the games).
"""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from ...envs.game import Game
from ...envs.loading.settings import POSITIVE, Settings, Span, parameters_of, setting
from ..own.search_form import blank_records
from .descent import NODE, nodes_of_search
from .puct_kernels import Leaves, new_leaves, puct_options

# Bits of a position's flags in the history of a game.
IS_SAMPLE, EXACT_VALUE = 1, 2
GUMBEL, PUCT = "gumbel", "puct"  # searches at the root
FAST_SIMULATIONS = 16  # the least of a fast search, if a full search has as many
MOST_CONSIDERED = 16  # actions that sequential halving begins with: mctx, ``gumbel_muzero_policy``

GAME = np.dtype(
    [
        ("number", np.int64),  # games begun in this place
        ("raw", np.float64),  # the network's value of the root, from the mover's side
        ("goal", np.int32),  # simulations of the current search; 0: none has begun
        ("done", np.int32),  # simulations of it begun so far
        ("plies", np.int32),  # of the game so far
        ("opening", np.int16),  # remaining opening plies that the network draws
        ("full", np.int8),  # whether the search is recorded
    ],
    align=True,
)
MARK = np.dtype(
    [
        ("outcome", np.float32),  # scaled return of the game, from the mover's side
        ("root", np.float32),  # scaled value of the search, from the mover's side
        ("left", np.int16),  # plies until the game ended
        ("exact", np.int8),  # whether the search proved its value
    ],
    align=True,
)
ENTRY = np.dtype(
    [
        ("key", np.uint64),  # of the position
        ("value", np.float32),
        ("generation", np.int32),  # the generation of the network that evaluated it; 0: free
    ],
    align=True,
)
TALLY = np.dtype(
    [
        ("simulations", np.int64),
        ("evaluations", np.int64),  # of the network
        ("games", np.int64),  # finished
        ("plies", np.int64),  # of finished games
        ("wins", np.int64),  # of player 0
        ("draws", np.int64),
    ],
    align=True,
)


class Forest(NamedTuple):
    """The search trees of T games."""

    nodes: Any  # NODE records, (T, capacity)
    positions: Any  # records, (T, 2): the root's position, the one being played on
    sizes: Any  # int64, (T, 1): nodes in use
    actions: Any  # int16, (num_actions,)
    weights: Any  # float64, (num_actions,): scratch for a root's actions
    leaves: Leaves  # one slot for each tree
    trees: Any  # int32, (T,): the tree of the leaf in each slot


class Cache(NamedTuple):
    """A network's evaluations of positions, by key; they are valid for one network only."""

    entries: Any  # ENTRY records, a power of two; one: no cache
    logits: Any  # float32, (entries, num_actions)
    leaf_keys: Any  # uint64, (T,): keys of the waiting leaves


@dataclasses.dataclass(frozen=True)
class SearchSettings(Settings):
    """How games of self-play are searched, and how they begin and end.

    Sources: [1] Silver et al., Science 2018; [2] Danihelka et al., ICLR 2022; [3] Wu,
    "Accelerating self-play learning in Go", 2019.
    """

    search: str = setting(
        GUMBEL,
        "Search at the root: gumbel (sequential halving, [2]) or puct (Dirichlet noise, [1]).",
        choices=(GUMBEL, PUCT),
    )
    simulations: str = setting(
        "24,64",
        "Simulations of a full search at the start and at the end of the run, or one number; they "
        "grow linearly.",
        metavar="N,N",
    )
    full_share: float = setting(
        1.0,
        "Share of the moves searched in full and recorded; other searches are fast [3].",
        low=POSITIVE,
        high=1,
    )
    value_scale: float = setting(1.0, "c_scale of the completed Q values [2].", low=0)
    c_puct: float = setting(1.5, "Weight of the priors below the root [1].", low=0)
    discount: float = setting(
        0.99, "Discount of results for each ply; below 1 quick wins are preferred.", 0.5, 1
    )
    opening_plies: int = setting(8, "Maximum plies of a game's opening without search.", low=0)
    random_openings: float = setting(
        0.5, "Share of openings played at random; the network draws the others [3].", low=0, high=1
    )
    solved_plies: int = setting(
        0,
        "Leaves with at most this many plies to go are valued by the exact solver; 0: none.",
        low=0,
    )

    def __post_init__(self) -> None:
        """Convert and check every value."""
        super().__post_init__()
        object.__setattr__(self, "simulations", str(self.span))

    @property
    def span(self) -> Span:
        """Simulations of a full search at the start and at the end of the run."""
        return Span.read("simulations", self.simulations, low=2)

    def full_simulations(self, progress: float) -> int:
        """Simulations of a full search after this share of the run."""
        first, last = self.span
        return first + round((last - first) * min(progress, 1.0))

    @property
    def fast_simulations(self) -> int:
        """Simulations of a fast search: half of a full one at the start, at least 16.

        [3] has a sixth to a fifth of a full search.
        """
        first = self.span.first
        return max(first // 2, min(first, FAST_SIMULATIONS))


_new_type: Any = namedtuple  # type checkers need not know its fields
_NUMBERS = [each.name for each in parameters_of(SearchSettings) if each.kind is not str]
# What kernels read: the numeric settings by name; the simulations of a full and of a fast search;
# `gumbel`, whether the root is searched by it; `puct`, the PuctOptions below the root.
SearchOptions: Any = _new_type(
    "SearchOptions", [*_NUMBERS, "simulations", "fast_simulations", "gumbel", "puct"]
)


def search_options(game: Game, settings: SearchSettings, progress: float) -> Any:
    """The SearchOptions of games after this share of the run."""
    values = {name: getattr(settings, name) for name in _NUMBERS}
    puct = puct_options(game, settings.c_puct, discount=settings.discount)
    return SearchOptions(
        **values,
        simulations=settings.full_simulations(progress),
        fast_simulations=settings.fast_simulations,
        gumbel=settings.search == GUMBEL,
        puct=puct,
    )


class Games(NamedTuple):
    """The state of T games of self-play. All of it but the trees determines how they continue."""

    positions: Any  # records, (T,)
    states: Any  # GAME records, (T,)
    streams: Any  # uint64, (T, 1): the random stream of each game
    noise: Any  # float64, (T, num_actions): Gumbel or Dirichlet, of the current search
    # The game so far, by ply:
    past: Any  # records, (T, longest_game)
    policies: Any  # float32, (T, longest_game, num_actions)
    values: Any  # float32, (T, longest_game): of the search, from the side of player 0
    flags: Any  # int8, (T, longest_game)


class Samples(NamedTuple):
    """Positions of finished games, from the side of the player to move."""

    observations: Any  # int8, (capacity, rows, columns, planes)
    policies: Any  # float32, (capacity, num_actions)
    marks: Any  # MARK records, (capacity,)
    count: Any  # int64, (1,): how many


def new_forest(game: Game, trees: int, simulations: int) -> Forest:
    """Buffers for this many trees, each of one search of at most this many simulations."""
    facts = game.facts
    capacity = 1 + nodes_of_search(simulations, facts.num_actions)
    return Forest(
        blank_records((trees, capacity), NODE),
        game.new_records(2 * trees).reshape(trees, 2),
        np.zeros((trees, 1), np.int64),
        np.zeros(facts.num_actions, np.int16),
        np.zeros(facts.num_actions),
        new_leaves(game, trees),
        np.zeros(trees, np.int32),
    )


def new_cache(game: Game, trees: int, entries: int) -> Cache:
    """An empty cache of this many entries (a power of two; 1: none)."""
    return Cache(
        blank_records(entries, ENTRY),
        np.zeros((entries, game.facts.num_actions), np.float32),
        np.zeros(trees, np.uint64),
    )


def new_games(game: Game, count: int, seed: int) -> Games:
    """Games before their first move, with random streams from this seed."""
    facts = game.facts
    length, actions = facts.longest_game, facts.num_actions
    return Games(
        positions=game.new_records(count),
        states=blank_records(count, GAME),
        streams=new_streams(count, seed),
        noise=np.zeros((count, actions)),
        past=game.new_records(count * length).reshape(count, length),
        policies=np.zeros((count, length, actions), np.float32),
        values=np.zeros((count, length), np.float32),
        flags=np.zeros((count, length), np.int8),
    )


def new_streams(count: int, seed: int) -> np.ndarray:
    """The random streams of these games: uint64, (count, 1)."""
    words: np.ndarray = np.random.SeedSequence(seed).generate_state(count, np.uint64)
    return words.reshape(count, 1)


def new_samples(game: Game, capacity: int) -> Samples:
    """Buffers for this many samples."""
    return Samples(
        np.zeros((capacity, *game.facts.observation_shape), np.int8),
        np.zeros((capacity, game.facts.num_actions), np.float32),
        blank_records(capacity, MARK),
        np.zeros(1, np.int64),
    )


def considered_visits(most: int, simulations: int) -> np.ndarray:
    """When sequential halving visits which action: int32, (most + 1, simulations).

    Row m, starting with m actions: simulation i visits the best of the actions that have been
    visited exactly this often. Source: Danihelka et al., "Policy improvement by planning with
    Gumbel", ICLR 2022; the table form is that of mctx.
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
