"""A process that makes measurements: it is sent one after the other and answers each."""

from __future__ import annotations

import pickle
from multiprocessing.connection import Connection
from pathlib import Path

from .cells import make_cell


def serve(connection: Connection) -> None:
    """Make measurements until the other side closes the connection."""
    while True:
        try:
            message = connection.recv_bytes()
        except EOFError:
            return
        try:
            measurement, folder = pickle.loads(message)
            make_cell(measurement, Path(folder))
            answer: Exception | None = None
        except Exception as error:  # whatever a measurement raises is told where it was asked for
            answer = error
        connection.send_bytes(pickle.dumps(answer))
