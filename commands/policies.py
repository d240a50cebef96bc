"""Commands for trained policies: ``export-policy``."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from ..agents.policies.policy_file import OnnxNetwork, load_policy_file
from ..envs import make_game
from ..envs.loading.packages import EXPORTS
from ..envs.loading.registry import Registry
from ..envs.specification import SpecificationError, refusing
from ..evaluation.report import display
from .app import command
from .common import argument, option
from .output import Terminal, say

# writers of formats other than ONNX, by file extension
_WRITERS: Registry[str, Callable[[Path, Path], str]] = Registry("there is no format", EXPORTS)


@command("RUN")
def export_policy(
    run: Annotated[
        Path,
        argument("RUN", "The folder of a training run, or a model of stable-baselines3 (.zip)."),
    ],
    /,
    *,
    out: Annotated[
        Path,
        option("FILE", "The file to write: .onnx, or .py for a submission to Kaggle's ConnectX."),
    ],
    trained_on: Annotated[
        str | None,
        option("GAME", "The game of a .zip, which does not record it, such as gomoku:size=9."),
    ] = None,
) -> None:
    """Write a trained policy as an ONNX file; the agent policy:FILE plays it without torch.

    A .zip of stable-baselines3 is unpickled, which can run any code it contains. Use only files
    that you trust.

    [bold]Examples[/bold]

    plyground export-policy runs/c4 --out c4.onnx

    plyground export-policy model.zip --trained-on connect_four --out c4.onnx

    plyground export-policy runs/c4 --out submission.py
    """
    if out.suffix[1:] in _WRITERS:
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "policy.onnx"
            _export(run, made, trained_on)
            say(_WRITERS.get(out.suffix[1:])(made, out))
        return
    if out.suffix != ".onnx":
        endings = " or ".join([".onnx", *(f".{name}" for name in _WRITERS)])
        raise SpecificationError(f"{out} is not a policy file; its name must end in {endings}")
    network = _export(run, out, trained_on)
    say(f"{out}: a policy for {network.game.spec}, played by policy:{out}")


def _export(run: Path, out: Path, trained_on: str | None) -> OnnxNetwork:
    """Write the policy file; returns its network."""
    if run.suffix != ".zip":
        if trained_on is not None:
            raise SpecificationError(
                f"--trained-on is for models of stable-baselines3 (.zip); {run} states its own game"
            )
        network = load_policy_file(run)
        network.write(out)
    else:
        if trained_on is None:
            raise SpecificationError(f"{run} does not state its game; add --trained-on GAME")
        with display.status_line(Terminal(stderr=True)) as tell:
            tell(f"exporting {run}")
            game = make_game(trained_on)
            needs = 'models of stable-baselines3 need torch: pip install "plyground[train]"'
            with refusing(ImportError, needs):
                from ..agents.policies.sb3 import load_sb3_model
                from ..training.export import export_policy as export
            export(load_sb3_model(run), out, game)
        network = load_policy_file(out)
    return network
