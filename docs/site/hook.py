"""What mkdocs does beyond its plugins: pages that are generated, and links into the repository.

The README, the contributor's guide and the changelog are pages of the site as they are; games,
agents, commands and the API are written from what the package declares. A link to a file of the
repository leads to a page that shows it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

from accessibility import repair
from agent_pages import agent_pages
from api_pages import api_pages
from command_pages import command_pages
from game_pages import game_pages
from notebook_pages import notebook_pages
from outside import refuse_requests

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
# Pages that are files at the top of the repository.
COPIES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "recipes.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "CODE_OF_CONDUCT.md": "conduct.md",
}
FENCE = re.compile(r"(^ *```.*?^ *```$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:\s]+)((?:#[^)]*)?)\)")
CELL = re.compile(r"<td.*?</td>", re.DOTALL)
CODE = re.compile(r"(?<=<code>)[^<]+(?=</code>)")
PART = re.compile(r"[^\s,/]+[,/]*")  # of code: it may wrap after these signs, but not in a word
FILE_LINK = re.compile(
    r"\[[\w./]*?(\w+\.md)\](?=\([^)\s]*\1)"
)  # a link whose text is a file's name
# Where the README leads those who train, search and play; the front page begins with it.
ENTRANCES = re.compile(r"(?:^- \*\*I \w+\*\*.*\n(?:  .*\n)*){3}", re.MULTILINE)
# What the search shows first: how much the words of a page count, by the beginning of its place.
BOOSTS = {
    "guide/install.md": 5.0,
    "tutorials/": 2.0,
    "commands/": 0.5,
    "extras/studies/": 0.4,
    "api/": 0.3,
    "changelog.md": 0.2,
    "source/": 0.1,
}
WEB = ROOT / "extras" / "web" / "static"  # the web pages, whose looks the site has
LANGUAGES = {".py": "python", ".toml": "toml", ".json": "json", ".js": "javascript"}


def on_startup(**_: Any) -> None:
    """Make the links by which the API reference finds the package under its name.

    The link of `make lint` would do, but it leads to the whole checkout, and so to itself. When
    the plugins are configured the links must stand: mkdocstrings drops a path that does not exist.
    """
    package = ROOT / "build" / "api" / "plyground"
    package.mkdir(parents=True, exist_ok=True)
    for name in ("__init__.py", "agents", "envs", "evaluation", "extras", "training"):
        link = package / name
        if not link.is_symlink():
            link.symlink_to(ROOT / name)


def on_config(config: Any) -> Any:
    """Put the pages that a pattern of the navigation matches in its place."""
    config["nav"] = list(expanded(config["nav"]))
    return config


def expanded(entries: list[Any]) -> Iterator[Any]:
    """Entries of the navigation without patterns; pages of a pattern have their own titles."""
    for entry in entries:
        if isinstance(entry, dict):
            yield {
                title: list(expanded(below)) if isinstance(below, list) else below
                for title, below in entry.items()
            }
        elif "*" in entry:
            yield from sorted(path.relative_to(DOCS).as_posix() for path in DOCS.glob(entry))
        else:
            yield entry


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages."""
    made = {
        **{page: (ROOT / name).read_text("utf-8") for name, page in COPIES.items()},
        **game_pages(),
        **agent_pages(),
        **command_pages(),
        **api_pages(),
        **notebook_pages(DOCS / "notebooks"),
    }
    sources = {f"docs/{path.relative_to(DOCS).as_posix()}": path for path in DOCS.rglob("*.md")}
    for name in [*COPIES, *sources]:
        for target in linked_sources((ROOT / name).read_text("utf-8"), name):
            made.setdefault(source_page(target), shown_source(target))
    made["site/icon.svg"] = (WEB / "icon.svg").read_text("utf-8")
    made["site/palette.css"] = palette((WEB / "style.css").read_text("utf-8"))
    for place, text in made.items():
        files.append(File.generated(config, place, content=text))
    return files


