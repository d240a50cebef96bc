"""Policy files: trained policies as ONNX files.

A compiled kernel evaluates them, see :mod:`.compiled.program`; onnxruntime those that the kernel
cannot.

A policy file is an ONNX model with one input, ``observation`` (float32, (N, rows, columns, planes):
the board as the side to move sees it), and two outputs, ``logits`` (float32, (N, num_actions),
illegal actions included) and ``value`` (float32, (N,)). Its metadata states:

- ``plyground.format``: ``policy 1``.
- ``plyground.game``: the game with all its parameters, ``connect_four:rows=6,cols=7,connect=4``.
- ``plyground.rules``: the game's id with its version, ``connect_four_v0``.
- ``plyground.version``: the plyground that wrote it.
- ``plyground.kind``: what was trained, ``ppo``.
- ``plyground.value``: the meaning of ``value`` for the side to move, in the unit of the game's
    returns.
  ``return``: the expected return of the whole game. ``to come``: the expected rewards from here on;
  the two differ if rewards come before the end. ``of actions``: the logits are such values ``to
  come`` after each action (a Q network), and ``value`` is unused. ``none``: it is unused.
- ``plyground.policy``: ``none`` if the logits are unused: the network only evaluates positions.

``plyground.discount`` is the discount of ``value`` for each ply until the end of the game; the
default is 1.

An ONNX file holds numbers and names of operators. Reading one runs no code from it. A file that
could hang, crash or alter its evaluator is refused: see :mod:`.compiled.model_file` (bounds),
:mod:`.compiled.inference` (types and shapes) and :mod:`.session` (files left to onnxruntime).
"""

from __future__ import annotations

import copy
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...envs import __version__
from ...envs.game import Game, Position
from ...envs.loading.files import read_file, written_whole
from ...envs.loading.numbers import read_number
from ...envs.loading.packages import POLICIES
from ...envs.loading.registry import Registry
from ...envs.registry import game_of_file, make_game
from ...envs.rules import as_played
from ...envs.rules_types import parameter_values
from ...envs.specification import (
    SpecificationError,
    first_line,
    format_specification,
    plain_text,
    refusing,
)
from .compiled.boards import on_board
from .compiled.evaluation import CompiledNetwork
from .compiled.model_file import FLOAT, MOST_BYTES, Model, Refused, read_model
from .compiled.runner import NetworkRunner, compiled_runner
from .compiled.shapes import Invalid, Unsupported
from .compiled.words import FLOAT32
from .session import open_session
from .trial import AUTO, fastest_precision

FORMAT = "policy 1"
BEST = "best.onnx"  # the policy file of a run folder
INPUT, OUTPUTS = "observation", ("logits", "value")
WHOLE_RETURN, TO_COME, OF_ACTIONS, NO_VALUE = "return", "to come", "of actions", "none"
VALUES = (WHOLE_RETURN, TO_COME, OF_ACTIONS, NO_VALUE)
_SOURCES: Registry[str, Callable[[str], Path]] = Registry(
    "no package fetches policies of", POLICIES
)
SCHEME_END = "://"  # marks the names of policies that a package fetches
_PREFIX = "plyground."
_FIELDS = ("format", "game", "rules", "version", "kind", "value")
_DISCOUNT = f"{_PREFIX}discount"
_POLICY = f"{_PREFIX}policy"


def policy_metadata(
    game: Game, kind: str, value: str, discount: float = 1.0, has_policy: bool = True
) -> dict[str, str]:
    """The metadata of a policy file for ``game``; ``value`` is one of ``VALUES``."""
    fields = dict(
        zip(_FIELDS, (FORMAT, _full_spec(game), game.declaration.game_id, __version__, kind, value))
    )
    metadata = {_PREFIX + name: text for name, text in fields.items()}
    if not has_policy:
        metadata[_POLICY] = "none"
    return metadata if discount == 1.0 else metadata | {_DISCOUNT: repr(discount)}


