"""Networks among the opponents of games on a device: torch evaluates them between two kernels."""

from __future__ import annotations

from typing import Any

from ..compiled.cuda.devices import Launch
from .device_kernels import DONE


class AskedNetworks:
    """The networks among the opponents of N games.

    A kernel leaves a game in which a network is to move, with its observation. The networks answer
    for all games, whoever is to move in them, since nobody knows which these are without waiting
    for the device.

    Args:
        parts: where each game waits, int64 (N,); DONE: it does not.
        may_wait: whether an opponent may have more turns than are known beforehand. The last are
            then found by waiting for the device, and answered for the games concerned alone.
    """

    def __init__(self, parts: Any, may_wait: bool) -> None:
        self._parts, self._may_wait = parts, may_wait
        self._members: list[tuple[Any, Any]] = []  # the form and the network of each

    def __bool__(self) -> bool:
        return bool(self._members)

    def clear(self) -> None:
        """Remove all."""
        self._members.clear()

    def add(self, form: Any, network: Any) -> None:
        """Add a network.

        Args:
            form: its form with buffers of all threads, see :class:`.opponents.ByNetwork`.
            network: the module, on the device.
        """
        self._members.append((form, network))

    def answer(self, go_on: Launch, turns: int) -> None:
        """Let the networks answer, and continue the games, until none waits.

        Args:
            go_on: the kernel that continues them.
            turns: how often for all games.
        """
        for _ in range(turns):
            self._answer(slice(None))
            go_on()
        while self._may_wait and len(games := (self._parts < DONE).nonzero()[:, 0]):
            self._answer(games)
            go_on()

    def _answer(self, games: Any) -> None:
        import torch

        # The precision of a processor, not of TensorFloat-32, decides which move is the best.
        exactly = torch.backends.cudnn.flags(enabled=True, allow_tf32=False)
        with torch.no_grad(), exactly:
            for form, network in self._members:
                planes = form.turns.planes.values.tensor[games, 0].float()
                form.logits.values.tensor[games, 0], form.values.values.tensor[games, 0] = network(
                    planes
                )
