"""Data about connect four for the other folders."""

from pathlib import Path

from ...profile import Elsewhere, Example, Profile, SampleBoard, TrainingSettings, WonGame

SHALLOW = "mix:0.5 alphabeta:depth=2,0.2 alphabeta:depth=1,0.3 random"
DEEPER = "mix:0.4 alphabeta:depth=4,0.3 alphabeta:depth=2,0.15 random,0.15 self"
OPPONENTS = "greedy;alphabeta:depth=2;alphabeta:depth=4"

PROFILE = Profile(
    levels=("greedy", "alphabeta:depth=4", "alphabeta:time=1"),
    examples=(Example("connect_four", "connect_four", "alphabeta:depth=4", "ddeecfdcb", 1),),
    boards=(
        SampleBoard("c4-picture", "connect_four", "7/7/7/3X3/3X3/1OOXO2:X", "001 Task 2"),
        SampleBoard("c4-half", "connect_four", "7/7/7/XXX1XX1/OOO1OO1/XXX1XX1:X", "001 Task 3"),
        SampleBoard("c4-centre", "connect_four", "7/7/7/7/7/3X3:X", "001 Task 4"),
        SampleBoard("c4-almost", "connect_four", "7/7/7/7/7/XXX4:X", "001 Task 4"),
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
                    # The score against depth 2 decides when to move on to depth 4.
                    "opponent": f"curriculum:{SHALLOW};{DEEPER}",
                    "steps": 16_000_000,
                    "threshold": 0.5,
                    "window": 1000,
                    "rehearsal": 0.0,
                    "gamma": 0.95,
                    "gae_lambda": 0.9,
                    "layers": 2,
                    "dense": "256",
                    "long_openings": 0.3,
                    "evaluate": "random;alphabeta:depth=2;alphabeta:depth=4",
                    "evaluations": 20,
                }
            ),
            # Dense layers are faster, and learn more in some minutes.
            TrainingSettings(
                {
                    "opponent": SHALLOW,
                    "layers": 0,
                    "dense": "512,256",
                    "long_openings": 0.0,
                    "learning_rate": 2e-3,
                    "evaluations": 10,
                },
                steps=6_000_000,
                hours=0.1,
            ),
            # In a minute it learns immediate wins and losses, from weak opponents first.
            TrainingSettings(
                {"opponent": "mix:0.9 random,0.1 alphabeta:depth=1", "evaluations": 4},
                steps=1_200_000,
                hours=0.02,
            ),
        ),
        "dqn": (
            TrainingSettings(
                {
                    "opponent": SHALLOW,
                    "steps": 4_000_000,
                    "gamma": 0.95,
                    "memory": 200_000,
                    "target_every": 5_000,
                    "exploration": 0.05,
                    "exploration_share": 0.3,
                    "evaluate": "random;alphabeta:depth=2;alphabeta:depth=4",
                }
            ),
        ),
        "alphazero": (
            TrainingSettings(
                {
                    "opening_plies": 16,
                    "blocks": 3,
                    "hidden": 48,
                    "evaluate": f"{OPPONENTS};optimal moves",
                    "solved_plies": 20,
                    "value_scale": 0.7,
                }
            ),
            TrainingSettings(
                {"reuse": 3.0, "evaluate": OPPONENTS, "evaluations": 3, "keep": 3},
                hours=0.09,
                gpu=False,
            ),
            # A turn of all games waits for the longest proof; see docs/guide/gpu.md.
            TrainingSettings({"solved_plies": 8}, gpu=True),
        ),
    },
    words=Path(__file__).parent / "words",
)
