"""The page of the 46 lines: each has its command, and the command is one."""

from __future__ import annotations

import re
import shlex

import pytest
from helpers import ROOT
from plyground import make_game
from plyground.agents.registry import resolve_agent
from plyground.commands.app import make_app
from plyground.envs.registry import profiles, rules_of_any_size
from plyground.extras.studies.catalogue import STUDIES

COUNTS = {"D": 15, "C": 11, "T": 5, "G": 7, "R": 5, "X": 3}
IDS = [f"{letter}{number + 1}" for letter, count in COUNTS.items() for number in range(count)]
ROWS = {
    row[1]: (re.findall(r"`(plyground [^`]+)`", row[2]), row[3])
    for row in re.finditer(
        r"^\| ([A-Z]\d+) \| [^|]+ \| ([^|]+) \| ([a-z ]+) \|$",
        (ROOT / "docs" / "extras" / "studies" / "lines.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
}
EXAMPLES = {board.name for profile in profiles().values() for board in profile.boards}


def words_of(command: str) -> list[str]:
    return shlex.split(command)[1:]


def test_every_line_has_its_row_and_its_command():
    assert list(ROWS) == IDS
    assert len(IDS) == 46
    assert {line for study in STUDIES.values() for line in study.lines} < set(IDS)
    assert all(commands for commands, _ in ROWS.values())


@pytest.mark.parametrize("line", IDS)
def test_the_command_line_reads_every_command(line):
    for command in ROWS[line][0]:
        words = words_of(command)
        make_app(words).parse_args(words, exit_on_error=False, print_error=False)
        name, *arguments = words
        specs = [word for word in arguments if not word.startswith("-")]
        if name == "study":
            assert specs == ["all"] or specs[0] in STUDIES
        elif name == "size":
            rules_of_any_size(specs[0])
        elif "--example" in words:
            assert words[words.index("--example") + 1] in EXAMPLES
        elif name in ("match", "tournament", "analyse", "solve", "book", "play"):
            make_game(specs[0])
        agents = [words[words.index("--agent") + 1]] if "--agent" in words else []
        if name in ("match", "tournament"):
            agents = " ".join(words).partition(" --")[0].split()[2:]
        for agent in agents:
            resolve_agent(agent)
