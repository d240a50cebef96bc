"""Self-play's trees on a device: one thread plays one game, with buffers of its own.

Each thread runs the kernels of :mod:`.forest_games` for a self-play of a single game. So game i is
the same, to the bit, as such a self-play on the processor with the random stream of game i.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...envs.compiled.cuda.devices import COMPILES_FOR, Device, Launch
from ...envs.compiled.kernels import announce_compilation, kernel
from ...envs.compiled.threads import bytes_of_copies, for_threads, own
from ...envs.game import Game
from . import forest_games
from .forest import GAME, MARK, TALLY, Games, new_streams


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

    A turn of all games is a call of :meth:`advance`, then of a network, from ``observations`` to
    ``logits`` and ``values``. Nothing waits for the device but :meth:`take_samples`,
    :meth:`counts` and :meth:`games`.

    Args:
        game: the game.
        options: of the search, see :func:`~plyground.agents.search.forest.search_options`.
        count: N.
        seed: the seed of all random numbers.
        most: the maximum simulations of a search, in later options too.
        entries: the entries of each game's cache of evaluations; a power of two.
        device: the device.

    Attributes:
        game: the game.
        device: the device.
        count: N.
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
        self.game: Game = game
        self.device: Device = device
        self.count: int = count
        alone = forest_games.new_self_play(game, options, 1, seed, most, entries)
        outputs = LeafOutputs(
            np.zeros((1, game.facts.num_actions), np.float32), np.zeros(1, np.float32)
        )
        self._play: Any = device.put(for_threads(alone, count))
        self._answers: Any = device.put(for_threads(outputs, count))
        self._waiting = device.put(np.zeros(count, np.int64))
        self.observations: Any = self._play.forest.leaves.observations.values.tensor[:, 0]
        self.logits: Any = self._answers.logits.values.tensor[:, 0]
        self.values: Any = self._answers.values.values.tensor[:, 0]
        self.waiting: Any = self._waiting.tensor
        with announce_compilation(f"self-play of {game.name} for {device.place}", COMPILES_FOR):
            self._advance = self._launch_of_advance()
            self._begin = device.launch(begin, count, game.rules, self._play)
        self.begin(seed)

    def _launch_of_advance(self) -> Launch:
        arguments = self.game.rules, self._play, self._answers, self._waiting
        return self.device.launch(advance, self.count, *arguments)

    def begin(self, seed: int) -> None:
        """Start all games anew, with the random numbers of this seed."""
        games = self._play.games
        streams = self.device.put(new_streams(self.count, seed)).tensor
        games.streams.values.tensor.copy_(streams[:, None])
        games.states.values.tensor.zero_()
        self.waiting.zero_()
        self._begin()

    def advance(self) -> None:
        """Continue all games with the network's outputs, until a leaf waits or samples are full."""
        self._advance()

    def change_options(self, options: Any) -> bool:
        """Search with these options from now on; returns whether they are others."""
        if options == self._play.options:
            return False
        full, fast = map(self.device.put, forest_games.tables(self.game, options))
        self._play = self._play._replace(options=options, full_table=full, fast_table=fast)
        self._advance = self._launch_of_advance()
        return True

    def change_network(self) -> None:
        """Start all searches anew, forget the network's evaluations, and count from 0."""
        field: Any = GAME.fields
        kind, place = field["goal"]
        self._play.games.states.values.tensor[..., place : place + kind.itemsize].zero_()
        self.waiting.zero_()
        self._play.generation.tensor.add_(1)
        self._play.tally.values.tensor.zero_()

    def take_samples(self) -> tuple[Any, Any, np.ndarray]:
        """The samples since the last call, and make room for others.

        Returns:
            observations: int8 (samples, rows, columns, planes), on the device.
            policies: float32 (samples, num_actions), on the device.
            marks: MARK records (samples,), copied to the processor's memory.
        """
        samples = self._play.samples
        counts, marks = samples.count.values.tensor, samples.marks.values.tensor
        taken = (counts.new_ones(marks.shape[:2]).cumsum(1) <= counts).nonzero(as_tuple=True)
        counts.zero_()
        rows: np.ndarray = marks[taken].cpu().numpy()
        return (
            samples.observations.values.tensor[taken],
            samples.policies.values.tensor[taken],
            rows.view(MARK).reshape(-1),
        )

    def counts(self) -> dict[str, int]:
        """Simulations, evaluations, games, plies, wins of player 0 and draws so far, by name."""
        rows = self.device.get(self._play.tally.values)
        return {name: int(rows[name].sum()) for name in TALLY.names or ()}

    def games(self) -> Games:
        """A copy of the games, as those of :func:`~.forest.new_games`."""
        return Games(*(self.device.get(each.values)[:, 0] for each in self._play.games))

    def load_games(self, games: Games) -> None:
        """Go on from these games; searches start anew with the next network."""
        for each, values in zip(self._play.games, games):
            each.values.tensor.copy_(self.device.put(values[:, None]).tensor)


def bytes_of_game(game: Game, options: Any, most: int, entries: int) -> int:
    """The memory of each game of a :class:`DeviceForest`."""
    return bytes_of_copies(
        for_threads(forest_games.new_self_play(game, options, 1, 0, most, entries), 1)
    )
