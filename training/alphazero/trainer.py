"""AlphaZero as a training run uses it: self-play, replay window, learner."""

from __future__ import annotations

import contextlib
import hashlib
import math
import time
from collections import deque
from pathlib import Path
from typing import Any

import torch

from ...envs.game import Game
from ..folder import TrainingError, write_file
from ..run import TrainingRun, run_training
from .evaluator import open_predecessor
from .learner import AverageTrainer
from .self_play import SelfPlayer, SelfPlayResult
from .settings import AlphaZeroSettings
from .window import Window, read_chunk, window_size, write_chunk
from .workers import CPU_TIME, Workers

KIND = "alphazero"
KEPT_CHECKPOINTS = 3


class AlphaZeroTrainer(AverageTrainer):
    """The :class:`~plyground.training.run.Trainer` of AlphaZero.

    With one worker, an update is self-play and then learning, in this process. With several, they
    play while this process learns from what was played before, is measured or writes checkpoints.
    Both are exactly repeatable.

    Args:
        game: the game.
        settings: the settings.
        seed: decides everything that is random.
        folder: of the run; the replay window's files are in its sub-folder ``window``.
        device: where the network is evaluated and learns.
    """

    stage = "itself"

    def __init__(
        self,
        game: Game,
        settings: AlphaZeroSettings,
        seed: int,
        folder: Path,
        device: torch.device,
    ) -> None:
        super().__init__(game, settings, seed, device, KIND)
        predecessor = open_predecessor(game, settings)  # refused here, before processes begin
        self._predecessor = predecessor.version if predecessor else ""
        self._workers: Workers | None = None
        self._player: SelfPlayer | None = None
        if settings.workers == 1:
            self._player = SelfPlayer(game, settings, seed, device)
        else:
            self._workers = Workers(game, settings, seed, device)
        self._folder = folder / "window"
        self._window = Window()
        self._chunks_of_checkpoints: deque[set[str]] = deque(maxlen=KEPT_CHECKPOINTS)
        # What a checkpoint holds beside learner and window:
        self._games: list[dict[str, torch.Tensor]] = []
        self._totals = {"plies": 0, "games": 0, "samples": 0, "simulations": 0, "updates": 0}
        self._new_samples = 0
        # The games that processes play at present: whether, since when, and the share of the run
        # that was done when their weights were learnt.
        self._begun, self._began, self._progress_of_games = False, 0.0, 0.0

    @property
    def step(self) -> int:
        """Actions of finished games of self-play."""
        return self._totals["plies"]

    def update(self) -> dict[str, float]:
        """Play and learn once; returns what is logged."""
        began, cpu_began = time.monotonic(), time.process_time()
        if self._workers is None:
            assert self._player is not None
            simulations = self.settings.simulations_of_round(self._totals["updates"])
            parts = [self._player.play(self.learner.weights(), self.progress, simulations)]
            playing = time.monotonic() - began
            self._add_samples(parts)
            self._totals["updates"] += 1
            losses = self._learn()
        else:
            self._begin(self._workers)
            losses = self._learn()
            parts = self._workers.finish()
            playing = time.monotonic() - self._began
            self._add_samples(parts)
            self._totals["updates"] += 1
            # the next games, in the time of measurements and checkpoints
            self._begun, self._progress_of_games = False, self.progress
            self._begin(self._workers)
        values = self._statistics(parts, playing, time.monotonic() - began) | losses
        cpu_seconds = time.process_time() - cpu_began + values["time/other_cpu_seconds"]
        return values | {"time/cores": cpu_seconds / values["time/update"]}

    def _begin(self, workers: Workers) -> None:
        """Let the processes play, unless they do already."""
        if not self._begun:
            self._begun, self._began = True, time.monotonic()
            workers.begin(
                self.learner.weights(),
                self._progress_of_games,
                self.settings.simulations_of_round(self._totals["updates"]),
            )

    def _learn(self) -> dict[str, float]:
        """Learn from the window as often as the samples that are new in it ask for."""
        if self._new_samples == 0:
            return {}
        positions = self._window.positions()
        settings = self.settings
        samples = settings.reuse * self._new_samples
        batches = max(1, math.ceil(samples / settings.batch_size))
        self._new_samples = 0
        began = time.process_time()
        losses = self.learner.learn(positions, batches, self.progress)
        cpu_seconds = time.process_time() - began
        return losses | {
            "learner/positions": float(len(positions.counts)),
            "learner/batches": float(batches),
            "learner/rate": self.settings.rate(self.progress),
            "learner/cpu_seconds": cpu_seconds,
        }

    def _add_samples(self, parts: list[SelfPlayResult]) -> None:
        """Add what was played to the window, on disk and in memory."""
        settings, totals = self.settings, self._totals
        self._games = [part.state for part in parts]
        for number, part in enumerate(parts):
            for name in ("plies", "games", "simulations"):
                totals[name] += part.counts[name]
            fresh = len(part.chunk.keys)
            totals["samples"] += fresh
            self._new_samples += fresh
            if fresh == 0:
                continue
            name = f"{totals['updates']:07d}_{number}.chunk"
            self._write(name, write_chunk(part.chunk))
            most = window_size(
                totals["samples"],
                settings.window_smallest,
                settings.window_largest,
                settings.window_exponent,
            )
            self._window.add(name, part.chunk, most)

    def _statistics(
        self, parts: list[SelfPlayResult], playing: float, whole: float
    ) -> dict[str, float]:
        counts = {
            name: sum(part.counts.get(name, 0) for part in parts)
            for name in ("simulations", "evaluations", "games", "plies", "wins", "draws", CPU_TIME)
        }
        games = max(counts["games"], 1)
        return {
            "self_play/simulations_per_second": counts["simulations"] / playing,
            "self_play/evaluations_per_second": counts["evaluations"] / playing,
            "self_play/games_per_second": counts["games"] / playing,
            "self_play/mean_length": counts["plies"] / games,
            "self_play/first_player_score": (counts["wins"] + counts["draws"] / 2) / games,
            "self_play/draws": counts["draws"] / games,
            "self_play/full_simulations": float(self.settings.full_simulations(self.progress)),
            "total/games": float(self._totals["games"]),
            "total/samples": float(self._totals["samples"]),
            "total/simulations": float(self._totals["simulations"]),
            "total/window": float(len(self._window)),
            "time/playing": playing,
            "time/update": whole,
            "time/other_cpu_seconds": counts[CPU_TIME] / 1e6,
        }

    # -- checkpoints --

    def state(self) -> dict[str, Any]:
        """What a checkpoint holds; the window's samples are in files of their own."""
        names = [name for name, _ in self._window.chunks]
        self._chunks_of_checkpoints.append(set(names))
        self._remove_chunks()
        return {
            "learner": self.learner.state(),
            "games": self._games,
            "totals": dict(self._totals),
            "new_samples": self._new_samples,
            "window": names,
            "progress_of_games": self._progress_of_games,
            "predecessor": self._predecessor,
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Go on where :meth:`state` was taken.

        Raises:
            TrainingError: a file of the replay window is missing or damaged, or the predecessor is
                another.
        """
        if state.get("predecessor", "") != self._predecessor:
            raise TrainingError(
                f"predecessor={self.settings.predecessor} has changed since the run began"
            )
        self.learner.load_state(state["learner"])
        self._totals, self._new_samples = dict(state["totals"]), state["new_samples"]
        self._games, self._progress_of_games = state["games"], state["progress_of_games"]
        for name in state["window"]:
            self._window.chunks.append((name, read_chunk(self._read(name))))
        self._chunks_of_checkpoints.append(set(state["window"]))
        if self._player is not None:
            self._player.load_state(self._games[0])
        elif self._workers is not None:
            self._workers.load_state(self._games)

    def _write(self, name: str, data: bytes) -> None:
        try:
            self._folder.mkdir(exist_ok=True)
        except OSError as error:
            raise TrainingError(f"{self._folder} cannot be made: {error.strerror}") from error
        write_file(self._folder / name, hashlib.sha256(data).digest() + data)

    def _read(self, name: str) -> bytes:
        path = self._folder / name
        try:
            data = path.read_bytes()
        except OSError as error:
            raise TrainingError(f"{path} cannot be read: {error.strerror}") from error
        size = hashlib.sha256().digest_size
        if hashlib.sha256(data[size:]).digest() != data[:size]:
            raise TrainingError(f"{path}, a part of the replay window, is damaged")
        return data[size:]

    def _remove_chunks(self) -> None:
        """Remove the files that none of the newest checkpoints needs."""
        if len(self._chunks_of_checkpoints) < KEPT_CHECKPOINTS:
            return
        needs = set().union(*self._chunks_of_checkpoints)
        for path in self._folder.glob("*.chunk"):
            if path.name not in needs:
                with contextlib.suppress(OSError):
                    path.unlink()

    def close(self) -> None:
        """End the processes of self-play."""
        if self._workers is not None:
            self._workers.close()


def train(
    game: Game,
    settings: AlphaZeroSettings,
    seed: int,
    out: Path,
    facts: dict[str, Any],
    device: torch.device,
    **callbacks: Any,
) -> TrainingRun:
    """Begin or resume a run, see :func:`~plyground.training.run.run_training`.

    The network is evaluated and learns on ``device``.
    """
    open_predecessor(game, settings)  # a wrong name leaves no folder behind

    def make_trainer() -> AlphaZeroTrainer:
        return AlphaZeroTrainer(game, settings, seed, out, device)

    return run_training(make_trainer, game, settings, seed, out, facts, **callbacks)
