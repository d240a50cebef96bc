"""Self-play in several processes: the same games, whichever process is quicker."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import time
import traceback
from typing import Any

import numpy as np
import torch

from ...envs.game import Game
from ...envs.loading.interruption import SIGNALS
from ...envs.registry import make_game
from ..folder import TrainingError
from .self_play import SelfPlayer, SelfPlayResult
from .settings import AlphaZeroSettings

CPU_TIME = "cpu_microseconds"


class Workers:
    """Processes that play against themselves, all with the same weights for one stretch of games.

    Args:
        game: the game.
        settings: the settings.
        seed: of the first process; the others count up from it.
        device: where they evaluate the network.
    """

    def __init__(
        self, game: Game, settings: AlphaZeroSettings, seed: int, device: torch.device
    ) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipes: list[Any] = []
        self._processes: list[Any] = []
        for number in range(settings.workers):
            ours, theirs = context.Pipe()
            arguments = (theirs, game.spec, settings, _seed_of(seed, number), str(device))
            process = context.Process(target=_serve, args=arguments, daemon=True)
            process.start()
            theirs.close()
            self._pipes.append(ours)
            self._processes.append(process)

    def begin(self, weights: dict[str, torch.Tensor], progress: float, simulations: int) -> None:
        """Let all processes play, for so many simulations in all."""
        arrays = {name: value.numpy() for name, value in weights.items()}
        share = -(-simulations // len(self._pipes))
        for pipe in self._pipes:
            pipe.send(("play", arrays, progress, share))

    def finish(self) -> list[SelfPlayResult]:
        """What they have played, in the order of the processes.

        Raises:
            TrainingError: a process failed.
        """
        return [_receive(pipe) for pipe in self._pipes]

    def load_state(self, states: list[dict[str, torch.Tensor]]) -> None:
        """Let the games of each process go on where its state was taken."""
        for pipe, state in zip(self._pipes, states):
            pipe.send(("load", {name: value.numpy() for name, value in state.items()}))

    def close(self) -> None:
        """End the processes."""
        for pipe in self._pipes:
            pipe.close()
        for process in self._processes:
            process.join(1.0)
            if process.is_alive():
                process.kill()
                process.join()


def _seed_of(seed: int, number: int) -> int:
    return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])


def _receive(pipe: Any) -> SelfPlayResult:
    try:
        answer = pipe.recv()
    except (EOFError, OSError):
        raise TrainingError("a process of self-play has ended without an answer") from None
    if isinstance(answer, str):
        raise TrainingError(f"a process of self-play failed: {answer}")
    chunk, counts, state = answer
    return SelfPlayResult(
        chunk, counts, {name: torch.from_numpy(value) for name, value in state.items()}
    )


def _serve(pipe: Any, game: str, settings: AlphaZeroSettings, seed: int, device: str) -> None:
    """The life of a process: it ends when the other end of the pipe is closed."""
    for number in SIGNALS:  # they are the main process's to handle
        signal.signal(number, lambda *_: None)
    torch.set_num_threads(1)
    with contextlib.suppress(EOFError, OSError, BrokenPipeError):
        try:
            player = SelfPlayer(make_game(game), settings, seed, torch.device(device))
            while True:
                task, *arguments = pipe.recv()
                if task == "load":
                    (state,) = arguments
                    player.load_state({n: torch.from_numpy(v.copy()) for n, v in state.items()})
                    continue
                arrays, progress, simulations = arguments
                weights = {name: torch.from_numpy(value) for name, value in arrays.items()}
                began = time.process_time()
                result = player.play(weights, progress, simulations)
                counts = result.counts | {CPU_TIME: int(1e6 * (time.process_time() - began))}
                state = {name: value.numpy() for name, value in result.state.items()}
                pipe.send((result.chunk, counts, state))
        except (EOFError, OSError):
            raise
        except TrainingError as error:
            pipe.send(str(error))
        except Exception:
            pipe.send(traceback.format_exc(limit=-3))
