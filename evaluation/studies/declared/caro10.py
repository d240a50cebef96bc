"""The study of caro on 10×10 with three modes."""

from __future__ import annotations

from ..declaration import Claim, Experiment, Figure, Study
from ..measurements.games import Strength
from ..measurements.heuristics import Heuristics
from ..measurements.nodes import Nodes, Task
from .searches import ladder

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
_WIDE = "radius=1,width=0,win_in_one=no"


def _improvements() -> tuple[tuple[str, str], ...]:
    """The ladder on cells next to a stone, and the default search at last."""
    wide = tuple(
        (name, f"{spec},{'radius=1' if spec.startswith('minimax') else _WIDE}")
        for name, spec in ladder(heuristic="caro10")
    )
    return (*wide, ("+ patterns", "alphabeta:depth={depth}"))


def _rivals(limit: str) -> tuple[str, ...]:
    base = f"alphabeta:{limit},heuristic=caro10,radius=1,width=0"
    return (
        f"{base},table=0,killers=no,history=no,scout=no",
        base,
        f"alphabeta:{limit}",
    )


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
                    "heuristic", low="low", high="high"),),
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
            (
                Claim("The heuristic evaluates about 20 nodes", "nodes", 10, 40),
                Claim("The heuristic takes under 10 ms", "time", 0, 0.01),
                Claim("Minimax visits about 20,000 nodes", "nodes", 10_000, 40_000,
                      measurement=1),
                Claim("Minimax takes more than a second", "time", 1, 1e9, measurement=1),
                Claim("Alpha-beta visits about 10,000 nodes", "nodes", 5000, 20_000,
                      measurement=2),
                Claim("Alpha-beta takes 200 to 500 ms", "time", 0.2, 0.5, measurement=2),
                Claim("Alpha-beta visits 30–50 % fewer nodes than minimax of the same depth",
                      "fewer", 0.3, 0.5, (("search", "alpha-beta"), ("depth", 3)), 3),
            ),
            (Figure("lines", "depth", "nodes", "Nodes a move by depth", "search", (), "y",
                    measurement=3),),
        ),
        Experiment(
            ("R3",),
            "Strength of the modes",
            "How do the modes do against each other, and against the default search?",
            (Strength(_GAME, ("random", *_MODES, "alphabeta:depth=4"), 20, "random:2"),),
            (Strength(_GAME, ("random", "caro10_heuristic", "caro10_alphabeta",
                              "alphabeta:depth=3"), 3, "random:2"),),
            (),
            (Figure("points", "time", "elo", "Strength against time a move", "agent",
                    logarithmic="x", low="margin"),),
        ),
        Experiment(
            ("R5",),
            "Improvements, one by one",
            "What do the improvements that were listed bring in nodes and, at equal cost, in Elo?",
            (Nodes((Task(_GAME, (3,), 10, 10), Task("gomoku", (3,), 10, 5)), _improvements()),
             Strength(_GAME, (*_rivals("time=0.02"), "mcts:time=0.02"), 15, "random:2")),
            (Nodes((Task(_GAME, (3,), 10, 2),), _improvements()),
             Strength(_GAME, _rivals("nodes=2000"), 2, "random:2")),
            (),
            (Figure("bars", "search", "nodes", "Nodes at depth 3, one improvement more in each bar",
                    where=(("game", _GAME),), logarithmic="y"),
             Figure("bars", "agent", "elo", "Elo at equal cost", low="margin", measurement=1)),
        ),
    ),
)  # fmt: skip
