"""The command line ``plyground``. Its commands are in the folder ``commands``, by purpose."""

from __future__ import annotations

import sys

from .envs.loading.interruption import INTERRUPTED, answer_ctrl_c, leave_at_once


def main() -> None:
    """Run the command line of this process and end it with the command's exit status."""
    answer_ctrl_c()
    try:
        from .commands.app import run

        status = run(sys.argv[1:])
    except KeyboardInterrupt:  # while the application was loading
        status = INTERRUPTED
    if status == INTERRUPTED:
        leave_at_once(status)
    sys.exit(status)


if __name__ == "__main__":
    main()
