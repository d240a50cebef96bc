"""The plan of a tournament: the settings that decide which games are played, or a file of them.

A file contains several plans in TOML, with common settings at the top::

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
import dataclasses
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from ..agents.bots import players_of
from ..envs.loading.files import read_file
from ..envs.loading.records import check_value
from ..envs.loading.settings import OPENING_PLIES, setting
from ..envs.specification import SpecificationError
from .conditions import Conditions

ROUND_ROBIN, GAUNTLET, LADDER = FORMATS = ("round-robin", "gauntlet", "ladder")
DEFAULT_OPENING = f"random:{OPENING_PLIES}"
DEFAULT_PAIRS, MOST_PAIRS = 10, 1_000_000
LARGEST_SEED = 2**63 - 1


@dataclasses.dataclass(frozen=True)
class Plan(Conditions):
    """The plan of a tournament: the same plan gives the same games on any machine.

    A pair is one opening played twice, with seats swapped. Any two agents play the same openings.

    Args:
        game: the game's specification.
        agents: the agents' specifications; one may be listed several times. Other objects that
            :func:`~plyground.agents.bots.as_policy` accepts (a model, a function) play in this
            process. Their contents are part of their identity in a store.

    Raises:
        SpecificationError: a value that is not possible.
    """

    subject: ClassVar[str] = "a tournament"

    game: str = ""
    agents: tuple[Any, ...] = ()
    pairs: int | None = setting(
        None,
        f"Pairs of games per two agents: one opening, both seats (default: {DEFAULT_PAIRS}; "
        f"with all:PLIES or a file, every opening once).",
        1,
        MOST_PAIRS,
        metavar="N",
        no_effect="a plan with more pairs begins with the games of one with fewer",
    )
    opening: str = setting(
        DEFAULT_OPENING,
        "Source of openings: random:PLIES (random moves), all:PLIES (every position at that depth "
        "up to symmetry), swap2:STONES (gomoku: stones near the centre), balanced:STONES (swap2 "
        "openings that the engine rates as equal), or a file.",
        metavar="OPENINGS",
    )
    seed: int = setting(1, "Seed of all random choices.", 0, LARGEST_SEED, metavar="N")
    format: str = setting(
        ROUND_ROBIN,
        f"{', '.join(FORMATS)}: all against all, the first against all others, or each against "
        f"the next.",
        choices=FORMATS,
        metavar="FORMAT",
    )
    balanced: str | None = setting(
        None,
        "Use only openings that this agent, such as solver, evaluates near 0.",
        metavar="AGENT",
    )
    within: float | None = setting(
        None,
        "With --balanced: the largest distance from 0, in the unit of the agent's values (default: "
        "a tenth of the greatest return).",
        low=0,
        metavar="VALUE",
    )
    transform: bool = setting(
        False, "Rotate or mirror each opening by a random symmetry of the board."
    )
    name: str | None = setting(
        None,
        "Name of the tournament in the store (default: made from its settings).",
        metavar="NAME",
        no_effect="it is only a name",
    )

    def __post_init__(self) -> None:
        """Convert and check every value."""
        super().__post_init__()
        object.__setattr__(self, "agents", players_of(self.agents))


def read_tournaments(path: Path, usual: Mapping[str, Any] = {}) -> list[Plan]:
    """The plans of a file.

    A file of openings is searched for in the folder of this file.

    Args:
        path: the file.
        usual: settings that the file does not set.

    Raises:
        SpecificationError: the file cannot be read, is not TOML, has no tournament, or an entry is
            unknown, missing or invalid.
    """
    try:
        text = read_file(path).decode("utf-8-sig")
        content = tomllib.loads(text, parse_float=_read_float)
    except OSError as error:
        raise SpecificationError(
            f"the tournament file {path} cannot be read: {error.strerror}"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SpecificationError(f"{path} is not TOML: {error}") from None
    except ValueError:  # Python reads integers of at most 4300 digits
        raise SpecificationError(f"{path} contains a number with too many digits") from None
    except RecursionError:
        raise SpecificationError(f"{path} is nested too deeply") from None
    tables = content.pop("tournament", None)
    if (
        not isinstance(tables, list)
        or not tables
        or not all(isinstance(table, dict) for table in tables)
    ):
        raise SpecificationError(f"{path} contains no tournaments; each begins with [[tournament]]")
    top = f"{path}, at the top"
    _check_table(content, top)
    if "name" in content:
        raise SpecificationError(f"{top}: name belongs to one tournament, not to all")
    defaults = {**usual, **content}
    plans = [_read_plan(table, defaults, path, number) for number, table in enumerate(tables, 1)]
    for number, one in enumerate(plans, 1):
        for other, earlier in enumerate(plans[: number - 1], 1):
            if one == earlier or (one.name is not None and one.name == earlier.name):
                raise SpecificationError(
                    f"{path}, tournament {number}: same name as tournament {other}, or the same "
                    f"settings; give it another name"
                )
    return plans


def _read_plan(table: dict[str, Any], defaults: dict[str, Any], path: Path, number: int) -> Plan:
    place = f"{path}, tournament {number}"
    _check_table(table, place)
    values = defaults | table
    for name in ("game", "agents"):
        if name not in values:
            raise SpecificationError(f"{place}: {name} is missing")
    with contextlib.suppress(OSError, ValueError):  # a name that no file can have
        if (path.parent / values.get("opening", "")).is_file():
            values["opening"] = str(path.parent / values["opening"])
    return Plan(**values)


def _check_table(table: dict[str, Any], place: str) -> None:
    check_value(table.get("agents", []), list[str], place, "agents")
    check_value(table, Plan, place)


def _read_float(text: str) -> float:
    """A TOML number with a point or an exponent; ``1e3`` is an integer, as elsewhere."""
    value = float(text)
    return int(value) if value.is_integer() else value
