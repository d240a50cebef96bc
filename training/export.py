"""Policy files from models of stable-baselines3 and from any torch module.

:mod:`plyground.agents.policies.policy_file` describes the file.
"""

from __future__ import annotations

import contextlib
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..agents.policies.policy_file import (
    INPUT,
    OUTPUTS,
    TO_COME,
    WHOLE_RETURN,
    OnnxNetwork,
    policy_metadata,
    write_policy,
)
from ..envs.environments.observations import LAYOUTS
from ..envs.game import Game
from ..envs.registry import make_game
from ..envs.specification import SpecificationError

try:
    import onnx
    import torch

    from ..agents.policies.heads import Heads, ModuleHeads
except ImportError as error:
    raise ImportError('training needs torch and onnx: pip install "plyground[train]"') from error

NUM_CHECKS = 256  # positions in which the first file is compared with the model
LATER_CHECKS = 32  # and later ones of the same graph, with other weights
PREFIX, HALF = "network.", "_float16"  # prefix and suffix of the names of weights in policy files
# between torch and what evaluates the file, relative to the largest output: onnxruntime, the kernel
TOLERANCES = {False: 1e-5, True: 1e-4}

# The graphs exported in this process, by the structure of their module.
_graphs: dict[str, bytes] = {}


class NetworkExporter:
    """Writes the weights of one network as policy files, any number of times.

    torch's exporter takes seconds. It runs once for all modules of the same structure; each file
    then gets its own weights.

    Args:
        heads: a module that takes observations (float32, (N, rows, columns, planes)) and gives
            logits (N, actions) and values (N,).
        game: the game it is trained on.
        metadata: the metadata of the files.
    """

    def __init__(self, heads: torch.nn.Module, game: Game, metadata: dict[str, str]) -> None:
        self.game = game
        self._heads, self._metadata = heads, metadata
        self._proto: Any = None
        self._observations = random_observations(game, NUM_CHECKS)

    def write(self, path: str | Path) -> None:
        """Write the present policy.

        The file is compared with the model in random positions of the game and appears only if both
        agree; after any failure an existing file stays. The model is not changed.

        Raises:
            SpecificationError: the policy's outputs are not finite, or the file differs from the
                model or cannot be written.
        """
        modules = list(self._heads.modules())
        training = [module.training for module in modules]
        self._heads.eval()
        try:
            data = self._serialize(str(path), self._graph())
            _graphs.setdefault(self._structure, data)
        finally:
            for module, before in zip(modules, training):
                module.training = before
        write_policy(Path(path), data)
        self._observations = self._observations[:LATER_CHECKS]

    def content(self) -> bytes:
        """The content of a file, not compared with the model, which must not be training."""
        proto = self._graph()
        self._refresh_weights(proto)
        data: bytes = proto.SerializeToString()
        _graphs.setdefault(self._structure, data)
        return data

    def _graph(self) -> Any:
        if self._proto is None:
            self._proto = self._known_graph() or self._export()
        return self._proto

    def _known_graph(self) -> Any:
        """A graph exported before, or None if none computes the model.

        Modules of the same structure may differ in their code.
        """
        graph = _graphs.get(self._structure)
        if graph is None:
            return None
        proto = onnx.load_from_string(graph)
        onnx.helper.set_model_props(proto, self._metadata)
        try:
            self._serialize("the graph", proto)
        except SpecificationError:
            return None
        return proto

    @property
    def _structure(self) -> str:
        shapes = {name: tuple(value.shape) for name, value in self._heads.state_dict().items()}
        return f"{self.game.spec} {self._heads!r} {shapes}"

    def _serialize(self, name: str, proto: Any) -> bytes:
        """The file with this graph and the present weights, if it computes the model."""
        self._refresh_weights(proto)
        data: bytes = proto.SerializeToString()
        self._check(name, data)
        return data

    def _export(self) -> Any:
        """The graph with the weights under their names in the model.

        It is not optimised: onnxruntime optimises it on loading.
        """
        example = torch.zeros((2, *self.game.facts.observation_shape), device=self._device)
        with torch.no_grad(), _quiet():
            program = torch.onnx.export(
                self._heads,
                (example,),
                input_names=[INPUT],
                output_names=list(OUTPUTS),
                dynamic_shapes=({0: torch.export.Dim("batch")},),
                dynamo=True,
                optimize=False,
                verbose=False,
            )
        assert program is not None  # it is set if no file is given
        proto = program.model_proto
        onnx.helper.set_model_props(proto, self._metadata)
        return proto

    @property
    def _device(self) -> torch.device:
        return next(self._heads.parameters(), torch.zeros(1)).device

    def _refresh_weights(self, proto: Any) -> None:
        current = self._heads.state_dict()
        for initializer in proto.graph.initializer:
            if initializer.name in current:
                value = np.ascontiguousarray(current[initializer.name].cpu().numpy())
                initializer.CopyFrom(onnx.numpy_helper.from_array(value, initializer.name))

    def _check(self, name: str, data: bytes) -> None:
        """Compare the file with the model in random positions, with its weights on the CPU.

        GPUs round products (TF32).
        """
        heads = self._heads
        # each once: the weights of a module with two names must not be restored twice
        weights = {
            f"{module_name}.{name}".removeprefix("."): value.detach().cpu()
            for module_name, module in heads.named_modules()
            for name, value in (
                *module.named_parameters(recurse=False),
                *module.named_buffers(recurse=False),
            )
        }
        observations = torch.as_tensor(self._observations, dtype=torch.float32)
        with torch.no_grad():
            expected = torch.func.functional_call(
                heads, weights, (observations,), tie_weights=False
            )
        for by_kernel, tolerance in TOLERANCES.items():
            results = OnnxNetwork(name, data, by_kernel).evaluate(self._observations)
            for output, values, result in zip(
                OUTPUTS, (each.numpy() for each in expected), results
            ):
                difference = float(np.abs(values - result).max())
                if not difference <= tolerance * max(1.0, float(np.abs(values).max())):
                    raise SpecificationError(
                        f"the policy was not exported: {output} of the file and of the model "
                        f"differ by up to {difference:.2g}"
                    )


