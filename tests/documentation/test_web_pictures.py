"""The pictures of the pages in the docs look like the pages."""

from __future__ import annotations

import re
import runpy

import pytest
from helpers import ROOT
from pages import chromium
from PIL import Image, ImageDraw

PICTURES = runpy.run_path(str(ROOT / "examples" / "web_pictures.py"))


def test_every_picture_is_shown_and_every_shown_picture_is_taken():
    text = (ROOT / "docs" / "extras" / "web.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"\(web/(\w+)\.png\)", text))
    files = {path.stem for path in (ROOT / "docs" / "extras" / "web").glob("*.png")}
    assert shown == files == set(PICTURES["PICTURES"])


def test_pictures_of_other_pages_differ():
    page = Image.open(ROOT / "docs" / "extras" / "web" / "play.png")
    assert not PICTURES["differ"](page, page)
    changed = page.convert("RGB")
    ImageDraw.Draw(changed).rectangle((100, 100, 400, 300), "#808080")
    assert PICTURES["differ"](page, changed)
    assert PICTURES["differ"](page, page.resize((640, 430)))


@pytest.mark.slow
def test_no_picture_is_stale():
    with chromium() as browser, PICTURES["served"]() as address:
        assert PICTURES["stale"](browser, address) == []
