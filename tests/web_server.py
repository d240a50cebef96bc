"""The server of pages, as people start it."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys

from fastapi.testclient import TestClient
from helpers import ROOT
from plyground.extras.web.app import make_app
from plyground.extras.web.settings import ServerSettings

ADDRESS = "http://127.0.0.1:8000"
SMALL = "connect_four:rows=4,cols=5"  # the board of games that are stored, reviewed and solved


def client_of(client: str = "127.0.0.1", **settings) -> TestClient:
    """A visitor from an address, of a server in this process."""
    app = make_app(ServerSettings(**{"workers": 1, "no_warm_up": True} | settings))
    return TestClient(app, base_url=ADDRESS, client=(client, 1))


class Server:
    """The process of ``plyground web``, on a free port or on the one it had before."""

    def __init__(self, *options: str, stderr: int | None = None) -> None:
        self.options, self.port, self.process = options, 0, None
        self.stderr = stderr
        self.start()

    def start(self) -> None:
        words = ["web", "--port", str(self.port), "--workers", "1", "--no-warm-up", *self.options]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "plyground.cli", *words],
            cwd=ROOT.parent,
            stdout=subprocess.PIPE,
            stderr=self.stderr,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        line = self.process.stdout.readline()
        self.port = int(re.search(r"http://127\.0\.0\.1:(\d+)", line)[1])

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self, number: int = signal.SIGTERM) -> None:
        self.process.send_signal(number)
        self.process.wait(30)
        self.process.stdout.close()


@contextlib.contextmanager
def running(*options: str):
    server = Server(*options)
    try:
        yield server
    finally:
        server.stop()
