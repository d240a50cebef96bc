"""The initial weights of a run, from another run, a policy file or the zoo.

A smaller network is embedded in a larger one, which computes the same at first (Chen, Goodfellow,
Shlens, "Net2Net: accelerating learning via knowledge transfer", ICLR 2016). The new units keep
their random initial weights; existing units do not read from them yet. New blocks start as the
identity.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import torch

from ...agents.policies.policy_file import load_policy_file
from ...agents.policies.zoo import PREFIX, ZooNetworks
from ...envs.game import Game
from ..checkpoints import initial_learner
from ..export import weights_of_policy
from ..folder import TrainingError
from .network import BoardNetwork
from .settings import CONVOLUTIONS, DENSE, POOLED, UNITS_OF_CHANNEL, LearnerSettings

Weights = dict[str, torch.Tensor]
OUTPUTS = ("policy.3.", "policy.cells.2.", "policy.whole.", "judgement.")  # the game's, or results


def load_initial(network: BoardNetwork, game: Game, source: str) -> None:
    """Load the weights of ``initial``, in place.

    Raises:
        TrainingError: there are none, or they do not fit.
        SpecificationError: the zoo has no such network, or the policy file is refused.
    """
    weights = _weights(game, source)
    try:
        weights = embed_weights(network, weights)
    except (KeyError, ValueError):
        raise TrainingError(
            f"initial={source} is not possible: its network has another shape; a larger network "
            f"takes over a smaller one of the same trunk, and trunk=pooled lets weights fit "
            f"another board"
        ) from None
    network.load_state_dict(weights)


def _weights(game: Game, source: str) -> Weights:
    """The averaged weights of a run, or the weights of a policy file or of the zoo."""
    if source.startswith(PREFIX):
        return weights_of_policy(ZooNetworks(source.removeprefix(PREFIX)).for_game(game).data)
    path = Path(source)
    if path.suffix == ".onnx":
        return weights_of_policy(load_policy_file(path).data)
    average: Weights = initial_learner(path)["average"]
    return average


def network_of(game: Game, settings: LearnerSettings, policy: bytes) -> BoardNetwork:
    """The network of a policy file, in its own shape.

    Args:
        game: the game.
        settings: settings of a run, for what the shape does not define.
        policy: the content of the file.

    Raises:
        TrainingError: the file does not contain a network trained by plyground.
    """
    weights = weights_of_policy(policy)
    if not {"entry.weight", "summary.0.weight"} <= weights.keys():
        raise TrainingError("on a GPU a predecessor is a network that plyground has trained")
    entry, features = weights["entry.weight"], weights["summary.0.weight"]
    shape: dict[str, Any] = {"hidden": len(features), "blocks": _blocks(weights)}
    if entry.ndim == 2:
        if len(entry) % UNITS_OF_CHANNEL:
            raise TrainingError(
                f"the predecessor's dense layers have {len(entry)} units, which is no multiple of "
                f"{UNITS_OF_CHANNEL}"
            )
        shape |= {"trunk": DENSE, "channels": len(entry) // UNITS_OF_CHANNEL}
    else:
        pooled = features.shape[1] == 2 * len(entry)
        shape |= {"trunk": POOLED if pooled else CONVOLUTIONS, "channels": len(entry)}
    network = BoardNetwork(game, settings.network.replace(**shape), settings.discount)
    network.load_state_dict(weights)
    return network


def embed_weights(network: BoardNetwork, weights: Weights) -> Weights:
    """The state of ``network`` with smaller or equal ``weights`` embedded in it.

    Raises:
        KeyError, ValueError: they do not fit.
    """
    state = {name: value.clone() for name, value in network.state_dict().items()}
    if weights.keys() - state.keys():
        raise KeyError("the larger network lacks a layer")
    units = weights["entry.weight"].shape[0]
    blocks = _blocks(weights)
    for name, value in state.items():
        block = re.match(r"blocks\.(\d+)\.", name)
        if block and int(block[1]) >= blocks:
            continue
        smaller = weights[name]
        if name.startswith(OUTPUTS) and len(smaller) != len(value):
            raise ValueError("other outputs")
        if name == "entry.weight" and smaller.shape[1] != value.shape[1]:
            raise ValueError("other inputs")
        layout = _layout(network, name)
        if layout != (1, 1) and smaller.shape[1] != units * layout[0] * layout[1]:
            raise ValueError("another board")
        _embed(value, smaller, *layout)
    return state


def _blocks(weights: Weights) -> int:
    """The number of residual blocks of a network."""
    matches = (re.match(r"blocks\.(\d+)\.", name) for name in weights)
    return 1 + max((int(match[1]) for match in matches if match), default=-1)


def _layout(network: BoardNetwork, name: str) -> tuple[int, int]:
    """How the columns of a layer run through the channels: groups of all channels, cells of each.

    A column stands for one channel of one group in one cell; see :class:`BoardNetwork`.
    """
    if name.endswith(("pooling.bias.weight", "policy.whole.weight")):
        return 2, 1
    if network.settings.trunk == DENSE or name not in ("policy.1.weight", "summary.0.weight"):
        return 1, 1
    if name == "summary.0.weight" and network.settings.trunk == POOLED:
        return 2, 1
    return 1, network.state_dict()[name].shape[1] // network.settings.channels


def _embed(larger: torch.Tensor, smaller: torch.Tensor, groups: int, cells: int) -> None:
    """Write a layer's weights into the first rows and columns of a larger layer's, in place.

    The other columns of these rows are zero.
    """
    rows = smaller.shape[0]
    if larger.ndim != smaller.ndim or larger.shape[2:] != smaller.shape[2:]:
        raise ValueError("other dimensions")
    if any(few > many for few, many in zip(smaller.shape, larger.shape)):
        raise ValueError("a smaller layer")
    if larger.ndim == 1:
        larger[:rows] = smaller
        return
    kernel = larger.shape[2:]
    old = smaller.reshape(rows, groups, -1, cells, *kernel)
    channels = old.shape[2]
    larger[:rows] = 0.0
    new = larger.view(larger.shape[0], groups, -1, cells, *kernel)
    new[:rows, :, :channels] = old
