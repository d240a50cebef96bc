"""The games under way as a checkpoint holds them: a few hundred bytes each.

Kept are the positions, and of every ply that was searched in full what becomes a sample when the
game ends. The policies are rounded to 16 bits, as those of samples are.
"""

from __future__ import annotations

import zlib

import numpy as np
import torch

from ...agents.search.forest import Games

WHOLE = ("positions", "states", "streams", "regrets", "flags")
OF_PLIES = ("past", "policies", "values", "surprises")  # of those that are searched in full
LEVEL = 1  # of zlib: the quickest


def pack_games(games: Games) -> dict[str, torch.Tensor]:
    """The games as compressed bytes (uint8) by name. Searches are not there: they begin anew."""
    plies = np.arange(games.moves.shape[1])[None, :] < games.states.plies[:, None]
    parts = {name: getattr(games, name) for name in WHOLE}
    parts["moves"] = np.where(plies, games.moves, 0)
    for name in OF_PLIES:
        values = getattr(games, name)[games.flags != 0]
        parts[name] = values.astype(np.float16) if name == "policies" else values
    return {
        name: torch.frombuffer(
            bytearray(zlib.compress(np.ascontiguousarray(values).tobytes(), LEVEL)),
            dtype=torch.uint8,
        )
        for name, values in parts.items()
    }


def unpack_games(state: dict[str, torch.Tensor], games: Games) -> None:
    """Let games go on where :func:`pack_games` was called.

    Raises:
        ValueError: the state is of a version that kept them in another form.
    """
    if state.keys() != {*WHOLE, *OF_PLIES, "moves"}:
        raise ValueError("other arrays")
    for name in (*WHOLE, "moves"):
        values = getattr(games, name)
        values.reshape(-1)[...] = _read(state[name], values.dtype, values.size)
    searches = games.flags != 0
    for name in OF_PLIES:
        values = getattr(games, name)
        each = int(np.prod(values.shape[2:]))
        dtype = np.dtype(np.float16) if name == "policies" else values.dtype
        content = _read(state[name], dtype, int(searches.sum()) * each)
        values[searches] = content.reshape(-1, *values.shape[2:])


def _read(content: torch.Tensor, dtype: np.dtype, count: int) -> np.ndarray:
    """So many numbers of this type; a ValueError if there are more or fewer."""
    size = count * dtype.itemsize
    decompressor = zlib.decompressobj()
    try:
        data = decompressor.decompress(content.numpy().tobytes(), size + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if len(data) != size or not decompressor.eof:
        raise ValueError(f"{len(data)} bytes in place of {size}")
    return np.frombuffer(data, dtype)
