"""Training from Python: one function for the algorithms that the command line has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..agents.registry import make_agent
from ..envs.game import Game
from ..envs.registry import make_game
from ..envs.specification import check_names

if TYPE_CHECKING:  # they take time, and most programs train nothing
    from ..agents.opponents import MakeAgent
    from .run import Progress, TrainingRun

ALGORITHMS = ("ppo", "dqn", "alphazero")


def train(
    algorithm: str,
    game: Game | str,
    out: str | Path,
    *,
    seed: int = 1,
    make: MakeAgent = make_agent,
    measure: Callable[[Any], Sequence[Any]] | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    on_note: Callable[[str], None] = lambda note: None,
    **settings: Any,
) -> TrainingRun:
    """Begin or resume a training run and bring it to its end.

    Args:
        algorithm: ``"ppo"``, ``"dqn"`` or ``"alphazero"``.
        game: the game, or its specification.
        out: the folder of the run; a run in it is resumed, and goes on if it is to be longer.
        seed: decides everything that is random.
        make: makes the opponents of PPO and DQN, see
            :func:`~plyground.agents.opponents.make_opponents`.
        measure: measures the learner from time to time; what does best is kept as ``best.onnx``. It
            gets an object with ``act_batch(observations, masks)`` and returns a row for each
            opponent, with ``opponent``, ``score``, ``low`` and ``high``:
            :func:`plyground.evaluation.gauntlet.evaluate` does. None: the last policy is kept.
        on_progress: called after every update.
        on_note: called with every remark, one sentence.
        **settings: of the algorithm, as ``plyground train ALGORITHM GAME --list-settings`` lists
            them; the game's defaults stand for the others.

    Returns:
        The run; ``run.best_rows`` holds what its best policy reached.

    Raises:
        SpecificationError: an unknown algorithm or setting, a value that is not possible, or
            opponents that cannot play the game.
        TrainingError: the folder holds another run, or the run cannot go on.
    """
    check_names("there is no algorithm", [algorithm], ALGORITHMS)
    board, folder = make_game(game), Path(out)
    options: dict[str, Any] = {
        "evaluate": None if measure is None else _as_rows(measure),
        "on_progress": on_progress,
        "on_note": on_note,
    }
    facts = {"command": f"plyground.training.train({algorithm!r}, {board.spec!r}, …)"}
    if algorithm == "ppo":
        from .ppo.settings import ppo_settings
        from .ppo.trainer import train as train_ppo

        made = ppo_settings(board, settings)
        return train_ppo(board, made, seed, folder, facts, make, **options)
    if algorithm == "dqn":
        from .dqn.settings import dqn_settings
        from .dqn.trainer import train as train_dqn

        chosen = dqn_settings(board, settings)
        return train_dqn(board, chosen, seed, folder, facts, make, **options)
    from .alphazero.settings import alphazero_settings
    from .alphazero.trainer import train as train_alphazero
    from .devices import choose_device

    alphazero = alphazero_settings(board, settings)
    device = choose_device("auto")
    return train_alphazero(board, alphazero, seed, folder, facts, device, **options)


def _as_rows(measure: Callable[[Any], Sequence[Any]]) -> Callable[[Any], list[dict[str, Any]]]:
    """The measure with rows that are dictionaries, whatever named tuples it returns."""
    return lambda player: [
        dict(row) if isinstance(row, dict) else row._asdict() for row in measure(player)
    ]
