"""Count the move sequences of a game by the plain-Python rules: ``cd tests && python -m reference GAME DEPTH``."""

import sys

from plyground import make_game

from . import make_reference, perft

if __name__ == "__main__":
    print(perft(make_reference(make_game(sys.argv[1])), int(sys.argv[2])))
