"""What other folders know about Othello."""

from pathlib import Path

from ...profile import Elsewhere, Example, Profile

PROFILE = Profile(
    levels=("greedy", "alphabeta:depth=3", "alphabeta:time=1"),
    examples=(Example("othello", "othello", "alphabeta:depth=3", "d3,c3,c4,e3,d2,c5", 6),),
    lead=60.0,
    elsewhere={"openspiel": Elsewhere("othello", where={"size": 8, "reward": "win"})},
    words=Path(__file__).parent / "words",
)
