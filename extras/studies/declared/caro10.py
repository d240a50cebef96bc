"""The study of caro on 10×10 with three modes."""

from __future__ import annotations

from ..declaration import Blank, Experiment, Figure, Sentence, Study
from ..measurements.games import Strength
from ..measurements.heuristics import Heuristics, StaticValues
from ..measurements.nodes import Nodes, Spread, Task
from ..measurements.quality import Case
from .searches import at_equal_cost, equal_cost, fixed, ladder, named_pool, pick, ratings

_GAME, _SMALL = "gomoku:size=10", "gomoku:size=5,connect=4"
_MODES = ("caro10_heuristic", "caro10_minimax", "caro10_alphabeta")
_ROW = (  # stones in the middle row of 5×5: one window along it, and the windows across
    ("five", "XXXXX"), ("four", "XXXX1"), ("three", "XXX2"), ("two", "XX3"), ("one", "X4"),
)  # fmt: skip
_ROWS = tuple(
    Case(f"{words}, {whose}", "gomoku:size=5", board=f"5/5/{row}/5/5:{mover}")
    for words, row in _ROW
    for whose, mover in (("own", "X"), ("the opponent's", "O"))
)
_SAME_DEPTH = (
    ("minimax", "caro10_minimax:depth={depth}"),
    ("alpha-beta", "caro10_alphabeta:depth={depth}"),
    ("alphabeta", "alphabeta:depth={depth}"),
)
# A ply more for alpha-beta: a fixed depth instead of the blank.
_ONE_DEEPER = tuple(
    (("minimax", "caro10_minimax:depth={depth}"), ("a ply deeper", f"caro10_alphabeta:depth={ply}"))
    for ply in (4, 5)
)


def _positions(depth: int, positions: int) -> tuple[Task, ...]:
    """Positions of the opening and of the middle of a game."""
    return tuple(Task(_GAME, (depth,), plies, positions) for plies in (4, 7, 10, 13))


def _as_played(positions: int) -> tuple[Nodes, ...]:
    """The modes at their own depths, and the spread of the two that search."""
    minimax, alphabeta = (("minimax", _MODES[1]),), (("alpha-beta", _MODES[2]),)
    return (
        Nodes(_positions(1, positions), (("heuristic", _MODES[0]),)),
        Nodes(_positions(3, positions), minimax),
        Nodes(_positions(4, positions), alphabeta),
        Spread(_positions(3, positions), minimax),
        Spread(_positions(4, positions), alphabeta),
    )


def _deeper(positions: int) -> tuple[Nodes, ...]:
    """Alpha-beta against minimax that looks a ply less far."""
    return tuple(
        Nodes((Task(_GAME, (depth,), 10, positions),), variants)
        for depth, variants in zip((3, 4), _ONE_DEEPER)
    )


_WIDE = {"heuristic": "caro10", "shared": ",radius=1"}  # cells next to a stone
_IMPROVEMENTS = (*ladder(**_WIDE), ("+ pattern tables", "alphabeta:depth={depth}"))
_RIVALS = (
    *at_equal_cost(**_WIDE),
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
            (Heuristics(_SMALL, ("caro10", "patterns"), 400, from_ply=8),
             StaticValues(_ROWS, ("caro10",))),
            (Heuristics(_SMALL, ("caro10", "patterns"), 60, from_ply=10),
             StaticValues(_ROWS, ("caro10",))),
            (),
            (Figure("bars", "phase", "optimal", "Best moves chosen by the heuristics, 5×5",
                    "heuristic"),),
        ),
        Experiment(
            ("R3",),
            "Cost of the modes",
            "How many nodes and how much time does a move take in each mode?",
            (*_as_played(5), Nodes((Task(_GAME, (1, 2, 3, 4), 10, 10),), _SAME_DEPTH,
                                   skip=(("minimax", 4),)),
             *_deeper(5), Nodes((Task(_GAME, (1, 2, 3, 4, 5, 6), 10, 10),), _SAME_DEPTH[2:])),
            (*_as_played(1), Nodes((Task(_GAME, (1, 2, 3), 10, 4),), _SAME_DEPTH),
             *_deeper(1), Nodes((Task(_GAME, (1, 2, 3, 4, 5, 6), 10, 4),), _SAME_DEPTH[2:])),
            (),
            (Figure("lines", "depth", "nodes", "Nodes a move by depth", "search", (), "y",
                    measurement=5),),
            (Sentence("To depth 3 alpha-beta needs {} nodes a move, where minimax needs {}.",
                      tuple(Blank("nodes", (("search", search), ("depth", 3)), 5)
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
