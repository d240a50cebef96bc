"""From a model of stable-baselines3 to a policy file (see :mod:`plyground.agents.policy_file`)."""

from __future__ import annotations

import contextlib
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..agents.policy_file import INPUT, OUTPUTS, TO_COME, OnnxNetwork, policy_metadata, write_whole
from ..envs.game import Game
from ..envs.registry import make_game
from ..envs.specification import SpecificationError

try:
    import onnx
    import onnxscript  # noqa: F401 - torch's exporter needs it
    import torch

    from ..agents.sb3_policy import Heads, heads_of
except ImportError as error:
    raise ImportError('plyground.training.export needs torch, stable-baselines3 and onnx: pip install "plyground[train]"') from error

CHECKED = 256  # positions in which the file must agree with the model
TOLERANCE = 1e-5  # between torch and onnxruntime, relative to the largest output


def export_policy(model: Any, path: str | Path, game: Game | str, kind: str = "ppo") -> None:
    """Write the policy of a model as a policy file.

    The file is compared with the model in random positions of the game and appears only when both agree; whatever goes wrong, a file that was there
    before stays. The model is not changed.

    Args:
        model: a PPO or MaskablePPO of SB3, trained on observations of plyground, with any features extractor that torch can export.
        path: where the file is written.
        game: the game it was trained on.
        kind: what the file says was trained.

    Raises:
        SpecificationError: not such a model, another game, outputs that are not finite, or a place that cannot be written.
    """
    game = make_game(game)
    heads = heads_of(model, game, f"the model for {path}")
    training = heads.policy.training
    heads.policy.set_training_mode(False)
    try:
        data = _export(heads, game, kind)
        _check(OnnxNetwork(str(path), data), heads, game)
    finally:
        heads.policy.set_training_mode(training)
    write_whole(Path(path), data)


def _export(heads: Heads, game: Game, kind: str) -> bytes:
    example = torch.zeros((2, *game.facts.observation_shape), device=heads.policy.device)
    with torch.no_grad(), _quiet():
        program = torch.onnx.export(
            heads,
            (example,),
            input_names=[INPUT],
            output_names=list(OUTPUTS),
            dynamic_shapes={"observation": {0: torch.export.Dim("batch")}},
            dynamo=True,
            verbose=False,
        )
    assert program is not None  # as it is where no file is named
    proto = program.model_proto
    onnx.helper.set_model_props(proto, policy_metadata(game, kind, TO_COME))
    data: bytes = proto.SerializeToString()
    return data


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep torch's exporter from telling about its own workings."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


def _check(network: OnnxNetwork, heads: Heads, game: Game) -> None:
    """Hold the file against the model in random positions."""
    observations = random_observations(game, CHECKED)
    with torch.no_grad():
        expected = [output.cpu().numpy() for output in heads(torch.as_tensor(observations, dtype=torch.float32, device=heads.policy.device))]
    for name, wanted, found in zip(OUTPUTS, expected, network.evaluate(observations)):
        difference = float(np.abs(wanted - found).max())
        if not difference <= TOLERANCE * max(1.0, float(np.abs(wanted).max())):
            raise SpecificationError(f"the policy was not exported: {name} of the file differ from those of the model by up to {difference:.2g}")


def random_observations(game: Game, count: int) -> np.ndarray:
    """What the side to move sees in positions of random games: int8, (count, rows, columns, planes)."""
    rng, position = np.random.default_rng(0), game.initial_position()
    observations = np.empty((count, *game.facts.observation_shape), np.int8)
    for index in range(count):
        observations[index] = position.observation()
        position.play(int(rng.choice(position.legal_actions())))
        if position.is_over:
            position = game.initial_position()
    return observations