class PolicyExporter(NetworkExporter):
    """Writes a policy as policy files, any number of times.

    Args:
        model: a model of stable-baselines3 or sb3-contrib (PPO, MaskablePPO, A2C, DQN, QR-DQN) with
            any features extractor that torch can export; or any torch module, see
            :class:`~plyground.agents.policies.heads.ModuleHeads`.
        game: the game it is trained on.
        kind: the kind stated in the files; None: the algorithm's or the module's name.
        inputs: the layout of a module's planes, ``"hwc"`` (rows, columns, planes: the default),
            ``"chw"`` (planes, rows, columns) or ``"flat"``. Models of SB3 define it themselves.
        action_values: whether a module returns action values (a Q network) instead of logits.
        value: meaning of a module's value for the side to move: ``"to come"``, the future rewards,
            or ``"return"``, the return of the whole game.

    Raises:
        SpecificationError: not such a model, a model for another game, or an invalid option.
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
        self._model: Any = model
        if isinstance(model, torch.nn.Module):
            _check("inputs", inputs or "hwc", LAYOUTS)
            _check("value", value, (TO_COME, WHOLE_RETURN))
            heads = ModuleHeads(model, made, inputs or "hwc", action_values, value)
            kind = kind or type(model).__name__
        else:
            if inputs is not None or action_values or value != TO_COME:
                raise SpecificationError(
                    "inputs=, action_values= and value= are for torch modules; a model of "
                    "stable-baselines3 defines its inputs and outputs itself"
                )
            from ..agents.policies.sb3 import algorithm_name, heads_of

            heads = heads_of(model, made, "the model to export")
            kind = kind or algorithm_name(model)
        metadata = policy_metadata(made, kind, heads.meaning, has_policy=heads.has_policy)
        super().__init__(heads, made, metadata)

    def write(self, path: str | Path) -> None:
        """As :meth:`NetworkExporter.write`, with the present statistics of SB3's VecNormalize."""
        if not isinstance(self._model, torch.nn.Module):
            from ..agents.policies.sb3 import normalisation_of

            heads: Any = self._heads
            heads.normalisation = normalisation_of(self._model, "the model to export")
        super().write(path)


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


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Silence the messages of torch's exporter."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


def random_observations(game: Game, count: int) -> np.ndarray:
    """Observations of the side to move in random games: int8, (count, rows, columns, planes)."""
    rng, position = np.random.default_rng(0), game.initial_position()
    observations = np.empty((count, *game.facts.observation_shape), np.int8)
    for index in range(count):
        observations[index] = position.observation()
        position.play(int(rng.choice(position.legal_actions())))
        if position.is_over:
            position = game.initial_position()
    return observations


def weights_of_policy(data: bytes) -> dict[str, torch.Tensor]:
    """The weights in a policy file that :class:`NetworkExporter` wrote, by their names.

    They are float32, with names as in the network, without the wrapper module of the file.
    """
    weights, floats = {}, (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16)
    for initializer in onnx.load_from_string(data).graph.initializer:
        name = initializer.name.removesuffix(HALF)
        if name.startswith(PREFIX) and initializer.data_type in floats:
            value = onnx.numpy_helper.to_array(initializer).astype(np.float32)
            weights[name.removeprefix(PREFIX)] = torch.from_numpy(value)
    return weights


def compact_policy(data: bytes) -> bytes:
    """The same policy file at less than half the size.

    The weights are stored in float16; onnxruntime converts them to float32 on loading. The outputs
    change by about a thousandth. The exporter's notes about nodes are dropped.
    """
    proto = onnx.load_from_string(data)
    graph, casts = proto.graph, []
    for initializer in graph.initializer:
        if initializer.data_type != onnx.TensorProto.FLOAT or len(initializer.dims) < 2:
            continue
        name = initializer.name
        value = onnx.numpy_helper.to_array(initializer).astype(np.float16)
        initializer.CopyFrom(onnx.numpy_helper.from_array(value, f"{name}{HALF}"))
        casts.append(
            onnx.helper.make_node(
                "Cast", [f"{name}{HALF}"], [name], to=onnx.TensorProto.FLOAT, name=f"{name}_cast"
            )
        )
    for part in (*graph.node, *graph.value_info, *graph.input, *graph.output):
        del part.metadata_props[:]
        part.ClearField("doc_string")
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    compact: bytes = proto.SerializeToString()
    return compact
