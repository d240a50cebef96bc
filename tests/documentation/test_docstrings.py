"""Docstrings name only what there is: arguments, attributes, and identifiers between backticks."""

from __future__ import annotations

import ast
import functools
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import ROOT

# Each folder with those whose names its docstrings may use.
FOLDERS = {
    "envs": ("envs",),
    "agents": ("agents", "envs"),
    "training": ("training", "agents", "envs"),
    "evaluation": ("evaluation", "agents", "envs"),
    "commands": ("commands", "training", "evaluation", "agents", "envs"),
    "extras": ("extras", "commands", "training", "evaluation", "agents", "envs"),
}
SECTION = re.compile(r"^(\w+):\n((?:(?: {4}.*)?\n)+)", re.MULTILINE)
ENTRY = re.compile(r"^ {4}(\S[^:]*):(?= |$)", re.MULTILINE)
IDENTIFIER = re.compile(r"(?<!:)``([a-z_][a-z_0-9]*)``")
# What other programs define, parts of names, keys of files, ids that are made at run time.
OTHER_NAMES = {
    *("api_test", "qtransform_completed_by_mix_value", "taskset"),
    *("_v0", "connect_four_v0", "hex_v0", "ddec", "quality"),
}
Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@functools.cache
def trees(folder: str) -> dict[str, ast.Module]:
    return {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted((ROOT / folder).rglob("*.py"))
    }


@functools.cache
def identifiers(folder: str) -> set[str]:
    """All names of the code of a folder, and the words of its strings, docstrings left out."""
    names: set[str] = {Path(path).stem for path in trees(folder)}
    for tree in trees(folder).values():
        prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            for field in ("id", "attr", "arg", "name", "asname", "module"):
                if isinstance(text := getattr(node, field, None), str):
                    names |= set(text.split("."))
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if id(node) not in prose:
                    names |= set(re.findall(r"\w+", node.value))
    return names


def entries(docstring: str, title: str) -> Iterator[str]:
    """The names that a section of a docstring describes."""
    for section, body in SECTION.findall(docstring + "\n"):
        if section == title:
            for names in ENTRY.findall(body):
                yield from (name.strip().lstrip("*") for name in names.split(","))


def arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    each = function.args
    optional = [every for every in (each.vararg, each.kwarg) if every is not None]
    return {one.arg for one in (*each.posonlyargs, *each.args, *each.kwonlyargs, *optional)}


def members(cls: ast.ClassDef) -> set[str]:
    """What a class defines or sets anywhere in its body."""
    names = set()
    for node in ast.walk(cls):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.id if isinstance(node, ast.Name) else node.attr)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
    return names


def unfounded(tree: ast.AST, known: set[str]) -> Iterator[str]:
    """What docstrings name that is not there."""
    for node in ast.walk(tree):
        if (
            not isinstance(node, Documented)
            or (raw := ast.get_docstring(node, clean=False)) is None
        ):
            continue
        text, where = inspect.cleandoc(raw), f"{node.lineno} {node.name}"
        if isinstance(node, ast.ClassDef):
            made_by = [
                each
                for each in node.body
                if isinstance(each, ast.FunctionDef) and each.name in ("__init__", "__new__")
            ]
            takes = set[str]().union(*map(arguments, made_by)) if made_by else members(node)
            yield from (
                f"{where}: {n}" for n in entries(text, "Attributes") if n not in members(node)
            )
        else:
            takes = arguments(node)
            for name in IDENTIFIER.findall(text):
                if name not in known:
                    yield f"{where}: {name}"
        yield from (f"{where}: {name}" for name in entries(text, "Args") if name not in takes)


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_docstrings_name_exists(folder):
    known = OTHER_NAMES.union(*map(identifiers, FOLDERS[folder]))
    assert [
        f"{path}:{name}" for path, tree in trees(folder).items() for name in unfounded(tree, known)
    ] == []


def test_a_name_that_is_gone_is_noticed():
    text = '''
class Walk:
    """A walk.

    Args:
        steps: how many.
        speed: gone.

    Attributes:
        place: where it is.
        time: gone.
    """

    def __init__(self, steps):
        self.place = steps

    def go(self, far, *rest):
        """Go ``far``, as if ``watched``.

        Args:
            far: how far.
            rest: what follows; ``far`` is an argument, and this is prose: it has a colon.
            wide: gone.
        """
'''
    found = list(unfounded(ast.parse(text), {"far"}))
    assert [each.partition(": ")[2] for each in found] == ["time", "speed", "watched", "wide"]
