"""Count the move sequences of a game by the plain-Python rules: ``cd tests && python -m reference
GAME DEPTH [ACTION …]``.
"""

import sys

from plyground import make_game

from . import make_reference, perft

if __name__ == "__main__":
    reference = make_reference(make_game(sys.argv[1]))
    for action in sys.argv[3:]:
        reference.play(int(action))
    print(perft(reference, int(sys.argv[2])))
