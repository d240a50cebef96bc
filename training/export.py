"""Policy files from models of stable-baselines3.

:mod:`plyground.agents.policies.policy_file` describes the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..agents.policies.policy_file import TO_COME, policy_metadata
from ..envs.game import Game
from ..envs.registry import make_game

try:
    from ..agents.policies.sb3 import heads_of
    from .network_export import NetworkExporter
except ImportError as error:
    raise ImportError(
        "plyground.training.export needs torch, stable-baselines3 and onnx: "
        'pip install -e ".[train]"'
    ) from error


class PolicyExporter(NetworkExporter):
    """Writes the policy of a model of stable-baselines3 as policy files.

    Args:
        model: a PPO or MaskablePPO of SB3, trained on observations of plyground, with any features
            extractor that torch can export.
        game: the game it is trained on.
        kind: what the files say was trained.

    Raises:
        SpecificationError: not such a model, or one for another game.
    """

    def __init__(self, model: Any, game: Game | str, kind: str = "ppo") -> None:
        made = make_game(game)
        heads = heads_of(model, made, "the model to export")
        super().__init__(heads, made, policy_metadata(made, kind, TO_COME))


def export_policy(model: Any, path: str | Path, game: Game | str, kind: str = "ppo") -> None:
    """Write the policy of a model as a policy file, once; see :class:`PolicyExporter`."""
    PolicyExporter(model, game, kind).write(path)
