"""Data about gomoku and caro for the other folders."""

from pathlib import Path

from ...profile import (
    Elsewhere,
    Example,
    OpeningJudge,
    Profile,
    SampleBoard,
    TrainingSettings,
    WonGame,
)

CARO10_MODES = ("caro10_heuristic", "caro10_minimax", "caro10_alphabeta")

PROFILE = Profile(
    levels=("easy", "medium", "hard"),
    examples=(
        Example(
            "caro10",
            "gomoku:size=10",
            CARO10_MODES[-1],
            "e5,f6,e6,e7,f5,d5,d6,g5,c6",
            2,
            CARO10_MODES,
            ("gomoku:size=10,rule=caro",),
        ),
        Example(
            "caro15",
            "gomoku",
            "medium",
            "h8,i9,h9,h10,i8,g8,j8,k8,g11",
            3,
            also=("gomoku:rule=caro",),
        ),
    ),
    boards=tuple(
        SampleBoard(name, game, position, source)
        for name, game, source, position in (
            ("c15-easy", "gomoku", "003 §2.3", f"15/2X12/2OX11/15/3O1X9{10 * '/15'}:O"),
            ("c15-win", "gomoku", "003 §2.3.4", f"15/1OOOO10/1XXX11{12 * '/15'}:O"),
            ("c15-threat", "gomoku", "003 §2.3.4", f"15/1XXXX10/1OO12{12 * '/15'}:O"),
            ("c15-block", "gomoku", "003 §3.4.1", f"15/2XXXX9/3OO10{12 * '/15'}:O"),
            ("c15-attack", "gomoku", "003 §3.4.2", f"15/3X11/3OOO9/4X10{11 * '/15'}:O"),
            ("c15-both", "gomoku", "003 §3.4.3", f"15/2XXX10/15/2OOO10{11 * '/15'}:O"),
            ("c5-tree", "gomoku:size=5", "003 §4.5.1", "5/1XO2/1OX2/5/5:O"),
            ("c15-tree", "gomoku", "003 §4.5.2", f"{6 * '15/'}6XXX6/6OO7/7X7{6 * '/15'}:O"),
            ("c15-gap", "gomoku", "003 §6.1", f"{7 * '15/'}5OOO1O5{7 * '/15'}:O"),
            ("c15-four", "gomoku", "003 §6.2", f"{7 * '15/'}XXXX11{7 * '/15'}:O"),
            ("c15-fork", "gomoku", "003 §6.3", f"{5 * '15/'}5O9/6O8/5OO8{7 * '/15'}:O"),
        )
    ),
    won_game=WonGame("gomoku:size=9", "d5,d6,e5,f6,f5,g4,g5,e4,c5"),
    lead=240.0,
    engine="gomoku",
    opening_judge=OpeningJudge("gomoku:nodes=25000", 60.0),
    elsewhere={
        "openspiel": Elsewhere(
            "gomoku(size={size},connect={connect})", where={"rule": "freestyle"}
        ),
        "gomocup": Elsewhere("{rule}", where={"connect": 5}),
        "sgf": Elsewhere("4", where={"connect": 5}),
    },
    training={
        "ppo": (
            TrainingSettings(
                {
                    "opponent": "mix:0.7 self,0.3 random",
                    "steps": 500_000,
                    "games": 128,
                    "layers": 3,
                    "dense": "none",
                    "evaluate": "random;easy",
                    "evaluation_pairs": 50,
                    "evaluations": 5,
                }
            ),
        ),
        "dqn": (
            TrainingSettings(
                {
                    "opponent": "mix:0.5 self,0.5 random",
                    "steps": 500_000,
                    "games": 128,
                    "memory": 50_000,
                    "evaluate": "random;easy",
                    "evaluation_pairs": 50,
                    "evaluations": 5,
                }
            ),
        ),
        "alphazero": (
            TrainingSettings(
                {
                    "games": 256,
                    "blocks": 4,
                    "trunk": "pooled",
                    "simulations_per_update": 300_000,
                    "window": "50000,500000",
                    "evaluate": "random;easy;medium",
                    "evaluation_pairs": 30,
                }
            ),
            # A smaller network learns more from some minutes: twice the games, and twice the steps.
            TrainingSettings(
                {"blocks": 2, "simulations_per_update": 300_000}, hours=0.5, gpu=False
            ),
            TrainingSettings({"games": 128, "window": "50000,250000"}, fewest=101),
            TrainingSettings({"window": "300000,500000"}, gpu=True),
            TrainingSettings({"window": "250000"}, fewest=101, gpu=True),
        ),
    },
    words=Path(__file__).parent / "words",
)
