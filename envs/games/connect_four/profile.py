"""What other folders know about connect four."""

from pathlib import Path

from ...profile import Elsewhere, Example, Profile, SampleBoard, TrainingSettings, WonGame

PROFILE = Profile(
    levels=("greedy", "alphabeta:depth=4", "alphabeta:time=1"),
    examples=(Example("connect_four", "connect_four", "alphabeta:depth=4", "ddeecfdcb", 3),),
    boards=(
        SampleBoard("c4-half", "connect_four", "7/7/7/XXX1XX1/OOO1OO1/XXX1XX1:X"),
        SampleBoard("c4-three", "connect_four", "7/7/7/7/7/2XXX2:X"),
        SampleBoard("c4-centre", "connect_four", "7/7/7/7/7/3X3:O"),
    ),
    won_game=WonGame("connect_four", "d,c,e,d,f,e,g"),
    is_usual=True,
    lead=26.0,
    elsewhere={
        "openspiel": Elsewhere("connect_four(rows={rows},columns={cols},x_in_row={connect})"),
        "kaggle": Elsewhere("connectx"),
        "pettingzoo": Elsewhere("connect_four_v3", where={"rows": 6, "cols": 7, "connect": 4}),
    },
    training={
        "ppo": (
            TrainingSettings(
                {
                    "opponent": (
                        "curriculum:random;alphabeta:depth=1;alphabeta:depth=2;mix:0.4 "
                        "alphabeta:depth=4,0.25 alphabeta:depth=2,0.2 random,0.15 self"
                    ),
                    "steps": 16_000_000,
                    "threshold": 0.6,
                    "window": 1000,
                    "rehearsal": 0.2,
                    "evaluate": "random;alphabeta:depth=2;alphabeta:depth=4",
                    "evaluation_plies": 3,
                    "evaluations": 40,
                }
            ),
        ),
        "dqn": (
            TrainingSettings(
                {
                    "opponent": "mix:0.4 random,0.3 alphabeta:depth=2,0.3 self",
                    "steps": 4_000_000,
                    "evaluate": "random;alphabeta:depth=2;alphabeta:depth=4",
                }
            ),
        ),
        "alphazero": (
            TrainingSettings({"opening_plies": 16, "blocks": 3, "hidden": 48, "judged": 200}),
        ),
    },
    words=Path(__file__).parent / "words",
)
