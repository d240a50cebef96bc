"""Sessions of onnxruntime, for policy files that the kernel does not evaluate.

What onnxruntime computes can neither be interrupted nor bounded, and a file can be made to take
hours, all memory, or to crash it. So a process of its own loads a file first. Without control flow
all positions take the same time: what passes there can be evaluated here.
"""

from __future__ import annotations

import os
import signal
import sys
from subprocess import PIPE, TimeoutExpired
from typing import Any

from ...envs.specification import SpecificationError, plain_text, refusing
from ...envs.workers.children import ChildProcess

MOST_SECONDS, MOST_MEMORY = 30, 8 << 30  # of the trial; bytes
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
        inputs: name and shape of an observation, for the trial in a process of its own; None for
            files that need none.
        reason: why the kernel does not evaluate it, for the error where onnxruntime is missing.

    Raises:
        SpecificationError: onnxruntime is missing or refuses the file; or the trial does not end in
            time, takes too much memory or ends its process.
    """
    needs = f'the policy {source} needs onnxruntime{reason}: pip install "plyground[policy]"'
    with refusing(ImportError, needs):
        import onnxruntime
    if inputs is not None:
        _try(source, data, *inputs)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what goes wrong is raised as well
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
