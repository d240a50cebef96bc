"""What the server keeps while it runs."""

from __future__ import annotations

import dataclasses
from typing import cast

from fastapi import Request

from .sessions import Sessions
from .settings import ServerSettings
from .thinking import Thinkers
from .wording.words import LANGUAGE_COOKIE, Words, preferred_language, words_of


@dataclasses.dataclass
class State:
    """The settings, the sessions and the processes that think."""

    settings: ServerSettings
    sessions: Sessions
    thinkers: Thinkers


def server_state(request: Request) -> State:
    """The state of the server that a request has reached."""
    return cast(State, request.app.state.server)


def words_for(request: Request) -> Words:
    """The messages in the visitor's language."""
    language = preferred_language(
        request.query_params.get("lang"),
        request.cookies.get(LANGUAGE_COOKIE),
        request.headers.get("accept-language"),
    )
    return words_of(language)
