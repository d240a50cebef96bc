"""What generated pages share: their templates, and tables."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jinja2
from plyground.envs.specification import Parameter


def parameter_table(parameters: Iterable[Parameter]) -> str:
    """Parameters with their defaults, limits and meaning, as a Markdown table."""
    rows = [
        f"| `{p.name}` | {default(p)} | {escape(p.allowed())} | {escape(p.help)} |"
        for p in parameters
    ]
    return "\n".join(["| parameter | default | allowed | meaning |", "|---|---|---|---|", *rows])


def default(parameter: Parameter) -> str:
    """The default as it is written in a specification; nothing where there is none."""
    if parameter.default is None:
        return ""
    if isinstance(parameter.default, bool):
        return "`yes`" if parameter.default else "`no`"
    return f"`{parameter.default}`" if parameter.default != "" else ""


def escape(text: str) -> str:
    """A text that may stand in a cell of a table."""
    return text.replace("|", "\\|").replace("<", "&lt;")


def render(page: str, **values: Any) -> str:
    """A page of its template in this folder."""
    loader = jinja2.FileSystemLoader(Path(__file__).parent)
    environment = jinja2.Environment(
        loader=loader,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {"escaped": escape, "parameter_table": parameter_table}
    return environment.get_template(f"{page}.j2").render(values)
