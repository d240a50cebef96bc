"""Count the move sequences of a game by the plain-Python rules: ``cd tests && python -m reference
GAME DEPTH [ACTION …]``; with ``value`` for the depth, what player 0 gets under best play.
"""

import sys

from plyground import make_game

from . import make_reference, perft, value

if __name__ == "__main__":
    reference = make_reference(make_game(sys.argv[1]))
    for action in sys.argv[3:]:
        reference.play(int(action))
    if sys.argv[2] == "value":
        values: dict[bytes, float] = {}
        print(value(reference, values), "after", len(values), "positions")
    else:
        print(perft(reference, int(sys.argv[2])))
