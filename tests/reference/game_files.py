"""Files of Othello's games, written as their formats say, in plain Python: GGF and WTHOR."""

from __future__ import annotations

import functools
import struct

from helpers import finished_position
from plyground import make_game

BOARD = "8 " + " ".join(["-" * 8] * 3 + ["---O*---", "---*O---"] + ["-" * 8] * 3) + " *"
PASS = 64
SHORTEST = ("e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5")  # 13 discs against none


def discs(position):
    """Black's and white's discs at the end, free cells counted for the winner."""
    observation = position.observation(0)
    black, white = int(observation[..., 0].sum()), int(observation[..., 1].sum())
    free = 64 - black - white
    return black + free * (black > white), white + free * (white > black)


@functools.cache
def random_games(count):
    """Finished games; the first is the shortest, which leaves white without discs."""
    game = make_game("othello")
    return [game.position(SHORTEST)] + [finished_position(game, seed) for seed in range(1, count)]


def ggf(position, head="", result=None):
    black, white = discs(position)
    names = [position.game.action_to_text(action) for action in position.moves]
    colours = [
        "BW"[position.game.position(position.moves[:ply]).to_move] for ply in range(len(names))
    ]
    moves = (
        f"{colour}[{'PA' if name == 'pass' else f'{name.upper()}/{ply}.50/0.01'}]"
        for ply, (colour, name) in enumerate(zip(colours, names))
    )
    shown = f"{black - white:+}.000" if result is None else result
    board = "" if "BO[" in head else f"BO[{BOARD}]"
    return f"(;GM[Othello]PC[GGS/os]PB[Ann]PW[Ben]RE[{shown}]TY[8]{head}{board}{''.join(moves)};)"


def header(games=1, size=8, kind=0):
    return struct.pack("<4BIHHBBBB", 20, 26, 11, 26, games, 0, 2020, size, kind, 24, 0)


def wthor(games, names=(1, 2), scores=None):
    records = b""
    for place, game in enumerate(games):
        size = game.game.rules.size
        cells = bytes(
            (action // size + 1) * 10 + action % size + 1 for action in game.moves if action != PASS
        )
        score = discs(game)[0] if scores is None else scores[place]
        records += struct.pack("<HHHBB60s", 3, *names, score, 40, cells)
    return header(len(games)) + records


def base(names, length):
    rows = b"".join(name.encode("latin-1").ljust(length, b"\0") for name in names)
    return struct.pack("<4BIHHBBBB", 20, 26, 11, 26, 0, len(names), 0, 0, 0, 0, 0) + rows
