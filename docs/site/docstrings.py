"""Docstrings as Markdown for the API reference: roles such as ``:func:`` become code."""

from __future__ import annotations

from typing import Any

import griffe
from game_pages import plain


class Roles(griffe.Extension):
    """Rewrites each docstring before it is parsed."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """An object has been loaded."""
        if obj.docstring is not None:
            obj.docstring.value = plain(obj.docstring.value)
