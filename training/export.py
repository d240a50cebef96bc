"""Policy files from models of stable-baselines3 and from any module of torch.

:mod:`plyground.agents.policies.policy_file` describes the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..agents.policies.policy_file import TO_COME, WHOLE_RETURN, policy_metadata
from ..envs.game import Game
from ..envs.observations import LAYOUTS
from ..envs.registry import make_game
from ..envs.specification import SpecificationError

try:
    import torch

    from ..agents.policies.heads import Heads, ModuleHeads
    from .network_export import NetworkExporter
except ImportError as error:
    raise ImportError(
        'plyground.training.export needs torch and onnx: pip install -e ".[train]"'
    ) from error


class PolicyExporter(NetworkExporter):
    """Writes a policy as policy files, as often as wanted.

    Args:
        model: a model of stable-baselines3 or sb3-contrib (PPO, MaskablePPO, A2C, DQN, QR-DQN) with
            any features extractor that torch can export; or any module of torch, see
            :class:`~plyground.agents.policies.heads.ModuleHeads`.
        game: the game it is trained on.
        kind: what the files say was trained; None: the algorithm's or the module's name.
        inputs: in which layout a module takes the planes, ``"hwc"`` (rows, columns, planes: the
            default), ``"chw"`` (planes, rows, columns) or ``"flat"``. Models of SB3 say it
            themselves.
        action_values: whether a module gives values of actions (a Q network) in place of logits.
        value: what a module's value means for the side to move: ``"to come"``, the rewards to come,
            or ``"return"``, the return of the whole game.

    Raises:
        SpecificationError: not such a model, one for another game, or an option that is not
            possible.
    """

    def __init__(
        self,
        model: Any,
        game: Game | str,
        kind: str | None = None,
        *,
        inputs: str | None = None,
        action_values: bool = False,
        value: str = TO_COME,
    ) -> None:
        made = make_game(game)
        heads: Heads
        if isinstance(model, torch.nn.Module):
            _check("inputs", inputs or "hwc", LAYOUTS)
            _check("value", value, (TO_COME, WHOLE_RETURN))
            heads = ModuleHeads(model, made, inputs or "hwc", action_values, value)
            kind = kind or type(model).__name__
        else:
            if inputs is not None or action_values or value != TO_COME:
                raise SpecificationError(
                    "inputs=, action_values= and value= are for modules of torch; a model of "
                    "stable-baselines3 says itself what it takes and gives"
                )
            from ..agents.policies.sb3 import algorithm_name, heads_of

            heads = heads_of(model, made, "the model to export")
            kind = kind or algorithm_name(model)
        metadata = policy_metadata(made, kind, heads.meaning, has_policy=heads.has_policy)
        super().__init__(heads, made, metadata)


def _check(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise SpecificationError(
            f"{name}={value!r} is not possible; it is one of {', '.join(choices)}"
        )


def export_policy(
    model: Any, path: str | Path, game: Game | str, kind: str | None = None, **options: Any
) -> None:
    """Write a policy as a policy file, once; options as for :class:`PolicyExporter`."""
    PolicyExporter(model, game, kind, **options).write(path)
