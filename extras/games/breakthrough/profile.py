"""What other folders know about Breakthrough."""

from pathlib import Path

from ....envs.profile import Example, Profile, WonGame

PROFILE = Profile(
    levels=("greedy", "alphabeta:depth=3", "alphabeta:time=1"),
    examples=(
        Example(
            "breakthrough",
            "breakthrough",
            "alphabeta:depth=3",
            "c2-c3,f7-f6,c3-d4,e7-e6,e2-f3,d7-c6,f3-g4,c6-b5",
            8,
        ),
    ),
    won_game=WonGame("breakthrough:size=4", "a2-b3,c4-b3,c2-d3,a3-a2,d3-c4"),
    lead=240.0,
    notation=(
        "A move is the start cell and the end cell of a piece, by the letters and numbers at the "
        "sides of the board: a2-a3, or a2xb3 for a capture; a2a3 is also accepted."
    ),
    words=Path(__file__).parent / "words",
)
