"""Playthroughs: one seeded game of each kind written down in full, so that any change of behaviour
shows up as a difference of text.

The first line of a file names its game and its seed. Write the files anew after an intended change,
and read the difference:

    .venv/bin/python tests/playthroughs.py                            # all
    .venv/bin/python tests/playthroughs.py gomoku                     # those whose name begins so
    .venv/bin/python tests/playthroughs.py othello_6 othello:size=6 1 # a new file: name, game, seed
"""

from __future__ import annotations

import hashlib
import random
import re
import sys
from pathlib import Path

import numpy as np
from plyground import Position, make_game

DATA = Path(__file__).parent / "data" / "playthroughs"
HEADER = re.compile(r"(?P<spec>\S+) \(version \d+\), random game of seed (?P<seed>\d+)")


def recorded_games() -> dict[str, tuple[str, int]]:
    """The game and the seed of every file, by the file's name."""
    games = {}
    for path in sorted(DATA.glob("*.txt")):
        header = HEADER.fullmatch(path.read_text(encoding="utf-8").partition("\n")[0])
        assert header is not None, f"{path.name} does not begin with its game and its seed"
        games[path.stem] = (header["spec"], int(header["seed"]))
    return games


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
    lines.append(f"key {position.key:016x}")
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


def write(name: str, spec: str, seed: int) -> None:
    (DATA / f"{name}.txt").write_text(playthrough(spec, seed), encoding="utf-8")
    print(f"wrote {DATA / name}.txt")


def main(arguments: list[str]) -> None:
    if len(arguments) == 3:
        write(arguments[0], arguments[1], int(arguments[2]))
        return
    for name, (spec, seed) in recorded_games().items():
        if not arguments or name.startswith(arguments[0]):
            write(name, spec, seed)


if __name__ == "__main__":
    main(sys.argv[1:])
