"""The study of caro on 15×15 with three levels."""

from __future__ import annotations

from ..declaration import Blank, Experiment, Figure, Sentence, Study
from ..measurements.games import Book, Seats, Strength
from ..measurements.heuristics import Heuristics, StaticValues
from ..measurements.nodes import Nodes, Spread, Task
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
    sample,
)  # fmt: skip

_GAME, _SMALL = "gomoku", "gomoku:size=5,connect=4"
_LEVELS, _OWN = ("easy", "medium", "hard"), "caro15_hard"  # the hard level of the project
_HARD = _OWN, "hard"
_CASES = (
    sample("c15-win", "a14", "f14"),
    sample("c15-threat", "a14", "f14"),
    sample("c15-gap", "i8"),
    sample("c15-four", "e8"),
    sample("c15-fork", "h8"),
    Case("the centre of an empty board", _GAME, "", ("h8",)),
)
# The course's boards with points of cells.
_SAMPLES = (
    sample("c15-block", "b14", "g14"),
    sample("c15-attack", "c13", "g13"),
    sample("c15-both", "b12", "f12"),
    Case("the fourth move of the sample game", _GAME, "h8,i8,g8", ("f8",)),
)
_TREE = (sample("c5-tree", "d4"),)
_ROWS = tuple(
    Case(f"{words}, {whose}", _GAME, board=f"{7 * '15/'}{row}{7 * '/15'}:{mover}")
    for words, row in (("six", "4XXXXXX5"), ("five", "5XXXXX5"), ("four", "5XXXX6"),
                       ("three", "6XXX6"), ("two", "6XX7"), ("one", "7X7"))
    for whose, mover in (("own", "X"), ("the opponent's", "O"))
)  # fmt: skip
_COSTS = (
    ("minimax", "minimax:depth={depth},radius=2,heuristic=caro15,resistance=no"),
    (_OWN, f"{_OWN}:depth={{depth}}"),
    ("hard", "hard:depth={depth}"),
    ("alphabeta", "alphabeta:depth={depth}"),
)
_PRUNED = _COSTS[:2]
_CENTRE = (*_PRUNED, ("centre first", f"{_COSTS[1][1]},ordering=default"))


def _phases(depths: tuple[int, ...], positions: int) -> tuple[Task, ...]:
    """Positions of the opening, the middle and the end of a game."""
    return tuple(Task(_GAME, depths, plies, positions) for plies in (6, 30, 80))


# all cells within distance 2
_WIDE = {"heuristic": "caro15_open", "shared": ",radius=2"}
_IMPROVEMENTS = (
    *ladder(**_WIDE),
    ("+ win in one", "hard:depth={depth}"),
    ("+ pattern tables", "alphabeta:depth={depth}"),
)


_COUNTED = "alphabeta:nodes={count},heuristic=caro15_open,radius=2,width=0"
_RIVALS = (
    *at_equal_cost(**_WIDE),
    ("+ win in one", f"{_COUNTED},win_in_one=yes"),
    ("+ pattern tables", "alphabeta:nodes={count}"),
    ("MCTS", "mcts:simulations={count}"),
    ("MCTS, two threads", "mcts:simulations={count},threads=2"),
    ("AlphaZero", "mcts:simulations={count},network=zoo:gomoku"),
    ("the engine without threats", "gomoku:nodes={count},fours=0"),
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
             Heuristics(_SMALL, ("caro15", "caro15_open", "patterns"), 400, from_ply=8),
             StaticValues(_ROWS, ("caro15",)), Answers(_SAMPLES, (*_LEVELS, _OWN))),
            (MoveQuality(_SMALL, (*_LEVELS, _OWN), 60, from_ply=10),
             Heuristics(_SMALL, ("caro15", "caro15_open", "patterns"), 60, from_ply=10),
             StaticValues(_ROWS, ("caro15",)), Answers(_SAMPLES, (*_LEVELS, _OWN))),
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
            (Answers(_CASES, (*_LEVELS, _OWN, "alphabeta:depth=5", "mcts:simulations=20000")),
             Answers(_TREE, (f"{_OWN}:depth=2",))),
            (Answers(_CASES, (*_LEVELS, _OWN, "alphabeta:depth=4")),
             Answers(_TREE, (f"{_OWN}:depth=2",))),
        ),
        Experiment(
            ("G6",),
            "Cost by depth",
            "How many nodes and how much time does a move take at depths 1 to 6?",
            (Nodes((Task(_GAME, (1, 2, 3, 4), 12, 8),), _COSTS, skip=(("minimax", 4),)),
             Nodes((Task(_GAME, (5, 6, 8), 12, 8),), _COSTS[3:]),
             Nodes((Task(_GAME, (1,), 12, 8),), tuple(zip(_LEVELS[:2], _LEVELS[:2]))),
             Spread((Task(_GAME, (1, 2, 3, 4), 12, 8), Task(_GAME, (5,), 12, 3)), _COSTS[1:2]),
             Nodes(_phases((3,), 5), _CENTRE), Spread((Task(_GAME, (3,), 12, 8),), _COSTS[:1])),
            (Nodes((Task(_GAME, (1, 2, 3), 6, 2),), _COSTS),
             Nodes((Task(_GAME, (5, 6), 12, 4),), _COSTS[3:]),
             Nodes((Task(_GAME, (1,), 12, 2),), tuple(zip(_LEVELS[:2], _LEVELS[:2]))),
             Spread((Task(_GAME, (1, 2, 3), 12, 2),), _COSTS[1:2]),
             Nodes(_phases((2,), 1), _CENTRE), Spread((Task(_GAME, (2,), 12, 2),), _COSTS[:1])),
            (),
            (Figure("lines", "depth", "nodes", "Nodes a move by depth", "search", (), "y"),),
            (Sentence("To depth 3 minimax visits {} nodes a move, the course's hard level {} and "
                      "the default alpha-beta {}.",
                      tuple(Blank("nodes", (("search", search), ("depth", 3)))
                            for search in ("minimax", _OWN, "alphabeta"))),),
        ),
        Experiment(
            ("G6",),
            "Strength of the levels",
            "How do the levels do against each other, and against the default search?",
            (Strength("gomoku:rule=caro", (*_LEVELS, _OWN, "alphabeta:depth=4"), 20, "random:2"),
             Seats(_GAME, (*_LEVELS[:2], _OWN), 50, "random:0"),
             Seats(_GAME, (_OWN, _OWN), 20, "random:2")),
            (Strength("gomoku:rule=caro", (*_LEVELS, _OWN), 4, "random:2"),
             Seats(_GAME, (*_LEVELS[:2], _OWN), 2, "random:0"),
             Seats(_GAME, (_OWN, _OWN), 2, "random:2")),
            duels("hard", _LEVELS[:2], "With the repaired evaluation it beats {}"),
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
                     "{} to {} Elo, and threat-space search is at {}. MCTS, which costs more, is "
                     "at {} and, with patterns, at {}.",
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
