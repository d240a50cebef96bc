"""Batches of games, wherever they are played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..game import Game
from .game_batch import GameBatch
from .opponents import Opponent


def make_batch(
    game: Game | str,
    num_games: int,
    opponents: Sequence[Opponent] | None,
    *,
    device: Any = "cpu",
    **options: Any,
) -> GameBatch:
    """N games in the processor's memory, or on a GPU.

    Args:
        game: the game, or its specification.
        num_games: N.
        opponents: as in a GameBatch.
        device: ``"cpu"``, or a GPU, ``"cuda"`` or ``"cuda:1"``: the batch is then a
            :class:`~plyground.envs.single_agent.device_batch.DeviceBatch`, whose ``state`` holds
            tensors.
        **options: those of a GameBatch.

    Raises:
        ValueError: an option that is not possible, or there is no such device.
    """
    if device == "cpu":
        return GameBatch(game, num_games, opponents, **options)
    from .device_batch import DeviceBatch  # what only a GPU needs

    return DeviceBatch(game, num_games, opponents, device=device, **options)
