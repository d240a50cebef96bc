"""A moving picture of a game: a network with search against alpha-beta, with what each expects.

Run with ``python examples/moving_picture.py docs/extras/web/game.gif``.
"""

from __future__ import annotations

import sys

import plyground
from PIL import Image, ImageDraw, ImageFont
from plyground.agents import Decision

GAME = "connect_four"
AGENTS = (  # of each seat: its specification, its name in the picture
    ("alphabeta:depth=8", "alpha-beta, depth 8"),
    ("mcts:network=zoo:connect_four,simulations=400", "network with search, 400 simulations"),
)
SIDE, PANEL, STEP, END = 400, 110, 900, 5000  # pixels, pixels, ms a move, ms at the end
COLOURS = ("#d03b3b", "#c79a00")
INK, PAPER, COLOUR_COUNT = "#20242b", "#ffffff", 48


def expectation(decision: Decision) -> str:
    """What a player expects of its move, in its own unit."""
    if decision.score.kind == "estimate" and decision.probabilities is not None:
        return f"{(1 + decision.value) / 2:.0%} expected score"
    return decision.score.text().replace("(estimate)", "of its heuristic")


def frame(position, last: int | None, texts: list[str], mover: int | None) -> Image.Image:
    """The board with a line for each player below it."""
    board = position.to_image(last, SIDE)
    picture = Image.new("RGB", (board.width, board.height + PANEL), PAPER)
    picture.paste(board, (0, 0))
    draw = ImageDraw.Draw(picture)
    name_font, text_font = ImageFont.load_default(16), ImageFont.load_default(15)
    for seat, (_, name) in enumerate(AGENTS):
        top = board.height + 8 + seat * 50
        draw.ellipse((10, top + 2, 26, top + 18), fill=COLOURS[seat])
        draw.text((36, top), name, INK, name_font)
        draw.text((36, top + 22), texts[seat], INK, text_font)
        if seat == mover:
            draw.rectangle((0, top, 4, top + 42), fill=COLOURS[seat])
    return picture


def main() -> None:
    position = plyground.make_game(GAME).initial_position()
    agents = [plyground.make_agent(spec, seed=1) for spec, _ in AGENTS]
    texts = ["", ""]
    frames = [frame(position, None, texts, None)]
    while not position.is_over:
        seat = position.to_move
        decision = agents[seat].analyse(position)
        texts[seat] = expectation(decision)
        position = position.after(decision.action)
        frames.append(frame(position, decision.action, texts, seat))
    winner = max(range(2), key=lambda seat: position.returns[seat])
    texts[winner], texts[1 - winner] = "wins", ""
    frames.append(frame(position, decision.action, texts, winner))
    frames = [picture.quantize(COLOUR_COUNT, dither=Image.Dither.NONE) for picture in frames]
    path = sys.argv[1] if len(sys.argv) > 1 else "game.gif"
    times = [STEP] * (len(frames) - 1) + [END]
    frames[0].save(
        path, save_all=True, append_images=frames[1:], duration=times, loop=0, optimize=True
    )


if __name__ == "__main__":
    main()
