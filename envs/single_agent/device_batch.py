"""Many parallel games on a device: rules, opponents and observations stay in its memory.

One thread plays one game, by the loops of :mod:`.batch_kernels`; a step is one launch of a kernel,
and more with networks among the opponents, see :mod:`.device_networks`. Game i is the same, to the
bit, as in a :class:`~plyground.envs.single_agent.game_batch.GameBatch` on the processor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..compiled.cuda.arguments import DeviceArray
from ..compiled.cuda.devices import COMPILES_FOR, Device, Launch, open_device
from ..compiled.kernels import announce_compilation
from ..compiled.threads import bytes_of_copies, for_threads, form_for_threads
from ..game import Game, Position
from . import batch_kernels as kernels
from . import device_kernels as one_game
from .device_networks import AskedNetworks
from .game_batch import GameBatch, cannot_begin
from .opponents import ByNetwork, Opponent, cumulative_shares, index_of_learner
from .replies import new_memory
from .seeds import streams_of

MIB = 1 << 20
PLAYS_THERE = (
    "random, greedy, montecarlo, minimax and alphabeta to depth 4, mcts with playouts and one "
    "thread, all without time, nodes, adaptive, endgame or book, networks in float32 without "
    "search and symmetries, and mixtures of these"
)
# options of a GameBatch that need the processor in every step, and what they are without it
ONLY_ON_PROCESSORS = {"illegal": "penalty", "regret": None, "threads": 1}


class DeviceBatch(GameBatch):
    """N games on a device, in all of which the learner acts at once.

    ``state`` holds tensors of torch, which every step overwrites. Nothing waits for the device, but
    for networks where :meth:`_may_wait` says so: an opponent that always ends the game before the
    learner's first move is noticed by :meth:`reset`.
    Records of positions are uint8, and the random streams int64 in place of uint64.

    Args:
        game: the game, or its specification.
        num_games: the number of parallel games.
        opponents: as in a GameBatch; their buffers are made for each thread.
        device: the name of a GPU, or a :class:`~plyground.envs.compiled.cuda.devices.Device`.
        **options: those of a GameBatch, as far as the processor is not needed in every step.
    """

    def __init__(
        self,
        game: Game | str,
        num_games: int,
        opponents: Sequence[Opponent] | None,
        *,
        device: str | Device,
        **options: Any,
    ) -> None:
        for name, value in ONLY_ON_PROCESSORS.items():
            if options.get(name, value) != value:
                raise ValueError(
                    f"{name}={options[name]!r} is possible only with device='cpu'; on a GPU "
                    f"it is {value!r}"
                )
        self.device: Device = device if isinstance(device, Device) else open_device(device)
        super().__init__(game, num_games, opponents, **options)

    def _allocate(self) -> kernels.BatchState:
        self._arrays = self.device.put(super()._allocate())
        return kernels.BatchState(*(each.tensor for each in self._arrays))

    def _compile(self) -> None:
        n = self.num_games
        self._scratch_rows = self._zeros((n, self.game.facts.num_actions), np.int16)
        self._chosen = self._zeros(n, np.int64)
        self._which = self._zeros(n, np.bool_)
        self._parts = self._zeros(n, np.int64)
        self._networks = AskedNetworks(self._parts.tensor, self._may_wait())
        self._executor = None
        if self._both_sides:
            self._launch_all(one_game.Nobody())

    def _may_wait(self) -> bool:
        """Whether an opponent may have more turns in a step than its reply and an opening move."""
        options, start = self._options, self.game.initial_position()
        return (
            self.game.facts.moves_again
            or max(options.opening_plies, options.long_opening_plies) > 0
            or any(start.after(action).is_over for action in start.legal_actions())
        )

    def _zeros(self, shape: Any, dtype: Any) -> DeviceArray:
        array: DeviceArray = self.device.put(np.zeros(shape, dtype))
        return array

    def _launch_all(self, opponents: Any) -> None:
        """Compile the kernels, with their arguments laid out."""
        options = self.device.put(self._options)
        common = self._common = opponents, self.game.rules, self._arrays, options
        scratch, parts = self._scratch_rows, self._parts
        with announce_compilation(f"{self.game.name} for {self.device.place}", COMPILES_FOR):
            if self._both_sides:
                self._step = self._launch(one_game.step_alone, *common[1:], self._chosen, scratch)
            else:
                chosen = self._chosen
                self._step = self._launch(one_game.step_against, *common, chosen, scratch, parts)
            self._begin = self._launch(one_game.begin, *common, self._which, scratch, parts)
            if self._networks:
                self._go_on = self._launch(one_game.go_on, *common, scratch, parts)

    def _launch(self, kernel: Any, *arguments: Any) -> Launch:
        return self.device.launch(kernel, self.num_games, *arguments)

    def _set_opponents(self, opponents: Sequence[Opponent]) -> None:
        self._options = self._options._replace(
            shares=cumulative_shares(opponents), itself=index_of_learner(opponents)
        )
        self.opponents = tuple(opponents)
        self._networks.clear()
        mixture: Any = one_game.Nobody()
        for opponent in reversed(opponents):
            if opponent.is_learner:
                mixture = one_game.Itself(mixture)
                continue
            copies, network = self._copies(opponent)
            form = self.device.put(copies)
            if network is None:
                memory = self.device.put(new_memory(self.game, 1, False))
                mixture = one_game.Mixture(form, memory, mixture)
            else:
                self._networks.add(form, network.to(self.device.place))
                mixture = one_game.Asked(form, self._zeros(self.num_games, np.bool_), mixture)
        self._launch_all(mixture)

    def check_opponents(self, opponents: Sequence[Opponent]) -> None:
        """Refuse opponents that do not play on a device.

        Raises:
            ValueError: one does not.
        """
        for opponent in opponents:
            if not opponent.is_learner:
                self._copies(opponent)

    def _copies(self, opponent: Opponent) -> tuple[Any, Any]:
        """The form of an opponent with buffers for each game, and its network or None.

        The buffers take no memory yet.
        """
        make, network = opponent.on_device or opponent.compiled, None
        made = make and make(self.game)
        if isinstance(made, ByNetwork):
            made, network = made
        form = made and form_for_threads(made)
        if form is None:
            raise ValueError(f"{opponent} does not play on a GPU; {PLAYS_THERE} do")
        copies = for_threads(form, self.num_games)
        needed, free = bytes_of_copies(copies), self.device.free_bytes()
        if needed > free:
            raise ValueError(
                f"{opponent} needs {needed / self.num_games / MIB:.3g} MiB for each of "
                f"{self.num_games} games, and {self.device.place} has {free / MIB:,.0f} MiB free: "
                f"play fewer games, or give a search fewer simulations or a smaller table, such as "
                f"table=0.01"
            )
        return copies, network

    def _with_answers(self, launch: Launch, turns: int) -> None:
        """Run a kernel, and continue the games in which networks are to move.

        Args:
            launch: the kernel.
            turns: those of one opponent in one game that may follow it, if its games do not wait
                for a check: see :meth:`_may_wait`.
        """
        launch()
        if self._networks:
            self._networks.answer(self._go_on, turns)

    def _redraw(self, before: int) -> None:
        self._launch(one_game.redraw, *self._common[2:], before)()

    def _seed(self, seed: int | Sequence[int | None] | None, which: Any = None) -> None:
        streams = self.device.put(streams_of(seed, self.num_games)).tensor
        self._replace(self.state.streams, streams, which)

    def _replace(self, tensor: Any, values: Any, which: Any) -> None:
        """Overwrite rows of a tensor, where ``which`` is True or everywhere."""
        if which is not None:
            rows = self.mask(which).reshape(-1, *[1] * (tensor.ndim - 1))
            values = values.where(rows, tensor)
        tensor.copy_(values)

    def mask(self, which: Any) -> Any:
        """A mask of games, an array or a tensor, on the device."""
        import torch

        return torch.as_tensor(which, device=self.device.place)

    def reset(self, seed: int | Sequence[int | None] | None = None, which: Any = None) -> None:
        """Start new games: all, or where ``which`` (bool, N) is True.

        Without a seed the random streams continue.
        """
        if which is not None and not self._begun and not self.mask(which).all():
            raise ValueError("the first reset starts all games")
        self.restart(which, seed)
        if not (self.state.masks.any(1) | self.state.terminated).all():
            raise cannot_begin(self.game)

    def restart(self, which: Any, seed: int | Sequence[int | None] | None = None) -> None:
        """As :meth:`reset`, without waiting for the device."""
        if seed is not None:
            self._seed(seed, which)
        if which is None:
            self._which.tensor.fill_(True)
        else:
            self._which.tensor.copy_(self.mask(which))
        self._begun = True
        for tensor in (self.state.terminated, self.state.illegal, self.state.rewards):
            tensor.masked_fill_(self._which.tensor, 0)
        self._with_answers(self._begin, 1)

    def start_from(
        self,
        positions: np.ndarray,
        seats: np.ndarray | None = None,
        seed: int | Sequence[int | None] | None = None,
        which: Any = None,
    ) -> None:
        """Start games from given positions; see the same method of a GameBatch."""
        self.restart(which, seed)
        state = self.state
        self._replace(state.positions, self.device.put(positions).tensor, which)
        if seats is not None:
            self._replace(state.seats, self.device.put(seats.astype(np.int8)).tensor, which)
        begun = [Position(self.game, record) for record in positions.view(np.recarray)]
        if self._both_sides:
            totals = np.array([position.returns[0] for position in begun])
            self._replace(state.totals, self.device.put(totals).tensor, which)
            self._which.tensor.fill_(False)
            self._begin()  # describes the positions
            return
        to_move = np.array([-1 if each.is_over else each.to_move for each in begun], np.int8)
        turns = self.device.put(to_move).tensor
        self._replace(state.waiting, (turns >= 0) & (turns != state.seats), which)
        self._parts.tensor.fill_(one_game.TURN)
        go_on = self._launch(one_game.go_on, *self._common, self._scratch_rows, self._parts)
        self._with_answers(go_on, 2)

    def step(self, actions: Any, left_out: Any = None) -> None:
        """Play the learner's action and the opponents' replies in every game; update ``state``.

        Args:
            actions: whole numbers, a tensor of the device or an array, shape (N,).
            left_out: games whose actions are ignored, since they are reset next; has no effect.

        Raises:
            ValueError: wrong shape or type of actions, or ``reset`` has not been called.
        """
        import torch

        if not self._begun:
            raise ValueError("call reset() before the first step()")
        numbers = torch.as_tensor(actions)
        is_whole = not (numbers.is_floating_point() or numbers.is_complex())
        if numbers.shape != (self.num_games,) or not is_whole or numbers.dtype == torch.bool:
            raise ValueError(
                f"actions are whole numbers of shape ({self.num_games},); these are "
                f"{numbers.dtype} of shape {tuple(numbers.shape)}"
            )
        self._chosen.tensor.copy_(numbers)
        self._with_answers(self._step, 1 + self._options.restart)

    def draw_actions(self, stream: np.ndarray) -> Any:
        """A uniformly random legal action for every game (int64), drawn on the processor."""
        actions = np.zeros(self.num_games, np.int64)
        masks = self.state.masks.cpu().numpy()
        kernels.draw_actions(masks, stream, actions, 0, self.num_games)
        return self.device.put(actions).tensor

    def arrays(self) -> kernels.BatchState:
        """A copy of the state in the processor's memory, with the dtypes of a GameBatch."""
        import torch

        rows = [each.tensor.reshape(-1).view(torch.uint8) for each in self._arrays]
        ends = np.cumsum([len(each) for each in rows])[:-1]
        content = np.split(torch.cat(rows).cpu().numpy(), ends)  # one copy
        values = (
            values.copy().view(each.dtype).reshape(each.shape)
            for values, each in zip(content, self._arrays)
        )
        state = kernels.BatchState(*values)
        return state._replace(positions=state.positions.view(np.recarray))

    def records(self) -> np.recarray[Any, Any]:
        """The records of the positions, copied to the processor's memory."""
        return self.device.get(self._arrays.positions).view(np.recarray)

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError("games on a GPU cannot be copied or pickled")
