"""The study of tic-tac-toe."""

from __future__ import annotations

from ..declaration import Blank, Experiment, Figure, Sentence, Study
from ..measurements.games import Seats
from ..measurements.heuristics import Heuristics, StaticValues
from ..measurements.measurement import ALL
from ..measurements.nodes import Nodes, Reach, Task
from ..measurements.quality import Answers, Case
from ..measurements.sizes import TreeSizes
from .searches import ladder, seats_figure, sizes_figure

_CASES = (
    Case("win at once rather than later", "tic_tac_toe", "a1,a3,b1,b3", ("c1",)),
    Case("two wins at once: take one", "tic_tac_toe", "a1,b2,c3,a3,c1,b3", ("b1", "c2")),
    Case("lost: lose late", "tic_tac_toe", "a1,b1,b2", ("c3",)),
    Case("stop a row", "tic_tac_toe", "b2,a1,c1", ("a3",)),
    Case("answer two corners at an edge", "tic_tac_toe", "a1,b2,c3"),
)
_SOLVED = (("game", "tic_tac_toe:size=4"), ("way", "solver"))
_FULL = "alphabeta:depth={depth},heuristic=none"
_TEXTBOOK = "textbook:depth=9,values=yes"  # the course's search
_LINES = (
    Case("the centre taken", "tic_tac_toe", "b2"),
    Case("a corner taken", "tic_tac_toe", "a1"),
)
_PLAYERS = (_TEXTBOOK, "alphabeta:depth=9", "minimax:depth=9", "montecarlo:simulations=1000")


STUDY = Study(
    "tic_tac_toe",
    "Tic-tac-toe",
    "Full search on 3×3 and beyond, the preference for quick wins, and the heuristic of open "
    "lines.",
    (
        Experiment(
            ("T2",),
            "Full minimax and its improvements",
            "How many nodes does full minimax visit on 3×3, and how few are enough?",
            (Nodes((Task("tic_tac_toe", (9,)),), ladder()),),
            (),
            (),
            (Figure("bars", "search", "nodes", "Nodes of full search on 3×3", logarithmic="y",
                    lead=True),),
            (Sentence("Full minimax of 3×3 visits {} nodes; alpha-beta with all improvements "
                      "needs {}.",
                      (Blank("nodes", (("search", "minimax"),)),
                       Blank("nodes", (("search", "+ deepening"),)))),),
        ),
        Experiment(
            ("T2",),
            "How far exact search reaches",
            "Which boards does exact search solve from the start?",
            (Reach(("tic_tac_toe", "tic_tac_toe:rows=3,cols=4,connect=3", "tic_tac_toe:size=4"),
                   (("alpha-beta", _FULL, 3), ("solver", "solver", 3))),
             TreeSizes(("tic_tac_toe", "tic_tac_toe:size=4", "tic_tac_toe:size=5"), 6)),
            (Reach(("tic_tac_toe", "tic_tac_toe:size=4"),
                   (("alpha-beta", _FULL, 1), ("solver", "solver", 2))),
             TreeSizes(("tic_tac_toe", "tic_tac_toe:size=4"), 5)),
            (),
            (Figure("bars", "game", "nodes", "Nodes to solve the start", "way",
                    (("solved", True),), "y"),
             sizes_figure(1)),
            (Sentence("Under perfect play 4×4 is a {}; the solver shows it in {} nodes.",
                      (Blank("result", _SOLVED), Blank("nodes", _SOLVED))),),
        ),
        Experiment(
            ("T3",),
            "Quick wins and slow losses",
            "Does alpha-beta prefer a quick win and a slow loss (win = 10 − depth, loss = −10 + "
            "depth)?",
            (Answers(_CASES, _PLAYERS),),
            (),
        ),
        Experiment(
            ("T4",),
            "The heuristic of open lines",
            "How well do lines still open to X, less those open to O, tell who wins?",
            (Heuristics("tic_tac_toe:size=4", ("lines",), 1000),
             StaticValues(_LINES, ("lines",)), Heuristics("tic_tac_toe", ("lines",), 300)),
            (Heuristics("tic_tac_toe:size=4", ("lines",), 120), StaticValues(_LINES, ("lines",))),
            (),
            (Figure("bars", "phase", "optimal", "Best moves chosen by the heuristic, 4×4"),),
            (Sentence("On 4×4 the heuristic of open lines chooses a best move in {} of the "
                      "positions, where chance does in {}.",
                      (Blank("optimal", (("phase", ALL),)), Blank("chance", (("phase", ALL),)))),),
        ),
        Experiment(
            ("T2",),
            "Search against random play",
            "Does full search ever lose?",
            (Seats("tic_tac_toe", (_TEXTBOOK, "random"), 500, "random:0"),),
            (Seats("tic_tac_toe", (_TEXTBOOK, "random"), 100, "random:0"),),
            (),
            (seats_figure("Results of full search and random play, 3×3"),),
        ),
    ),
)  # fmt: skip
