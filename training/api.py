"""Training from Python: one function for all algorithms of the command line."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..agents.opponents import MakeAgent
from ..agents.registry import make_agent
from ..envs.game import Game
from ..envs.loading.packages import LEARNERS
from ..envs.loading.registry import Registry
from ..envs.registry import make_game
from .folder import begun_settings
from .run import Progress, TrainingRun
from .settings import OpposedSettings, RunSettings
from .trackers import USUAL

# the settings of each algorithm; its function `train` is in `train.py` of the same folder
SETTINGS: Registry[str, type[RunSettings]] = Registry(
    "there is no algorithm",
    LEARNERS,
    {
        "ppo": f"{__package__}.ppo.settings:PPOSettings",
        "dqn": f"{__package__}.dqn.settings:DQNSettings",
        "alphazero": f"{__package__}.alphazero.settings:AlphaZeroSettings",
    },
)


def train(
    algorithm: str,
    game: Game | str,
    out: str | Path,
    *,
    seed: int = 1,
    device: str | None = None,
    threads: int = 1,
    log: str | Sequence[str] = USUAL,
    make: MakeAgent = make_agent,
    measure: Callable[[Any], Sequence[Any]] | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    on_note: Callable[[str], None] = lambda note: None,
    **settings: Any,
) -> TrainingRun:
    """Start or resume a training run and finish it.

    Args:
        algorithm: ``"ppo"``, ``"dqn"``, ``"alphazero"`` or ``"supervised"``.
        game: the game, or its specification.
        out: the folder of the run; a run in it is resumed, or continued if it is to be longer.
        seed: seed of all random choices.
        device: ``"cpu"``, ``"cuda:1"``, ``"auto"``: a GPU if any; None: depends on the algorithm.
        threads: torch threads for the network during the run, restored afterwards. With the same
            number, ``plyground train`` learns the same weights, bit by bit.
        log: where to log metrics: ``"tensorboard"``, ``"wandb"``, ``"mlflow"``, ``"none"``.
        make: creates the opponents of PPO and DQN, see
            :func:`~plyground.agents.opponents.make_opponents`.
        measure: evaluates the learner from time to time; the best policy is kept as
            ``best.onnx``. It receives an object with ``act_batch(observations, masks)`` and returns
            a row for each opponent, with ``opponent``, ``score``, ``low`` and ``high``, such as
            :func:`plyground.evaluation.gauntlet.evaluate`. Long runs call it in a process of its
            own, but a lambda or a function of the main script here. None: the last policy is kept.
        on_progress: called after every update.
        on_note: called with every message, one sentence.
        **settings: settings of the algorithm, as listed by
            ``plyground train ALGORITHM GAME --list-settings``; others have the game's defaults.

    Returns:
        The run; ``run.best_rows`` holds the scores of its best policy.

    Raises:
        SpecificationError: an unknown algorithm, setting or tracker, an invalid value, opponents
            that cannot play the game, a tracker that cannot start, or a folder in use by a run.
        ImportError: its library is not installed.
        TrainingError: the folder contains another run, or the run cannot continue.
    """
    board = make_game(game)
    kind = SETTINGS.get(algorithm)
    from .devices import choose_device

    place = choose_device(device or kind.device)
    begun = begun_settings(Path(out), kind)
    run_settings = kind.for_game(board, settings, begun=begun, gpu=place.type == "cuda")
    command = f"plyground.training.train({algorithm!r}, {board.spec!r}, …)"
    facts = {"command": command, "device": str(place)}
    more: dict[str, Any] = {"make": make} if isinstance(run_settings, OpposedSettings) else {}
    more |= {"threads": threads, "log": log, "evaluate": measure}
    more |= {"on_progress": on_progress, "on_note": on_note}
    return load_algorithm(algorithm)(board, run_settings, seed, Path(out), facts, place, **more)


def load_algorithm(name: str) -> Callable[..., TrainingRun]:
    """The function that starts or resumes a run of an algorithm; only this imports torch.

    It takes game, settings, seed, folder, facts and device, and, with opponents, ``make``, which
    creates them; see :class:`~plyground.training.run.TrainingRun`.
    """
    from . import devices  # noqa: F401  # says what to install where there is no torch

    train: Callable[..., TrainingRun]
    package = SETTINGS.get(name).__module__.rpartition(".")[0]
    train = importlib.import_module(f"{package}.train").train
    return train
