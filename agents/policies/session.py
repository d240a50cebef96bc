"""Sessions of onnxruntime, for policy files that the kernel does not evaluate.

A computation of onnxruntime can be neither interrupted nor bounded, and a crafted file can take
hours, exhaust the memory or crash it. So a separate process loads a file first. Without control
flow all positions take the same time: a file that passes there can be evaluated here.
"""

from __future__ import annotations

import os
import signal
import sys
from subprocess import PIPE, TimeoutExpired
from typing import Any

from ...envs.specification import SpecificationError, plain_text, refusing
from ...envs.workers.children import ChildProcess

MOST_SECONDS, MOST_MEMORY = 30, 8 << 30  # limits of the trial; memory in bytes
# run with the input's name and the shape of an observation, the file as standard input
_TRIAL = f"""
import contextlib, sys
with contextlib.suppress(ImportError, OSError, ValueError):  # not every system has limits
    import resource
    resource.setrlimit(resource.RLIMIT_AS, ({MOST_MEMORY}, {MOST_MEMORY}))
import numpy, onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
options.log_severity_level = 4
data, name, shape = sys.stdin.buffer.read(), sys.argv[1], [*map(int, sys.argv[2:])]
try:
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    for count in (1, 2):
        session.run(None, {{name: numpy.zeros((count, *shape), numpy.float32)}})
except Exception as error:
    print((str(error).strip() or type(error).__name__).splitlines()[0])
"""


def open_session(
    source: str, data: bytes, inputs: tuple[str, tuple[int, ...]] | None, reason: str
) -> Any:
    """A session on one thread.

    Args:
        source: where the policy file comes from, for messages.
        data: its content.
        inputs: name and shape of an observation, for the trial in a separate process; None for no
            trial.
        reason: why the kernel does not evaluate it, for the error if onnxruntime is missing.

    Raises:
        SpecificationError: onnxruntime is missing or refuses the file; or the trial exceeds its
            time or memory, or crashes.
    """
    needs = f'the policy {source} needs onnxruntime{reason}: pip install "plyground[policy]"'
    with refusing(ImportError, needs):
        import onnxruntime
    if inputs is not None:
        _try(source, data, *inputs)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # errors are raised anyway
    # onnxruntime's errors have no class in common
    with refusing(Exception, f"the policy {source} cannot be evaluated"):
        return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def _try(source: str, data: bytes, name: str, shape: tuple[int, ...]) -> None:
    command = [sys.executable, "-c", _TRIAL, name, *map(str, shape)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with ChildProcess(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment) as trial:
        try:
            output, errors = trial.communicate(data, MOST_SECONDS)
        except TimeoutExpired:
            raise SpecificationError(
                f"the policy {source} is not played: onnxruntime has not evaluated it after "
                f"{MOST_SECONDS} seconds"
            ) from None
        finally:
            if trial.returncode is None:
                trial.kill_all()
    lines = output.decode(errors="replace").strip().splitlines()
    if lines:
        raise SpecificationError(
            f"the policy {source} cannot be evaluated: {plain_text(lines[-1])}"
        )
    if trial.returncode:
        said = errors.decode(errors="replace").strip().splitlines() or [""]
        ended = trial.returncode
        way = signal.Signals(-ended).name if ended < 0 else plain_text(said[-1])
        raise SpecificationError(f"the policy {source} is not played: it ends onnxruntime, {way}")
