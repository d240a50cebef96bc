"""Data augmentation in the environment by the symmetries of the board.

This keeps PPO exact. The learner sees the game through a new random symmetry in every step, and its
action is mapped back. All it stores (observation, mask, action, log-probability, value) belongs to
the image it saw, so the ratio of new and old probability is consistent. Transforming samples of a
finished rollout instead would require the old policy's probability of the transformed action in the
transformed position, which was not computed: a network is not symmetric by itself, and the old
probability of the original action is a different number.
"""

from __future__ import annotations

import functools

import numpy as np

from ..envs.compiled.kernels import announce_compilation
from ..envs.compiled.randomness import GAMMA, MIX_1, MIX_2
from ..envs.game import Game, Position

NUM_PROBES = 400  # positions that determine where each entry of an observation goes


@functools.lru_cache(maxsize=8)
def observation_symmetries(game: Game) -> np.ndarray:
    """Index tables of the game's symmetries: int64, (symmetries, entries of an observation).

    The observation of the image under symmetry s is ``observation.ravel()[table[s]]``. The table is
    computed by comparing positions of random games with their images, so it works for any game that
    declares symmetries. It is computed once for a game and must not be changed.
    """
    symmetries = game.symmetries
    if len(symmetries) == 1:
        return np.arange(np.prod(game.facts.observation_shape), dtype=np.int64)[None]
    with announce_compilation(f"the symmetries of {game.name}"):
        positions = _random_positions(game, NUM_PROBES)
    observations = np.stack([position.observation().ravel() for position in positions])
    table = np.empty((len(symmetries), observations.shape[1]), np.int64)
    for symmetry in range(len(symmetries)):
        images = np.stack(
            [position.transformed(symmetry).observation().ravel() for position in positions]
        )
        # Entries that agree in all positions are equivalent; sorting both sides the same way pairs
        # each entry with an equivalent one.
        table[symmetry, np.lexsort(images)] = np.lexsort(observations)
        if not np.array_equal(observations[:, table[symmetry]], images):
            raise ValueError(
                f"symmetry {symmetry} of {game.spec} does more to observations than to move their "
                f"entries"
            )
    return table


def _random_positions(game: Game, count: int) -> list[Position]:
    rng = np.random.default_rng(0)
    positions: list[Position] = []
    position = game.initial_position()
    while len(positions) < count:
        if position.is_over:
            position = game.initial_position()
        position.play(int(rng.choice(position.legal_actions())))
        positions.append(position.copy())
    return positions


class SymmetricView:
    """Shows each of N games through a symmetry."""

    def __init__(self, game: Game, num_games: int) -> None:
        self._cells = observation_symmetries(game)
        self._actions = game.symmetries.astype(np.int64)  # action in the game -> in the image
        self._inverse = np.argsort(self._actions, axis=1)  # action in the image -> in the game
        self._numbers = np.arange(num_games, dtype=np.uint64) * GAMMA
        self.chosen: np.ndarray[tuple[int], np.dtype] = np.zeros(num_games, np.int64)

    def draw(self, episodes: np.ndarray, lengths: np.ndarray) -> None:
        """Choose by a hash of game, episode and step, so that a resumed run chooses the same."""
        bits = (
            self._numbers + episodes.astype(np.uint64) * MIX_1 + lengths.astype(np.uint64) * MIX_2
        )
        bits ^= bits >> np.uint64(31)
        bits *= np.uint64(0xD6E8FEB86659FD93)
        self.chosen = ((bits >> np.uint64(33)) % np.uint64(len(self._actions))).astype(np.int64)

    def observations(self, observations: np.ndarray) -> np.ndarray:
        """The images of observations of shape (N, rows, columns, planes)."""
        flat = observations.reshape(len(observations), -1)
        return np.take_along_axis(flat, self._cells[self.chosen], axis=1).reshape(
            observations.shape
        )

    def masks(self, masks: np.ndarray) -> np.ndarray:
        """The images of masks of shape (N, actions)."""
        return np.take_along_axis(masks, self._inverse[self.chosen], axis=1)

    def actions(self, actions: np.ndarray) -> np.ndarray:
        """The actions in the games for actions chosen in the images."""
        originals: np.ndarray = self._inverse[self.chosen, actions]
        return originals
