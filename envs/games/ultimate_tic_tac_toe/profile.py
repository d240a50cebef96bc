"""What other folders know about ultimate tic-tac-toe."""

from pathlib import Path

from ...profile import Example, Profile

PROFILE = Profile(
    levels=("greedy", "alphabeta:depth=4", "mcts:time=1"),
    examples=(
        Example(
            "ultimate_tic_tac_toe",
            "ultimate_tic_tac_toe",
            "alphabeta:depth=4",
            "e5,e4,d3,a9,b7,d1,b2,f4,g3,b9,e8",
            8,
        ),
    ),
    words=Path(__file__).parent / "words",
)
