"""Device, precision and number of threads for networks."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

try:
    import torch
except ImportError as error:
    raise ImportError('training needs torch: pip install "plyground[train]"') from error

from ..envs.specification import Parameter, SpecificationError

DEVICES = "auto, cpu, cuda, cuda:0, cuda:1, …"
THREADS = Parameter("threads", int, 1, "Threads for the learner's network.", low=1)


def choose_device(name: str) -> torch.device:
    """The device of a name; ``auto`` is a GPU if torch has one.

    Raises:
        SpecificationError: no such name, or torch has no such device here.
    """
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if name == "auto":
        name = "cuda" if count else "cpu"
    match = re.fullmatch(r"cpu|cuda(?::([0-9]{1,3}))?", name)
    if match is None:
        raise SpecificationError(f"device={name} is not possible; it is one of {DEVICES}")
    if name != "cpu" and int(match[1] or 0) >= count:
        raise SpecificationError(
            f"device={name} is not possible: torch {torch.__version__} finds {count} GPUs here"
        )
    return torch.device(name)


def _processor_has_bfloat16() -> bool:
    """Whether the processor has bfloat16 multiplication, faster than float32."""
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return False
    return "avx512_bf16" in flags or "amx_bf16" in flags


def use_bfloat16(precision: str, device: torch.device) -> bool:
    """Whether products are computed in bfloat16; by default where that is faster."""
    if precision in ("bfloat16", "float32"):
        return precision == "bfloat16"
    return device.type == "cuda" or _processor_has_bfloat16()


@contextlib.contextmanager
def torch_threads(number: int) -> Iterator[None]:
    """Set torch's number of threads during the body, and restore it afterwards.

    Raises:
        SpecificationError: the number is not positive.
    """
    number, before = THREADS.convert(number, "a training run"), torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)
