"""Functions that the tests of agent processes call by name."""

from __future__ import annotations

import threading

from plyground.envs.compiled.cache import KernelCache
from plyground.envs.specification import SpecificationError


def counts_to(most, report):
    """Called in the process."""
    report(None)
    for number in range(most):
        report(number)
    return most * 2


def refuses(report):
    raise SpecificationError("this cannot be")


def hangs(report):
    report(None)
    threading.Event().wait()


def saves_a_kernel(report):
    """What the first compilation of a kernel leaves behind."""
    KernelCache.saved = True
