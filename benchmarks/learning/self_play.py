"""AlphaZero's self-play on one core: simulations per second, shares of time, memory.

Run with ``python benchmarks/learning/self_play.py`` (two minutes), or name a game and a run whose
weights play: ``python benchmarks/learning/self_play.py connect_four --run runs/az_c4``. Games are
first played until openings, middle games and endgames are mixed; then each turn of ten seconds is
measured in processor time. The share of the network is the time of its evaluation calls. With
``--precisions`` it takes six minutes.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Any

import cyclopts
import torch
from plyground import make_game
from plyground.agents.policies.compiled.words import PRECISIONS
from plyground.envs import Game
from plyground.training.alphazero.evaluator import trial_of_precisions
from plyground.training.alphazero.learner import AlphaZeroLearner
from plyground.training.alphazero.self_play import SelfPlayer
from plyground.training.alphazero.settings import AUTO, AlphaZeroSettings

TURNS = 5


def main(
    spec: str = "connect_four",
    /,
    run: Path | None = None,
    set: list[str] | None = None,
    simulations: int = 500_000,
    precisions: bool = False,
) -> None:
    """Print simulations per second, the network's share, and evaluated positions.

    Args:
        spec: the game
        run: play with the weights of this run
        set: settings, NAME=VALUE
        simulations: simulations of each turn
        precisions: compare all precisions of this processor with auto, in turns
    """
    torch.set_num_threads(1)
    game = make_game(spec)
    texts = [*(set or []), *([f"initial={run}"] if run else [])]
    settings = AlphaZeroSettings.for_game(game, {}, texts)
    trial = trial_of_precisions(game, settings)
    names = {settings.precision: settings.precision}
    if precisions:
        names = {name: name for name, each in PRECISIONS.items() if each.is_possible}
        names["auto"] = AUTO
    if AUTO in names.values():
        print(f"auto: {trial}")
        names["auto"] = trial.precision
    turns = {
        name: Turns(game, settings.replace(precision=precision))
        for name, precision in names.items()
    }
    for each in turns.values():
        each.play(2 * simulations)
    for _ in range(TURNS):
        for each in turns.values():
            each.measure(simulations)
    for name, each in turns.items():
        each.print(name)
    if precisions:
        speeds = {name: each.speed for name, each in turns.items()}
        share = speeds.pop("auto") / max(speeds.values())
        print(f"auto: {share:.1%} of the fastest of the others")


class Turns:
    """Self-play of a game, and the measurements of its turns."""

    def __init__(self, game: Game, settings: AlphaZeroSettings) -> None:
        device = torch.device("cpu")
        self._player = SelfPlayer(game, settings, device, 1)
        self._weights = AlphaZeroLearner(game, settings, 1, device).weights()
        self._title, self._games = game.spec, settings.games.games
        self._evaluate = self._player.evaluator.evaluate
        self._player.evaluator.evaluate = self._timed_evaluation
        self._seconds = 0.0
        self._speeds, self._shares, self._evaluations = [], [], []

    def _timed_evaluation(self, *arguments: Any) -> Any:
        start = time.process_time()
        output = self._evaluate(*arguments)
        self._seconds += time.process_time() - start
        return output

    def play(self, simulations: int) -> dict[str, int]:
        """The counts of a turn."""
        return self._player.play(self._weights, 1.0, simulations).counts

    def measure(self, simulations: int) -> None:
        """Take the time of a turn."""
        self._seconds, start = 0.0, time.process_time()
        counts = self.play(simulations)
        seconds = time.process_time() - start
        self._speeds.append(counts["simulations"] / seconds)
        self._shares.append(self._seconds / seconds)
        self._evaluations.append(counts["evaluations"] / counts["simulations"])

    @property
    def speed(self) -> float:
        """Simulations a second."""
        return statistics.median(self._speeds)

    def print(self, name: str) -> None:
        """Print all medians."""
        print(f"{self._title}, {name}: {self.speed:,.0f} simulations a second on one core")
        print(f"network: {statistics.median(self._shares):.0%} of the time")
        size = sum(len(part) for part in self._player.state().values())
        print(f"a checkpoint: {size / self._games:,.0f} bytes for each game under way")
        evaluations = statistics.median(self._evaluations)
        print(f"positions it evaluates: {evaluations:.2f} for each simulation")


if __name__ == "__main__":
    cyclopts.run(main)
