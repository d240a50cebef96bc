"""The command line ``plyground``. Its commands are in the folder ``commands``, by purpose."""

from __future__ import annotations

import sys

from .commands.terminal import loading  # noqa: F401  # before all that takes time

# isort: split
from .commands.app import INTERRUPTED, run
from .commands.terminal.interruption import answer_ctrl_c, leave_at_once


def main() -> None:
    """Run the command line of this process and end it with the command's exit status."""
    answer_ctrl_c()
    status = run(sys.argv[1:])
    if status == INTERRUPTED:
        leave_at_once(status)
    sys.exit(status)


if __name__ == "__main__":
    main()
