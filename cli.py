"""The command line ``plyground``. Its commands are in the folder ``commands``, by purpose."""

from __future__ import annotations

import gc
import sys

from .envs.loading.interruption import (
    INTERRUPTED,
    TERMINATED,
    answer_ctrl_c,
    interrupt_status,
    leave_at_once,
)


def main() -> None:
    """Run the command line of this process and end it with the command's exit status."""
    answer_ctrl_c()
    # Imports make objects that stay: the search for unreachable cycles was a sixth of the start.
    gc.set_threshold(50_000)
    try:
        from .commands.app import run

        status = run(sys.argv[1:])
    except KeyboardInterrupt:  # while the application was loading
        status = interrupt_status()
    if status in (INTERRUPTED, TERMINATED):
        leave_at_once(status)
    sys.exit(status)


if __name__ == "__main__":
    main()
