"""Policy files as a kernel: the results of onnxruntime, and the same bits in every way."""

from __future__ import annotations

import pickle
import platform
import sys
import threading

import numpy as np
import onnx
import pytest
from helpers import random_positions, run_python
from networks import write_network
from onnx import helper
from plyground import make_agent, make_game
from plyground.agents.policies import policy_file, zoo
from plyground.agents.policies.compiled import program
from plyground.agents.policies.compiled.model_file import read_model, read_tensor
from plyground.agents.policies.compiled.runner import NetworkRunner, sample_of
from plyground.agents.policies.compiled.words import INT8, PRECISIONS, bytes_for
from plyground.agents.policies.policy_file import OnnxNetwork, load_policy_file
from plyground.agents.policies.trial import Trial
from plyground.envs.specification import SpecificationError

pytestmark = pytest.mark.thorough

COMPILED = "compiled kernel, float32"
PRECISIONS_HERE = [name for name, precision in PRECISIONS.items() if precision.is_possible]
MOST = 1e-4  # between kernel and onnxruntime
# a processor with AVX2 and without AVX-512, as numba can be told of it
AVX2 = {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx,+avx2,+fma,+bmi,+bmi2,+popcnt"}
DIGEST = """
import hashlib, sys
import numpy as np
from plyground.agents.policies.compiled.tile import BLOCKS
from plyground.agents.policies.policy_file import load_policy_file
network = load_policy_file(sys.argv[1])
shape = network.game.facts.observation_shape
observations = np.random.default_rng(1).integers(0, 2, (20, *shape))
print(network.evaluator.split()[0], BLOCKS)
for precision in ("float32", "int8"):
    logits, _ = network.in_precision(precision).evaluate(observations)
    print(hashlib.sha256(logits.tobytes()).hexdigest())
"""


@pytest.fixture(params=zoo.cards(), ids=lambda card: card.file)
def card(request):
    return request.param


def observations_of(game, count):
    return np.stack([each.observation() for each in random_positions(game.spec, count, seed=1)])


def test_every_shipped_network_gives_what_onnxruntime_gives(card):
    network = card.network()
    assert network.evaluator == COMPILED
    observations = observations_of(network.game, 60)
    reference = OnnxNetwork("the same", network.data, compiled=False)
    logits, values = network.evaluate(observations)
    expected_logits, expected_values = reference.evaluate(observations)
    assert np.abs(logits - expected_logits).max() <= MOST
    assert np.abs(values - expected_values).max() <= MOST
    best, second = np.sort(expected_logits, axis=1)[:, :-3:-1].T
    clear = best - second > 2 * MOST
    assert clear.mean() > 0.9
    assert (logits.argmax(axis=1) == expected_logits.argmax(axis=1))[clear].all()


@pytest.mark.parametrize("precision", PRECISIONS_HERE)
def test_the_bits_are_those_of_single_positions_and_of_smaller_tiles(card, precision):
    network = card.network().in_precision(precision)
    facts = network.game.facts
    observations = observations_of(network.game, 19).astype(np.float32)
    logits, values = network.run(observations)
    assert len({row.tobytes() for row in logits}) > 10
    single = [network.run(row[None]) for row in observations]
    assert np.array_equal(logits, np.concatenate([each[0] for each in single]))
    assert np.array_equal(values, np.concatenate([each[1] for each in single]))
    for columns in (1, 4):
        model = read_model(network.data)
        program_of_tile, _ = program.compile_network(
            model,
            facts.num_actions,
            columns,
            PRECISIONS[precision],
            sample_of(network.game)[0] if precision == INT8.name else None,
        )
        smaller = NetworkRunner(program_of_tile, facts.num_actions)(observations)
        assert np.array_equal(logits, smaller[0])
        assert np.array_equal(values, smaller[1])


@pytest.mark.parametrize("precision", PRECISIONS_HERE)
def test_sums_are_those_of_rounded_weights(precision, tmp_path):
    weights = np.random.default_rng(1).normal(size=(18, 9)).astype(np.float32)
    path = write_network(tmp_path / "linear.onnx", "tic_tac_toe", weights, np.full(9, 1 / 3))
    network = load_policy_file(path).in_precision(precision)
    assert network.evaluator == f"compiled kernel, {precision}"
    if precision == "bfloat16":  # 8 bits, with the one that is not written
        fraction, exponent = np.frexp(weights)
        weights = np.ldexp(np.round(fraction * 256) / 256, exponent)
    observations = observations_of(network.game, 19)
    numbers = observations.reshape(19, -1)
    if precision == "int8":
        steps = np.abs(weights).max(axis=0) / 127
        weights, step = np.rint(weights / steps) * steps, bytes_for(0, 1).step
        numbers = np.rint(numbers / step) * step
    logits = network.evaluate(observations)[0]
    assert np.abs(logits - (numbers @ weights + 1 / 3)).max() < 1e-5
    again = pickle.loads(pickle.dumps(network))
    assert again.evaluator == network.evaluator
    assert np.array_equal(again.evaluate(observations)[0], logits)


@pytest.mark.parametrize("precision", PRECISIONS_HERE)
@pytest.mark.parametrize("agent", ["zoo:tic_tac_toe", "mcts:network=zoo:tic_tac_toe,simulations=9"])
def test_agents_play_in_every_precision_and_keep_to_it(agent, precision):
    player = make_agent(f"{agent},precision={precision}", "tic_tac_toe")
    position = make_game("tic_tac_toe").position(["a1", "b2"])
    plain, rounded = make_agent(agent, "tic_tac_toe").analyse(position), player.analyse(position)
    assert abs(plain.value - rounded.value) < 0.05
    assert (plain.value == rounded.value) == (precision == "float32")


@pytest.mark.parametrize("precision", PRECISIONS_HERE)
def test_a_trial_chooses_the_precision(precision, tmp_path, monkeypatch):
    path = write_network(tmp_path / "linear.onnx", "tic_tac_toe", np.ones((18, 9)), np.zeros(9))
    monkeypatch.setattr(policy_file, "fastest_precision", lambda *_: Trial(precision, {}))
    network = load_policy_file(path).in_precision("auto")
    assert network.evaluator == f"compiled kernel, {precision}"


@pytest.mark.parametrize("name", ["bfloat16", "int8"])
def test_a_precision_that_the_processor_lacks_is_refused(name, monkeypatch):
    monkeypatch.setitem(PRECISIONS, name, PRECISIONS[name]._replace(is_possible=False))
    monkeypatch.setattr(zoo, "_playing", zoo._playing.__wrapped__)  # none compiled before
    complaint = (
        f"is evaluated in float32 only, since the kernel does not support {name} multiplication"
    )
    for agent in ("zoo:tic_tac_toe", "mcts:network=zoo:tic_tac_toe"):
        with pytest.raises(SpecificationError, match=complaint):
            make_agent(f"{agent},precision={name}", "tic_tac_toe")
    with pytest.raises(SpecificationError, match="precision= is for searches with a network"):
        make_agent("mcts:precision=bfloat16")


@pytest.mark.skipif("int8" not in PRECISIONS_HERE, reason="the processor does not multiply bytes")
def test_negative_numbers_are_bytes_too(tmp_path):
    """A dense layer reads numbers of both signs; a convolution of them is left alone."""
    weights = np.random.default_rng(1).normal(size=(18, 9))
    path = write_network(tmp_path / "linear.onnx", "tic_tac_toe", weights)
    model = onnx.load(path)
    half = onnx.numpy_helper.from_array(np.full(1, 0.5, np.float32), "half")
    model.graph.initializer.append(half)
    model.graph.node[0].input[0] = "centred"
    model.graph.node.insert(0, helper.make_node("Sub", ["observation", "half"], ["centred"]))
    data = model.SerializeToString()
    exact, rounded = (OnnxNetwork("own", data, precision=name) for name in ("float32", "int8"))
    observations = observations_of(exact.game, 19)
    difference = exact.evaluate(observations)[0] - rounded.evaluate(observations)[0]
    assert 0 < np.abs(difference).max() < 0.1
    kernel = onnx.numpy_helper.from_array(np.ones((3, 3, 3, 3), np.float32), "kernel")
    model.graph.initializer.append(kernel)
    model.graph.node.insert(
        1, helper.make_node("Conv", ["centred", "kernel"], ["summed"], pads=[1, 1, 1, 1])
    )
    model.graph.node[2].input[0] = "summed"
    with pytest.raises(SpecificationError, match="int8 for negative numbers on a board"):
        OnnxNetwork("own", model.SerializeToString(), precision="int8")


def test_threads_evaluate_side_by_side():
    network = next(card for card in zoo.cards() if card.name == "gomoku").network()
    observations = observations_of(network.game, 40).astype(np.float32)
    expected, results = network.run(observations)[0], [None] * 4

    def run(number):
        rows = [network.run(row[None])[0] for row in observations]
        results[number] = np.concatenate(rows)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(expected, result) for result in results)


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="names x86's registers")
def test_the_bits_are_those_of_other_registers(tmp_path):
    """In two processes: with all registers of this processor, and with AVX2 alone."""
    card = next(card for card in zoo.cards() if card.file == "connect_four/connect_four_6x7.onnx")
    outputs = []
    for changes in ({}, AVX2):
        outputs.append(run_python("-c", DIGEST, card.path, **changes).split())
    assert outputs[0][0] == outputs[1][0] == "compiled"
    assert outputs[1][1] == "1"  # the tiles of AVX2
    assert outputs[0][2:] == outputs[1][2:]
    assert len({*outputs[0]}) == 4


