"""Benchmarks and examples import what there is; most of them run for minutes."""

from __future__ import annotations

import ast
import contextlib
import importlib

import pytest
from helpers import ROOT, script

SCRIPTS = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("benchmarks", "examples")
    for path in (ROOT / folder).rglob("*.py")
)


@pytest.mark.parametrize("file", SCRIPTS)
def test_what_a_script_imports_of_the_package_exists(file):
    missing = []
    for node in ast.walk(ast.parse((ROOT / file).read_text("utf-8"))):
        module = (getattr(node, "module", None) or "") if isinstance(node, ast.ImportFrom) else ""
        # interfaces to other libraries need these libraries
        if module.partition(".")[0] != "plyground" or "adapters" in module:
            continue
        home = importlib.import_module(module)
        for name in (alias.name for alias in node.names):
            if not hasattr(home, name):
                with contextlib.suppress(ModuleNotFoundError):
                    importlib.import_module(f"{module}.{name}")
                    continue
                missing.append(f"{module}.{name}")
    assert missing == []


def test_the_page_of_comparisons_has_each_with_its_command_and_says_which_peers_are_missing():
    peers = script("benchmarks/peers.py")
    page = peers.PAGE.read_text("utf-8")
    for comparison in peers.COMPARISONS:
        assert (ROOT / "benchmarks" / comparison.command.split()[0]).is_file()
        heading = f"## {comparison.title}\n\n`python benchmarks/{comparison.command}`\n\n"
        assert heading in page
        without = comparison._replace(command="no_such_script.py", needs=("no-such-library",))
        assert list(peers.part(without))[-1] == "Not measured: no-such-library is not installed."


def test_every_mutant_can_be_applied():
    mutants = script("benchmarks/structure/mutants.py")
    assert (len(mutants.read()), mutants.problems()) == (60, [])
