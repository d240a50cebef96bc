"""Policy files that could hang, crash or change what plays them are refused in one sentence."""

from __future__ import annotations

import itertools
import re
import sys

import numpy as np
import onnx
import pytest
from command_line import refused
from networks import write_network
from onnx import TensorProto, helper, numpy_helper
from plyground import make_agent
from plyground.agents.policies import session
from plyground.agents.policies.compiled import inference, model_file
from plyground.agents.policies.policy import PolicyAgent
from plyground.agents.policies.policy_file import OnnxNetwork, load_policy_file
from plyground.agents.registry import agent_classes
from plyground.envs.specification import SpecificationError

pytestmark = pytest.mark.thorough

GAME = "tic_tac_toe"


def before_logits(model, *nodes, **constants):
    """Let the logits go through more nodes, from ``before`` to ``logits``."""
    for node in model.graph.node:
        if node.output[0] == "logits":
            node.output[0] = "before"
    for name, array in constants.items():
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    model.graph.node.extend(nodes)


def endless_loop(model):
    names = ["number", "go_on", "x"]
    inputs = [
        helper.make_tensor_value_info(name, kind, shape)
        for name, kind, shape in zip(
            names, (TensorProto.INT64, TensorProto.BOOL, TensorProto.FLOAT), ([], [], None)
        )
    ]
    steps = [helper.make_node("Identity", [name], [f"{name}_next"]) for name in names[1:]]
    outputs = [
        helper.make_tensor_value_info(f"{name}_next", kind, shape)
        for name, kind, shape in zip(names[1:], (TensorProto.BOOL, TensorProto.FLOAT), ([], None))
    ]
    body = helper.make_graph(steps, "body", inputs, outputs)
    loop = helper.make_node("Loop", ["", "yes", "before"], ["logits"], body=body)
    before_logits(model, loop, yes=np.array(True))


def branches(kind):
    """An operator with a graph of its own."""

    def change(model):
        body = helper.make_graph([], "body", [], [])
        before_logits(model, helper.make_node(kind, ["before"], ["logits"], body=body))

    return change


def data_elsewhere(model):
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="beside.bin")


def data_of_a_node_elsewhere(model):
    tensor = numpy_helper.from_array(np.zeros(9, np.float32))
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="beside.bin")
    nodes = helper.make_node("Constant", [], ["more"], value=tensor)
    before_logits(model, nodes, helper.make_node("Add", ["before", "more"], ["logits"]))


def sparse_data_elsewhere(model):
    sparse = model.graph.sparse_initializer.add(dims=[9])
    sparse.values.name, sparse.values.data_location = "more", TensorProto.EXTERNAL


def dense_and_sparse(model):
    sparse = model.graph.sparse_initializer.add(dims=[9])
    sparse.values.CopyFrom(numpy_helper.from_array(np.ones(1, np.float32), "weights"))
    sparse.indices.CopyFrom(numpy_helper.from_array(np.zeros(1, np.int64), "places"))


def own_functions(model):
    model.functions.add(name="own", domain="of.others")


def another_domain(model):
    node = helper.make_node("Gelu", ["before"], ["logits"], domain="com.microsoft")
    before_logits(model, node)


def many_nodes(model):
    names = ["before", *map(str, range(model_file.MOST_NODES)), "logits"]
    steps = itertools.pairwise(names)
    before_logits(model, *(helper.make_node("Relu", [x], [y]) for x, y in steps))


def many_parameters(model):
    model.graph.initializer[0].dims[:] = [1 << 14, 1 << 14]


def many_numbers(model):
    nodes = [
        helper.make_node("Unsqueeze", ["before", "axis"], ["apart"]),
        helper.make_node("Expand", ["apart", "sizes"], ["wide"]),
        helper.make_node("Gather", ["wide", "axis"], ["one"], axis=1),
        helper.make_node("Squeeze", ["one", "axis"], ["logits"]),
    ]
    before_logits(model, *nodes, sizes=np.array([1, inference.MOST_NUMBERS, 1]))


def many_channels(model):
    """The weights of a convolution are for 100,000 channels of a board of two planes."""
    model.graph.initializer.append(
        numpy_helper.from_array(np.ones((2, 100_000, 1, 1), np.float32), "kernel")
    )
    model.graph.node[0].input[0] = "seen"
    turn = helper.make_node("Transpose", ["observation"], ["planes"], perm=[0, 3, 1, 2])
    model.graph.node.insert(0, turn)
    model.graph.node.insert(1, helper.make_node("Conv", ["planes", "kernel"], ["seen"]))


