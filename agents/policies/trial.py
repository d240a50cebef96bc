"""The fastest precision of a network, by a trial on this processor.

The processor's flags are not enough: some multiply bfloat16 slower than float32. The times are
cached with the machine code of the network's kernel. So the same network always gets the same
precision, and a run is reproducible by its seed on this machine.

In int8 a network's outputs may change. The error is measured as on the model cards of the zoo: in
the probabilities of legal actions, and in values, in positions of random games. All networks of the
zoo stay below :data:`MOST_ERROR` on average.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
from numba.core.registry import cpu_target

from ...envs.compiled.cache import cache_root, source_fingerprint
from ...envs.game import Game
from ...envs.loading.files import written_whole
from ...envs.loading.records import Range, check_value, read_json
from ...envs.specification import SpecificationError
from .compiled import evaluation
from .compiled.model_file import Model
from .compiled.runner import NetworkRunner, compiled_runner, sample_of
from .compiled.words import FLOAT32, INT8, PRECISIONS
from .prediction import masked_softmax

AUTO = "auto"  # the precision that a trial chooses
TRIALS = "precisions.json"
POSITIONS, TURNS = 32, 8  # batch size, repetitions; the fastest repetition counts
MOST_ERROR = 0.1  # in probabilities, and in values as a share of the greatest return
Microseconds = Annotated[float, Range(low=0)]


class Trial(NamedTuple):
    """The result of a trial.

    Attributes:
        precision: the fastest, not int8 if its error is too large.
        microseconds: time for a position, in each precision that the processor supports.
    """

    precision: str
    microseconds: Mapping[str, float]

    def __str__(self) -> str:
        times = ", ".join(f"{name} {time:.1f}" for name, time in self.microseconds.items())
        return f"{self.precision} (µs a position: {times})"


def fastest_precision(model: Model, game: Game) -> Trial:
    """The precision that suits a network here.

    Raises:
        Refused, Invalid, Unsupported: as :func:`.compiled.runner.compiled_runner`.
    """
    runners = {
        name: compiled_runner(model, game, name)
        for name, precision in PRECISIONS.items()
        if precision.is_possible
    }
    file, key = _file(), _key(model, game)
    trials = _read(file)
    times = trials.get(key, {})
    if times.keys() != runners.keys():
        times = trials[key] = _measure(runners, game)
        with (
            contextlib.suppress(OSError),
            written_whole(file) as stream,
        ):  # else it is measured again
            stream.write(json.dumps(trials, indent=1).encode())
    names = sorted(times, key=times.__getitem__)
    if INT8.name in names and not is_near(runners[FLOAT32.name], runners[INT8.name], game):
        names.remove(INT8.name)
    return Trial(names[0], times)


def is_near(exact: NetworkRunner, rounded: NetworkRunner, game: Game) -> bool:
    """Whether a rounded network's outputs are close to those in float32."""
    (observations, masks), facts = sample_of(game), game.facts
    (logits, values), (near_logits, near_values) = exact(observations), rounded(observations)
    differences = np.abs(masked_softmax(logits, masks) - masked_softmax(near_logits, masks))
    greatest = max(-facts.min_return, facts.max_return)
    value_error = float(np.abs(values - near_values).mean()) / greatest
    return max(float(differences.max(axis=1).mean()), value_error) <= MOST_ERROR


def _measure(runners: Mapping[str, NetworkRunner], game: Game) -> dict[str, float]:
    """Microseconds for a position, of each; measured in turns."""
    observations = sample_of(game)[0][:POSITIONS]
    seconds = dict.fromkeys(runners, math.inf)
    for _ in range(TURNS):
        for name, run in runners.items():
            began = time.perf_counter()
            run(observations)
            seconds[name] = min(seconds[name], time.perf_counter() - began)
    return {name: round(1e6 * each / POSITIONS, 3) for name, each in seconds.items()}


def _file() -> Path:
    """Where trials are kept: in the folder of the kernel's machine code."""
    return cache_root() / source_fingerprint(Path(evaluation.__file__).resolve()) / TRIALS


def _read(file: Path) -> dict[str, dict[str, float]]:
    """The times by key; none where the file is missing or damaged."""
    with contextlib.suppress(SpecificationError):
        trials: dict[str, dict[str, float]] = read_json(file)
        check_value(trials, dict[str, dict[str, Microseconds]], str(file))
        return trials
    return {}


def _key(model: Model, game: Game) -> str:
    """The key of the times: the processor as numba names it, the layers and their sizes."""
    processor = cpu_target.target_context.codegen().magic_tuple()
    nodes = [(node.op_type, sorted(node.attributes.items())) for node in model.nodes]
    constants = [
        (name, each if isinstance(each, bytes) else each.shape)
        for name, each in sorted(model.constants.items())
    ]
    text = repr((processor, game.spec, nodes, constants))
    return hashlib.sha256(text.encode()).hexdigest()[:20]
