"""Ctrl-C while the command line is loading ends it at once, without a trace.

The command line imports this first. Python's own handler would show where the import was stopped.
Once everything is loaded, :mod:`~plyground.commands.terminal.interruption` takes over.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
from pathlib import Path

COMMAND = "plyground"


def end_on_ctrl_c() -> None:
    """Let the system end the process on Ctrl-C, if it is the command line that is loading."""
    if Path(sys.argv[0] if sys.argv else "").name != COMMAND:
        return
    if threading.current_thread() is not threading.main_thread():
        return
    if multiprocessing.parent_process() is not None:
        return  # it was started by the command line
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


end_on_ctrl_c()
