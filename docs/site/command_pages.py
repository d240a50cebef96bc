"""The page of all commands, from the command line's own help."""

from __future__ import annotations

import re

# Each with what stands for it on the page.
CHANGES = (
    # the site has a list of links beside every page
    (re.compile(r"^## Table of Contents\n.*?(?=^\*\*Commands)", re.MULTILINE | re.DOTALL), ""),
    # "plyground play play GAME": the generator adds the name to a usage that has it
    (re.compile(r"^plyground ((?:[\w-]+ )+)\1", re.MULTILINE), r"plyground \1"),
    # options that the generator makes up for lists
    (re.compile(r", --empty-[\w-]+"), ""),
    (re.compile(r"^(?:\[bold\])?(Examples?)(?:\[/bold\])?$", re.MULTILINE), r"**\1**:"),
)
EXAMPLES = re.compile(r"(\*\*Examples?\*\*:\n\n)((?:plyground .*\n\n)+)")


def command_pages() -> dict[str, str]:
    """Contents of the page, by its place in the site."""
    from plyground.commands.app import make_app

    text = (
        make_app()
        .generate_docs(output_format="markdown")
        .replace("# plyground\n", "# Commands\n", 1)
    )
    for pattern, instead in CHANGES:
        text = pattern.sub(instead, text)
    return {"commands.md": EXAMPLES.sub(code_block, text)}


def code_block(match: re.Match[str]) -> str:
    """Examples, which the help writes as paragraphs, as commands at a prompt."""
    lines = [f"$ {line}" for line in match[2].splitlines() if line]
    return "\n".join([f"{match[1]}```console", *lines, "```", "", ""])
