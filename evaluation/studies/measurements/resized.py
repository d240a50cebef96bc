"""Resized networks: a network whose weights know no size, rewritten for another board."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ....agents.policies.policy_file import INPUT, OUTPUTS, OnnxNetwork, policy_metadata
from ....agents.policies.zoo import PREFIX, ZooNetworks
from ....envs.game import Game
from ....envs.loading.files import written_whole
from ....envs.specification import refusing

ENDING = ".onnx"


def zoo_network(source: str, actions: int) -> OnnxNetwork:
    """The network of ``zoo:NAME`` whose board is the nearest in size."""
    networks = [card.network() for card in ZooNetworks(source.removeprefix(PREFIX)).cards]
    return min(networks, key=lambda each: abs(each.game.facts.num_actions - actions))


def resized_network(source: str, game: Game, folder: Path) -> Path:
    """The policy file of a network for a board that it did not learn on, made if it is not there.

    Convolutions and pooling fit any board; what names the board is its planes, the game, and the
    numbers of the actions where the logits are put in order.

    Raises:
        SpecificationError: onnx is not installed, or the network does not fit the board.
    """
    network = zoo_network(source, game.facts.num_actions)
    path = folder / f"{network.version[:16]}-{game.facts.num_actions}.onnx"
    if path.exists():
        return path
    needs = 'a network for another board needs onnx: pip install "plyground[study]"'
    with refusing(ImportError, needs):
        import onnx
        from onnx import numpy_helper
    model: Any = onnx.load_from_string(network.data)
    before, actions = network.game.facts.num_actions, game.facts.num_actions
    del model.graph.value_info[:]
    sizes = {INPUT: game.facts.observation_shape, OUTPUTS[0]: (actions,)}
    for value in (*model.graph.input, *model.graph.output):
        shape = value.type.tensor_type.shape.dim
        for dimension, size in zip(shape[1:], sizes.get(value.name, ())):
            dimension.dim_value = size
    for node in model.graph.node:
        for attribute in node.attribute:
            if list(attribute.ints) == [before]:
                attribute.ints[:] = [actions]
    for array in model.graph.initializer:
        if np.array_equal(numpy_helper.to_array(array), np.arange(before)):
            array.CopyFrom(numpy_helper.from_array(np.arange(actions), array.name))
    onnx.helper.set_model_props(
        model, policy_metadata(game, network.kind, network.value, network.discount)
    )
    with written_whole(path) as file:
        file.write(model.SerializeToString())
    return path
