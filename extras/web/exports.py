"""Games as files: the picture of a position, an animation, a self-contained page."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response

from ...evaluation.played_game import PlayedGame
from .errors import Refusal, files_of
from .jobs import ANIMATION, FILE_SECONDS, PICTURE, REVIEW_PAGE, REVIEW_SECONDS
from .positions import LineOfPlay
from .queries import GameLineQuery, GraderQuery, LineQuery, Whole
from .streams import result
from .thinking import Call

router: APIRouter = APIRouter(prefix="/export", default_response_class=Response)

SIDE = 480  # pixels of the longer side
MOST_FRAMES = 240


def _file(content: bytes | str | None, kind: str, line: LineOfPlay, ending: str) -> Response:
    """A file to download, named after the game; no content if the visitor has left."""
    name = f"{line.game.name}-{len(line.actions)}.{ending}"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=headers)


@router.get("/board.{ending}", responses=files_of("image/svg+xml", "image/png"))
async def board(request: Request, ending: Literal["svg", "png"], line: LineQuery) -> Response:
    """The picture of the position after the moves."""
    last = line.actions[-1] if line.actions else None
    if ending == "svg":
        return _file(line.position.to_svg(last), "image/svg+xml", line, "svg")
    job = Call("work.picture", line.game, PICTURE, (line.position, last, 2 * SIDE), FILE_SECONDS)
    return _file(await result(request, job), "image/png", line, "png")


@router.get("/game.gif", responses=files_of("image/gif"))
async def animation(
    request: Request, line: LineQuery, side: Annotated[Whole, Query(ge=120, le=SIDE)] = SIDE
) -> Response:
    """The game move by move, as an animated picture."""
    if len(line.actions) >= MOST_FRAMES:
        raise Refusal("many_frames", most=MOST_FRAMES - 1)
    job = Call("work.picture", line.game, ANIMATION, (line.start, line.actions, side), FILE_SECONDS)
    return _file(await result(request, job), "image/gif", line, "gif")


@router.get("/game.html", responses=files_of("text/html"))
async def page(request: Request, line: GameLineQuery, agent: GraderQuery) -> Response:
    """The reviewed game as one self-contained page."""
    record = PlayedGame.of_actions(line.game, line.actions)
    job = Call("work.review", line.game, REVIEW_PAGE, (record, agent), REVIEW_SECONDS)
    return _file(await result(request, job), "text/html", line, "html")
