"""The pages of the commands, one for each purpose, from the command line's own help."""

from __future__ import annotations

import re

# Each with what stands for it on the page.
CHANGES = (
    # the site has a list of links beside every page
    (re.compile(r"^## Table of Contents\n.*?(?=^\*\*)", re.MULTILINE | re.DOTALL), ""),
    # "plyground play play GAME": the generator adds the name to a usage that has it
    (re.compile(r"^plyground ((?:[\w-]+ )+)\1", re.MULTILINE), r"plyground \1"),
    # options that the generator makes up for lists
    (re.compile(r", --empty-[\w-]+"), ""),
    (re.compile(r"^(?:\[bold\])?(Examples?)(?:\[/bold\])?$", re.MULTILINE), r"**\1**:"),
)
LINK = re.compile(r"\(#plyground-([\w-]+)\)")
EXAMPLES = re.compile(r"(\*\*Examples?\*\*:\n\n)((?:plyground .*\n\n)+)")


def command_pages() -> dict[str, str]:
    """Contents of the pages, by their places in the site."""
    from plyground.commands.app import make_app, purposes

    text = make_app().generate_docs(output_format="markdown")
    for pattern, instead in CHANGES:
        text = pattern.sub(instead, text)
    beginning, *parts = re.split(r"^(?=## plyground )", EXAMPLES.sub(code_block, text), flags=re.M)
    sections = {part.split()[2]: part for part in parts}
    places = {name: page_name(title) for title, names in purposes().items() for name in names}
    beginning = LINK.sub(lambda match: link(match, places), beginning)
    beginning = beginning.replace("# plyground\n", "# Commands\n", 1)
    return {"commands/index.md": beginning + sections["--install-completion"]} | {
        f"commands/{page_name(title)}.md": "".join(
            [f"# Commands: {title}\n\n", *(sections[name] for name in names)]
        )
        for title, names in purposes().items()
    }


def page_name(title: str) -> str:
    """The name of the page of a purpose."""
    return title.lower().replace(" ", "_")


def link(match: re.Match[str], places: dict[str, str]) -> str:
    """A link to a command's section, on the page where it stands."""
    place = places.get(match[1])
    return f"({place}.md#plyground-{match[1]})" if place else f"(#plyground-{match[1]})"


def code_block(match: re.Match[str]) -> str:
    """Examples, which the help writes as paragraphs, as commands at a prompt."""
    lines = [f"$ {line}" for line in match[2].splitlines() if line]
    return "\n".join([f"{match[1]}```console", *lines, "```", "", ""])
