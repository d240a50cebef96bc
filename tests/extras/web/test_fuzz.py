"""The interface, asked whatever its own schema allows, and what it does not."""

from __future__ import annotations

import tempfile
from pathlib import Path

import hypothesis
import pytest
import schemathesis
from plyground.evaluation.store.store import Store
from plyground.extras.web import sessions
from plyground.extras.web.app import make_app
from plyground.extras.web.settings import ServerSettings

pytestmark = pytest.mark.thorough

PATIENCE = 120  # seconds for an answer, on a machine that has other work
HOST = "testserver"  # under which schemathesis asks
# No schema says which moves a game has: what is well formed may be refused by the rules.
ALLOWED = ["2xx", "3xx", 404, 409, 422]
CONFIG = {"checks": {"positive_data_acceptance": {"expected-statuses": ALLOWED}}}
SETTINGS = {
    "deadline": None,
    "derandomize": True,
    "database": None,
    "suppress_health_check": list(hypothesis.HealthCheck),
}


FOLDER = tempfile.TemporaryDirectory()
STORE = Path(FOLDER.name) / "games.db"
APP = make_app(ServerSettings(HOST, workers=1, no_warm_up=True, move_seconds=2.0, store=STORE))


def schema_of(**config):
    return schemathesis.openapi.from_asgi(
        "/openapi.json", APP, config=schemathesis.Config.from_dict(config)
    )


SCHEMA = schema_of(**CONFIG)
# the others have no parameters that need one
EXAMPLES = schema_of(phases={"coverage": {"enabled": False}}).exclude(
    path=["/", "/games", "/ratings", "/static/{name}"]
)


@pytest.fixture(autouse=True)
def a_store_and_no_limit_on_the_rate(monkeypatch):
    Store(STORE).open().close()
    monkeypatch.setattr(sessions.Bucket, "take", lambda self: True)


@SCHEMA.parametrize()
@hypothesis.settings(max_examples=12, **SETTINGS)
def test_every_answer_is_as_the_schema_says(case):
    answer = case.call_and_validate(timeout=PATIENCE)
    if answer.status_code >= 400 and answer.headers["content-type"][0].startswith("application/"):
        assert answer.json()["error"].endswith(".")


@EXAMPLES.parametrize()
@hypothesis.settings(phases=[hypothesis.Phase.explicit], **SETTINGS)
def test_the_examples_of_the_schema_are_answered(case):
    assert case.call(timeout=PATIENCE).status_code < 400, case.as_curl_command()
