"""The state of the running server."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator
from typing import cast

from fastapi import Request

from .sessions import Sessions
from .settings import ServerSettings
from .thinking import Thinkers
from .turns import RequestGate
from .wording.words import LANGUAGE_COOKIE, Words, preferred_language, words_of


@dataclasses.dataclass
class State:
    """The settings, the sessions, the search processes, and the queue of requests."""

    settings: ServerSettings
    sessions: Sessions
    thinkers: Thinkers
    gate: RequestGate


def server_state(request: Request) -> State:
    """The server state of a request."""
    return cast(State, request.app.state.server)


async def answered_in_turn(request: Request) -> AsyncIterator[None]:
    """Dependency of a route: its function waits for its turn."""
    async with server_state(request).gate.place(request.state.session):
        yield


def words_for(request: Request) -> Words:
    """The messages in the visitor's language."""
    language = preferred_language(
        request.query_params.get("lang"),
        request.cookies.get(LANGUAGE_COOKIE),
        request.headers.get("accept-language"),
    )
    return words_of(language)
