"""Pictures of four games after some moves, side by side.

Run with ``python examples/board_pictures.py docs/images/boards.png``.
"""

from __future__ import annotations

import sys

import plyground
from PIL import Image

GAMES = (  # game, the agent of each seat, how many moves
    ("tic_tac_toe", ("alphabeta:depth=1", "random"), 9),
    ("connect_four", ("alphabeta:depth=6", "alphabeta:depth=7"), 29),
    ("dots_and_boxes", ("alphabeta:depth=2", "greedy"), 31),
    ("gomoku:rule=caro", ("alphabeta:depth=4", "medium"), 60),
)
SIDE, GAP = 420, 20  # pixels


def play(spec: str, names: tuple[str, str], moves: int) -> Image.Image:
    """The board after so many moves, or at the end of the game."""
    position, last = plyground.make_game(spec).initial_position(), None
    agents = [plyground.make_agent(name, seed=seat) for seat, name in enumerate(names)]
    while moves > 0 and not position.is_over:
        last = agents[position.to_move].act(position)
        position.play(last)
        moves -= 1
    return position.to_image(last, SIDE)


def main() -> None:
    boards = [play(*row) for row in GAMES]
    picture = Image.new(
        "RGB", (sum(board.width + GAP for board in boards) + GAP, SIDE + 2 * GAP), "white"
    )
    x = GAP
    for board in boards:
        picture.paste(board, (x, (picture.height - board.height) // 2))
        x += board.width + GAP
    picture.save(sys.argv[1] if len(sys.argv) > 1 else "boards.png", optimize=True)


if __name__ == "__main__":
    main()
