"""Long tables: a page shows some of their rows and links all of them as a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

MOST_ROWS = 5  # of a table that a page shows whole
FIRST_ROWS = 3  # that it shows of a longer one


def csv_text(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table as CSV, its cells as pages write them."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([headings, *rows])
    return text.getvalue()
