"""Kernels that only kernels call: linked into their callers, and whole once Python calls them."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from helpers import run_python
from numba.core.event import trigger_event
from plyground.envs.compiled.kernels import inner_kernel, kernel

pytestmark = pytest.mark.thorough


@inner_kernel
def twice(x):
    return 2 * x


@kernel
def total(array):
    result = 0.0
    for x in array:
        result += twice(x)
    return result


def test_a_kernel_that_only_kernels_call_is_not_compiled_whole():
    assert total(np.array([1.0, 2.5])) == 7.0
    assert not twice.overloads
    assert twice(1.5) == 3.0
    assert len(twice.overloads) == 1
    assert total(np.array([1, 2])) == 6.0  # linked for other types after it was called


def test_linked_code_raises_errors_and_prints_as_called_code_does(tmp_path):
    """In a process of its own: Ray puts another ``print`` into this one, which is not compiled."""
    (tmp_path / "first.py").write_text(
        textwrap.dedent(
            """
            import numpy as np
            from plyground.envs.compiled.kernels import kernel

            @kernel
            def first_of(array):
                if array[0] > 5:
                    raise ValueError("too large")
                print(array)
                return array[0]

            @kernel
            def next_to_first_of(array):
                return first_of(array) + 1

            print(next_to_first_of(np.arange(3)))
            try:
                next_to_first_of(np.arange(7, 9))
            except ValueError as error:
                print(error)
            """
        )
    )
    for _ in ("compiled", "loaded"):
        assert run_python("first.py", folder=tmp_path) == "[0 1 2]\n1\ntoo large\n"


KERNELS = """
import numpy as np
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
"""
# every name that linking.py imports of numba is missing in turn, for that file only
WITHOUT_EACH_NAME = """
import ast, builtins, importlib, sys, pathlib
import numba, numpy as np
from plyground.envs.compiled import linking, kernels

statements = ast.walk(ast.parse(pathlib.Path(linking.__file__).read_text()))
names = [(s.module, a.name) for s in statements if isinstance(s, ast.ImportFrom)
         for a in s.names if (s.module or "").startswith("numba")]
assert len(names) > 8
plain_import = builtins.__import__

def import_with_missing_name(name, globals=None, locals=None, fromlist=(), level=0):
    inside = (globals or {}).get("__name__") == linking.__name__
    if inside and (name, missing[1]) == missing and missing[1] in fromlist:
        raise ImportError(f"cannot import name {missing[1]!r} from {name!r}")
    return plain_import(name, globals, locals, fromlist, level)

builtins.__import__ = import_with_missing_name
for missing in names:
    for module in [m for m in sys.modules if m in (linking.__name__, kernels.__name__, "sums")]:
        del sys.modules[module]
    again = importlib.import_module(kernels.__name__)
    assert again.KernelDispatcher is None, missing
    assert importlib.import_module("sums").total(np.arange(3.0)) == 6.0
"""
# an inner name is missing once a kernel is linked
WITHOUT_LINKING = """
import numpy as np
from plyground.envs.compiled import linking

def renamed(library):
    raise AttributeError("'CPUCodeLibrary' object has no attribute '_final_module'")

linking._link_in = linking._set_environments = renamed
import sums
print(sums.total(np.arange(3.0)), len(sums.twice._linked), len(sums.twice.overloads))
from plyground import make_game
from plyground.envs.conformance.perft import perft
start = make_game("tic_tac_toe").initial_position()
print(perft(start, 3))
"""


PRINTED = """
import sys
print(total(np.ones(3)), len(total._cache_hits), len(twice._linked))
print("numba.np.linalg" in sys.modules, "numba.np.arrayobj" in sys.modules)
"""


def test_what_is_loaded_from_disk_is_only_the_kernel_that_python_calls(tmp_path):
    """It loads what numba compiles with as little."""
    (tmp_path / "sums.py").write_text(KERNELS + PRINTED)
    for printed in ("6.0 0 1\nTrue True\n", "6.0 1 0\nFalse False\n"):
        assert run_python("sums.py", folder=tmp_path) == printed


@pytest.mark.parametrize(
    ("script", "printed"),
    [(WITHOUT_EACH_NAME, ""), (WITHOUT_LINKING, "6.0 0 1\n504\n")],
    ids=["at import", "later"],
)
def test_kernels_run_with_a_numba_whose_inner_names_are_others(script, printed, tmp_path):
    (tmp_path / "sums.py").write_text(KERNELS)
    environment = os.environ | {"PLYGROUND_CACHE": str(tmp_path / "cache")}
    result = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (result.stderr.partition("Traceback")[2], result.stdout) == ("", printed)


@pytest.mark.parametrize("enabled", [True, False])
def test_unreachable_cycles_are_not_searched_for_while_something_is_compiled(enabled):
    before = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        with trigger_event("numba:compile"):
            with trigger_event("numba:compile"):  # of a kernel that this one calls
                pass
            assert not gc.isenabled()
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if before else gc.disable)()