def palette(style: str) -> str:
    """The names that a style sheet gives to colours, of light and dark pages."""
    names = re.findall(r"^  --\w[^;]*light-dark[^;]*;", style, re.MULTILINE)
    return "[data-md-color-scheme] {\n" + "\n".join(names) + "\n}\n"


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turn links between files of the repository into links between pages."""
    place = page.file.src_uri
    boost = next((value for name, value in BOOSTS.items() if place.startswith(name)), 1.0)
    page.meta.setdefault("search", {})["boost"] = boost
    if place == "index.md":
        markdown = with_entrances(markdown)
    names = {made: name for name, made in COPIES.items()}
    name = names.get(place, f"docs/{place}")
    if not any((ROOT / name).with_suffix(kind).is_file() for kind in (".md", ".ipynb")):
        return markdown  # it was generated with links of the site
    return "".join(
        part
        if index % 2
        else LINK.sub(
            lambda match: link_target(match, name, place), FILE_LINK.sub(link_title, part)
        )
        for index, part in enumerate(FENCE.split(markdown))
    )


def with_entrances(readme: str) -> str:
    """The README with its three entrances above the picture, as cards."""
    match = ENTRANCES.search(readme)
    if match is None:
        raise PluginError("README.md lacks the entrances: I train, I search, I play")
    cards = f'<div class="entrances" markdown>\n\n{match[0].replace("**: ", "** ")}\n</div>\n\n'
    return readme.replace("![", f"{cards}![", 1)


def on_page_content(html: str, **_: Any) -> str:
    """Let code in tables wrap between words only: browsers also break it at hyphens."""
    return CELL.sub(lambda cell: CODE.sub(in_parts, cell[0]), html)


def in_parts(code: re.Match[str]) -> str:
    """Code of which each part stays on one line."""
    return PART.sub(r"<span>\g<0></span><wbr>", code[0])


def on_post_page(output: str, **_: Any) -> str:
    """Repair what the theme leaves unclear to screen readers."""
    return repair(output)


def on_post_build(config: Any) -> None:
    """Refuse a site that would ask another server for anything."""
    refuse_requests(Path(config["site_dir"]))


def targets(markdown: str, name: str) -> Iterator[str]:
    """The files of the repository that a page links to, fenced blocks left out."""
    for part in FENCE.split(markdown)[::2]:
        for match in LINK.finditer(part):
            yield posixpath.normpath(posixpath.join(posixpath.dirname(name), match[1]))


def linked_sources(markdown: str, name: str) -> list[str]:
    """Those of them that are no pages of the site by themselves."""
    return [
        target
        for target in targets(markdown, name)
        if not target.startswith("docs/") and target not in COPIES and (ROOT / target).is_file()
    ]


def source_page(target: str) -> str:
    """The place of the page that shows a file of the repository."""
    return f"source/{target}.md"


def shown_source(target: str) -> str:
    """The page that shows a file of the repository."""
    path = ROOT / target
    language = LANGUAGES.get(path.suffix, "text")
    return f"# {target}\n\n````{language}\n{path.read_text('utf-8').rstrip()}\n````\n"


def link_title(match: re.Match[str]) -> str:
    """A link's text, the name of a page's file, as the beginning of the page's title."""
    page = next((path for path in (DOCS / match[1], ROOT / match[1]) if path.is_file()), None)
    if page is None:
        return match[0]
    heading = page.read_text("utf-8").partition("\n")[0].removeprefix("# ")
    return f"[{heading.partition(':')[0]}]"


def link_target(match: re.Match[str], name: str, place: str) -> str:
    """A link of the repository's file ``name`` as one of the page at ``place``."""
    target = posixpath.normpath(posixpath.join(posixpath.dirname(name), match[1]))
    if target in COPIES:
        address = COPIES[target]
    elif target.startswith("docs/"):
        address = target.removeprefix("docs/").replace(".ipynb", ".md")
    elif (ROOT / target).is_file():
        address = source_page(target)
    else:
        address = "api/index.md"  # a folder
    return f"]({posixpath.relpath(address, posixpath.dirname(place) or '.')}{match[2]})"
