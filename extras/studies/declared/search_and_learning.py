"""The study of search against learning: both in one rated pool for each game."""

from __future__ import annotations

import dataclasses

from ..declaration import Blank, Claim, Experiment, Figure, Sentence, Study
from ..measurements.games import Strength
from ..measurements.measurement import ALL
from ..measurements.networks import OPTIMAL, Learning, Networks
from ..measurements.quality import ERRORS, MoveQuality
from .searches import ratings

_BOARDS = (
    "connect_four", "dots_and_boxes:rows=3,cols=3", "tic_tac_toe", "tic_tac_toe:size=4",
)  # fmt: skip
_FRONT = Figure("points", "time", "elo", "Strength against time a move", "agent", logarithmic="x")
_ERRORS = Figure(
    "bars", "agent", ERRORS[0], "Moves that are not the best, by kind", where=(("part", ALL),),
    measurement=1, stacked=ERRORS[1:],
)  # fmt: skip
_GOMOKU = "zoo:gomoku"
_LEARNT = "zoo:connect_four"
_SUPERVISED, _PPO = "zoo:connect_four_taught", "zoo:connect_four_ppo"


def _search(depths: tuple[int, ...], simulations: tuple[int, ...]) -> tuple[str, ...]:
    """Search at several budgets."""
    return (
        *(f"alphabeta:depth={depth}" for depth in depths),
        *(f"mcts:simulations={count}" for count in simulations),
    )


def _network(network: str, simulations: tuple[int, ...]) -> tuple[str, ...]:
    """A shipped network alone and in search."""
    return (
        network, *(f"mcts:network={network},simulations={count}" for count in simulations)
    )  # fmt: skip


def _experiment(
    title: str,
    game: str,
    network: str,
    *,
    budgets: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]],
    opening: str,
    pairs: tuple[int, int],
    positions: tuple[int, int],
    others: tuple[str, ...] = (),
    lead: tuple[Sentence, ...] = (),
) -> Experiment:
    """The pool and the quality of moves of one game; the quick pool has the least budgets."""
    depths, simulations, visits = budgets
    pool = ("random", *_search(depths, simulations), *_network(network, visits))
    few = (
        "random",
        *_search(depths[1:2], simulations[:1]),
        *_network(network, visits[:1]),
    )
    parts = Figure(
        "bars", "part", "optimal", "Best moves of the network alone, by phase and by situation",
        where=(("agent", network),), measurement=1,
    )  # fmt: skip
    return Experiment(
        ("X3",),
        title,
        "How do search and learned agents do in one pool, and where does the network err?",
        (Strength(game, (*pool, *others), pairs[0], opening),
         MoveQuality(game, (*pool[1:], *others), positions[0])),
        (Strength(game, few, pairs[1], opening), MoveQuality(game, few[1:], positions[1])),
        (),
        (dataclasses.replace(_FRONT, lead=bool(lead)), _ERRORS, parts),
        lead,
    )  # fmt: skip


STUDY = Study(
    "search_and_learning",
    "Search against learning",
    "Search at several budgets and learned networks, alone and in search, in one rated pool for "
    "each game, and their moves against perfect play.",
    (
        Experiment(
            ("X3",),
            "Time of training",
            "What did the shipped networks cost, how good are they, and how did they get there?",
            (Learning(_BOARDS), Networks(_BOARDS)),
            (Learning(_BOARDS), Networks(_BOARDS)),
            (),
            (Figure("lines", "hours", "score", "Best moves by processor hours of training", "run",
                    (("opponent", OPTIMAL),), "x"),
             Figure("lines", "hours", "score", "Score against alphabeta:depth=4", "run",
                    (("opponent", "alphabeta:depth=4"),), "x"),
             Figure("points", "hours", "optimal", "What the shipped networks reached", "agent",
                    logarithmic="x", measurement=1)),
            (Sentence("The network of connect four learnt from {} games with itself, in {} "
                      "processor hours. Alone it plays a best move in {} of the positions.",
                      tuple(Blank(column, (("agent", _LEARNT),), 1)
                            for column in ("games", "hours", "optimal"))),),
        ),
        Experiment(
            ("X3",),
            "The ceiling of supervised learning",
            "How well does a network of the same size play that learnt from the exact solver, "
            "and from a search where the solver takes long?",
            (MoveQuality("connect_four", ("zoo:connect_four", _SUPERVISED), 300),),
            (MoveQuality("connect_four", ("zoo:connect_four", _SUPERVISED), 30),),
            (Claim("Taught so, it plays a best move in 85 % of positions",
                   "optimal", 0.85, 1, (("agent", _SUPERVISED), ("part", ALL))),),
            (Figure("bars", "part", "optimal", "Best moves by phase and by situation", "agent"),),
        ),
        _experiment(
            "Connect four", "connect_four", "zoo:connect_four",
            budgets=((2, 4, 8), (100, 1000, 10_000), (25, 100, 400)),
            opening="random:4", pairs=(6, 3), positions=(300, 45),
            others=(_SUPERVISED, f"mcts:network={_SUPERVISED},simulations=100", _PPO),
            lead=(ratings("In one pool of connect four, search by that network with 400 "
                          "simulations is at {} Elo, the network alone at {}, alpha-beta of depth "
                          "8 at {} and MCTS with 10,000 playouts at {}.",
                          (f"mcts:network={_LEARNT},simulations=400", _LEARNT,
                           "alphabeta:depth=8", "mcts:simulations=10000")),),
        ),
        _experiment(
            "Dots and boxes, 4×4 dots", "dots_and_boxes:rows=3,cols=3", "zoo:dots_and_boxes",
            budgets=((2, 4, 6), (100, 1000), (25, 100, 400)),
            opening="random:4", pairs=(8, 3), positions=(300, 45),
        ),
        _experiment(
            "Tic-tac-toe, 4×4", "tic_tac_toe:size=4", "zoo:tic_tac_toe",
            budgets=((2, 4, 6), (100, 1000), (25, 100)),
            opening="random:2", pairs=(20, 3), positions=(300, 45),
        ),
        Experiment(
            ("X3",),
            "Gomoku, 9×9",
            "How do search, search by patterns and learned agents do in one pool?",
            (Strength("gomoku:size=9",
                      ("random", "medium", "hard", "alphabeta:depth=4", "gomoku:depth=4",
                       "gomoku:depth=8", "mcts:simulations=1000",
                       "mcts:network=patterns,simulations=100",
                       "mcts:network=patterns,simulations=1000", *_network(_GOMOKU, (100, 400)),
                       *_network("zoo:gomoku_taught", (100, 400))),
                      6, "random:4"),),
            (Strength("gomoku:size=9", ("random", "medium", "gomoku:depth=4", _GOMOKU),
                      2, "random:4"),),
            (),
            (_FRONT,),
        ),
    ),
)  # fmt: skip
