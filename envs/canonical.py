"""Positions up to symmetry: the canonical image of a position, all positions of a game by ply."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from . import rules as r
from .compiled.kernels import kernel
from .game import Game, Position
from .specification import SpecificationError


@kernel
def _write_images(rules, records, symmetries, images):
    """Write the images of ``records[0]`` under all symmetries into ``images``.

    The first symmetry is the identity.
    """
    images[0] = records[0]
    for index in range(1, symmetries.shape[0]):
        r.transform(rules, records[0], symmetries[index], images[index])


class CanonicalForm:
    """The canonical image of positions of a game: the one whose record has the smallest bytes."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._source, self._images = game.new_records(1), game.new_records(len(game.symmetries))

    def __call__(self, position: Position) -> tuple[bytes, np.ndarray]:
        """The bytes of the canonical image, and the permutation of the actions to it.

        The permutation is int16 of shape (num_actions,).
        """
        symmetries = self.game.symmetries
        if len(symmetries) == 1:
            return position.record.tobytes(), symmetries[0]
        self._source[0] = position.record
        _write_images(self.game.rules, self._source, symmetries, self._images)
        forms = [image.tobytes() for image in self._images]
        least = min(range(len(forms)), key=forms.__getitem__)
        return forms[least], symmetries[least]


def opening_positions(game: Game, plies: int) -> Iterator[tuple[int, ...]]:
    """The positions of the first ``plies`` plies up to symmetry, by ply.

    Each is given by actions that lead to its canonical image.
    """
    for layer in itertools.islice(position_layers(game), plies):
        yield from layer


def position_layers(game: Game, most: float = math.inf) -> Iterator[list[tuple[int, ...]]]:
    """For each ply, from 0 on, the positions that are not over, up to symmetry.

    Each is given by actions that lead to its canonical image.

    Raises:
        SpecificationError: one ply has more than ``most`` positions.
    """
    canon = CanonicalForm(game)
    layer: dict[bytes, tuple[int, ...]] = {canon(game.initial_position())[0]: ()}
    for ply in itertools.count(1):
        yield list(layer.values())
        following: dict[bytes, tuple[int, ...]] = {}
        for actions in layer.values():
            position = game.position(actions)
            for action in position.legal_actions():
                ahead = position.after(action)
                if not ahead.is_over:
                    key, image_of = canon(ahead)
                    following.setdefault(
                        key, tuple(int(image_of[each]) for each in (*actions, action))
                    )
            if len(following) > most:
                raise SpecificationError(
                    f"{game.spec} has more than {most:,.0f} positions after {ply} plies, too many "
                    f"to list"
                )
        layer = following
