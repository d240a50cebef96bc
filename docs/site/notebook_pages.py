"""Notebooks as pages, with the outputs that they were saved with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat


def notebook_pages(folder: Path) -> dict[str, str]:
    """Contents of the pages, by their places in the site."""
    return {
        f"notebooks/{path.stem}.md": as_page(nbformat.read(path, as_version=4))
        for path in sorted(folder.glob("*.ipynb"))
    }


def as_page(notebook: Any) -> str:
    """A notebook as Markdown."""
    parts = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
        elif cell.cell_type == "code":
            parts.append(f"```python\n{cell.source}\n```")
            parts += [part for output in cell.outputs if (part := as_text(output))]
    return "\n\n".join(parts)


def as_text(output: Any) -> str:
    """One output of a cell: what it shows as a page, a picture, or text."""
    if output.output_type == "stream":
        return f'```text title="output"\n{output.text.rstrip()}\n```'
    data = output.get("data", {})
    if "text/html" in data:
        # on one line: Markdown ends a block of HTML at an empty one
        html = data["text/html"].strip().replace("\n", "&#10;")
        return f'<div class="output">{html}</div>'
    if "image/svg+xml" in data:
        return f'<div class="output">{" ".join(data["image/svg+xml"].split())}</div>'
    if "image/png" in data:
        png = data["image/png"].strip().replace("\n", "")
        return f'<div class="output"><img alt="" src="data:image/png;base64,{png}"></div>'
    if "text/plain" in data:
        return f'```text title="output"\n{data["text/plain"].rstrip()}\n```'
    return ""
