"""The study of caro on 10×10 with three modes."""

from __future__ import annotations

from ..declaration import Blank, Claim, Experiment, Figure, Sentence, Study
from ..measurements.games import Strength
from ..measurements.heuristics import Heuristics
from ..measurements.nodes import Nodes, Task
from .searches import at_equal_cost, equal_cost, fixed, ladder, named_pool, pick, ratings

_GAME, _SMALL = "gomoku:size=10", "gomoku:size=5,connect=4"
_MODES = ("caro10_heuristic", "caro10_minimax", "caro10_alphabeta")
_SAME_DEPTH = (
    ("minimax", "minimax:depth={depth},radius=1,heuristic=caro10"),
    ("alpha-beta", "caro10_alphabeta:depth={depth}"),
    ("alphabeta", "alphabeta:depth={depth}"),
)
_AS_PLAYED = (
    Nodes((Task(_GAME, (1,), 10, 10),), (("heuristic", "caro10_heuristic"),)),
    Nodes((Task(_GAME, (3,), 10, 10),), (("minimax", "caro10_minimax"),)),
    Nodes((Task(_GAME, (4,), 10, 10),), (("alpha-beta", "caro10_alphabeta"),)),
)  # fmt: skip
# cells next to a stone
_WIDE = {"heuristic": "caro10", "shared": ",radius=1", "options": ",width=0,win_in_one=no"}
_IMPROVEMENTS = (*ladder(**_WIDE), ("+ pattern tables", "alphabeta:depth={depth}"))


_RIVALS = (
    *at_equal_cost("caro10", ",radius=1,width=0,win_in_one=no"),
    ("+ pattern tables", "alphabeta:nodes={count}"),
    ("MCTS", "mcts:simulations={count}"),
    ("MCTS, network", "mcts:simulations={count},network=zoo:gomoku_taught"),
    ("engine, value network", "gomoku:nodes={count}"),
)
_FEW = (
    *fixed(pick(("+ order", "+ table", "+ pattern tables"), _RIVALS), 2000),
    *fixed(_RIVALS[-3:], 500, 30),
)
_EQUAL = equal_cost(1, lead=True)


STUDY = Study(
    "caro10",
    "Caro on 10×10",
    "Three modes of play: the score of windows, what the modes cost and how strong they are.",
    (
        Experiment(
            ("R1",),
            "The score of windows against exact values",
            "How good is the score of windows of five, on a board that can be solved (5×5, four in "
            "a row)?",
            (Heuristics(_SMALL, ("caro10", "patterns"), 400, from_ply=8),),
            (Heuristics(_SMALL, ("caro10", "patterns"), 60, from_ply=10),),
            (),
            (Figure("bars", "phase", "optimal", "Best moves chosen by the heuristics, 5×5",
                    "heuristic"),),
        ),
        Experiment(
            ("R3",),
            "Cost of the modes",
            "How many nodes and how much time does a move take in each mode?",
            (*_AS_PLAYED,
             Nodes((Task(_GAME, (1, 2, 3, 4), 10, 10),), _SAME_DEPTH, skip=(("minimax", 4),)),
             Nodes((Task(_GAME, (1, 2, 3, 4, 5, 6), 10, 10),), _SAME_DEPTH[2:])),
            (*_AS_PLAYED, Nodes((Task(_GAME, (1, 2, 3), 10, 4),), _SAME_DEPTH),
             Nodes((Task(_GAME, (1, 2, 3, 4, 5, 6), 10, 4),), _SAME_DEPTH[2:])),
            (Claim("The heuristic evaluates about 20 nodes", "nodes", 10, 40),
             Claim("The heuristic takes under 10 ms", "time", 0, 0.01),
             Claim("Minimax visits about 20,000 nodes", "nodes", 10_000, 40_000,
                   measurement=1),
             Claim("Minimax takes more than a second", "time", 1, 1e9, measurement=1),
             Claim("Alpha-beta visits about 10,000 nodes", "nodes", 5000, 20_000,
                   measurement=2),
             Claim("Alpha-beta takes 200 to 500 ms", "time", 0.2, 0.5, measurement=2),
             Claim("Alpha-beta visits 30–50 % fewer nodes than minimax of the same depth",
                   "fewer", 0.3, 0.5, (("search", "alpha-beta"), ("depth", 3)), 3)),
            (Figure("lines", "depth", "nodes", "Nodes a move by depth", "search", (), "y",
                    measurement=3),),
            (Sentence("To depth 3 alpha-beta needs {} nodes a move, where minimax needs {}.",
                      tuple(Blank("nodes", (("search", search), ("depth", 3)), 3)
                            for search in ("alpha-beta", "minimax"))),),
        ),
        Experiment(
            ("R3",),
            "Strength of the modes",
            "How do the modes do against each other, and against the default search?",
            (Strength(_GAME, ("random", *_MODES, "alphabeta:depth=4"), 10, "random:2"),),
            (Strength(_GAME, ("random", "caro10_heuristic", "caro10_alphabeta",
                              "alphabeta:depth=3"), 3, "random:2"),),
            (),
            (Figure("points", "time", "elo", "Strength against time a move", "agent",
                    logarithmic="x"),),
            (ratings("In one pool the heuristic alone is rated {} Elo, minimax {}, alpha-beta {} "
                     "and the default search of depth 4 {}.", (*_MODES, "alphabeta:depth=4")),),
        ),
        Experiment(
            ("R5",),
            "Improvements, one by one",
            "What do ordering by heuristic, killer moves, a transposition table, deepening, a "
            "board of 15×15 and a neural evaluation bring in nodes and in Elo?",
            (Nodes((Task(_GAME, (3,), 10, 10), Task("gomoku", (3,), 10, 5)), _IMPROVEMENTS),
             named_pool(_GAME, _RIVALS, 5, "random:2", seconds=0.005)),
            (Nodes((Task(_GAME, (3,), 10, 2),), _IMPROVEMENTS),
             named_pool(_GAME, _FEW, 2, "random:2")),
            _EQUAL[:1],
            (Figure("bars", "search", "nodes", "Nodes at depth 3, one improvement more in each bar",
                    where=(("game", _GAME),), logarithmic="y"),
             *_EQUAL[1:]),
            (ratings("At about the same processor time a move, pattern tables take alpha-beta from "
                     "{} to {} Elo; MCTS is at {}, with a network at {}, and the engine "
                     "with its value network at {}.",
                     ("+ symmetries", "+ pattern tables", "MCTS", "MCTS, network",
                      "engine, value network"), 1),),
        ),
    ),
)  # fmt: skip
