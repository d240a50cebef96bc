"""The study of dots and boxes. Boards are named by their dots, as in the original."""

from __future__ import annotations

from ..declaration import Blank, Experiment, Figure, Sentence, Study
from ..measurements.first_moves import FirstMoves, MonteCarloChoices
from ..measurements.games import Book, Seats, Strength
from ..measurements.heuristics import Heuristics, StaticValues
from ..measurements.nodes import Nodes, Reach, Task
from ..measurements.quality import Answers, Case
from ..measurements.sizes import TreeSizes
from .searches import (
    at_equal_cost,
    equal_cost,
    fixed,
    ladder,
    named_pool,
    pick,
    ratings,
    sample,
    seats_figure,
    sizes_figure,
)  # fmt: skip


def _dots(size: str, margin: bool = True) -> str:
    """A board by its dots; the margin in boxes is what a game returns."""
    return f"dots_and_boxes:dots={size}{',reward=margin' if margin else ''}"


_BOARDS = ("2x2", "2x3", "3x3", "3x4", "4x4", "4x5", "5x5")
_SOLVED = (("game", _dots("4x4", False)), ("way", "solver"))
# The plain search of the course: to the end, with and without its move order, and to a depth.
_UNORDERED = "textbook:depth={depth},heuristic=none"
_PLAIN = f"{_UNORDERED},ordering=default"
_EXACT = _PLAIN.format(depth=12)
_CUT_OFF = "textbook:depth={depth},heuristic=classic,ordering=default"
_CASES = (
    Case(
        "a box that can be completed at once",
        _dots("4x4"),
        "v 0 0,v 1 1,h 2 1,v 0 3,h 1 2,v 1 2,v 2 2",
    ),
    Case(
        "greed gives away a chain",
        _dots("4x4"),
        "h 3 2,h 3 0,h 3 1,h 0 0,v 1 2,v 0 3,v 1 0,v 0 1,h 2 2,v 2 3,v 2 1,v 0 2",
    ),
    Case(
        "one edge completes two boxes",
        _dots("3x3"),
        "v 1 1,h 0 0,v 1 2,v 0 1,h 0 1,h 2 0,v 1 0,v 0 0",
    ),
)
# The course's boards.
_SAMPLES = (sample("dots-box", "v 0 1"), sample("dots-corner", "v 0 1"),
            sample("dots-ending", "v 1 1"))  # fmt: skip
_SCORED = (
    Case("no edges", _dots("3x3")),
    Case("one edge", _dots("3x3"), "h 0 0"),
    *map(sample, ("dots-box", "dots-cutoff", "dots-ahead", "dots-sides")),
    Case(
        "three boxes ahead",
        _dots("3x3"),
        "h 1 0,v 1 1,h 0 1,v 0 0,h 1 1,v 0 1,v 0 2,v 1 0,v 1 2,h 0 0,h 2 0",
    ),
)
_ANSWERING = ("alphabeta:depth=20", "minimax:depth=5", "greedy", "montecarlo:simulations=200",
              "montecarlo:simulations=1000", "mcts:simulations=2000", "random")  # fmt: skip
_SIZES_AND_DEPTHS = (("3x3", 4), ("3x4", 4), ("4x4", 4), ("4x4", 6), ("4x5", 4), ("5x5", 4))
# Adaptive depth has no effect at the start: it grows as the moves get fewer.
_LATER = (Task(_dots("4x4"), (4,), 8, 8), Task(_dots("4x4"), (4,), 14, 8),
          Task(_dots("5x5"), (4,), 12, 8), Task(_dots("5x5"), (4,), 24, 8))  # fmt: skip
