"""What other folders know about ultimate tic-tac-toe."""

from pathlib import Path

from ....envs.profile import Example, Profile, WonGame

PROFILE = Profile(
    levels=("greedy", "alphabeta:depth=4", "mcts:time=1"),
    examples=(
        Example(
            "ultimate_tic_tac_toe",
            "ultimate_tic_tac_toe",
            "alphabeta:depth=4",
            "e5,e4,d3,a9,b7,d1,b2,f4,g3,b9,e8",
            9,
        ),
    ),
    lead=47.0,
    badges=("✕", "○"),
    won_game=WonGame(
        "ultimate_tic_tac_toe",
        "e5,f6,g9,a7,c3,g7,c1,g1,c2,g4,d5,c5,g5,c6,h9,f8,i5,h5,f5,i6,i9",
    ),
    words=Path(__file__).parent / "words",
)
