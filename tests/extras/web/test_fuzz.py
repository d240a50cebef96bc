"""The interface, asked whatever its own schema allows, and what it does not."""

from __future__ import annotations

import hypothesis
import pytest
import schemathesis
from plyground.extras.web import sessions
from plyground.extras.web.app import make_app
from plyground.extras.web.settings import ServerSettings

PATIENCE = 120  # seconds for an answer, on a machine that has other work
HOST = "testserver"  # under which schemathesis asks
APP = make_app(ServerSettings(HOST, workers=1, presets_first=False, move_seconds=2.0))
SCHEMA = schemathesis.openapi.from_asgi("/openapi.json", APP)


@pytest.fixture(autouse=True)
def no_limit_on_the_rate(monkeypatch):
    monkeypatch.setattr(sessions.Bucket, "take", lambda self: True)


@SCHEMA.parametrize()
@hypothesis.settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)
@pytest.mark.thorough
def test_no_question_makes_the_server_fail(case):
    answer = case.call(timeout=PATIENCE)
    assert answer.status_code < 500
    if answer.status_code >= 400 and answer.headers["content-type"][0].startswith("application/"):
        assert answer.json()["error"].endswith(".")