def with_operator(model, name, **options):
    """A policy file whose logits go through one operator more."""
    for node in model.graph.node:
        if node.output[0] == "logits":
            node.output[0] = "before"
    model.graph.node.append(helper.make_node(name, ["before"], ["logits"], **options))
    return model.SerializeToString()


def test_without_fused_multiplication_onnxruntime_evaluates(tmp_path, monkeypatch):
    path = write_network(tmp_path / "linear.onnx", "tic_tac_toe")
    monkeypatch.setattr(program, "FUSES", False)
    assert load_policy_file(path).evaluator.startswith("onnxruntime, since")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda model: with_operator(model, "Sin"), "Sin"),
        (lambda model: with_operator(model, "Softmax", unread=1), "Softmax of this form"),
        (lambda model: setattr(model.opset_import[0], "version", 12), "opset 12"),
    ],
)
def test_other_forms_are_left_to_onnxruntime_which_the_error_names(
    change, reason, tmp_path, monkeypatch
):
    model = onnx.load(write_network(tmp_path / "linear.onnx", "tic_tac_toe"))
    change(model)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(SpecificationError) as error:
        OnnxNetwork("other", model.SerializeToString())
    assert str(error.value) == (
        f"the policy other needs onnxruntime, since the kernel does not support {reason}: "
        'pip install "plyground[policy]"'
    )


