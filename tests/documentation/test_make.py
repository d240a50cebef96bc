"""The Makefile's installs: continuous integration tries each of them alone."""

from __future__ import annotations

import re

from helpers import ROOT

STAMP = re.compile(r"^([\w-]+): \$\(VENV\)/(installed[\w-]*)$", re.MULTILINE)


def test_each_install_is_tried_alone():
    """That of the site in every run, before the others; that for GPUs after them; these in turn."""
    stamp_of = dict(STAMP.findall((ROOT / "Makefile").read_text("utf-8")))
    text = (ROOT / ".ci" / "run").read_text("utf-8")
    alone = re.search(r"^alone=\((.*)\)$", text, re.MULTILINE)[1].split()
    always = re.findall(r"^make ([\w-]+)", text, re.MULTILINE)
    first, last = always[0], always[-1]
    assert {stamp_of[target] for target in [first, *alone, last]} == set(stamp_of.values())
    assert len(set(stamp_of.values())) == 4
