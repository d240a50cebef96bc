"""Kernels that only kernels call: linked into their callers, and whole once Python calls them."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from plyground.envs.compiled.kernels import inner_kernel, kernel


@inner_kernel
def twice(x):
    return 2 * x


@kernel
def total(array):
    result = 0.0
    for x in array:
        result += twice(x)
    return result


@kernel
def first_of(array):
    if array[0] > 5:
        raise ValueError("too large")
    print(array)
    return array[0]


@kernel
def next_to_first_of(array):
    return first_of(array) + 1


def test_a_kernel_that_only_kernels_call_is_not_compiled_whole():
    assert total(np.array([1.0, 2.5])) == 7.0
    assert not twice.overloads
    assert twice(1.5) == 3.0
    assert len(twice.overloads) == 1
    assert total(np.array([1, 2])) == 6.0  # linked for other types after it was called


def test_linked_code_raises_errors_and_prints_as_called_code_does(capfd):
    assert next_to_first_of(np.arange(3)) == 1
    assert capfd.readouterr().out == "[0 1 2]\n"
    with pytest.raises(ValueError, match="too large"):
        next_to_first_of(np.arange(7, 9))


def test_what_is_loaded_from_disk_is_only_the_kernel_that_python_calls(tmp_path):
    (tmp_path / "sums.py").write_text(
        textwrap.dedent(
            """
            import numpy as np
            from plyground.envs.compiled.kernels import kernel

            @kernel
            def twice(x):
                return 2 * x

            @kernel
            def total(array):
                result = 0.0
                for x in array:
                    result += twice(x)
                return result

            print(total(np.ones(3)), len(total._cache_hits), len(twice._linked))
            """
        )
    )
    for printed in ("6.0 0 1", "6.0 1 0"):
        done = subprocess.run(
            [sys.executable, "sums.py"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == printed
