"""Minibatches of the learner, drawn, unpacked and turned on its device."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch

from ...envs.game import Game
from .window import Canonical, Positions

DRAWN_AT_ONCE = 256  # minibatches whose random numbers are copied to the device together
EAGER_STEPS = 3  # before a step becomes a CUDA graph: libraries choose their algorithms in them
BITS = (7, 6, 5, 4, 3, 2, 1, 0)  # of a byte, as numpy packs them


class Minibatch(NamedTuple):
    """Positions and their targets, as :class:`~.window.Positions`, through a symmetry each.

    Attributes:
        observations: float32, (N, rows, columns, planes).
        policies: float32, (N, actions).
        results: float32, (N, 3).
        values, nearness, soon: float32, (N,).
        replies: int64, (N,).
        finals: float32, as ``observations``; None where the window has none.
    """

    observations: torch.Tensor
    policies: torch.Tensor
    results: torch.Tensor
    values: torch.Tensor
    nearness: torch.Tensor
    replies: torch.Tensor
    soon: torch.Tensor
    finals: torch.Tensor | None


class Draws:
    """Random numbers of the next steps, on the device.

    Args:
        size: positions in a minibatch.
        device: where the steps are computed.
    """

    def __init__(self, size: int, device: torch.device) -> None:
        self._numbers = (  # as :meth:`fill` takes them
            torch.zeros((DRAWN_AT_ONCE, size), dtype=torch.float64, device=device),
            torch.zeros((DRAWN_AT_ONCE, size), dtype=torch.int64, device=device),
            torch.zeros(DRAWN_AT_ONCE, device=device),
        )
        self._step = torch.zeros(1, dtype=torch.int64, device=device)

    def fill(self, shares: np.ndarray, symmetries: np.ndarray, rates: np.ndarray) -> None:
        """Let the next steps draw these.

        Args:
            shares: float64, (steps, size), from 0 to 1: of the positions' weights.
            symmetries: int64, (steps, size).
            rates: (steps,): of the average's approach to the weights.
        """
        for values, drawn in zip(self._numbers, (shares, symmetries, rates)):
            values[: len(drawn)].copy_(torch.from_numpy(drawn))
        self._step.zero_()

    def next(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The shares (size,), the symmetries (size,) and the rate, of no dimension, of a step."""
        shares, symmetries, rate = (
            values.index_select(0, self._step)[0] for values in self._numbers
        )
        self._step += 1
        return shares, symmetries, rate


class Sampler:
    """The positions of one board, from which minibatches are drawn, and the step that learns.

    On a GPU the step is recorded as a CUDA graph. It reads from buffers whose addresses stay.

    Args:
        game: the game on its board.
        device: where the positions lie.

    Attributes:
        total: the sum of the positions' weights.
    """

    def __init__(self, game: Game, device: torch.device) -> None:
        canonical = Canonical(game)
        self.total: float = 0.0
        self._shape = game.facts.observation_shape
        self._device = device
        self._cells = torch.from_numpy(canonical.cells.astype(np.int64)).to(device)
        self._actions = torch.from_numpy(canonical.actions).to(device)
        self._images = torch.from_numpy(canonical.forward).to(device)
        self._bits = torch.tensor(BITS, dtype=torch.uint8, device=device)
        self._buffers: dict[str, torch.Tensor] = {}
        self._graph: torch.cuda.CUDAGraph | None = None
        self._eager = 0  # steps taken without the graph
        if device.type == "cuda":
            # Of another pool than the streams of self-play: nothing else may use it while a step
            # is recorded, and torch hands out the 32 streams of a pool in turn.
            self._stream = torch.cuda.Stream(device, priority=-1)  # type: ignore[no-untyped-call]

    def fill(self, positions: Positions, count_exponent: float) -> None:
        """Draw from these positions from now on, by count to a power times weight."""
        weights = positions.counts.double() ** count_exponent * positions.weights
        bounds = weights.to(self._device).cumsum(0)
        for name, values in positions._asdict().items():
            self._put(name, values.to(self._device), 0)
        self._put("bounds", bounds, torch.inf)
        self._put("last", torch.tensor(len(bounds) - 1, device=self._device), 0)
        self._put("total", bounds[-1], 0)
        self.total = float(bounds[-1])

    def _put(self, name: str, values: torch.Tensor, padding: float) -> None:
        """Keep a tensor; on a GPU in the buffer that the graph reads, as long as there is room."""
        buffer = self._buffers.get(name)
        if self._device.type == "cpu" or (not values.ndim and buffer is None):
            self._buffers[name] = values
            return
        if buffer is None or (values.ndim and len(buffer) < len(values)):
            self.forget_graph()
            room = (2 * len(values), *values.shape[1:])
            buffer = self._buffers[name] = torch.empty(
                room, dtype=values.dtype, device=self._device
            )
        if not values.ndim:
            buffer.copy_(values)
            return
        buffer[: len(values)] = values
        buffer[len(values) :] = padding

    def forget_graph(self) -> None:
        """Record the next step anew."""
        self._graph, self._eager = None, 0

    def batch(self, shares: torch.Tensor, symmetries: torch.Tensor) -> Minibatch:
        """Positions drawn by their weights, each through its symmetry.

        Args:
            shares: float64, (N,), from 0 to 1, of the sum of the weights.
            symmetries: int64, (N,).
        """
        window, cells = self._buffers, self._cells[symmetries]
        index = torch.searchsorted(window["bounds"], shares * window["total"], right=True)
        index = torch.minimum(index, window["last"])

        def unpack(packed: torch.Tensor) -> torch.Tensor:
            bits = (packed[index][:, :, None] >> self._bits) & 1
            planes = bits.flatten(1).gather(1, cells)
            return planes.reshape(-1, *self._shape).float()

        replies = window["replies"][index].long()
        images = self._images[symmetries, replies.clamp(min=0)]
        return Minibatch(
            unpack(window["observations"]),
            window["policies"][index].float().gather(1, self._actions[symmetries]),
            window["results"][index],
            window["values"][index],
            window["nearness"][index],
            torch.where(replies < 0, replies, images),
            window["soon"][index],
            unpack(window["finals"]) if len(window["finals"]) else None,
        )

    def run(self, step: Callable[[Sampler], None]) -> None:
        """Take a step; on a GPU, after the first ones, by replaying its graph."""
        if self._device.type == "cpu":
            step(self)
            return
        here = torch.cuda.current_stream(self._device)
        if self._graph is None and self._eager < EAGER_STEPS:
            self._eager += 1
            self._stream.wait_stream(here)
            with torch.cuda.stream(self._stream):
                step(self)
            here.wait_stream(self._stream)
            return
        if self._graph is None:
            self._graph = torch.cuda.CUDAGraph()
            # threads of self-play go on with graphs of their own meanwhile
            with torch.cuda.graph(
                self._graph, stream=self._stream, capture_error_mode="thread_local"
            ):
                step(self)
        self._graph.replay()
