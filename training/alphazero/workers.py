"""The chunks of self-play, as jobs for this process, processes of this machine or a Ray cluster.

A chunk goes on with games from the state in which the last one left them, with one network, for so
many simulations. It depends on nothing else. So it is the same whoever plays it, and can be played
again where a machine was lost.
"""

from __future__ import annotations

import functools
import time
from typing import NamedTuple

import numpy as np
import torch

from ...envs.game import Game
from ...envs.workers.jobs import LOCAL, Answer, JobPlace, Needs, Work
from .self_play import SelfPlayer, SelfPlayResult
from .settings import AlphaZeroSettings

CPU_TIME = "cpu_microseconds"
NETWORK_BYTES = "network_bytes"
FOLDERS, PACKAGES = ("envs", "agents", "training"), ("numpy", "numba", "torch")

State = dict[str, torch.Tensor]


class SelfPlayTask(NamedTuple):
    """A chunk that is to be played.

    Attributes:
        seed: of its games, if they have not begun.
        state: of its games, as the last chunk left them; empty: they have not begun.
        progress: the share of the run that is done.
        simulations: how many, about.
    """

    seed: int
    state: State
    progress: float
    simulations: int


class Workers:
    """Play chunks, all with the same network.

    Args:
        game: the game.
        settings: the settings.
        device: where the network is evaluated.
        place: where the chunks are played.

    Raises:
        SpecificationError, RunnerError: as :meth:`~plyground.envs.workers.jobs.JobPlace.open`.
    """

    def __init__(
        self, game: Game, settings: AlphaZeroSettings, device: torch.device, place: JobPlace
    ) -> None:
        here = place.runner_of(settings.workers) == LOCAL
        prepare = functools.partial(_make_player, game, settings, device, None if here else 1)
        needs = Needs((type(game.rules).__module__,), FOLDERS, PACKAGES)
        work = Work(_play if here else _play_elsewhere, prepare, needs)
        self._jobs = place.open(work, settings.workers)
        self._answers: list[Answer] = []

    def begin(self, weights: State, tasks: list[SelfPlayTask]) -> None:
        """Let these chunks be played with these weights."""
        # The learner goes on to change them.
        network = self._jobs.share({name: value.clone() for name, value in weights.items()})
        self._answers = [self._jobs.submit(network, task) for task in tasks]

    def finish(self) -> list[SelfPlayResult]:
        """What was played, in the order of the tasks.

        Raises:
            TrainingError: the network computes what is no number.
            RunnerError: a chunk could not be played.
        """
        results: list[SelfPlayResult] = [answer.read() for answer in self._answers]
        self._answers = []
        results[0].counts[NETWORK_BYTES] = self._jobs.network_bytes
        self._jobs.network_bytes = 0
        return results

    def close(self) -> None:
        """End what was started."""
        self._jobs.close()


def _make_player(
    game: Game, settings: AlphaZeroSettings, device: torch.device, threads: int | None
) -> SelfPlayer:
    if threads is not None:
        torch.set_num_threads(threads)
    return SelfPlayer(game, settings, device)


def _play(player: SelfPlayer, weights: State, task: SelfPlayTask) -> SelfPlayResult:
    if task.state:
        player.load_state(task.state)
    else:
        player.begin(task.seed)
    return player.play(weights, task.progress, task.simulations)


def _play_elsewhere(player: SelfPlayer, weights: State, task: SelfPlayTask) -> SelfPlayResult:
    """A chunk, with the processor time that it took another process than the learner's."""
    began = time.process_time()
    result = _play(player, weights, task)
    result.counts[CPU_TIME] = int(1e6 * (time.process_time() - began))
    return result


def seed_of(seed: int, number: int) -> int:
    """The seed of the games of a chunk by its number."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])
