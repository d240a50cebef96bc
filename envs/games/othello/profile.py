"""What other folders know about Othello."""

from pathlib import Path

from ...profile import Elsewhere, Example, Profile, WonGame

PROFILE = Profile(
    levels=("greedy", "alphabeta:depth=3", "alphabeta:time=1"),
    examples=(Example("othello", "othello", "alphabeta:depth=3", "d3,c3,c4,e3,d2,c5", 6),),
    won_game=WonGame("othello:size=4", "a2,c1,d1,a3,a4,d2,b1,a1,d3,d4,c4,b4"),
    lead=140.0,
    elsewhere={"openspiel": Elsewhere("othello", where={"size": 8, "reward": "win"})},
    earlier={"othello_v0": {"empties": "nobody"}},
    words=Path(__file__).parent / "words",
)
