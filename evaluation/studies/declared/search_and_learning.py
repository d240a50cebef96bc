"""The study of search against learning: both in one rated pool for each game."""

from __future__ import annotations

from ..declaration import Experiment, Figure, Study
from ..measurements.games import Strength
from ..measurements.networks import Networks
from ..measurements.quality import MoveQuality

_FRONT = Figure("points", "time", "elo", "Strength against time a move", "agent", logarithmic="x")
_PARTS = Figure(
    "bars", "part", "optimal", "Best moves by phase and by situation", "agent", measurement=1,
)  # fmt: skip


def _search(depths: tuple[int, ...], simulations: tuple[int, ...]) -> tuple[str, ...]:
    """Search at several budgets."""
    return (
        *(f"alphabeta:depth={depth}" for depth in depths),
        *(f"mcts:simulations={count}" for count in simulations),
    )


def _learned(name: str, simulations: tuple[int, ...]) -> tuple[str, ...]:
    """A shipped network alone and in search."""
    return (
        f"zoo:{name}",
        *(f"mcts:network=zoo:{name},simulations={count}" for count in simulations),
    )


def _experiment(
    title: str,
    game: str,
    network: str,
    *,
    budgets: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]],
    opening: str,
    pairs: tuple[int, int],
    positions: tuple[int, int],
) -> Experiment:
    """The pool and the quality of moves of one game; the quick pool has the least budgets."""
    depths, simulations, guided = budgets
    pool = ("random", *_search(depths, simulations), *_learned(network, guided))
    few = ("random", *_search(depths[1:2], simulations[:1]), *_learned(network, guided[:1]))
    return Experiment(
        ("X3",),
        title,
        "How do search and learned agents do in one pool, and where does the network err?",
        (Strength(game, pool, pairs[0], opening), MoveQuality(game, pool[1:], positions[0])),
        (Strength(game, few, pairs[1], opening), MoveQuality(game, few[1:], positions[1])),
        (),
        (_FRONT, _PARTS),
    )


STUDY = Study(
    "search_and_learning",
    "Search against learning",
    "Search at several budgets and learned networks, alone and in search, in one rated pool for "
    "each game, and their moves against perfect play.",
    (
        Experiment(
            ("X3",),
            "Time of training",
            "What did the shipped networks cost, and how good are they?",
            (Networks(("connect_four", "dots_and_boxes:rows=3,cols=3", "tic_tac_toe",
                       "tic_tac_toe:size=4")),),
            (Networks(("connect_four", "dots_and_boxes:rows=3,cols=3", "tic_tac_toe",
                       "tic_tac_toe:size=4")),),
            (),
            (Figure("points", "hours", "optimal", "Best moves against processor hours of training",
                    "agent", logarithmic="x"),),
        ),
        _experiment(
            "Connect four", "connect_four", "connect_four",
            budgets=((2, 4, 6, 8, 10), (100, 1000, 10_000), (25, 100, 400)),
            opening="random:4", pairs=(40, 3), positions=(300, 45),
        ),
        _experiment(
            "Dots and boxes, 4×4 dots", "dots_and_boxes:rows=3,cols=3", "dots_and_boxes",
            budgets=((2, 4, 6), (100, 1000, 10_000), (25, 100, 400)),
            opening="random:4", pairs=(40, 3), positions=(300, 45),
        ),
        _experiment(
            "Tic-tac-toe, 4×4", "tic_tac_toe:size=4", "tic_tac_toe",
            budgets=((2, 4, 6), (100, 1000), (25, 100)),
            opening="random:2", pairs=(40, 3), positions=(300, 45),
        ),
    ),
)  # fmt: skip
