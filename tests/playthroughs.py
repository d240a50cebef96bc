"""Playthroughs: one seeded game of each kind written down in full, so that any change of behaviour
shows up as a difference of text.

Write them anew after an intended change, and read the difference:

    .venv/bin/python tests/playthroughs.py            # all
    .venv/bin/python tests/playthroughs.py gomoku     # those whose name begins so
"""

from __future__ import annotations

import hashlib
import random
import sys
from pathlib import Path

import numpy as np
from plyground import Position, make_game

DATA = Path(__file__).parent / "data" / "playthroughs"
GAMES = {
    "tic_tac_toe": ("tic_tac_toe", 3),
    "tic_tac_toe_4x5": ("tic_tac_toe:rows=4,cols=5,connect=4", 1),
    "connect_four": ("connect_four", 2),
    "dots_and_boxes_2x2": ("dots_and_boxes:rows=2,cols=2", 1),
    "dots_and_boxes_margin_icelandic": (
        "dots_and_boxes:rows=2,cols=3,reward=margin,start=icelandic",
        1,
    ),
    "gomoku_7_freestyle": ("gomoku:size=7,connect=4", 1),
    "gomoku_7_caro": ("gomoku:size=7,connect=4,rule=caro", 3),
}


def digest(array: np.ndarray) -> str:
    return hashlib.sha256(
        str(array.dtype).encode() + str(array.shape).encode() + array.tobytes()
    ).hexdigest()[:12]


def describe(position: Position) -> list[str]:
    """Everything the rules say of a position."""
    legal = position.legal_actions()
    lines = [str(position), f"legal: {' '.join(map(str, legal)) or 'none'}"]
    lines += [
        f"player {player} sees {digest(position.observation(player))}, returns "
        f"{position.returns[player]:g}"
        for player in (0, 1)
    ]
    lines.append(f"key {position.key():016x}")
    lines.append(
        f"over: {position.outcome}" if position.is_over else f"to move: player {position.to_move}"
    )
    return lines


def playthrough(spec: str, seed: int) -> str:
    """The transcript of a random game."""
    game, rng = make_game(spec), random.Random(seed)
    position = game.initial_position()
    facts = game.facts
    lines = [
        f"{spec} (version {game.declaration.version}), random game of seed {seed}",
        "",
        "Facts:",
    ]
    lines += [f"  {name} = {value}" for name, value in facts._asdict().items()]
    lines += [f"  symmetries = {len(game.symmetries)}", "", "Start:", *describe(position)]
    ply = 0
    while not position.is_over:
        action = rng.choice(position.legal_actions())
        ply += 1
        lines += [
            "",
            f"Ply {ply}: player {position.to_move} plays {action} ({game.action_to_text(action)})",
        ]
        position.play(action)
        lines += describe(position)
    return "\n".join(lines) + "\n"


def main(prefixes: list[str]) -> None:
    DATA.mkdir(parents=True, exist_ok=True)
    for name, (spec, seed) in GAMES.items():
        if not prefixes or name.startswith(tuple(prefixes)):
            (DATA / f"{name}.txt").write_text(playthrough(spec, seed), encoding="utf-8")
            print(f"wrote {DATA / name}.txt")


if __name__ == "__main__":
    main(sys.argv[1:])