def test_the_reader_reads_what_onnx_reads(card):
    data = card.path.read_bytes()
    expected, model = onnx.load_from_string(data), read_model(data)
    for node, own in zip(expected.graph.node, model.nodes, strict=True):
        assert (node.op_type, list(node.input), list(node.output)) == (
            own.op_type,
            own.input,
            own.output,
        )
        for attribute in node.attribute:
            value = helper.get_attribute_value(attribute)
            assert own.attributes[attribute.name] == (
                value if attribute.type != attribute.TENSOR else value.SerializeToString()
            )
    for tensor in expected.graph.initializer:
        array = onnx.numpy_helper.to_array(tensor)
        own_array = read_tensor(model.constants[tensor.name])
        assert array.dtype == own_array.dtype
        assert np.array_equal(array, own_array)
    assert model.metadata == {
        entry.key.encode(): entry.value.encode() for entry in expected.metadata_props
    }


def test_outputs_that_other_layers_read_stay_as_they_are(tmp_path):
    """The value is computed from the logits: what follows is not joined to the layer before."""
    path = write_network(tmp_path / "linear.onnx", "tic_tac_toe", -np.ones((18, 9)))
    model = onnx.load(path)
    nodes = [node for node in model.graph.node if node.op_type == "Flatten"]
    nodes.append(helper.make_node("Gemm", ["flat", "weights"], ["logits"]))
    nodes.append(helper.make_node("Relu", ["logits"], ["positive"]))
    nodes.append(helper.make_node("MatMul", ["positive", "bias_column"], ["column"]))
    nodes.append(helper.make_node("Squeeze", ["column", "axis"], ["value"]))
    column = onnx.numpy_helper.from_array(np.ones((9, 1), np.float32), "bias_column")
    model.graph.initializer.append(column)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    network = OnnxNetwork("own", model.SerializeToString())
    assert network.evaluator == COMPILED
    logits, values = network.evaluate(observations_of(network.game, 5))
    assert logits.min() < 0
    assert not values.any()
