"""Deprecated names warn for two minor versions, and are gone after them."""

from __future__ import annotations

import ast
import inspect

import plyground
import pytest
from helpers import ROOT
from plyground.envs.loading.deprecation import deprecated, removal


@deprecated("1.2", instead="plyground.make_game")
def old_name(game: str, *, size: int = 3) -> tuple[str, int]:
    """What it is."""
    return game, size


def test_a_deprecated_function_names_its_successor_and_its_end():
    with pytest.warns(DeprecationWarning, match="old_name") as warnings:
        assert old_name("hex", size=5) == ("hex", 5)
    (warning,) = warnings
    assert str(warning.message) == (
        "old_name is deprecated since plyground 1.2 and is removed in 1.4; use plyground.make_game"
    )
    assert warning.filename == __file__  # the caller's line, not the decorator's


def test_it_keeps_its_signature_and_its_words():
    parameters = inspect.signature(old_name).parameters
    assert (list(parameters), parameters["size"].default) == (["game", "size"], 3)
    assert (old_name.__name__, old_name.__doc__) == ("old_name", "What it is.")


@pytest.mark.parametrize(("since", "end"), [("1.0", "1.2"), ("1.9", "1.11"), ("2.3", "2.5")])
def test_two_minor_versions_pass(since, end):
    assert removal(since) == end


def deprecations(source: str) -> list[tuple[str, str]]:
    """(name, version that deprecates it) of each function under the decorator."""
    return [
        (node.name, decorator.args[0].value)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "deprecated"
    ]


def overdue(names: list[tuple[str, str]], version: str) -> list[str]:
    """Those that the version should no longer have."""
    now = tuple(int(part) for part in version.split(".")[:2])
    return [
        name for name, since in names if tuple(int(p) for p in removal(since).split(".")) <= now
    ]


def test_names_that_are_overdue_are_recognised():
    names = deprecations(inspect.getsource(inspect.getmodule(old_name)))
    assert names == [("old_name", "1.2")]
    assert overdue(names, "1.3.9") == []
    assert overdue(names, "1.4.0") == overdue(names, "2.0.0") == ["old_name"]


def test_the_package_has_no_name_that_is_overdue():
    folders = ("agents", "commands", "envs", "evaluation", "training", "web")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    names = [entry for path in files for entry in deprecations(path.read_text("utf-8"))]
    assert len(files) > 100
    assert overdue(names, plyground.__version__) == []
