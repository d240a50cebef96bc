"""WTHOR, the binary files ``.wtb`` of the games of Othello's tournaments.

A header of 16 bytes states how many games follow, the year and the size of the board. A game has 68
bytes: the numbers of the tournament and of both players, black's discs at the end, the same with
best play from some ply on, and up to 60 moves, row · 10 + column; passes are omitted. The names
for the numbers are in the files ``.jou`` and ``.trn``, which may be in the same folder. Free
cells count for the winner. Source: https://www.ffothello.org/informatique/la-base-wthor.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from ...envs.game import Game
from .record import Record, RecordError, Unread, game_titled, with_passes

TITLE = "Othello"
HEADER = struct.Struct("<4sIHHBBBB")  # date, games, names, year, size, type, depth, nothing
GAME = struct.Struct("<HHHBB60s")
NAMES = {".jou": 20, ".trn": 26}  # bytes of a name
BASE = "wthor"  # the name of the files of names, if different from the games'
USUAL_SIZE, SOLITAIRE = 8, 1


def read_wthor(content: bytes, path: Path) -> Iterator[Unread]:
    """The games of a file.

    Args:
        content: the file's content.
        path: the file; the files of names are searched for in its folder.

    Raises:
        RecordError: it is not such a file; on reading a game: it cannot be played.
        OSError: a file of names cannot be read.
    """
    if len(content) < HEADER.size:
        raise RecordError(f"it has {len(content)} bytes; the header has {HEADER.size}")
    _, count, _, year, size, kind, _, _ = HEADER.unpack_from(content)
    if len(content) != HEADER.size + count * GAME.size:
        raise RecordError(f"its header's {count} games do not match its {len(content)} bytes")
    if kind == SOLITAIRE:
        raise RecordError("it contains endings for one player, not games")
    if not count:
        raise RecordError("there is no game in it")
    size = size or USUAL_SIZE
    game = game_titled(TITLE, size)
    players, tournaments = (_names(path, ending) for ending in NAMES)
    for tournament, black, white, discs, _, moves in GAME.iter_unpack(content[HEADER.size :]):
        names = players.get(black, f"player {black}"), players.get(white, f"player {white}")
        title = tournaments.get(tournament, f"tournament {tournament}")
        yield partial(_record, game, size, moves, discs, names, f"{title} {year or ''}".strip())


def _record(
    game: Game, size: int, moves: bytes, discs: int, names: tuple[str, str], title: str
) -> Record:
    """A game of a file, checked by black's discs at its end."""
    cells = moves.rstrip(b"\0")
    if discs > size * size:
        raise RecordError(f"black has {discs} discs; there are {size * size} cells")
    for cell in cells:
        if not (1 <= cell // 10 <= size and 1 <= cell % 10 <= size):
            raise RecordError(f"move {cell} is not a cell of {game.spec}")
    actions = ((cell // 10 - 1) * size + cell % 10 - 1 for cell in cells)
    winner = None if 2 * discs == size * size else int(2 * discs < size * size)
    played = tuple(action for _, action in with_passes(game, actions))
    return Record(game, played, names, winner, True, title=title)


def _names(path: Path, ending: str) -> dict[int, str]:
    """The names in a file next to the games, by number; empty if there is no such file."""
    stems = (path.stem.lower(), BASE)
    files = [
        each
        for each in sorted(path.parent.iterdir())
        if each.suffix.lower() == ending and each.stem.lower() in stems
    ]
    if not files:
        return {}
    content, length = files[0].read_bytes()[HEADER.size :], NAMES[ending]
    if len(content) % length:
        raise RecordError(f"the file {files[0].name} is damaged: a name has {length} bytes")
    rows = (content[start : start + length] for start in range(0, len(content), length))
    texts = (row.partition(b"\0")[0].decode("latin-1").strip() for row in rows)
    return {number: text for number, text in enumerate(texts) if text}
