"""The command ``new``: write a package with a new game, agent or learner."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from string import Template
from typing import Annotated, Literal

from ..agents.registry import AGENTS_AND_PRESETS
from ..envs.loading.ids import gymnasium_id
from ..envs.registry import game_names
from ..envs.specification import SpecificationError
from ..training.api import SETTINGS
from .app import command
from .common import argument, option
from .output import note

TEMPLATES = Path(__file__).parent / "templates"
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
SOURCES = {"game": "rules.py", "agent": "agent.py", "learner": "train.py"}
SUFFIX, PACKAGE = (
    ".txt",
    "package",
)  # of templates; the folder that is renamed to the package's name


@command("KIND NAME")
def new(
    kind: Annotated[
        Literal["game", "agent", "learner"], argument("KIND", "What the package contains.")
    ],
    name: Annotated[str, argument("NAME", "Name of the game, agent or learner, such as my_game.")],
    /,
    *,
    out: Annotated[Path | None, option("FOLDER", "The folder to create (default: ./NAME).")] = None,
) -> None:
    """Write a package with a game, an agent or a learner of your own.

    It contains a small working example to change, and its tests. Once the package is installed,
    every plyground command finds it.

    [bold]Examples[/bold]

    plyground new game my_game && pip install -e my_game && plyground play my_game

    plyground new agent my_agent --out agents/my_agent

    plyground new learner my_learner && pip install -e my_learner && plyground train --help
    """
    if not NAME.fullmatch(name) or keyword.iskeyword(name):
        raise SpecificationError(
            f"{name!r} is not a valid name; use lower-case letters, digits and single underscores, "
            f"such as my_{kind}"
        )
    taken: dict[str, Callable[[], Iterable[str]]] = {
        "game": game_names,
        "agent": lambda: AGENTS_AND_PRESETS,
        "learner": lambda: SETTINGS,
    }
    if name in taken[kind]():
        raise SpecificationError(
            f"a{'n' * (kind == 'agent')} {kind} {name!r} exists already; choose another name"
        )
    folder = out or Path(name)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SpecificationError(f"{folder} exists already; give another folder with --out")
    values = {
        "name": name,
        "title": name.replace("_", " ").title(),
        "type": name.title().replace("_", ""),
        "command": name.replace("_", "-"),
        "id": gymnasium_id(name, 0).removeprefix("plyground/").removesuffix("-v0"),
    }
    for template in sorted((TEMPLATES / kind).rglob(f"*{SUFFIX}")):
        place = template.relative_to(TEMPLATES / kind).with_suffix("")
        path = folder.joinpath(*(name if part == PACKAGE else part for part in place.parts))
        path.parent.mkdir(parents=True, exist_ok=True)
        text = Template(template.read_text(encoding="utf-8")).substitute(values)
        path.write_text(text, encoding="utf-8")
    source = folder / name / SOURCES[kind]
    note(f"{folder} is written; edit {source}. To install it:\n  pip install -e {folder}")
