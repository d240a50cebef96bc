"""Searches as server-sent events: any number of progress events, then the result or an error.

First come the stages of a search: ``preparing`` while the process loads and compiles, then
``ready``.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from fastapi import Request
from fastapi.responses import StreamingResponse

from .errors import Answers, Refusal
from .state import server_state, words_for
from .thinking import PREPARING, READY, Job

LOOK_SECONDS = 0.25  # between two checks whether the page is still connected
HEARTBEAT = ": still thinking\n\n"
PROGRESS, MOVE, ERROR = "progress", "move", "error"
STAGES: dict[Any, str] = {PREPARING: "preparing", READY: "ready"}

log: logging.Logger = logging.getLogger(__name__)

# Converts a job's report or result to plain data.
ToJson = Callable[[Any], Any]


class EventStream(StreamingResponse):
    """Server-sent events."""

    media_type = "text/event-stream"


EVENTS: Answers = {
    200: {
        "content": {
            EventStream.media_type: {
                "schema": {
                    "type": "object",
                    "properties": {
                        "event": {"enum": ["preparing", "ready", "progress", "move", "error"]},
                        "data": {"type": "string", "contentMediaType": "application/json"},
                    },
                    "required": ["event", "data"],
                }
            }
        },
        "description": "Progress any number of times, then a move or an error, each as JSON.",
    }
}


def stream(
    request: Request, job: Job, to_json: ToJson, of_result: ToJson | None = None
) -> EventStream:
    """The events of a job: its stages, ``progress``, then ``move`` or ``error``.

    Closing the connection ends the job.

    Args:
        request: the request.
        job: the job.
        to_json: converts the job's reports.
        of_result: converts its result, if different.

    Raises:
        Refusal: too many searches wait already.
    """
    state, session = server_state(request), request.state.session
    events: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()

    def report(content: Any) -> None:
        is_stage = content is PREPARING or content is READY
        events.put_nowait((STAGES[content], {}) if is_stage else (PROGRESS, content))

    async def search() -> None:
        try:
            result = await state.thinkers.think(session, job, report)
            events.put_nowait((MOVE, result))
        except Exception as error:
            events.put_nowait((ERROR, error))

    state.thinkers.turns.check_room(session)

    def refused(error: Exception) -> dict[str, Any]:
        refusal = error if isinstance(error, Refusal) else Refusal("server", 500)
        if refusal is not error:
            log.error("%s failed", request.url.path, exc_info=error)
        return refusal.to_json(words_for(request)) | {"status": refusal.status}

    writers = {PROGRESS: to_json, MOVE: of_result or to_json, ERROR: refused}
    return EventStream(
        _lines(request, asyncio.ensure_future(search()), events, writers),
        headers={"cache-control": "no-store", "x-accel-buffering": "no"},
    )


async def result(request: Request, job: Job) -> Any:
    """The result of a job; None if the visitor has left, which ends the job."""
    state, session = server_state(request), request.state.session
    running = asyncio.ensure_future(state.thinkers.think(session, job, lambda content: None))
    try:
        while not (await asyncio.wait([running], timeout=LOOK_SECONDS))[0]:
            if await request.is_disconnected():
                return None
        return running.result()
    finally:
        running.cancel()


async def _lines(
    request: Request,
    running: asyncio.Future[None],
    events: asyncio.Queue[tuple[str, Any]],
    writers: Mapping[str, ToJson],
) -> AsyncIterator[str]:
    """The events as text, until the job has ended or the page has disconnected."""
    try:
        while True:
            try:
                kind, content = await asyncio.wait_for(events.get(), LOOK_SECONDS)
            except TimeoutError:
                if await request.is_disconnected():
                    return
                yield HEARTBEAT
                continue
            try:
                data = writers[kind](content) if kind in writers else content
            except Exception as error:
                kind, data = ERROR, writers[ERROR](error)
            yield f"event: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
            if kind in (MOVE, ERROR):
                return
    finally:
        running.cancel()  # without waiting: after a disconnect this task is cancelled repeatedly
