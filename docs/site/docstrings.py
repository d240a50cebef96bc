"""Docstrings as Markdown: roles such as ``:func:`` become code."""

from __future__ import annotations

import re
from typing import Any

import griffe


class Roles(griffe.Extension):
    """Rewrites each docstring of the API reference before it is parsed."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """An object has been loaded."""
        if obj.docstring is not None:
            obj.docstring.value = plain(obj.docstring.value)


def plain(text: str) -> str:
    """A docstring as Markdown: double backticks become single ones, roles become code."""
    text = re.sub(r":\w+:`~?\.?([^`]+)`", r"`\1`", text)
    return text.replace("``", "`")
