"""The display of objects in notebooks: a picture of a board above a table, as HTML."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

T = TypeVar("T", bound=tuple[Any, ...])
PICTURE_WIDTH = 260  # pixels


def html_table(
    rows: Iterable[Sequence[Any]],
    head: Sequence[str] = (),
    caption: str = "",
    picture: str = "",
    notes: Iterable[object] = (),
) -> str:
    """A table as plain HTML without styles.

    Args:
        rows: the cells of each row; their texts are escaped, numbers are written to three digits.
        head: the headings of the columns; without them the first cell of each row is a heading.
        caption: a sentence above the table.
        picture: an SVG element above both.
        notes: sentences below the table.
    """
    lines = [_line("th", head)] if head else []
    for first, *others in rows:
        lines.append(_line("td", (first, *others)) if head else _line("td", others, first))
    board = f'<div style="width:{PICTURE_WIDTH}px">{picture}</div>' if picture else ""
    said = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    below = "".join(f"<p>{_cell(note)}</p>" for note in notes)
    return f"<div>{board}<table>{said}<tbody>{''.join(lines)}</tbody></table>{below}</div>"


def _line(tag: str, cells: Iterable[Any], heading: Any = None) -> str:
    first = "" if heading is None else f"<th>{_cell(heading)}</th>"
    return f"<tr>{first}{''.join(f'<{tag}>{_cell(cell)}</{tag}>' for cell in cells)}</tr>"


def _cell(value: Any) -> str:
    text = "" if value is None else f"{value:.3g}" if isinstance(value, float) else str(value)
    return html.escape(text)


class ResultList(list[T]):
    """Results of one kind, each a NamedTuple; notebooks show them as a table."""

    def _repr_html_(self) -> str:
        head = [name.replace("_", " ") for name in getattr(next(iter(self), None), "_fields", ())]
        return html_table(self, head)
