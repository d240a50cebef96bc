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
from ...envs.workers.jobs import HERE, JobPlace
from ..checkpoints import refusing_checkpoint
from ..folder import TrainingError, write_file
from ..run import TrainingRun, run_training
from .evaluator import open_predecessor
from .learner import AverageTrainer
from .self_play import SelfPlayResult, check_solved_plies
from .settings import AlphaZeroSettings
from .window import ReplayChunk, ReplayWindow, read_chunk, window_size, write_chunk
from .workers import CPU_TIME, NETWORK_BYTES, SelfPlayTask, open_workers, seed_of

KIND = "alphazero"
KEPT_CHECKPOINTS = 3
COUNTS = ("simulations", "evaluations", "games", "plies", "wins", "draws")


class AlphaZeroTrainer(AverageTrainer):
    """The :class:`~plyground.training.run.Trainer` of AlphaZero.

    With one worker, an update is self-play and then learning. With several, they play while this
    process learns from what was played before, is measured or writes checkpoints. Both are exactly
    repeatable, wherever the chunks are played.

    Args:
        game: the game.
        settings: the settings.
        seed: decides everything that is random.
        folder: of the run; the replay window's files are in its sub-folder ``window``.
        device: where the network is evaluated and learns.
        place: where self-play takes place.
    """

    stage = "itself"

    def __init__(
        self,
        game: Game,
        settings: AlphaZeroSettings,
        seed: int,
        folder: Path,
        device: torch.device,
        place: JobPlace = HERE,
    ) -> None:
        super().__init__(game, settings, seed, device, KIND)
        predecessor = open_predecessor(game, settings)  # refused here, before processes begin
        self._predecessor = predecessor.version if predecessor else ""
        self._workers = open_workers(game, settings, device, place)
        self._seeds = [seed_of(seed, number) for number in range(settings.workers)]
        self._folder = folder / "window"
        self._window = ReplayWindow(device)
        self._digests: dict[str, str] = {}  # of the window's files
        self._chunks_of_checkpoints: deque[set[str]] = deque(maxlen=KEPT_CHECKPOINTS)
        # What a checkpoint holds beside learner and window:
        self._games: list[dict[str, torch.Tensor]] = [{} for _ in self._seeds]
        self._totals = {"plies": 0, "games": 0, "samples": 0, "simulations": 0, "updates": 0}
        self._new_samples = 0
        # The chunks that are played at present: whether, since when, and the share of the run that
        # was done when their weights were learnt.
        self._begun, self._began, self._progress_of_games = False, 0.0, 0.0

    @property
    def step(self) -> int:
        """Actions of finished games of self-play."""
        return self._totals["plies"]

    def update(self) -> dict[str, float]:
        """Play and learn once; returns what is logged."""
        began, cpu_began = time.monotonic(), time.process_time()
        several = len(self._seeds) > 1
        if not several:
            self._progress_of_games = self.progress
        self._begin()
        losses = self._learn() if several else {}
        waits = time.monotonic()
        parts = self._workers.finish()
        ended = time.monotonic()
        self._begun, playing, waiting = False, ended - self._began, ended - waits
        self._games = [part.state for part in parts]
        self._totals["updates"] += 1
        if several:  # the next chunks, in the time of the window, measurements and checkpoints
            self._progress_of_games = self.progress
            self._begin()
        self._add_samples(parts)
        if not several:
            losses = self._learn()
        values = self._statistics(parts, playing, time.monotonic() - began) | losses
        values["time/waiting"] = waiting  # for chunks
        cpu_seconds = time.process_time() - cpu_began + values["time/other_cpu_seconds"]
        return values | {"time/cores": cpu_seconds / values["time/update"]}

    def _begin(self) -> None:
        """Let chunks be played, unless they are already."""
        if self._begun:
            return
        self._begun, self._began = True, time.monotonic()
        simulations = self.settings.simulations_of_round(self._totals["updates"])
        share = -(-simulations // len(self._seeds))
        tasks = [
            SelfPlayTask(seed, games, self._progress_of_games, share)
            for seed, games in zip(self._seeds, self._games)
        ]
        self._workers.begin(self.learner.weights(), tasks)

    def _learn(self) -> dict[str, float]:
        """Learn from the window as often as the samples that are new in it ask for."""
        if self._new_samples == 0:
            return {}
        positions = self._window.positions()
        settings = self.settings
        samples = settings.reuse * self._new_samples
        batches = max(1, math.ceil(samples / settings.batch_size))
        self._new_samples = 0
        began = time.monotonic()
        losses = self.learner.learn({self.game: positions}, batches, self.progress)
        seconds = time.monotonic() - began
        return losses | {
            "learner/positions": float(len(positions.counts)),
            "learner/batches": float(batches),
            "learner/rate": self.settings.rate(self.progress),
            "learner/seconds": seconds,
        }

    def _add_samples(self, parts: list[SelfPlayResult]) -> None:
        """Add what was played to the window, on disk and in memory."""
        settings, totals = self.settings, self._totals
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
            for name in (*COUNTS, CPU_TIME, NETWORK_BYTES)
        }
        games = max(counts["games"], 1)
        network = {"self_play/network_bytes": float(counts[NETWORK_BYTES])}
        return (network if counts[NETWORK_BYTES] else {}) | {
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
            "window_digests": [self._digests[name] for name in names],
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
        names = state["window"]
        # those of earlier versions have the digest in the file alone
        digests = state.get("window_digests", [None] * len(names))
        for name, digest in zip(names, digests, strict=True):
            self._window.add(name, self._read(name, digest))
        self._chunks_of_checkpoints = deque([set(names)], KEPT_CHECKPOINTS)

    def _write(self, name: str, data: bytes) -> None:
        try:
            self._folder.mkdir(exist_ok=True)
        except OSError as error:
            raise TrainingError(f"{self._folder} cannot be made: {error.strerror}") from error
        digest = hashlib.sha256(data)
        self._digests[name] = digest.hexdigest()
        write_file(self._folder / name, digest.digest() + data)

    def _read(self, name: str, digest: str | None) -> ReplayChunk:
        path = self._folder / name
        try:
            data = path.read_bytes()
        except OSError as error:
            raise TrainingError(f"{path} cannot be read: {error.strerror}") from error
        size = hashlib.sha256().digest_size
        present = hashlib.sha256(data[size:])
        if present.digest() != data[:size]:
            raise TrainingError(f"{path}, a part of the replay window, is damaged")
        if digest not in (None, present.hexdigest()):
            raise TrainingError(f"{path} is not the part of the replay window of this run")
        self._digests[name] = present.hexdigest()
        with refusing_checkpoint(path):
            return read_chunk(data[size:])

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
        self._workers.close()


def train(
    game: Game,
    settings: AlphaZeroSettings,
    seed: int,
    out: Path,
    facts: dict[str, Any],
    device: torch.device,
    place: JobPlace = HERE,
    **callbacks: Any,
) -> TrainingRun:
    """Begin or resume a run, see :func:`~plyground.training.run.run_training`.

    The network is evaluated and learns on ``device``; self-play takes place in ``place``.
    """
    open_predecessor(game, settings)  # a wrong name leaves no folder behind
    check_solved_plies(game, settings)
    place.runner_of(settings.workers)

    def make_trainer() -> AlphaZeroTrainer:
        return AlphaZeroTrainer(game, settings, seed, out, device, place)

    return run_training(make_trainer, game, settings, seed, out, facts, **callbacks)