# what is wrong, whether the kernel alone says so, and a part of the sentence
WAYS = [
    (endless_loop, "its operator Loop is control flow"),
    *((branches(kind), f"{kind} is control flow") for kind in ("If", "Scan", "SequenceMap")),
    (data_elsewhere, "the data of 'weights' lie in another file"),
    (data_of_a_node_elsewhere, "lie in another file"),
    (sparse_data_elsewhere, "the data of 'more' lie in another file"),
    (dense_and_sparse, "its initializer 'weights' is there twice, dense and sparse"),
    (own_functions, "it defines functions of its own"),
    (another_domain, "its operator Gelu is from the domain 'com.microsoft', not from ONNX's own"),
    (many_nodes, "it has more than 5,000 nodes"),
    (many_parameters, "its parameters take more than 256 MiB"),
]
WAYS_OF_THE_KERNEL = [
    (many_numbers, "it computes more than 33,554,432 numbers for a position"),
    (many_channels, "its Conv 'seen' has weights for 100000 channels of a tensor of 2"),
]
# what commands do with a policy file
COMMANDS = [
    "match tic_tac_toe random onnx:FILE",
    "match tic_tac_toe random mcts:network=FILE,simulations=4",
    "tournament tic_tac_toe random alphazero:FILE --pairs 1 --move-timeout 1",
    "tournament tic_tac_toe random mcts:network=FILE --pairs 1 --move-timeout 1",
    "sprt tic_tac_toe ppo:FILE random",
    "analyse tic_tac_toe --agent dqn:FILE",
    "quality tic_tac_toe onnx:FILE",
    "watch tic_tac_toe random onnx:FILE",
    "export-policy FILE --out other.onnx",
    "export-policy FILE --out submission.py",
    "train alphazero tic_tac_toe --out run --set initial=FILE",
    "train alphazero tic_tac_toe --out run --set predecessor=FILE",
    "train ppo tic_tac_toe --out run --opponent onnx:FILE",
    "train dqn tic_tac_toe --out run --evaluate onnx:FILE",
]


def policy(folder, change):
    path = write_network(folder / "policy.onnx", GAME)
    model = onnx.load(path)
    change(model)
    path.write_bytes(model.SerializeToString())
    return path


def specifications(path):
    """Every agent that is made from a policy file."""
    for name, agent in agent_classes().items():
        parameters = {parameter.name for parameter in agent.parameters}
        if issubclass(agent, PolicyAgent) and agent.argument == "path" and name != "sb3":
            yield f"{name}:{path}"
        if {"network", "precision"} <= parameters:
            yield f"{name}:network={path}"


@pytest.mark.parametrize(("change", "complaint"), WAYS + WAYS_OF_THE_KERNEL)
def test_every_agent_refuses_what_could_hang_or_crash_it(change, complaint, tmp_path, monkeypatch):
    path = policy(tmp_path, change)
    specs = [*specifications(path)]
    assert len(specs) > 1
    for spec in specs:
        with pytest.raises(SpecificationError) as error:
            make_agent(spec, GAME)
        assert complaint in str(error.value)
        assert "\n" not in str(error.value)
        assert str(path) in str(error.value)
    if (change, complaint) in WAYS:  # before onnxruntime sees it
        monkeypatch.setitem(sys.modules, "onnxruntime", None)
        with pytest.raises(SpecificationError, match=re.escape(complaint)):
            OnnxNetwork("own", path.read_bytes(), compiled=False)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses_an_endless_loop(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = policy(tmp_path, endless_loop)
    assert "Loop is control flow" in refused(command.replace("FILE", str(path)))
    assert {*tmp_path.iterdir()} <= {path, tmp_path / "run"}


def slow(model, size=15_000):
    """What onnxruntime computes while it loads the file: a product of two large matrices."""
    nodes = [
        helper.make_node("ConstantOfShape", ["sizes"], ["zeros"]),
        helper.make_node("MatMul", ["zeros", "zeros"], ["product"]),
        helper.make_node("ReduceMax", ["product"], ["most"], keepdims=0),
        helper.make_node("Add", ["before", "most"], ["logits"]),
    ]
    before_logits(model, *nodes, sizes=np.array([size, size]))


def test_a_file_that_onnxruntime_does_not_load_in_time_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(session, "MOST_SECONDS", 2)
    with pytest.raises(SpecificationError, match="has not evaluated it after 2 seconds"):
        load_policy_file(policy(tmp_path, slow))


def test_a_file_that_takes_all_memory_is_refused(tmp_path):
    path = policy(tmp_path, lambda model: slow(model, 1_000_000))
    with pytest.raises(SpecificationError, match=r"cannot be evaluated: .*ConstantOfShape"):
        load_policy_file(path)


def test_what_ends_the_process_of_onnxruntime_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(session, "_TRIAL", "import os, signal; os.kill(os.getpid(), 11)")
    path = policy(tmp_path, lambda model: slow(model, 3))
    with pytest.raises(SpecificationError, match="it ends onnxruntime, SIGSEGV"):
        load_policy_file(path)


def test_a_file_that_is_too_large_is_refused_before_it_is_read_whole(tmp_path):
    path = tmp_path / "large.onnx"
    with path.open("wb") as file:
        file.truncate(model_file.MOST_BYTES + 1)
    with pytest.raises(SpecificationError, match="larger than 256 MiB"):
        load_policy_file(path)
