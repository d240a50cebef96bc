"""Small networks made by hand, as policy files."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper
from plyground import make_game
from plyground.agents.policies.policy_file import WHOLE_RETURN, policy_metadata


def write_network(path, spec, weights=None, bias=None, value_weights=None, value=WHOLE_RETURN):
    """A policy file whose logits and value are linear in the observation; without weights uniform
    priors and the value 0.
    """
    game = make_game(spec)
    size, actions = int(np.prod(game.facts.observation_shape)), game.facts.num_actions
    tensors = {
        "weights": np.zeros((size, actions)) if weights is None else weights,
        "bias": np.zeros(actions) if bias is None else bias,
        "value_weights": np.zeros((size, 1)) if value_weights is None else value_weights,
        "axis": np.array([1]),
    }
    nodes = [
        helper.make_node("Flatten", ["observation"], ["flat"]),
        helper.make_node("MatMul", ["flat", "weights"], ["weighted"]),
        helper.make_node("Add", ["weighted", "bias"], ["logits"]),
        helper.make_node("MatMul", ["flat", "value_weights"], ["column"]),
        helper.make_node("Squeeze", ["column", "axis"], ["value"]),
    ]
    kinds = {"axis": np.int64}
    constants = [
        onnx.numpy_helper.from_array(np.asarray(array, kinds.get(name, np.float32)), name)
        for name, array in tensors.items()
    ]
    inputs = [
        helper.make_tensor_value_info(
            "observation", TensorProto.FLOAT, ["n", *game.facts.observation_shape]
        )
    ]
    outputs = [
        helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", actions]),
        helper.make_tensor_value_info("value", TensorProto.FLOAT, ["n"]),
    ]
    graph = helper.make_graph(nodes, "linear", inputs, outputs, constants)
    model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 20)])
    helper.set_model_props(model, policy_metadata(game, "made by hand", value))
    onnx.save(model, path)
    return path
