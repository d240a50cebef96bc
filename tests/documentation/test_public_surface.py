"""What programs may import: the five packages export it, a page lists it, a file records it."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest
from helpers import ROOT

sys.path.insert(0, str(ROOT / "docs" / "site"))

import api_pages
import public_surface


@pytest.mark.parametrize("package", public_surface.PACKAGES)
def test_every_exported_name_exists_and_is_explained(package):
    module = importlib.import_module(package)
    assert sorted(set(module.__all__)) == sorted(module.__all__)
    for name in module.__all__:
        value = getattr(module, name)
        assert name.startswith("__") or not callable(value) or value.__doc__, name


def test_the_surface_is_the_one_on_record():
    assert list(public_surface.lines()) == public_surface.RECORD.read_text("utf-8").splitlines(), (
        "if the surface is meant to change: python docs/site/public_surface.py --write, and say so "
        "in the changelog"
    )


def test_the_page_lists_the_surface():
    page = api_pages.api_pages()["api/index.md"]
    names = [
        f"{package}.{name}"
        for package in public_surface.PACKAGES
        for name in importlib.import_module(package).__all__
    ]
    assert [name for name in names if f"`{name}`" not in page] == []


def test_importing_the_library_runs_nothing_of_the_command_line():
    code = "import sys, plyground; print([m for m in sys.modules if 'plyground.commands' in m])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
