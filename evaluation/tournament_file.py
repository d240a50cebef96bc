"""Tournament files: several tournaments in TOML, with common settings at the top.

An example::

    pairs = 20
    opening = "random:4"

    [[tournament]]
    game = "connect_four"
    agents = ["random", "greedy", "alphabeta:depth=4"]

    [[tournament]]
    name = "small dots"
    game = "dots_and_boxes:dots=3x3"
    agents = ["greedy", "solver"]
    format = "gauntlet"
"""

from __future__ import annotations

import contextlib
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from ..envs.loading.files import read_file
from ..envs.specification import SpecificationError, check_names, plain_text
from .tournament import Plan

# The settings of a file with their types in TOML. Each may be a default at the top or a setting of
# one tournament; the name only the latter.
KEYS: dict[str, tuple[type, ...]] = {
    "game": (str,),
    "agents": (list,),
    "pairs": (int,),
    "opening": (str,),
    "seed": (int,),
    "format": (str,),
    "balanced": (str,),
    "within": (int, float),
    "transform": (bool,),
    "name": (str,),
}
KINDS: dict[type, str] = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list of texts",
}


class PlannedTournament(NamedTuple):
    """A tournament of a file: its plan, and its name if it has one."""

    plan: Plan
    name: str | None


def read_tournaments(path: Path) -> list[PlannedTournament]:
    """The tournaments of a file.

    A file of openings is looked for in the folder of the tournament file.

    Raises:
        SpecificationError: the file cannot be read, is not TOML, holds no tournament, or something
            in it is unknown, missing or of the wrong type.
    """
    try:
        content = tomllib.loads(read_file(path).decode("utf-8-sig"))
    except OSError as error:
        raise SpecificationError(
            f"the tournament file {path} cannot be read: {error.strerror}"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SpecificationError(f"{path} is not TOML: {error}") from None
    except ValueError:  # Python reads whole numbers of at most 4300 digits
        raise SpecificationError(f"{path} holds a number of too many digits") from None
    except RecursionError:
        raise SpecificationError(f"{path} is nested too deep to be read") from None
    tables = content.pop("tournament", None)
    if (
        not isinstance(tables, list)
        or not tables
        or not all(isinstance(table, dict) for table in tables)
    ):
        raise SpecificationError(
            f"{path} holds no tournaments; each is a table that begins with [[tournament]]"
        )
    defaults = _check_table(content, f"{path}, at the top", [key for key in KEYS if key != "name"])
    tournaments = [
        _read_tournament(
            _check_table(table, f"{path}, tournament {number}", KEYS), defaults, path, number
        )
        for number, table in enumerate(tables, 1)
    ]
    for number, one in enumerate(tournaments, 1):
        for other, earlier in enumerate(tournaments[: number - 1], 1):
            if one == earlier or (one.name is not None and one.name == earlier.name):
                raise SpecificationError(
                    f"{path}, tournament {number}: it has the name of tournament {other}, or is "
                    f"the same; give it another name"
                )
    return tournaments


def _check_table(table: dict[str, Any], place: str, names: Any) -> dict[str, Any]:
    """A table whose keys and types are right."""
    check_names(f"{place}: there is no setting", table, names)
    for key, value in table.items():
        of_list = key == "agents"
        right = isinstance(value, KEYS[key]) and isinstance(value, bool) == (KEYS[key] == (bool,))
        if not right or (of_list and not all(isinstance(agent, str) for agent in value)):
            raise SpecificationError(
                f"{place}: {key} must be {KINDS[KEYS[key][-1]]}, not {plain_text(repr(value))}"
            )
    return table


def _read_tournament(
    table: dict[str, Any], defaults: dict[str, Any], path: Path, number: int
) -> PlannedTournament:
    settings = defaults | table
    for key in ("game", "agents"):
        if key not in settings:
            raise SpecificationError(f"{path}, tournament {number}: {key} is missing")
    name = settings.pop("name", None)
    with contextlib.suppress(OSError, ValueError):  # a name that no file can have
        if (path.parent / settings.get("opening", "")).is_file():
            settings["opening"] = str(path.parent / settings["opening"])
    return PlannedTournament(Plan(**settings | {"agents": tuple(settings["agents"])}), name)
