"""The command ``new``: a package of one's own, with a game or an agent."""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from string import Template
from typing import Annotated, Literal

from ..agents.registry import agent_classes, agent_presets
from ..envs.loading.ids import gymnasium_id
from ..envs.registry import game_names
from ..envs.specification import SpecificationError
from .app import command
from .common import argument, option
from .output import note

TEMPLATES = Path(__file__).parent / "templates"
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
SUFFIX, PACKAGE = ".txt", "package"  # of a template; the folder that gets the package's name


@command("KIND NAME")
def new(
    kind: Annotated[Literal["game", "agent"], argument("KIND", "What it is to hold.")],
    name: Annotated[str, argument("NAME", "Of the game or agent, such as my_game.")],
    /,
    *,
    out: Annotated[
        Path | None, option("FOLDER", "The folder to make (default: one of that name here).")
    ] = None,
) -> None:
    """Write a package with a game or an agent of your own.

    It holds a small game or agent that works, to be changed into yours, and tests of it. Once it is
    installed, plyground has the game or agent everywhere.

    [bold]Examples[/bold]

    plyground new game my_game && pip install -e my_game && plyground play my_game

    plyground new agent my_agent --out agents/my_agent
    """
    if not NAME.fullmatch(name) or keyword.iskeyword(name):
        raise SpecificationError(
            f"{name!r} is no name; it is written in small letters, digits and single underscores, "
            f"such as my_{kind}"
        )
    taken = game_names() if kind == "game" else [*agent_classes(), *agent_presets()]
    if name in taken:
        raise SpecificationError(
            f"a{'n' * (kind == 'agent')} {kind} {name!r} exists already; choose another name"
        )
    folder = out or Path(name)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SpecificationError(f"{folder} exists already; name another folder with --out")
    values = {
        "name": name,
        "title": name.replace("_", " ").title(),
        "type": name.title().replace("_", ""),
        "id": gymnasium_id(name, 0).removeprefix("plyground/").removesuffix("-v0"),
    }
    for template in sorted((TEMPLATES / kind).rglob(f"*{SUFFIX}")):
        place = template.relative_to(TEMPLATES / kind).with_suffix("")
        path = folder.joinpath(*(name if part == PACKAGE else part for part in place.parts))
        path.parent.mkdir(parents=True, exist_ok=True)
        text = Template(template.read_text(encoding="utf-8")).substitute(values)
        path.write_text(text, encoding="utf-8")
    source = folder / name / ("rules.py" if kind == "game" else "agent.py")
    note(
        f"{folder} is written: {source} is to be changed. To install it:\n  pip install -e {folder}"
    )
