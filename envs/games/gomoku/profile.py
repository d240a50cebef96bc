"""What other folders know about gomoku and caro."""

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

CARO10 = "gomoku:size=10"
CARO10_MODES = ("caro10_heuristic", "caro10_minimax", "caro10_alphabeta")

PROFILE = Profile(
    levels=("easy", "medium", "hard"),
    examples=(
        Example(
            "caro10",
            "gomoku:size=10",
            CARO10_MODES[-1],
            "e5,f6,e6,e7,f5,d5,d6,g5,c6",
            1,
            CARO10_MODES,
            ("gomoku:size=10,rule=caro",),
        ),
        Example(
            "caro15",
            "gomoku",
            "medium",
            "h8,i9,h9,h10,i8,g8,j8,k8,g11",
            2,
            also=("gomoku:rule=caro",),
        ),
    ),
    boards=(
        SampleBoard("c10-four", CARO10, "10/10/10/10/2XXXX4/2OO6/10/10/10/10:X"),
        SampleBoard("c10-three", CARO10, "10/10/10/10/3OOO4/3XX5/10/10/10/10:O"),
        SampleBoard("c10-threes", CARO10, "10/10/10/10/3XXX4/3OOO4/10/10/10/10:O"),
        SampleBoard("c10-almost", CARO10, "10/10/10/10/2OOO1O3/10/10/10/10/10:O"),
        SampleBoard("c10-edge", CARO10, "10/10/10/10/XXXX6/10/10/10/10/10:X"),
        SampleBoard("c10-fork", CARO10, "10/10/10/5X4/5X4/3XX5/10/10/10/10:X"),
        SampleBoard("c5-tree", "gomoku:size=5", "5/1X3/2X2/5/5:X"),
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
                    "snapshot_every": 25_000,
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
                    "pooled": True,
                    "window_smallest": 50_000,
                    "window_largest": 500_000,
                    "evaluate": "random;easy;medium",
                    "evaluation_pairs": 30,
                }
            ),
            TrainingSettings({"games": 128, "window_largest": 250_000, "cache": 1024}, fewest=101),
        ),
    },
    words=Path(__file__).parent / "words",
)
