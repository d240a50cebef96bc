"""The page of all commands, from the command line's own help."""

from __future__ import annotations

import re

# The list of links that the site has beside every page, and what only a terminal shows.
LEFT_OUT = re.compile(r"^## Table of Contents\n.*?(?=^\*\*Commands)", re.MULTILINE | re.DOTALL)


def command_pages() -> dict[str, str]:
    """Contents of the page, by its place in the site."""
    from plyground import cli  # noqa: F401  # registers the commands
    from plyground.commands.app import app

    text = app.generate_docs(output_format="markdown")
    text = LEFT_OUT.sub("", re.sub(r"\[/?bold\]", "**", text))
    return {"commands.md": text.replace("# plyground\n", "# Commands\n", 1)}
