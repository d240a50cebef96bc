"""What ``plyground`` shows without a command: a board, and three things to try.

``templates/welcome.txt`` holds them: the board as the game prints it, with ``*`` for the row that
wins, and commands with what they are for.
"""

from __future__ import annotations

from collections.abc import Collection
from importlib import resources

from rich.text import Text

from .output import Terminal

STYLES = {"*": "bold green reverse", "X": "bold red", "O": "bold yellow"}


def welcome(commands: Collection[str]) -> None:
    """Print the board, and the first three things whose commands there are.

    Args:
        commands: the first words of all commands.
    """
    text = (resources.files(__package__) / "templates" / "welcome.txt").read_text("utf-8")
    rows, _, things = text.partition("\n\n")
    board = Text("\n")
    for mark in rows:
        board.append("X" if mark == "*" else mark, STYLES.get(mark, ""))
    console = Terminal()
    console.print(board)
    console.print("\nBoard games, agents that play them, and learners. Three things to try:\n")
    for line in [each for each in things.splitlines() if each.split()[0] in commands][:3]:
        words, _, purpose = line.rpartition(": ")
        console.print(Text.assemble(f"{purpose}:\n  ", (f"plyground {words}", "bold")))
    console.print("\nplyground --help lists all commands.")
