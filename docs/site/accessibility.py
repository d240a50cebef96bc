"""What the theme's pages lack for screen readers."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict

SEARCH = '<div class="md-search" data-md-component="search" role="dialog"'
SECTION = re.compile(
    r'(<nav class="md-nav" data-md-level="\d" )aria-labelledby="__nav_(\w+)_label"'
)
CONTENTS = re.compile(r'(<nav class="md-nav" aria-label="[^"]*)"')
CORNER = re.compile(r"<th((?: [^>]*)?)>\s*</th>")


def repair(html: str) -> str:
    """A page whose search, sections and tables have names.

    The search is a dialog without a name. Lists of pages are named by their titles, which two may
    share: their numbers tell them apart. A corner of a table that is empty heads nothing.
    """
    html = html.replace(SEARCH, f'{SEARCH} aria-label="Search"')
    html = SECTION.sub(lambda m: f'{m[1]}aria-label="Section {m[2].replace("_", ".")}"', html)
    numbers: dict[str, itertools.count[int]] = defaultdict(lambda: itertools.count(1))
    html = CONTENTS.sub(lambda m: f'{m[1]} ({next(numbers[m[1].lower()])})"', html)
    return CORNER.sub(r"<td\1></td>", html)
