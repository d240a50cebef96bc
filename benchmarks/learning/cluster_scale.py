"""The number of self-play workers that one learner can serve, and their network traffic.

    python benchmarks/learning/cluster_scale.py
    python benchmarks/learning/cluster_scale.py gomoku:size=9 --set initial=zoo:gomoku
    python benchmarks/learning/cluster_scale.py --workers 64 --set reuse=0.5 --set games=32

A cluster of any size is simulated on one core. A few chunks are played and recorded with their
times. Then a learner makes updates, and its workers answer with recorded chunks, packed as on a Ray
cluster, after the recorded time. ``speed`` is the total of simulations per second, relative to one
worker that never waits. ``learner busy`` is the share of an update in which the learner does not
wait for chunks: at 100 % more workers are useless. ``to a worker`` and ``from a worker`` are kB per
chunk; the network is sent to each machine once per update. All sizes are of compressed messages.
"""

from __future__ import annotations

import contextlib
import pickle
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import cyclopts
import torch
from plyground import Game, make_game
from plyground.training.alphazero import train as page
from plyground.training.alphazero.learner import make_network
from plyground.training.alphazero.self_play import SelfPlayer, SelfPlayResult
from plyground.training.alphazero.settings import AlphaZeroSettings
from plyground.training.alphazero.workers import NETWORK_BYTES, SelfPlayTask, State
from plyground.training.run import Progress

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from timing import print_table

CPU = torch.device("cpu")
RECORDED, UPDATES = 3, 5  # chunks, measured updates
UNTIMED = 2  # updates before the measured ones
WARM_UP = 2_000_000  # simulations before the first chunk, so that games are at all stages


class Recording(NamedTuple):
    """Chunks as a cluster sends them, and the processor time of one chunk."""

    messages: list[bytes]
    seconds: float
    simulations: float


class RecordedWorkers:
    """Replaces :class:`~plyground.training.alphazero.workers.JobWorkers`."""

    def __init__(self, recording: Recording) -> None:
        self._recording, self._ready = recording, 0.0
        self.network_kb = self.task_kb = 0.0
        self._count = 0

    def begin(self, weights: State, tasks: list[SelfPlayTask]) -> None:
        network = packed({name: value.clone() for name, value in weights.items()})
        sizes = [len(packed(task)) for task in tasks]
        self.network_kb, self.task_kb = len(network) / 1e3, sum(sizes) / len(sizes) / 1e3
        self._count, self._ready = len(tasks), time.monotonic() + self._recording.seconds

    def finish(self) -> list[SelfPlayResult]:
        time.sleep(max(0.0, self._ready - time.monotonic()))
        messages = self._recording.messages
        results = [
            pickle.loads(zlib.decompress(messages[number % len(messages)]))
            for number in range(self._count)
        ]
        results[0].counts[NETWORK_BYTES] = 0
        return results

    def close(self) -> None:
        pass


def packed(value: object) -> bytes:
    """A message in the format of jobs on a Ray cluster."""
    return zlib.compress(pickle.dumps(value), 1)


def record(game: Game, settings: AlphaZeroSettings) -> Recording:
    """Chunks of one of the workers."""
    player = SelfPlayer(game, settings, CPU)
    player.begin(1)
    weights = make_learner_weights(game, settings)
    share = -(-settings.games.simulations_per_update // settings.games.workers)
    messages: list[bytes] = []
    seconds = simulations = 0.0
    player.play(weights, 0.5, WARM_UP)
    for _ in range(RECORDED):
        began = time.process_time()
        result = player.play(weights, 0.5, share)
        seconds += time.process_time() - began
        simulations += result.counts["simulations"]
        messages.append(packed(result))
    return Recording(messages, seconds / RECORDED, simulations / RECORDED)


def make_learner_weights(game: Game, settings: AlphaZeroSettings) -> State:
    """The initial weights of a run with these settings."""
    from plyground.training.alphazero.initial import load_initial

    network = make_network(game, settings, 1)
    if settings.initial:
        load_initial(network, game, settings.initial)
    return network.state_dict()


def updates_with(
    game: Game, settings: AlphaZeroSettings, workers: RecordedWorkers
) -> list[dict[str, float]]:
    """The log of the first updates of a run with recorded workers."""
    updates: list[dict[str, float]] = []

    def see(progress: Progress) -> None:
        updates.append(progress.values)
        if len(updates) == UNTIMED + UPDATES:
            raise KeyboardInterrupt

    page.open_workers = lambda *arguments: workers  # type: ignore[assignment, return-value]
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(KeyboardInterrupt):
        page.train(game, settings, 1, Path(folder), {}, CPU, on_progress=see)
    return updates


def rows(game: Game, counts: tuple[int, ...], texts: list[str]) -> Iterator[tuple[str, ...]]:
    """A row for each number of workers."""
    for count in counts:
        values = {"workers": count, "evaluate": "none", "keep": 0}
        settings = AlphaZeroSettings.for_game(game, values, texts)
        recording = record(game, settings)
        workers = RecordedWorkers(recording)
        updates = updates_with(game, settings, workers)[UNTIMED:]
        seconds = sum(update["time/update"] for update in updates) / UPDATES
        waiting = sum(update["time/waiting"] for update in updates) / UPDATES
        speed = count * recording.seconds / seconds
        result_kb = sum(map(len, recording.messages)) / len(recording.messages) / 1e3
        yield (
            str(count),
            f"{count * recording.simulations / seconds:,.0f}",
            f"{speed:.1f}",
            f"{100 * (1 - waiting / seconds):.0f} %",
            f"{seconds:.1f}",
            f"{workers.network_kb:,.0f}",
            f"{workers.task_kb:,.0f}",
            f"{result_kb:,.0f}",
            f"{(workers.network_kb + workers.task_kb + result_kb) / seconds:,.0f}",
        )


def main(
    game: str = "connect_four",
    *,
    workers: tuple[int, ...] = (2, 4, 16, 64),
    settings: Annotated[list[str] | None, cyclopts.Parameter(name="--set")] = None,
) -> None:
    """Print the learner's speed for each number of workers.

    Args:
        game: specification of the board.
        workers: numbers of workers.
        settings: of the runs, as NAME=VALUE.
    """
    headings = (
        "workers", "simulations/s", "speed", "learner busy", "s an update", "network, kB",
        "to a worker, kB", "from a worker, kB", "kB/s a worker",
    )  # fmt: skip
    torch.set_num_threads(1)  # as plyground train does
    title = f"{game} {' '.join(settings or [])}".strip()
    print_table(title, headings, rows(make_game(game), workers, settings or []))


if __name__ == "__main__":
    cyclopts.run(main)
