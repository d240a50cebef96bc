"""Data about tic-tac-toe for the other folders."""

from pathlib import Path

from ...profile import Elsewhere, Example, Profile, TrainingSettings, WonGame

PERFECT, GREEDY = "random;alphabeta:depth=9", "random;greedy"

PROFILE = Profile(
    levels=("random", "greedy", "alphabeta:depth=9,time=1"),
    examples=(Example("tic_tac_toe", "tic_tac_toe", "greedy", "b2,a3,c3,a1,a2", 5),),
    won_game=WonGame("tic_tac_toe", "b2,a2,a1,b1,c3"),
    lead=5.0,
    badges=("✕", "○"),
    elsewhere={
        "openspiel": Elsewhere("mnk(m={cols},n={rows},k={connect})"),
        "pettingzoo": Elsewhere("tictactoe_v3", where={"rows": 3, "cols": 3, "connect": 3}),
    },
    evaluation_plies=0,
    training={
        "ppo": (
            TrainingSettings(
                {
                    "opponent": "mix:0.55 random,0.35 self,0.1 alphabeta:depth=9",
                    "steps": 2_500_000,
                    "games": 128,
                    "epochs": 4,
                    "opening_plies": 3,
                    "dense": "256,128",
                    "entropy": 0.03,
                    "gamma": 1.0,
                    "evaluation_pairs": 500,
                    "evaluate": PERFECT,
                }
            ),
        ),
        "dqn": (
            TrainingSettings(
                {
                    "opponent": "mix:0.5 random,0.5 self",
                    "steps": 1_000_000,
                    "games": 128,
                    "opening_plies": 3,
                    "dense": "256,128",
                    "gamma": 1.0,
                    "evaluation_pairs": 200,
                    "evaluate": PERFECT,
                }
            ),
        ),
        "alphazero": (
            # it is known after minutes
            TrainingSettings(
                {
                    "hours": 0.1,
                    "games": 256,
                    "simulations_per_update": 300_000,
                    "full_share": 0.25,
                    "simulations": "16,48",
                    "window": "20000,200000",
                    "trunk": "dense",
                    "channels": 16,
                    "blocks": 2,
                    "hidden": 32,
                    "opening_plies": 6,
                    "batch_size": 512,
                    "learning_rate": 2e-3,
                    "gradient_norm": 1.0,
                    "value_weight": 1.0,
                    "evaluation_pairs": 200,
                    "evaluate": f"{PERFECT};optimal moves",
                }
            ),
            TrainingSettings(
                {
                    "hours": 1.0,
                    "channels": 32,
                    "opening_plies": 10,
                    "evaluate": f"{GREEDY};optimal moves",
                },
                fewest=10,
            ),
            TrainingSettings({"window": "30000,200000"}, hours=0.5, gpu=False),
            TrainingSettings({"evaluate": PERFECT}, most=9, hours=0.09, gpu=False),
            TrainingSettings({"evaluate": GREEDY}, fewest=10, hours=0.09, gpu=False),
            TrainingSettings({"window": "200000"}, gpu=True),
            TrainingSettings({"channels": 16}, most=9, gpu=True),
            TrainingSettings({"channels": 32}, fewest=10, gpu=True),
        ),
    },
    words=Path(__file__).parent / "words",
)
