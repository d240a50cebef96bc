"""The study of caro on 15×15 with three levels."""

from __future__ import annotations

from ..declaration import Blank, Claim, Experiment, Figure, Sentence, Study
from ..measurements.games import Book, Strength
from ..measurements.heuristics import Heuristics
from ..measurements.nodes import Nodes, Task
from ..measurements.quality import Answers, Case, MoveQuality
from .searches import (
    at_equal_cost,
    duels,
    equal_cost,
    fixed,
    ladder,
    named_pool,
    pick,
    ratings,
)  # fmt: skip

_GAME, _SMALL = "gomoku", "gomoku:size=5,connect=4"
_LEVELS, _OWN = ("easy", "medium", "hard"), "caro15_hard"  # the project's own hard level
_HARD = _OWN, "hard"
_CASES = (
    Case("fill the gap of OOO_O", _GAME, "e8,a1,f8,c1,g8,a3,i8,c3", ("h8",)),
    Case("block the open end of XXXX_", _GAME, "e8,d8,f8,a1,g8,c1,h8", ("i8",)),
    Case("make a fork", _GAME, "f8,a1,g8,c1,h9,a3,h10,c3", ("h8",)),
    Case("the centre of an empty board", _GAME, "", ("h8",)),
)
_COSTS = (
    ("minimax", "minimax:depth={depth},radius=2,heuristic=caro15_open"),
    (_OWN, f"{_OWN}:depth={{depth}}"),
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


_COUNTED = "alphabeta:nodes={count},heuristic=caro15_open,radius=2,width=0"
_RIVALS = (
    *at_equal_cost("caro15_open", ",radius=2,width=0,win_in_one=no"),
    ("+ win in one", f"{_COUNTED},win_in_one=yes"),
    ("+ pattern tables", "alphabeta:nodes={count}"),
    ("MCTS", "mcts:simulations={count}"),
    ("MCTS, two threads", "mcts:simulations={count},threads=2"),
    ("AlphaZero", "mcts:simulations={count},network=zoo:gomoku"),
    ("the engine without threats", "gomoku:nodes={count},fours=0,inner_fours=0"),
    ("threat-space search", "gomoku:nodes={count}"),
    ("MCTS by patterns", "mcts:simulations={count},network=patterns"),
)
_FEW = fixed(pick(("+ order", "+ table", "+ pattern tables", "MCTS"), _RIVALS), 2000, 200)
_BOOK = Book("alphabeta:depth=8", 2)
_WITH_BOOK = (
    ("without a book", "alphabeta:nodes={count}"),
    ("centre first", "alphabeta:nodes={count},book=centre"),
    ("book of depth 8", "alphabeta:nodes={count},book={book}"),
)
_QUICK_BOOK = fixed(_WITH_BOOK[:2], 500)
_EQUAL, _BOOKS = equal_cost(1, lead=True), equal_cost(0, "Elo with a book")


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
            (MoveQuality(_SMALL, (*_LEVELS, _OWN, "alphabeta:depth=3"), 300, from_ply=8),
             Heuristics(_SMALL, ("caro15", "caro15_open", "patterns"), 400, from_ply=8)),
            (MoveQuality(_SMALL, (*_LEVELS, _OWN), 60, from_ply=10),
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
            (Nodes((Task(_GAME, (1, 2, 3, 4, 5), 12, 8),), _COSTS, skip=(("minimax", 4),)),
             Nodes((Task(_GAME, (6, 8), 12, 8),), _COSTS[3:]),
             Nodes((Task(_GAME, (1,), 12, 8),), tuple(zip(_LEVELS[:2], _LEVELS[:2])))),
            (Nodes((Task(_GAME, (1, 2, 3, 4), 6, 2),), _COSTS, skip=(("minimax", 4),)),
             Nodes((Task(_GAME, (5, 6), 12, 4),), _COSTS[3:]),
             Nodes((Task(_GAME, (1,), 12, 2),), tuple(zip(_LEVELS[:2], _LEVELS[:2])))),
            tuple(
                Claim(text, column, low, high, (("search", searches), ("depth", depth)), number)
                for number, searches, depth, column, low, high, text in (
                    (0, _HARD, 3, "nodes", 211_750, 847_000,
                     "The hard level visits 423,500 nodes a move at depth 3"),
                    (0, _HARD, 3, "time", 0.25, 1.0, "It takes 0.51 s a move at depth 3"),
                    (0, _HARD, 4, "time", 30, 1e9, "It takes 30 s and more at depth 4"),
                    (0, _HARD, 5, "time", 3600, 1e9, "It takes hours at depth 5"),
                    (0, _HARD, 3, "fewer", 0.45, 0.55, "Pruning halves the nodes at depth 3"),
                    (0, "minimax", 3, "nodes", 423_625, 1_694_500,
                     "Without pruning it visits 847,250 nodes at depth 3"),
                    (0, "minimax", 3, "time", 1.15, 4.6,
                     "Without pruning it takes 2.3 s at depth 3"),
                    (2, "easy", 1, "time", 0.0005, 0.002, "The easy level takes 0.001 s a move"),
                    (2, "medium", 1, "time", 0.005, 0.02, "The medium level takes 0.01 s a move"),
                )
            ),
            (Figure("lines", "depth", "nodes", "Nodes a move by depth", "search", (), "y"),),
            (Sentence("To depth 3 minimax visits {} nodes a move, the hard level {} and the "
                      "default alpha-beta {}.",
                      tuple(Blank("nodes", (("search", search), ("depth", 3)))
                            for search in ("minimax", "hard", "alphabeta"))),),
        ),
        Experiment(
            ("G6",),
            "Strength of the levels",
            "How do the levels do against each other, and against the default search?",
            (Strength("gomoku:rule=caro", (*_LEVELS, _OWN, "alphabeta:depth=4"), 20, "random:2"),),
            (Strength("gomoku:rule=caro", (*_LEVELS, _OWN), 4, "random:2"),),
            (*duels(_OWN, _LEVELS[:2], "The hard level beats {} (85 % against people)"),
             *duels("hard", _LEVELS[:2], "With the repaired evaluation it beats {}")),
            (Figure("points", "time", "elo", "Strength against time a move", "agent",
                    logarithmic="x"),),
            (Sentence("Against the medium level the hard level of the original scores {}; with "
                      "its evaluation repaired it scores {}.",
                      tuple(Blank("score", (("agent", level), ("opponent", "medium")))
                            for level in _HARD)),),
        ),
        Experiment(
            ("G7",),
            "Improvements, one by one",
            "What do better ordering, killer moves, a transposition table, deepening, a pattern "
            "database, MCTS, parallel search, self-play learning and threat-space search bring in "
            "nodes and in Elo?",
            (Nodes((Task(_GAME, (3,), 12, 6),), _IMPROVEMENTS),
             named_pool(_GAME, _RIVALS, 4, "random:2", seconds=0.01)),
            (Nodes((Task(_GAME, (3,), 6, 1),), _IMPROVEMENTS),
             named_pool(_GAME, _FEW, 2, "random:2")),
            _EQUAL[:1],
            (Figure("bars", "search", "nodes", "Nodes at depth 3, one improvement more in each bar",
                    logarithmic="y"),
             *_EQUAL[1:]),
            (ratings("At about the same processor time a move, pattern tables take alpha-beta from "
                     "{} to {} Elo; threat-space search is at {}, MCTS at {} and, with patterns, "
                     "at {}.",
                     ("+ win in one", "+ pattern tables", "threat-space search", "MCTS",
                      "MCTS by patterns"), 1),),
        ),
        Experiment(
            ("G7",),
            "An opening book",
            "What do two plies from a book, or the rule to begin in the centre, bring?",
            (named_pool(_GAME, _WITH_BOOK, 20, "random:1", book=_BOOK, seconds=0.005),),
            (named_pool(_GAME, _QUICK_BOOK, 4, "random:1"),),
            _BOOKS[:1],
            _BOOKS[1:],
        ),
    ),
)  # fmt: skip
