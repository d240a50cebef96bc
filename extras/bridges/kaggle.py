"""``kaggle:FILE``: agents for Kaggle's ConnectX; and policies as submissions to it.

A submission is a Python file, a folder with ``main.py``, or a ``.tar.gz`` of one. Its last callable
is the agent. Its code is executed: use only submissions that you trust.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ...agents.agent import Agent
from ...agents.decision import Decision
from ...agents.registry import register_agent
from ...envs.game import Game, Position
from ...envs.loading.files import written_whole
from ...envs.registry import games_in
from ...envs.rules_types import parameter_values
from ...envs.specification import Parameter, SpecificationError, refusing
from . import submission
from .submission_code import SubmissionCode, arguments_of

PACKAGE_AGENTS = ("negamax", "random")  # the agents of kaggle-environments
# Kaggle's settings of ConnectX
EPISODE_STEPS, MOVE_SECONDS, AGENT_SECONDS, RUN_SECONDS = 1000, 2, 60, 1200


class Struct(dict[str, Any]):
    """A dictionary with attribute access, as passed by Kaggle."""

    def __init__(self, **entries: Any) -> None:
        super().__init__()
        for name, value in entries.items():
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        self[name] = value


@register_agent("kaggle")
class KaggleAgent(Agent):
    """Plays connect four as an agent of Kaggle's ConnectX does.

    It is executed anew for every game. ``negamax`` and ``random`` are agents of the package
    kaggle-environments; any other name is a file, a folder or an archive. The configuration states
    Kaggle's time limits; a match has separate limits.
    """

    summary = "an agent for Kaggle's ConnectX: kaggle:FILE.py, kaggle:negamax (trusted files only)"
    parameters = (
        Parameter(
            "source",
            str,
            None,
            "a submission (.py, a folder with main.py, .tar.gz), or negamax or random of Kaggle",
        ),
    )
    argument = "source"
    usage = f"FILE.py, FOLDER, FILE.tar.gz, or one of {', '.join(PACKAGE_AGENTS)}"
    isolated = foreign = True
    effect = "runs a file of Python"

    def check_options(self) -> None:
        """Load the agent."""
        source = self.options["source"]
        self._code = None if source in PACKAGE_AGENTS else SubmissionCode(Path(source))
        self._begin_episode()

    def _begin_episode(self) -> None:
        source = self.options["source"]
        self._function = _of_package(source) if self._code is None else self._code.execute()
        self._arguments = arguments_of(self._function, source)
        self._overage: float = AGENT_SECONDS
        self._is_asked = False

    def reset(self, seed: int = 0) -> None:
        """Execute the submission anew, if it has moved since the last execution."""
        super().reset(seed)
        if self._is_asked:
            self._begin_episode()

    def check_game(self, game: Game) -> None:
        """ConnectX is connect four, on boards of any size."""
        if game.name not in games_in("kaggle"):
            games = " and ".join(games_in("kaggle"))
            raise SpecificationError(f"agents of ConnectX play {games}, not {game.name}")

    def decide(self, position: Position) -> Decision:
        values: Any = parameter_values(position.game.rules)
        mark = position.to_move + 1
        planes = position.observation()
        board = planes[:, :, 0] * mark + planes[:, :, 1] * (3 - mark)
        observation = Struct(
            remainingOverageTime=self._overage,
            step=int(planes.sum()),
            board=board.ravel().tolist(),
            mark=mark,
        )
        configuration = Struct(
            rows=values["rows"],
            columns=values["cols"],
            inarow=values["connect"],
            episodeSteps=EPISODE_STEPS,
            actTimeout=MOVE_SECONDS,
            runTimeout=RUN_SECONDS,
            agentTimeout=AGENT_SECONDS,
            timeout=MOVE_SECONDS,
        )
        if self._code is not None:
            configuration["__raw_path__"] = str(self._code.path)
        self._is_asked = True
        began = time.perf_counter()
        with contextlib.nullcontext() if self._code is None else self._code.imports():
            action = self._function(*(observation, configuration)[: self._arguments])
        late = max(time.perf_counter() - began - MOVE_SECONDS, 0)
        self._overage = max(self._overage - late, 0)
        return Decision(action)

    @property
    def version(self) -> str:
        """A hash of the submission as read, or the version of Kaggle's package.

        It includes the modules that a file imports from its folder, and all files of a folder.
        """
        if self._code is None:
            import importlib.metadata

            return f"kaggle-environments {importlib.metadata.version('kaggle-environments')}"
        return f"source {self._code.version}"

    def __getstate__(self) -> dict[str, Any]:
        loaded = ("_code", "_function")
        return {name: value for name, value in self.__dict__.items() if name not in loaded}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.check_options()


def _of_package(name: str) -> Callable[..., Any]:
    needs = f"kaggle:{name} needs Kaggle's package: pip install kaggle-environments"
    with refusing(ImportError, needs):
        from kaggle_environments.envs.connectx.connectx import agents
    function: Callable[..., Any] = agents[name]
    return function


def write_submission(policy: str | Path, path: str | Path) -> None:
    """Write a policy as a submission to ConnectX: one Python file that needs only numpy.

    Weights are stored in float16.

    Args:
        policy: a policy file for connect four.
        path: the file to write.

    Raises:
        SpecificationError: the policy is for another game, or uses unsupported operators.
    """
    with refusing(ImportError, 'submissions need onnx: pip install "plyground[train]"'):
        import onnx
    from ...agents.policies.policy_file import load_policy_file

    network = load_policy_file(policy)
    network.check_plays()
    games = games_in("kaggle")
    if network.game.name not in games:
        raise SpecificationError(
            f"ConnectX is {' and '.join(games)}; {policy} plays {network.game.spec}"
        )
    graph = onnx.load(policy).graph
    weights = {entry.name: onnx.numpy_helper.to_array(entry) for entry in graph.initializer}
    nodes = _needed_nodes(graph, weights, str(policy))
    used = {name for _, inputs, _, _ in nodes for name in inputs}
    arrays: dict[str, Any] = {
        name: value.astype(np.float16) if value.dtype == np.float32 else value
        for name, value in weights.items()
        if name in used
    }
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    packed = zlib.compress(json.dumps(nodes).encode())
    model = f"{base64.b64encode(packed).decode()}.{base64.b64encode(buffer.getvalue()).decode()}"
    source = Path(submission.__file__).read_text(encoding="utf-8")
    text = source.replace('MODEL = ""', f'MODEL = "{model}"')
    with written_whole(Path(path)) as file:
        file.write(text.encode())


def export_submission(policy: Path, out: Path) -> str:
    """Write a submission of a policy file; returns a message about it."""
    from ...agents.policies.policy_file import load_policy_file

    write_submission(policy, out)
    spec = load_policy_file(policy).game.spec
    return f"{out}: a submission to ConnectX for {spec}, played by kaggle:{out}"


def _needed_nodes(graph: Any, weights: dict[str, np.ndarray], source: str) -> list[Any]:
    """The nodes that the logits depend on; constants become weights."""
    import onnx

    names, nodes = {"logits"}, []
    for node in reversed(graph.node):
        if not names & set(node.output):
            continue
        attributes = {
            entry.name: onnx.helper.get_attribute_value(entry) for entry in node.attribute
        }
        if node.op_type == "Constant":
            (value,) = attributes.values()
            is_tensor = isinstance(value, onnx.TensorProto)
            array = onnx.numpy_helper.to_array(value) if is_tensor else np.array(value)
            weights[node.output[0]] = array
            continue
        if node.op_type not in submission.OPERATORS or len(node.output) > 1:
            raise SpecificationError(
                f"{source} uses the operator {node.op_type}, which a submission cannot compute; "
                f"networks of dense layers and convolutions can be submitted"
            )
        plain = {
            name: list(value) if isinstance(value, (list, tuple)) else value
            for name, value in attributes.items()
            if not isinstance(value, bytes)
        }
        inputs = [name for name in node.input if name]
        nodes.append([node.op_type, inputs, node.output[0], plain])
        names |= set(inputs)
    return nodes[::-1]
