"""The application: pages, API, and error responses."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator
from typing import Any

from anyio.to_thread import current_default_thread_limiter
from fastapi import Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from ...envs import __version__
from ...envs.specification import plain_text
from ...evaluation.runners.agent_process import AgentProcess
from ...evaluation.store.store import StoreError
from . import api, exports, games, pages
from .errors import REFUSALS_AS_JSON, REFUSALS_AS_PAGES, Refusal, sentence
from .guard import App, ForwardedHeaders, guarded
from .opponents import HINTS, PRESETS
from .positions import read_game
from .sessions import Sessions
from .settings import LONGEST_BODY, ServerSettings
from .state import State, answered_in_turn, words_for
from .thinking import Decide, Thinkers
from .turns import RequestGate

# More threads would not be faster, and would delay the answers of searches.
ANSWERING_THREADS = 4

log: logging.Logger = logging.getLogger(__name__)


def make_app(settings: ServerSettings, first: AgentProcess | None = None) -> App:
    """The application with its guard, for any ASGI server.

    Args:
        settings: the settings.
        first: a search process that runs already, if any.
    """

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        current_default_thread_limiter().total_tokens = ANSWERING_THREADS
        thinkers = Thinkers(settings, first)
        app.state.server = State(settings, sessions, thinkers, RequestGate(ANSWERING_THREADS))
        if not settings.no_warm_up:
            thinkers.warm_up(_preset_tasks())
        yield
        await thinkers.close()

    sessions = Sessions()
    # FastAPI's own documentation pages load files from other sites.
    app = FastAPI(
        title="plyground", version=__version__, docs_url=None, redoc_url=None, lifespan=lifespan
    )
    in_turn = [Depends(answered_in_turn, scope="function")]  # the response is sent after it
    app.include_router(api.router, responses=REFUSALS_AS_JSON, dependencies=in_turn)
    for each in (pages, games):
        app.include_router(each.router, responses=REFUSALS_AS_PAGES, dependencies=in_turn)
    app.include_router(exports.router, responses=REFUSALS_AS_PAGES)  # they wait for a process
    app.add_exception_handler(Refusal, _refuse)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(StoreError, _store_error)
    app.add_exception_handler(Exception, _failed)
    guard = guarded(app, sessions, settings.host, settings.allow_hosts)
    return ForwardedHeaders(guard) if settings.behind_proxy else guard


def _preset_tasks() -> list[Decide]:
    """The opponents of the games offered by name, and the adviser of the first ones."""
    tasks = [Decide(preset.level, read_game(preset.game).initial_position()) for preset in PRESETS]
    return [*tasks, *(Decide(HINTS, task.position) for task in tasks[:3])]


# Refusals by the framework itself, by status code.
REFUSALS = {
    400: "unreadable",
    404: "no_page",
    405: "no_method",
    408: "slow_request",
    413: "long_request",
}


async def _refuse(request: Request, refusal: Any) -> Response:
    """A refusal as JSON, or as a page if a page was requested."""
    words = words_for(request)
    if request.url.path.startswith(("/api/", "/static/")):
        return JSONResponse(refusal.to_json(words), refusal.status)
    text, status = refusal.sentence(words), refusal.status
    return pages.render(request, "error.html", status, sentence=text, status=status)


async def _invalid(request: Request, error: Any) -> Response:
    """The first invalid value, by its name."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:]).capitalize() or "work.request"
    reason = words_for(request).invalid(first)
    return await _refuse(request, Refusal("invalid", place=place, reason=reason))


async def _http_error(request: Request, error: Any) -> Response:
    code = REFUSALS.get(error.status_code, "other")
    refusal = Refusal(code, error.status_code, reason=sentence(error.detail), most=LONGEST_BODY)
    answer = await _refuse(request, refusal)
    if error.headers:
        answer.headers.update(error.headers)
    return answer


async def _store_error(request: Request, error: Any) -> Response:
    return await _refuse(request, Refusal("store", 503, reason=sentence(error)))


async def _failed(request: Request, error: Any) -> Response:
    log.error("%s %s failed", request.method, plain_text(request.url.path), exc_info=error)
    return await _refuse(request, Refusal("server", 500))
