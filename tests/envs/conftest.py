"""Environments warn through PettingZoo's logger; its output is kept out of the tests'."""

from __future__ import annotations

import pytest
from pettingzoo.utils.env_logger import EnvLogger


@pytest.fixture(autouse=True)
def _quiet_environment_logger():
    EnvLogger.suppress_output()
    EnvLogger.flush()
    yield
    EnvLogger.flush()
    EnvLogger.unsuppress_output()