_FROM_THE_START = tuple(Task(_dots(size), (depth,)) for size, depth in _SIZES_AND_DEPTHS)
# Later the plain search is slow: completed boxes do not reduce the depth.
_PLAIN_CUT = (("plain search, classic heuristic", _CUT_OFF),)
_TASKS = (*_FROM_THE_START, *_LATER)
_CUTS = (
    ("one depth, classic heuristic", "alphabeta:depth={depth},heuristic=classic,iterative=no"),
    ("deepening, classic", "alphabeta:depth={depth},heuristic=classic"),
    ("deepening, chains", "alphabeta:depth={depth}"),
    ("deepening, chains, adaptive depth", "alphabeta:depth={depth},adaptive=yes"),
)
_DEPTHS = (("depth 4", "alphabeta:depth=4"), ("adaptive depth", "alphabeta:depth=4,adaptive=yes"))
_TO_THE_END, _ORDERS = (
    pick(("alpha-beta", "+ order"), ladder(heuristic)) for heuristic in ("none", "classic")
)
_CLASSIC = tuple(_CUT_OFF.format(depth=depth) for depth in (2, 4, 6))
_DEPTHS_BY_HEURISTIC = (
    *(_CUT_OFF.format(depth=depth) for depth in (2, 3, 4)),
    "alphabeta:depth=6,heuristic=classic",
    *(f"alphabeta:depth={depth},heuristic=chains" for depth in (2, 3, 4, 6)),
)
_CARLO, _RANDOM, _DEPTH_4 = "montecarlo:simulations=100", "random", _CLASSIC[1]
_CHOICES = Figure("lines", "simulations", "right", "Best first move chosen by pure Monte Carlo",
                  logarithmic="x", measurement=1)  # fmt: skip
_NODES = Figure("bars", "search", "nodes", "Nodes with one improvement more in each bar", "depth",
                logarithmic="y")  # fmt: skip
_PARETO = Figure("points", "time", "elo", "Strength against time a move", "agent",
                 logarithmic="x", measurement=1)  # fmt: skip


_RIVALS = (
    *at_equal_cost("classic"),
    ("+ chain analysis", "alphabeta:nodes={count},heuristic=chains"),
    ("+ endgame database", "alphabeta:nodes={count},heuristic=chains,endgame=12"),
    ("MCTS", "mcts:simulations={count}"),
    ("MCTS, endgame database", "mcts:simulations={count},endgame=12"),
    ("MCTS, learned evaluation", "mcts:simulations={count},network=zoo:dots_and_boxes"),
)
_FEW = ("+ order", "+ table", "+ chain analysis", "+ endgame database", "MCTS")
_BOOK = Book("solver:memory=64", 4)
_WITH_BOOK = (
    ("without a book", "alphabeta:nodes={count}"),
    ("with one", "alphabeta:nodes={count},book={book}"),
)
_EQUAL = equal_cost(1, "Elo of the searches, 4×4 dots", lead=True)
_BOOKS = equal_cost(0, "Elo with a book")


