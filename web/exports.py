"""Games as files: the picture of a position, an animation, a page that needs no server."""

from __future__ import annotations

import io
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response

from ..evaluation.grades import PlayedGame
from .errors import Refusal
from .jobs import REVIEW_PAGE, REVIEW_SECONDS
from .positions import Line
from .queries import GameLineQuery, GraderQuery, LineQuery, Whole
from .state import server_state
from .thinking import Call

router: APIRouter = APIRouter(prefix="/export")

SIDE = 480  # pixels of the longer side
MOST_FRAMES = 240
FRAME_MS, LAST_FRAME_MS = 700, 3000


def _file(content: bytes | str, kind: str, line: Line, ending: str) -> Response:
    """A file to be kept; its name is made of the game's."""
    name = f"{line.game.name}-{len(line.actions)}.{ending}"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=headers)


@router.get("/board.{ending}")
def board(ending: Literal["svg", "png"], line: LineQuery) -> Response:
    """The picture of the position after the moves."""
    last = line.actions[-1] if line.actions else None
    if ending == "svg":
        return _file(line.position.to_svg(last), "image/svg+xml", line, "svg")
    content = io.BytesIO()
    line.position.to_image(last, 2 * SIDE).save(content, "PNG", optimize=True)
    return _file(content.getvalue(), "image/png", line, "png")


@router.get("/game.gif")
def animation(line: LineQuery, side: Annotated[Whole, Query(ge=120, le=SIDE)] = SIDE) -> Response:
    """The game move by move, as an animated picture."""
    if len(line.actions) >= MOST_FRAMES:
        raise Refusal("many_frames", most=MOST_FRAMES - 1)
    images, position = [], line.start.copy()
    images.append(position.to_image(None, side))
    for action in line.actions:
        images.append(position.play(action).to_image(action, side))
    small = [image.quantize(64) for image in images]
    content = io.BytesIO()
    durations = [FRAME_MS] * (len(small) - 1) + [LAST_FRAME_MS]
    small[0].save(
        content, "GIF", save_all=True, append_images=small[1:], duration=durations, loop=0
    )
    return _file(content.getvalue(), "image/gif", line, "gif")


@router.get("/game.html")
async def page(request: Request, line: GameLineQuery, agent: GraderQuery) -> Response:
    """The reviewed game as one page, which needs neither server nor network."""
    record = PlayedGame.of_actions(line.game, line.actions)
    job = Call("work.review", line.game, REVIEW_PAGE, (record, agent), REVIEW_SECONDS)
    text = await server_state(request).thinkers.think(
        request.state.session, job, lambda content: None
    )
    return _file(text, "text/html", line, "html")
