"""Runs an engine for plyground, and ends it and all that it has started when plyground lets go.

Run as a program: ``supervisor.py DESCRIPTOR PROGRAM [ARGUMENT...]``. The descriptor is a socket
whose other end plyground holds. It is closed when plyground lets go of the engine, or ends in any
way, however sudden; then everything in this process's group is killed. When the engine ends by
itself, a line on the socket says how. The engine has this program's standard input and output.

It imports no more than it needs: it is started for every game, and stays as long as the game.
"""

from __future__ import annotations

import os
import select
import signal
import sys


def main() -> None:
    """Start the engine and wait for the end of either side."""
    connection, command = int(sys.argv[1]), sys.argv[2:]
    child_exits, signal_pipe = os.pipe()
    os.set_blocking(signal_pipe, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(signal_pipe, warn_on_full_buffer=False)
    engine = os.fork()
    if engine == 0:
        _run_engine(connection, command)
    # The engine alone reads and writes these: whoever waits for it hears when it closes them.
    os.close(0)
    os.close(1)
    while True:
        readable, _, _ = select.select([connection, child_exits], [], [])
        if connection in readable:
            break  # nothing is ever sent: this is its end
        os.read(child_exits, 64)
        pid, status = os.waitpid(engine, os.WNOHANG)
        if pid:
            os.write(connection, _exit_text(status).encode())
            break
    os.killpg(0, signal.SIGKILL)


def _run_engine(connection: int, command: list[str]) -> None:
    """Become the engine; where that fails, tell why."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.set_inheritable(connection, False)
    try:
        os.execv(command[0], command)
    except OSError as error:
        os.write(connection, f"could not be started: {error.strerror}\n".encode())
    os._exit(127)


def _exit_text(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"was killed by signal {number} ({signal.Signals(number).name})\n"
    return f"ended with exit status {os.waitstatus_to_exitcode(status)}\n"


if __name__ == "__main__":
    main()
