"""What the schema of the interface says of answers that are not JSON, and of refusals."""

from __future__ import annotations

from typing import Any

from fastapi.responses import StreamingResponse
from pydantic import BaseModel


class RefusalAnswer(BaseModel):
    """Why a request is refused: a sentence in the visitor's language, and its code."""

    error: str
    code: str


class EventStream(StreamingResponse):
    """Server-sent events."""

    media_type = "text/event-stream"


Answers = dict[int | str, dict[str, Any]]


def _refusals(kind: str, schema: dict[str, Any]) -> Answers:
    return {
        status: {"content": {kind: {"schema": schema}}, "description": description}
        for status, description in (("4XX", "It is refused."), ("5XX", "It fails now."))
    }


REFUSALS_AS_JSON = _refusals("application/json", RefusalAnswer.model_json_schema())
REFUSALS_AS_PAGES = _refusals("text/html", {"type": "string"})
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
ELSEWHERE: Answers = {303: {"description": "The page is at the address of the header Location."}}


def files_of(*kinds: str) -> Answers:
    """Answers that are files of these kinds."""
    return {200: {"content": {kind: {} for kind in kinds}, "description": "The file."}}
