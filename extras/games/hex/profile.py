"""What other folders know about Hex."""

from pathlib import Path

from ....envs.profile import Elsewhere, Example, Profile, WonGame

PROFILE = Profile(
    levels=("greedy", "mcts:simulations=1000", "mcts:time=1"),
    examples=(
        Example("hex", "hex:size=9,swap=yes", "mcts:simulations=1000", "e5,d6,f4,f6,g3,c5", 7),
    ),
    won_game=WonGame("hex:size=5", "c3,b3,c4,d4,d2,b2,d1,e3,b5"),
    lead=290.0,
    elsewhere={
        "openspiel": Elsewhere(
            "hex(board_size={size},swap={swap})", words={"yes": "true", "no": "false"}
        ),
        "sgf": Elsewhere("11"),
    },
    words=Path(__file__).parent / "words",
)
