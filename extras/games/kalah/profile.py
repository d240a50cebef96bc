"""What other folders know about Kalah."""

from pathlib import Path

from ....envs.profile import Example, Profile, WonGame

PROFILE = Profile(
    levels=("greedy", "alphabeta:depth=4", "alphabeta:time=1"),
    examples=(Example("kalah", "kalah", "alphabeta:depth=4", "cfaeb", 10),),
    won_game=WonGame("kalah:pits=4,seeds=2", "d,b,b,c,a,d"),
    notation=(
        "A pit is a letter, counted from the mover's left towards the mover's store: a is the "
        "farthest."
    ),
    lead=390.0,
    words=Path(__file__).parent / "words",
)
