"""Data about dots and boxes for the other folders."""

from fractions import Fraction
from pathlib import Path

from ...profile import Elsewhere, Example, Profile, SampleBoard, TrainingSettings, WonGame

LARGE = 25  # edges
DOTS3, DOTS4 = "dots_and_boxes:dots=3x3", "dots_and_boxes:dots=4x4"
OPPONENTS = "greedy;alphabeta:depth=4"

PROFILE = Profile(
    levels=("greedy", "alphabeta:depth=3", "alphabeta:time=1"),
    examples=(
        Example(
            "dots",
            "dots_and_boxes:dots=5x5",
            "alphabeta:depth=3",
            "h 0 1,v 0 1,h 2 2,v 1 1,h 3 0,v 3 3,h 1 1,v 0 2,h 2 1,v 1 2",
            4,
        ),
    ),
    boards=(
        SampleBoard("dots-display", DOTS4, "_2/IAI4/_2/7/2_/4I2/3:A", "000 Task 2"),
        SampleBoard("dots-box", DOTS3, "_1/I4/_1/5/2:A", "000 Task 3, test 1"),
        SampleBoard("dots-corner", DOTS3, "__/I4/_1/2I2/2:A", "000 Task 3"),
        SampleBoard("dots-last", DOTS3, "__/IAIBI/__/I3I/__:A", "000 Task 3, test 3"),
        SampleBoard("dots-ahead", DOTS3, "__/IAI2/__/5/2:A", "000 Task 4, test 1"),
        SampleBoard("dots-sides", DOTS3, "__/I1I2/2/5/2:A", "000 Task 4, test 3"),
        SampleBoard("dots-cutoff", DOTS3, "_1/I4/2/5/2:A", "000 Task 4, cutting off search"),
        SampleBoard("dots-four", DOTS4, "_2/I6/1_1/2I4/3/7/3:A", "000 Task 4, cutting off search"),
        SampleBoard("dots-ending", DOTS3, "__/IAIBI/__/I4/__:A", "000 Advanced task"),
    ),
    won_game=WonGame(
        "dots_and_boxes:rows=2,cols=2",
        "h 0 0,h 1 0,h 1 1,v 0 2,h 2 1,v 1 1,v 1 2,v 0 0,v 0 1,v 1 0,h 0 1,h 2 0",
    ),
    lead=370.0,
    elsewhere={
        "openspiel": Elsewhere(
            "dots_and_boxes(num_rows={rows},num_cols={cols},utility_margin={reward})",
            where={"start": "empty"},
            words={"win": "false", "margin": "true"},
        )
    },
    notation=(
        "An edge is h or v (horizontal or vertical), then the row and the column of its left or "
        "upper dot, counted from 0 at the upper left: h 0 0, which may be written h00."
    ),
    training={
        "ppo": (
            TrainingSettings(
                {
                    "opponent": "mix:0.6 greedy,0.25 self,0.15 random",
                    "steps": 4_000_000,
                    "games": 128,
                    "batch_size": 256,
                    "opening_plies": 3,
                    "dense": "256,128",
                    "entropy": 0.03,
                    "evaluate": "random;greedy;alphabeta:depth=4",
                    "evaluation_pairs": 200,
                }
            ),
        ),
        "dqn": (
            TrainingSettings(
                {
                    "opponent": "mix:0.6 greedy,0.25 self,0.15 random",
                    "steps": 2_000_000,
                    "games": 128,
                    "evaluate": "random;greedy;alphabeta:depth=4",
                }
            ),
        ),
        "alphazero": (
            TrainingSettings(
                {
                    "trunk": "dense",
                    "blocks": 3,
                    "full_share": 0.25,
                    "simulations": "48,128",
                    "c_puct": 0.75,
                    "random_openings": 0.6,
                    "evaluate": f"{OPPONENTS};optimal moves",
                }
            ),
            # Dense layers learn less with small minibatches, pooled convolutions far more.
            TrainingSettings(
                {
                    "channels": 48,
                    "opening_plies": Fraction(1, 2),
                    "batch_size": 1024,
                    "learning_rate": 2e-3,
                    "gradient_norm": 1.0,
                    "value_weight": 1.0,
                },
                most=LARGE - 1,
            ),
            TrainingSettings({"channels": 48}, most=LARGE - 1, gpu=True),
            TrainingSettings({"evaluate": OPPONENTS}, hours=0.09, gpu=False),
            # From random positions of all plies it learns the endings first, then earlier positions
            # from them: without these, 4×4 boxes were not learnt in 48 minutes.
            TrainingSettings(
                {
                    "trunk": "pooled",
                    "full_share": 1.0,
                    "simulations": "40,64",
                    "random_openings": 1.0,
                    "opening_plies": Fraction(9, 10),
                },
                fewest=LARGE,
            ),
        ),
    },
    words=Path(__file__).parent / "words",
)
