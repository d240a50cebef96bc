"""The study of connect four."""

from __future__ import annotations

from ..declaration import Blank, Experiment, Figure, Sentence, Study
from ..measurements.first_moves import FirstMoves, MonteCarloChoices
from ..measurements.games import Seats, Strength
from ..measurements.heuristics import Heuristics, StaticValues
from ..measurements.measurement import ALL
from ..measurements.nodes import Nodes, Task
from ..measurements.quality import Answers, Case
from ..measurements.sizes import TreeSizes
from .searches import sample, seats_figure, sizes_figure

_SMALL = "connect_four:rows=4,cols=4"
_MIDDLE = "connect_four:rows=5,cols=5"
_QUICK = "connect_four:rows=4,cols=5"
# The plain search of the course, with and without its evaluation: every root move is searched with
# the full window.
_WINDOWS = "textbook:depth={depth},heuristic=windows,values=yes"
_PLAIN = "textbook:depth={depth},heuristic=none,values=yes"
_HALF = "7/7/7/XXX1XX1/OOO1OO1/XXX1XX1:X"
_CASES = (Case("the half-filled board", "connect_four", "", ("d",), _HALF),)
_SCORED = (
    *(
        Case(f"{words}, {whose}", "connect_four", board=f"{board}:{mover}")
        for words, board in (
            ("four in a row", "7/7/7/7/7/XXXX3"),
            ("three in a row", "7/7/7/7/7/XXX4"),
            ("two in a row", "7/7/7/7/7/XX5"),
            ("a disc in the centre", "7/7/7/7/7/3X3"),
        )
        for whose, mover in (("own", "X"), ("the opponent's", "O"))
    ),
    *map(sample, ("c4-half", "c4-centre", "c4-almost")),
)
_DEPTHS = tuple(_WINDOWS.format(depth=depth) for depth in (1, 2, 3, 4, 6, 8))
_ANSWERING = (_PLAIN.format(depth=4), _DEPTHS[3])
_ORDERS = (("alpha-beta", _PLAIN), ("+ order", f"{_PLAIN},ordering=default"))
_OPENINGS = Figure(
    "lines", "simulations", "right", "Best first move chosen by pure Monte Carlo",
    logarithmic="x", measurement=1, lead=True,
)  # fmt: skip

STUDY = Study(
    "connect_four",
    "Connect four",
    "Sizes of trees, random play, the order of moves, heuristics, depths and first moves.",
    (
        Experiment(
            ("C2",),
            "Size of the game",
            "How large are the board and the game tree?",
            (TreeSizes((_SMALL, _MIDDLE, "connect_four"), 9),),
            (TreeSizes((_SMALL, _MIDDLE, "connect_four"), 6),),
            (),
            (sizes_figure(),),
        ),
        Experiment(
            ("C4",),
            "Random play",
            "Who wins 1,000 games of random play?",
            (Seats("connect_four", ("random", "random"), 1000, "random:0"),
             Seats(_SMALL, ("random", "random"), 1000, "random:0")),
            (Seats("connect_four", ("random", "random"), 500, "random:0"),),
            (),
            (seats_figure("Results of random play", "game", "", measurement=None),),
        ),
        Experiment(
            ("C6",),
            "Centre-first order",
            "How much does trying the centre first save on a half-filled board?",
            (Nodes((Task("connect_four", (2, 3, 4), board=_HALF),
                    Task("connect_four", (2, 3, 4, 5, 6, 8), 21, 20),
                    Task("connect_four", (2, 3, 4, 5, 6, 8))), _ORDERS),),
            (Nodes((Task("connect_four", (2, 3, 4), board=_HALF),
                    Task("connect_four", (2, 3, 4, 6), 21, 10),
                    Task("connect_four", (2, 3, 4, 6))), _ORDERS),),
            (),
            (Figure("lines", "depth", "nodes", "Nodes with and without order, from the start",
                    "search", (("plies", 0), ("board", None)), "y"),
             Figure("lines", "depth", "time", "Time with and without order, after 21 plies",
                    "search", (("plies", 21),), "y")),
            (Sentence("Trying the centre first, alpha-beta searches the start to depth 6 in {} "
                      "nodes instead of {}.",
                      tuple(Blank("nodes", (("search", search), ("plies", 0), ("depth", 6)))
                            for search in ("+ order", "alpha-beta"))),),
        ),
        Experiment(
            ("C7", "C11"),
            "First moves",
            "What is every first column worth, and what does pure Monte Carlo believe of it?",
            (FirstMoves("connect_four", 20_000, 2048),
             MonteCarloChoices("connect_four", (10, 50, 200, 1000, 5000), 200, 2048)),
            (FirstMoves(_QUICK, 2000), MonteCarloChoices(_QUICK, (10, 50, 200, 1000), 40)),
            (),
            (
                Figure("points", "value", "believed", "Exact value and belief of Monte Carlo",
                       "moves"),
                _OPENINGS,
            ),
            (Sentence("Pure Monte Carlo chooses the best first column in {} of trials with 200 "
                      "random games a move, and in {} with 1,000.",
                      tuple(Blank("right", (("game", "connect_four"), ("simulations", count)), 1)
                            for count in (200, 1000)), quick=False),),
        ),
        Experiment(
            ("C8",),
            "Search against random play on 4×4",
            "How does minimax of depth 4 do against random play?",
            (Seats(_SMALL, (_PLAIN.format(depth=4), "random"), 250, "random:0"),),
            (Seats(_SMALL, (_PLAIN.format(depth=4), "random"), 100, "random:0"),),
            (),
            (seats_figure("Results of depth 4 and random play, 4×4"),),
        ),
        Experiment(
            ("C9",),
            "Heuristics against exact values",
            "How good is the heuristic of windows, and is there a better one?",
            (Heuristics("connect_four", ("windows", "threats"), 300),
             StaticValues(_SCORED, ("windows",))),
            (Heuristics(_MIDDLE, ("windows", "threats"), 90),
             StaticValues(_SCORED, ("windows",))),
            (),
            (Figure("bars", "phase", "optimal", "Best moves chosen by the heuristics",
                    "heuristic"),),
            (Sentence("The heuristic of windows chooses a best move in {} of the positions, that "
                      "of threats in {}, chance in {}.",
                      (Blank("optimal", (("heuristic", "windows"), ("phase", ALL))),
                       Blank("optimal", (("heuristic", "threats"), ("phase", ALL))),
                       Blank("chance", (("heuristic", "windows"), ("phase", ALL))))),),
        ),
        Experiment(
            ("C10",),
            "Depths and boards",
            "What does depth 3 cost on 4×4, 5×5 and 6×7, and does depth 4 beat depth 2?",
            (Nodes((Task(_SMALL, (3,)), Task(_MIDDLE, (3,)), Task("connect_four", (3, 6, 9))),
                   (("alpha-beta", _WINDOWS),)),
             Strength("connect_four", _DEPTHS, 25, "random:4"), Answers(_CASES, _ANSWERING)),
            (Nodes((Task(_SMALL, (3,)), Task(_MIDDLE, (3,)), Task("connect_four", (3, 6))),
                   (("alpha-beta", _WINDOWS),)),
             Strength("connect_four", _DEPTHS[1::2], 20, "random:4"),
             Answers(_CASES, _ANSWERING)),
            (),
            (Figure("points", "time", "elo", "Strength against time a move", "agent",
                    logarithmic="x", measurement=1),),
        ),
    ),
)  # fmt: skip
