"""Self-play's trees on a device: one thread plays one game, with buffers of its own.

Each thread runs the kernels of :mod:`.forest_games` for a self-play of a single game. So game i is
the same, to the bit, as such a self-play on the processor with the random stream of game i.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...envs.compiled.cuda.devices import Device
from ...envs.compiled.kernels import announce_compilation, kernel
from ...envs.compiled.threads import for_threads, own
from ...envs.game import Game
from . import forest_games
from .forest import MARK, TALLY, new_streams


class LeafOutputs(NamedTuple):
    """A network's outputs for the leaf of one game."""

    logits: Any  # float32, (1, num_actions)
    values: Any  # float32, (1,)


@kernel
def begin(rules, play, game):
    """Begin a game, at a random ply of a random game."""
    forest_games.begin_games(rules, own(play, game))


@kernel
def advance(rules, play, outputs, waiting, game):
    """Back up the outputs if the game's leaf waits for them; continue until a leaf waits."""
    mine, answers = own(play, game), own(outputs, game)
    waiting[game] = forest_games.advance(rules, mine, waiting[game], answers.logits, answers.values)


class DeviceForest:
    """N games of self-play on a device.

    A turn of all games is a call of a network, from ``observations`` to ``logits`` and ``values``,
    then :meth:`advance`. Nothing waits for the device but :meth:`take_samples` and :meth:`counts`.

    Args:
        game: the game.
        options: of the search, see :func:`~plyground.agents.search.forest.search_options`.
        count: N.
        seed: the seed of all random numbers.
        most: the maximum simulations of a search.
        entries: the entries of each game's cache of evaluations; a power of two.
        device: the device.

    Attributes:
        observations: the leaves, int8 (N, rows, columns, planes); a tensor of torch, as all here.
        waiting: whether the leaf waits for the network, int64 (N,) of 0 and 1.
        logits: the network's, float32 (N, num_actions).
        values: the network's, float32 (N,).

    Raises:
        UnsupportedKernelError: the game cannot be compiled for a GPU.
    """

    def __init__(
        self,
        game: Game,
        options: Any,
        count: int,
        seed: int,
        most: int,
        entries: int,
        device: Device,
    ) -> None:
        alone = forest_games.new_self_play(game, options, 1, seed, most, entries)
        outputs = LeafOutputs(
            np.zeros((1, game.facts.num_actions), np.float32), np.zeros(1, np.float32)
        )
        self._play: Any = device.put(for_threads(alone, count))
        streams = device.put(new_streams(count, seed)).tensor
        self._play.games.streams.values.tensor.copy_(streams[:, None])
        answers: Any = device.put(for_threads(outputs, count))
        waiting = device.put(np.zeros(count, np.int64))
        self.observations: Any = self._play.forest.leaves.observations.values.tensor[:, 0]
        self.logits: Any = answers.logits.values.tensor[:, 0]
        self.values: Any = answers.values.values.tensor[:, 0]
        self.waiting: Any = waiting.tensor
        with announce_compilation(f"self-play of {game.name} for {device.place}"):
            arguments = game.rules, self._play
            self._advance = device.launch(advance, count, *arguments, answers, waiting)
            device.launch(begin, count, *arguments)()

    def advance(self) -> None:
        """Continue all games with the network's outputs, until a leaf waits or samples are full."""
        self._advance()

    def take_samples(self) -> tuple[Any, Any, np.ndarray]:
        """The samples since the last call, and make room for others.

        Returns:
            observations: int8 (samples, rows, columns, planes), on the device.
            policies: float32 (samples, num_actions), on the device.
            marks: MARK records (samples,), copied to the processor's memory.
        """
        samples = self._play.samples
        counts, marks = samples.count.values.tensor, samples.marks.values.tensor
        room = marks.shape[1]
        taken = counts.new_tensor(range(room)) < counts
        counts.zero_()
        rows: np.ndarray = marks[taken].cpu().numpy()
        return (
            samples.observations.values.tensor[taken],
            samples.policies.values.tensor[taken],
            rows.view(MARK).reshape(-1),
        )

    def counts(self) -> dict[str, int]:
        """Simulations, evaluations, games, plies, wins of player 0 and draws so far, by name."""
        rows = self._play.tally.values.tensor.cpu().numpy().view(TALLY)
        return {name: int(rows[name].sum()) for name in TALLY.names or ()}
