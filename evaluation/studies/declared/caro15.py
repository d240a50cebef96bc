"""The study of caro on 15×15 with three levels."""

from __future__ import annotations

from ..declaration import Claim, Experiment, Figure, Study
from ..measurements.games import Book, Strength
from ..measurements.heuristics import Heuristics
from ..measurements.nodes import Nodes, Task
from ..measurements.quality import Answers, Case, MoveQuality
from .searches import Searches, at_equal_cost, ladder, named_pool, pick

_GAME, _SMALL = "gomoku", "gomoku:size=5,connect=4"
_LEVELS = ("easy", "medium", "hard")
_CASES = (
    Case("fill the gap of OOO_O", _GAME, "e8,a1,f8,c1,g8,a3,i8,c3", ("h8",)),
    Case("block the open end of XXXX_", _GAME, "e8,d8,f8,a1,g8,c1,h8", ("i8",)),
    Case("make a fork", _GAME, "f8,a1,g8,c1,h9,a3,h10,c3", ("h8",)),
    Case("the centre of an empty board", _GAME, "", ("h8",)),
)
_COSTS = (
    ("minimax", "minimax:depth={depth},radius=2,heuristic=caro15_open"),
    ("hard, by runs", "hard:depth={depth},heuristic=caro15"),
    ("hard", "hard:depth={depth}"),
    ("alphabeta", "alphabeta:depth={depth}"),
)


# all cells within distance 2
_WIDE = {
    "heuristic": "caro15_open",
    "shared": ",radius=2",
    "options": ",width=0,win_in_one=no",
}
_IMPROVEMENTS = (
    *ladder(**_WIDE),
    ("+ win in one", "hard:depth={depth}"),
    ("+ pattern tables", "alphabeta:depth={depth}"),
)


def _rivals(nodes: str, simulations: str) -> Searches:
    """One improvement more in each search, then another kind of search, at equal cost."""
    wide = f"alphabeta:nodes={nodes},heuristic=caro15_open,radius=2,width=0"
    return (
        *at_equal_cost(nodes, "caro15_open", ",radius=2,width=0,win_in_one=no"),
        ("+ win in one", f"{wide},win_in_one=yes"),
        ("+ pattern tables", f"alphabeta:nodes={nodes}"),
        ("MCTS", f"mcts:simulations={simulations}"),
    )


_PARALLEL = ("MCTS, two threads", "mcts:simulations={count},threads=2")
_NEURAL = ("AlphaZero", "mcts:simulations={count},network=zoo:gomoku")
_ENGINE = (
    ("the engine without threats", "gomoku:nodes={count},fours=0,inner_fours=0"),
    ("threat-space search", "gomoku:nodes={count}"),
    ("MCTS by patterns", "mcts:simulations={count},network=patterns"),
)
_RIVALS = (*_rivals("{count}", "{count}"), _PARALLEL, _NEURAL, *_ENGINE)
_FEW = pick(("+ order", "+ table", "+ pattern tables", "MCTS"), _rivals("2000", "200"))
_BOOK = Book("alphabeta:depth=8", 2)


def _with_book(nodes: str) -> Searches:
    search = f"alphabeta:nodes={nodes}"
    return (
        ("without a book", search),
        ("centre first", f"{search},book=centre"),
        ("book of depth 8", f"{search},book={{book}}"),
    )


_WITH_BOOK, _QUICK_BOOK = _with_book("{count}"), _with_book("500")[:2]


