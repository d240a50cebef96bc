"""A moving picture of a game: a network with search against alpha-beta, with what each expects.

Run with ``python examples/moving_picture.py docs/extras/web``, the folder of both pictures: one for
light pages, one for dark ones.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import plyground
from PIL import Image, ImageDraw, ImageFont
from plyground.agents import Decision

GAME = "connect_four"
AGENTS = (  # of each seat: its specification, its name in the picture
    ("alphabeta:depth=8", "Alpha-beta, depth 8"),
    ("mcts:network=zoo:connect_four,simulations=400", "Network, 400 simulations"),
)
SIDE, PANEL, STEP, END = 330, 250, 900, 5000  # pixels, pixels, ms a move, ms at the end
COLOURS = ("#d03b3b", "#c79a00")
COLOUR_COUNT = 48


class Look(NamedTuple):
    """The colours of a page: its background and its text."""

    paper: str
    ink: str


LOOKS = {"game.gif": Look("#ffffff", "#20242b"), "game-dark.gif": Look("#0d1117", "#e6edf3")}


def expectation(decision: Decision) -> str:
    """What a player expects of its move, in its own unit."""
    if decision.score.kind == "estimate" and decision.probabilities is not None:
        return f"{(1 + decision.value) / 2:.0%} expected score"
    return decision.score.text().replace("(estimate)", "of its heuristic")


def frame(board: Image.Image, texts: list[str], mover: int | None, look: Look) -> Image.Image:
    """The board, and beside it what each player expects."""
    picture = Image.new("RGB", (board.width + PANEL, board.height), look.paper)
    picture.paste(board, (0, 0))
    draw = ImageDraw.Draw(picture)
    name_font, text_font = ImageFont.load_default(16), ImageFont.load_default(15)
    for seat, (_, name) in enumerate(AGENTS):
        left, top = board.width + 12, board.height // 2 - 90 + seat * 90
        draw.ellipse((left + 10, top + 2, left + 26, top + 18), fill=COLOURS[seat])
        draw.text((left + 36, top), name, look.ink, name_font)
        draw.text((left + 36, top + 24), texts[seat], look.ink, text_font)
        if seat == mover:
            draw.rectangle((left, top, left + 4, top + 44), fill=COLOURS[seat])
    return picture


def play() -> list[tuple[Image.Image, list[str], int | None]]:
    """The game: the board, what each player expects, and who moved, before and after each move."""
    position = plyground.make_game(GAME).initial_position()
    agents = [plyground.make_agent(spec, seed=1) for spec, _ in AGENTS]
    texts = ["", ""]
    course = [(position.to_image(None, SIDE), [*texts], None)]
    while not position.is_over:
        seat = position.to_move
        decision = agents[seat].analyse(position)
        texts[seat] = expectation(decision)
        position = position.after(decision.action)
        course.append((position.to_image(decision.action, SIDE), [*texts], seat))
    names = {1.0: "wins", 0.0: "draws", -1.0: ""}
    course.append((course[-1][0], [names[each] for each in position.returns], None))
    return course


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    course = play()
    times = [STEP] * (len(course) - 1) + [END]
    for name, look in LOOKS.items():
        frames = [
            frame(*each, look).quantize(COLOUR_COUNT, dither=Image.Dither.NONE) for each in course
        ]
        frames[0].save(
            folder / name,
            save_all=True,
            append_images=frames[1:],
            duration=times,
            loop=0,
            optimize=True,
        )


if __name__ == "__main__":
    main()
