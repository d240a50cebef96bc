"""What other folders know about Othello."""

from pathlib import Path

from ....envs.profile import Elsewhere, Example, Profile, TrainingSettings, WonGame

PROFILE = Profile(
    levels=("greedy", "alphabeta:depth=3", "alphabeta:time=1"),
    examples=(Example("othello", "othello", "alphabeta:depth=3", "d3,c3,c4,e3,d2,c5", 6),),
    won_game=WonGame("othello:size=4", "a2,c1,d1,a3,a4,d2,b1,a1,d3,d4,c4,b4"),
    lead=140.0,
    elsewhere={
        "openspiel": Elsewhere("othello", where={"size": 8, "reward": "win"}),
        "sgf": Elsewhere("2"),
    },
    training={
        # All games have about the same length, so wins need no discount; see docs/alphazero.md.
        "alphazero": (
            TrainingSettings(
                {
                    "simulations": "24,48",
                    "solved_plies": 10,
                    "discount": 1.0,
                    "evaluate": "greedy;alphabeta:depth=3",
                }
            ),
            TrainingSettings({"simulations": "24,64", "blocks": 3}, fewest=50),
            # A turn of all games waits for the longest proof; see docs/guide/gpu.md.
            TrainingSettings({"solved_plies": 6}, gpu=True),
        ),
        "ppo": (
            TrainingSettings(
                {
                    "gamma": 0.95,
                    "gae_lambda": 0.9,
                    "evaluate": "random;greedy;alphabeta:depth=2",
                }
            ),
        ),
    },
    words=Path(__file__).parent / "words",
)