STUDY = Study(
    "dots_and_boxes",
    "Dots and boxes",
    "Sizes of trees, random play, exact search, the order of moves, first moves, heuristics and "
    "improvements.",
    (
        Experiment(
            ("D2",),
            "Size of the game",
            "How large are the board and the game tree?",
            (TreeSizes(tuple(map(_dots, _BOARDS)), 6),),
            (TreeSizes(tuple(map(_dots, _BOARDS)), 4),),
            (),
            (sizes_figure(),),
        ),
        Experiment(
            ("D4",),
            "Random play",
            "Who wins 1,000 games of random play?",
            tuple(Seats(_dots(size), ("random", "random"), 1000, "random:0")
                  for size in ("3x3", "4x4", "5x5")),
            (Seats(_dots("3x3"), ("random", "random"), 500, "random:0"),),
            (),
            (seats_figure("Results of random play", "game", "", measurement=None),),
        ),
        Experiment(
            ("D5",),
            "Hand-made positions",
            "Does minimax play the right move where greed is wrong?",
            (Answers(_SAMPLES, (_UNORDERED.format(depth=12), *_ANSWERING)),
             Answers(_CASES, (_PLAIN.format(depth=24), *_ANSWERING))),
            (Answers(_SAMPLES, (_UNORDERED.format(depth=12), "greedy",
                                "montecarlo:simulations=200")),
             Answers(_CASES, (_PLAIN.format(depth=24), "greedy"))),
        ),
        Experiment(
            ("D6",),
            "How far exact search reaches",
            "Up to which board is the start solved?",
            (Reach(tuple(_dots(size, False) for size in ("2x2", "2x3", "3x3", "3x4", "4x4", "4x5")),
                   (("minimax", "minimax:depth={depth},heuristic=none", 2),
                    ("alpha-beta", _UNORDERED, 4),
                    ("alpha-beta with the order", _PLAIN, 4),
                    ("alpha-beta, all improvements", "alphabeta:depth={depth},heuristic=none", 4),
                    ("solver", "solver", 6))),),
            (Reach(tuple(_dots(size, False) for size in ("2x2", "2x3", "3x3", "3x4", "4x4")),
                   (("minimax", "minimax:depth={depth},heuristic=none", 2),
                    ("alpha-beta", _UNORDERED, 3),
                    ("alpha-beta with the order", _PLAIN, 3),
                    ("alpha-beta, all improvements", "alphabeta:depth={depth},heuristic=none", 3),
                    ("solver", "solver", 5))),),
            (),
            (Figure("bars", "game", "nodes", "Nodes to solve the start", "way", logarithmic="y"),),
            (Sentence("Under perfect play 4×4 dots is a {} for the first player; the solver shows "
                      "it in {} nodes.", (Blank("result", _SOLVED), Blank("nodes", _SOLVED))),),
        ),
        Experiment(
            ("D7",),
            "Order of moves",
            "How many nodes does it save to try completing moves first, then safe ones?",
            (Nodes((Task(_dots("3x3"), (12,)), Task(_dots("3x4"), (13,), 4, 5),
                    Task(_dots("4x4"), (12,), 12, 10)), _TO_THE_END),
             Nodes((Task(_dots("3x3"), (4, 6, 8)), Task(_dots("3x4"), (4, 6)),
                    Task(_dots("4x4"), (4, 5)), Task(_dots("4x4"), (4, 6), 10, 10)), _ORDERS)),
            (Nodes((Task(_dots("3x3"), (12,)), Task(_dots("4x4"), (12,), 12, 4)), _TO_THE_END),
             Nodes((Task(_dots("3x3"), (4, 6, 8)), Task(_dots("4x4"), (4,)),
                    Task(_dots("4x4"), (4, 5), 10, 4)), _ORDERS)),
            (),
            (Figure("lines", "depth", "nodes", "Nodes with and without order, 3×3 dots", "search",
                    (("game", _dots("3x3")),), "y", measurement=1),),
        ),
        Experiment(
            ("D8", "D14"),
            "First moves",
            "What is every class of first moves worth, and what does pure Monte Carlo believe?",
            (FirstMoves(_dots("5x5"), 20_000, 2048),
             MonteCarloChoices(_dots("4x5"), (10, 50, 200, 1000, 5000, 20_000), 100),
             FirstMoves(_dots("3x3"), 20_000), FirstMoves(_dots("4x4"), 2000)),
            (FirstMoves(_dots("4x5"), 2000), MonteCarloChoices(_dots("4x5"), (10, 50, 200), 20),
             FirstMoves(_dots("3x3"), 2000), FirstMoves(_dots("4x4"), 200)),
            (),
            (Figure("points", "value", "believed", "Exact value and belief of Monte Carlo",
                    "count"), _CHOICES),
            (Sentence("Pure Monte Carlo chooses a best first move on 4×5 dots in {} of trials with "
                      "200 random games a move, and in {} with 20,000.",
                      tuple(Blank("right", (("simulations", count),), 1)
                            for count in (200, 20_000)), quick=False),),
        ),
        Experiment(
            ("D9",),
            "Minimax against random play",
            "How does full search do in both seats?",
            (Seats(_dots("3x3"), (_EXACT, "random"), 250, "random:0"),),
            (Seats(_dots("3x3"), (_EXACT, "random"), 50, "random:0"),),
            (),
            (seats_figure("Results of full search and random play, 3×3 dots"),),
        ),
        Experiment(
            ("D10",),
            "Heuristics against exact values",
            "How good is the classic heuristic, and is there a better one?",
            (Heuristics(_dots("4x4"), ("classic", "chains"), 450),
             StaticValues(_SCORED, ("classic",)),
             Heuristics(_dots("5x5"), ("classic", "chains"), 90)),
            (Heuristics(_dots("4x4"), ("classic", "chains"), 120),
             StaticValues(_SCORED, ("classic",))),
            (),
            (Figure("bars", "phase", "optimal", "Best moves chosen by the heuristics, 4×4 dots",
                    "heuristic"),),
        ),
        Experiment(
            ("D11",),
            "Depth cut-off",
            "What do depths cost by board, and what do deepening and an adaptive depth change?",
            (Nodes(_TASKS, _CUTS), Nodes(_FROM_THE_START, _PLAIN_CUT),
             named_pool(_dots("4x4"), _DEPTHS, 50, "random:4")),
            (Nodes((_TASKS[0], *_LATER[:2]), _CUTS), Nodes(_FROM_THE_START[:1], _PLAIN_CUT),
             named_pool(_dots("4x4"), _DEPTHS, 5, "random:4")),
            (),
            (Figure("bars", "game", "nodes", "Nodes at depth 4, from the start", "search",
                    (("depth", 4), ("plies", 0)), "y"),
             *(Figure("bars", "plies", "nodes", f"Nodes at depth 4 by plies played, {size} dots",
                      "search", (("game", _dots(size)), ("plies", (8, 12, 14, 24))), "y")
               for size in ("4x4", "5x5"))),
        ),
        Experiment(
            ("D12",),
            "Duels of depths and heuristics",
            "Do a greater depth and a better heuristic win?",
            (Strength(_dots("3x3"), _CLASSIC, 33, "all:2"),
             Strength(_dots("4x4"), _DEPTHS_BY_HEURISTIC, 12, "random:4")),
            (Strength(_dots("3x3"), _CLASSIC, 10, "all:2"),
             Strength(_dots("4x4"), _DEPTHS_BY_HEURISTIC[1:3], 6, "random:4")),
            (),
            (_PARETO,),
        ),
        Experiment(
            ("D13",),
            "Pure Monte Carlo against random play and against minimax",
            "How does pure Monte Carlo do against random play and against minimax?",
            (Seats(_dots("3x3"), (_CARLO, _RANDOM, _EXACT), 100, "random:0"),
             Seats(_dots("4x4"), (_CARLO, _RANDOM, _DEPTH_4), 50, "random:2")),
            (Seats(_dots("3x3"), (_CARLO, _RANDOM, _EXACT), 6, "random:0"),
             Seats(_dots("4x4"), (_CARLO, _RANDOM, _DEPTH_4), 6, "random:2")),
            (),
            (seats_figure("Results of pure Monte Carlo, random play and minimax, 4×4 dots",
                          measurement=1),),
        ),
        Experiment(
            ("D15",),
            "Improvements, one by one",
            "What do deepening, a transposition table, chain analysis, an endgame database, Monte "
            "Carlo tree search and a learned evaluation bring in nodes and in Elo?",
            (Nodes((Task(_dots("3x3"), (6, 8)), Task(_dots("4x4"), (5,), 8, 5)), ladder()),
             named_pool(_dots("4x4", False), _RIVALS, 10, "random:4", seconds=0.004)),
            (Nodes((Task(_dots("3x3"), (6,)),), ladder()),
             named_pool(_dots("4x4", False), fixed(pick(_FEW, _RIVALS), 2000, 200), 3, "random:4")),
            _EQUAL[:1],
            (_NODES, *_EQUAL[1:]),
            (ratings("At about the same processor time a move, chain analysis takes alpha-beta "
                     "from {} to {} Elo and an endgame database to {}; MCTS is at {}, with a "
                     "learned evaluation at {}.",
                     ("+ symmetries", "+ chain analysis", "+ endgame database", "MCTS",
                      "MCTS, learned evaluation"), 1),),
        ),
        Experiment(
            ("D15",),
            "An opening book",
            "What do four plies of perfect play from a book bring?",
            (named_pool(_dots("4x4", False), _WITH_BOOK, 50, "random:2",
                        book=_BOOK, seconds=0.004),),
            (named_pool(_dots("3x3", False), fixed(_WITH_BOOK, 500), 6, "random:1", book=_BOOK),),
            _BOOKS[:1],
            _BOOKS[1:],
        ),
    ),
)  # fmt: skip