class Network(ABC):
    """A policy and value network for one game.

    Attributes:
        source: where it comes from, for messages.
        game: the game it was trained for.
        kind: the algorithm it was trained by (``ppo``).
        value: the meaning of its values, one of ``VALUES``.
        version: a hash of its content.
        discount: the discount of its values for each ply until the end of the game.
        has_policy: whether its logits are a policy.
    """

    discount: float = 1.0
    has_policy: bool = True

    def __init__(self, source: str, game: Game, kind: str, value: str, version: str) -> None:
        self.source: str = source
        self.game: Game = game
        self.kind: str = kind
        self.value: str = value
        self.version: str = version

    @abstractmethod
    def run(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The network's output for float32 observations.

        Logits are float32 of shape (N, num_actions), values float32 of shape (N,).
        """

    def evaluate(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Logits and values for observations of any numeric type, shape (N, rows, columns, planes).

        Raises SpecificationError if they are not finite.
        """
        logits, values = self.run(np.ascontiguousarray(observations, dtype=np.float32))
        self._check_finite(logits, values)
        return logits, values

    def _check_finite(self, logits: np.ndarray, values: np.ndarray) -> None:
        if not (np.isfinite(logits).all() and np.isfinite(values).all()):
            raise self.broken()

    def broken(self) -> SpecificationError:
        """The error for outputs that are NaN or infinite."""
        return SpecificationError(
            f"the policy {self.source} is broken: it returned NaN or infinity"
        )

    def compiled(self) -> CompiledNetwork | None:
        """The network in the form that kernels use, with its own workspace; None if it has none."""
        return None

    def as_module(self) -> Any:
        """A module of torch, from float32 observations to logits and values; None: it has none."""
        return None

    def check_game(self, game: Game) -> None:
        """Refuse another game, or other parameters, with a SpecificationError.

        Parameters that do not affect observations, actions and returns may differ.
        """
        if as_played(game.rules) != as_played(self.game.rules):
            raise SpecificationError(
                f"the policy {self.source} is for {_full_spec(self.game)}, not for "
                f"{_full_spec(game)}"
            )

    def for_game(self, game: Game) -> Network:
        """The network itself, if this is its game; else SpecificationError."""
        self.check_game(game)
        return self

    @property
    def only_game(self) -> Game:
        """The game that it plays, see :class:`.zoo.ZooNetworks`."""
        return self.game

    def check_plays(self) -> None:
        """Refuse play without search by a network that only evaluates positions."""
        if not self.has_policy:
            raise SpecificationError(
                f"the policy {self.source} only evaluates positions and has no policy; "
                f"play it by search, mcts:network={self.source}"
            )

    def check_guides(self) -> None:
        """Refuse a search guided by a network that does not evaluate positions."""
        if self.value not in (WHOLE_RETURN, TO_COME):
            content = "action values" if self.value == OF_ACTIONS else "no value"
            raise SpecificationError(
                f"the policy {self.source} gives {content}; a search needs the value of positions"
            )

    def expected_return(self, value: float, position: Position) -> float:
        """The expected return of the player to move for a value.

        It is clipped to the range of the game's returns.
        """
        facts = position.game.facts
        to_come = self.value in (TO_COME, OF_ACTIONS)
        return_so_far = position.returns[position.to_move] if to_come else 0.0
        return float(min(max(return_so_far + value, facts.min_return), facts.max_return))

    def in_precision(self, precision: str) -> Network:
        """The network with numbers multiplied in one of ``PRECISIONS``, or by a trial (AUTO).

        Raises:
            SpecificationError: it cannot be evaluated in this precision.
        """
        if precision not in (FLOAT32.name, AUTO):
            raise SpecificationError(
                f"precision={precision} is for policy files; {self.source} is not one"
            )
        return self

    def __deepcopy__(self, memo: Any) -> Network:
        return self  # it is immutable


def _full_spec(game: Game) -> str:
    return format_specification(game.name, parameter_values(game.rules))


class OnnxNetwork(Network):
    """A policy file, evaluated on one thread.

    One thread is enough: batches are small, and games run in parallel.

    Args:
        source: where the file comes from, for messages.
        data: its content.
        compiled: whether the kernel evaluates it if possible, else onnxruntime after a trial in a
            separate process; without it onnxruntime evaluates it without a trial, for trusted
            files.
        precision: the kernel's precision, one of ``PRECISIONS``; onnxruntime has only the first.

    Attributes:
        data: the file's content.
        metadata: the metadata of the file.
        evaluator: what evaluates it, and why if it is not the kernel.
    """

    def __init__(
        self, source: str, data: bytes, compiled: bool = True, precision: str = FLOAT32.name
    ) -> None:
        try:
            model = read_model(data)
        except Refused as refusal:
            raise _refusal(source, refusal) from None
        except Exception:  # the bytes may be anything
            raise SpecificationError(f"{source} is not an ONNX file, or is damaged") from None
        metadata = self.metadata = _metadata(source, model)
        fields = _read_metadata(source, metadata)
        super().__init__(
            source,
            _read_game(source, fields),
            fields["kind"],
            fields["value"],
            hashlib.sha256(data).hexdigest(),
        )
        self.data = data
        self.discount: float = _read_discount(source, metadata)
        self.has_policy: bool = metadata.get(_POLICY) != "none"
        self._check_signature(model)
        self._compiled, self._precision = compiled, precision
        self._others: dict[str, OnnxNetwork] = {}  # by precision
        self._runner: NetworkRunner | None = None
        reason = ""
        self.evaluator: str = f"compiled kernel, {precision}"
        if compiled:
            try:
                self._runner = compiled_runner(model, self.game, precision)
            except Refused as refusal:
                raise _refusal(source, refusal) from None
            except Invalid as fault:
                raise SpecificationError(
                    f"the policy {source} cannot be evaluated: {plain_text(str(fault))}"
                ) from None
            except Unsupported as missing:
                reason = f", since the kernel does not support {missing}"
                if precision != FLOAT32.name:
                    raise SpecificationError(
                        f"the policy {source} is evaluated in {FLOAT32.name} only{reason}"
                    ) from None
        if self._runner is None:
            self.evaluator = f"onnxruntime{reason}"
            inputs = (INPUT, self.game.facts.observation_shape) if compiled else None
            self._session: Any = open_session(source, data, inputs, reason)
        self._check_outputs()

    def _check_signature(self, model: Model) -> None:
        """Refuse a model whose input and outputs do not match its game."""
        shape = list(self.game.facts.observation_shape)
        inputs = [(name, kind, sizes[1:]) for name, kind, sizes in model.inputs]
        if inputs != [(INPUT, FLOAT, shape)] or sorted(model.outputs) != sorted(OUTPUTS):
            signature = ", ".join(f"{name} {sizes}" for name, _, sizes in inputs)
            raise SpecificationError(
                f"the policy {self.source} does not fit its game {self.game.spec}: it takes "
                f"{signature} and gives {', '.join(model.outputs)}; "
                f"expected {INPUT} {shape} and {', '.join(OUTPUTS)}"
            )

    def _check_outputs(self) -> None:
        """Evaluate observations; refuse outputs whose shape or type does not match its game."""
        for count in (2, 1):
            self._check_batch(count)

    def _check_batch(self, count: int) -> None:
        shape, actions = self.game.facts.observation_shape, self.game.facts.num_actions
        try:
            logits, values = self.run(np.zeros((count, *shape), np.float32))
        except Exception as error:  # onnxruntime's errors have no common base class
            raise SpecificationError(
                f"the policy {self.source} cannot be evaluated: {first_line(error)}"
            ) from None
        if (
            logits.shape != (count, actions)
            or values.shape != (count,)
            or logits.dtype != np.float32
            or values.dtype != np.float32
        ):
            raise SpecificationError(
                f"the policy {self.source} does not fit its game {self.game.spec}: for "
                f"{count} positions it gives logits of shape {logits.shape} "
                f"({logits.dtype}) and values of shape {values.shape} ({values.dtype}), not "
                f"{(count, actions)} and {(count,)} (float32)"
            )
        self._check_finite(logits, values)

    def compiled(self) -> CompiledNetwork | None:
        return None if self._runner is None else self._runner.own_network()

    def _model(self) -> Model:
        """The graph of the file, on the board of the game."""
        own = _read_game(self.source, _read_metadata(self.source, self.metadata))
        model = read_model(self.data)
        return model if _shape(own) == _shape(self.game) else on_board(model, own, self.game)

    def as_module(self) -> Any:
        from .torch_graph import module_of  # torch takes seconds to import

        return module_of(self._model(), self.game) if self._precision == FLOAT32.name else None

    def run(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        shape = self.game.facts.observation_shape
        if observations.shape[1:] != shape:
            raise SpecificationError(
                f"the policy {self.source} takes observations of shape {shape}, not "
                f"{observations.shape[1:]}"
            )
        if self._runner is not None:
            return self._runner(observations)
        logits, values = self._session.run(list(OUTPUTS), {INPUT: observations})
        return logits, values

    def in_precision(self, precision: str) -> OnnxNetwork:
        if precision == self._precision or (precision == AUTO and self._runner is None):
            return self
        if precision == AUTO:
            return self.in_precision(fastest_precision(self._model(), self.game).precision)
        if precision not in self._others:
            network = OnnxNetwork(self.source, self.data, self._compiled, precision)
            self._others[precision] = network.playing(self.game)
        return self._others[precision]

    def write(self, path: str | Path) -> None:
        """Write a copy of the policy file."""
        write_policy(Path(path), self.data)

    def playing(self, game: Game) -> OnnxNetwork:
        """The same network for another game with the same observations and actions.

        Its values are clipped to the returns of that game. A network whose weights fit any board
        plays other boards too, where the kernel evaluates it.

        Raises:
            SpecificationError: it does not fit the game.
        """
        other = copy.copy(self)
        other.game, other._others = game, {}
        if _shape(game) != _shape(self.game):
            if self._runner is None:
                self.check_game(game)
            model = on_board(read_model(self.data), self.game, game)
            try:
                other._runner = compiled_runner(model, game, self._precision)
            except (Unsupported, Refused):
                self.check_game(game)
            other._check_outputs()
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.game.spec, self.source, self.data, self._compiled, self._precision)


def _shape(game: Game) -> tuple[Any, ...]:
    return game.facts.observation_shape, game.facts.num_actions


def _restore(spec: str, *arguments: Any) -> OnnxNetwork:
    """The unpickled network, for the game that it played."""
    network, game = OnnxNetwork(*arguments), make_game(spec)
    return network if network.game == game else network.playing(game)


def load_policy_file(source: str | Path) -> OnnxNetwork:
    """Read a policy file.

    Args:
        source: its path, the folder of a training run, whose best policy is read, or
            ``NAME://…``, which a package registered for the name fetches.

    Raises:
        SpecificationError: the file is missing or damaged, cannot be fetched, or is for a game
            whose rules differ from those of this version.
    """
    name, slashes, _ = str(source).partition(SCHEME_END)
    if slashes:
        path = _SOURCES.get(name)(str(source))
    else:
        path = Path(source)
    if path.suffix == ".zip":
        raise SpecificationError(
            f"{path} is no policy file; a model of stable-baselines3 is played by "
            f"sb3:{path},trained_on=GAME, and made a policy file by plyground export-policy"
        )
    with refusing(OSError, f"the policy file {str(source)!r} cannot be read"):
        if not slashes and path.is_dir():
            if not (path / BEST).is_file():
                raise SpecificationError(
                    f"the folder {path} has no {BEST}: it holds no training run, or one that has "
                    f"not been evaluated yet"
                )
            source = path = path / BEST
        if not path.exists():
            raise SpecificationError(f"there is no policy file or training run {str(source)!r}")
        data = read_file(path, MOST_BYTES)
    return OnnxNetwork(str(source), data)


def write_policy(path: Path, data: bytes) -> None:
    """Write the content of a policy file.

    Raises SpecificationError if it cannot be written; a file that was there before is then
    unchanged.
    """
    with (
        refusing(OSError, f"the policy file {path} cannot be written"),
        written_whole(path) as file,
    ):
        file.write(data)


def _refusal(source: str, refusal: Refused) -> SpecificationError:
    return SpecificationError(f"the policy {source} is not played: {plain_text(str(refusal))}")


def _metadata(source: str, model: Model) -> dict[str, str]:
    try:
        return {name.decode(): text.decode() for name, text in model.metadata.items()}
    except UnicodeDecodeError:
        raise SpecificationError(
            f"{source} is not a policy of plyground: its metadata is not text in UTF-8"
        ) from None


def _read_metadata(source: str, metadata: Mapping[str, str]) -> dict[str, str]:
    fields = {name: metadata[_PREFIX + name] for name in _FIELDS if _PREFIX + name in metadata}
    if "format" not in fields:
        raise SpecificationError(
            f"{source} is an ONNX file, but not a policy of plyground (its metadata state no "
            f"{_PREFIX}format): export the model by plyground.training.export_policy, or play it "
            f"by a function policy(observation, info) that runs it"
        )
    if fields["format"] != FORMAT:
        raise SpecificationError(
            f"{source} is a policy file of format {fields['format']!r}, this plyground reads "
            f"{FORMAT!r}"
        )
    missing = [_PREFIX + name for name in _FIELDS if name not in fields]
    if missing or fields["value"] not in VALUES:
        raise SpecificationError(
            f"the metadata of the policy file {source} lack "
            f"{', '.join(missing) or f'a known {_PREFIX}value'}"
        )
    return fields


def _read_discount(source: str, metadata: Mapping[str, str]) -> float:
    text = metadata.get(_DISCOUNT, "1")
    try:
        discount: float = read_number(text, float)
    except ValueError:
        discount = 0.0
    if not 0.0 < discount <= 1.0:
        raise SpecificationError(
            f"the policy file {source} states {_DISCOUNT} = {text!r}; it is a number above 0, at "
            f"most 1"
        )
    return discount


def _read_game(source: str, fields: Mapping[str, str]) -> Game:
    complaint = f"the policy {source} is for {fields['game']}, which cannot be played here"
    with refusing(SpecificationError, complaint):
        return game_of_file(fields["game"], fields["rules"])
