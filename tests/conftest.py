"""Settings and fixtures for all tests."""

from __future__ import annotations

import os
import signal
from pathlib import Path

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # pygame without a screen
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import hypothesis
import pytest

# Deadlines would fail the first example of each property, which compiles; examples are the same on
# every run.
hypothesis.settings.register_profile(
    "suite", deadline=None, derandomize=True, database=None, max_examples=60
)
hypothesis.settings.load_profile("suite")


# as a shell leaves it for commands in the background; the tests of Ctrl-C need it
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parent.parent


class RepositoryIsNoPackage:
    """Keeps pytest from importing the repository's own ``__init__.py`` as a package that has the
    checkout's name.
    """

    def pytest_collect_directory(self, path, parent):
        return pytest.Dir.from_parent(parent, path=path) if path == ROOT else None


def pytest_configure(config):
    config.pluginmanager.register(RepositoryIsNoPackage())
