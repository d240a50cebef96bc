"""The Makefile's installs: continuous integration tries each of them alone."""

from __future__ import annotations

import re

from helpers import ROOT

STAMP = re.compile(r"^([\w-]+): \$\(VENV\)/(installed[\w-]*)$", re.MULTILINE)


def test_each_install_is_tried_alone_once_a_week():
    stamp_of = dict(STAMP.findall((ROOT / "Makefile").read_text("utf-8")))
    text = (ROOT / ".ci" / "run").read_text("utf-8")
    alone = re.search(r"for target in (.*); do\n.*\n *make VENV=", text)
    assert {stamp_of[target] for target in alone[1].split()} == set(stamp_of.values())
    assert len(set(stamp_of.values())) == 3


def test_the_site_is_built_by_what_its_own_install_brings():
    """In the ordinary run no other install comes before."""
    text = (ROOT / ".ci" / "run").read_text("utf-8")
    assert re.findall(r"^make ([\w-]+)$", text, re.MULTILINE)[0] == "docs"