STUDY = Study(
    "caro15",
    "Caro on 15×15",
    "Three levels: what they play in the test positions, what they cost and how strong they are.",
    (
        Experiment(
            ("G3", "G4"),
            "Heuristics against exact values",
            "How good are the scores of the levels, on a board that can be solved (5×5, four in a "
            "row)?",
            (MoveQuality(_SMALL, ("easy", "medium", "hard", "alphabeta:depth=3"), 300, from_ply=8),
             Heuristics(_SMALL, ("caro15", "caro15_open", "patterns"), 400, from_ply=8)),
            (MoveQuality(_SMALL, _LEVELS, 60, from_ply=10),
             Heuristics(_SMALL, ("caro15", "caro15_open", "patterns"), 60, from_ply=10)),
            (),
            (Figure("bars", "agent", "optimal", "Best moves of the levels, 5×5",
                    where=(("part", "all"),)),
             Figure("bars", "heuristic", "correlation",
                    "Rank correlation with exact values, 5×5",
                    where=(("phase", "all"),), measurement=1)),
        ),
        Experiment(
            ("G5",),
            "Test positions",
            "Do the levels fill a gap, block a four, make a fork, begin in the centre?",
            (Answers(_CASES, (*_LEVELS, "alphabeta:depth=5", "mcts:simulations=20000")),),
            (Answers(_CASES, (*_LEVELS, "alphabeta:depth=4")),),
            (Claim("The hard level solves all of them", "right", 1, 1, (("agent", "hard"),)),
             Claim("The medium level solves all of them", "right", 1, 1,
                   (("agent", "medium"),))),
        ),
        Experiment(
            ("G6",),
            "Cost by depth",
            "How many nodes and how much time does a move take at depths 1 to 6?",
            (Nodes((Task(_GAME, (1, 2, 3, 4), 12, 8),), _COSTS, skip=(("minimax", 4),)),
             Nodes((Task(_GAME, (1, 2, 3, 4, 5, 6, 8), 12, 8),), _COSTS[3:])),
            (Nodes((Task(_GAME, (1, 2, 3), 6, 2),), _COSTS),
             Nodes((Task(_GAME, (1, 2, 3, 4, 5, 6), 12, 4),), _COSTS[3:])),
            (Claim("The hard level visits 423,500 nodes a move at depth 3", "nodes",
                   211_750, 847_000, (("search", "hard"), ("depth", 3))),
             Claim("Pruning halves the nodes at depth 3", "fewer", 0.45, 0.55,
                   (("search", "hard"), ("depth", 3))),
             Claim("The hard level takes 0.51 s a move at depth 3", "time", 0.25, 1.0,
                   (("search", "hard"), ("depth", 3))),
             Claim("Depth 4 takes 30 s and more", "time", 30, 1e9,
                   (("depth", 4),), 1),
             Claim("Depth 5 takes hours", "time", 3600, 1e9, (("depth", 5),), 1)),
            (Figure("lines", "depth", "nodes", "Nodes a move by depth", "search", (), "y"),),
        ),
        Experiment(
            ("G6",),
            "Strength of the levels",
            "How do the levels do against each other, and against the default search?",
            (Strength("gomoku:rule=caro", (*_LEVELS, "hard:heuristic=caro15",
                                           "alphabeta:depth=4"), 10, "random:2"),),
            (Strength("gomoku:rule=caro", (*_LEVELS, "alphabeta:depth=3"), 4, "random:2"),),
            (Claim("The hard level beats the others of the three (85 % against people)",
                   "score", 0.6, 1, (("agent", "hard"),)),),
            (Figure("points", "time", "elo", "Strength against time a move", "agent",
                    logarithmic="x"),),
        ),
        Experiment(
            ("G7",),
            "Improvements, one by one",
            "What do better ordering, killer moves, a transposition table, deepening, a pattern "
            "database, MCTS, parallel search, self-play learning and threat-space search bring in "
            "nodes and, at equal cost, in Elo?",
            (Nodes((Task(_GAME, (3,), 12, 6),), _IMPROVEMENTS),
             named_pool(_GAME, _RIVALS, 4, "random:2", seconds=0.005)),
            (Nodes((Task(_GAME, (3,), 6, 1),), _IMPROVEMENTS),
             named_pool(_GAME, _FEW, 2, "random:2")),
            (),
            (Figure("bars", "search", "nodes", "Nodes at depth 3, one improvement more in each bar",
                    logarithmic="y"),
             Figure("bars", "agent", "elo", "Elo at equal cost", measurement=1)),
        ),
        Experiment(
            ("G7",),
            "An opening book",
            "What do two plies from a book, or the rule to begin in the centre, bring at equal "
            "cost?",
            (named_pool(_GAME, _WITH_BOOK, 20, "random:1", book=_BOOK, seconds=0.005),),
            (named_pool(_GAME, _QUICK_BOOK, 4, "random:1"),),
        ),
    ),
)  # fmt: skip
