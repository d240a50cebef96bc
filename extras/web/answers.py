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
REFUSALS_AS_JSON: Answers = {
    status: {"model": RefusalAnswer, "description": why}
    for status, why in (("4XX", "It is refused."), ("5XX", "It cannot be answered now."))
}
REFUSALS_AS_PAGES: Answers = {
    status: {"content": {"text/html": {}}, "description": answer["description"]}
    for status, answer in REFUSALS_AS_JSON.items()
}
ELSEWHERE: Answers = {303: {"description": "The page is at the address of the header Location."}}


def files_of(*kinds: str) -> Answers:
    """Answers that are files of these kinds."""
    return {200: {"content": {kind: {} for kind in kinds}, "description": "The file."}}
